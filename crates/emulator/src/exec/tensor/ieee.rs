//! IEEE operations on bits, the same on every host: fused multiply-add of `f64` in every direction, addition of `f32` and `f16`.

use super::fused::{NAN_16, NAN_32, round_to_f16};
use super::number::{self, Class};
use warpgrid_isa::Rounding;

/// The NaN of an invalid 64-bit operation.
const NAN_64: u64 = 0xfff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << 52;
const QUIET: u64 = 1 << 51;

/// `a` * `b` + `c` with one rounding. NaN operands are passed on, quieted, the first one first.
pub(super) fn fma64(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    if let Some(nan) = [a, b, c].into_iter().find(|bits| bits & !SIGN > INFINITY) {
        return nan | QUIET;
    }
    let sign = (a ^ b) & SIGN;
    let is_infinite = |bits: u64| bits & !SIGN == INFINITY;
    if is_infinite(a) || is_infinite(b) {
        let has_zero = a & !SIGN == 0 || b & !SIGN == 0;
        let is_opposite = is_infinite(c) && c & SIGN != sign;
        return if has_zero || is_opposite {
            NAN_64
        } else {
            sign | INFINITY
        };
    }
    if is_infinite(c) {
        return c;
    }
    let (a, b, c) = (Exact::of(a), Exact::of(b), Exact::of(c));
    let product = Exact {
        is_negative: sign != 0,
        magnitude: a.magnitude * b.magnitude,
        unit: a.unit + b.unit,
    };
    product.plus(c, rounding).round(rounding)
}

/// (-1)^`is_negative` * `magnitude` * 2^`unit`
#[derive(Clone, Copy)]
struct Exact {
    is_negative: bool,
    magnitude: u128,
    unit: i32,
}

impl Exact {
    fn of(bits: u64) -> Exact {
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let hidden = u64::from(exponent != 0) << 52;
        Exact {
            is_negative: bits & SIGN != 0,
            magnitude: u128::from(bits & ((1 << 52) - 1) | hidden),
            unit: exponent.max(1) - 1075,
        }
    }

    /// The same value with its highest bit at bit 125, which leaves room for a carry.
    fn raised(self) -> Exact {
        let up = self.magnitude.leading_zeros() as i32 - 2;
        Exact {
            magnitude: self.magnitude << up,
            unit: self.unit - up,
            ..self
        }
    }

    /// The sum. Where bits of the smaller term do not fit, the lowest bit says that there were some: they are at least twenty bits
    /// below the last one of the larger term, so cancellation cannot raise them into the result.
    fn plus(self, other: Exact, rounding: Rounding) -> Exact {
        match (self.magnitude, other.magnitude) {
            (0, 0) => return self.zero(other, rounding),
            (0, _) => return other,
            (_, 0) => return self,
            _ => {}
        }
        let (first, second) = (self.raised(), other.raised());
        let (high, low) = if first.unit >= second.unit {
            (first, second)
        } else {
            (second, first)
        };
        let moved = shift_sticky(low.magnitude, high.unit - low.unit);
        if high.is_negative == low.is_negative {
            return Exact {
                magnitude: high.magnitude + moved,
                ..high
            };
        }
        match high.magnitude.cmp(&moved) {
            std::cmp::Ordering::Equal => self.zero(other, rounding),
            std::cmp::Ordering::Greater => Exact {
                magnitude: high.magnitude - moved,
                ..high
            },
            std::cmp::Ordering::Less => Exact {
                magnitude: moved - high.magnitude,
                is_negative: low.is_negative,
                ..high
            },
        }
    }

    /// A sum of exactly zero: terms of one sign keep it, else it is negative only when rounding down (IEEE 754, 6.3).
    fn zero(self, other: Exact, rounding: Rounding) -> Exact {
        Exact {
            is_negative: if self.is_negative == other.is_negative {
                self.is_negative
            } else {
                rounding == Rounding::Rm
            },
            magnitude: 0,
            unit: 0,
        }
    }

    fn round(self, rounding: Rounding) -> u64 {
        let sign = if self.is_negative { SIGN } else { 0 };
        if self.magnitude == 0 {
            return sign;
        }
        let exponent = self.unit + 127 - self.magnitude.leading_zeros() as i32;
        // Away from zero, when the direction of the rounding is that of the sign.
        let is_outward = match rounding {
            Rounding::Rm => self.is_negative,
            Rounding::Rp => !self.is_negative,
            _ => false,
        };
        let is_nearest = !matches!(rounding, Rounding::Rz | Rounding::Rm | Rounding::Rp);
        let overflow = if is_nearest || is_outward {
            sign | INFINITY
        } else {
            sign | (INFINITY - 1)
        };
        if exponent > 1023 {
            return overflow;
        }
        let down = exponent.max(-1022) - 52 - self.unit;
        // Two more bits than the result decide every rounding.
        let bits = if down >= 2 {
            shift_sticky(self.magnitude, down - 2)
        } else {
            self.magnitude << (2 - down)
        } as u64;
        let rest = bits & 3;
        let is_up = match is_nearest {
            true => rest == 3 || rest == 2 && bits & 4 != 0,
            false => is_outward && rest != 0,
        };
        let result = (((exponent.max(-1022) + 1022) as u64) << 52) + (bits >> 2) + u64::from(is_up);
        if result >= INFINITY {
            overflow
        } else {
            sign | result
        }
    }
}

fn shift_sticky(magnitude: u128, down: i32) -> u128 {
    match down {
        ..=0 => magnitude,
        1..128 => magnitude >> down | u128::from(magnitude & ((1 << down) - 1) != 0),
        _ => u128::from(magnitude != 0),
    }
}

/// The bits of a 32-bit result, with the one NaN that the hardware makes.
fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        NAN_32
    } else {
        value.to_bits()
    }
}

/// `a` + `b` of `f32`, to nearest even.
pub(super) fn add32(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) + f32::from_bits(b))
}

/// `a` * `b` + `c` of `f32`, to nearest even.
pub(super) fn fma32(a: u32, b: u32, c: u32) -> u32 {
    canonical(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

/// `a` + `b` of `f16`, to nearest even. The sum of two is exact with 53 bits.
pub(super) fn add16(a: u32, b: u32) -> u32 {
    narrow(f64::from(f32::from_bits(widen(a))) + f64::from(f32::from_bits(widen(b))))
}

/// An `f16` as `f32`, exactly.
pub(super) fn widen(bits: u32) -> u32 {
    let number = number::F16.number(bits);
    let magnitude = match number.class {
        Class::NotANumber => return NAN_32,
        Class::Infinity => f32::INFINITY,
        // Both factors are exact, and so is their product.
        Class::Finite | Class::Zero => {
            number.significand as f32
                * f32::from_bits((number.exponent - 10 + 127) as u32 * (1 << 23))
        }
    };
    let sign = u32::from(number.is_negative) << 31;
    magnitude.to_bits() | sign
}

/// An `f32` as `f16`, to nearest even.
pub(super) fn narrow32(bits: u32) -> u32 {
    narrow(f64::from(f32::from_bits(bits)))
}

fn narrow(value: f64) -> u32 {
    if value.is_nan() {
        return NAN_16;
    }
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u32) << 15;
    let exponent = (bits >> 52 & 0x7ff) as i32;
    if exponent == 0x7ff {
        return sign | 0x7c00;
    }
    let exact = Exact::of(bits);
    match exact.magnitude as u64 {
        0 => sign,
        magnitude => sign | round_to_f16(magnitude, exact.unit),
    }
}
