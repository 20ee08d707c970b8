//! Lexer for the subset of Python that is necessary to parse calls and strings. The lexer splits a source into words, strings and
//! punctuation with their spans.

use crate::scan::{begins_word, depth_after, end_of_number, has_quotes};
use crate::token_stream::{Token, TokenKind};
use warpgrid_program::Span;

/// Splits a source into tokens, including comments.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        at: 0,
        starts_line: true,
        depth: 0,
    };
    std::iter::from_fn(|| lexer.next()).collect()
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    starts_line: bool,
    /// Number of unclosed brackets at the current position.
    depth: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let first = *self.bytes.get(self.at)?;
        let start = self.at;
        let starts_line = self.starts_line && self.depth == 0;
        let kind = match first {
            b'#' => self.comment(),
            b'"' | b'\'' => self.string(""),
            b'0'..=b'9' => {
                self.at = end_of_number(self.bytes, start);
                TokenKind::Number
            }
            _ if begins_word(first) => self.word(),
            _ => {
                self.at += 1;
                self.depth = depth_after(first, self.depth);
                TokenKind::Punctuation(first)
            }
        };
        self.starts_line = false;
        Some(Token {
            kind,
            span: Span::new(start as u32, self.at as u32),
            starts_line,
        })
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.starts_line = true,
                b'\\' if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 1,
                _ if byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn comment(&mut self) -> TokenKind {
        let rest = &self.source[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
        TokenKind::Comment
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        let is_part = |byte: &u8| begins_word(*byte) || byte.is_ascii_digit();
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        let source = self.source;
        let prefix = &source[start..self.at];
        let is_prefix =
            prefix.len() <= 2 && prefix.bytes().all(|byte| b"rRbBuUfFtT".contains(&byte));
        match self.bytes.get(self.at) {
            Some(b'"' | b'\'') if is_prefix => self.string(prefix),
            _ => TokenKind::Word,
        }
    }

    /// Reads the string that follows an opening quote. An unterminated single-line string ends at the end of the line.
    fn string(&mut self, prefix: &str) -> TokenKind {
        let quote = self.bytes[self.at];
        let is_long = self.bytes.get(self.at + 1) == Some(&quote)
            && self.bytes.get(self.at + 2) == Some(&quote);
        let n_quotes = if is_long { 3 } else { 1 };
        self.at += n_quotes;
        let start = self.at;
        let end = loop {
            match self.bytes.get(self.at) {
                None => break self.at,
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                Some(b'\n') if !is_long => break self.at,
                Some(byte)
                    if *byte == quote && has_quotes(self.bytes, self.at, quote, n_quotes) =>
                {
                    self.at += n_quotes;
                    break self.at - n_quotes;
                }
                Some(_) => self.at += 1,
            }
        };
        let has = |letter: char| prefix.to_ascii_lowercase().contains(letter);
        TokenKind::Text {
            inner: Span::new(start as u32, end as u32),
            is_raw: has('r'),
            is_formatted: has('f'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token_stream::TokenStream;

    #[test]
    fn python_strings_and_comments_are_tokenized() {
        let source = "x = f(r'''a\n'b''', f\"{y}\") # \"c\"\n  z";
        let found = tokens(source);
        let texts: Vec<&str> = found.iter().map(|token| token.span.text(source)).collect();
        assert_eq!(
            texts,
            [
                "x",
                "=",
                "f",
                "(",
                "r'''a\n'b'''",
                ",",
                "f\"{y}\"",
                ")",
                "# \"c\"",
                "z"
            ]
        );
        let pieces = TokenStream {
            source,
            tokens: &found,
        };
        let columns: Vec<Option<usize>> = (0..found.len()).map(|at| pieces.column(at)).collect();
        assert_eq!(
            (columns[0], columns[4], columns[9]),
            (Some(0), None, Some(2))
        );
    }

    #[test]
    fn unterminated_literals_end_within_source() {
        for source in ["'abc", "'''abc", "'abc\\", "r'", "f", "#", "\\"] {
            assert!(
                tokens(source)
                    .iter()
                    .all(|token| token.span.end as usize <= source.len())
            );
        }
    }
}
