//! The matrix instruction that a step was.

use crate::fragment::{CellHolder, FragmentRequest};
use crate::memory_id::MemoryId;
use crate::product::ProductRequest;
use serde::{Deserialize, Serialize};

/// The matrix instruction that a step was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixStep {
    /// In the order of the instruction.
    pub operands: Vec<MatrixOperand>,
    /// Of products of floating-point numbers, whose sums tensor cores round in their own way.
    pub product: Option<StepProduct>,
}

/// A matrix that the step read or wrote in registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MatrixOperand {
    /// `A`, `B`, `C`, `D`
    pub name: String,
    /// With the stride of the access, where it has one.
    pub fragment: FragmentRequest,
    /// Bytes between a boundary of 256 bytes and the start of the matrix in memory; 0 for registers only.
    pub base_bytes: u32,
    pub rows: u16,
    pub columns: u16,
    /// Matrix by matrix, row by row.
    pub cells: Vec<ElementView>,
    /// Names of the registers; empty for a constant.
    pub registers: Vec<String>,
    pub elements_per_register: u8,
}

/// An element of a matrix in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ElementView {
    /// Lowest lane first; several where the hardware replicates.
    pub holders: Vec<CellHolder>,
    pub value: String,
    /// `0x3c00`
    pub bits: String,
    /// The memory that it comes from or goes to.
    pub memory: Option<MemoryId>,
    /// Bytes from the start of the memory.
    pub offset: Option<u64>,
}

/// What a tensor core made of a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepProduct {
    /// The product without operands.
    pub request: ProductRequest,
    /// Elements of D, and how many of them are not the exact sum rounded once to nearest.
    pub n_elements: u32,
    pub n_odd: u32,
    /// The first of these, by its number among the cells of D.
    pub first_odd: Option<u32>,
}
