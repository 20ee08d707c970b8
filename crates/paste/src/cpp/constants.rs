//! Table of the integer and string constants that a C++ or Python source defines: `constexpr int N = 16;`, `#define N 16`, `//@ constant N
//! = 16`. The table evaluates names of constants and constant expressions.

use super::lexer::tokens;
use crate::escape::{EscapeSyntax, decode};
use crate::token_stream::{TokenKind, TokenStream};
use std::collections::BTreeMap;
use warpgrid_program::MappedSource;

/// Integer and string constants that a source defines, by name. The block parser uses them to evaluate operands.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstantTable<'a> {
    /// Defining expression of each integer constant.
    numbers: BTreeMap<&'a str, &'a str>,
    texts: BTreeMap<&'a str, String>,
}

/// Maximum nesting depth of constants whose expressions reference other constants.
const MAX_DEPTH: usize = 8;

impl<'a> ConstantTable<'a> {
    pub(crate) fn of(pieces: TokenStream<'a>) -> ConstantTable<'a> {
        let mut found = ConstantTable::default();
        for at in 0..pieces.tokens.len() {
            if !pieces.is_word(at) {
                continue;
            }
            let name = pieces.text(at);
            let is_defined = at >= 2 && pieces.text(at - 1) == "define" && pieces.is(at - 2, b'#');
            if is_defined {
                found.define(pieces, name, at + 1);
            } else if pieces.is(at + 1, b'=') && !pieces.is(at + 2, b'=') {
                found.assign(pieces, name, at + 2);
            } else if pieces.is(at + 1, b'[')
                && let Some(close) = pieces.closing(at + 1)
                && pieces.is(close + 1, b'=')
                && let Some(TokenKind::Text { inner, is_raw, .. }) = pieces.kind(close + 2)
            {
                let mut text = MappedSource::default();
                let escapes = if is_raw {
                    EscapeSyntax::None
                } else {
                    EscapeSyntax::Cpp
                };
                decode(pieces.source, inner, escapes, &mut text);
                found.texts.entry(name).or_insert(text.text);
            }
        }
        for line in pieces.source.lines() {
            found.state(line);
        }
        found
    }

    fn define(&mut self, pieces: TokenStream<'a>, name: &'a str, from: usize) {
        let line = |at: &usize| !pieces.tokens[*at].starts_line;
        let end = (from..pieces.tokens.len()).take_while(line).last();
        if let Some(end) = end {
            self.put(pieces, name, from, end + 1);
        }
    }

    fn assign(&mut self, pieces: TokenStream<'a>, name: &'a str, from: usize) {
        let is_end = |at: &usize| {
            matches!(
                pieces.kind(*at),
                Some(TokenKind::Punctuation(b';' | b',' | b'}' | b'>' | b'{')) | None
            )
        };
        let end = (from..pieces.tokens.len().min(from + 32)).find(is_end);
        if let Some(end) = end.filter(|end| *end > from) {
            self.put(pieces, name, from, end);
        }
    }

    fn put(&mut self, pieces: TokenStream<'a>, name: &'a str, from: usize, to: usize) {
        let span = pieces.tokens[from].span.to(pieces.tokens[to - 1].span);
        let value = span.text(pieces.source);
        if ConstantEvaluator::read(value, self, 0).is_some() {
            self.numbers.entry(name).or_insert(value);
        }
    }

    /// Parses `//@ constant N = 16`, which takes precedence over definitions in the code.
    fn state(&mut self, line: &'a str) {
        let line = line.trim_start();
        let fact = line.strip_prefix("//@").or(line.strip_prefix("#@"));
        let Some(rest) = fact.and_then(|fact| fact.trim_start().strip_prefix("constant ")) else {
            return;
        };
        if let Some((name, value)) = rest.split_once('=') {
            self.numbers.insert(name.trim(), value.trim());
        }
    }

    /// Evaluates a constant integer expression.
    pub(crate) fn number(&self, expression: &str) -> Option<i64> {
        // First look up the whole expression, because an annotation can define its value.
        let stated = self.numbers.get(expression.trim());
        ConstantEvaluator::read(stated.unwrap_or(&expression), self, 0)
    }

    /// Returns the string value of a name.
    pub(crate) fn text(&self, expression: &str) -> Option<&str> {
        self.texts.get(expression.trim()).map(String::as_str)
    }
}

/// Evaluator of an integer expression, with the current position in its tokens.
struct ConstantEvaluator<'e, 'c> {
    pieces: TokenStream<'e>,
    at: usize,
    constants: &'e ConstantTable<'c>,
    depth: usize,
}

/// Binary operators with their precedence, lowest precedence first.
const OPERATORS: &[(&str, u8)] = &[
    ("|", 1),
    ("^", 2),
    ("&", 3),
    ("<<", 4),
    (">>", 4),
    ("+", 5),
    ("-", 5),
    ("*", 6),
    ("/", 6),
    ("%", 6),
];

impl ConstantEvaluator<'_, '_> {
    fn read(text: &str, constants: &ConstantTable<'_>, depth: usize) -> Option<i64> {
        if depth > MAX_DEPTH || text.len() > 256 {
            return None;
        }
        let tokens = tokens(text);
        let pieces = TokenStream {
            source: text,
            tokens: &tokens,
        };
        let mut expression = ConstantEvaluator {
            pieces,
            at: 0,
            constants,
            depth,
        };
        let value = expression.binary(0)?;
        (expression.at == tokens.len()).then_some(value)
    }

    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut value = self.unary()?;
        while let Some((operator, strength)) = self.operator().filter(|(_, own)| *own > least) {
            self.at += operator.len();
            let right = self.binary(strength)?;
            value = match operator {
                "|" => value | right,
                "^" => value ^ right,
                "&" => value & right,
                "<<" => value.checked_shl(u32::try_from(right).ok()?)?,
                ">>" => value.checked_shr(u32::try_from(right).ok()?)?,
                "+" => value.checked_add(right)?,
                "-" => value.checked_sub(right)?,
                "*" => value.checked_mul(right)?,
                "/" => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn operator(&self) -> Option<(&'static str, u8)> {
        let is_here = |(text, _): &&(&str, u8)| {
            let mut bytes = text.bytes().enumerate();
            bytes.all(|(index, byte)| self.pieces.is(self.at + index, byte))
        };
        OPERATORS.iter().find(is_here).copied()
    }

    fn unary(&mut self) -> Option<i64> {
        if self.at > 64 {
            return None;
        }
        let at = self.at;
        self.at += 1;
        match self.pieces.kind(at)? {
            TokenKind::Punctuation(b'-') => self.unary()?.checked_neg(),
            TokenKind::Punctuation(b'~') => self.unary().map(|value| !value),
            TokenKind::Punctuation(b'+') => self.unary(),
            TokenKind::Punctuation(b'(') => {
                // Skip casts such as `(int) N` and `(uint32_t)(…)`, and evaluate only their operands.
                if self.is_cast(at) {
                    self.at = at + 3;
                    return self.unary();
                }
                let value = self.binary(0)?;
                let closed = self.pieces.is(self.at, b')');
                self.at += 1;
                closed.then_some(value)
            }
            TokenKind::Number => integer(self.pieces.text(at)),
            TokenKind::Word => self.word(at),
            TokenKind::Punctuation(_)
            | TokenKind::Text { .. }
            | TokenKind::Character
            | TokenKind::Comment => None,
        }
    }

    fn is_cast(&self, at: usize) -> bool {
        size_of(self.pieces.text(at + 1)).is_some()
            && self.pieces.is(at + 2, b')')
            && (self.pieces.is(at + 3, b'(')
                || matches!(
                    self.pieces.kind(at + 3),
                    Some(TokenKind::Word | TokenKind::Number)
                ))
    }

    fn word(&mut self, at: usize) -> Option<i64> {
        let word = self.pieces.text(at);
        if word == "sizeof" && self.pieces.is(at + 1, b'(') && self.pieces.is(at + 3, b')') {
            self.at = at + 4;
            return size_of(self.pieces.text(at + 2));
        }
        let value = self.constants.numbers.get(word)?;
        ConstantEvaluator::read(value, self.constants, self.depth + 1)
    }
}

/// Returns the size of a type in bytes.
pub(super) fn size_of(ty: &str) -> Option<i64> {
    Some(match ty {
        "char" | "bool" | "uint8_t" | "int8_t" => 1,
        "short" | "half" | "__half" | "uint16_t" | "int16_t" | "__nv_bfloat16" | "nv_bfloat16" => 2,
        "int" | "unsigned" | "float" | "uint32_t" | "int32_t" | "half2" | "__half2" => 4,
        "double" | "uint64_t" | "int64_t" | "size_t" | "float2" | "int2" | "uint2" => 8,
        "float4" | "int4" | "uint4" | "double2" | "ulonglong2" => 16,
        _ => return None,
    })
}

/// Parses an integer literal with its suffix.
fn integer(text: &str) -> Option<i64> {
    let digits = text.replace('\'', "");
    let (base, digits) = match digits.as_str() {
        hex if hex.starts_with("0x") || hex.starts_with("0X") => (16, &hex[2..]),
        binary if binary.starts_with("0b") || binary.starts_with("0B") => (2, &binary[2..]),
        octal if octal.len() > 1 && octal.starts_with('0') => (8, &octal[1..]),
        decimal => (10, decimal),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    i64::from_str_radix(digits, base).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_constant_expressions_are_evaluated() {
        let source = "#define K 4\nconstexpr int N = K * 4;\ntemplate <int M = 8> void f();\n//@ constant Q = 3\nint Q = 5; const char mode[] = \".relu\";";
        let tokens = tokens(source);
        let constants = ConstantTable::of(TokenStream {
            source,
            tokens: &tokens,
        });
        for (expression, value) in [
            ("16", Some(16)),
            ("0x10u", Some(16)),
            ("N", Some(16)),
            ("N + 1 << 2", Some(68)),
            ("-(N - 1)", Some(-15)),
            ("(int)N", Some(16)),
            ("sizeof(float4) / 4", Some(4)),
            ("M", Some(8)),
            ("Q", Some(3)),
            ("R", None),
            ("N / 0", None),
            ("N N", None),
            ("", None),
        ] {
            assert_eq!(constants.number(expression), value, "{expression}");
        }
        assert_eq!(constants.text("mode"), Some(".relu"));
    }
}
