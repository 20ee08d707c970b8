//! Matrices that an operation in flight reads or writes.

use crate::contract::inspect::MemoryRegion;
use std::ops::Range;
use warpgrid_isa::ScalarType;
use warpgrid_isa::tensor_layout::{AccumulatorLayout, DescriptorKind, Major};

/// Matrix that an operation in flight reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    pub matrix: TileRole,
    /// Element type.
    pub ty: ScalarType,
    /// Numbers of rows and columns that the operation reads or writes. A has one row for each row of D and one column
    /// for each term, and B has one row for each term and one column for each column of D.
    pub rows: usize,
    pub columns: usize,
    pub is_written: bool,
    pub place: TileLocation,
    /// Byte ranges in ascending order for each memory. The list is empty for a matrix in registers.
    pub ranges: Vec<(MemoryRegion, Range<u64>)>,
}

/// Role of a matrix in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileRole {
    A,
    B,
    D,
    /// Scale factors of A, and of B.
    ScaleA,
    ScaleB,
    /// Sparsity metadata of A.
    Metadata,
    /// Source and destination of a copy.
    Source,
    Destination,
}

/// Location of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileLocation {
    Registers,
    /// Shared memory, at the addresses that a descriptor defines.
    Shared {
        descriptor: u64,
        kind: DescriptorKind,
        major: Major,
    },
    /// The matrix is in tensor memory from this address on, with the row layout of an MMA.
    Tensor {
        address: u32,
        product: Option<AccumulatorLayout>,
    },
}
