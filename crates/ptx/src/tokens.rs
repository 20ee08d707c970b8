//! Syntax highlighting: assigns a class to each token in one pass without a syntax tree. The pass is fast enough to run after every
//! keystroke.

use crate::lexer;
use crate::lexer::{TokenKind, token_at};
use warpgrid_isa::{OperandType, ScalarType, special::SpecialRegister};
use warpgrid_program::{SemanticToken, SemanticTokenKind, Span};

/// Returns the semantic tokens of a source in source order. The result is empty for sources of 4 GiB and more.
pub fn tokens(source: &str) -> Vec<SemanticToken> {
    if source.len() >= u32::MAX as usize {
        return Vec::new();
    }
    let mut painter = Highlighter {
        source,
        place: TokenContext::Start,
        braces: 0,
        after_equals: false,
        branch: false,
        special: false,
    };
    let mut all = Vec::with_capacity(source.len() / 5);
    let mut at = 0;
    while at < source.len() {
        let token = token_at(source, at);
        at = token.span.end as usize;
        if token.kind == TokenKind::Blank {
            painter.blank(token.span);
        } else {
            let class = painter.class(token.kind, token.span);
            all.push(SemanticToken {
                span: token.span,
                class,
            });
        }
    }
    all
}

/// Position of a token in a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenContext {
    Start,
    /// The token follows an `@`.
    Guard,
    /// The token is part of the modifiers of an opcode.
    Opcode,
    Operands,
    /// The token is part of a declaration or directive that ends with a semicolon.
    Directive,
    /// The token is part of a directive that ends at the end of the line.
    Line,
}

struct Highlighter<'s> {
    source: &'s str,
    place: TokenContext,
    /// Number of unclosed braces within the statement.
    braces: u32,
    after_equals: bool,
    /// Whether names in the operands are labels, because the opcode is a branch.
    branch: bool,
    /// Whether the preceding token was a special register.
    special: bool,
}

impl Highlighter<'_> {
    fn blank(&mut self, span: Span) {
        if self.place == TokenContext::Line && span.text(self.source).contains('\n') {
            self.place = TokenContext::Start;
        }
    }

    fn class(&mut self, kind: TokenKind, span: Span) -> SemanticTokenKind {
        let special = std::mem::take(&mut self.special);
        match kind {
            TokenKind::Comment => {
                self.special = special;
                SemanticTokenKind::Comment
            }
            TokenKind::Name => self.name(span),
            TokenKind::Word if special && self.place == TokenContext::Operands => {
                SemanticTokenKind::SpecialRegister
            }
            TokenKind::Word => self.word(span),
            TokenKind::Number => SemanticTokenKind::Number,
            TokenKind::String => SemanticTokenKind::String,
            TokenKind::Punctuation => self.punctuation(span),
            _ => SemanticTokenKind::Error,
        }
    }

    fn name(&mut self, span: Span) -> SemanticTokenKind {
        let text = span.text(self.source);
        match self.place {
            TokenContext::Start if self.next_is_colon(span) => return SemanticTokenKind::Label,
            TokenContext::Start => {
                self.place = TokenContext::Opcode;
                self.branch = takes_label(text);
                return SemanticTokenKind::Opcode;
            }
            TokenContext::Guard => self.place = TokenContext::Start,
            TokenContext::Opcode => self.place = TokenContext::Operands,
            _ => {}
        }
        if !text.starts_with('%') {
            return if self.branch && self.place == TokenContext::Operands {
                SemanticTokenKind::Label
            } else {
                SemanticTokenKind::Name
            };
        }
        if SpecialRegister::from_name(text).is_some() || SPECIAL_VECTORS.contains(&text) {
            self.special = true;
            return SemanticTokenKind::SpecialRegister;
        }
        SemanticTokenKind::Register
    }

    fn next_is_colon(&self, span: Span) -> bool {
        let mut cursor = lexer::Cursor::new(self.source);
        cursor.at = span.end as usize;
        cursor.skip() == b':' && cursor.byte_at(1) != b':'
    }

    fn word(&mut self, span: Span) -> SemanticTokenKind {
        let text = span.text(self.source);
        let is_type = || ScalarType::from_name(text.get(1..).unwrap_or("")).is_some();
        match self.place {
            TokenContext::Start | TokenContext::Guard => {
                self.place = if ends_with_line(text) {
                    TokenContext::Line
                } else {
                    TokenContext::Directive
                };
                if is_type() {
                    SemanticTokenKind::Type
                } else {
                    SemanticTokenKind::Directive
                }
            }
            TokenContext::Directive | TokenContext::Line if is_type() => SemanticTokenKind::Type,
            TokenContext::Directive | TokenContext::Line => SemanticTokenKind::Directive,
            TokenContext::Opcode if is_type() => SemanticTokenKind::Type,
            TokenContext::Opcode | TokenContext::Operands => SemanticTokenKind::Modifier,
        }
    }

    fn punctuation(&mut self, span: Span) -> SemanticTokenKind {
        let first = span.text(self.source).bytes().next().unwrap_or(0);
        let after_equals = std::mem::replace(&mut self.after_equals, first == b'=');
        match first {
            b'@' if self.place == TokenContext::Start => self.place = TokenContext::Guard,
            b'{' => {
                let inner = self.braces > 0
                    || matches!(self.place, TokenContext::Opcode | TokenContext::Operands)
                    || after_equals;
                if inner {
                    self.braces += 1;
                    self.operands();
                } else {
                    self.start();
                }
            }
            b'}' if self.braces > 0 => self.braces -= 1,
            b'}' | b';' => self.start(),
            b':' if self.place == TokenContext::Start => {}
            b'!' if self.place == TokenContext::Guard => {}
            _ => self.operands(),
        }
        SemanticTokenKind::Punctuation
    }

    fn start(&mut self) {
        self.place = TokenContext::Start;
        self.braces = 0;
        self.branch = false;
    }

    fn operands(&mut self) {
        if self.place == TokenContext::Opcode {
            self.place = TokenContext::Operands;
        }
    }
}

/// Special registers whose components are separate entries of the table.
pub(crate) const SPECIAL_VECTORS: &[&str] = &[
    "%tid",
    "%ntid",
    "%ctaid",
    "%nctaid",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
];

fn ends_with_line(word: &str) -> bool {
    matches!(
        word,
        ".version" | ".target" | ".address_size" | ".file" | ".loc"
    ) || data_word(word)
}

/// Returns whether a directive starts a data line of a debug section.
fn data_word(word: &str) -> bool {
    matches!(word, ".b8" | ".b16" | ".b32" | ".b64")
}

/// Returns whether instructions with the opcode have a label operand.
fn takes_label(opcode: &str) -> bool {
    let first = warpgrid_isa::form::forms_of(opcode).next();
    first.is_some_and(|layout| {
        let mut operands = layout.operands.iter();
        operands.any(|operand| operand.ty == OperandType::Label)
    })
}
