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
    /// Results of a floating-point multiplication, whose sums Tensor Cores round.
    pub product: Option<StepMma>,
}

/// Matrix that the step read from or wrote to registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixOperandView {
    /// Name of the operand: `A`, `B`, `C` or `D`.
    pub name: String,
    /// Request for the fragment layout of the operand, with the stride of the memory access if the access has a stride.
    pub fragment: FragmentRequest,
    /// Byte offset of the matrix from a 256-byte boundary of memory. 0 if the instruction does not access memory.
    pub base_bytes: u32,
    pub rows: u16,
    pub columns: u16,
    /// Elements of the operand, ordered by matrix and then by row.
    pub cells: Vec<ElementView>,
    /// Names of the registers of the operand. Empty for a constant.
    pub registers: Vec<String>,
    pub elements_per_register: u8,
}

/// Matrix element with its value in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ElementView {
    /// Lanes and registers that hold the element, lowest lane first. The list has several entries if the hardware replicates the element.
    pub holders: Vec<CellHolder>,
    pub value: String,
    /// Bits of the element in hexadecimal: `0x3c00`.
    pub bits: String,
    /// Memory from which the element is loaded or to which it is stored.
    pub memory: Option<MemoryKey>,
    /// Byte offset of the element from the start of the memory.
    pub offset: Option<u64>,
}

/// Results of a matrix multiplication on Tensor Cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepMma {
    /// Request for the multiplication without operand values.
    pub request: MmaRequest,
    /// Number of elements of D.
    pub n_elements: u32,
    /// Number of elements that are not correctly rounded.
    pub n_odd: u32,
    /// Index, among the cells of D, of the first element that is not correctly rounded.
    pub first_odd: Option<u32>,
}
