//! Number literals (PTX ISA, "Integer Constants", "Floating-Point Constants").

use crate::lexer::{DIGIT, HEX, is};
use warpgrid_isa::read_decimal;

/// Value of a number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumberValue {
    Integer {
        value: u64,
        unsigned: bool,
    },
    /// `0f` literal: bits of an `f32`.
    Single(u32),
    /// `0d` or decimal literal: an `f64`.
    Double(f64),
    /// Integer of more than 64 bits that the reference assembler (13.5) accepts and truncates to 64 bits, because the assembler only checks
    /// the top bit of the value before the last digit.
    Wrapped(u64),
    /// Integer of more than 64 bits, or a decimal literal beyond the largest `f64`.
    Overflow,
    /// Malformed literal, such as `0x` or `0f3F8`.
    Broken(NumberError),
}

/// Reason why a literal is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// Prefix without digits, or digits that are invalid in the base.
    Digits,
    /// Number of hexadecimal digits that a `0f` literal (8) or `0d` literal (16) requires, and the number of digits that it has.
    HexFloat { wanted: usize, found: usize },
}

/// Literal with its end offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: NumberValue,
    pub(crate) end: usize,
}

/// Scans the literal that starts at `at` (with a digit, or a dot before a digit).
#[inline]
pub(crate) fn scan(text: &[u8], at: usize) -> Number {
    let mut end = at;
    let mut value = 0u64;
    while end - at < 19 {
        let Some(&byte) = text.get(end) else { break };
        if !byte.is_ascii_digit() {
            break;
        }
        value = value * 10 + u64::from(byte - b'0');
        end += 1;
    }
    let next = text.get(end).copied().unwrap_or(0);
    let plain = !is(next, crate::lexer::NAME) && next != b'.' && end > at;
    if plain && (text.get(at) != Some(&b'0') || end == at + 1) {
        let value = NumberValue::Integer {
            value,
            unsigned: false,
        };
        return Number { value, end };
    }
    scan_slowly(text, at)
}

#[cold]
fn scan_slowly(text: &[u8], at: usize) -> Number {
    let byte = |i: usize| text.get(i).copied().unwrap_or(0);
    if byte(at) == b'0' {
        match byte(at + 1) {
            b'x' | b'X' => return in_base(text, at + 2, 16),
            b'b' | b'B' => return in_base(text, at + 2, 2),
            b'f' | b'F' => return hex_float(text, at + 2, 8),
            b'd' | b'D' => return hex_float(text, at + 2, 16),
            _ => {}
        }
    }
    let digits = run(text, at, DIGIT);
    if let Some(end) = decimal_float_end(text, at, digits) {
        return decimal_float(text, at, end);
    }
    let octal = byte(at) == b'0' && digits > at + 1;
    in_base(text, at, if octal { 8 } else { 10 })
}

fn run(text: &[u8], at: usize, class: u16) -> usize {
    let rest = text.get(at..).unwrap_or(&[]);
    at + rest.iter().take_while(|b| is(**b, class)).count()
}

fn in_base(text: &[u8], at: usize, base: u32) -> Number {
    let digits = run(text, at, if base == 16 { HEX } else { DIGIT });
    let spelled = text.get(at..digits).unwrap_or(&[]);
    let mut value = 0u64;
    let mut legal = !spelled.is_empty();
    let mut wrapped = false;
    let mut overflow = false;
    for digit in spelled {
        let digit = (*digit as char).to_digit(base);
        legal &= digit.is_some();
        overflow |= value > i64::MAX as u64;
        let exact = u128::from(value) * u128::from(base) + u128::from(digit.unwrap_or(0));
        value = exact as u64;
        wrapped |= exact > u128::from(u64::MAX);
    }
    let unsigned = text.get(digits) == Some(&b'U');
    let value = match value {
        _ if !legal => NumberValue::Broken(NumberError::Digits),
        _ if overflow => NumberValue::Overflow,
        value if wrapped => NumberValue::Wrapped(value),
        value => NumberValue::Integer {
            value,
            unsigned: unsigned || value > i64::MAX as u64,
        },
    };
    Number {
        value,
        end: digits + usize::from(unsigned),
    }
}

fn hex_float(text: &[u8], at: usize, wanted: usize) -> Number {
    let end = run(text, at, HEX);
    let found = end - at;
    let spelled = text.get(at..end).unwrap_or(&[]);
    let bits = spelled.iter().fold(0u64, |bits, digit| {
        bits << 4 | u64::from((*digit as char).to_digit(16).unwrap_or(0))
    });
    let value = match (found == wanted, wanted) {
        (false, _) => NumberValue::Broken(NumberError::HexFloat { wanted, found }),
        (true, 8) => NumberValue::Single(bits as u32),
        (true, _) => NumberValue::Double(f64::from_bits(bits)),
    };
    Number { value, end }
}

/// Returns the end of a decimal floating-point literal whose integer part ends at `digits`.
fn decimal_float_end(text: &[u8], at: usize, digits: usize) -> Option<usize> {
    let byte = |i: usize| text.get(i).copied().unwrap_or(0);
    let mut end = digits;
    if byte(end) == b'.' {
        end = run(text, end + 1, DIGIT);
        if end == digits + 1 && digits == at {
            return None;
        }
    }
    if matches!(byte(end), b'e' | b'E') {
        let sign = usize::from(matches!(byte(end + 1), b'+' | b'-'));
        if byte(end + 1 + sign).is_ascii_digit() {
            end = run(text, end + 1 + sign, DIGIT);
        }
    }
    (end > digits).then_some(end)
}

fn decimal_float(text: &[u8], at: usize, end: usize) -> Number {
    let spelled = text.get(at..end).unwrap_or(&[]);
    let parsed = std::str::from_utf8(spelled).ok().and_then(read_decimal);
    let value = match parsed {
        Some(value) if value.is_finite() => NumberValue::Double(value),
        Some(_) => NumberValue::Overflow,
        None => NumberValue::Broken(NumberError::Digits),
    };
    Number { value, end }
}
