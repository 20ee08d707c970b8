//! Data types for a matrix instruction that a step executed.

use crate::analysis::mma_explanation::MmaRequest;
use crate::layouts::fragment::CellHolder;
use crate::layouts::fragment::request::FragmentRequest;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};

/// Matrix instruction of a step, with its operands and results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixStep {
    /// Matrix operands in the order in which the instruction specifies them.
    pub operands: Vec<MatrixOperandView>,
    /// Results of a floating-point multiplication whose sums Tensor Cores round. The field is absent for other instructions.
    pub product: Option<StepMma>,
}

/// Matrix that a step read from or wrote to registers, with its elements and their locations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixOperandView {
    /// Name of the operand: `A`, `B`, `C` or `D`.
    pub name: String,
    /// Request for the fragment layout of the operand, with the stride of the memory access if the access has a stride.
    pub fragment: FragmentRequest,
    /// Byte offset of the matrix from a 256-byte boundary of memory. The offset is 0 if the instruction does not access memory.
    pub base_bytes: u32,
    pub rows: u16,
    pub columns: u16,
    /// Elements of the operand, ordered by matrix and within a matrix by row.
    pub cells: Vec<ElementView>,
    /// Names of the registers of the operand. The list is empty for a constant.
    pub registers: Vec<String>,
    pub elements_per_register: u8,
}

/// Matrix element in a [`MatrixOperandView`], with its value and its locations in registers and memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ElementView {
    /// Lanes and registers that contain the element, the lowest lane first. The list has several entries if the hardware replicates the
    /// element.
    pub holders: Vec<CellHolder>,
    pub value: String,
    /// Bits of the element in hexadecimal: `0x3c00`.
    pub bits: String,
    /// Memory from which the instruction loads the element or to which it stores the element. The field is absent if the instruction does
    /// not access memory.
    pub memory: Option<MemoryKey>,
    /// Byte offset of the element from the start of the memory.
    pub offset: Option<u64>,
}

/// Rounding of the results of a matrix multiplication on Tensor Cores, compared with the exact sums.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepMma {
    /// Request for the computation of an element of the multiplication. The request does not contain operand values.
    pub request: MmaRequest,
    /// Number of elements of the result matrix D.
    pub n_elements: u32,
    /// Number of elements of D that are not correctly rounded.
    pub n_odd: u32,
    /// Index of the first element that is not correctly rounded, among the cells of D. The field is absent if all elements are correctly
    /// rounded.
    pub first_odd: Option<u32>,
}
