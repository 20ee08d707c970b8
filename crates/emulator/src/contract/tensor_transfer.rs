//! Description of a tensor copy (PTX ISA, "cp.async.bulk.tensor"): tensor map, coordinates and direction.

use crate::contract::pending::Reduction;
use crate::contract::tensor_map::{MAX_RANK, TensorMap};
use warpgrid_isa::LoadMode;

/// Direction of a [`TensorCopy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorCopyDirection {
    /// From the tensor in global memory to shared memory.
    Load,
    /// From shared memory to the tensor in global memory.
    Store,
}

/// Tensor copy that was issued: the tensor map, the coordinates of the box, and the locations in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorCopy {
    pub map: TensorMap,
    pub mode: LoadMode,
    pub direction: TensorCopyDirection,
    /// Coordinates of the box, innermost first. For gathered rows, the column is followed by the index of each row.
    pub coordinates: [i64; MAX_RANK],
    /// Filter offsets along width, height and depth, or the halo and the offset of `im2col::w`.
    pub offsets: [i64; 3],
    /// Lane that issued the copy.
    pub lane: u32,
    /// Linear indices of the blocks whose shared memory is accessed: one block, or all destination blocks of a
    /// multicast.
    pub blocks: Vec<u64>,
    /// Offset of the first byte in the shared memory of each block.
    pub shared: u64,
    pub reduces: Option<Reduction>,
}

/// Segment of a row that a tensor copy transfers as a unit. A segment covers at most 16 bytes of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSegment {
    /// Coordinates of the first element in the tensor, innermost first.
    pub coordinates: [i64; MAX_RANK],
    /// Offset of the first byte in shared memory, after the swizzle.
    pub shared: u64,
    /// Offset of the first byte in shared memory, before the swizzle.
    pub plain: u64,
    /// Number of bytes of shared memory that the segment covers.
    pub n_bytes: u64,
    /// Number of bytes of the segment that belong to elements within the bounds of the tensor.
    pub n_inside: u64,
    /// Address of the first element in global memory, or `None` if all elements are out of bounds.
    pub global: Option<u64>,
}
