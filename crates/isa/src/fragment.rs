//! Fragment maps: which lane and register holds which matrix element. A query (operation, shape, type, layout, target)
//! goes in, a [`FragmentMap`] or the reason why there is none comes out.
//!
//! The manual calls the fragments of `wmma` unspecified. The rules here are those that the reference assembler follows
//! when it turns `wmma.load` and `wmma.store` into address arithmetic; those of `mma`, `ldmatrix`, `stmatrix` and
//! `movmatrix` are in the manual. A map is a closed formula over lane and element ([`formula`]), never a table.
//!
//! - `family`: the two families of rules.
//! - `catalogue`: what exists, and from which target on.
//! - `quad_pair`, `group`: the two families of rules, by generation of tensor core.
//! - `formula`, `map`: sums of bit fields, and what can be asked of them.
//! - `operand`: how many registers an operand of an instruction is.
//! - `access`: the memory accesses that the compiled code of `wmma.load` and `wmma.store` makes.

mod access;
mod catalogue;
mod error;
mod family;
mod formula;
mod group;
mod map;
mod operand;
mod operation;
mod quad_pair;
mod tensor_core;

pub use access::{Access, Accesses, ShortStride};
pub use catalogue::{all_fragments, fragment};
pub use error::FragmentError;
pub use family::FragmentFamily;
pub use formula::{Field, Formula, Source, Sum, VARIABLES};
pub use map::{FragmentMap, Holder, Place};
pub use operand::{OperandRegisters, last_selector, moved_matrix, operand_registers};
pub use operation::{FragmentOp, Matrix, Shape};
pub use tensor_core::TensorCore;

use crate::modifier::MatrixLayout;
use crate::target::Target;
use crate::types::ScalarType;

/// What to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentQuery {
    pub op: FragmentOp,
    pub shape: Shape,
    /// The type of one element: `f16`, not `f16x2`.
    pub ty: ScalarType,
    /// The order of the matrix in memory (`wmma`), of the operand (`mma.m8n8k4`), or `.trans` as [`MatrixLayout::Col`]
    /// (`ldmatrix`, `stmatrix`). `None` takes the first that the operation has.
    pub layout: Option<MatrixLayout>,
    pub target: Target,
}
