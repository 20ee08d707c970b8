//! Plans of `wgmma` and of sparse matrix multiplications of a warp (PTX ISA, "wgmma.mma_async", "mma.sp").

use crate::code::held::InFlightRegisters;
use crate::code::matrix_plan::ScaleFactorPlan;
use crate::code::{PredicateOperand, RegisterOperand};
use crate::semantics::tensor::model::TensorCoreModel;
use warpgrid_isa::ScalarType;
use warpgrid_isa::tensor_layout::{DescriptorKind, Major};

/// Plan of a matrix multiplication for the 16 rows of D that one warp computes.
#[derive(Clone, Debug)]
pub(crate) struct WarpMmaPlan {
    pub(crate) plan: TensorCoreModel,
    pub(crate) kind: DescriptorKind,
    pub(crate) d: Vec<RegisterOperand>,
    pub(crate) c: Vec<RegisterOperand>,
    pub(crate) d_type: ScalarType,
    pub(crate) a: MmaOperandLocation,
    pub(crate) b: MmaOperandLocation,
    pub(crate) n_columns: usize,
    /// Number of products per element of D, including products with the zeros of a sparse A. For single-bit elements,
    /// this field is the number of 32-bit words.
    pub(crate) depth: usize,
    /// Predicate that specifies whether C is added, or `None` if C is always added.
    pub(crate) adds: Option<PredicateOperand>,
    /// Whether A and B are negated.
    pub(crate) negate: [bool; 2],
    /// Register with the metadata of a sparse A, and the selector of the lanes that provide the metadata.
    pub(crate) sparse: Option<(RegisterOperand, u32)>,
    /// Number of bits that an element of A and an element of B occupy in registers and shared memory.
    pub(crate) element_bits: [u32; 2],
    /// Registers that a `wgmma` uses while it is in flight. The list is empty for a synchronous multiplication.
    pub(crate) held: InFlightRegisters,
    /// Scale factors of the rows of A and of the columns of B.
    pub(crate) factors: Option<[ScaleFactorPlan; 2]>,
}

/// Location of operand matrix A or B in registers or shared memory.
#[derive(Clone, Debug)]
pub(crate) enum MmaOperandLocation {
    Registers(Vec<RegisterOperand>),
    /// Shared memory, at the addresses that a descriptor defines.
    Described {
        descriptor: RegisterOperand,
        major: Major,
    },
}
