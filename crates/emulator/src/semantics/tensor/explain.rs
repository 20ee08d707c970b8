//! The steps of a product as data: the blocks, each term aligned, the bits that were cut.

use crate::semantics::tensor::fused::{Accumulator, Aligned, BlockRule, Watch};
use crate::semantics::tensor::plan::Listener;
use crate::semantics::tensor::rule::Product;
use warpgrid_isa::ScalarType;

/// Computation of an element of D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub product: Product,
    /// In order. Integer sums have none: they are exact.
    pub steps: Vec<Step>,
    /// The bits of the element of D.
    pub result: u64,
}

/// Operation of the hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A fused sum.
    Block(BlockStep),
    /// An element of C, `f16` to `f32`, exactly.
    Widen { bits: u32, result: u32 },
    /// `f32` to `f16`, to nearest even.
    Narrow { bits: u32, result: u32 },
    /// An IEEE addition of two accumulators.
    Add { a: u32, b: u32, result: u32 },
    /// An IEEE fused multiply-add with the elements at `k`.
    Fma {
        k: u16,
        a: u64,
        b: u64,
        c: u64,
        result: u64,
    },
}

impl Step {
    pub(crate) fn fma(k: usize, a: u64, b: u64, c: u64, result: u64) -> Step {
        Step::Fma {
            k: k as u16,
            a,
            b,
            c,
            result,
        }
    }
}

/// A sum that is no number, or infinite, because a term is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    NotANumber,
    Infinity,
    NegativeInfinity,
}

/// A fused sum. Its unit is 2^(`exponent` - `kept_bits`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockStep {
    /// The type of accumulator and result: `f16` or `f32`.
    pub ty: ScalarType,
    /// The accumulator's bits.
    pub accumulator: u32,
    /// The exponent to which all terms are aligned. Without meaning where `special` is set.
    pub exponent: i32,
    /// Fraction bits that are kept below `exponent`.
    pub kept_bits: u8,
    /// The terms, the accumulator first unless it is zero. Empty where `special` is set.
    pub terms: Vec<TermStep>,
    /// The sum in units of the block.
    pub sum: i64,
    pub special: Option<Special>,
    /// The rounded sum's bits.
    pub result: u32,
}

/// Where a term comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermSource {
    Accumulator,
    /// The product with this place in the block.
    Product(u16),
    /// The exact sum of 16 products with their factors: the place of these among the groups.
    Group(u16),
}

/// A term: exactly `significand` * 2^(`exponent` - `fraction_bits`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermStep {
    pub source: TermSource,
    pub significand: i64,
    pub fraction_bits: u8,
    pub exponent: i32,
    /// What takes part, in units of the block.
    pub aligned: i64,
    /// The bits of the significand's magnitude that were cut, and how many of its low bits these are.
    pub cut: u64,
    pub n_cut_bits: u32,
}

/// Keeps the steps.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) steps: Vec<Step>,
}

impl Recorder {
    fn block(&mut self) -> Option<&mut BlockStep> {
        match self.steps.last_mut() {
            Some(Step::Block(block)) => Some(block),
            _ => None,
        }
    }
}

impl Watch for Recorder {
    fn starts(&mut self, exponent: i32, rule: &BlockRule, accumulator: u32) {
        self.steps.push(Step::Block(BlockStep {
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

    fn adds(&mut self, term: impl FnOnce() -> Aligned) {
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

    fn ends(&mut self, sum: i64, special: Option<Special>, result: u32) {
        if let Some(block) = self.block() {
            (block.sum, block.special, block.result) = (sum, special, result);
        }
    }
}

impl Listener for Recorder {
    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.steps.push(step());
    }
}
