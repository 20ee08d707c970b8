//! Tokens of host sources in all supported languages, with a lookup of matching brackets.

use warpgrid_program::Span;

/// Token of a host source: its kind, its span, and whether it starts a logical line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// Whether the token starts a logical line. A backslash at the end of a line continues the logical line. In Python, an unclosed bracket
    /// also continues it.
    pub(crate) starts_line: bool,
}

/// Kind of a [`Token`] in a host source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    /// String literal, with the span of the text between its quotes.
    Text {
        inner: Span,
        is_raw: bool,
        /// Whether the string literal contains interpolated values, such as an f-string.
        is_formatted: bool,
    },
    Character,
    Comment,
    Punctuation(u8),
}

/// Host source with its tokens without comments, in which parsers look up texts and matching brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenStream<'a> {
    pub(crate) source: &'a str,
    pub(crate) tokens: &'a [Token],
}

impl<'a> TokenStream<'a> {
    pub(crate) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(crate) fn text(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |token| token.span.text(self.source))
    }

    pub(crate) fn is(&self, at: usize, sign: u8) -> bool {
        self.kind(at) == Some(TokenKind::Punctuation(sign))
    }

    pub(crate) fn is_word(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Word)
    }

    /// Returns the column in bytes of a token that starts a line. Returns `None` for other tokens.
    pub(crate) fn column(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at).filter(|token| token.starts_line)?;
        let before = self.source.get(..token.span.start as usize)?;
        Some(before.len() - before.rfind('\n').map_or(0, |end| end + 1))
    }

    /// Returns the index of the closing bracket of the group that opens at `at`.
    pub(crate) fn closing(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        (at..self.tokens.len()).find(|index| match self.kind(*index) {
            Some(TokenKind::Punctuation(b'(' | b'[' | b'{')) => {
                depth += 1;
                false
            }
            Some(TokenKind::Punctuation(b')' | b']' | b'}')) => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            _ => false,
        })
    }
}
