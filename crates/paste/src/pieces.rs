//! Source code in pieces, of every language that is read: each has a kind and a place, and a text with its pieces says where groups close.

use warpgrid_program::Span;

/// A piece of source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// Whether a line of the language begins with it: one that ends in a backslash goes on, and in Python one with an open group.
    pub(crate) starts_line: bool,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Number,
    /// A string, with what is between its quotes.
    Text {
        inner: Span,
        is_raw: bool,
        /// Whether it has places that are filled while the program runs: an f-string.
        is_formatted: bool,
    },
    Character,
    Comment,
    Punctuation(u8),
}

/// A text with its pieces; comments are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces<'a> {
    pub(crate) source: &'a str,
    pub(crate) tokens: &'a [Token],
}

impl<'a> Pieces<'a> {
    pub(crate) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(crate) fn text(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |token| token.span.text(self.source))
    }

    pub(crate) fn is(&self, at: usize, sign: u8) -> bool {
        self.kind(at) == Some(Kind::Punctuation(sign))
    }

    pub(crate) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word)
    }

    /// The column of a piece with which a line begins, in bytes.
    pub(crate) fn column(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at).filter(|token| token.starts_line)?;
        let before = self.source.get(..token.span.start as usize)?;
        Some(before.len() - before.rfind('\n').map_or(0, |end| end + 1))
    }

    /// Where the group ends that opens at `at`: the place of its closing sign.
    pub(crate) fn closing(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        (at..self.tokens.len()).find(|index| match self.kind(*index) {
            Some(Kind::Punctuation(b'(' | b'[' | b'{')) => {
                depth += 1;
                false
            }
            Some(Kind::Punctuation(b')' | b']' | b'}')) => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            _ => false,
        })
    }
}
