//! What a cell held from the launch on: every store that wrote it.

use super::{SourceRange, StoreAction};
use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::ElementType;

/// The stores that wrote a cell, in the steps that were taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CellHistory {
    pub memory: MemoryId,
    /// Bytes from the start of the memory.
    pub offset: u64,
    pub n_bytes: u64,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// What it held at the launch.
    pub initial: String,
    /// The position that the list is made around: the latest stores up to it are listed, and the first ones after it.
    pub position: u64,
    /// How many stores wrote it up to that position, and after it.
    pub n_before: u64,
    pub n_after: u64,
    /// Steps that were looked through.
    pub steps: u64,
    /// In their order.
    pub writes: Vec<CellWrite>,
}

/// One store to a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CellWrite {
    /// The position just after it: where `seek` goes to.
    pub position: u64,
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    /// The lane that wrote it; the last one, where several did. Absent for tensor memory, where warps and operations in flight write.
    pub lane: Option<u8>,
    /// How many lanes wrote bytes of it.
    pub n_lanes: u32,
    pub range: SourceRange,
    /// The instruction as written.
    pub instruction: String,
    pub action: StoreAction,
    /// Whether this is the landing of an operation that was in flight.
    pub has_landed: bool,
    /// What the cell held before and after.
    pub before: String,
    pub after: String,
}

/// What is asked of a history from JavaScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct HistoryOptions {
    /// Element type to show; the natural one of the memory when absent.
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    /// Bytes of the cell, 1 to 64; those of an element when absent.
    #[serde(default)]
    pub bytes: Option<u64>,
}
