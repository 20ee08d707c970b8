//! A text with its pieces, for every language of source code: pieces are asked for by their number, and groups for where they close.

use warpgrid_program::Span;

/// What every piece of source code has.
pub(crate) trait Piece: Copy {
    /// What sort of piece it is.
    type Kind: Copy + PartialEq;

    fn kind(&self) -> Self::Kind;
    fn span(&self) -> Span;
    /// The sign, where it is one of punctuation.
    fn sign(&self) -> Option<u8>;
}

/// A text with its pieces; comments are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces<'a, T> {
    pub(crate) source: &'a str,
    pub(crate) tokens: &'a [T],
}

impl<'a, T: Piece> Pieces<'a, T> {
    pub(crate) fn kind(&self, at: usize) -> Option<T::Kind> {
        self.tokens.get(at).map(Piece::kind)
    }

    pub(crate) fn text(&self, at: usize) -> &'a str {
        self.tokens
            .get(at)
            .map_or("", |token| token.span().text(self.source))
    }

    pub(crate) fn is(&self, at: usize, sign: u8) -> bool {
        self.sign(at) == Some(sign)
    }

    fn sign(&self, at: usize) -> Option<u8> {
        self.tokens.get(at).and_then(Piece::sign)
    }

    /// Where the group ends that opens at `at`: the place of its closing sign.
    pub(crate) fn closing(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        (at..self.tokens.len()).find(|index| match self.sign(*index) {
            Some(b'(' | b'[' | b'{') => {
                depth += 1;
                false
            }
            Some(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            _ => false,
        })
    }
}
