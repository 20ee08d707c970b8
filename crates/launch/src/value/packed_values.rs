//! Conversions between bits, numbers and text, for elements that are narrow, packed, or not displayed as decimal numbers.

use super::ElementType;
use warpgrid_isa::FloatFormat;

/// Number of unused low bits in a 32-bit word with a `tf32` number.
const TF32_UNUSED: u32 = 13;
/// Encoding of NaN in the format `ue8m0`.
const UE8M0_NAN: u32 = 0xff;
/// Exponent bias of `ue8m0`.
const UE8M0_BIAS: i32 = 127;

/// Type of the numbers in a packed element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PackedElement {
    Float(FloatFormat),
    Unsigned,
    Signed,
}

/// Number and type of the components of a packed element. The first component is in the lowest bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PackedFormat {
    pub(super) n: u32,
    pub(super) bits: u32,
    pub(super) part: PackedElement,
}

impl ElementType {
    /// Returns the format of an element that is a single floating-point number of at most 32 bits, except `ue8m0` and `f32`.
    pub(super) const fn format(self) -> Option<FloatFormat> {
        Some(match self {
            ElementType::F16 => FloatFormat::F16,
            ElementType::Bf16 => FloatFormat::BF16,
            ElementType::Tf32 => FloatFormat::TF32,
            ElementType::E4m3 => FloatFormat::E4M3,
            ElementType::E5m2 => FloatFormat::E5M2,
            ElementType::E2m3 => FloatFormat::E2M3,
            ElementType::E3m2 => FloatFormat::E3M2,
            _ => return None,
        })
    }

    pub(super) const fn packing(self) -> Option<PackedFormat> {
        let (n, bits, part) = match self {
            ElementType::F16x2 => (2, 16, PackedElement::Float(FloatFormat::F16)),
            ElementType::Bf16x2 => (2, 16, PackedElement::Float(FloatFormat::BF16)),
            ElementType::E2m1x2 => (2, 4, PackedElement::Float(FloatFormat::E2M1)),
            ElementType::U16x2 => (2, 16, PackedElement::Unsigned),
            ElementType::S16x2 => (2, 16, PackedElement::Signed),
            ElementType::U8x4 => (4, 8, PackedElement::Unsigned),
            ElementType::S8x4 => (4, 8, PackedElement::Signed),
            ElementType::U4x2 => (2, 4, PackedElement::Unsigned),
            ElementType::S4x2 => (2, 4, PackedElement::Signed),
            _ => return None,
        };
        Some(PackedFormat { n, bits, part })
    }

    /// Returns the value of a narrow floating-point number.
    pub(super) fn small_value(self, bits: u128) -> Option<f64> {
        let bits = bits as u32;
        match self {
            ElementType::Ue8m0 if bits == UE8M0_NAN => Some(f64::NAN),
            ElementType::Ue8m0 => Some(2_f64.powi(bits as i32 - UE8M0_BIAS)),
            ElementType::Tf32 => Some(FloatFormat::TF32.value(bits >> TF32_UNUSED)),
            _ => self.format().map(|format| format.value(bits)),
        }
    }

    /// Returns the nearest narrow floating-point number. Because `ue8m0` has no sign, all values that are not positive become the minimum.
    pub(super) fn small_bits(self, value: f64) -> Option<u128> {
        let bits = match self {
            ElementType::Ue8m0 if value.is_nan() => UE8M0_NAN,
            ElementType::Ue8m0 if value > 0.0 => {
                let exponent = value.log2().round() as i32 + UE8M0_BIAS;
                exponent.clamp(0, UE8M0_NAN as i32 - 1) as u32
            }
            ElementType::Ue8m0 => 0,
            ElementType::Tf32 => FloatFormat::TF32.nearest(value) << TF32_UNUSED,
            _ => self.format()?.nearest(value),
        };
        Some(bits.into())
    }

    /// Formats an element that consists of several numbers or that is not displayed as a number.
    pub(super) fn small_text(self, bits: u128) -> Option<String> {
        match self {
            ElementType::Char => Some(character(bits as u8)),
            ElementType::Bin8 | ElementType::Bin32 => {
                Some(format!("{bits:0width$b}", width = self.width_bytes() * 8))
            }
            _ => self.packing().map(|packing| packing.text(bits as u32)),
        }
    }
}

impl PackedFormat {
    fn text(self, bits: u32) -> String {
        let parts = (0..self.n).map(|at| {
            let own = (bits >> (at * self.bits)) & (u32::MAX >> (32 - self.bits));
            match self.part {
                PackedElement::Float(format) => {
                    super::float_text(format.value(own) as f32, format.value(own))
                }
                PackedElement::Unsigned => own.to_string(),
                PackedElement::Signed => {
                    ((own << (32 - self.bits)) as i32 >> (32 - self.bits)).to_string()
                }
            }
        });
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// Formats a byte as an ASCII character or as its escape sequence.
fn character(byte: u8) -> String {
    match byte {
        b' ' => "␣".to_owned(),
        0x21..=0x7e => char::from(byte).to_string(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        0 => "\\0".to_owned(),
        _ => format!("\\x{byte:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Literal;
    use super::*;
    use ElementType as T;

    #[test]
    fn small_floats_round_trip_through_values() {
        for ty in [T::E4m3, T::E5m2, T::E2m3, T::E3m2, T::Ue8m0] {
            let n = match ty {
                T::E2m3 | T::E3m2 => 64,
                _ => 256,
            };
            for bits in 0..n {
                let value = ty.float(bits).expect("a float");
                assert!(
                    value.is_nan() || ty.float_bits(value) == Some(bits),
                    "{ty} {bits:#x} is {value}"
                );
            }
        }
        assert_eq!(T::Tf32.text(0x3fc0_1fff), "1.5");
        assert_eq!(T::E4m3.text(0x7f), "NaN");
        assert_eq!(T::Ue8m0.text(0x80), "2.0");
        assert_eq!(T::E4m3.encode(&Literal::Float(1.5)), Ok(0x3c));
    }

    #[test]
    fn packed_types_format_each_component() {
        assert_eq!(T::Bf16x2.text(0x4000_3f80), "1.0 2.0");
        assert_eq!(T::E2m1x2.text(0x2c), "-2.0 1.0");
        assert_eq!(T::S8x4.text(0x0201_00ff), "-1 0 1 2");
        assert_eq!(T::U4x2.text(0xf1), "1 15");
        assert_eq!(T::S4x2.text(0xf1), "1 -1");
        assert!(T::Bf16x2.encode(&Literal::Float(1.5)).is_err());
        assert_eq!(
            T::Bf16x2.encode(&Literal::Text("0x40003f80".into())),
            Ok(0x4000_3f80)
        );
    }

    #[test]
    fn char_and_binary_types_format_bytes() {
        assert_eq!(
            [0x41, 0x20, 0, 0x1b].map(|byte| T::Char.text(byte)),
            ["A", "␣", "\\0", "\\x1b"]
        );
        assert_eq!(T::Bin8.text(5), "00000101");
        assert_eq!(T::Bin32.text(1).len(), 32);
    }
}
