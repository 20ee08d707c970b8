//! Records of the steps that compute an element of a matrix product: its blocks, the aligned terms of each block, and
//! the truncated bits of each term.

use crate::semantics::tensor::algorithm::MmaDescription;
use crate::semantics::tensor::fused_sum::{Accumulator, AlignedTerm, FusedSumRule, SumObserver};
use crate::semantics::tensor::model::MmaObserver;
use warpgrid_isa::ScalarType;

/// Steps and result of the computation of one element of D, as recorded by
/// [`TensorCoreModel::explain`](super::model::TensorCoreModel::explain).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MmaTrace {
    pub product: MmaDescription,
    /// Steps in execution order. The list is empty for integer sums, because they are exact.
    pub steps: Vec<MmaStep>,
    /// Bits of the element of D.
    pub result: u64,
}

/// Step of an [`MmaTrace`]: a fused sum, a conversion or an addition that the hardware performs to compute an element
/// of D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MmaStep {
    /// Fused sum of a block.
    Block(BlockStep),
    /// Exact conversion of an element of C from `f16` to `f32`.
    Widen { bits: u32, result: u32 },
    /// Conversion of a result from `f32` to `f16`, rounded to nearest even.
    Narrow { bits: u32, result: u32 },
    /// IEEE addition of two accumulators.
    Add { a: u32, b: u32, result: u32 },
    /// IEEE fused multiply-add of an accumulator and the product of the elements at `k`.
    Fma {
        k: u16,
        a: u64,
        b: u64,
        c: u64,
        result: u64,
    },
}

impl MmaStep {
    pub(crate) fn fma(k: usize, a: u64, b: u64, c: u64, result: u64) -> MmaStep {
        MmaStep::Fma {
            k: k as u16,
            a,
            b,
            c,
            result,
        }
    }
}

/// Result of a fused sum with a NaN or infinite term, whose other terms are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialSum {
    NotANumber,
    Infinity,
    NegativeInfinity,
}

/// Fused sum of a block. The unit of the sum is 2^(`exponent` - `kept_bits`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockStep {
    /// Type of the accumulator and of the result: `f16` or `f32`.
    pub ty: ScalarType,
    /// Bits of the accumulator.
    pub accumulator: u32,
    /// Exponent to which all terms are aligned. The value is meaningless if `special` is set.
    pub exponent: i32,
    /// Number of fraction bits that each term keeps below `exponent`.
    pub kept_bits: u8,
    /// Terms of the sum, starting with the accumulator unless the accumulator is zero. The list is empty if `special`
    /// is set.
    pub terms: Vec<TermStep>,
    /// Sum of the aligned terms in units of the block sum.
    pub sum: i64,
    pub special: Option<SpecialSum>,
    /// Bits of the rounded sum.
    pub result: u32,
}

/// Origin of a term of a fused sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermSource {
    Accumulator,
    /// Product of the factors with this index in the block.
    Product(u16),
    /// Exact sum of 16 products, multiplied by the scale factors of the group. The value is the index of the group.
    Group(u16),
}

/// Term of a fused sum in a [`BlockStep`], with the exact value `significand` * 2^(`exponent` - `fraction_bits`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermStep {
    pub source: TermSource,
    pub significand: i64,
    pub fraction_bits: u8,
    pub exponent: i32,
    /// Value of the term after alignment and truncation, in units of the block sum. The hardware adds this value to the
    /// sum.
    pub aligned: i64,
    /// Low bits of the significand's magnitude that the alignment truncates.
    pub cut: u64,
    pub n_cut_bits: u32,
}

/// Observer that records the steps of a matrix product in an [`MmaTrace`].
#[derive(Default)]
pub(crate) struct StepRecorder {
    pub(crate) steps: Vec<MmaStep>,
}

impl StepRecorder {
    fn block(&mut self) -> Option<&mut BlockStep> {
        match self.steps.last_mut() {
            Some(MmaStep::Block(block)) => Some(block),
            _ => None,
        }
    }
}

impl SumObserver for StepRecorder {
    fn starts(&mut self, exponent: i32, rule: &FusedSumRule, accumulator: u32) {
        self.steps.push(MmaStep::Block(BlockStep {
            ty: match rule.accumulator {
                Accumulator::F32 { .. } => ScalarType::F32,
                Accumulator::F16 => ScalarType::F16,
            },
            accumulator,
            exponent,
            kept_bits: rule.kept_bits,
            terms: Vec::new(),
            sum: 0,
            special: None,
            result: 0,
        }));
    }

    fn adds(&mut self, term: impl FnOnce() -> AlignedTerm) {
        let term = term();
        let Some(block) = self.block() else { return };
        if term.significand == 0 {
            return;
        }
        let unit = block.exponent - i32::from(block.kept_bits);
        let n_cut_bits = (unit - term.exponent + i32::from(term.fraction_bits)).clamp(0, 63) as u32;
        block.terms.push(TermStep {
            source: term.source,
            significand: term.significand,
            fraction_bits: term.fraction_bits,
            exponent: term.exponent,
            aligned: term.aligned,
            cut: term.significand.unsigned_abs() & ((1 << n_cut_bits) - 1),
            n_cut_bits,
        });
    }

    fn ends(&mut self, sum: i64, special: Option<SpecialSum>, result: u32) {
        if let Some(block) = self.block() {
            (block.sum, block.special, block.result) = (sum, special, result);
        }
    }
}

impl MmaObserver for StepRecorder {
    fn step(&mut self, step: impl FnOnce() -> MmaStep) {
        self.steps.push(step());
    }
}
