//! Implicit concatenation of adjacent Python strings. The reader combines the strings into one text with a source map, and lists the
//! unresolved parts of the text.

use crate::block::Unresolved;
use crate::escape::{EscapeSyntax, decode};
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_program::{MappedSource, Span};

/// Reader of the string literals in a Python source, which concatenates adjacent strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct StringReader<'a> {
    pub(super) pieces: TokenStream<'a>,
}

impl StringReader<'_> {
    /// Returns the exclusive end of the adjacent string tokens that start at index `at`, or `at` if this token is not a string.
    pub(super) fn end(&self, at: usize) -> usize {
        let mut end = at;
        while matches!(self.pieces.kind(end), Some(TokenKind::Text { .. })) {
            end += 1;
        }
        end
    }

    /// Returns the concatenated text of the string tokens in a range, and its unresolved parts.
    pub(super) fn read(&self, from: usize, to: usize) -> (MappedSource, Vec<Unresolved>) {
        let mut text = MappedSource::default();
        let mut unknown = Vec::new();
        for at in from..to {
            if let Some(TokenKind::Text {
                inner,
                is_raw,
                is_formatted,
            }) = self.pieces.kind(at)
            {
                let escapes = match is_raw {
                    true => EscapeSyntax::None,
                    false => EscapeSyntax::Python,
                };
                match is_formatted {
                    true => self.formatted(inner, escapes, &mut text, &mut unknown),
                    false => decode(self.pieces.source, inner, escapes, &mut text),
                }
            }
        }
        (text, unknown)
    }

    /// Decodes an f-string. Its `{expressions}` become unresolved parts.
    fn formatted(
        &self,
        inner: Span,
        escapes: EscapeSyntax,
        text: &mut MappedSource,
        unknown: &mut Vec<Unresolved>,
    ) {
        let source = inner.text(self.pieces.source);
        let place =
            |from: usize, to: usize| Span::new(inner.start + from as u32, inner.start + to as u32);
        let mut done = 0;
        while let Some(found) = source[done..].find(['{', '}']) {
            let at = done + found;
            decode(self.pieces.source, place(done, at), escapes, text);
            let sign = &source[at..=at];
            if source[at + 1..].starts_with(sign) {
                text.stand_in(sign, place(at, at + 2));
                done = at + 2;
                continue;
            }
            let close = source[at..]
                .find('}')
                .map_or(source.len(), |end| at + end + 1);
            unknown.push(Unresolved::assembly(self.pieces.source, place(at, close)));
            done = close;
        }
        decode(self.pieces.source, place(done, source.len()), escapes, text);
    }
}
