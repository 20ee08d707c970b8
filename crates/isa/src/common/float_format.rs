//! Floating-point formats: exponent and fraction widths of each type, and conversion between bits and values for formats of at most 32
//! bits (PTX ISA, "Alternate Floating-Point Data Formats"; IEEE 754 for the others).

use crate::types::ScalarType;

/// Encoding of infinity and NaN in a floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialEncoding {
    /// The largest exponent encodes infinity and NaN, as in IEEE 754.
    Infinity,
    /// An encoding whose exponent and fraction bits are all ones is a NaN. The format has no infinity.
    NotANumber,
    /// All encodings are finite numbers: the format has neither infinity nor NaN.
    Finite,
}

/// Floating-point format. The fields, starting at the most significant bit, are sign, exponent and fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    pub exponent_bits: u8,
    pub fraction_bits: u8,
    pub top: SpecialEncoding,
}

const fn format(exponent_bits: u8, fraction_bits: u8, top: SpecialEncoding) -> FloatFormat {
    FloatFormat {
        exponent_bits,
        fraction_bits,
        top,
    }
}

impl FloatFormat {
    pub const F16: FloatFormat = format(5, 10, SpecialEncoding::Infinity);
    pub const BF16: FloatFormat = format(8, 7, SpecialEncoding::Infinity);
    /// Format of the upper 19 bits of a 32-bit register.
    pub const TF32: FloatFormat = format(8, 10, SpecialEncoding::Infinity);
    pub const F32: FloatFormat = format(8, 23, SpecialEncoding::Infinity);
    pub const F64: FloatFormat = format(11, 52, SpecialEncoding::Infinity);
    pub const E5M2: FloatFormat = format(5, 2, SpecialEncoding::Infinity);
    pub const E4M3: FloatFormat = format(4, 3, SpecialEncoding::NotANumber);
    pub const E2M3: FloatFormat = format(2, 3, SpecialEncoding::Finite);
    pub const E3M2: FloatFormat = format(3, 2, SpecialEncoding::Finite);
    pub const E2M1: FloatFormat = format(2, 1, SpecialEncoding::Finite);

    /// Returns the format of a type, or of each element of a packed type. Returns `None` for types that are not floats and for unsigned
    /// floats.
    pub const fn of(ty: ScalarType) -> Option<FloatFormat> {
        use ScalarType as T;
        Some(match ty {
            T::F16 | T::F16x2 => FloatFormat::F16,
            T::Bf16 | T::Bf16x2 => FloatFormat::BF16,
            T::Tf32 => FloatFormat::TF32,
            T::F32 | T::F32x2 => FloatFormat::F32,
            T::F64 => FloatFormat::F64,
            T::E5m2 | T::E5m2x2 | T::E5m2x4 => FloatFormat::E5M2,
            T::E4m3 | T::E4m3x2 | T::E4m3x4 => FloatFormat::E4M3,
            T::E2m3 | T::E2m3x2 | T::E2m3x4 => FloatFormat::E2M3,
            T::E3m2 | T::E3m2x2 | T::E3m2x4 => FloatFormat::E3M2,
            T::E2m1 | T::E2m1x2 | T::E2m1x4 => FloatFormat::E2M1,
            _ => return None,
        })
    }
}

/// Result of truncating a magnitude to a format: the encoding, and the remainder in fractions of one unit in the last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated {
    /// Encoding of the truncated magnitude. It exceeds [`FloatFormat::largest`] if the magnitude is out of range.
    pub bits: u64,
    /// Remainder, in units of ulp / `unit`.
    pub rest: u64,
    /// Number of fractions per unit in the last place, which is a power of two.
    pub unit: u64,
}

/// Conversions between encodings and values, for formats of at most 32 bits.
impl FloatFormat {
    /// Returns the mask of the sign bit. The bits below the sign bit encode the magnitude.
    #[inline]
    pub const fn sign(self) -> u32 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// Returns the exponent bias.
    #[inline]
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Returns the encoding of infinity. For a format without infinity, returns the encoding with the largest exponent and a zero fraction.
    #[inline]
    pub const fn infinity(self) -> u32 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// Returns the largest finite number.
    #[inline]
    pub const fn largest(self) -> u32 {
        match self.top {
            SpecialEncoding::Infinity => self.infinity() - 1,
            SpecialEncoding::NotANumber => self.sign() - 2,
            SpecialEncoding::Finite => self.sign() - 1,
        }
    }

    /// Returns the canonical NaN, in which all bits except the sign are ones. In a format without NaN, this encoding is the largest number.
    #[inline]
    pub const fn nan(self) -> u32 {
        self.sign() - 1
    }

    /// Returns the exact value of the number that the low bits of `bits` encode.
    #[inline]
    pub fn value(self, bits: u32) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let fraction = magnitude & ((1 << self.fraction_bits) - 1);
        let exponent = (magnitude >> self.fraction_bits) as i32;
        let last = 1 - self.bias() - i32::from(self.fraction_bits);
        let value = match self.top {
            SpecialEncoding::Infinity if magnitude == self.infinity() => f64::INFINITY,
            SpecialEncoding::Infinity if magnitude > self.infinity() => f64::NAN,
            SpecialEncoding::NotANumber if magnitude == self.nan() => f64::NAN,
            _ if exponent == 0 => f64::from(fraction) * power_of_two(last),
            _ => f64::from(fraction | 1 << self.fraction_bits) * power_of_two(last + exponent - 1),
        };
        if bits & self.sign() == 0 {
            value
        } else {
            -value
        }
    }

    /// Truncates a finite magnitude to the format.
    #[inline]
    pub fn cut(self, magnitude: f64) -> Truncated {
        let bits = magnitude.to_bits();
        let exponent = (bits >> 52) as i32 - 1023 + self.bias();
        let significand = bits & ((1 << 52) - 1) | 1 << 52;
        // Subnormal numbers have the same scale as numbers with the biased exponent 1.
        let biased = exponent.max(1);
        let n_cut = 52 - i32::from(self.fraction_bits) + biased - exponent;
        if n_cut > 63 {
            return Truncated {
                bits: 0,
                rest: u64::from(magnitude != 0.0),
                unit: 1 << 63,
            };
        }
        // The implicit leading bit of a normal number is part of the sum, so that this bit adds one to the exponent field.
        let truncated = (significand >> n_cut) + ((biased as u64 - 1) << self.fraction_bits);
        Truncated {
            bits: truncated,
            rest: significand & ((1 << n_cut) - 1),
            unit: 1 << n_cut,
        }
    }

    /// Returns the number nearest to `value`, ties to even. A value out of range becomes infinity, or the largest number of a format
    /// without infinity.
    pub fn nearest(self, value: f64) -> u32 {
        let sign = u32::from(value.is_sign_negative()) * self.sign();
        if value.is_nan() {
            return sign | self.nan();
        }
        let beyond = match self.top {
            SpecialEncoding::Infinity => self.infinity(),
            SpecialEncoding::NotANumber | SpecialEncoding::Finite => self.largest(),
        };
        if value.is_infinite() {
            return sign | beyond;
        }
        let Truncated { bits, rest, unit } = self.cut(value.abs());
        let is_up = rest > unit / 2 || rest == unit / 2 && bits & 1 != 0;
        let bits = bits + u64::from(is_up);
        sign | u32::try_from(bits).map_or(beyond, |bits| bits.min(beyond))
    }
}

/// Returns 2 to the power of `exponent`. The result must be a normal f64.
#[inline]
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::FloatFormat;
    use crate::types::ScalarType;

    #[test]
    fn format_field_widths_divide_type_width() {
        for ty in ScalarType::ALL {
            let Some(format) = FloatFormat::of(*ty) else {
                continue;
            };
            let bits = u32::from(1 + format.exponent_bits + format.fraction_bits);
            // `tf32` has 13 unused bits in its 32-bit register, and 6-bit floats have two unused bits in their byte.
            let unused = match *ty {
                ScalarType::Tf32 => 13,
                ScalarType::E2m3x2
                | ScalarType::E3m2x2
                | ScalarType::E2m3x4
                | ScalarType::E3m2x4 => 2,
                _ => 0,
            };
            assert_eq!(ty.width_bits() % (bits + unused), 0, "{ty}");
        }
    }

    #[test]
    fn narrow_floats_round_trip_through_f64() {
        use FloatFormat as F;
        for format in [F::F16, F::BF16, F::E5M2, F::E4M3, F::E2M3, F::E3M2, F::E2M1] {
            for bits in 0..2 * format.sign() {
                let value = format.value(bits);
                assert!(
                    value.is_nan() || format.nearest(value) == bits,
                    "{format:?} {bits:#x}"
                );
            }
        }
    }

    #[test]
    fn f32_conversions_match_host() {
        for value in [1.5e-45f32, -0.1, 3.4e38, 1e-40, -0.0, f32::INFINITY] {
            assert_eq!(FloatFormat::F32.nearest(value.into()), value.to_bits());
            assert_eq!(FloatFormat::F32.value(value.to_bits()), f64::from(value));
        }
        assert_eq!(FloatFormat::F32.nearest(1e300), 0x7f80_0000);
    }
}
