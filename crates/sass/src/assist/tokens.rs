//! Semantic tokens: one token for each node of the syntax tree, and tokens for the punctuation between the nodes.

use crate::syntax::{
    AnnotationKind, Instruction, Operand, OperandKind, SyntaxErrorKind, Term, TermValue, Tree,
    parse,
};
use crate::syntax::{Statement, StatementKind};
use warpgrid_program::{SemanticToken, SemanticTokenKind, Span};

/// Splits a source into semantic tokens, in source order.
pub(crate) fn tokens(source: &str) -> Vec<SemanticToken> {
    let tree = parse(source);
    let mut painter = Highlighter {
        source,
        tree: &tree,
        tokens: Vec::new(),
    };
    painter.text();
    let mut tokens = painter.tokens;
    tokens.sort_by_cached_key(|token| u64::from(token.span.start));
    with_punctuation(source, &tokens)
}

struct Highlighter<'a> {
    source: &'a str,
    tree: &'a Tree,
    tokens: Vec<SemanticToken>,
}

impl Highlighter<'_> {
    fn push(&mut self, span: Span, class: SemanticTokenKind) {
        if span.start < span.end {
            self.tokens.push(SemanticToken { span, class });
        }
    }

    fn text(&mut self) {
        for statement in &self.tree.statements {
            self.statement(statement);
        }
        for comment in &self.tree.comments {
            self.push(*comment, SemanticTokenKind::Comment);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement.kind {
            StatementKind::Instruction(index) => {
                if let Some(instruction) = self.tree.instructions.get(index as usize) {
                    self.instruction(instruction);
                }
            }
            StatementKind::Label(name) => self.push(name, SemanticTokenKind::Label),
            StatementKind::Directive { name, arguments } => {
                self.push(name, SemanticTokenKind::Directive);
                self.arguments(arguments);
            }
            StatementKind::Header { key, value } => {
                self.push(key, SemanticTokenKind::Directive);
                self.push(value, SemanticTokenKind::Name);
            }
            // The encoding is inside a comment, which has a separate token.
            StatementKind::Encoding(_) => {}
            StatementKind::Unknown => self.push(statement.span, SemanticTokenKind::Error),
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
                    (end, Some(SemanticTokenKind::String))
                }
                first if first.is_ascii_digit() => (word(rest), Some(SemanticTokenKind::Number)),
                first if is_name(first) => (word(rest), Some(SemanticTokenKind::Name)),
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
            self.push(span, SemanticTokenKind::Register);
        }
        self.push(instruction.opcode, SemanticTokenKind::Opcode);
        for modifier in self.tree.modifiers(instruction) {
            self.modifier(*modifier);
        }
        for operand in self.tree.operands(instruction) {
            self.operand(operand);
        }
        for annotation in self.tree.annotations(instruction) {
            let class = match annotation.kind {
                AnnotationKind::Remark => SemanticTokenKind::Comment,
                AnnotationKind::Barrier | AnnotationKind::Schedule => SemanticTokenKind::Directive,
            };
            self.push(annotation.span, class);
        }
    }

    /// Adds the token of a modifier with its dot. Width modifiers have the token kind of types.
    fn modifier(&mut self, word: Span) {
        let text = word.text(self.source);
        let digits = text.trim_start_matches(['U', 'S', 'F', 'B']);
        let is_width = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let class = match is_width {
            true => SemanticTokenKind::Type,
            false => SemanticTokenKind::Modifier,
        };
        self.push(Span::new(word.start.saturating_sub(1), word.end), class);
    }

    /// Adds the tokens of the value and the modifiers of an operand, without its sign characters.
    fn operand(&mut self, operand: &Operand) {
        let modifiers = self.tree.operand_modifiers(operand);
        for modifier in modifiers {
            self.modifier(*modifier);
        }
        match &operand.value {
            OperandKind::Register(_) => self.word(operand.span, SemanticTokenKind::Register),
            OperandKind::Integer(_) | OperandKind::Float(_) => {
                self.word(operand.span, SemanticTokenKind::Number)
            }
            OperandKind::Memory(memory) => {
                if let Some(prefix) = memory.prefix {
                    self.push(prefix, SemanticTokenKind::Name);
                }
                for bracket in self.tree.brackets(memory) {
                    self.tree
                        .terms(bracket)
                        .iter()
                        .for_each(|term| self.term(term));
                }
            }
            OperandKind::Target(name) => self.push(*name, SemanticTokenKind::Label),
            OperandKind::Relocation(span) => self.push(*span, SemanticTokenKind::Name),
            OperandKind::Set(_) => self.word(operand.span, SemanticTokenKind::Number),
            OperandKind::Word(span) => {
                let special = span.text(self.source).starts_with("SR");
                let class = match special {
                    true => SemanticTokenKind::SpecialRegister,
                    false => SemanticTokenKind::Name,
                };
                self.push(*span, class);
            }
            OperandKind::Unknown(span) => self.push(*span, SemanticTokenKind::Error),
        }
    }

    fn term(&mut self, term: &Term) {
        for modifier in self.tree.term_modifiers(term) {
            self.modifier(*modifier);
        }
        let class = match term.value {
            TermValue::Register(_) => SemanticTokenKind::Register,
            TermValue::Integer(_) => SemanticTokenKind::Number,
            TermValue::Other(span) => {
                let wrong = self.tree.errors.iter().any(|error| {
                    error.kind == SyntaxErrorKind::Address && error.span.start <= span.start
                });
                match wrong {
                    true => SemanticTokenKind::Error,
                    false => SemanticTokenKind::Name,
                }
            }
        };
        self.word(term.span, class);
    }

    /// Adds the first word within `span` as a token. The token of a float includes its decimal point and the sign of its exponent.
    fn word(&mut self, span: Span, class: SemanticTokenKind) {
        let text = span.text(self.source);
        let Some(start) = text.find(|c: char| c.is_ascii_alphanumeric()) else {
            return;
        };
        let rest = &text[start..];
        let bytes = rest.as_bytes();
        let decimal = class == SemanticTokenKind::Number
            && bytes[0].is_ascii_digit()
            && !rest.starts_with("0x");
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

/// Adds punctuation tokens for the text between tokens, and drops each token that starts within its predecessor.
fn with_punctuation(source: &str, tokens: &[SemanticToken]) -> Vec<SemanticToken> {
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

fn punctuate(source: &str, gap: Span, all: &mut Vec<SemanticToken>) {
    let mut at = gap.start;
    for piece in gap.text(source).split_inclusive(char::is_whitespace) {
        let length = piece.trim_end().len() as u32;
        if length > 0 {
            all.push(SemanticToken {
                span: Span::new(at, at + length),
                class: SemanticTokenKind::Punctuation,
            });
        }
        at += piece.len() as u32;
    }
}
