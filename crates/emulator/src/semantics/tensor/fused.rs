//! The fused sum of a block of products and an accumulator. Operands and the accumulator's bits go in, the result's bits come out.
//!
//! Products are exact; every term is aligned to the largest exponent and cut towards zero to a fixed number of fraction bits; the
//! sum is exact; the result is normalised and rounded once.

use crate::semantics::tensor::explain::{Special, TermSource};
use crate::semantics::tensor::number;
use crate::semantics::tensor::number::{
    Block, Class, Format, Number, SPECIAL_PRODUCT, power_of_two, short_power_of_two,
};

/// The NaN that every NaN and invalid operation becomes.
pub(crate) const NAN_32: u32 = 0x7fff_ffff;
/// The same with 16 bits.
pub(crate) const NAN_16: u32 = 0x7fff;
const INFINITY_32: u32 = 0x7f80_0000;
const INFINITY_16: u32 = 0x7c00;

/// The format of the accumulator between blocks, and how a sum is rounded to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accumulator {
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

    /// Takes the bits of an accumulator apart. Normal numbers of `f32` are most of them, and the only ones that take no look at the format.
    #[inline(always)]
    fn number(self, bits: u32) -> Number {
        let exponent = bits >> 23 & 0xff;
        match self {
            Accumulator::F32 { .. } if (1..=254).contains(&exponent) => Number {
                class: Class::Finite,
                is_negative: bits >> 31 != 0,
                significand: bits & 0x7f_ffff | 1 << 23,
                exponent: exponent as i32 - 127,
            },
            Accumulator::F32 { .. } | Accumulator::F16 => self.format().number(bits),
        }
    }
}

/// How a tensor core adds a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRule {
    /// Fraction bits of the largest term that are kept of every term.
    pub(crate) kept_bits: u8,
    /// Fraction bits of a product: those of both factors.
    pub(crate) product_bits: u8,
    pub(crate) accumulator: Accumulator,
    /// The exponent below which terms are not aligned: it matters only when all terms are tiny.
    pub(crate) floor: i32,
}

/// A term on its way into the sum.
pub(crate) struct Aligned {
    pub(crate) source: TermSource,
    /// With sign, in units of 2^(`exponent` - `fraction_bits`).
    pub(crate) significand: i64,
    pub(crate) fraction_bits: u8,
    pub(crate) exponent: i32,
    /// With sign, in units of the block.
    pub(crate) aligned: i64,
}

/// Listens to the sum; the unit type hears nothing and costs nothing.
pub(crate) trait Watch {
    fn starts(&mut self, _exponent: i32, _rule: &BlockRule, _accumulator: u32) {}
    fn adds(&mut self, _term: impl FnOnce() -> Aligned) {}
    fn ends(&mut self, _sum: i64, _special: Option<Special>, _result: u32) {}
}

impl Watch for () {}

/// The sum of the products of `a` and `b` and of the accumulator `c`, as bits of the accumulator's format.
#[cfg_attr(target_arch = "x86_64", inline(always))]
pub(crate) fn block<const N: usize>(
    rule: &BlockRule,
    a: Block<'_, N>,
    b: Block<'_, N>,
    c: u32,
    watch: &mut impl Watch,
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
    let products = Products {
        a,
        b,
        largest: i32::from(largest),
        to_units: i32::from(rule.kept_bits) - exponent,
    };
    for (at, exponent) in exponents.into_iter().enumerate() {
        watch.adds(|| Aligned {
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

/// The products of a block, on their way into its units: 1 is 2^-`to_units`.
#[derive(Clone, Copy)]
struct Products<'a, const N: usize> {
    a: Block<'a, N>,
    b: Block<'a, N>,
    /// The largest exponent of a product.
    largest: i32,
    to_units: i32,
}

/// Whether the conversion of `f32` to `i32` that ends at the limits is a vector instruction of the host.
const CONVERTS_IN_VECTORS: bool = cfg!(target_arch = "wasm32");

/// Products whose sum `i32` has.
const SHORT_SUM: usize = 16;

impl<const N: usize> Products<'_, N> {
    /// The power of two that both factors are multiplied by.
    #[inline(always)]
    fn power(self) -> i32 {
        self.a.power + self.b.power
    }

    /// A product times 2 to the power of `up`. Values have 11 bits and products 22, so `f64` has all of them exactly.
    #[inline(always)]
    fn in_units_of(self, at: usize, up: i32) -> f64 {
        let product = f64::from(self.a.values[at]) * f64::from(self.b.values[at]);
        product * power_of_two(up + self.power())
    }

    /// Whether `f32` has every product exactly, or one that is cut to zero, and `i32` the sums of [`SHORT_SUM`]. A product of 22 bits that is
    /// subnormal is below 2^-126, and in units of a block below 1; one in units of a block is below 2^(`kept_bits` + 2).
    #[inline(always)]
    fn are_short(self, kept_bits: u8) -> bool {
        let bits_of_a_sum = u32::from(kept_bits) + 2 + SHORT_SUM.ilog2();
        let to_units = self.to_units + self.power();
        bits_of_a_sum <= 31
            && self.largest - self.power() <= 125
            && (-126..=125).contains(&to_units)
    }

    /// The sum of the products, each cut towards zero.
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

    /// The same for every exponent.
    #[cfg_attr(target_arch = "x86_64", inline(always))]
    fn sum_long(self) -> i64 {
        let unit = power_of_two(self.to_units + self.power());
        let mut terms = [0.0; N];
        let factors = self.a.values.iter().zip(self.b.values);
        for (term, (a, b)) in terms.iter_mut().zip(factors) {
            *term = cut(f64::from(*a) * f64::from(*b) * unit);
        }
        // Whole numbers of less than 53 bits: their sum is exact in any order.
        let mut parts = [0.0; 4];
        for four in terms.chunks_exact(4) {
            for (part, term) in parts.iter_mut().zip(four) {
                *part += term;
            }
        }
        (parts[0] + parts[1] + parts[2] + parts[3]) as i64
    }
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

/// The sum of products times `unit`, each cut towards zero. The number of terms is known to the compiler, so that this becomes vector
/// instructions without a loop.
#[inline(always)]
fn sum_cut<const N: usize>(a: &[f32; N], b: &[f32; N], unit: f32) -> i32 {
    let terms = a.iter().zip(b).map(|(a, b)| (a * b * unit) as i32);
    terms.fold(0, i32::wrapping_add)
}

/// The accumulator in units of the block.
#[inline(always)]
pub(crate) fn align_accumulator(
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
    watch.adds(|| Aligned {
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
    pub(crate) fn special(self, special: Special) -> u32 {
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
    #[inline(always)]
    pub(crate) fn round(self, sum: i64, unit: i32) -> u32 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::tensor::number::Operands;

    /// Bits that differ from seed to seed, and are the same in every run.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let first = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        std::iter::successors(Some(first), |state| {
            let state = state ^ state << 13;
            let state = state ^ state >> 7;
            Some(state ^ state << 17)
        })
    }

    /// Sums of blocks of random bits, in units that keep `kept_bits` of the largest product.
    fn both_sums<const N: usize>(format: Format, kept_bits: u8, seed: u64) -> Option<[i64; 2]> {
        let bits: Vec<u64> = numbers(seed).take(2 * N).collect();
        let (a, b) = bits.split_at(N);
        let (a, b) = (
            Operands::<N>::read(format, a),
            Operands::<N>::read(format, b),
        );
        let (a, b) = (
            a.first(N).blocks::<N>().every(0, 1).next()?,
            b.first(N).blocks::<N>().every(0, 1).next()?,
        );
        let exponents = a.exponents.iter().zip(b.exponents);
        let largest = i32::from(exponents.map(|(a, b)| a + b).max()?);
        let products = Products {
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
    fn short_and_long_sums_agree() {
        let mut n = 0;
        for format in [number::F16, number::BF16, number::TF32, number::E4M3] {
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
