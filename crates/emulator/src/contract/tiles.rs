//! Types for the matrices that an operation in flight reads or writes.

use crate::contract::inspect::MemoryRegion;
use std::ops::Range;
use warpgrid_isa::ScalarType;
use warpgrid_isa::tensor_layout::{AccumulatorLayout, DescriptorKind, Major};

/// Matrix that an operation in flight reads or writes: its role, type, extents and byte ranges. Observers receive it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    pub matrix: TileRole,
    /// Element type.
    pub ty: ScalarType,
    /// Number of rows that the operation reads or writes. A has one row for each row of D and one column for each k,
    /// and B has one row for each k and one column for each column of D.
    pub rows: usize,
    /// Number of columns that the operation reads or writes.
    pub columns: usize,
    pub is_written: bool,
    pub place: TileLocation,
    /// Byte ranges of the matrix in ascending order for each memory. The list is empty for a matrix in registers.
    pub ranges: Vec<(MemoryRegion, Range<u64>)>,
}

/// Role of a matrix in an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileRole {
    A,
    B,
    D,
    /// Scale factors of A.
    ScaleA,
    ScaleB,
    /// Sparsity metadata of A.
    Metadata,
    /// Source of a copy.
    Source,
    Destination,
}

/// Location of a matrix that an operation accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileLocation {
    Registers,
    /// Shared memory, at the addresses that a descriptor defines.
    Shared {
        descriptor: u64,
        kind: DescriptorKind,
        major: Major,
    },
    /// Tensor memory from this address on, in the row layout of an MMA.
    Tensor {
        address: u32,
        product: Option<AccumulatorLayout>,
    },
}
