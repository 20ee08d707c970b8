//! Positions of the boxes of a diagram in CSS pixels. Each box represents one cell of the matrix or of memory.

use super::{CellLabels, position, register_label};
use crate::grid_geometry::Rect;
use std::collections::BTreeMap;
use warpgrid_view::layouts::fragment::{CellHolder, FragmentPicture, PictureCell};
use warpgrid_view::model::MatrixOperandView;

const CELL_HEIGHT: f64 = 30.0;
/// Width of a cell that provides space for `r3.1`.
const CELL_WIDTH: f64 = 38.0;
/// Width of a cell in a matrix with many columns.
const NARROW_CELL_WIDTH: f64 = 26.0;
/// Minimum number of matrix columns for which the diagram uses narrow cells.
const NARROW_CELL_COLUMNS: u16 = 40;
pub(super) const HEAD: f64 = 20.0;
pub(super) const ROW_HEAD: f64 = 30.0;
/// Gap between two matrices.
const BETWEEN: f64 = 22.0;
const LINE_HEIGHT: f64 = 24.0;
pub(super) const LINE_HEAD: f64 = 64.0;
/// Width of a byte in pixels in a narrow diagram.
pub(super) const BYTE_WIDTH: f64 = 5.0;

/// Box that represents an element in a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct CellBox {
    /// Index of the cell that the box shows.
    pub cell: usize,
    pub rect: Rect,
    /// Lane that determines the color of the box.
    pub lane: u8,
    pub label: String,
    /// Second line of text in the box.
    pub detail: String,
    /// Whether another element occupies the same bytes.
    pub is_hatched: bool,
    /// Whether the box is shown only for comparison, because another step reads its element.
    pub is_dimmed: bool,
}

/// Diagram that consists of boxes, labels and separator lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisplayList {
    pub width: f64,
    pub height: f64,
    pub marks: Vec<CellBox>,
    /// Labels around the boxes. Each label has the position of its center.
    pub heads: Vec<(String, f64, f64)>,
    /// Separator lines between sectors.
    pub rules: Vec<Rect>,
    /// Boxes that are painted as one image. `None` unless the diagram has too many boxes to paint them separately.
    pub raster: Option<Raster>,
}

/// Boxes without text that are arranged in rows and columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    pub rows: usize,
    pub columns: usize,
    /// Area that the boxes cover.
    pub rect: Rect,
}

impl DisplayList {
    /// Returns the cell at a point of the diagram.
    pub fn cell_at(&self, x: f64, y: f64) -> Option<usize> {
        let holds = |rect: &Rect| {
            (rect.x..rect.x + rect.width).contains(&x)
                && (rect.y..rect.y + rect.height).contains(&y)
        };
        let mark = self.marks.iter().find(|mark| holds(&mark.rect))?;
        Some(mark.cell)
    }
}

/// Returns the diagram of the matrix with rows and columns. Several matrices are stacked vertically. `n_pictures` is the number of diagrams
/// that are shown side by side.
pub fn matrix_plan(
    picture: &FragmentPicture,
    labels: CellLabels,
    n_pictures: usize,
) -> DisplayList {
    let (rows, columns) = (usize::from(picture.rows), usize::from(picture.columns));
    let width = if n_pictures > 1 || picture.columns >= NARROW_CELL_COLUMNS {
        NARROW_CELL_WIDTH
    } else {
        CELL_WIDTH
    };
    let block = HEAD + rows as f64 * CELL_HEIGHT + BETWEEN;
    let mut plan = DisplayList {
        width: ROW_HEAD + columns as f64 * width + 2.0,
        height: f64::from(picture.n_matrices) * block - BETWEEN + 2.0,
        ..DisplayList::default()
    };
    for matrix in 0..usize::from(picture.n_matrices) {
        let top = matrix as f64 * block;
        if picture.n_matrices > 1 {
            let title = format!("#{matrix}");
            plan.heads.push((title, ROW_HEAD / 2.0, top + HEAD / 2.0));
        }
        let numbered = Numbered {
            rows,
            columns,
            side: ROW_HEAD,
            width,
            height: CELL_HEIGHT,
        };
        plan.number(top, numbered);
    }
    for (cell, found) in picture.cells.iter().enumerate() {
        let Some(holder) = found.holders.first() else {
            continue;
        };
        let (matrix, row, column) = position(picture, cell);
        let (label, detail) = cell_label(picture, found, holder, labels);
        plan.marks.push(CellBox {
            cell,
            rect: Rect {
                x: ROW_HEAD + column as f64 * width,
                y: matrix as f64 * block + HEAD + row as f64 * CELL_HEIGHT,
                width: width - 1.0,
                height: CELL_HEIGHT - 1.0,
            },
            lane: holder.lane,
            label,
            detail,
            is_hatched: false,
            is_dimmed: false,
        });
    }
    plan
}

/// Returns both lines of text in a matrix cell.
fn cell_label(
    picture: &FragmentPicture,
    cell: &PictureCell,
    holder: &CellHolder,
    labels: CellLabels,
) -> (String, String) {
    let thread = format!("T{}", holder.lane);
    match labels {
        CellLabels::Holder => (thread, register_label(picture, holder)),
        CellLabels::Address => {
            let bit = cell.offset_bits % 8;
            let part = (picture.element_bits < 8).then(|| format!(".{bit}"));
            let byte = cell.offset_bits / 8;
            (format!("{byte}{}", part.unwrap_or_default()), thread)
        }
    }
}

/// Dimensions in pixels of a matrix with row and column numbers.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    rows: usize,
    columns: usize,
    /// Left edge of the first column.
    side: f64,
    /// Width of a column.
    width: f64,
    /// Height of a row.
    height: f64,
}

impl DisplayList {
    /// Adds numbers above the columns and beside the rows of a matrix whose top edge is at `top`.
    fn number(&mut self, top: f64, numbered: Numbered) {
        let Numbered {
            rows,
            columns,
            side,
            width,
            height,
        } = numbered;
        for column in 0..columns {
            let x = side + (column as f64 + 0.5) * width;
            self.heads.push((column.to_string(), x, top + HEAD / 2.0));
        }
        for row in 0..rows {
            let y = top + HEAD + (row as f64 + 0.5) * height;
            self.heads.push((row.to_string(), side / 2.0, y));
        }
    }
}

/// Returns the diagram of a matrix operand in a run, with a width of `available` pixels. Each box represents an element, in the color of
/// its lane. Several matrices are stacked vertically.
pub fn fragment_plan(operand: &MatrixOperandView, available: f64) -> DisplayList {
    const HEIGHT: f64 = 19.0;
    const SIDE: f64 = 22.0;
    const PADDING: f64 = 30.0;
    let (rows, columns) = (
        usize::from(operand.rows.max(1)),
        usize::from(operand.columns.max(1)),
    );
    let width = ((available - SIDE - PADDING) / columns as f64).clamp(15.0, 34.0);
    let n_matrices = operand.cells.len().div_ceil(rows * columns).max(1);
    let block = HEAD + rows as f64 * HEIGHT + BETWEEN / 2.0;
    let mut plan = DisplayList {
        width: SIDE + columns as f64 * width + 2.0,
        height: n_matrices as f64 * block - BETWEEN / 2.0 + 2.0,
        ..DisplayList::default()
    };
    for matrix in 0..n_matrices {
        let top = matrix as f64 * block;
        let numbered = Numbered {
            rows,
            columns,
            side: SIDE,
            width,
            height: HEIGHT,
        };
        plan.number(top, numbered);
    }
    for (cell, element) in operand.cells.iter().enumerate() {
        let Some(holder) = element.holders.first() else {
            continue;
        };
        let (matrix, row, column) = (cell / columns / rows, cell / columns % rows, cell % columns);
        plan.marks.push(CellBox {
            cell,
            rect: Rect {
                x: SIDE + column as f64 * width,
                y: matrix as f64 * block + HEAD + row as f64 * HEIGHT,
                width: width - 1.0,
                height: HEIGHT - 1.0,
            },
            lane: holder.lane,
            label: holder.lane.to_string(),
            detail: String::new(),
            is_hatched: false,
            is_dimmed: false,
        });
    }
    plan
}

/// Returns the diagram of the memory that contains the matrix, which starts `base_bytes` bytes after a 256-byte boundary. Each memory line
/// is `available` pixels wide. Lines without elements are omitted. The diagram is empty for operands that are only in registers.
pub fn memory_plan(picture: &FragmentPicture, base_bytes: u64, available: f64) -> DisplayList {
    if picture.address_rule.is_none() {
        return DisplayList::default();
    }
    let line = Line {
        bytes: u64::from(picture.line_bytes.max(1)),
        part_bytes: u64::from(picture.sector_bytes.max(1)),
        part_name: "sector",
        narrowest: BYTE_WIDTH,
        head: LINE_HEAD,
    };
    let boxes = picture
        .cells
        .iter()
        .enumerate()
        .filter_map(|(cell, found)| {
            let holder = found.holders.first()?;
            Some((cell, base_bytes * 8 + found.offset_bits, holder.lane))
        });
    let boxes: Vec<(usize, u64, u8)> = boxes.collect();
    let lane = |cell: usize| {
        let holder = picture
            .cells
            .get(cell)
            .and_then(|cell| cell.holders.first());
        holder.map_or_else(String::new, |holder| holder.lane.to_string())
    };
    line_plan(&boxes, picture.element_bits.into(), line, available, &lane)
}

/// Memory line and its division into sectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) bytes: u64,
    pub(super) part_bytes: u64,
    pub(super) part_name: &'static str,
    /// Minimum width of a byte in pixels. A diagram that requires more than the available space scrolls.
    pub(super) narrowest: f64,
    /// Width in pixels of the addresses in front of the memory lines.
    pub(super) head: f64,
}

impl DisplayList {
    /// Adds the titles of the sectors above the memory lines, and the addresses beside the lines. `lines` maps line numbers to positions.
    fn add_line_heads(&mut self, line: Line, lines: &BTreeMap<u64, usize>, byte_width: f64) {
        for part in 0..line.bytes / line.part_bytes {
            let x = line.head + (part * line.part_bytes) as f64 * byte_width;
            let middle = x + line.part_bytes as f64 * byte_width / 2.0;
            let title = format!("{} {part}", line.part_name).trim_start().to_owned();
            self.heads.push((title, middle, HEAD / 2.0));
            self.rules.push(Rect {
                x: x - 1.5,
                y: HEAD,
                width: 2.0,
                height: lines.len() as f64 * LINE_HEIGHT,
            });
        }
        for (number, position) in lines {
            let y = HEAD + (*position as f64 + 0.5) * LINE_HEIGHT;
            let address = format!("+0x{:x}", number * line.bytes);
            self.heads.push((address, line.head / 2.0 - 2.0, y));
        }
    }
}

/// Returns a diagram of memory lines, without lines that contain no box. `boxes` contains the cell, the first bit and the color of each
/// box, which covers `bits` bits. `label` returns the text of a box that is wide enough.
pub(super) fn line_plan(
    boxes: &[(usize, u64, u8)],
    bits: u64,
    line: Line,
    available: f64,
    label: &dyn Fn(usize) -> String,
) -> DisplayList {
    let Line { bytes, head, .. } = line;
    let mut lines: BTreeMap<u64, usize> = BTreeMap::new();
    let mut held: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, first, _) in boxes {
        lines.insert(first / 8 / bytes, 0);
        *held.entry(*first).or_default() += 1;
    }
    for (number, place) in lines.values_mut().enumerate() {
        *place = number;
    }
    // A call of `clamp` would add 12 KB to the WebAssembly module, because the panic message of `clamp` formats numbers.
    let byte_width = ((available - head) / bytes as f64)
        .max(line.narrowest)
        .min(10.0);
    let mut plan = DisplayList {
        width: head + bytes as f64 * byte_width + 2.0,
        height: HEAD + lines.len() as f64 * LINE_HEIGHT + 2.0,
        ..DisplayList::default()
    };
    plan.add_line_heads(line, &lines, byte_width);
    for (cell, first, lane) in boxes {
        let number = lines.get(&(first / 8 / bytes)).copied().unwrap_or(0);
        let width = bits as f64 / 8.0 * byte_width;
        let text = if width > 13.0 {
            label(*cell)
        } else {
            String::new()
        };
        plan.marks.push(CellBox {
            cell: *cell,
            rect: Rect {
                x: head + (first % (bytes * 8)) as f64 / 8.0 * byte_width,
                y: HEAD + number as f64 * LINE_HEIGHT,
                width: width - if width > 6.0 { 1.0 } else { 0.4 },
                height: LINE_HEIGHT - 1.0,
            },
            lane: *lane,
            label: if text.len() as f64 * 6.0 < width {
                text
            } else {
                String::new()
            },
            detail: String::new(),
            is_hatched: held.get(first).is_some_and(|n| *n > 1),
            is_dimmed: false,
        });
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout_explorer::fixture::store_d;

    fn middle(mark: &CellBox) -> (f64, f64) {
        let Rect {
            x,
            y,
            width,
            height,
        } = mark.rect;
        (x + width / 2.0, y + height / 2.0)
    }

    #[test]
    fn hit_test_finds_every_drawn_cell() {
        let picture = store_d();
        let plans = [
            matrix_plan(&picture, CellLabels::Holder, 1),
            matrix_plan(&picture, CellLabels::Address, 2),
            memory_plan(&picture, 0, 900.0),
        ];
        for plan in plans {
            assert_eq!(plan.marks.len(), 256);
            for mark in &plan.marks {
                let (x, y) = middle(mark);
                assert_eq!(plan.cell_at(x, y), Some(mark.cell));
                assert!(x < plan.width && y < plan.height);
            }
            assert_eq!(plan.cell_at(1.0, 1.0), None);
        }
    }

    #[test]
    fn memory_plan_omits_empty_lines() {
        let mut picture = store_d();
        // 16 rows of 64 bytes fill 8 lines without gaps, and 16 lines if rows are 4,096 bytes apart.
        let n_lines = |picture: &FragmentPicture| {
            let plan = memory_plan(picture, 0, 900.0);
            (plan.height / LINE_HEIGHT) as u64
        };
        assert_eq!(n_lines(&picture), 8);
        for (at, cell) in picture.cells.iter_mut().enumerate() {
            cell.offset_bits = (at as u64 / 16 * 1024 + at as u64 % 16) * 32;
        }
        assert_eq!(n_lines(&picture), 16);
    }

    #[test]
    fn overlapping_elements_are_hatched() {
        let mut picture = store_d();
        assert!(
            memory_plan(&picture, 0, 900.0)
                .marks
                .iter()
                .all(|mark| !mark.is_hatched)
        );
        picture.cells[1].offset_bits = 0;
        let plan = memory_plan(&picture, 0, 900.0);
        let overlapping = plan.marks.iter().filter(|mark| mark.is_hatched);
        assert_eq!(
            overlapping.map(|mark| mark.cell).collect::<Vec<_>>(),
            [0, 1]
        );
    }
}
