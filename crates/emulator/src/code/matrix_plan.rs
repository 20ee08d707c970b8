//! Plans of matrix operations: precomputed locations of the matrix elements in registers and lanes.

use crate::code::warp_product::WarpMmaPlan;
use crate::code::{AccessPlan, RegisterOperand};
use crate::contract::fault::AccessKind;
use crate::semantics::registers::{LANES, OperandSlot};
use crate::semantics::tensor::model::TensorCoreModel;
use warpgrid_isa::fragment::WmmaAccess;

/// Plan of a matrix operation of a warp.
#[derive(Clone, Debug)]
#[allow(
    private_interfaces,
    reason = "other crates access plans only by identifier, through the interface in `plain`"
)]
pub enum MatrixPlan {
    Lines(WmmaMemoryPlan),
    Product(Box<MmaPlan>),
    Rows(LdmatrixPlan),
    /// Sparse matrix multiplication (`mma.sp`).
    Sparse(Box<WarpMmaPlan>),
}

/// Plan of `wmma.load` and `wmma.store`, which transfer the lines of a matrix. Consecutive lines are `stride` elements
/// apart in memory.
#[derive(Clone, Debug)]
pub(crate) struct WmmaMemoryPlan {
    /// Memory access, whose elements are the fragment registers. The access width is the total size of the elements of
    /// a lane.
    pub(crate) access: AccessPlan,
    pub(crate) kind: AccessKind,
    /// 32-bit register that contains the stride.
    pub(crate) stride: OperandSlot,
    /// Number of registers that the instruction loads from memory. The remaining registers receive copies.
    pub(crate) n_read: usize,
    /// Number of units that each register contains.
    pub(crate) per_register: u32,
    /// Size of a unit in bytes. A unit is one element, or one register of elements with less than 8 bits.
    pub(crate) unit_bytes: u32,
    pub(crate) element_bits: u32,
    /// Line of the matrix and position within the line, for each unit and lane.
    pub(crate) places: Vec<[[u16; 2]; LANES]>,
    /// Number of lines of the matrix.
    pub(crate) n_major: u16,
    /// Number of elements per line.
    pub(crate) n_minor: u16,
    /// Alignment requirements that the compiled accesses impose on the address and the stride.
    pub(crate) rules: WmmaAccess,
}

/// Plan of `wmma.mma` and `mma`.
#[derive(Clone, Debug)]
pub(crate) struct MmaPlan {
    pub(crate) plan: TensorCoreModel,
    /// Number of independent products: four for `mma.m8n8k4` of `f16`, otherwise one.
    pub(crate) n_matrices: usize,
    pub(crate) a: FragmentPlan,
    pub(crate) b: FragmentPlan,
    pub(crate) c: FragmentPlan,
    pub(crate) d: FragmentPlan,
    /// Scale factors of the rows of A and of the columns of B.
    pub(crate) factors: Option<[ScaleFactorPlan; 2]>,
}

/// Location of the scale factors for A or B.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleFactorPlan {
    /// 32-bit register that contains the scale factors.
    pub(crate) register: OperandSlot,
    /// 16-bit selector of the byte that contains the first scale factor.
    pub(crate) byte: RegisterOperand,
    /// 16-bit selector of the lanes in each group of four lanes that provide the scale factors.
    pub(crate) lane: RegisterOperand,
    /// Number of scale factors per row of A or column of B.
    pub(crate) n: u8,
    /// Number of lanes in each group of four lanes that the lane selector may specify.
    pub(crate) n_lanes: u8,
    /// Whether the scale factors belong to rows of A, so that two adjacent lanes provide the scale factors of two rows
    /// that are eight rows apart.
    pub(crate) is_paired: bool,
}

/// Registers of a fragment, and locations of the matrix elements in these registers.
#[derive(Clone, Debug)]
pub(crate) struct FragmentPlan {
    pub(crate) registers: Vec<RegisterOperand>,
    /// Locations of the elements in the order in which the matrix product reads them, matrix by matrix. Elements of A,
    /// C and D are ordered by rows, and elements of B by columns.
    pub(crate) values: Vec<FragmentElement>,
    /// Locations of all elements in the same order as `values`, including the copies that several lanes hold.
    pub(crate) held: Vec<FragmentElement>,
    /// Number of elements per matrix.
    pub(crate) n_values: usize,
    /// Bit mask of an element after it has been shifted to bit 0.
    pub(crate) mask: u64,
}

/// Location of a matrix element in a fragment: register, lane, and position `shift` of the element's first bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentElement {
    pub register: u8,
    pub lane: u8,
    pub shift: u8,
}

/// Plan of `ldmatrix` and `stmatrix`, which transfer matrix rows of 16 bytes. The lanes of the warp provide the
/// addresses of the rows.
#[derive(Clone, Debug)]
pub(crate) struct LdmatrixPlan {
    /// Memory access, whose elements are the registers of a lane. The access width is the total size of these
    /// registers.
    pub(crate) access: AccessPlan,
    /// Memory access to a row of 16 bytes at the address that a lane provides.
    pub(crate) row: AccessPlan,
    pub(crate) kind: AccessKind,
    /// Mask of the lanes that provide row addresses.
    pub(crate) address_lanes: u32,
    /// Locations of the elements, ordered by row and column.
    pub(crate) places: Vec<LdmatrixElement>,
    /// Size of an element in memory in bits, at most 16.
    pub(crate) element_bits: u32,
    /// Size of the container of an element in a register in bits: 8 or 16.
    pub(crate) container_bits: u32,
}

impl LdmatrixPlan {
    pub(crate) const ROW_BYTES: u32 = 16;
}

/// Location of a row element in the registers of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LdmatrixElement {
    /// Lane that provides the address of the element's row.
    pub(crate) asked: u8,
    pub(crate) column: u8,
    pub(crate) gave: u8,
    pub(crate) register: u8,
    pub(crate) element: u8,
}

/// Maximum number of registers of a matrix operand.
pub(crate) const MAX_REGISTERS: usize = 8;
