//! Lexer for the subset of C++ that is necessary to parse `asm` statements. The lexer splits a source into words, literals and punctuation
//! with their spans, without preprocessing.

use crate::scan::{begins_word, end_of_character};
use crate::token_stream::{Token, TokenKind};
use warpgrid_program::Span;

/// Splits a source into tokens, including comments.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        at: 0,
        starts_line: true,
    };
    std::iter::from_fn(|| lexer.next()).collect()
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    starts_line: bool,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let first = *self.bytes.get(self.at)?;
        let start = self.at;
        let kind = match first {
            b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
            b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
            b'"' => self.string(),
            b'\'' => {
                self.at = end_of_character(self.bytes, start);
                TokenKind::Character
            }
            b'0'..=b'9' => self.number(),
            _ if is_word(first) => self.word(),
            _ => {
                self.at += 1;
                TokenKind::Punctuation(first)
            }
        };
        let token = Token {
            kind,
            span: Span::new(start as u32, self.at as u32),
            starts_line: self.starts_line,
        };
        self.starts_line = false;
        Some(token)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => self.starts_line = true,
                b'\\' if matches!(self.peek(1), Some(b'\n' | b'\r')) => {
                    self.at += match self.peek(1) == Some(b'\r') && self.peek(2) == Some(b'\n') {
                        true => 2,
                        false => 1,
                    };
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn line_comment(&mut self) -> TokenKind {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
        TokenKind::Comment
    }

    fn block_comment(&mut self) -> TokenKind {
        let rest = &self.source[self.at + 2..];
        self.at = match rest.find("*/") {
            Some(end) => self.at + 2 + end + 2,
            None => self.bytes.len(),
        };
        TokenKind::Comment
    }

    /// Reads the string that follows an opening quote. An unterminated string ends at the end of the line.
    fn string(&mut self) -> TokenKind {
        let start = self.at + 1;
        self.at = start;
        loop {
            match self.peek(0) {
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                Some(b'"') => break,
                Some(b'\n') | None => {
                    let inner = Span::new(start as u32, self.at as u32);
                    return TokenKind::Text {
                        inner,
                        is_raw: false,
                        is_formatted: false,
                    };
                }
                Some(_) => self.at += 1,
            }
        }
        let inner = Span::new(start as u32, self.at as u32);
        self.at += 1;
        TokenKind::Text {
            inner,
            is_raw: false,
            is_formatted: false,
        }
    }

    /// Reads a raw string `R"delimiter(…)delimiter"`, starting at its opening quote.
    fn raw_string(&mut self) -> Option<TokenKind> {
        let rest = &self.source[self.at + 1..];
        let open = rest.find('(')?;
        let delimiter = &rest[..open];
        let fits = delimiter.len() <= 16 && !delimiter.contains(['"', '\\', ')', ' ', '\n']);
        if !fits {
            return None;
        }
        let start = self.at + 1 + open + 1;
        let close = format!("){delimiter}\"");
        let end = self.source[start..].find(&close).map(|end| start + end);
        let inner_end = end.unwrap_or(self.bytes.len());
        self.at = end.map_or(self.bytes.len(), |end| end + close.len());
        Some(TokenKind::Text {
            inner: Span::new(start as u32, inner_end as u32),
            is_raw: true,
            is_formatted: false,
        })
    }

    fn number(&mut self) -> TokenKind {
        while self.peek(0).is_some_and(|byte| {
            is_word(byte) || byte.is_ascii_digit() || matches!(byte, b'.' | b'\'')
        }) {
            self.at += 1;
        }
        TokenKind::Number
    }

    /// Reads a word, or a string with a prefix.
    fn word(&mut self) -> TokenKind {
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|byte| is_word(byte) || byte.is_ascii_digit())
        {
            self.at += 1;
        }
        if self.peek(0) == Some(b'"') {
            let prefix = &self.source[start..self.at];
            if matches!(prefix, "R" | "LR" | "uR" | "UR" | "u8R")
                && let Some(kind) = self.raw_string()
            {
                return kind;
            }
            if matches!(prefix, "L" | "u" | "U" | "u8") {
                return self.string();
            }
        }
        TokenKind::Word
    }
}

/// Checks whether a byte starts a word.
fn is_word(byte: u8) -> bool {
    begins_word(byte) || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(source: &str) -> Vec<&str> {
        let found = tokens(source);
        found.iter().map(|token| token.span.text(source)).collect()
    }

    #[test]
    fn asm_statement_is_split_into_tokens() {
        assert_eq!(
            split("asm volatile(\"a\\\"b\" /* c */ R\"x(d)\" )x\"\n : \"=r\"(a[0]))"),
            [
                "asm",
                "volatile",
                "(",
                "\"a\\\"b\"",
                "/* c */",
                "R\"x(d)\" )x\"",
                ":",
                "\"=r\"",
                "(",
                "a",
                "[",
                "0",
                "]",
                ")",
                ")"
            ]
        );
    }

    #[test]
    fn backslash_continues_line() {
        let found = tokens("#define A \\\n b\nc");
        let starts: Vec<bool> = found.iter().map(|token| token.starts_line).collect();
        assert_eq!(starts, [true, false, false, false, true]);
    }

    #[test]
    fn unterminated_literals_end_at_end_of_line_or_source() {
        assert_eq!(split("\"abc\nd"), ["\"abc", "d"]);
        assert_eq!(split("/* abc"), ["/* abc"]);
        assert_eq!(split("R\"(abc"), ["R\"(abc"]);
        assert_eq!(split("\"abc\\"), ["\"abc\\"]);
    }
}
