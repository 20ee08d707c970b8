//! Memories as grids of cells.

use super::TileCells;
use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::Space;
use warpgrid_launch::value::ElementType;

/// What can be shown as a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MemoryView {
    /// A buffer's name, `shared:0` for the shared memory of block 0, `tensor:0` for its tensor memory, `var:table` for a module variable.
    pub id: MemoryId,
    /// The name to show.
    pub title: String,
    pub space: Space,
    /// Address of the first byte: `0x7f0000000400`.
    pub address: String,
    pub size_bytes: u64,
    /// Natural element type, `f32`.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Extents of the array as declared, outermost first; empty when flat.
    pub shape: Vec<u64>,
    /// Whether an instruction names it: compilers declare many variables that nothing uses.
    pub is_named: bool,
}

impl MemoryView {
    /// The place of an element in the array as declared, `[3][11]`; `[59]` where it is flat.
    pub fn subscript(&self, index: u64) -> String {
        if self.shape.len() < 2 {
            return format!("[{index}]");
        }
        let mut rest = index;
        let mut parts = Vec::new();
        for extent in self.shape.iter().rev() {
            let extent = (*extent).max(1);
            parts.push(format!("[{}]", rest % extent));
            rest /= extent;
        }
        parts.reverse();
        parts.concat()
    }
}

/// Which part of which memory to lay out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct GridRequest {
    pub memory: MemoryId,
    /// Element type to show; the natural one when absent.
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    /// Cells per row; chosen from the shape (or 16, 32) when absent.
    #[serde(default)]
    pub columns: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub first_row: u64,
    /// Rows to lay out; at most 512.
    #[serde(default)]
    pub n_rows: Option<u32>,
}

/// A window of memory as a grid of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Grid {
    pub memory: MemoryView,
    #[serde(rename = "type")]
    pub ty: ElementType,
    pub columns: u32,
    pub first_row: u64,
    pub n_rows: u32,
    /// Rows of the whole memory.
    pub total_rows: u64,
    /// Size of the sectors in which the hardware moves this memory; absent for spaces without sectors.
    pub sector_bytes: Option<u32>,
    /// Row by row; the last row may be short.
    pub cells: Vec<Cell>,
    /// Which of them are part of the tiles of the step.
    pub tiles: Vec<TileCells>,
}

/// One element of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// The value in the chosen type, as short as it can be read.
    pub text: String,
    /// Whether the value is zero (a negative zero is none).
    pub is_zero: bool,
    /// The lane that wrote it last; absent when no store of the run touched it, and in the parts of very large launches of
    /// which only that is known.
    pub lane: Option<u8>,
    /// The step of that store.
    pub step: Option<u64>,
    pub written: Written,
    /// Written by the store of the present step by more than one lane, with other values: the winner is shown.
    pub conflict: bool,
    /// An operation in flight will write it.
    pub pending: bool,
}

/// When a cell was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Written {
    /// No store of the run.
    Never,
    /// By an earlier store.
    Before,
    /// By the store of the present step.
    Now,
}
