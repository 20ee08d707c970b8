//! Plans of `wgmma` and of the sparse matrix multiplications of a warp (PTX ISA, "wgmma.mma_async", "mma.sp").

use crate::code::held::HeldRegisters;
use crate::code::matrix_plan::FactorsPlan;
use crate::code::{Element, Predicate};
use crate::semantics::tensor::plan::Plan;
use warpgrid_isa::ScalarType;
use warpgrid_isa::layout::{DescriptorKind, Major};

/// A matrix multiplication for the 16 rows of a warp.
#[derive(Clone, Debug)]
pub(crate) struct WarpProductPlan {
    pub(crate) plan: Plan,
    pub(crate) kind: DescriptorKind,
    pub(crate) d: Vec<Element>,
    pub(crate) c: Vec<Element>,
    pub(crate) d_type: ScalarType,
    pub(crate) a: FactorPlace,
    pub(crate) b: FactorPlace,
    pub(crate) n_columns: usize,
    /// Terms of each sum, including the zeros of a sparse A; for single-bit elements, words of 32 bits.
    pub(crate) depth: usize,
    /// Predicate for the addition of C; `None` always adds C.
    pub(crate) adds: Option<Predicate>,
    /// Whether A and B are negated.
    pub(crate) negate: [bool; 2],
    /// Metadata of a sparse A, and the selector of the lanes that provide it.
    pub(crate) sparse: Option<(Element, u32)>,
    /// Bits of an element of A and of B in registers and shared memory.
    pub(crate) element_bits: [u32; 2],
    /// Registers that a `wgmma` uses while it is in flight.
    pub(crate) held: HeldRegisters,
    /// Scale factors of the rows of A and of the columns of B.
    pub(crate) factors: Option<[FactorsPlan; 2]>,
}

/// Location of an input matrix.
#[derive(Clone, Debug)]
pub(crate) enum FactorPlace {
    Registers(Vec<Element>),
    /// Shared memory, at the addresses that a descriptor defines.
    Described {
        descriptor: Element,
        major: Major,
    },
}
