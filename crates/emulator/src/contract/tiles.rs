//! Matrices that an operation in flight reads or writes.

use crate::contract::inspect::MemoryRegion;
use std::ops::Range;
use warpgrid_isa::ScalarType;
use warpgrid_isa::layout::{DescriptorKind, Major, ProductLayout};

/// A matrix that an operation in flight reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    pub matrix: TileMatrix,
    /// Of an element.
    pub ty: ScalarType,
    /// Rows and columns that the operation reads or writes: A as rows of D by terms, B as terms by columns of D.
    pub rows: usize,
    pub columns: usize,
    pub is_written: bool,
    pub place: TilePlace,
    /// The bytes, ascending in each memory; none where the matrix is in registers.
    pub ranges: Vec<(MemoryRegion, Range<u64>)>,
}

/// What a matrix is to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileMatrix {
    A,
    B,
    D,
    /// Scale factors of A, and of B.
    ScaleA,
    ScaleB,
    /// Which elements a sparse A has.
    Metadata,
    /// What is copied, and where to.
    Source,
    Destination,
}

/// Where a matrix lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TilePlace {
    Registers,
    /// In shared memory, as a descriptor says.
    Shared {
        descriptor: u64,
        kind: DescriptorKind,
        major: Major,
    },
    /// In tensor memory, from this address on; of a product how its rows lie.
    Tensor {
        address: u32,
        product: Option<ProductLayout>,
    },
}
