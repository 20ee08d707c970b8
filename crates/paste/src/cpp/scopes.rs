//! Tracking of the enclosing function in C++ sources, based on parentheses and braces.

use crate::token_stream::{TokenKind, TokenStream};

/// Enclosing scopes of the current token, from which the parser determines the function that contains an `asm` statement.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    /// Word before each unclosed parenthesis.
    calls: Vec<&'a str>,
    /// Word before the last closed parenthesis, while a function body can follow.
    head: Option<&'a str>,
    /// Function whose body each unclosed brace opens, or `None` for other braces.
    braces: Vec<Option<&'a str>>,
}

/// Words that may occur between the parameters and the body of a function.
const AFTER_PARAMETERS: &[&str] = &[
    "const", "noexcept", "override", "final", "mutable", "requires",
];

/// Words that precede a parenthesis but are not function names.
const STATEMENTS: &[&str] = &[
    "if",
    "constexpr",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "sizeof",
    "alignof",
    "decltype",
];

impl<'a> Scopes<'a> {
    /// Updates the scopes for the token at index `at`.
    pub(crate) fn step(&mut self, pieces: TokenStream<'a>, at: usize) {
        match pieces.kind(at) {
            Some(TokenKind::Punctuation(b'(')) => {
                let before = at.checked_sub(1).map_or("", |before| pieces.text(before));
                self.calls.push(before);
                self.head = None;
            }
            Some(TokenKind::Punctuation(b')')) => self.head = self.calls.pop(),
            Some(TokenKind::Punctuation(b'{')) => {
                let is_function = |head: &&str| {
                    let first = head.bytes().next().unwrap_or(b' ');
                    (first.is_ascii_alphabetic() || first == b'_') && !STATEMENTS.contains(head)
                };
                self.braces.push(self.head.take().filter(is_function));
            }
            Some(TokenKind::Punctuation(b'}')) => {
                self.braces.pop();
                self.head = None;
            }
            Some(TokenKind::Word) if AFTER_PARAMETERS.contains(&pieces.text(at)) => {}
            _ => self.head = None,
        }
    }

    /// Returns the enclosing function.
    pub(crate) fn function(&self) -> Option<&'a str> {
        self.braces.iter().rev().find_map(|name| *name)
    }
}
