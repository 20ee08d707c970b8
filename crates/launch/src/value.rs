//! Element values: conversion of JSON numbers and `"0x…"` bit patterns to and from little-endian bytes.

mod packed_values;

use crate::diagnostics::value as why;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use warpgrid_isa::{FloatFormat, read_decimal};

/// Value in a scenario.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(type = "number | string")
)]
pub enum Literal {
    Integer(i128),
    Float(f64),
    /// Text, such as `"0x…"` for the bits of an element, or a word such as `"iota"`.
    Text(String),
}

impl Default for Literal {
    fn default() -> Literal {
        Literal::Integer(0)
    }
}

impl Literal {
    /// Parses a decimal or hexadecimal number.
    pub fn read(text: &str) -> Option<Literal> {
        if hexadecimal_digits(text).is_some() {
            return Some(Literal::Text(text.to_owned()));
        }
        let integer = text.parse().ok().map(Literal::Integer);
        integer.or_else(|| read_decimal(text).map(Literal::Float))
    }
}

/// Returns the digits of a hexadecimal number: the text after `0x` or `0X`.
pub fn hexadecimal_digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x");
    digits.or_else(|| text.strip_prefix("0X"))
}

/// Formats the literal in the notation of `//@` lines.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Integer(value) => value.fmt(f),
            // The debug format contains a decimal point, so that the text is parsed as a floating-point number.
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for Literal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Literal::Integer(value) => match i64::try_from(*value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) => serializer.serialize_str(&format!("{value:#x}")),
            },
            Literal::Float(value) => serializer.serialize_f64(*value),
            Literal::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Literal, D::Error> {
        deserializer.deserialize_any(LiteralVisitor)
    }
}

pub(crate) struct LiteralVisitor;

impl Visitor<'_> for LiteralVisitor {
    type Value = Literal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a bit pattern such as \"0x7fc00000\"")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Literal, E> {
        Ok(Literal::Integer(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Literal, E> {
        Ok(Literal::Integer(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Literal, E> {
        Ok(Literal::Float(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Literal, E> {
        Ok(Literal::Text(value.to_owned()))
    }
}

/// Element type of a buffer or of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename_all = "lowercase")
)]
pub enum ElementType {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
    /// Bit types of 1, 2, 4, 8 or 16 bytes, displayed in hexadecimal.
    B8,
    B16,
    B32,
    B64,
    B128,
    /// Narrow floating-point types, one number per byte. A 6-bit number occupies the low bits of its byte.
    E4m3,
    E5m2,
    E2m3,
    E3m2,
    /// Unsigned power of two, which is a format of scale factors.
    Ue8m0,
    /// 19-bit floating-point type in the upper bits of a 32-bit word.
    Tf32,
    /// Packed narrow floating-point numbers, lowest bits first.
    E2m1x2,
    F16x2,
    Bf16x2,
    U4x2,
    S4x2,
    U8x4,
    S8x4,
    U16x2,
    S16x2,
    /// Byte that is displayed as a character.
    Char,
    /// Bits that are displayed as binary digits.
    Bin8,
    Bin32,
}

impl ElementType {
    /// All types with their names, in the order of the selection list in the page.
    pub const ALL: &'static [(&'static str, ElementType)] = &[
        ("f32", ElementType::F32),
        ("f64", ElementType::F64),
        ("f16", ElementType::F16),
        ("bf16", ElementType::Bf16),
        ("u8", ElementType::U8),
        ("u16", ElementType::U16),
        ("u32", ElementType::U32),
        ("u64", ElementType::U64),
        ("s8", ElementType::S8),
        ("s16", ElementType::S16),
        ("s32", ElementType::S32),
        ("s64", ElementType::S64),
        ("b8", ElementType::B8),
        ("b16", ElementType::B16),
        ("b32", ElementType::B32),
        ("b64", ElementType::B64),
        ("b128", ElementType::B128),
        ("e4m3", ElementType::E4m3),
        ("e5m2", ElementType::E5m2),
        ("e2m3", ElementType::E2m3),
        ("e3m2", ElementType::E3m2),
        ("e2m1x2", ElementType::E2m1x2),
        ("ue8m0", ElementType::Ue8m0),
        ("tf32", ElementType::Tf32),
        ("f16x2", ElementType::F16x2),
        ("bf16x2", ElementType::Bf16x2),
        ("u4x2", ElementType::U4x2),
        ("s4x2", ElementType::S4x2),
        ("u8x4", ElementType::U8x4),
        ("s8x4", ElementType::S8x4),
        ("u16x2", ElementType::U16x2),
        ("s16x2", ElementType::S16x2),
        ("char", ElementType::Char),
        ("bin8", ElementType::Bin8),
        ("bin32", ElementType::Bin32),
    ];

    /// Returns the type with this name.
    pub fn from_name(name: &str) -> Option<ElementType> {
        ElementType::ALL
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, ty)| *ty)
    }

    /// Returns the name of the type, such as `f32`.
    pub fn name(self) -> &'static str {
        ElementType::ALL
            .iter()
            .find(|(_, ty)| *ty == self)
            .map_or("b8", |(name, _)| name)
    }

    /// Checks whether elements of this type are untyped bits, which are displayed in hexadecimal.
    pub const fn is_bits(self) -> bool {
        use ElementType as T;
        matches!(self, T::B8 | T::B16 | T::B32 | T::B64 | T::B128)
    }

    /// Returns the size of an element in bytes. `widths.json` contains the same sizes for the page, because the page imports files before
    /// it loads an emulator module.
    pub const fn width_bytes(self) -> usize {
        use ElementType as T;
        match self {
            T::U8 | T::S8 | T::B8 | T::E4m3 | T::E5m2 | T::E2m3 | T::E3m2 | T::Ue8m0 => 1,
            T::E2m1x2 | T::U4x2 | T::S4x2 | T::Char | T::Bin8 => 1,
            T::U16 | T::S16 | T::F16 | T::Bf16 | T::B16 => 2,
            T::U32 | T::S32 | T::F32 | T::B32 | T::Tf32 | T::F16x2 | T::Bf16x2 => 4,
            T::U8x4 | T::S8x4 | T::U16x2 | T::S16x2 | T::Bin32 => 4,
            T::U64 | T::S64 | T::F64 | T::B64 => 8,
            T::B128 => 16,
        }
    }

    /// Encodes a literal as an element of this type. The error contains a message.
    pub fn encode(self, literal: &Literal) -> Result<u128, String> {
        match (self, literal) {
            (_, Literal::Text(text)) => self.encode_text(text),
            (_, Literal::Integer(value)) if self.is_float() => Ok(self.encode_float(*value as f64)),
            (_, Literal::Float(value)) if self.is_float() => Ok(self.encode_float(*value)),
            (_, literal) if self.packing().is_some() => Err(why::not_a_value(&literal.to_string())),
            (_, Literal::Integer(value)) => self.encode_integer(*value),
            (_, Literal::Float(value)) if value.fract() == 0.0 && value.abs() < 1e38 => {
                self.encode_integer(*value as i128)
            }
            (_, Literal::Float(value)) => Err(why::not_an_integer(*value, self)),
        }
    }

    fn encode_text(self, text: &str) -> Result<u128, String> {
        let digits = hexadecimal_digits(text);
        let bits = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
        match bits {
            Some(bits) if bits & !self.mask() == 0 => Ok(bits),
            Some(_) => Err(why::too_many_bits(text, self)),
            None => Err(why::not_a_value(text)),
        }
    }

    fn encode_float(self, value: f64) -> u128 {
        match self {
            ElementType::F64 => value.to_bits().into(),
            ElementType::F32 => (value as f32).to_bits().into(),
            ElementType::F16 => nearest_half(FloatFormat::F16, value).into(),
            ElementType::Bf16 => nearest_half(FloatFormat::BF16, value).into(),
            _ => self.small_bits(value).unwrap_or(0),
        }
    }

    /// Checks whether an element of this type is a single floating-point number.
    pub(crate) const fn is_float(self) -> bool {
        matches!(
            self,
            ElementType::F32 | ElementType::F64 | ElementType::Ue8m0
        ) || self.format().is_some()
    }

    fn encode_integer(self, value: i128) -> Result<u128, String> {
        let bits = self.width_bytes() as u32 * 8;
        let fits = bits == 128 || (-(1i128 << (bits - 1))..(1i128 << bits)).contains(&value);
        if fits {
            Ok(value as u128 & self.mask())
        } else {
            Err(why::out_of_range(value, self))
        }
    }

    const fn mask(self) -> u128 {
        match self.width_bytes() {
            16 => u128::MAX,
            bytes => (1 << (bytes * 8)) - 1,
        }
    }

    /// Returns the bits of the element at the start of `bytes`. Missing bytes are zero.
    pub fn bits(self, bytes: &[u8]) -> u128 {
        bytes
            .iter()
            .take(self.width_bytes())
            .rev()
            .fold(0, |bits, byte| bits << 8 | u128::from(*byte))
    }

    /// Returns an element in the notation of corpus files, which is a number, or `"0x…"` if a JSON number cannot represent the value.
    pub fn decode(self, bits: u128) -> Literal {
        use ElementType as T;
        let hex = || {
            Literal::Text(format!(
                "{bits:#0width$x}",
                width = self.width_bytes() * 2 + 2
            ))
        };
        match self {
            _ if self.is_float() => match self.to_f64(bits) {
                value if value.is_finite() => Literal::Float(value),
                _ => hex(),
            },
            T::B128 => hex(),
            _ if self.packing().is_some() => hex(),
            _ => match self.to_integer(bits) {
                value if value.unsigned_abs() <= 1 << 53 => Literal::Integer(value),
                _ => hex(),
            },
        }
    }

    fn to_f64(self, bits: u128) -> f64 {
        match self {
            ElementType::F64 => f64::from_bits(bits as u64),
            ElementType::F32 => f32::from_bits(bits as u32).into(),
            _ => self.small_value(bits).unwrap_or(0.0),
        }
    }

    /// Returns the floating-point value of bits, or `None` if this type is not a floating-point type.
    pub fn float(self, bits: u128) -> Option<f64> {
        self.is_float().then(|| self.to_f64(bits))
    }

    /// Returns the numeric value of bits: the value of a floating-point or integer type, or the bits as an integer for any other type.
    pub fn number(self, bits: u128) -> f64 {
        let float = self.float(bits);
        float.unwrap_or_else(|| self.to_integer(bits) as f64)
    }

    /// Encodes a number as a floating-point value of this type. Returns `None` if this type is not a floating-point
    /// type.
    pub fn float_bits(self, value: f64) -> Option<u128> {
        self.float(0).map(|_| self.encode_float(value))
    }

    /// Rounds a number to a floating-point value of this type.
    pub fn rounded(self, value: f64) -> f64 {
        self.to_f64(self.encode_float(value))
    }

    fn to_integer(self, bits: u128) -> i128 {
        match self {
            ElementType::S8 => (bits as i8).into(),
            ElementType::S16 => (bits as i16).into(),
            ElementType::S32 => (bits as i32).into(),
            ElementType::S64 => (bits as i64).into(),
            _ => bits as i128,
        }
    }

    /// Formats the element for a grid cell.
    pub fn text(self, bits: u128) -> String {
        use ElementType as T;
        match self {
            T::F32 => float_text(
                f32::from_bits(bits as u32),
                f64::from(f32::from_bits(bits as u32)),
            ),
            _ if self.format().is_some() || self == T::Ue8m0 => {
                float_text(self.to_f64(bits) as f32, self.to_f64(bits))
            }
            T::F64 => float_text(f64::from_bits(bits as u64), f64::from_bits(bits as u64)),
            T::B8 | T::B16 | T::B32 | T::B64 | T::B128 => self.hex(bits),
            _ => match self.small_text(bits) {
                Some(text) => text,
                None => self.to_integer(bits).to_string(),
            },
        }
    }

    /// Formats the bits in hexadecimal with all digits, such as `0x3f800000`.
    pub fn hex(self, bits: u128) -> String {
        format!("{bits:#0width$x}", width = self.width_bytes() * 2 + 2)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for ElementType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ElementType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ElementType, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = ElementType::from_name(&name);
        known.ok_or_else(|| de::Error::custom(why::unknown_type(&name)))
    }
}

/// Returns the shortest text that is parsed as the same floating-point number, with a decimal point.
fn float_text<T: fmt::Display + fmt::LowerExp>(value: T, wide: f64) -> String {
    if wide.is_nan() {
        return "NaN".to_owned();
    }
    if wide.is_infinite() {
        return if wide > 0.0 {
            "∞".to_owned()
        } else {
            "-∞".to_owned()
        };
    }
    if wide != 0.0 && !(1e-5..1e9).contains(&wide.abs()) {
        return format!("{value:e}");
    }
    let text = value.to_string();
    if text.contains('.') {
        text
    } else {
        format!("{text}.0")
    }
}

/// Returns the bits of the nearest number in a 16-bit format, with ties to even. NaN is converted to a quiet NaN.
fn nearest_half(format: FloatFormat, value: f64) -> u16 {
    let bits = match value.is_nan() {
        true => format.infinity() | 1 << (format.fraction_bits - 1),
        false => format.nearest(value),
    };
    bits as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_json_matches_element_types() {
        let stated: std::collections::BTreeMap<String, usize> =
            serde_json::from_str(include_str!("widths.json")).expect("widths by type");
        let own = ElementType::ALL
            .iter()
            .map(|(name, ty)| ((*name).to_owned(), ty.width_bytes()));
        assert_eq!(stated, own.collect());
    }

    #[test]
    fn every_f16_and_bf16_round_trips_through_f64() {
        for bits in 0..=u16::MAX {
            let value = FloatFormat::F16.value(bits.into());
            if !value.is_nan() {
                assert_eq!(nearest_half(FloatFormat::F16, value), bits, "{value}");
            }
            let wide = f64::from(f32::from_bits(u32::from(bits) << 16));
            if !wide.is_nan() {
                assert_eq!(nearest_half(FloatFormat::BF16, wide), bits, "{wide}");
            }
        }
    }

    #[test]
    fn f16_conversion_rounds_to_even_and_overflows_to_infinity() {
        assert_eq!(
            nearest_half(FloatFormat::F16, 2049.0),
            nearest_half(FloatFormat::F16, 2048.0)
        );
        assert_eq!(nearest_half(FloatFormat::F16, 65520.0), 0x7c00);
        assert_eq!(nearest_half(FloatFormat::F16, 65519.0), 0x7bff);
        assert_eq!(nearest_half(FloatFormat::F16, -2f64.powi(-25)), 0x8000);
    }

    #[test]
    fn literals_encode_and_decode_to_expected_bits() {
        let f32_ = ElementType::F32;
        assert_eq!(f32_.encode(&Literal::Float(-0.0)), Ok(0x8000_0000));
        assert_eq!(
            f32_.encode(&Literal::Text("0x7fc00001".into())),
            Ok(0x7fc0_0001)
        );
        assert_eq!(f32_.decode(0x7fc0_0001), Literal::Text("0x7fc00001".into()));
        assert_eq!(ElementType::S8.encode(&Literal::Integer(-1)), Ok(0xff));
        assert!(ElementType::U8.encode(&Literal::Integer(256)).is_err());
        assert!(ElementType::U8.encode(&Literal::Float(0.5)).is_err());
        assert_eq!(
            ElementType::U64.decode(u64::MAX.into()),
            Literal::Text("0xffffffffffffffff".into())
        );
    }

    #[test]
    fn float_formatting_is_shortest_decimal() {
        assert_eq!(ElementType::F32.text(0x3f80_0000), "1.0");
        assert_eq!(ElementType::F32.text(0x3dcc_cccd), "0.1");
        assert_eq!(ElementType::F32.text(0x7f80_0000), "∞");
        assert_eq!(ElementType::F64.text(1e300f64.to_bits().into()), "1e300");
    }
}
