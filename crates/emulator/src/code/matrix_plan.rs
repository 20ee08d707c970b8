//! Plans of matrix operations: precomputed positions of the elements in registers and lanes.

use crate::code::warp_product::WarpMmaPlan;
use crate::code::{AccessPlan, RegisterOperand};
use crate::contract::fault::AccessKind;
use crate::semantics::registers::{LANES, OperandSlot};
use crate::semantics::tensor::model::TensorCoreModel;
use warpgrid_isa::fragment::WmmaAccess;

/// Matrix operation.
#[derive(Clone, Debug)]
#[allow(
    private_interfaces,
    reason = "other crates access plans only by identifier, through the interface in `plain`"
)]
pub enum MatrixPlan {
    Lines(WmmaMemoryPlan),
    Product(Box<MmaPlan>),
    Rows(LdmatrixPlan),
    /// Sparse matrix multiplication.
    Sparse(Box<WarpMmaPlan>),
}

/// `wmma.load` and `wmma.store`: transfers of the lines of a matrix. The distance between consecutive lines is `stride`
/// elements.
#[derive(Clone, Debug)]
pub(crate) struct WmmaMemoryPlan {
    /// Access whose elements are the registers. Its width is the total size of the elements of a lane.
    pub(crate) access: AccessPlan,
    pub(crate) kind: AccessKind,
    /// 32-bit register with the stride.
    pub(crate) stride: OperandSlot,
    /// Number of registers that are read from memory. The remaining registers contain copies of them.
    pub(crate) n_read: usize,
    /// Number of units per register.
    pub(crate) per_register: u32,
    /// Size of a unit in bytes. A unit is an element, or a register of elements with less than 8 bits.
    pub(crate) unit_bytes: u32,
    pub(crate) element_bits: u32,
    /// Line and position within the line, for each unit and lane.
    pub(crate) places: Vec<[[u16; 2]; LANES]>,
    /// Number of lines, and number of elements per line.
    pub(crate) n_major: u16,
    pub(crate) n_minor: u16,
    /// Requirements that the compiled accesses impose on the address and the stride.
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

/// Location of the scale factors of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleFactorPlan {
    /// 32-bit register with the scale factors.
    pub(crate) register: OperandSlot,
    /// 16-bit selectors: the byte of the first scale factor, and the lanes of each group of four that provide the scale
    /// factors.
    pub(crate) byte: RegisterOperand,
    pub(crate) lane: RegisterOperand,
    /// Number of scale factors per row of A or column of B.
    pub(crate) n: u8,
    /// Number of lanes of each group of four that the selector may name.
    pub(crate) n_lanes: u8,
    /// Whether the factors belong to rows of A. In this case, two adjacent lanes provide the factors of rows with a
    /// distance of eight.
    pub(crate) is_paired: bool,
}

/// Registers of a fragment, and positions of its values in the registers.
#[derive(Clone, Debug)]
pub(crate) struct FragmentPlan {
    pub(crate) registers: Vec<RegisterOperand>,
    /// Positions of the values in the order in which the product reads them, matrix by matrix: rows of A, C and D, and
    /// columns of B.
    pub(crate) values: Vec<FragmentElement>,
    /// Positions of all values, including copies, in the same order.
    pub(crate) held: Vec<FragmentElement>,
    /// Number of values per matrix.
    pub(crate) n_values: usize,
    /// Mask of the bits of a value.
    pub(crate) mask: u64,
}

/// Position of a value in the register of a lane, starting at bit `shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentElement {
    pub register: u8,
    pub lane: u8,
    pub shift: u8,
}

/// `ldmatrix` and `stmatrix`: transfers of rows of 16 bytes. The lanes provide the addresses of the rows.
#[derive(Clone, Debug)]
pub(crate) struct LdmatrixPlan {
    /// Access whose elements are the registers of a lane. Its width is the total size of these registers.
    pub(crate) access: AccessPlan,
    /// Row of 16 bytes at the address that a lane provides.
    pub(crate) row: AccessPlan,
    pub(crate) kind: AccessKind,
    /// Lanes that provide addresses.
    pub(crate) address_lanes: u32,
    /// Positions of the elements, by row and column.
    pub(crate) places: Vec<LdmatrixElement>,
    /// Size of an element in memory in bits, at most 16.
    pub(crate) element_bits: u32,
    /// Size of the container of an element in a register in bits: 8 or 16.
    pub(crate) container_bits: u32,
}

impl LdmatrixPlan {
    pub(crate) const ROW_BYTES: u32 = 16;
}

/// Position of an element of a row in the registers of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LdmatrixElement {
    /// Lane that provides the address of the row.
    pub(crate) asked: u8,
    pub(crate) column: u8,
    pub(crate) gave: u8,
    pub(crate) register: u8,
    pub(crate) element: u8,
}

/// Maximum number of registers of an operand.
pub(crate) const MAX_REGISTERS: usize = 8;
