//! Host-independent IEEE operations on bits: fused multiply-add of `f64` in all rounding modes, and addition of `f32`
//! and `f16`.

use crate::semantics::rounding::RoundingMode;
use crate::semantics::softfloat;
use crate::semantics::tensor::fused_sum::{NAN_16, NAN_32, round_to_f16};
use crate::semantics::tensor::unpacked_float;
use crate::semantics::tensor::unpacked_float::FloatClass;

/// NaN result of an invalid 64-bit operation.
const NAN_64: u64 = 0xfff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << 52;
const QUIET: u64 = 1 << 51;

/// Computes `a` * `b` + `c` with a single rounding. The first NaN operand is quieted and propagated.
pub(crate) fn fma64(a: u64, b: u64, c: u64, round: RoundingMode) -> u64 {
    if let Some(nan) = [a, b, c].into_iter().find(|bits| bits & !SIGN > INFINITY) {
        return nan | QUIET;
    }
    let [a, b, c] = [a, b, c].map(f64::from_bits);
    let result = softfloat::fma64(a, b, c, round);
    match result.is_nan() {
        true => NAN_64,
        false => result.to_bits(),
    }
}

/// Returns the bits of a 32-bit result. The canonical NaN of the hardware replaces every NaN.
fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        NAN_32
    } else {
        value.to_bits()
    }
}

/// Computes `a` + `b` of `f32`, rounded to nearest even.
pub(crate) fn add32(a: u32, b: u32) -> u32 {
    canonical(f32::from_bits(a) + f32::from_bits(b))
}

/// Computes `a` * `b` + `c` of `f32`, rounded to nearest even.
pub(crate) fn fma32(a: u32, b: u32, c: u32) -> u32 {
    canonical(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

/// Computes `a` + `b` of `f16`, rounded to nearest even. The intermediate sum is exact in 53 bits.
pub(crate) fn add16(a: u32, b: u32) -> u32 {
    narrow(f64::from(f32::from_bits(widen(a))) + f64::from(f32::from_bits(widen(b))))
}

/// Converts `f16` to `f32`, which is exact.
pub(crate) fn widen(bits: u32) -> u32 {
    let number = unpacked_float::F16.number(bits);
    let magnitude = match number.class {
        FloatClass::NotANumber => return NAN_32,
        FloatClass::Infinity => f32::INFINITY,
        // The conversion is exact, because both factors and their product are exact in `f32`.
        FloatClass::Finite | FloatClass::Zero => {
            number.significand as f32
                * f32::from_bits((number.exponent - 10 + 127) as u32 * (1 << 23))
        }
    };
    let sign = u32::from(number.is_negative) << 31;
    magnitude.to_bits() | sign
}

/// Converts `f32` to `f16`, rounded to nearest even.
pub(crate) fn narrow32(bits: u32) -> u32 {
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
    let hidden = u64::from(exponent != 0) << 52;
    match bits & ((1 << 52) - 1) | hidden {
        0 => sign,
        magnitude => sign | round_to_f16(magnitude, exponent.max(1) - 1075),
    }
}
