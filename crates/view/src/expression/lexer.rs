//! Lexer of conditions and expressions. Each token has a position in the text.

use crate::expression::tree::BinaryOp;
use std::ops::Range;
use warpgrid_launch::value::hexadecimal_digits;

/// Message of a syntax error in a condition or expression, with its byte range in the text.
#[derive(Debug)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) range: Range<usize>,
}

/// Part of a text without surrounding white space, and the byte offset of the part in the text.
#[derive(Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl Token<'_> {
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(crate) fn error(self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            range: self.range(),
        }
    }
}

/// Lexer for the text of a condition or expression, with its present position in the text.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// Skips white space and returns the text that remains.
    pub(crate) fn rest(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Consumes the next `n` bytes as a token. Consumes the remaining text if it is shorter than `n` bytes, or if `n` is absent.
    fn token(&mut self, n: Option<usize>) -> Token<'a> {
        let rest = self.rest();
        let text = n.and_then(|n| rest.get(..n)).unwrap_or(rest);
        let start = self.at;
        self.at += text.len();
        let text = text.trim_end();
        Token { text, start }
    }

    pub(crate) fn take_while(&mut self, is_part: fn(char) -> bool) -> Token<'a> {
        let end = self.rest().find(|c| !is_part(c));
        self.token(end)
    }

    /// Consumes the punctuation `sign` if the remaining text starts with it. Returns whether the punctuation was consumed.
    pub(crate) fn take(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    pub(crate) fn need(&mut self, sign: &str) -> Result<(), SyntaxError> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    /// Checks that the remaining text is empty. `expected` names the tokens that could follow, for the error message.
    pub(crate) fn end(&mut self, expected: &str) -> Result<(), SyntaxError> {
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.expected(expected)),
        }
    }

    pub(crate) fn expected(&mut self, what: &str) -> SyntaxError {
        let found: String = self.rest().chars().take(16).collect();
        let token = self.token(Some(found.len()));
        token.error(match token.text {
            "" => format!("found the end of the text, expected {what}"),
            found => format!("found `{found}`, expected {what}"),
        })
    }

    /// Consumes one of the given operators. The operators `<` and `>` do not match the first character of a shift operator.
    pub(crate) fn operator(&mut self, operators: &[(&str, BinaryOp)]) -> Option<BinaryOp> {
        let rest = self.rest();
        let is_shift = rest.starts_with("<<") || rest.starts_with(">>");
        let is_next = |(sign, _): &&(&str, BinaryOp)| {
            rest.starts_with(sign) && is_shift == matches!(*sign, "<<" | ">>")
        };
        let (sign, operator) = operators.iter().find(is_next)?;
        self.at += sign.len();
        Some(*operator)
    }

    /// Consumes a word of a lane selection. Words are separated by commas or white space.
    pub(crate) fn word(&mut self) -> Token<'a> {
        self.take_while(|c| c.is_whitespace() || c == ',');
        self.take_while(|c| !(c.is_whitespace() || ",:".contains(c)))
    }

    /// Consumes the text of an unsigned number: `7`, `0x1f`, `1.5e-3`.
    pub(crate) fn number(&mut self) -> Token<'a> {
        let rest = self.rest();
        let is_hex = hexadecimal_digits(rest).is_some();
        let mut last = ' ';
        let end = rest.find(|c: char| {
            let is_exponent_sign = "+-".contains(c) && "eE".contains(last) && !is_hex;
            last = c;
            !(c.is_ascii_alphanumeric() || "._".contains(c) || is_exponent_sign)
        });
        self.token(end)
    }

    /// Consumes the name of a register, memory or type: `%r5`, `v.x`, `out`, `shared:0`, `var:table`.
    pub(crate) fn name(&mut self) -> Token<'a> {
        let mut last = ':';
        let end = self.rest().find(|c: char| {
            let is_first_percent = c == '%' && last == ':';
            last = c;
            !(c.is_alphanumeric() || "_$.:".contains(c) || is_first_percent)
        });
        self.token(end)
    }
}
