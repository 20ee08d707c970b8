//! Block-scaled products: elements of the rows of A and the columns of B are multiplied by scale factors (PTX ISA,
//! "Block Scaling"). The summation follows MMA-Sim (arXiv 2511.10909), the only published model, because no results of
//! GPUs were available.

use crate::semantics::tensor::fused_sum::{Accumulator, AlignedTerm, FusedSumRule};
use crate::semantics::tensor::model::MmaObserver;
use crate::semantics::tensor::trace::{SpecialSum, TermSource};
use crate::semantics::tensor::unpacked_float;
use crate::semantics::tensor::unpacked_float::FloatClass;

/// Type of the scale factors of a block-scaled product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScaleType {
    /// 2 to the power of the byte minus 127. The byte 255 is NaN.
    Ue8m0,
    /// 8-bit float whose sign is ignored.
    Ue4m3,
}

/// Row of A or column of B of a block-scaled product, with its scale factors.
#[derive(Clone, Copy, Debug)]
pub struct ScaledOperandLine<'a> {
    /// Bits of each element.
    pub values: &'a [u64],
    /// Scale factors in ascending k. Each scale factor applies to an equal number of consecutive elements.
    pub factors: &'a [u8],
}

/// Decoded scale factor with the value `significand` * 2^(`exponent` - [`ScaleType::fraction_bits`]).
#[derive(Clone, Copy)]
struct ScaleFactor {
    significand: i64,
    exponent: i32,
}

impl ScaleType {
    const fn fraction_bits(self) -> u8 {
        match self {
            ScaleType::Ue8m0 => 0,
            ScaleType::Ue4m3 => unpacked_float::E4M3.fraction_bits,
        }
    }

    fn read(self, byte: u8) -> Option<ScaleFactor> {
        match self {
            ScaleType::Ue8m0 => Some(ScaleFactor {
                significand: 1,
                exponent: power(byte)?,
            }),
            ScaleType::Ue4m3 => {
                let number = unpacked_float::E4M3.number(u32::from(byte & 0x7f));
                let is_number = matches!(number.class, FloatClass::Finite | FloatClass::Zero);
                is_number.then_some(ScaleFactor {
                    significand: i64::from(number.significand),
                    exponent: number.exponent,
                })
            }
        }
    }
}

/// Returns the exponent of a `ue8m0` byte, or `None` for a NaN.
pub(crate) fn power(byte: u8) -> Option<i32> {
    (byte != 0xff).then(|| i32::from(byte) - 127)
}

/// Number of products of 4-bit floats that are added exactly before the scale factors are applied.
const GROUP: usize = 16;
/// Magnitudes of `e2m1` in units of one half.
const HALVES: [i64; 8] = [0, 1, 2, 3, 4, 6, 8, 12];
/// Number of fraction bits of a product of two `e2m1` elements.
const PRODUCT_FRACTION_BITS: u8 = 2;

fn halves(bits: u64) -> i64 {
    let magnitude = HALVES[bits as usize & 7];
    if bits & 8 == 0 { magnitude } else { -magnitude }
}

/// Computes the sum of groups of 4-bit products and the accumulator `c`, as bits of `f32`. The sum of each group is
/// exact. The alignment of a group depends only on the exponents of its scale factors.
pub(crate) fn sum_groups(
    rule: &FusedSumRule,
    ty: ScaleType,
    a: ScaledOperandLine<'_>,
    b: ScaledOperandLine<'_>,
    c: u32,
    watch: &mut impl MmaObserver,
) -> u32 {
    let accumulator = unpacked_float::F32.number(c);
    let mut terms = [(0, 0); 4];
    let mut exponent = rule.floor;
    let mut special = match (accumulator.class, accumulator.is_negative) {
        (FloatClass::NotANumber, _) => Some(SpecialSum::NotANumber),
        (FloatClass::Infinity, false) => Some(SpecialSum::Infinity),
        (FloatClass::Infinity, true) => Some(SpecialSum::NegativeInfinity),
        (FloatClass::Finite | FloatClass::Zero, _) => None,
    };
    if accumulator.class == FloatClass::Finite {
        exponent = exponent.max(accumulator.exponent);
    }
    let pairs = a.values.chunks(GROUP).zip(b.values.chunks(GROUP));
    let n_groups = a.values.len().div_ceil(GROUP);
    for (at, (term, (a_values, b_values))) in terms.iter_mut().zip(pairs).enumerate() {
        let factor = |line: ScaledOperandLine<'_>| {
            let place = at * line.factors.len() / n_groups;
            ty.read(line.factors.get(place).copied().unwrap_or(0xff))
        };
        let (Some(x), Some(y)) = (factor(a), factor(b)) else {
            special = Some(SpecialSum::NotANumber);
            continue;
        };
        let products = a_values.iter().zip(b_values);
        let sum: i64 = products.map(|(a, b)| halves(*a) * halves(*b)).sum();
        let scale = x.significand * y.significand;
        *term = (sum * scale, x.exponent + y.exponent);
        if scale != 0 {
            exponent = exponent.max(term.1);
        }
    }
    watch.starts(exponent, rule, c);
    if let Some(special) = special {
        let result = rule.accumulator.special(special);
        watch.ends(0, Some(special), result);
        return result;
    }
    let fraction_bits = PRODUCT_FRACTION_BITS + 2 * ty.fraction_bits();
    let mut sum =
        crate::semantics::tensor::fused_sum::align_accumulator(rule, accumulator, exponent, watch);
    for (at, (significand, of_term)) in terms.into_iter().take(n_groups).enumerate() {
        let down = exponent - of_term + i32::from(fraction_bits) - i32::from(rule.kept_bits);
        let aligned = match down {
            // A zero term does not contribute to the maximum exponent of the block, so its own exponent may exceed the
            // maximum.
            _ if significand == 0 => 0,
            // Integer division truncates towards zero.
            0..=62 => significand / (1i64 << down),
            63.. => 0,
            // The exponent of a term is at most the exponent of the block, so this left shift is at most `kept_bits`.
            _ => significand << -down,
        };
        watch.adds(|| AlignedTerm {
            source: TermSource::Group(at as u16),
            significand,
            fraction_bits,
            exponent: of_term,
            aligned,
        });
        sum += aligned;
    }
    let unit = exponent - i32::from(rule.kept_bits);
    let result = rule.accumulator.round(sum, unit);
    watch.ends(sum, None, result);
    result
}

/// Summation rule for groups of 4-bit floats: each term keeps 35 fraction bits.
pub(crate) const GROUP_RULE: FusedSumRule = FusedSumRule {
    kept_bits: 35,
    product_bits: PRODUCT_FRACTION_BITS,
    accumulator: Accumulator::F32 { cleared_bits: 0 },
    floor: crate::semantics::tensor::algorithm::floor(-126, 35),
};
