//! Conversion of the computation steps of an MMA instruction to the form that hosts display.

use crate::analysis::mma_explanation::{NumberView, decimal, shown};
use serde::{Deserialize, Serialize};
use warpgrid_emulator::tensor::{
    BlockStep, MmaDescription, MmaStep, SpecialSum, TermSource, TermStep, value_of,
};
use warpgrid_isa::ScalarType;

/// Name of the accumulator in the list of terms.
const ACCUMULATOR: &str = "accumulator";

/// Step of an MMA computation, which hosts display: a fused sum with truncation, or one IEEE 754 operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum MmaStepView {
    Block(AccumulationBlockView),
    Operation(OperationView),
}

/// Fused sum of an MMA computation, in the form that hosts display. The hardware aligns all terms to the largest exponent, truncates them,
/// and adds them as integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AccumulationBlockView {
    /// Indices k of the products in this block: `k = 0 to 7`.
    pub products: String,
    pub accumulator: NumberView,
    /// Largest exponent of the terms. The value is undefined if `special` is set.
    pub exponent: i32,
    /// Number of bits below the largest exponent that the hardware keeps.
    pub kept_bits: u8,
    /// Nonzero terms of the fused sum.
    pub terms: Vec<TermView>,
    /// Fused sum in units of 2^(`exponent` - `kept_bits`), as a decimal number.
    pub sum: String,
    /// Reason why the fused sum is NaN or infinite. The field is absent if the sum is finite.
    pub special: Option<String>,
    pub result: NumberView,
    /// Whether the fused sum has more bits than the result type.
    pub is_cut: bool,
}

impl AccumulationBlockView {
    /// Checks whether a product is nonzero.
    pub(crate) fn has_products(&self) -> bool {
        self.special.is_some() || self.terms.iter().any(|term| term.source != ACCUMULATOR)
    }
}

/// Term of an [`AccumulationBlockView`] before and after the alignment, in the form that hosts display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TermView {
    /// Name of the source of the term: `accumulator` or `k = 3`.
    pub source: String,
    /// Exact value of the term before alignment.
    pub value: String,
    /// Value of the term after alignment, in the units of the sum of its block, as a decimal number.
    pub aligned: String,
    /// Bits that the alignment truncates, in binary. The text is empty if the alignment truncates no bits.
    pub cut: String,
}

impl TermView {
    /// Checks whether the alignment of the term truncated nonzero bits.
    pub(crate) fn is_inexact(&self) -> bool {
        self.cut.contains('1')
    }
}

/// IEEE 754 operation of an MMA computation with its result, in the form that hosts display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OperationView {
    /// Formula of the operation: `1.5 * 2 + 0.25, rounded to f32`.
    pub text: String,
    pub result: NumberView,
}

impl MmaStepView {
    /// Checks whether the step is a fused sum with a nonzero product.
    pub(crate) fn adds_products(&self) -> bool {
        matches!(self, MmaStepView::Block(block) if block.has_products())
    }

    /// Checks whether the step is a fused sum that the hardware truncated to the result type.
    pub(crate) fn rounds(&self) -> bool {
        matches!(self, MmaStepView::Block(block) if block.is_cut)
    }
}

pub(crate) fn views(product: &MmaDescription, steps: &[MmaStep]) -> Vec<MmaStepView> {
    let n_blocks = steps
        .iter()
        .filter(|step| matches!(step, MmaStep::Block(_)))
        .count();
    let ends_with_addition = steps.iter().any(|step| matches!(step, MmaStep::Add { .. }));
    let width = usize::from(product.shape.k) / n_blocks.max(1);
    let order = if ends_with_addition {
        TermOrder::Halves
    } else {
        TermOrder::Ascending { width }
    };
    let accumulator = steps.iter().find_map(|step| match step {
        MmaStep::Block(block) => Some(block.ty),
        _ => None,
    });
    let accumulator = accumulator.unwrap_or(ScalarType::F32);
    let mut n_done = 0;
    steps
        .iter()
        .map(|step| match step {
            MmaStep::Block(block) => {
                let view = block_view(block, order, n_done, width);
                n_done += 1;
                MmaStepView::Block(view)
            }
            other => MmaStepView::Operation(operation(other, accumulator)),
        })
        .collect()
}

/// Order in which the hardware assigns the indices k to the blocks of a product.
#[derive(Clone, Copy)]
enum TermOrder {
    Ascending {
        width: usize,
    },
    /// One block contains the indices with k mod 4 = 0 and 1, and the other block contains the indices with k mod 4 = 2 and 3.
    Halves,
}

impl TermOrder {
    fn k(self, block: usize, place: usize) -> usize {
        match self {
            TermOrder::Ascending { width } => block * width + place,
            TermOrder::Halves => place / 2 * 4 + block * 2 + place % 2,
        }
    }

    fn name(self, block: usize, width: usize) -> String {
        match self {
            TermOrder::Ascending { .. } => format!(
                "k = {} to {}",
                self.k(block, 0),
                self.k(block, width.saturating_sub(1))
            ),
            TermOrder::Halves => format!("k mod 4 = {} and {}", block * 2, block * 2 + 1),
        }
    }
}

fn block_view(
    block: &BlockStep,
    order: TermOrder,
    at: usize,
    width: usize,
) -> AccumulationBlockView {
    let unit = block.exponent - i32::from(block.kept_bits);
    let sum = block.sum as f64 * 2f64.powi(unit);
    let result = value_of(block.ty, block.result.into());
    let special = block.special.map(|special| {
        match special {
            SpecialSum::NotANumber => "a term is NaN, or infinities of opposite signs are added",
            SpecialSum::Infinity => "a term is infinite",
            SpecialSum::NegativeInfinity => "a term is negative infinity",
        }
        .to_owned()
    });
    AccumulationBlockView {
        products: order.name(at, width),
        accumulator: shown(block.ty, block.accumulator.into()),
        exponent: block.exponent,
        kept_bits: block.kept_bits,
        terms: block
            .terms
            .iter()
            .map(|term| term_view(term, order, at))
            .collect(),
        sum: block.sum.to_string(),
        is_cut: special.is_none() && result != Some(sum),
        special,
        result: shown(block.ty, block.result.into()),
    }
}

fn term_view(term: &TermStep, order: TermOrder, at: usize) -> TermView {
    let exponent = term.exponent - i32::from(term.fraction_bits);
    TermView {
        source: match term.source {
            TermSource::Accumulator => ACCUMULATOR.to_owned(),
            TermSource::Product(place) => format!("k = {}", order.k(at, place.into())),
            TermSource::Group(place) => format!("k = {} to {}", 16 * place, 16 * place + 15),
        },
        value: decimal(term.significand as f64 * 2f64.powi(exponent)),
        aligned: term.aligned.to_string(),
        cut: match term.n_cut_bits as usize {
            0 => String::new(),
            n => format!("{:0n$b}", term.cut),
        },
    }
}

/// Converts an IEEE 754 operation to its display form. `accumulator` is the type of the sums of [`MmaStep::Add`].
fn operation(step: &MmaStep, accumulator: ScalarType) -> OperationView {
    let number = |bits: u32| shown(ScalarType::F32, bits.into());
    let (text, result) = match step {
        MmaStep::Widen { bits, result } => {
            let narrow = shown(ScalarType::F16, (*bits).into());
            (
                format!("{} as f32, exactly", narrow.text),
                shown(ScalarType::F32, (*result).into()),
            )
        }
        MmaStep::Narrow { bits, result } => (
            format!("{} is rounded to f16 (to nearest even)", number(*bits).text),
            shown(ScalarType::F16, (*result).into()),
        ),
        MmaStep::Add { a, b, result } => {
            let [a, b] = [a, b].map(|bits| shown(accumulator, (*bits).into()).text);
            (
                format!("{a} + {b}, rounded to nearest even"),
                shown(accumulator, (*result).into()),
            )
        }
        MmaStep::Fma { k, a, b, c, result } => {
            let [a, b, c] = [a, b, c].map(|bits| number(*bits as u32).text);
            (
                format!("k = {k}: {a} * {b} + {c}, rounded to nearest even"),
                number(*result as u32),
            )
        }
        MmaStep::Block(block) => (String::new(), shown(block.ty, block.result.into())),
    };
    OperationView { text, result }
}
