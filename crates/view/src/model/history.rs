//! History of a memory cell, which consists of all stores to the cell since the start of the launch.

use crate::model::store::StoreAction;
use crate::model::text::SourceRange;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::ElementType;

/// Stores to a memory cell in the executed steps, which hosts list with the values before and after each store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CellHistory {
    pub memory: MemoryKey,
    /// Byte offset of the cell from the start of the memory.
    pub offset: u64,
    pub n_bytes: u64,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Value of the cell at the start of the launch.
    pub initial: String,
    /// Position of the run. The history lists the latest stores up to this position, and the first stores after this position.
    pub position: u64,
    /// Total number of stores to the cell up to this position.
    pub n_before: u64,
    /// Total number of stores to the cell after this position.
    pub n_after: u64,
    /// Number of steps that the search for stores has examined.
    pub steps: u64,
    /// Stores that the history lists, in order of execution.
    pub writes: Vec<CellWrite>,
}

/// Store to a memory cell in a [`CellHistory`], with its position, its lanes and the values before and after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CellWrite {
    /// Position directly after the store, as an argument for `seek`.
    pub position: u64,
    /// Linear index of the block that executed the store.
    pub block: u64,
    pub warp: u32,
    /// Lane that wrote the cell. If several lanes wrote the cell, the field contains the last of these lanes. The field is absent for
    /// tensor memory, because whole warps and asynchronous operations write tensor memory.
    pub lane: Option<u8>,
    /// Number of lanes that wrote bytes of the cell.
    pub n_lanes: u32,
    pub range: SourceRange,
    /// Source text of the store instruction.
    pub instruction: String,
    pub action: StoreAction,
    /// Whether the store is the completion of an asynchronous operation.
    pub has_landed: bool,
    /// Value of the cell before the store.
    pub before: String,
    /// Value of the cell after the store.
    pub after: String,
}

/// Options of `Session.history`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct HistoryOptions {
    /// Displayed element type. The default is the element type of the memory.
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    /// Size of the cell in bytes, from 1 to 64. The default is the size of an element.
    #[serde(default)]
    pub bytes: Option<u64>,
}
