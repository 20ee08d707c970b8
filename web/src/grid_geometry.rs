//! Positions of grid cells in CSS pixels. The module contains only geometry, and supports memories with a very large number of rows.

use crate::model::Zoom;
use warpgrid_view::model::{GridCell, MemoryGrid, WriteAge};

/// Height of a row, including the gap below it.
pub const ROW: f64 = 24.0;
/// Height of the row with the column numbers.
pub const HEADER_HEIGHT: f64 = 18.0;
/// Gap between two cells.
pub const GAP: f64 = 1.0;
/// Number of rows that a card shows before it scrolls, unless the stage has space for more rows.
pub const MAX_VISIBLE_ROWS: u64 = 17;
/// Maximum width of a cell for short values.
const WIDE_CELL: f64 = 64.0;
/// Minimum factor by which the widest zoom level enlarges cells.
const LARGER: f64 = 1.4;
/// Maximum height of a scrollable element. Browsers truncate much taller elements.
const MAX_SPACE: f64 = 4_000_000.0;
/// Advance width of a digit at the font size of cells.
const DIGIT: f64 = 6.35;

/// Rectangle in coordinates of the whole grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// Checks whether two rectangles intersect.
    pub fn intersects(&self, other: Rect) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// Width of the minimap beside the rows of a long memory, including the gap before it.
pub const MINIMAP_WIDTH: f64 = 40.0;

/// Sizes of the parts of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridGeometry {
    pub columns: u32,
    pub total_rows: u64,
    pub row_head: f64,
    pub cell_width: f64,
}

impl GridGeometry {
    /// Computes the sizes from the widest visible value and the widest row number. If the grid is too wide for the card, cells become
    /// narrower as long as their text is readable, unless the zoom level requires the full values.
    pub fn of(grid: &MemoryGrid, available: f64, zoom: Zoom) -> GridGeometry {
        let longest = grid
            .cells
            .iter()
            .map(|cell| short(&cell.text).chars().count())
            .max();
        let longest = longest.unwrap_or(1).max(2);
        let text = match zoom {
            Zoom::Full => longest,
            Zoom::Fit | Zoom::Pixels(_) => longest.min(20),
        } as f64
            * DIGIT;
        let last_label = row_label(grid, grid.total_rows.saturating_sub(1));
        let row_head = (last_label.len().max(2) as f64 * DIGIT + 10.0).round();
        let columns = grid.columns.max(1);
        let fit = ((available - row_head) / f64::from(columns)).floor();
        let widest = (text + 8.0).max(WIDE_CELL);
        let narrowest = (text * 0.62 + 3.0).max(14.0);
        let fitting = match fit < narrowest {
            true => (text + 6.0).max(20.0),
            false => fit.min(widest),
        };
        let cell_width = match zoom {
            Zoom::Full => (text + 8.0).max(fitting * LARGER),
            Zoom::Fit | Zoom::Pixels(_) => fitting,
        };
        GridGeometry {
            columns,
            total_rows: grid.total_rows,
            row_head,
            cell_width: cell_width.round(),
        }
    }

    /// Checks whether a memory is so long that it has a minimap.
    pub fn has_map(total_rows: u64) -> bool {
        total_rows > 3 * MAX_VISIBLE_ROWS
    }

    /// Returns the total width of all columns.
    pub fn width(&self) -> f64 {
        self.row_head + f64::from(self.columns) * self.cell_width
    }

    /// Returns the total height of all rows, limited to the height that a browser can scroll.
    pub fn height(&self) -> f64 {
        (HEADER_HEIGHT + self.total_rows as f64 * ROW).min(MAX_SPACE)
    }

    /// Converts a scroll position to the vertical offset, in pixels, of the first visible row in the whole memory.
    pub fn content_offset(&self, scroll_top: f64, viewport: f64) -> f64 {
        let real = HEADER_HEIGHT + self.total_rows as f64 * ROW;
        let space = self.height();
        if real <= space || space <= viewport {
            return scroll_top.max(0.0);
        }
        (scroll_top / (space - viewport)).clamp(0.0, 1.0) * (real - viewport)
    }

    /// Returns the scroll position at which a vertical offset in the whole memory is at the top of the viewport.
    pub fn scroll_offset(&self, top: f64, viewport: f64) -> f64 {
        let real = HEADER_HEIGHT + self.total_rows as f64 * ROW;
        let space = self.height();
        match real > space && real > viewport {
            true => top / (real - viewport) * (space - viewport),
            false => top,
        }
    }

    /// Returns the first row and the number of rows in a viewport whose top is at the offset `top`.
    pub fn visible_rows(&self, top: f64, viewport: f64) -> (u64, u32) {
        let first = ((top / ROW) as u64).min(self.total_rows.saturating_sub(1));
        let n_rows = (viewport / ROW).ceil() as u64 + 1;
        let n_rows = n_rows.min(self.total_rows - first.min(self.total_rows));
        (first, u32::try_from(n_rows).unwrap_or(u32::MAX))
    }

    /// Returns the rectangle of a cell in the grid.
    pub fn cell(&self, row: u64, column: u32) -> Rect {
        Rect {
            x: self.row_head + f64::from(column) * self.cell_width,
            y: HEADER_HEIGHT + row as f64 * ROW,
            width: self.cell_width - GAP,
            height: ROW - GAP,
        }
    }

    /// Returns the index of the element at a point.
    pub fn element_at(&self, x: f64, y: f64) -> Option<u64> {
        let (column, row) = (
            (x - self.row_head) / self.cell_width,
            (y - HEADER_HEIGHT) / ROW,
        );
        let inside = column >= 0.0 && column < f64::from(self.columns) && row >= 0.0;
        let row = row as u64;
        (inside && row < self.total_rows).then(|| row * u64::from(self.columns) + column as u64)
    }
}

/// Returns the cell to which a key moves from the cell `here`, in rows of `columns` cells. The result may be beyond the end of the memory.
/// Without a current cell, the keys select the first cell. Returns `None` for keys that do not move between cells.
pub fn cell_for_key(key: &str, here: Option<u64>, columns: u64) -> Option<u64> {
    let columns = columns.max(1);
    let cell = here.unwrap_or(0);
    Some(match key {
        "ArrowRight" => cell.saturating_add(u64::from(here.is_some())),
        "ArrowLeft" => cell.saturating_sub(1),
        "ArrowDown" => cell.saturating_add(columns),
        "ArrowUp" => cell.saturating_sub(columns),
        "Home" => cell - cell % columns,
        "End" => cell - cell % columns + columns - 1,
        _ => return None,
    })
}

/// Checks whether a key pins the focused cell.
pub fn is_pin_key(key: &str) -> bool {
    key == "Enter" || key == " "
}

/// Returns the shortest spelling of a value: whole floats without `.0`, and bit patterns without `0x`.
pub fn short(text: &str) -> &str {
    let text = text.strip_prefix("0x").unwrap_or(text);
    text.strip_suffix(".0").unwrap_or(text)
}

/// Returns the label of a row: the row number in a matrix with a declared shape, otherwise the index of the first element in the row.
pub fn row_label(grid: &MemoryGrid, row: u64) -> String {
    let as_declared =
        grid.memory.shape.len() > 1 && grid.memory.shape.last() == Some(&u64::from(grid.columns));
    if as_declared {
        row.to_string()
    } else {
        (row * u64::from(grid.columns)).to_string()
    }
}

/// Formats an element index as `[3][11]` if the memory has a declared shape, otherwise as `[59]`.
pub fn index_text(grid: &MemoryGrid, index: u64) -> String {
    match grid.ty == grid.memory.ty {
        true => grid.memory.subscript(index),
        false => format!("[{index}]"),
    }
}

/// Describes a cell for screen readers, as in `out[3]: 7, written by this step, lane 3`.
pub fn cell_description(grid: &MemoryGrid, index: u64, cell: &GridCell) -> String {
    let mut words = format!(
        "{}{}: {}",
        grid.memory.title,
        index_text(grid, index),
        cell.text
    );
    words.push_str(match cell.written {
        WriteAge::Never => ", not written",
        WriteAge::Before => ", written earlier",
        WriteAge::Now => ", written by this step",
    });
    if let (Some(lane), Some(step)) = (cell.lane, cell.step) {
        words.push_str(&format!(", lane {lane}, step {step}"));
    }
    if cell.has_conflict {
        words.push_str(", written by multiple lanes");
    }
    if cell.pending {
        words.push_str(", asynchronous write pending");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixture;

    fn geometry(columns: u32, total_rows: u64) -> GridGeometry {
        GridGeometry {
            columns,
            total_rows,
            row_head: 20.0,
            cell_width: 30.0,
        }
    }

    #[test]
    fn element_at_inverts_cell_rectangle() {
        let geometry = geometry(16, 100);
        for (row, column) in [(0, 0), (5, 15), (99, 7)] {
            let rect = geometry.cell(row, column);
            let found = geometry.element_at(rect.x + 2.0, rect.y + 2.0);
            assert_eq!(found, Some(row * 16 + u64::from(column)));
        }
        assert_eq!(geometry.element_at(5.0, 40.0), None);
        assert_eq!(geometry.element_at(30.0, 5.0), None);
    }

    #[test]
    fn huge_memory_scrolls_to_last_row() {
        let geometry = geometry(32, 1 << 34);
        let space = geometry.height();
        let top = geometry.content_offset(space - 400.0, 400.0);
        let (first, n_rows) = geometry.visible_rows(top, 400.0);
        assert_eq!(first + u64::from(n_rows), 1 << 34);
    }

    #[test]
    fn fit_zoom_shrinks_cells_to_minimum_width() {
        let grid = fixture::frame().grids.remove(0);
        let wide = GridGeometry::of(&grid, 600.0, Zoom::Fit);
        assert_eq!(wide.cell_width, WIDE_CELL);
        let narrow = GridGeometry::of(&grid, 64.0, Zoom::Fit);
        assert!(narrow.width() <= 64.0 && narrow.cell_width >= 14.0);
        assert_eq!(GridGeometry::of(&grid, 10.0, Zoom::Fit).cell_width, 20.0);
    }

    #[test]
    fn full_zoom_fits_longest_value() {
        let mut grid = fixture::frame().grids.remove(0);
        grid.cells[0].text = "1".repeat(39);
        for available in [64.0, 600.0, 20_000.0] {
            let geometry = GridGeometry::of(&grid, available, Zoom::Full);
            assert!(geometry.cell_width >= 39.0 * DIGIT + GAP, "{available}");
        }
    }

    #[test]
    fn cells_grow_until_the_grid_fills_the_card() {
        let mut grid = fixture::frame().grids.remove(0);
        grid.columns = 16;
        for available in [440.0, 915.0] {
            let width = GridGeometry::of(&grid, available, Zoom::Fit).width();
            assert!(width <= available && width > available - 16.0, "{width}");
        }
    }

    #[test]
    fn scroll_offset_round_trips() {
        let geometry = geometry(32, 1 << 34);
        let top = 123_456_789.0;
        let back = geometry.content_offset(geometry.scroll_offset(top, 400.0), 400.0);
        assert!((back - top).abs() < 1.0);
    }

    #[test]
    fn keys_move_cell_selection() {
        let after = |key| cell_for_key(key, Some(18), 16);
        assert_eq!(after("ArrowRight"), Some(19));
        assert_eq!(after("ArrowUp"), Some(2));
        assert_eq!(after("End"), Some(31));
        assert_eq!(after("Home"), Some(16));
        assert_eq!(after("a"), None);
        assert_eq!(cell_for_key("ArrowRight", None, 16), Some(0));
        assert_eq!(cell_for_key("ArrowLeft", Some(0), 0), Some(0));
    }

    #[test]
    fn visible_rows_are_limited_to_memory() {
        assert_eq!(geometry(8, 3).visible_rows(0.0, 400.0), (0, 3));
        assert_eq!(geometry(8, 0).visible_rows(0.0, 400.0), (0, 0));
    }

    #[test]
    fn cell_description_names_writing_lane_and_step() {
        let grid = fixture::frame().grids.remove(0);
        let words = |index: usize| cell_description(&grid, index as u64, &grid.cells[index]);
        assert_eq!(words(1), "out[1]: 9, written by this step, lane 1, step 3");
        assert_eq!(words(2), "out[2]: 0, not written");
    }

    #[test]
    fn indices_follow_the_declared_shape() {
        let mut grid = fixture::frame().grids.remove(0);
        assert_eq!(index_text(&grid, 59), "[59]");
        grid.memory.shape = vec![16, 16];
        assert_eq!(index_text(&grid, 59), "[3][11]");
    }
}
