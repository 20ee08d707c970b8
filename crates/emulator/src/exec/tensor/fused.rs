//! The fused sum of a block of products and an accumulator. Operands and the accumulator's bits go in, the result's bits come out.
//!
//! Products are exact; every term is aligned to the largest exponent and cut towards zero to a fixed number of fraction bits; the
//! sum is exact; the result is normalised and rounded once.

use super::explain::{Special, TermSource};
use super::number::{self, Block, Class, Format, Number, SPECIAL_PRODUCT, power_of_two};

/// The NaN that every NaN and invalid operation becomes.
pub(super) const NAN_32: u32 = 0x7fff_ffff;
/// The same with 16 bits.
pub(super) const NAN_16: u32 = 0x7fff;
const INFINITY_32: u32 = 0x7f80_0000;
const INFINITY_16: u32 = 0x7c00;

/// The format of the accumulator between blocks, and how a sum is rounded to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accumulator {
    /// `f32`, cut towards zero; `cleared_bits` low bits of the word are always zero.
    F32 { cleared_bits: u8 },
    /// `f16`, rounded to nearest even.
    F16,
}

impl Accumulator {
    fn format(self) -> Format {
        match self {
            Accumulator::F32 { .. } => number::F32,
            Accumulator::F16 => number::F16,
        }
    }
}

/// How a tensor core adds a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRule {
    /// Fraction bits of the largest term that are kept of every term.
    pub(super) kept_bits: u8,
    /// Fraction bits of a product: those of both factors.
    pub(super) product_bits: u8,
    pub(super) accumulator: Accumulator,
    /// The exponent below which terms are not aligned: it matters only when all terms are tiny.
    pub(super) floor: i32,
}

/// A term on its way into the sum.
pub(super) struct Aligned {
    pub(super) source: TermSource,
    /// With sign, in units of 2^(`exponent` - `fraction_bits`).
    pub(super) significand: i64,
    pub(super) fraction_bits: u8,
    pub(super) exponent: i32,
    /// With sign, in units of the block.
    pub(super) aligned: i64,
}

/// Listens to the sum; the unit type hears nothing and costs nothing.
pub(super) trait Watch {
    fn starts(&mut self, _exponent: i32, _rule: &BlockRule, _accumulator: u32) {}
    fn adds(&mut self, _term: Aligned) {}
    fn ends(&mut self, _sum: i64, _special: Option<Special>, _result: u32) {}
}

impl Watch for () {}

/// The sum of the products of `a` and `b` and of the accumulator `c`, as bits of the accumulator's format.
#[cfg_attr(target_arch = "x86_64", inline(always))]
pub(super) fn block<const N: usize>(
    rule: &BlockRule,
    a: Block<'_, N>,
    b: Block<'_, N>,
    c: u32,
    watch: &mut impl Watch,
) -> u32 {
    let accumulator = rule.accumulator.format().number(c);
    let mut exponents = [0i16; N];
    for (exponent, (a, b)) in exponents
        .iter_mut()
        .zip(a.exponents.iter().zip(b.exponents))
    {
        *exponent = a + b;
    }
    let largest = exponents.iter().copied().fold(i16::MIN, i16::max);
    let mut exponent = rule.floor.max(i32::from(largest));
    if accumulator.class == Class::Finite {
        exponent = exponent.max(accumulator.exponent);
    }
    watch.starts(exponent, rule, c);
    let is_finite = matches!(accumulator.class, Class::Finite | Class::Zero);
    if exponent >= SPECIAL_PRODUCT || !is_finite {
        let special = special(a, b, accumulator);
        let result = rule.accumulator.special(special);
        watch.ends(0, Some(special), result);
        return result;
    }
    let mut sum = align_accumulator(rule, accumulator, exponent, watch);
    // Values have 11 bits and products 22, so `f64` has all of them exactly, also in units of the block.
    let unit = power_of_two(i32::from(rule.kept_bits) - exponent);
    let mut aligned = [0.0; N];
    for (aligned, (a, b)) in aligned.iter_mut().zip(a.values.iter().zip(b.values)) {
        *aligned = cut(a * b * unit);
    }
    for (at, aligned) in aligned.iter().enumerate() {
        let up = power_of_two(i32::from(rule.product_bits) - i32::from(exponents[at]));
        watch.adds(Aligned {
            source: TermSource::Product(at as u16),
            significand: (a.values[at] * b.values[at] * up) as i64,
            fraction_bits: rule.product_bits,
            exponent: i32::from(exponents[at]),
            aligned: *aligned as i64,
        });
    }
    // Whole numbers of less than 53 bits: their sum is exact in any order.
    let mut parts = [0.0; 4];
    for four in aligned.chunks_exact(4) {
        for (part, term) in parts.iter_mut().zip(four) {
            *part += term;
        }
    }
    sum += (parts[0] + parts[1] + parts[2] + parts[3]) as i64;
    let result = rule
        .accumulator
        .round(sum, exponent - i32::from(rule.kept_bits));
    watch.ends(sum, None, result);
    result
}

/// `value`, cut towards zero to a whole number, for magnitudes below 2^30 with at most 24 significant bits. Such a magnitude is at least
/// 2^-24 away from the next whole number, so rounding it to nearest after a little less than a half is taken away is the cut; adding and
/// subtracting a number with no bits below 1 rounds. This becomes vector instructions everywhere, which conversions to integers do not.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn cut(value: f64) -> f64 {
    const LESS_THAN_HALF: f64 = 0.5 - 1.0 / (1 << 25) as f64;
    const ROUND: f64 = (3u64 << 51) as f64;
    ((value.abs() - LESS_THAN_HALF) + ROUND - ROUND).copysign(value)
}

/// The accumulator in units of the block.
#[cfg_attr(target_arch = "x86_64", inline(always))]
pub(super) fn align_accumulator(
    rule: &BlockRule,
    accumulator: Number,
    exponent: i32,
    watch: &mut impl Watch,
) -> i64 {
    if accumulator.class == Class::Zero {
        return 0;
    }
    let fraction_bits = rule.accumulator.format().fraction_bits;
    let down =
        exponent - accumulator.exponent + i32::from(fraction_bits) - i32::from(rule.kept_bits);
    let magnitude = u64::from(accumulator.significand);
    // `down` is at least `fraction_bits - kept_bits`, so the shift up is small.
    let magnitude = if down >= 0 {
        magnitude >> down.min(63)
    } else {
        magnitude << -down
    };
    let sign = if accumulator.is_negative { -1 } else { 1 };
    let aligned = sign * magnitude as i64;
    watch.adds(Aligned {
        source: TermSource::Accumulator,
        significand: sign * i64::from(accumulator.significand),
        fraction_bits,
        exponent: accumulator.exponent,
        aligned,
    });
    aligned
}

/// What infinities and NaN among the terms make of the sum. Order does not matter.
#[cold]
#[inline(never)]
fn special<const N: usize>(a: Block<'_, N>, b: Block<'_, N>, accumulator: Number) -> Special {
    let mut has_infinity = [false; 2];
    match accumulator.class {
        Class::NotANumber => return Special::NotANumber,
        Class::Infinity => has_infinity[usize::from(accumulator.is_negative)] = true,
        Class::Finite | Class::Zero => {}
    }
    for (a, b) in a.operands().zip(b.operands()) {
        match (a.class(), b.class()) {
            (Class::NotANumber, _)
            | (_, Class::NotANumber)
            | (Class::Infinity, Class::Zero)
            | (Class::Zero, Class::Infinity) => return Special::NotANumber,
            (Class::Infinity, _) | (_, Class::Infinity) => {
                has_infinity[usize::from((a.value < 0.0) != (b.value < 0.0))] = true;
            }
            (Class::Finite | Class::Zero, Class::Finite | Class::Zero) => {}
        }
    }
    match has_infinity {
        [true, false] => Special::Infinity,
        [false, true] => Special::NegativeInfinity,
        _ => Special::NotANumber,
    }
}

impl Accumulator {
    pub(super) fn special(self, special: Special) -> u32 {
        let (nan, infinity, sign) = match self {
            Accumulator::F32 { .. } => (NAN_32, INFINITY_32, 1 << 31),
            Accumulator::F16 => (NAN_16, INFINITY_16, 1 << 15),
        };
        match special {
            Special::NotANumber => nan,
            Special::Infinity => infinity,
            Special::NegativeInfinity => infinity | sign,
        }
    }

    /// The bits of `sum` * 2^`unit`. A sum of zero is positive; one that vanishes when it is rounded keeps its sign.
    #[cfg_attr(target_arch = "x86_64", inline(always))]
    pub(super) fn round(self, sum: i64, unit: i32) -> u32 {
        if sum == 0 {
            return 0;
        }
        // Sums have less than 53 bits, so `f64` has the fraction ready to be cut.
        let bits = (sum as f64).to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023 + unit;
        if let (Accumulator::F32 { cleared_bits }, -126..=127) = (self, exponent) {
            let fraction = (bits >> 29) as u32 & 0x7f_ffff;
            let word = ((exponent + 127) as u32) << 23 | fraction;
            return (bits >> 63 << 31) as u32 | word >> cleared_bits << cleared_bits;
        }
        self.round_at_the_edge(sum, unit)
    }

    /// The same for `f16`, and for results outside the normal range of `f32`.
    #[inline(never)]
    fn round_at_the_edge(self, sum: i64, unit: i32) -> u32 {
        let is_negative = u32::from(sum < 0);
        let magnitude = sum.unsigned_abs();
        match self {
            Accumulator::F32 { cleared_bits } => {
                let bits = cut_to_f32(magnitude, unit) >> cleared_bits << cleared_bits;
                is_negative << 31 | bits
            }
            Accumulator::F16 => is_negative << 15 | round_to_f16(magnitude, unit),
        }
    }
}

/// `magnitude` * 2^`unit` as `f32`, cut towards zero; beyond the range it is infinite all the same.
fn cut_to_f32(magnitude: u64, unit: i32) -> u32 {
    let exponent = unit + 63 - magnitude.leading_zeros() as i32;
    if exponent > 127 {
        return INFINITY_32;
    }
    let last = exponent.max(-126) - 23;
    let significand = shift(magnitude, last - unit);
    (((exponent.max(-126) + 126) as u32) << 23) + significand as u32
}

/// `magnitude` * 2^`unit` as `f16`, to nearest even.
pub(super) fn round_to_f16(magnitude: u64, unit: i32) -> u32 {
    let exponent = unit + 63 - magnitude.leading_zeros() as i32;
    if exponent > 15 {
        return INFINITY_16;
    }
    let down = exponent.max(-14) - 10 - unit;
    let significand = shift(magnitude, down);
    let is_up = down > 0 && {
        let half = shift(magnitude, down - 1) & 1 != 0;
        let is_more = down > 1 && magnitude & low_bits(down - 1) != 0;
        half && (is_more || significand & 1 != 0)
    };
    // A carry out of the significand goes into the exponent, and from the largest number to infinity.
    (((exponent.max(-14) + 14) as u32) << 10) + significand as u32 + u32::from(is_up)
}

/// Divides by 2^`down`, towards zero.
fn shift(magnitude: u64, down: i32) -> u64 {
    match down {
        64.. => 0,
        0..64 => magnitude >> down,
        _ => magnitude << -down,
    }
}

fn low_bits(n: i32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}
