//! Plans of matrix operations: registers by lane and element, ready to be run.

use crate::code::warp_product::WarpProductPlan;
use crate::code::{AccessPlan, Element};
use crate::contract::fault::AccessKind;
use crate::semantics::registers::{LANES, Slot};
use crate::semantics::tensor::plan::Plan;
use warpgrid_isa::fragment::Access;

/// A matrix operation.
#[derive(Clone, Debug)]
#[allow(
    private_interfaces,
    reason = "other crates access plans only by identifier, through the interface in `plain`"
)]
pub enum MatrixPlan {
    Lines(LinesPlan),
    Product(Box<ProductPlan>),
    Rows(RowsPlan),
    /// A sparse product.
    Sparse(Box<WarpProductPlan>),
}

/// `wmma.load` and `wmma.store`: lines of a matrix, `stride` elements apart.
#[derive(Clone, Debug)]
pub(crate) struct LinesPlan {
    /// Its elements are the registers; its width is that of a lane's elements.
    pub(crate) access: AccessPlan,
    pub(crate) kind: AccessKind,
    /// Of 32 bits.
    pub(crate) stride: Slot,
    /// Registers that memory fills; those beyond repeat them.
    pub(crate) n_read: usize,
    /// Units in a register.
    pub(crate) per_register: u32,
    /// A unit is an element, or a register of elements that are less than a byte.
    pub(crate) unit_bytes: u32,
    pub(crate) element_bits: u32,
    /// By unit and lane: line, and position in the line.
    pub(crate) places: Vec<[[u16; 2]; LANES]>,
    /// Lines, and elements of a line.
    pub(crate) n_major: u16,
    pub(crate) n_minor: u16,
    /// What compiled code needs of address and stride.
    pub(crate) rules: Access,
}

/// `wmma.mma` and `mma`
#[derive(Clone, Debug)]
pub(crate) struct ProductPlan {
    pub(crate) plan: Plan,
    /// Products of their own: four for `mma.m8n8k4` of halves, else one.
    pub(crate) n_matrices: usize,
    pub(crate) a: OperandPlan,
    pub(crate) b: OperandPlan,
    pub(crate) c: OperandPlan,
    pub(crate) d: OperandPlan,
    /// Factors of the rows of A and of the columns of B.
    pub(crate) factors: Option<[FactorsPlan; 2]>,
}

/// Where the factors of the lines of an operand are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactorsPlan {
    /// Of 32 bits.
    pub(crate) register: Slot,
    /// Which byte of it is the first factor, and which lanes of four have them: of 16 bits.
    pub(crate) byte: Element,
    pub(crate) lane: Element,
    /// Factors of a line.
    pub(crate) n: u8,
    /// Lanes of four that a selector may name.
    pub(crate) n_lanes: u8,
    /// Whether lines are rows of A: two neighbouring lanes have rows eight apart.
    pub(crate) is_paired: bool,
}

/// Registers of a fragment, and where the values are.
#[derive(Clone, Debug)]
pub(crate) struct OperandPlan {
    pub(crate) registers: Vec<Element>,
    /// In the order of the product: rows of A, C and D, columns of B, matrix after matrix.
    pub(crate) values: Vec<Gather>,
    /// All places that hold values, copies included, in the same order.
    pub(crate) held: Vec<Gather>,
    /// Values of one matrix.
    pub(crate) n_values: usize,
    /// The bits of a value.
    pub(crate) mask: u64,
}

/// A value in a register of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gather {
    pub(crate) register: u8,
    pub(crate) lane: u8,
    pub(crate) shift: u8,
}

/// `ldmatrix` and `stmatrix`: rows of 16 bytes, whose addresses lanes give.
#[derive(Clone, Debug)]
pub(crate) struct RowsPlan {
    /// Its elements are the registers of a lane, and its width is theirs.
    pub(crate) access: AccessPlan,
    /// A row: 16 bytes at the address that a lane gives.
    pub(crate) row: AccessPlan,
    pub(crate) kind: AccessKind,
    /// Lanes that give addresses.
    pub(crate) asking: u32,
    /// Elements by row and column.
    pub(crate) places: Vec<RowPlace>,
    /// Of an element in memory, at most 16.
    pub(crate) element_bits: u32,
    /// Of an element in a register: 8 or 16.
    pub(crate) container_bits: u32,
}

impl RowsPlan {
    pub(crate) const ROW_BYTES: u32 = 16;
}

/// An element of a row, and who holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowPlace {
    /// The lane that gives the address of the row.
    pub(crate) asked: u8,
    pub(crate) column: u8,
    pub(crate) gave: u8,
    pub(crate) register: u8,
    pub(crate) element: u8,
}

/// The most registers of an operand.
pub(crate) const MAX_REGISTERS: usize = 8;
