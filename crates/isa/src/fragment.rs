//! Fragment maps: the mapping between matrix elements and the lanes and registers of a warp. Converts a query (operation, shape, type,
//! layout, target) into a [`FragmentMap`], or an error that explains why there is none.
//!
//! The manual leaves the fragment layout of `wmma` unspecified. The layout rules for `wmma` are derived from the address arithmetic that
//! the reference assembler generates for `wmma.load` and `wmma.store`. The layout rules for `mma`, `ldmatrix`, `stmatrix` and `movmatrix`
//! are from the manual. A map is a closed formula over lane and element index ([`formula`]), and not a table.
//!
//! - `operation`, `tensor_core`: operations with fragments, and the tensor core generation of each target.
//! - `supported`: supported combinations of operation, shape, type and layout, and the lookup of a fragment map.
//! - `family`, `quad_pair`, `group`: the two families of layout rules.
//! - `formula`, `map`: sums of bit fields, and queries on the resulting maps.
//! - `operand`: length and element type of the register list of an operand.
//! - `access`: memory accesses in the compiled code of `wmma.load` and `wmma.store`.

mod access;
mod error;
mod family;
mod formula;
mod group;
mod map;
mod operand;
mod operation;
mod quad_pair;
mod supported;
mod tensor_core;

pub use access::{MisalignedStride, WmmaAccess, WmmaAccesses};
pub use error::FragmentError;
pub use family::FragmentFamily;
pub use formula::{BitField, BitFieldSum, FragmentFormula, IndexSource, VARIABLES};
pub use map::{ElementCoord, FragmentMap, RegisterLocation};
pub use operand::{OperandRegisters, last_selector, moved_matrix, operand_registers};
pub use operation::{FragmentOp, MatrixOperand, Shape};
pub use supported::{all_fragments, fragment};
pub use tensor_core::TensorCoreGeneration;

use crate::modifier::MatrixLayout;
use crate::target::Target;
use crate::types::ScalarType;

/// Key of a fragment-map lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentQuery {
    pub op: FragmentOp,
    pub shape: Shape,
    /// Element type: `f16`, not `f16x2`.
    pub ty: ScalarType,
    /// Layout of the matrix in memory (`wmma`), of the operand (`mma.m8n8k4`), or `.trans` as [`MatrixLayout::Col`] (`ldmatrix`,
    /// `stmatrix`). If the field is `None`, the lookup uses the first layout that the operation supports.
    pub layout: Option<MatrixLayout>,
    pub target: Target,
}
