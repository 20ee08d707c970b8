//! Tensor operations of a step.

use crate::layouts::fragment::request::FragmentRequest;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};

/// Tensor operation that a step started or completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorStep {
    /// Whether the step completed the operation. Otherwise the step started the operation.
    pub has_landed: bool,
    /// Tiles that the operation reads and writes, at most eight.
    pub tiles: Vec<TileView>,
    /// Details of a tensor copy.
    pub copy: Option<TensorCopyView>,
}

/// Matrix tile that an operation reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TileView {
    /// `A`, `B`, `D`, `scale A`, `scale B`, `metadata`, `source`, `destination`
    pub name: String,
    /// `f16`
    #[serde(rename = "type")]
    pub ty: String,
    pub rows: u32,
    pub columns: u32,
    pub is_written: bool,
    /// Layout of the tile: `from byte 1024, K-major, 128B swizzle`.
    pub place: String,
    /// Memories that contain the tile. Empty if the tile is in registers.
    pub memories: Vec<MemoryKey>,
    /// First byte of the tile in each memory.
    pub starts: Vec<u64>,
    /// Number of accessed bytes.
    pub n_bytes: u64,
    /// Request that shows the layout of the tile in the Layout Explorer.
    pub layout: Option<FragmentRequest>,
}

/// Copy of a box of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorCopyView {
    /// Whether the direction is from the tensor to shared memory. Otherwise the direction is from shared memory to the tensor.
    pub is_load: bool,
    /// `tiled`, `im2col`
    pub mode: String,
    /// Element type: `f16`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Extents of the tensor in elements, innermost dimension first.
    pub extents: Vec<u64>,
    /// Extents of the box in elements along each dimension. For an image, channels and pixels.
    pub box_extents: Vec<u64>,
    /// Coordinates of the first element of the box.
    pub coordinates: Vec<i64>,
    /// `128B`; `none`
    pub swizzle: String,
    /// Buffer that contains the tensor.
    pub memory: Option<MemoryKey>,
    /// Shared memories that participate. A multicast copy has several.
    pub shared: Vec<MemoryKey>,
    /// Number of bytes in the shared memory of each block.
    pub n_bytes: u64,
    /// Number of these bytes that are outside of the tensor.
    pub n_outside: u64,
    /// Fill value for out-of-bounds elements: `0`, `NaN`.
    pub fill: String,
    /// Address of the mbarrier that counts the bytes, in the shared memory of its block.
    pub mbarrier: Option<u64>,
    /// Chunks in the order of the box, at most the first 4,096.
    pub pieces: Vec<TensorPieceView>,
}

/// Chunk of 16 bytes of a tensor copy, or the remainder of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorPieceView {
    /// Coordinates of the first element in the tensor, innermost first.
    pub coordinates: Vec<i64>,
    /// First byte in shared memory, with and without the swizzle.
    pub shared: u64,
    #[serde(rename = "plain")]
    pub unswizzled_offset: u64,
    pub n_bytes: u32,
    /// Number of these bytes that are inside the tensor.
    pub n_inside: u32,
}

/// Cells of a grid that belong to a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TileCells {
    /// Index of the tile in the step.
    pub tile: u8,
    /// Index of the first element in the memory, and number of elements.
    pub first: u64,
    pub n: u64,
}
