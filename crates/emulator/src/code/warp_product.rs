//! Plans of the matrix products of a warpgroup and of the sparse products of a warp (PTX ISA, "wgmma.mma_async", "mma.sp").

use crate::code::held::HeldRegisters;
use crate::code::matrix_plan::FactorsPlan;
use crate::code::{Element, Predicate};
use crate::semantics::tensor::plan::Plan;
use warpgrid_isa::ScalarType;
use warpgrid_isa::layout::{DescriptorKind, Major};

/// A product of 16 rows of a warp.
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
    /// Terms of each sum, with those that a sparse A leaves out; words of 32 for single bits.
    pub(crate) depth: usize,
    /// Whether the sums go on from C; always where nothing is asked.
    pub(crate) adds: Option<Predicate>,
    /// Whether A and B are negated.
    pub(crate) negate: [bool; 2],
    /// The metadata of a sparse A, and which lanes have them.
    pub(crate) sparse: Option<(Element, u32)>,
    /// Bits of an element of A and of B as registers and shared memory have it.
    pub(crate) element_bits: [u32; 2],
    /// Registers that it holds while it is in flight.
    pub(crate) held: HeldRegisters,
    /// Factors of the rows of A and of the columns of B.
    pub(crate) factors: Option<[FactorsPlan; 2]>,
}

/// Where a factor is.
#[derive(Clone, Debug)]
pub(crate) enum FactorPlace {
    Registers(Vec<Element>),
    /// In shared memory.
    Described {
        descriptor: Element,
        major: Major,
    },
}
