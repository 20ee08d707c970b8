//! Memories of a launch as grids of cells.

use crate::model::tensor::TileCells;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::MemorySpace;
use warpgrid_launch::value::ElementType;

/// Memory of a launch that a host can display as a grid, with its name, address, element type and size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MemoryView {
    /// ID of the memory: the name of a buffer, `shared:0` for the shared memory of block 0, `tensor:0` for the tensor memory of block 0,
    /// `var:table` for a module variable.
    pub id: MemoryKey,
    /// Name of the memory that hosts display.
    pub title: String,
    pub space: MemorySpace,
    /// Address of the first byte of the memory: `0x7f0000000400`.
    pub address: String,
    pub size_bytes: u64,
    /// Element type of the memory: `f32`.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Declared extents of the array, the outermost dimension first. The list is empty for a one-dimensional array.
    pub shape: Vec<u64>,
    /// Whether an instruction of the program uses the memory. A host can hide unused memories, because compilers declare many unused
    /// variables.
    pub is_named: bool,
}

impl MemoryView {
    /// Formats the index of an element in the declared array: `[3][11]`, or `[59]` for a one-dimensional array.
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

/// Request of a host for the cells in a window of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct GridRequest {
    pub memory: MemoryKey,
    /// Displayed element type. The default is the element type of the memory.
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    /// Number of cells per row. The default follows from the shape of a multidimensional array. For other arrays, the default is 2 to 32
    /// and depends on the element size.
    #[serde(default)]
    pub columns: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub first_row: u64,
    /// Number of rows of the window, at most 512.
    #[serde(default)]
    pub n_rows: Option<u32>,
}

/// Window of a memory as a grid of cells, which hosts display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MemoryGrid {
    pub memory: MemoryView,
    #[serde(rename = "type")]
    pub ty: ElementType,
    pub columns: u32,
    pub first_row: u64,
    pub n_rows: u32,
    /// Number of rows of the complete memory.
    pub total_rows: u64,
    /// Size in bytes of the sectors in which the hardware transfers this memory. The field is absent for state spaces without sectors.
    pub sector_bytes: Option<u32>,
    /// Cells of the window in row-major order. The last row may be incomplete.
    pub cells: Vec<GridCell>,
    /// Cells that belong to tiles of the tensor operation of the step.
    pub tiles: Vec<TileCells>,
}

/// Cell of a [`MemoryGrid`] with the value and the last writer of a memory element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GridCell {
    /// Value of the cell in the displayed type, with the fewest digits that identify the value.
    pub text: String,
    /// Whether the value of the cell is zero. Negative zero does not count as zero.
    pub is_zero: bool,
    /// Lane of the last write to the cell. The field is absent if no store of the run wrote the cell. In very large launches, it is always
    /// absent, because the session tracks only whether a store wrote the cell.
    pub lane: Option<u8>,
    /// Step of the last write to the cell. The field is absent if no store of the run wrote the cell.
    pub step: Option<u64>,
    pub written: WriteAge,
    /// Whether several lanes of the store in the current step wrote different values to the cell. The cell contains the value of
    /// the winning lane.
    #[serde(rename = "conflict")]
    pub has_conflict: bool,
    /// Whether a pending asynchronous operation will write to the cell.
    pub pending: bool,
}

/// Time of the last write to a [`GridCell`], relative to the present step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum WriteAge {
    /// No store of the run wrote the cell.
    Never,
    /// The last store to the cell precedes the current step.
    Before,
    /// The store of the present step wrote the cell.
    Now,
}
