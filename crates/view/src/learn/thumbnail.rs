//! Thumbnail of a kernel: an SVG drawing of the memory with the most written elements. The color of each cell shows the
//! lane that stored the element.

use crate::learn::{MAX_STEPS, launched};
use crate::model::grid::{GridCell, GridRequest, MemoryGrid, WriteAge};
use crate::session::Session;
use crate::session::memory_list::MemoryDescriptor;
use std::fmt::Write;

/// Maximum number of rows and of columns in a thumbnail.
const MAX_ROWS: u32 = 16;
const MAX_COLUMNS: u32 = 32;
/// Maximum number of bytes of a memory that the search for written elements examines.
const MAX_BYTES: u64 = 1 << 16;
const CELL: u32 = 10;

/// Runs a kernel and draws the memory at the end of its run. The error is the reason why no drawing is possible.
pub fn thumbnail(source: &str) -> Result<String, String> {
    let mut session = launched(source).map_err(|failure| failure.message)?;
    session.run(MAX_STEPS);
    let request = most_written_memory(&session)
        .ok_or("the source has no buffer or variable that a thumbnail can show")?;
    let grid = session
        .grid(&request)
        .ok_or("the source has no buffer or variable that a thumbnail can show")?;
    Ok(draw(&grid))
}

/// Returns a grid request for the memory with the most written elements. The grid starts at the first written row of
/// the memory.
fn most_written_memory(session: &Session) -> Option<GridRequest> {
    let written = |id: &crate::session::memory_id::MemoryKey, size: u64, width: u64| {
        let offsets = (0..size.min(MAX_BYTES)).step_by(width.max(1) as usize);
        offsets
            .filter(|at| session.last_writer(id, *at).is_some())
            .count()
    };
    // Reverse the order, because `max_by_key` returns the last maximum. For equal counts, the result is then the first memory.
    let memories = session.memories().into_iter().rev();
    let memory = memories.max_by_key(|memory| {
        let width = memory.element.width_bytes() as u64;
        (
            written(&memory.view.id, memory.view.size_bytes, width),
            memory.view.is_named,
        )
    })?;
    Some(GridRequest {
        columns: Some(columns_of(&memory)),
        memory: memory.view.id,
        ty: None,
        first_row: 0,
        n_rows: Some(MAX_ROWS),
    })
}

/// Returns the number of columns for the drawing of a memory. For a one-dimensional memory, the number is large enough to avoid a drawing
/// with many short rows.
fn columns_of(memory: &MemoryDescriptor) -> u32 {
    let most = u64::from(MAX_COLUMNS);
    let stated = memory.view.shape.last().copied();
    let mut columns = stated.unwrap_or(most).clamp(1, most);
    if memory.view.shape.len() <= 1 {
        let elements = memory.view.size_bytes / (memory.element.width_bytes() as u64).max(1);
        while columns > 4 && elements.div_ceil(columns) * 3 < columns {
            columns = columns.div_ceil(2);
        }
    }
    columns as u32
}

fn draw(grid: &MemoryGrid) -> String {
    let (columns, rows) = (grid.columns.max(1), grid.n_rows.max(1));
    let (width, height) = (columns * CELL, rows * CELL);
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" aria-hidden="true">"#
    );
    for (at, cell) in (0_u32..).zip(&grid.cells) {
        let (x, y) = (at % columns * CELL, at / columns * CELL);
        let side = CELL - 1;
        // Ignore the result, because formatting into a `String` cannot fail.
        let _ = write!(
            out,
            r#"<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="1.5" class="{}"/>"#,
            class(cell)
        );
    }
    out += "</svg>";
    out
}

fn class(cell: &GridCell) -> String {
    match (cell.lane, cell.written) {
        (Some(lane), _) => format!("lane-{}", lane & 31),
        (None, WriteAge::Never) if cell.is_zero => "empty".to_owned(),
        (None, WriteAge::Never) => "initial".to_owned(),
        (None, _) => "written".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbnail_colors_written_cells_by_lane() {
        let svg = thumbnail(
            "//@ launch grid=1 block=4\n//@ buffer x: u32[8] = iota\n//@ buffer out: u32[4] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(.param .u64 x, .param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
        mad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n",
        );
        let svg = svg.expect("a picture");
        assert!(svg.contains(r#"class="lane-3""#), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(thumbnail("st.shred [p], 1;").is_err());
    }
}
