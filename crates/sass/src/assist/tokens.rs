//! Semantic tokens: the nodes of the tree, and the punctuation between them.

use crate::syntax::{
    AnnotationKind, Instruction, Operand, SyntaxErrorKind, Term, TermValue, Tree, Value, parse,
};
use crate::syntax::{Statement, StatementKind};
use warpgrid_program::{ColouredToken, Span, TokenClass};

/// Splits a source into semantic tokens, in source order.
pub(crate) fn tokens(source: &str) -> Vec<ColouredToken> {
    let tree = parse(source);
    let mut painter = Painter {
        source,
        tree: &tree,
        tokens: Vec::new(),
    };
    painter.text();
    let mut tokens = painter.tokens;
    tokens.sort_by_cached_key(|token| u64::from(token.span.start));
    with_punctuation(source, &tokens)
}

struct Painter<'a> {
    source: &'a str,
    tree: &'a Tree,
    tokens: Vec<ColouredToken>,
}

impl Painter<'_> {
    fn push(&mut self, span: Span, class: TokenClass) {
        if span.start < span.end {
            self.tokens.push(ColouredToken { span, class });
        }
    }

    fn text(&mut self) {
        for statement in &self.tree.statements {
            self.statement(statement);
        }
        for comment in &self.tree.comments {
            self.push(*comment, TokenClass::Comment);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement.kind {
            StatementKind::Instruction(index) => {
                if let Some(instruction) = self.tree.instructions.get(index as usize) {
                    self.instruction(instruction);
                }
            }
            StatementKind::Label(name) => self.push(name, TokenClass::Label),
            StatementKind::Directive { name, arguments } => {
                self.push(name, TokenClass::Directive);
                self.arguments(arguments);
            }
            StatementKind::Header { key, value } => {
                self.push(key, TokenClass::Directive);
                self.push(value, TokenClass::Name);
            }
            // The encoding is in a comment.
            StatementKind::Encoding(_) => {}
            StatementKind::Unknown => self.push(statement.span, TokenClass::Error),
        }
    }

    /// Adds the arguments of a directive: strings, numbers and names.
    fn arguments(&mut self, span: Span) {
        let text = span.text(self.source);
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let (length, class) = match first {
                '"' => {
                    let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
                    (end, Some(TokenClass::String))
                }
                first if first.is_ascii_digit() => (word(rest), Some(TokenClass::Number)),
                first if is_name(first) => (word(rest), Some(TokenClass::Name)),
                first => (first.len_utf8(), None),
            };
            if let Some(class) = class {
                let start = span.start + at as u32;
                self.push(Span::new(start, start + length as u32), class);
            }
            at += length;
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        if let Some(guard) = instruction.guard {
            let skip = 1 + u32::from(guard.negated);
            let span = Span::new(guard.span.start + skip, guard.span.end);
            self.push(span, TokenClass::Register);
        }
        self.push(instruction.opcode, TokenClass::Opcode);
        for modifier in self.tree.modifiers(instruction) {
            self.modifier(*modifier);
        }
        for operand in self.tree.operands(instruction) {
            self.operand(operand);
        }
        for annotation in self.tree.annotations(instruction) {
            let class = match annotation.kind {
                AnnotationKind::Remark => TokenClass::Comment,
                AnnotationKind::Barrier | AnnotationKind::Schedule => TokenClass::Directive,
            };
            self.push(annotation.span, class);
        }
    }

    /// Adds a modifier with its dot. Widths are classified as types.
    fn modifier(&mut self, word: Span) {
        let text = word.text(self.source);
        let digits = text.trim_start_matches(['U', 'S', 'F', 'B']);
        let is_width = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let class = match is_width {
            true => TokenClass::Type,
            false => TokenClass::Modifier,
        };
        self.push(Span::new(word.start.saturating_sub(1), word.end), class);
    }

    /// Adds the value of an operand, from its first letter or digit to its modifiers.
    fn operand(&mut self, operand: &Operand) {
        let modifiers = self.tree.operand_modifiers(operand);
        for modifier in modifiers {
            self.modifier(*modifier);
        }
        match &operand.value {
            Value::Register(_) => self.word(operand.span, TokenClass::Register),
            Value::Integer(_) | Value::Float(_) => self.word(operand.span, TokenClass::Number),
            Value::Memory(memory) => {
                if let Some(prefix) = memory.prefix {
                    self.push(prefix, TokenClass::Name);
                }
                for bracket in self.tree.brackets(memory) {
                    self.tree
                        .terms(bracket)
                        .iter()
                        .for_each(|term| self.term(term));
                }
            }
            Value::Target(name) => self.push(*name, TokenClass::Label),
            Value::Relocation(span) => self.push(*span, TokenClass::Name),
            Value::Set(_) => self.word(operand.span, TokenClass::Number),
            Value::Word(span) => {
                let special = span.text(self.source).starts_with("SR");
                let class = match special {
                    true => TokenClass::SpecialRegister,
                    false => TokenClass::Name,
                };
                self.push(*span, class);
            }
            Value::Unknown(span) => self.push(*span, TokenClass::Error),
        }
    }

    fn term(&mut self, term: &Term) {
        for modifier in self.tree.term_modifiers(term) {
            self.modifier(*modifier);
        }
        let class = match term.value {
            TermValue::Register(_) => TokenClass::Register,
            TermValue::Integer(_) => TokenClass::Number,
            TermValue::Other(span) => {
                let wrong = self.tree.errors.iter().any(|error| {
                    error.kind == SyntaxErrorKind::Address && error.span.start <= span.start
                });
                match wrong {
                    true => TokenClass::Error,
                    false => TokenClass::Name,
                }
            }
        };
        self.word(term.span, class);
    }

    /// Adds the first word within `span`; a float includes its decimal point and the sign of its exponent.
    fn word(&mut self, span: Span, class: TokenClass) {
        let text = span.text(self.source);
        let Some(start) = text.find(|c: char| c.is_ascii_alphanumeric()) else {
            return;
        };
        let rest = &text[start..];
        let bytes = rest.as_bytes();
        let decimal =
            class == TokenClass::Number && bytes[0].is_ascii_digit() && !rest.starts_with("0x");
        let length = (0..bytes.len()).find(|&at| {
            let byte = bytes[at];
            let next_is_digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            let goes_on = match byte {
                b'.' => decimal && next_is_digit,
                b'+' | b'-' => decimal && at > 0 && matches!(bytes[at - 1], b'e' | b'E'),
                _ => byte.is_ascii_alphanumeric() || byte == b'_',
            };
            !goes_on
        });
        let start = span.start + start as u32;
        let length = length.unwrap_or(bytes.len()) as u32;
        self.push(Span::new(start, start + length), class);
    }
}

fn is_name(first: char) -> bool {
    first.is_ascii_alphanumeric() || matches!(first, '_' | '$' | '.')
}

/// Returns the length of the name or number at the start of `text`.
fn word(text: &str) -> usize {
    text.find(|c: char| !is_name(c)).unwrap_or(text.len())
}

/// Adds the text between tokens, and drops tokens that start within another one.
fn with_punctuation(source: &str, tokens: &[ColouredToken]) -> Vec<ColouredToken> {
    let mut all = Vec::with_capacity(tokens.len() * 2);
    let mut end = 0;
    for token in tokens {
        if token.span.start < end {
            continue;
        }
        punctuate(source, Span::new(end, token.span.start), &mut all);
        all.push(*token);
        end = token.span.end;
    }
    punctuate(source, Span::new(end, source.len() as u32), &mut all);
    all
}

fn punctuate(source: &str, gap: Span, all: &mut Vec<ColouredToken>) {
    let mut at = gap.start;
    for piece in gap.text(source).split_inclusive(char::is_whitespace) {
        let length = piece.trim_end().len() as u32;
        if length > 0 {
            all.push(ColouredToken {
                span: Span::new(at, at + length),
                class: TokenClass::Punctuation,
            });
        }
        at += piece.len() as u32;
    }
}
