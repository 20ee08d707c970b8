//! Source cursor with lexing functions for words, numbers and comments.

use super::tree::{Encoding, SyntaxErrorKind};
use warpgrid_isa::read_decimal;
use warpgrid_program::Span;

/// Position in a source. Read operations advance the position up to the end of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    source: &'a str,
    at: usize,
}

/// Content of a comment between `/*` and `*/`.
#[derive(Clone, Copy, Debug)]
pub(super) enum CommentKind {
    /// `/*0010*/`
    Address(u64),
    /// `/* 0x00000a0000017a02 */`
    Encoding(Encoding),
    Text,
    /// Comment that is not terminated.
    Open,
}

/// Value of a number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(u64),
    Float(f64),
}

impl<'a> Cursor<'a> {
    /// Creates a cursor. Offsets have 32 bits, so a source longer than 4 GiB is truncated.
    pub(super) fn new(source: &'a str) -> Cursor<'a> {
        let mut end = source.len().min(u32::MAX as usize);
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        Cursor {
            source: &source[..end],
            at: 0,
        }
    }

    pub(super) fn offset(&self) -> u32 {
        self.at as u32
    }

    pub(super) fn source(&self) -> &'a str {
        self.source
    }

    /// Returns the next byte, or zero at the end of the source.
    pub(super) fn peek(&self) -> u8 {
        self.ahead(0)
    }

    /// Returns the byte `distance` bytes after the position, or zero beyond the end of the source.
    pub(super) fn ahead(&self, distance: usize) -> u8 {
        self.source
            .as_bytes()
            .get(self.at + distance)
            .copied()
            .unwrap_or(0)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.source.len()
    }

    /// Skips one byte of ASCII text.
    pub(super) fn bump(&mut self) {
        self.at = (self.at + 1).min(self.source.len());
    }

    /// Skips the next byte if it equals `byte`, and returns whether a byte was skipped.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && !self.is_at_end();
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    /// Returns the rest of the line, without its line end.
    pub(super) fn rest_of_line(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| byte == b'\n');
        rest[..end.unwrap_or(rest.len())].trim_end_matches('\r')
    }

    /// Moves to `offset`, which must be a character boundary.
    pub(super) fn go_to(&mut self, offset: u32) {
        self.at = (offset as usize).min(self.source.len());
    }

    /// Returns the span from `start` to the current position.
    pub(super) fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.offset())
    }

    pub(super) fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        let bytes = &self.source.as_bytes()[self.at..];
        let length = bytes.iter().position(|&byte| !accept(byte));
        self.at += length.unwrap_or(bytes.len());
    }

    /// Skips blanks on the current line.
    pub(super) fn skip_blanks(&mut self) {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    }

    /// Skips blanks and line ends.
    pub(super) fn skip_space(&mut self) {
        self.skip_while(|byte| byte.is_ascii_whitespace());
    }

    /// Skips letters, digits, `_` and `$`, and returns their span.
    pub(super) fn word(&mut self) -> Span {
        let start = self.offset();
        self.skip_while(is_word);
        self.span_from(start)
    }

    /// Skips to the end of the line, or to a byte for which `stop` returns `true`, and returns the span of the skipped text.
    pub(super) fn skip_to(&mut self, stop: impl Fn(u8) -> bool) -> Span {
        let start = self.offset();
        self.skip_while(|byte| byte != b'\n' && !stop(byte));
        let mut end = self.offset();
        while end > start && self.source.as_bytes()[end as usize - 1].is_ascii_whitespace() {
            end -= 1;
        }
        Span::new(start, end)
    }

    /// Skips past the bracket that matches `open`, including nested brackets. If the matching bracket is not on this line, moves to the end
    /// of the line and returns `false`.
    pub(super) fn skip_balanced(&mut self, open: u8, close: u8) -> bool {
        let mut depth = 0usize;
        loop {
            self.skip_while(|byte| byte != open && byte != close && byte != b'\n');
            let byte = self.peek();
            if self.is_at_end() || byte == b'\n' {
                return false;
            }
            self.bump();
            depth = if byte == open { depth + 1 } else { depth - 1 };
            if depth == 0 {
                return true;
            }
        }
    }

    /// Reads the comment that starts with `/*` at the position.
    pub(super) fn block_comment(&mut self) -> (Span, CommentKind) {
        let start = self.offset();
        let rest = self.rest();
        let end = rest.get(2..).and_then(|text| text.find("*/"));
        // A second `/*` before the `*/` means that the first comment is not closed.
        let Some(length) = end.filter(|&end| !rest[2..end + 2].contains("/*")) else {
            self.at += self.rest_of_line().len();
            return (self.span_from(start), CommentKind::Open);
        };
        self.at += length + 4;
        let span = self.span_from(start);
        (span, classify(&rest[2..length + 2], span))
    }

    /// Reads the comment that starts with `//` at the position.
    pub(super) fn line_comment(&mut self) -> Span {
        let start = self.offset();
        self.at += self.rest_of_line().len();
        self.span_from(start)
    }

    /// Reads the number that starts with a digit at the position. If the number is invalid, the cursor still skips all of its characters.
    pub(super) fn number(&mut self) -> Result<Number, SyntaxErrorKind> {
        let start = self.offset();
        if self.peek() == b'0' && matches!(self.ahead(1), b'x' | b'X') {
            self.bump();
            self.bump();
            let digits = self.word().text(self.source);
            return u64::from_str_radix(digits, 16)
                .map(Number::Integer)
                .map_err(|_| SyntaxErrorKind::Number);
        }
        self.skip_while(|byte| byte.is_ascii_digit());
        let whole = self.span_from(start);
        if self.peek() == b'.' && self.ahead(1).is_ascii_digit() {
            self.bump();
            self.skip_while(|byte| byte.is_ascii_digit());
        }
        if matches!(self.peek(), b'e' | b'E') {
            let signed = matches!(self.ahead(1), b'+' | b'-');
            if self.ahead(1 + usize::from(signed)).is_ascii_digit() {
                self.at += 1 + usize::from(signed);
                self.skip_while(|byte| byte.is_ascii_digit());
            }
        }
        let all = self.span_from(start);
        let text = all.text(self.source);
        if all == whole {
            text.parse().map(Number::Integer).ok()
        } else {
            read_decimal(text).map(Number::Float)
        }
        .ok_or(SyntaxErrorKind::Number)
    }
}

/// Returns whether `byte` may continue a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Returns whether `byte` may start a word, a name or a label.
pub(super) fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$')
}

fn classify(content: &str, span: Span) -> CommentKind {
    let text = content.trim();
    if let Some(digits) = text.strip_prefix("0x") {
        return match u128::from_str_radix(digits, 16) {
            Ok(value) => CommentKind::Encoding(Encoding { span, value }),
            Err(_) => CommentKind::Text,
        };
    }
    let hexadecimal = text.len() >= 4
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    match u64::from_str_radix(text, 16) {
        Ok(address) if hexadecimal => CommentKind::Address(address),
        Ok(_) | Err(_) => CommentKind::Text,
    }
}
