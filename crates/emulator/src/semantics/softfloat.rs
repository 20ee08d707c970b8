//! Exact helper functions for floating-point operations: directed rounding, narrow formats, and elementary functions.
//! These functions use only basic operations, so that all hosts compute identical bits.

use crate::semantics::rounding::{DiscardedBits, RoundingMode};
use warpgrid_isa::{FloatFormat, ScalarType, SpecialEncoding, Truncated};

/// Canonical NaN of 32-bit operations (PTX ISA, "Floating-Point Comparisons and NaN").
pub(crate) const NAN_32: u32 = 0x7fff_ffff;
/// NaN result of 64-bit operations that have no NaN operand to propagate.
pub(crate) const NAN_64: u64 = 0xfff8_0000_0000_0000;

/// Returns the exact value `result + error`, rounded to odd. `result` is the value rounded to nearest, and `error` is
/// the rounding error. Narrowing a number that was rounded to odd has the same result as narrowing the exact value.
fn to_odd(result: f64, error: f64) -> f64 {
    if error == 0.0 || !error.is_finite() || !result.is_finite() {
        return result;
    }
    let bits = result.to_bits();
    let bits = if (error > 0.0) == (result > 0.0) {
        bits | 1
    } else {
        bits.wrapping_sub(1) | 1
    };
    f64::from_bits(bits)
}

/// Computes a + b, rounded to odd.
pub(crate) fn add_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    to_odd(sum, (a - (sum - b_part)) + (b - b_part))
}

/// Computes a / b of 32-bit values, rounded to odd.
pub(crate) fn div_odd(a: f32, b: f32) -> f64 {
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = a / b;
    if !quotient.is_finite() || b.is_infinite() {
        return quotient;
    }
    // The fused multiply-add computes the sign of the remainder exactly, because the operands have only 24 significant
    // bits.
    let rest = (-quotient).mul_add(b, a);
    to_odd(quotient, if b > 0.0 { rest } else { -rest })
}

/// Computes the square root of a 32-bit value, rounded to odd.
pub(crate) fn sqrt_odd(a: f32) -> f64 {
    let a = f64::from(a);
    let root = a.sqrt();
    if !root.is_finite() {
        return root;
    }
    to_odd(root, (-root).mul_add(root, a))
}

/// Narrows a number to 32 bits with any rounding mode.
pub(crate) fn narrow(value: f64, round: RoundingMode) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    match round {
        RoundingMode::Zero if back.abs() > value.abs() => {
            if value > 0.0 {
                nearest.next_down()
            } else {
                nearest.next_up()
            }
        }
        RoundingMode::Down if back > value => nearest.next_down(),
        RoundingMode::Up if back < value => nearest.next_up(),
        // Ties cannot occur, because the preceding operations round to odd.
        RoundingMode::Nearest
        | RoundingMode::NearestAway
        | RoundingMode::Approximate
        | RoundingMode::Full
        | RoundingMode::Zero
        | RoundingMode::Down
        | RoundingMode::Up => nearest,
    }
}

/// Returns the format of a small floating-point type.
pub(crate) fn format_of(ty: ScalarType) -> Option<FloatFormat> {
    Some(match ty {
        ScalarType::F16 | ScalarType::F16x2 => FloatFormat::F16,
        ScalarType::Bf16 | ScalarType::Bf16x2 => FloatFormat::BF16,
        ScalarType::Tf32 => FloatFormat::TF32,
        ScalarType::E4m3 | ScalarType::E4m3x2 => FloatFormat::E4M3,
        ScalarType::E5m2 | ScalarType::E5m2x2 => FloatFormat::E5M2,
        _ => return None,
    })
}

/// Returns the format, the width in bits and the number of the narrow floats that a packed type contains.
pub(crate) fn parts_of(ty: ScalarType) -> Option<(FloatFormat, u32, u32)> {
    use ScalarType as T;
    Some(match ty {
        T::F16 => (FloatFormat::F16, 16, 1),
        T::Bf16 => (FloatFormat::BF16, 16, 1),
        T::F16x2 => (FloatFormat::F16, 16, 2),
        T::Bf16x2 => (FloatFormat::BF16, 16, 2),
        T::E4m3x2 => (FloatFormat::E4M3, 8, 2),
        T::E5m2x2 => (FloatFormat::E5M2, 8, 2),
        T::E4m3x4 => (FloatFormat::E4M3, 8, 4),
        T::E5m2x4 => (FloatFormat::E5M2, 8, 4),
        _ => return None,
    })
}

/// Rounds a number to a narrow format. An overflow results in infinity, or in NaN if the format has no infinity.
#[inline]
pub(crate) fn pack(format: FloatFormat, value: f64, round: RoundingMode) -> u32 {
    if value.is_nan() {
        return format.nan();
    }
    let beyond = match format.top {
        SpecialEncoding::Infinity => format.infinity(),
        SpecialEncoding::NotANumber | SpecialEncoding::Finite => format.nan(),
    };
    let is_negative = value.is_sign_negative();
    let sign = if is_negative { format.sign() } else { 0 };
    if value.is_infinite() {
        return sign | beyond;
    }
    let Truncated { bits, rest, unit } = format.cut(value.abs());
    let is_up = round.is_up(
        DiscardedBits::of(rest, unit / 2),
        is_negative,
        bits & 1 != 0,
    );
    let bits = bits + u64::from(is_up);
    if bits <= u64::from(format.largest()) {
        return sign | bits as u32;
    }
    match round.is_cut(is_negative) {
        true => sign | format.largest(),
        false => sign | beyond,
    }
}

/// Exact number `mantissa * 2^exponent`. If the mantissa is nonzero, its top bit is bit 125.
#[derive(Clone, Copy)]
struct ExactFloat {
    negative: bool,
    exponent: i32,
    mantissa: u128,
}

const TOP: u32 = 125;

impl ExactFloat {
    fn new(negative: bool, exponent: i32, mantissa: u128) -> ExactFloat {
        if mantissa == 0 {
            return ExactFloat {
                negative,
                exponent: 0,
                mantissa: 0,
            };
        }
        let top = 127 - mantissa.leading_zeros();
        if top > TOP {
            let shift = top - TOP;
            return ExactFloat {
                negative,
                exponent: exponent + shift as i32,
                mantissa: shift_sticky(mantissa, shift),
            };
        }
        ExactFloat {
            negative,
            exponent: exponent - (TOP - top) as i32,
            mantissa: mantissa << (TOP - top),
        }
    }

    fn of(value: f64) -> ExactFloat {
        let bits = value.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (exponent, mantissa) = if exponent == 0 {
            (-1074, fraction)
        } else {
            (exponent - 1075, fraction | 1 << 52)
        };
        ExactFloat::new(value.is_sign_negative(), exponent, mantissa)
    }

    fn times(self, other: ExactFloat) -> ExactFloat {
        // Both mantissas have only 53 significant bits, so the product of the shifted mantissas is exact.
        let (a, b) = (self.mantissa >> 73, other.mantissa >> 73);
        ExactFloat::new(
            self.negative != other.negative,
            self.exponent + other.exponent + 146,
            a * b,
        )
    }

    fn plus(self, other: ExactFloat) -> ExactFloat {
        if self.mantissa == 0 {
            return other;
        }
        if other.mantissa == 0 {
            return self;
        }
        let (high, low) = if (self.exponent, self.mantissa) >= (other.exponent, other.mantissa) {
            (self, other)
        } else {
            (other, self)
        };
        let shifted = shift_sticky(low.mantissa, (high.exponent - low.exponent) as u32);
        let mantissa = if high.negative == low.negative {
            high.mantissa + shifted
        } else {
            high.mantissa - shifted
        };
        ExactFloat::new(high.negative, high.exponent, mantissa)
    }

    fn round(self, round: RoundingMode) -> f64 {
        if self.mantissa == 0 {
            return 0.0;
        }
        // Compute the exponent of the lowest bit of the result.
        let lowest = (self.exponent + TOP as i32 - 52).max(-1074);
        let drop = lowest - self.exponent;
        let (kept, rest, half) = if drop > 127 {
            (0, 1, 2)
        } else {
            let drop = drop as u32;
            (
                self.mantissa >> drop,
                self.mantissa & ((1 << drop) - 1),
                1u128 << (drop - 1),
            )
        };
        let up = round.is_up(DiscardedBits::of(rest, half), self.negative, kept & 1 == 1);
        let magnitude = (kept + u128::from(up)) as u64;
        // The exponent field of a subnormal number is 0. For a normal number, adding the significand with its implicit
        // bit increments the exponent field.
        let bits = magnitude + (((lowest + 1074) as u64) << 52);
        let infinity = 0x7ffu64 << 52;
        let bits = if bits >= infinity {
            infinity - u64::from(round.is_cut(self.negative))
        } else {
            bits
        };
        f64::from_bits(bits | u64::from(self.negative) << 63)
    }
}

fn shift_sticky(mantissa: u128, shift: u32) -> u128 {
    if shift == 0 {
        mantissa
    } else if shift > 127 {
        u128::from(mantissa != 0)
    } else {
        (mantissa >> shift) | u128::from(mantissa & ((1 << shift) - 1) != 0)
    }
}

/// Computes a * b + c with a single rounding in any mode.
pub(crate) fn fma64(a: f64, b: f64, c: f64, round: RoundingMode) -> f64 {
    if round.is_to_nearest() {
        return a.mul_add(b, c);
    }
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return a.mul_add(b, c);
    }
    let sum = ExactFloat::of(a)
        .times(ExactFloat::of(b))
        .plus(ExactFloat::of(c));
    if sum.mantissa == 0 {
        // An exact zero sum has the sign of its terms if both terms have the same sign. Otherwise, the rounding mode
        // determines the sign.
        let product_negative = a.is_sign_negative() != b.is_sign_negative();
        return if product_negative == c.is_sign_negative() {
            c * 0.0
        } else if round == RoundingMode::Down {
            -0.0
        } else {
            0.0
        };
    }
    sum.round(round)
}

/// Computes a + b with any rounding mode.
pub(crate) fn add64(a: f64, b: f64, round: RoundingMode) -> f64 {
    if round.is_to_nearest() {
        a + b
    } else {
        fma64(a, 1.0, b, round)
    }
}

/// Computes a * b with any rounding mode.
pub(crate) fn mul64(a: f64, b: f64, round: RoundingMode) -> f64 {
    let nearest = a * b;
    if round.is_to_nearest() || !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return nearest;
    }
    ExactFloat::of(a).times(ExactFloat::of(b)).round(round)
}

/// Computes a / b with any rounding mode.
pub(crate) fn div64(a: f64, b: f64, round: RoundingMode) -> f64 {
    let nearest = a / b;
    if round.is_to_nearest() || !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return nearest;
    }
    exact_quotient(a, b).round(round)
}

/// Divides finite nonzero numbers. The lowest bit of the quotient is a sticky bit, which is set if there is a
/// remainder.
fn exact_quotient(a: f64, b: f64) -> ExactFloat {
    let (x, y) = (ExactFloat::of(a), ExactFloat::of(b));
    // Dividing 126 bits by 53 bits yields a quotient of 73 or 74 bits.
    let divisor = y.mantissa >> 73;
    let quotient = x.mantissa / divisor;
    let sticky = u128::from(x.mantissa % divisor != 0);
    ExactFloat::new(
        x.negative != y.negative,
        x.exponent - (y.exponent + 73) - 2,
        quotient << 2 | sticky,
    )
}

/// Computes a / b, rounded to nearest with exact arithmetic, for comparison with the host.
#[cfg(test)]
pub(crate) fn div64_exact(a: f64, b: f64) -> f64 {
    if !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return a / b;
    }
    exact_quotient(a, b).round(RoundingMode::Nearest)
}

/// Computes the square root with any rounding mode.
pub(crate) fn sqrt64(a: f64, round: RoundingMode) -> f64 {
    let nearest = a.sqrt();
    if round.is_to_nearest() || !nearest.is_finite() || a <= 0.0 {
        return nearest;
    }
    exact_root(a).round(round)
}

/// Computes the square root of a positive number. The lowest bit of the root is a sticky bit, which is set if there is
/// a remainder.
fn exact_root(a: f64) -> ExactFloat {
    let x = ExactFloat::of(a);
    // Make the exponent even, so that the root of the power of two is exact. The integer root of a number with about
    // 125 bits has 62 or 63 bits.
    let odd = x.exponent & 1;
    let mantissa = if odd != 0 {
        x.mantissa << 1
    } else {
        x.mantissa
    };
    let root = mantissa.isqrt();
    let sticky = u128::from(root * root != mantissa);
    ExactFloat::new(false, (x.exponent - odd) / 2 - 2, root << 2 | sticky)
}

/// Computes a square root, rounded to nearest with exact arithmetic, for comparison with the host.
#[cfg(test)]
pub(crate) fn sqrt64_exact(a: f64) -> f64 {
    if !a.is_finite() || a <= 0.0 {
        return a.sqrt();
    }
    exact_root(a).round(RoundingMode::Nearest)
}

/// Computes a fused multiply-add, rounded to nearest with exact arithmetic, for comparison with the host.
#[cfg(test)]
pub(crate) fn fma64_exact(a: f64, b: f64, c: f64) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return a.mul_add(b, c);
    }
    let sum = ExactFloat::of(a)
        .times(ExactFloat::of(b))
        .plus(ExactFloat::of(c));
    if sum.mantissa == 0 {
        return a.mul_add(b, c);
    }
    sum.round(RoundingMode::Nearest)
}

/// Rounds a number to an integer that is represented in the same floating-point format.
pub(crate) fn to_integral(value: f64, round: RoundingMode) -> f64 {
    if value.abs() >= 4_503_599_627_370_496.0 || value.is_nan() {
        return value;
    }
    let integer = value as i64;
    let rest = DiscardedBits::of((value - integer as f64).abs(), 0.5);
    let is_up = round.is_up(rest, value.is_sign_negative(), integer & 1 != 0);
    let result = (integer.unsigned_abs() + u64::from(is_up)) as f64;
    result.copysign(value)
}

/// Value of each 16-bit unit of an out-of-bounds element in a NaN-filled tensor copy, for all element types. `fma.oob`
/// treats a factor with this magnitude as zero (measured on an H100).
pub(crate) const OUTSIDE_16: u32 = 0x7ff7;
