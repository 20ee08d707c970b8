//! The description of a tensor copy (PTX ISA, "cp.async.bulk.tensor"): tensor map, coordinates and direction.

use crate::contract::pending::Reduction;
use crate::contract::tensor_map::{MAX_RANK, TensorMap};
use warpgrid_isa::LoadMode;

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorDirection {
    /// From the tensor to shared memory.
    Load,
    /// From shared memory to the tensor.
    Store,
}

/// Copy of a box of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorTransfer {
    pub map: TensorMap,
    pub mode: LoadMode,
    pub direction: TensorDirection,
    /// Innermost first; for rows that are gathered the column, then each row.
    pub coordinates: [i64; MAX_RANK],
    /// Which tap of a filter, along width, height and depth; or the halo and the offset of `im2col::w`.
    pub offsets: [i64; 3],
    /// The lane that started it.
    pub lane: u32,
    /// Linear indices of the blocks whose shared memory takes part: one, or those of a multicast.
    pub blocks: Vec<u64>,
    /// The first byte in the shared memory of each.
    pub shared: u64,
    pub reduces: Option<Reduction>,
}

/// A part of a row of at most 16 bytes of shared memory, as a tensor copy moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePiece {
    /// Coordinates of the first element in the tensor, innermost first.
    pub coordinates: [i64; MAX_RANK],
    /// First byte in shared memory, with and without the swizzle.
    pub shared: u64,
    pub plain: u64,
    /// Bytes of shared memory.
    pub n_bytes: u64,
    /// Of them, those of elements of the tensor; the others are outside of it.
    pub n_inside: u64,
    /// The address of the first element in global memory; none where none is inside.
    pub global: Option<u64>,
}
