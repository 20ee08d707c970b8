//! Positions of the boxes of a tile layout. One diagram represents the matrix, and another diagram represents the storage of the elements.

use super::display_list::{BYTE_WIDTH, HEAD, LINE_HEAD, Line, ROW_HEAD, line_plan};
use super::{CellBox, DisplayList, Raster};
use crate::grid_geometry::Rect;
use warpgrid_view::layouts::tensor::LayoutView;

/// Number of columns from which on a cell has space for only one short text.
const SHORT_TEXT_COLUMNS: u32 = 65;
/// Number of columns from which on a cell has no space for text.
const VERY_MANY_COLUMNS: u32 = 129;
/// Width in pixels of a diagram with a very large number of columns.
const WIDE: f64 = 1040.0;
/// Number of lanes of tensor memory.
const LANES: usize = 128;
/// Number of lanes of a warp.
const WARP: usize = 32;
/// Width in pixels of a character in a cell.
const LETTER: f64 = 6.8;
/// Size in bytes of a shared memory line.
const LINE_BYTES: u64 = 128;
/// Size in bytes of a chunk, which is the unit that a swizzle permutes.
const PIECE_BYTES: u64 = 16;

/// Returns the index of the cell of an element.
pub(super) fn layout_cell(view: &LayoutView, row: usize, column: usize) -> usize {
    row * view.columns as usize + column
}

/// Returns the row and the column of a cell.
pub fn row_and_column(view: &LayoutView, cell: usize) -> (usize, usize) {
    let columns = (view.columns as usize).max(1);
    (cell / columns, cell % columns)
}

/// Returns the number of the group to which a cell belongs. A group consists of the elements of one thread, of one lane, or of 16
/// contiguous bytes.
pub fn holder_group(view: &LayoutView, cell: usize) -> Option<u64> {
    let (row, column) = row_and_column(view, cell);
    let place = view.grid.get(row)?.get(column)?.first()?;
    let number = |at: usize| place.get(at).copied().map_or(0, u64::from);
    Some(match view.place.first().map(String::as_str) {
        Some("byte") => number(0) / PIECE_BYTES,
        Some("block") => number(0) << 32 | number(1),
        _ => number(0),
    })
}

/// Returns the row, the column and the location of each copy of each element.
fn places(view: &LayoutView) -> Vec<(usize, usize, &[u32])> {
    let mut all = Vec::new();
    for (row, columns) in view.grid.iter().enumerate() {
        for (column, places) in columns.iter().enumerate() {
            for place in places {
                all.push((row, column, place.as_slice()));
            }
        }
    }
    all
}

/// Set of cells, which is stored as one flag per cell.
struct Cells(Vec<bool>);

impl Cells {
    fn of(view: &LayoutView, list: &[[u32; 2]]) -> Cells {
        let mut cells = vec![false; (view.rows * view.columns) as usize];
        for [row, column] in list {
            let cell = layout_cell(view, *row as usize, *column as usize);
            if let Some(is_one) = cells.get_mut(cell) {
                *is_one = true;
            }
        }
        Cells(cells)
    }

    fn has(&self, cell: usize) -> bool {
        self.0.get(cell).copied().unwrap_or(false)
    }
}

/// Texts in the cells of a matrix.
struct Labels {
    /// Row and column of each cell, and both lines of text in the cell.
    cells: Vec<(usize, usize, (String, String))>,
    /// Whether the cells have space for the second line of text.
    has_detail: bool,
}

impl Labels {
    fn of(view: &LayoutView) -> Labels {
        let mut cells = Vec::new();
        for (row, columns) in view.grid.iter().enumerate() {
            for (column, places) in columns.iter().enumerate() {
                if let Some(place) = places.first() {
                    // If the matrix has a very large number of columns, the cells have no space for text.
                    let label = match view.columns {
                        VERY_MANY_COLUMNS.. => Default::default(),
                        _ => view.label(place),
                    };
                    cells.push((row, column, label));
                }
            }
        }
        let mut details = cells.iter().map(|(.., (_, detail))| detail);
        let has_detail =
            view.columns < SHORT_TEXT_COLUMNS && details.any(|detail| !detail.is_empty());
        Labels { cells, has_detail }
    }

    /// Returns the width and height of a cell.
    fn cell_size(&self, view: &LayoutView) -> (f64, f64) {
        let letters = |text: &str| text.chars().count() as f64;
        let longest = self
            .cells
            .iter()
            .map(|(.., (label, detail))| match self.has_detail {
                true => letters(label).max(letters(detail) * 0.85),
                false => letters(label),
            });
        let longest = longest.fold(2.0, f64::max);
        match view.columns {
            // The cells are so narrow that the whole matrix is visible.
            VERY_MANY_COLUMNS.. => {
                let side = (WIDE / f64::from(view.columns)).floor().clamp(4.0, 14.0);
                (side, side.min(12.0))
            }
            _ if self.has_detail => (longest * LETTER + 6.0, 30.0),
            // The cell must also have space for a number with two digits.
            _ => ((longest * LETTER + 4.0).max(20.0), 20.0),
        }
    }
}

/// Adds numbers above the columns and beside the rows, as densely as the cell size permits.
fn add_numbers(plan: &mut DisplayList, view: &LayoutView, (width, height): (f64, f64)) {
    let every_column = match width {
        ..8.0 => 16,
        ..20.0 => 4,
        _ => 1,
    };
    for column in (0..view.columns).step_by(every_column) {
        let x = ROW_HEAD + (f64::from(column) + 0.5) * width;
        plan.heads.push((column.to_string(), x, HEAD / 2.0));
    }
    let every_row = match height {
        ..8.0 => 8,
        ..16.0 => 2,
        _ => 1,
    };
    for row in (0..view.rows).step_by(every_row) {
        let y = HEAD + (f64::from(row) + 0.5) * height;
        plan.heads.push((row.to_string(), ROW_HEAD / 2.0, y));
    }
}

/// Returns the diagram of the matrix, in which each cell contains the storage location of its element.
pub fn matrix_display_list(view: &LayoutView) -> DisplayList {
    let (rows, columns) = (view.rows as usize, view.columns as usize);
    let labels = Labels::of(view);
    let (width, height) = labels.cell_size(view);
    let mut plan = DisplayList {
        width: ROW_HEAD + columns as f64 * width + 2.0,
        height: HEAD + rows as f64 * height + 2.0,
        ..DisplayList::default()
    };
    add_numbers(&mut plan, view, (width, height));
    let is_raster = view.columns >= VERY_MANY_COLUMNS;
    if is_raster {
        plan.raster = Some(Raster {
            rows,
            columns,
            rect: Rect {
                x: ROW_HEAD,
                y: HEAD,
                width: columns as f64 * width,
                height: rows as f64 * height,
            },
        });
    }
    let gap = if is_raster { 0.0 } else { 1.0 };
    let (wrong, marked) = (
        Cells::of(view, &view.mismatched_cells),
        Cells::of(view, &view.marked),
    );
    let Labels { cells, has_detail } = labels;
    for (row, column, (label, detail)) in cells {
        let has_text = width >= 20.0;
        let cell = layout_cell(view, row, column);
        plan.marks.push(CellBox {
            cell,
            rect: Rect {
                x: ROW_HEAD + column as f64 * width,
                y: HEAD + row as f64 * height,
                width: width - gap,
                height: height - gap,
            },
            lane: view.colour(row, column),
            label: if has_text { label } else { String::new() },
            detail: if has_detail { detail } else { String::new() },
            is_hatched: wrong.has(cell),
            is_dimmed: !view.marked.is_empty() && !marked.has(cell),
        });
    }
    plan
}

/// Returns the diagram of the storage: shared memory in lines of 128 bytes, tensor memory by lane and column, or registers by thread. The
/// diagram is `available` pixels wide.
pub fn location_display_list(view: &LayoutView, available: f64) -> DisplayList {
    match view.place.first().map(String::as_str) {
        Some("byte") => shared_plan(view, available),
        Some("thread" | "lane" | "block")
            if view.place.last().is_some_and(|name| name != "now") =>
        {
            lanes_plan(view, available)
        }
        // The matrix diagram already represents the memory itself or a user-defined layout.
        Some(_) | None => DisplayList::default(),
    }
}

/// Returns the title of the storage diagram, and the description of its division.
pub fn location_title(view: &LayoutView) -> (&'static str, &'static str) {
    match view.place.first().map(String::as_str) {
        Some("byte") => (
            "Shared memory",
            "lines of 128 bytes; the colours distinguish the 16-byte chunks of the matrix",
        ),
        Some("thread")
            if view.rows as usize > WARP
                || view.lanes.as_ref().is_some_and(|lanes| lanes.len() > WARP) =>
        {
            (
                "Registers",
                "one row per thread and one box per element; lines separate the warps",
            )
        }
        Some("thread") => ("Registers", "one row per thread and one box per element"),
        _ => (
            "Tensor memory",
            "one row per lane and one box per 32-bit column; lines separate the warps",
        ),
    }
}

fn shared_plan(view: &LayoutView, available: f64) -> DisplayList {
    let bits = u64::from(view.element_bits);
    let line = Line {
        bytes: LINE_BYTES,
        part_bytes: PIECE_BYTES,
        part_name: "piece",
        narrowest: BYTE_WIDTH,
        head: LINE_HEAD,
    };
    let all = places(view).into_iter();
    let boxes = all.map(|(row, column, place)| {
        let first = place.first().copied().map_or(0, u64::from) * 8;
        let bit = place.get(1).copied().map_or(0, u64::from);
        (
            layout_cell(view, row, column),
            first + bit,
            view.colour(row, column),
        )
    });
    line_plan(&boxes.collect::<Vec<_>>(), bits, line, available, &|cell| {
        let (row, column) = row_and_column(view, cell);
        format!("{row},{column}")
    })
}

/// Rows of boxes, in which a row is a lane of tensor memory or a thread, and its boxes are columns or registers.
struct Lanes<'v> {
    view: &'v LayoutView,
    names: Vec<&'v str>,
    per_register: u32,
    /// Width of a box.
    width: f64,
    height: f64,
}

impl Lanes<'_> {
    /// Returns the row of a storage location, and its position within the row, counted in boxes.
    fn position(&self, place: &[u32]) -> (usize, f64) {
        let number = |at: usize| place.get(at).copied().unwrap_or(0);
        let (line, along) = match self.names[..] {
            ["thread", "bit"] => (number(0), f64::from(number(1)) / 4.0),
            ["thread", ..] => (
                number(0),
                f64::from(number(1) * self.per_register + number(2)),
            ),
            ["lane", "column"] => (number(0), f64::from(number(1))),
            ["lane", "column", "byte"] => {
                (number(0), f64::from(number(1)) + f64::from(number(2)) / 4.0)
            }
            ["lane", "column", "bit"] => (
                number(0),
                f64::from(number(1)) + f64::from(number(2)) / 32.0,
            ),
            ["block", "lane", "column", "bit"] => (
                number(0) * LANES as u32 + number(1),
                f64::from(number(2)) + f64::from(number(3)) / 32.0,
            ),
            ["block", ..] => (number(0) * LANES as u32 + number(1), f64::from(number(2))),
            _ => (0, 0.0),
        };
        (line as usize, along)
    }

    /// Returns the fraction of a box that one element occupies.
    fn part(&self) -> f64 {
        match self.names.last() {
            Some(&"byte") => 0.25,
            Some(&"bit") if self.names[0] != "thread" => f64::from(self.view.element_bits) / 32.0,
            _ => 1.0,
        }
    }

    /// Returns the y coordinate of the top of a row. Gaps separate blocks of rows.
    fn top(&self, line: usize) -> f64 {
        HEAD + line as f64 * self.height + (line / LANES) as f64 * 14.0
    }

    /// Adds names above the boxes and beside the rows, and rules between the warps.
    fn add_heads(&self, plan: &mut DisplayList, n_lines: usize, n_along: f64) {
        let Lanes { width, height, .. } = *self;
        // The computation uses integers, because formatting floats would add more code than the diagram itself.
        let per_head = match self.names[0] {
            "thread" => self.per_register as usize,
            _ => 1,
        };
        let every = ((30.0 / width / per_head as f64).ceil() as usize).max(1) * per_head;
        for column in (0..n_along as usize).step_by(every) {
            let name = match self.names[0] {
                "thread" if self.names[1] == "bit" => format!("b{}", column * 4),
                "thread" => format!("r{}", column / per_head),
                _ => column.to_string(),
            };
            let x = LINE_HEAD + (column as f64 + 0.5) * width;
            plan.heads.push((name, x, HEAD / 2.0));
        }
        let letter = if self.names[0] == "thread" { 'T' } else { 'L' };
        for line in (0..n_lines).step_by(if height < 12.0 { 4 } else { 1 }) {
            let label = match line / LANES {
                0 => format!("{letter}{line}"),
                block => format!("B{block} {letter}{}", line % LANES),
            };
            let y = self.top(line) + height / 2.0;
            plan.heads.push((label, LINE_HEAD / 2.0 - 2.0, y));
        }
        for line in (WARP..n_lines).step_by(WARP) {
            plan.rules.push(Rect {
                x: LINE_HEAD,
                y: self.top(line) - 1.0,
                width: n_along * width,
                height: 1.0,
            });
        }
    }
}

fn lanes_plan(view: &LayoutView, available: f64) -> DisplayList {
    let mut elements = view.lanes.iter().flatten().flatten();
    let mut lanes = Lanes {
        view,
        names: view.place.iter().map(String::as_str).collect(),
        per_register: elements.next().map_or(1, Vec::len) as u32,
        width: 0.0,
        height: 0.0,
    };
    let all = places(view).into_iter();
    let all = all.map(|(row, column, place)| (row, column, lanes.position(place)));
    let all: Vec<(usize, usize, (usize, f64))> = all.collect();
    let lines = all.iter().map(|(.., (line, _))| line + 1);
    let n_lines = lines.max().unwrap_or(0);
    let n_along = all
        .iter()
        .map(|(.., (_, along))| along.floor() + 1.0)
        .fold(1.0, f64::max);
    lanes.width = ((available - LINE_HEAD) / n_along).clamp(4.0, 44.0);
    lanes.height = if n_lines > WARP { 8.0 } else { 16.0 };
    let mut plan = DisplayList {
        width: LINE_HEAD + n_along * lanes.width + 2.0,
        height: lanes.top(n_lines) + 2.0,
        ..DisplayList::default()
    };
    lanes.add_heads(&mut plan, n_lines, n_along);
    let wide = lanes.width * lanes.part();
    for (row, column, (line, along)) in all {
        plan.marks.push(CellBox {
            cell: layout_cell(view, row, column),
            rect: Rect {
                x: LINE_HEAD + along * lanes.width,
                y: lanes.top(line),
                width: wide - if wide > 6.0 { 1.0 } else { 0.3 },
                height: lanes.height - 1.0,
            },
            lane: view.colour(row, column),
            label: match wide > 34.0 && lanes.height > 12.0 {
                true => format!("{row},{column}"),
                false => String::new(),
            },
            detail: String::new(),
            is_hatched: false,
            is_dimmed: false,
        });
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use warpgrid_view::layouts::fragment::FragmentRequest;
    use warpgrid_view::layouts::tensor::{layout, operations};

    fn view(op: &str, with: &[(&str, &str)]) -> LayoutView {
        let with: BTreeMap<String, String> = with
            .iter()
            .map(|(name, word)| ((*name).to_owned(), (*word).to_owned()))
            .collect();
        let request = FragmentRequest {
            op: op.to_owned(),
            with,
            ..FragmentRequest::default()
        };
        layout(&request).expect("a layout")
    }

    #[test]
    fn hit_test_finds_every_drawn_element() {
        for op in operations() {
            let view = view(op, &[]);
            for plan in [
                matrix_display_list(&view),
                location_display_list(&view, 900.0),
            ] {
                for mark in &plan.marks {
                    let Rect {
                        x,
                        y,
                        width,
                        height,
                    } = mark.rect;
                    let found = plan.cell_at(x + width / 2.0, y + height / 2.0);
                    assert_eq!(found, Some(mark.cell), "{op}");
                    assert!(x + width <= plan.width && y + height <= plan.height, "{op}");
                }
            }
        }
    }

    #[test]
    fn swizzle_exchanges_chunks_within_line() {
        // In row 1 of 128-byte rows, the first chunk is drawn at the position of the second chunk.
        let plain = view("wgmma.shared.a", &[("swizzle", "128B")]);
        let plan = location_display_list(&plain, 1200.0);
        let of_cell = |cell| {
            plan.marks
                .iter()
                .find(|mark| mark.cell == cell)
                .expect("a box")
        };
        let (first, second) = (
            of_cell(layout_cell(&plain, 0, 0)),
            of_cell(layout_cell(&plain, 1, 8)),
        );
        assert_eq!(first.rect.x, second.rect.x);
        assert_eq!(holder_group(&plain, 0), holder_group(&plain, 7));
        assert_ne!(holder_group(&plain, 0), holder_group(&plain, 8));
    }
}
