//! The function that a place of C++ is in, as far as parentheses and braces say. In: the pieces up to the place; out: a name.

use crate::pieces::{Kind, Pieces};

/// The scopes around a place.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    /// The word before each open parenthesis.
    calls: Vec<&'a str>,
    /// The word before the parenthesis that was closed last, as long as a body may follow.
    head: Option<&'a str>,
    /// The function that each open brace is the body of.
    braces: Vec<Option<&'a str>>,
}

/// Words that stand between the parameters of a function and its body.
const AFTER_PARAMETERS: &[&str] = &[
    "const", "noexcept", "override", "final", "mutable", "requires",
];

/// Words before a parenthesis that are no function.
const STATEMENTS: &[&str] = &[
    "if", "for", "while", "switch", "catch", "return", "sizeof", "alignof", "decltype",
];

impl<'a> Scopes<'a> {
    /// Goes on over the piece at `at`.
    pub(crate) fn step(&mut self, pieces: Pieces<'a>, at: usize) {
        match pieces.kind(at) {
            Some(Kind::Punctuation(b'(')) => {
                let before = at.checked_sub(1).map_or("", |before| pieces.text(before));
                self.calls.push(before);
                self.head = None;
            }
            Some(Kind::Punctuation(b')')) => self.head = self.calls.pop(),
            Some(Kind::Punctuation(b'{')) => {
                let is_function = |head: &&str| {
                    let first = head.bytes().next().unwrap_or(b' ');
                    (first.is_ascii_alphabetic() || first == b'_') && !STATEMENTS.contains(head)
                };
                self.braces.push(self.head.take().filter(is_function));
            }
            Some(Kind::Punctuation(b'}')) => {
                self.braces.pop();
                self.head = None;
            }
            Some(Kind::Word) if AFTER_PARAMETERS.contains(&pieces.text(at)) => {}
            _ => self.head = None,
        }
    }

    /// The function that the place is in.
    pub(crate) fn function(&self) -> Option<&'a str> {
        self.braces.iter().rev().find_map(|name| *name)
    }
}
