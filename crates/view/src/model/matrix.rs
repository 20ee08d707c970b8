//! Matrix instruction of a step.

use crate::analysis::mma_explanation::MmaRequest;
use crate::layouts::fragment::CellHolder;
use crate::layouts::fragment::request::FragmentRequest;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};

/// Matrix instruction that the step executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixStep {
    /// Operands in the order of the instruction.
    pub operands: Vec<MatrixOperandView>,
    /// Results of a floating-point multiplication, whose sums follow the rounding of Tensor Cores.
    pub product: Option<StepMma>,
}

/// Matrix that the step read from or wrote to registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixOperandView {
    /// `A`, `B`, `C`, `D`
    pub name: String,
    /// Fragment layout, with the stride of the access if it has one.
    pub fragment: FragmentRequest,
    /// Byte offset of the matrix from a 256-byte boundary of memory. 0 for registers only.
    pub base_bytes: u32,
    pub rows: u16,
    pub columns: u16,
    /// Elements by matrix and row.
    pub cells: Vec<ElementView>,
    /// Register names. Empty for a constant.
    pub registers: Vec<String>,
    pub elements_per_register: u8,
}

/// Matrix element in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ElementView {
    /// Holders of the element, lowest lane first. Several holders exist if the hardware replicates the element.
    pub holders: Vec<CellHolder>,
    pub value: String,
    /// `0x3c00`
    pub bits: String,
    /// Memory from which the element is loaded or to which it is stored.
    pub memory: Option<MemoryKey>,
    /// Byte offset from the start of the memory.
    pub offset: Option<u64>,
}

/// Results of a matrix multiplication on Tensor Cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepMma {
    /// Request for the multiplication without operand values.
    pub request: MmaRequest,
    /// Number of elements of D, and number of elements that are not correctly rounded.
    pub n_elements: u32,
    pub n_odd: u32,
    /// Index of the first such element among the cells of D.
    pub first_odd: Option<u32>,
}
