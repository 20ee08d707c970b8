//! Data types for the tensor operation that a step starts or completes.

use crate::layouts::fragment::request::FragmentRequest;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};

/// Tensor operation that a step started or completed, which hosts display with its tiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorStep {
    /// Whether the step completed the operation. Otherwise, the step started the operation.
    pub has_landed: bool,
    /// Tiles that the operation reads and writes. The list contains at most eight tiles.
    pub tiles: Vec<TileView>,
    /// Details of a tensor copy. The field is absent if the operation is not a tensor copy.
    pub copy: Option<TensorCopyView>,
}

/// Matrix tile that a tensor operation reads or writes, with its location and layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TileView {
    /// Name of the tile: `A`, `B`, `D`, `scale A`, `scale B`, `metadata`, `source` or `destination`.
    pub name: String,
    /// Element type of the tile: `f16`.
    #[serde(rename = "type")]
    pub ty: String,
    pub rows: u32,
    pub columns: u32,
    pub is_written: bool,
    /// Location and layout of the tile: `from byte 1024, K-major, 128B swizzle`.
    pub place: String,
    /// Memories that contain the tile. The list is empty if the tile is in registers.
    pub memories: Vec<MemoryKey>,
    /// Byte offset of the tile in each memory.
    pub starts: Vec<u64>,
    /// Number of bytes of the tile that the operation accesses.
    pub n_bytes: u64,
    /// Request that shows the layout of the tile in the Layout Explorer. The field is absent if no such layout exists.
    pub layout: Option<FragmentRequest>,
}

/// Details of a copy of a tensor box between global memory and shared memory, which hosts display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorCopyView {
    /// Whether the copy transfers data from the tensor to shared memory. Otherwise, it transfers data from shared memory to the tensor.
    pub is_load: bool,
    /// Mode of the copy: `tiled` or `im2col`.
    pub mode: String,
    /// Element type of the tensor: `f16`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Extents of the tensor in elements, the innermost dimension first.
    pub extents: Vec<u64>,
    /// Numbers of elements of the box along each dimension. In `im2col` mode, the list contains the numbers of channels and pixels.
    pub box_extents: Vec<u64>,
    /// Coordinates of the first element of the box.
    pub coordinates: Vec<i64>,
    /// Swizzle mode of the copy: `128B`, `none`.
    pub swizzle: String,
    /// Buffer in global memory that contains the tensor.
    pub memory: Option<MemoryKey>,
    /// Shared memories that the copy accesses. A multicast copy accesses several shared memories.
    pub shared: Vec<MemoryKey>,
    /// Number of bytes that the copy transfers in the shared memory of each block.
    pub n_bytes: u64,
    /// Number of transferred bytes that belong to elements outside of the tensor.
    pub n_outside: u64,
    /// Fill value for elements outside of the tensor: `0`, `NaN`.
    pub fill: String,
    /// Address of the mbarrier on which the copy completes, in the shared memory of its block.
    pub mbarrier: Option<u64>,
    /// Chunks of the copy in the order of the box. The list contains at most the first 4,096 chunks.
    pub pieces: Vec<TensorPieceView>,
}

/// Chunk of a tensor copy, which consists of 16 bytes or of the remainder of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorPieceView {
    /// Coordinates in the tensor of the first element of the chunk, the innermost dimension first.
    pub coordinates: Vec<i64>,
    /// Offset of the first byte of the chunk in shared memory, after the swizzle.
    pub shared: u64,
    /// Offset of the first byte of the chunk in shared memory, before the swizzle.
    #[serde(rename = "plain")]
    pub unswizzled_offset: u64,
    pub n_bytes: u32,
    /// Number of bytes of the chunk that are inside of the tensor.
    pub n_inside: u32,
}

/// Range of memory elements in a grid that belong to a tile of a tensor operation. Hosts mark these cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TileCells {
    /// Index of the tile among the tiles of the step.
    pub tile: u8,
    /// Index of the first element of the tile in the memory.
    pub first: u64,
    /// Number of elements of the tile.
    pub n: u64,
}
