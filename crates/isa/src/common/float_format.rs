//! The fields of floating-point numbers: a type goes in, its exponent and fraction come out (PTX ISA, "Alternate Floating-Point Data
//! Formats"; IEEE 754 for the others).

use crate::types::ScalarType;

/// What the top of a format's range means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatTop {
    /// The largest exponent: infinity and NaN.
    Infinity,
    /// All ones: NaN. There is no infinity.
    NotANumber,
    /// Numbers like all others: there is neither infinity nor NaN.
    Finite,
}

/// A sign, an exponent and a fraction, from the high bits down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    pub exponent_bits: u8,
    pub fraction_bits: u8,
    pub top: FloatTop,
}

const fn format(exponent_bits: u8, fraction_bits: u8, top: FloatTop) -> FloatFormat {
    FloatFormat {
        exponent_bits,
        fraction_bits,
        top,
    }
}

impl FloatFormat {
    pub const F16: FloatFormat = format(5, 10, FloatTop::Infinity);
    pub const BF16: FloatFormat = format(8, 7, FloatTop::Infinity);
    /// The upper 19 bits of its 32.
    pub const TF32: FloatFormat = format(8, 10, FloatTop::Infinity);
    pub const F32: FloatFormat = format(8, 23, FloatTop::Infinity);
    pub const F64: FloatFormat = format(11, 52, FloatTop::Infinity);
    pub const E5M2: FloatFormat = format(5, 2, FloatTop::Infinity);
    pub const E4M3: FloatFormat = format(4, 3, FloatTop::NotANumber);
    pub const E2M3: FloatFormat = format(2, 3, FloatTop::Finite);
    pub const E3M2: FloatFormat = format(3, 2, FloatTop::Finite);
    pub const E2M1: FloatFormat = format(2, 1, FloatTop::Finite);

    /// The format of a type's number, or of each of the numbers that a packed type holds. None for types that are no floats, or floats without
    /// a sign.
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

#[cfg(test)]
mod tests {
    use super::FloatFormat;
    use crate::types::ScalarType;

    #[test]
    fn fields_fill_the_numbers() {
        for ty in ScalarType::ALL {
            let Some(format) = FloatFormat::of(*ty) else {
                continue;
            };
            let bits = u32::from(1 + format.exponent_bits + format.fraction_bits);
            // `tf32` leaves 13 bits unused, and floats of 6 bits two.
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
}
