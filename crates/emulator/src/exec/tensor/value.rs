//! Numbers of the types that floating-point products have: bits to value and back.

use super::number::{Class, F32, Format, power_of_two};
use super::rule::factor;
use warpgrid_isa::{FloatTop, ScalarType};

/// The value of `bits` as an element of a factor or of an accumulator, exactly; none for types that are no such floats. A number of 4 bits is
/// in the middle of a byte, as in the registers of `.kind::f8f6f4`.
pub fn value_of(ty: ScalarType, bits: u64) -> Option<f64> {
    Some(format(ty)?.value(bits))
}

/// The bits of the element that is nearest to `value`, ties to even. Beyond the largest number: infinity, or the largest number where
/// there is no infinity.
pub fn nearest_bits(ty: ScalarType, value: f64) -> Option<u64> {
    Some(format(ty)?.nearest(value))
}

fn format(ty: ScalarType) -> Option<Format> {
    match ty {
        ScalarType::F32 => Some(F32),
        _ => factor(ty),
    }
}

impl Format {
    const fn width_bits(self) -> u8 {
        1 + self.exponent_bits + self.fraction_bits
    }

    /// The exponent of the smallest normal number.
    const fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    /// The magnitude's bits with all ones.
    const fn all_ones(self) -> u64 {
        (1 << (self.width_bits() - 1)) - 1
    }

    /// The bits of infinity; without one, those of the largest number.
    const fn top_bits(self) -> u64 {
        match self.top {
            FloatTop::Infinity => self.all_ones() >> self.fraction_bits << self.fraction_bits,
            FloatTop::NotANumber => self.all_ones() - 1,
            FloatTop::Finite => self.all_ones(),
        }
    }

    fn value(self, bits: u64) -> f64 {
        let number = self.number(bits as u32);
        let sign = if number.is_negative { -1.0 } else { 1.0 };
        match number.class {
            Class::NotANumber => f64::NAN,
            Class::Infinity => sign * f64::INFINITY,
            Class::Zero => sign * 0.0,
            Class::Finite => {
                let unit = power_of_two(number.exponent - i32::from(self.fraction_bits));
                sign * f64::from(number.significand) * unit
            }
        }
    }

    fn nearest(self, value: f64) -> u64 {
        let sign = u64::from(value.is_sign_negative()) << (self.width_bits() - 1);
        let magnitude = if value.is_nan() {
            self.all_ones()
        } else if value.is_infinite() {
            self.top_bits()
        } else {
            self.nearest_magnitude(value.abs())
        };
        (sign | magnitude) << self.ignored_bits
    }

    fn nearest_magnitude(self, value: f64) -> u64 {
        const BIAS: i32 = 1023;
        let of_value = (value.to_bits() >> 52) as i32 - BIAS;
        let exponent = of_value.max(self.least_exponent());
        if exponent > 1 << (self.exponent_bits - 1) {
            self.top_bits()
        } else {
            self.rounded(value, exponent)
        }
    }

    /// Rounds to a multiple of the unit that numbers with `exponent` have. A carry goes into the exponent's field.
    fn rounded(self, value: f64, exponent: i32) -> u64 {
        let unit = i32::from(self.fraction_bits) - exponent;
        let units = (value * 2f64.powi(unit)).round_ties_even() as u64;
        let field = (exponent - self.least_exponent()) as u64;
        ((field << self.fraction_bits) + units).min(self.top_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::{format, nearest_bits, value_of};
    use warpgrid_isa::ScalarType::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32, F64, Tf32};

    #[test]
    fn every_narrow_number_reads_back() {
        for ty in [F16, Bf16, E4m3, E5m2, E3m2, E2m3, E2m1] {
            let format = format(ty).expect("a float");
            for element in (0..1u64 << format.width_bits()).map(|bits| bits << format.ignored_bits)
            {
                let value = value_of(ty, element).expect("a float");
                let back = nearest_bits(ty, value).expect("a float");
                assert!(
                    back == element || value.is_nan(),
                    "{ty} {element:#x} {value} {back:#x}"
                );
            }
        }
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        let tie = 1.0 + 2f64.powi(-11);
        assert_eq!(nearest_bits(F16, tie), Some(0x3c00));
        assert_eq!(nearest_bits(F16, tie + 2f64.powi(-11) * 2.0), Some(0x3c02));
        assert_eq!(nearest_bits(F16, 65_520.0), Some(0x7c00));
        assert_eq!(nearest_bits(F16, 65_519.0), Some(0x7bff));
        assert_eq!(nearest_bits(F16, 2f64.powi(-25)), Some(0));
        assert_eq!(nearest_bits(E4m3, 1000.0), Some(0x7e));
        assert_eq!(nearest_bits(E4m3, -448.0), Some(0xfe));
        assert_eq!(nearest_bits(Tf32, 1.0), Some(0x3f80_0000));
        for value in [1.5e-45f32, -0.1, 3.4e38, 1e-40] {
            assert_eq!(
                nearest_bits(F32, value.into()),
                Some(value.to_bits().into())
            );
        }
        assert_eq!(nearest_bits(F32, 1e300), Some(0x7f80_0000));
        assert_eq!(nearest_bits(F64, 1.0), None);
    }
}
