//! What the unit for approximate functions gives, bit for bit: `.approx` and `.full` of `f32`, halves and doubles, and `MUFU`. In: bits of an
//! argument; out: bits of the result.
//!
//! The first bits of an argument's fraction choose an interval, and the 17 bits after them, x, go into c0 + c1 x + c2 x^2. The square leaves
//! out each product of two bits whose weight is below 2^19. Results are cut, never rounded. That was found from an H100's results for every
//! argument of the reduced ranges, as were the coefficients (`approximate_tables.rs`); what assembler 13.5 makes of each instruction puts
//! scaling around it.

use super::approximate_tables as tables;
use crate::exec::mode::Round;
use crate::exec::soft::{self, NAN_32};

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
/// Bits of a fraction of `f32`.
const FRACTION_BITS: u32 = 23;
const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
/// Exponent of 1.
const BIAS: i32 = 127;
/// 2^24, by which assemblers scale what is subnormal.
const SCALE: f32 = 16_777_216.0;
/// 1 / (2 pi), as the assembler writes it.
const TURNS: f32 = 0.159_154_94;

/// Coefficients of a function.
pub(super) struct Table {
    /// Bits of a fraction that choose the row.
    pub(super) index_bits: u32,
    /// c0 is its column times this and `start`, in 2^-17 of a last digit.
    pub(super) step: i64,
    pub(super) start: i64,
    pub(super) rows: &'static [[i32; 3]],
}

impl Table {
    /// The function at a fraction of 23 bits, in 2^-17 of a last digit.
    fn at(&self, fraction: u32) -> i64 {
        let row = self.rows[(fraction >> (FRACTION_BITS - self.index_bits)) as usize];
        let c0 = i64::from(row[0]) * self.step + self.start;
        c0 + rest(row, place(fraction, self.index_bits))
    }

    /// The same, cut to whole digits.
    fn digits(&self, fraction: u32) -> u32 {
        (self.at(fraction) >> 17) as u32
    }
}

/// The 17 bits of a fraction after those that choose a row.
fn place(fraction: u32, index_bits: u32) -> u32 {
    (fraction << index_bits & FRACTION) >> 6
}

/// c1 x + c2 x^2, in 2^-17 of a last digit.
fn rest([_, c1, c2]: [i32; 3], x: u32) -> i64 {
    i64::from(c1) * i64::from(x) + (i64::from(c2) * i64::from(square(x)) << 2)
}

/// x^2 in 2^19, without the products of bits that weigh less.
fn square(x: u32) -> u32 {
    let (high, low) = (x >> 9, x & 0x1ff);
    let crossed = |bit: u32| (x >> bit & 1) * (low >> (18 - bit));
    (high * high >> 1)
        + crossed(10)
        + crossed(11)
        + crossed(12)
        + crossed(13)
        + crossed(14)
        + crossed(15)
        + crossed(16)
}

/// The exponent and the fraction of a number.
fn parts(bits: u32) -> (i32, u32) {
    ((bits >> FRACTION_BITS & 0xff) as i32, bits & FRACTION)
}

/// A number with this exponent, of 24 digits; infinite beyond the largest, zero below the normal ones.
fn number(sign: u32, exponent: i32, digits: u32) -> u32 {
    match exponent {
        ..=0 => sign,
        1..255 => sign | (exponent as u32) << FRACTION_BITS | digits & FRACTION,
        255.. => sign | INFINITY,
    }
}

/// `magnitude` in 2^-`scale`, cut to 24 digits.
fn cut(sign: u32, magnitude: u64, scale: i32) -> u32 {
    let Some(top) = magnitude.checked_ilog2() else {
        return sign;
    };
    let digits = match top.checked_sub(FRACTION_BITS) {
        Some(below) => magnitude >> below,
        None => magnitude << (FRACTION_BITS - top),
    };
    number(sign, BIAS + top as i32 - scale, digits as u32)
}

/// `MUFU.RCP`.
pub(crate) fn reciprocal(a: u32) -> u32 {
    let sign = a & SIGN;
    match parts(a) {
        (255, 0) => sign,
        (255, _) => NAN_32,
        (0, _) => sign | INFINITY,
        (exponent, 0) => number(sign, 2 * BIAS - exponent, 0),
        (exponent, fraction) => number(
            sign,
            2 * BIAS - 1 - exponent,
            tables::RECIPROCAL.digits(fraction),
        ),
    }
}

/// `MUFU.RSQ`.
pub(crate) fn reciprocal_root(a: u32) -> u32 {
    match parts(a) {
        (255, fraction) if fraction != 0 => NAN_32,
        (0, _) => a & SIGN | INFINITY,
        _ if a & SIGN != 0 => NAN_32,
        (255, _) => 0,
        (exponent, fraction) => {
            let half = (exponent - BIAS).div_euclid(2);
            match (exponent & 1, fraction) {
                (1, 0) => number(0, BIAS - half, 0),
                (1, _) => number(0, BIAS - 1 - half, tables::ROOT_BELOW_2.digits(fraction)),
                _ => number(0, BIAS - 1 - half, tables::ROOT_FROM_2.digits(fraction)),
            }
        }
    }
}

/// `MUFU.SQRT`.
fn root(a: u32) -> u32 {
    match parts(a) {
        (255, fraction) if fraction != 0 => NAN_32,
        (0, _) => a & SIGN,
        _ if a & SIGN != 0 => NAN_32,
        (255, _) => a,
        (exponent, fraction) => {
            let table = match exponent & 1 {
                1 => &tables::SQUARE_ROOT_BELOW_2,
                _ => &tables::SQUARE_ROOT_FROM_2,
            };
            let half = (exponent - BIAS).div_euclid(2);
            number(0, BIAS + half, table.digits(fraction) >> 1)
        }
    }
}

/// `MUFU.EX2`.
pub(crate) fn power(a: u32) -> u32 {
    let is_negative = a & SIGN != 0;
    let (exponent, fraction) = parts(a);
    if exponent == 255 && fraction != 0 {
        return NAN_32;
    }
    if exponent >= BIAS + 8 {
        return if is_negative { 0 } else { INFINITY };
    }
    // In 2^-23, cut.
    let digits = fraction | 1 << FRACTION_BITS;
    let magnitude = match exponent - BIAS {
        _ if exponent == 0 => 0,
        shift @ 0.. => u64::from(digits) << shift,
        shift => u64::from(digits.checked_shr(-shift as u32).unwrap_or(0)),
    };
    let whole = (magnitude >> FRACTION_BITS) as i32;
    let part = magnitude as u32 & FRACTION;
    // The complement stands for the opposite, but for whole numbers.
    let (whole, part) = match (is_negative, part) {
        (false, _) => (whole, part),
        (true, 0) => (-whole, 0),
        (true, _) => (-whole - 1, !part & FRACTION),
    };
    number(0, BIAS + whole, tables::POWER.digits(part))
}

/// `MUFU.LG2`.
fn logarithm(a: u32) -> u32 {
    match parts(a) {
        (255, fraction) if fraction != 0 => NAN_32,
        (0, _) => SIGN | INFINITY,
        _ if a & SIGN != 0 => NAN_32,
        (255, _) => INFINITY,
        (BIAS, 0) => 0,
        (exponent, fraction) => {
            // In 2^-36; the complement stands for the opposite.
            let part = tables::LOGARITHM.at(fraction) >> 5;
            let sum = (i64::from(exponent - BIAS) << 36) + part;
            match sum < 0 {
                true => cut(SIGN, !sum as u64, 36),
                false => cut(0, sum as u64, 36),
            }
        }
    }
}

/// `MUFU.SIN` of turns.
pub(crate) fn sine(turns: u32) -> u32 {
    let Some(position) = quarters(turns) else {
        return NAN_32;
    };
    wave(turns & SIGN, position)
}

/// `MUFU.COS` of turns.
pub(crate) fn cosine(turns: u32) -> u32 {
    let Some(position) = quarters(turns) else {
        return NAN_32;
    };
    wave(0, position.wrapping_add(1 << FRACTION_BITS))
}

/// Quarters of a turn in 2^-23, cut, modulo some turns; none where there is no angle.
fn quarters(turns: u32) -> Option<u32> {
    let (exponent, fraction) = parts(turns);
    let digits = fraction | 1 << FRACTION_BITS;
    match exponent - BIAS + 2 {
        _ if exponent == 255 => None,
        _ if exponent == 0 => Some(0),
        shift @ 0.. => Some(digits.checked_shl(shift as u32).unwrap_or(0)),
        shift => Some(digits.checked_shr(-shift as u32).unwrap_or(0)),
    }
}

/// The sine at a position in quarters, with the sign of its argument.
fn wave(sign: u32, position: u32) -> u32 {
    let quarter = position >> FRACTION_BITS;
    let part = match quarter & 1 {
        0 => position & FRACTION,
        _ => !position & FRACTION,
    };
    cut(
        sign ^ (quarter & 2) << 30,
        tables::SINE.at(part) as u64,
        24 + 17,
    )
}

/// `MUFU.TANH`.
pub(crate) fn tangent(a: u32) -> u32 {
    let (exponent, fraction) = parts(a);
    let sign = a & SIGN;
    let Some(octave) = exponent.checked_sub(BIAS - 8).filter(|octave| *octave >= 0) else {
        return a;
    };
    let Some(bits) = tables::TANGENT_INDEX_BITS.get(octave as usize) else {
        return match exponent == 255 && fraction != 0 {
            true => NAN_32,
            false => sign | 1f32.to_bits(),
        };
    };
    let before = tables::TANGENT_INDEX_BITS[..octave as usize].iter();
    let first: usize = before.map(|bits| 1usize << bits).sum();
    let row = tables::TANGENT_ROWS[first + (fraction >> (FRACTION_BITS - bits)) as usize];
    let sum = (i64::from(row[0]) << 17) + rest(row, place(fraction, *bits));
    cut(sign, sum as u64, 24 + 17)
}

/// A function as an instruction has it, with what the assembler puts around the unit where subnormals are not flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Reciprocal,
    ReciprocalRoot,
    Root,
    Logarithm,
    Power,
    Sine,
    Cosine,
    Tangent,
}

/// A function of `f32`.
pub(crate) fn apply(function: Function, ftz: bool, bits: u32) -> u32 {
    use Function as F;
    let a = f32::from_bits(bits);
    let scaled = (a * SCALE).to_bits();
    let is_subnormal = !ftz && a.abs() < f32::MIN_POSITIVE;
    match function {
        F::Reciprocal if is_subnormal => product(reciprocal(scaled), SCALE),
        F::Reciprocal if !ftz && a.abs() > LARGE => product(reciprocal((a * 0.25).to_bits()), 0.25),
        F::Reciprocal => reciprocal(bits),
        F::ReciprocalRoot if is_subnormal => product(reciprocal_root(scaled), 4096.0),
        F::ReciprocalRoot => reciprocal_root(bits),
        F::Root if is_subnormal => product(root(scaled), 1.0 / 4096.0),
        F::Root => root(bits),
        F::Logarithm if is_subnormal => (f32::from_bits(logarithm(scaled)) - 24.0).to_bits(),
        F::Logarithm => logarithm(bits),
        F::Power if !ftz && a < -126.0 => {
            let half = power((a * 0.5).to_bits());
            product(half, f32::from_bits(half))
        }
        F::Power => power(bits),
        F::Sine => sine(turns(a)),
        F::Cosine => cosine(turns(a)),
        F::Tangent => tangent(bits),
    }
}

/// 2^126: the reciprocal of what is larger is subnormal.
const LARGE: f32 = 8.507_059e37;

/// `div.approx` and `div.full`; the latter also scales divisors that are large.
pub(crate) fn divide(is_full: bool, ftz: bool, a: f32, b: f32) -> f32 {
    let scale = match b.abs() {
        size if is_full && size > LARGE => 0.25,
        size if !ftz && size < f32::MIN_POSITIVE => SCALE,
        _ => 1.0,
    };
    f32::from_bits(reciprocal((b * scale).to_bits())) * (a * scale)
}

fn product(bits: u32, factor: f32) -> u32 {
    (f32::from_bits(bits) * factor).to_bits()
}

/// An angle in turns, cut.
fn turns(angle: f32) -> u32 {
    soft::narrow(f64::from(angle) * f64::from(TURNS), Round::Zero).to_bits()
}

/// `MUFU.RCP64H`: of a double whose lower half counts as zero, to 20 bits of fraction.
pub(crate) fn reciprocal_upper(a: f64) -> f64 {
    let (sign, exponent, fraction) = parts_upper(a);
    match (exponent, fraction) {
        (0 | 0x7ff, _) => 1.0 / a,
        (_, 0) => upper(sign, 2 * BIAS_64 - exponent, 0),
        _ => {
            let digits = tables::RECIPROCAL.digits(fraction);
            upper(sign, 2 * BIAS_64 - 1 - exponent, digits)
        }
    }
}

/// `MUFU.RSQ64H`, likewise.
pub(crate) fn reciprocal_root_upper(a: f64) -> f64 {
    let (sign, exponent, fraction) = parts_upper(a);
    if sign != 0 || matches!(exponent, 0 | 0x7ff) {
        return 1.0 / a.sqrt();
    }
    let half = (exponent - BIAS_64).div_euclid(2);
    match (exponent & 1, fraction) {
        (1, 0) => upper(0, BIAS_64 - half, 0),
        (1, _) => {
            let digits = tables::ROOT_BELOW_2.digits(fraction);
            upper(0, BIAS_64 - 1 - half, digits)
        }
        _ => {
            let digits = tables::ROOT_FROM_2.digits(fraction);
            upper(0, BIAS_64 - 1 - half, digits)
        }
    }
}

/// Exponent of 1 as a double.
const BIAS_64: i64 = 1023;

/// The sign of a double, its exponent, and the first 20 bits of its fraction as 23.
fn parts_upper(a: f64) -> (u64, i64, u32) {
    let bits = a.to_bits();
    let fraction = (bits >> 32) as u32 & 0xf_ffff;
    (bits & 1 << 63, (bits >> 52 & 0x7ff) as i64, fraction << 3)
}

/// A double of 21 of 24 digits; zero below the normal ones.
fn upper(sign: u64, exponent: i64, digits: u32) -> f64 {
    let fraction = u64::from((digits & FRACTION) >> 3) << 32;
    match exponent {
        ..=0 => f64::from_bits(sign),
        _ => f64::from_bits(sign | (exponent as u64) << 52 | fraction),
    }
}
