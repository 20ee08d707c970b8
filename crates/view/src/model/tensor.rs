//! What a step did on the tensor units.

use crate::fragment::FragmentRequest;
use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};

/// What a step did on the tensor units: it started an operation, or one landed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorStep {
    /// Whether it landed; else it was started.
    pub has_landed: bool,
    /// What is read and written; at most eight.
    pub tiles: Vec<TileView>,
    /// Of a tensor copy.
    pub copy: Option<TensorCopyView>,
}

/// A matrix that an operation reads or writes.
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
    /// How it lies: `from byte 1024, K-major, 128B swizzle`.
    pub place: String,
    /// Where it lies; none where it is in registers.
    pub memories: Vec<MemoryId>,
    /// Its first byte in each of them.
    pub starts: Vec<u64>,
    /// Bytes of them that are read or written.
    pub n_bytes: u64,
    /// Shows its layout in the matrix view.
    pub layout: Option<FragmentRequest>,
}

/// A copy of a part of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorCopyView {
    /// From the tensor to shared memory; else the other way.
    pub is_load: bool,
    /// `tiled`, `im2col`
    pub mode: String,
    /// Of an element: `f16`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Elements of the tensor along each dimension, innermost first.
    pub extents: Vec<u64>,
    /// Elements of the box along each dimension; of an image channels and pixels.
    pub box_extents: Vec<u64>,
    /// Of the first element of the box.
    pub coordinates: Vec<i64>,
    /// `128B`; `none`
    pub swizzle: String,
    /// The buffer that holds the tensor.
    pub memory: Option<MemoryId>,
    /// Shared memory that takes part: of several blocks for a multicast.
    pub shared: Vec<MemoryId>,
    /// Bytes of shared memory in each block.
    pub n_bytes: u64,
    /// Of them, those that are outside of the tensor.
    pub n_outside: u64,
    /// What is read there: `0`, `NaN`.
    pub fill: String,
    /// Where the mbarrier is that counts the bytes, in its block's shared memory.
    pub mbarrier: Option<u64>,
    /// In the order of the box. The first 4,096 of a larger one.
    pub pieces: Vec<TensorPieceView>,
}

/// 16 bytes of a tensor copy, or the rest of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TensorPieceView {
    /// Of its first element in the tensor, innermost first.
    pub coordinates: Vec<i64>,
    /// Its first byte in shared memory, and where it would be without a swizzle.
    pub shared: u64,
    pub plain: u64,
    pub n_bytes: u32,
    /// Of them, those inside of the tensor.
    pub n_inside: u32,
}

/// Cells of a grid that are part of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TileCells {
    /// Which of the step's tiles.
    pub tile: u8,
    /// Index of the first element in the memory, and how many.
    pub first: u64,
    pub n: u64,
}
