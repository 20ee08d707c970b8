//! Fused sum of a block of products and an accumulator.
//!
//! Products are exact. Each term is aligned to the largest exponent of the block and truncated to a fixed number of
//! fraction bits. The sum of the aligned terms is exact, and is normalized and rounded once.

use crate::semantics::tensor::trace::{SpecialSum, TermSource};
use crate::semantics::tensor::unpacked_float;
use crate::semantics::tensor::unpacked_float::{
    FloatClass, Format, OperandBlock, SPECIAL_PRODUCT, UnpackedFloat, power_of_two,
    short_power_of_two,
};

/// Canonical NaN of `f32`, the result of sums with a NaN operand and of invalid operations.
pub(crate) const NAN_32: u32 = 0x7fff_ffff;
/// Canonical NaN of `f16`.
pub(crate) const NAN_16: u32 = 0x7fff;
const INFINITY_32: u32 = 0x7f80_0000;
const INFINITY_16: u32 = 0x7c00;

/// Format of the accumulator between blocks, which also determines the rounding of each block sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accumulator {
    /// `f32`, truncated. The low `cleared_bits` bits of the word are always zero.
    F32 { cleared_bits: u8 },
    /// `f16`, rounded to nearest even.
    F16,
}

impl Accumulator {
    fn format(self) -> Format {
        match self {
            Accumulator::F32 { .. } => unpacked_float::F32,
            Accumulator::F16 => unpacked_float::F16,
        }
    }

    /// Decodes an accumulator. The fast path handles normal `f32` numbers, which are the most frequent case and do not
    /// depend on the format.
    #[inline(always)]
    fn number(self, bits: u32) -> UnpackedFloat {
        let exponent = bits >> 23 & 0xff;
        match self {
            Accumulator::F32 { .. } if (1..=254).contains(&exponent) => UnpackedFloat {
                class: FloatClass::Finite,
                is_negative: bits >> 31 != 0,
                significand: bits & 0x7f_ffff | 1 << 23,
                exponent: exponent as i32 - 127,
            },
            Accumulator::F32 { .. } | Accumulator::F16 => self.format().number(bits),
        }
    }
}

/// Rule by which a Tensor Core generation adds the terms of a block: the precision and the alignment of the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FusedSumRule {
    /// Number of fraction bits, relative to the largest term, to which each term is truncated.
    pub(crate) kept_bits: u8,
    /// Number of fraction bits of a product: the sum of the fraction bits of both factors.
    pub(crate) product_bits: u8,
    pub(crate) accumulator: Accumulator,
    /// Lower bound of the exponent to which terms are aligned. The bound takes effect only if the exponents of all
    /// terms are below it.
    pub(crate) floor: i32,
}

/// Term of a block sum after its alignment, which a [`SumObserver`] receives.
pub(crate) struct AlignedTerm {
    pub(crate) source: TermSource,
    /// Signed significand in units of 2^(`exponent` - `fraction_bits`).
    pub(crate) significand: i64,
    pub(crate) fraction_bits: u8,
    pub(crate) exponent: i32,
    /// Signed value in units of the block sum, truncated to an integer.
    pub(crate) aligned: i64,
}

/// Observer of a fused sum, which receives the aligned terms. The implementation for `()` ignores all calls and has no
/// cost.
pub(crate) trait SumObserver {
    fn starts(&mut self, _exponent: i32, _rule: &FusedSumRule, _accumulator: u32) {}
    fn adds(&mut self, _term: impl FnOnce() -> AlignedTerm) {}
    fn ends(&mut self, _sum: i64, _special: Option<SpecialSum>, _result: u32) {}
}

impl SumObserver for () {}

/// Computes the sum of the accumulator `c` and the products of `a` and `b`, as bits in the format of the accumulator.
#[cfg_attr(target_arch = "x86_64", inline(always))]
pub(crate) fn block<const N: usize>(
    rule: &FusedSumRule,
    a: OperandBlock<'_, N>,
    b: OperandBlock<'_, N>,
    c: u32,
    watch: &mut impl SumObserver,
) -> u32 {
    let accumulator = rule.accumulator.number(c);
    let mut exponents = [0i16; N];
    for (exponent, (a, b)) in exponents
        .iter_mut()
        .zip(a.exponents.iter().zip(b.exponents))
    {
        *exponent = a + b;
    }
    let largest = exponents.iter().copied().fold(i16::MIN, i16::max);
    let mut exponent = rule.floor.max(i32::from(largest));
    if accumulator.class == FloatClass::Finite {
        exponent = exponent.max(accumulator.exponent);
    }
    watch.starts(exponent, rule, c);
    let is_finite = matches!(accumulator.class, FloatClass::Finite | FloatClass::Zero);
    if exponent >= SPECIAL_PRODUCT || !is_finite {
        let special = special(a, b, accumulator);
        let result = rule.accumulator.special(special);
        watch.ends(0, Some(special), result);
        return result;
    }
    let mut sum = align_accumulator(rule, accumulator, exponent, watch);
    let products = BlockProducts {
        a,
        b,
        largest: i32::from(largest),
        to_units: i32::from(rule.kept_bits) - exponent,
    };
    for (at, exponent) in exponents.into_iter().enumerate() {
        watch.adds(|| AlignedTerm {
            source: TermSource::Product(at as u16),
            significand: products
                .in_units_of(at, i32::from(rule.product_bits) - i32::from(exponent))
                as i64,
            fraction_bits: rule.product_bits,
            exponent: i32::from(exponent),
            aligned: products.in_units_of(at, products.to_units) as i64,
        });
    }
    sum += match CONVERTS_IN_VECTORS && products.are_short(rule.kept_bits) {
        true => products.sum_short(),
        false => products.sum_long(),
    };
    let result = rule
        .accumulator
        .round(sum, exponent - i32::from(rule.kept_bits));
    watch.ends(sum, None, result);
    result
}

/// Factors of a block, and the scale of their products: the unit of the block sum is 2 to the power of -`to_units`.
#[derive(Clone, Copy)]
struct BlockProducts<'a, const N: usize> {
    a: OperandBlock<'a, N>,
    b: OperandBlock<'a, N>,
    /// Largest exponent of the products.
    largest: i32,
    to_units: i32,
}

/// Whether the host has a vector instruction for the saturating conversion from `f32` to `i32`.
const CONVERTS_IN_VECTORS: bool = cfg!(target_arch = "wasm32");

/// Number of truncated products whose sum fits in `i32`.
const SHORT_SUM: usize = 16;

impl<const N: usize> BlockProducts<'_, N> {
    /// Returns the sum of the powers of two by which the decoded factors are implicitly multiplied.
    #[inline(always)]
    fn power(self) -> i32 {
        self.a.power + self.b.power
    }

    /// Returns the product of the factors at index `at`, multiplied by 2^`up`. Factors have at most 11 significant bits
    /// and products at most 22, so all products are exact in `f64`.
    #[inline(always)]
    fn in_units_of(self, at: usize, up: i32) -> f64 {
        let product = f64::from(self.a.values[at]) * f64::from(self.b.values[at]);
        product * power_of_two(up + self.power())
    }

    /// Checks whether each product is either exact in `f32` or truncated to zero, and whether sums of [`SHORT_SUM`]
    /// products fit in `i32`. A subnormal product with 22 significant bits is below 2^-126, and therefore below 1 in
    /// units of the block sum. A product in units of the block sum is below 2^(`kept_bits` + 2).
    #[inline(always)]
    fn are_short(self, kept_bits: u8) -> bool {
        let bits_of_a_sum = u32::from(kept_bits) + 2 + SHORT_SUM.ilog2();
        let to_units = self.to_units + self.power();
        bits_of_a_sum <= 31
            && self.largest - self.power() <= 125
            && (-126..=125).contains(&to_units)
    }

    /// Returns the sum of the truncated products, computed in `f32`. Requires that [`BlockProducts::are_short`] holds.
    #[inline(always)]
    fn sum_short(self) -> i64 {
        let unit = short_power_of_two(self.to_units + self.power());
        if N <= SHORT_SUM {
            return sum_cut(self.a.values, self.b.values, unit).into();
        }
        let (a, _) = self.a.values.as_chunks::<SHORT_SUM>();
        let (b, _) = self.b.values.as_chunks::<SHORT_SUM>();
        let sums = a.iter().zip(b).map(|(a, b)| i64::from(sum_cut(a, b, unit)));
        sums.sum()
    }

    /// Returns the sum of the truncated products, computed in `f64`, for any exponent.
    #[cfg_attr(target_arch = "x86_64", inline(always))]
    fn sum_long(self) -> i64 {
        let unit = power_of_two(self.to_units + self.power());
        let mut terms = [0.0; N];
        let factors = self.a.values.iter().zip(self.b.values);
        for (term, (a, b)) in terms.iter_mut().zip(factors) {
            *term = cut(f64::from(*a) * f64::from(*b) * unit);
        }
        // Each term is an integer of less than 53 bits, so the sum is exact in any order of additions.
        let mut parts = [0.0; 4];
        for four in terms.chunks_exact(4) {
            for (part, term) in parts.iter_mut().zip(four) {
                *part += term;
            }
        }
        (parts[0] + parts[1] + parts[2] + parts[3]) as i64
    }
}

/// Truncates `value` to an integer. The magnitude must be below 2^30 and have at most 24 significant bits. A noninteger
/// magnitude is therefore at least 2^-24 below the next integer, so subtracting slightly less than one half and
/// rounding to nearest is equivalent to truncation. The rounding adds and subtracts a number whose ulp is 1. Unlike
/// conversions to integers, these operations compile to vector instructions on all hosts.
#[cfg_attr(target_arch = "x86_64", inline(always))]
fn cut(value: f64) -> f64 {
    const LESS_THAN_HALF: f64 = 0.5 - 1.0 / (1 << 25) as f64;
    const ROUND: f64 = (3u64 << 51) as f64;
    ((value.abs() - LESS_THAN_HALF) + ROUND - ROUND).copysign(value)
}

/// Returns the sum of the products, each multiplied by `unit` and truncated. The number of terms is a constant, so that
/// the compiler generates vector instructions without a loop.
#[inline(always)]
fn sum_cut<const N: usize>(a: &[f32; N], b: &[f32; N], unit: f32) -> i32 {
    let terms = a.iter().zip(b).map(|(a, b)| (a * b * unit) as i32);
    terms.fold(0, i32::wrapping_add)
}

/// Aligns the accumulator to the exponent of the block, and truncates it to an integer in units of the block sum.
#[inline(always)]
pub(crate) fn align_accumulator(
    rule: &FusedSumRule,
    accumulator: UnpackedFloat,
    exponent: i32,
    watch: &mut impl SumObserver,
) -> i64 {
    if accumulator.class == FloatClass::Zero {
        return 0;
    }
    let fraction_bits = rule.accumulator.format().fraction_bits;
    let down =
        exponent - accumulator.exponent + i32::from(fraction_bits) - i32::from(rule.kept_bits);
    let magnitude = u64::from(accumulator.significand);
    // The left shift does not overflow, because a negative `down` is at least `fraction_bits - kept_bits`.
    let magnitude = if down >= 0 {
        magnitude >> down.min(63)
    } else {
        magnitude << -down
    };
    let sign = if accumulator.is_negative { -1 } else { 1 };
    let aligned = sign * magnitude as i64;
    watch.adds(|| AlignedTerm {
        source: TermSource::Accumulator,
        significand: sign * i64::from(accumulator.significand),
        fraction_bits,
        exponent: accumulator.exponent,
        aligned,
    });
    aligned
}

/// Returns the result of a block sum with infinite or NaN terms, which does not depend on the order of the terms.
#[cold]
#[inline(never)]
fn special<const N: usize>(
    a: OperandBlock<'_, N>,
    b: OperandBlock<'_, N>,
    accumulator: UnpackedFloat,
) -> SpecialSum {
    let mut has_infinity = [false; 2];
    match accumulator.class {
        FloatClass::NotANumber => return SpecialSum::NotANumber,
        FloatClass::Infinity => has_infinity[usize::from(accumulator.is_negative)] = true,
        FloatClass::Finite | FloatClass::Zero => {}
    }
    for (a, b) in a.operands().zip(b.operands()) {
        match (a.class(), b.class()) {
            (FloatClass::NotANumber, _)
            | (_, FloatClass::NotANumber)
            | (FloatClass::Infinity, FloatClass::Zero)
            | (FloatClass::Zero, FloatClass::Infinity) => return SpecialSum::NotANumber,
            (FloatClass::Infinity, _) | (_, FloatClass::Infinity) => {
                has_infinity[usize::from((a.value < 0.0) != (b.value < 0.0))] = true;
            }
            (FloatClass::Finite | FloatClass::Zero, FloatClass::Finite | FloatClass::Zero) => {}
        }
    }
    match has_infinity {
        [true, false] => SpecialSum::Infinity,
        [false, true] => SpecialSum::NegativeInfinity,
        _ => SpecialSum::NotANumber,
    }
}

impl Accumulator {
    pub(crate) fn special(self, special: SpecialSum) -> u32 {
        let (nan, infinity, sign) = match self {
            Accumulator::F32 { .. } => (NAN_32, INFINITY_32, 1 << 31),
            Accumulator::F16 => (NAN_16, INFINITY_16, 1 << 15),
        };
        match special {
            SpecialSum::NotANumber => nan,
            SpecialSum::Infinity => infinity,
            SpecialSum::NegativeInfinity => infinity | sign,
        }
    }

    /// Rounds `sum` * 2^`unit` to the accumulator format. A zero sum is positive. A nonzero sum that underflows to zero
    /// keeps its sign.
    #[inline(always)]
    pub(crate) fn round(self, sum: i64, unit: i32) -> u32 {
        if sum == 0 {
            return 0;
        }
        // Convert the sum to `f64` to normalize it. The conversion is exact, because sums have less than 53 bits.
        let bits = (sum as f64).to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023 + unit;
        if let (Accumulator::F32 { cleared_bits }, -126..=127) = (self, exponent) {
            let fraction = (bits >> 29) as u32 & 0x7f_ffff;
            let word = ((exponent + 127) as u32) << 23 | fraction;
            return (bits >> 63 << 31) as u32 | word >> cleared_bits << cleared_bits;
        }
        self.round_at_the_edge(sum, unit)
    }

    /// Rounds to `f16`, or to `f32` if the value is outside of the normal range of `f32`.
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

/// Converts `magnitude` * 2^`unit` to `f32` by truncation. An overflow results in infinity instead of the largest
/// finite number.
fn cut_to_f32(magnitude: u64, unit: i32) -> u32 {
    let exponent = unit + 63 - magnitude.leading_zeros() as i32;
    if exponent > 127 {
        return INFINITY_32;
    }
    let last = exponent.max(-126) - 23;
    let significand = shift(magnitude, last - unit);
    (((exponent.max(-126) + 126) as u32) << 23) + significand as u32
}

/// Converts `magnitude` * 2^`unit` to `f16`, and rounds to nearest even.
pub(crate) fn round_to_f16(magnitude: u64, unit: i32) -> u32 {
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
    // A carry out of the significand increments the exponent, and turns an overflow of the largest finite number into
    // infinity.
    (((exponent.max(-14) + 14) as u32) << 10) + significand as u32 + u32::from(is_up)
}

/// Divides `magnitude` by 2^`down`, and truncates the result.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::tensor::unpacked_float::UnpackedOperands;

    /// Returns a deterministic pseudorandom sequence for a seed.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let first = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        std::iter::successors(Some(first), |state| {
            let state = state ^ state << 13;
            let state = state ^ state >> 7;
            Some(state ^ state << 17)
        })
    }

    /// Computes the sum of a random block with the `f32` algorithm and with the `f64` algorithm. The unit of the sum
    /// keeps `kept_bits` fraction bits of the largest product.
    fn both_sums<const N: usize>(format: Format, kept_bits: u8, seed: u64) -> Option<[i64; 2]> {
        let bits: Vec<u64> = numbers(seed).take(2 * N).collect();
        let (a, b) = bits.split_at(N);
        let (a, b) = (
            UnpackedOperands::<N>::read(format, a),
            UnpackedOperands::<N>::read(format, b),
        );
        let (a, b) = (
            a.first(N).blocks::<N>().every(0, 1).next()?,
            b.first(N).blocks::<N>().every(0, 1).next()?,
        );
        let exponents = a.exponents.iter().zip(b.exponents);
        let largest = i32::from(exponents.map(|(a, b)| a + b).max()?);
        let products = BlockProducts {
            a,
            b,
            largest,
            to_units: i32::from(kept_bits) - largest,
        };
        let is_finite = largest < SPECIAL_PRODUCT;
        (is_finite && products.are_short(kept_bits))
            .then(|| [products.sum_short(), products.sum_long()])
    }

    #[test]
    fn short_and_long_sum_algorithms_agree() {
        let mut n = 0;
        for format in [
            unpacked_float::F16,
            unpacked_float::BF16,
            unpacked_float::TF32,
            unpacked_float::E4M3,
        ] {
            for (seed, kept_bits) in (0..4000).zip([13, 23, 24, 25].into_iter().cycle()) {
                let sums = [
                    both_sums::<16>(format, kept_bits, seed),
                    both_sums::<32>(format, kept_bits, seed),
                ];
                for [short, long] in sums.into_iter().flatten() {
                    assert_eq!(short, long, "{format:?}, {kept_bits} bits, seed {seed}");
                    n += 1;
                }
            }
        }
        assert!(n > 5_000, "{n} blocks were short");
    }
}
