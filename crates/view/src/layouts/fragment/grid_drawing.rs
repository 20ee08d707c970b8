//! SVG drawing of one or several grids. Each cell of a grid has a color, a label and a second line of text.

use crate::memory_export::drawing::{escape, lane_colour};
use std::fmt::Write;

const CELL_WIDTH: usize = 46;
const CELL_HEIGHT: usize = 28;
const LEFT: usize = 34;
const TOP: usize = 64;
const MARGIN: usize = 16;
/// Minimum width of a drawing in pixels. The title and the text line below the title fit into this width.
const MIN_WIDTH: usize = 620;

/// Highlighting of a [`DrawnCell`] in a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CellStyle {
    #[default]
    Plain,
    /// The drawing shows the cell only for comparison.
    Faint,
    /// The content of the cell differs from the intended layout.
    Wrong,
}

/// Cell of a [`DrawnGrid`] with its color, labels and description.
#[derive(Clone, Debug)]
pub(crate) struct DrawnCell {
    pub(crate) label: String,
    pub(crate) detail: String,
    /// Index of the color of the cell among the 32 lane colors.
    pub(crate) colour: u8,
    pub(crate) mark: CellStyle,
    /// Textual description of the cell.
    pub(crate) words: String,
}

/// Grid of cells in a [`Drawing`].
#[derive(Clone, Debug)]
pub(crate) struct DrawnGrid {
    /// Name of the grid. The name is visible only if the drawing contains several grids.
    pub(crate) name: String,
    pub(crate) size: (usize, usize),
    /// Cells in row-major order. The entry of an empty cell is `None`.
    pub(crate) cells: Vec<Option<DrawnCell>>,
}

/// Drawing of one or several grids, one below the other, which is formatted as SVG.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    /// Text line below the title.
    pub(crate) below: String,
    pub(crate) grids: Vec<DrawnGrid>,
}

impl Drawing {
    /// Formats the drawing as a standalone SVG document.
    pub(crate) fn svg(&self) -> String {
        let mut out = String::new();
        // Ignore the result, because formatting into a `String` cannot fail.
        let _ = self.write(&mut out, LabelPlacement::Tooltip);
        out
    }

    /// Formats the drawing as an SVG document in which the description of each cell is an attribute.
    pub(crate) fn with_words(&self) -> String {
        let mut out = String::new();
        // Ignore the result, because formatting into a `String` cannot fail.
        let _ = self.write(&mut out, LabelPlacement::Beside);
        out
    }

    fn write(&self, out: &mut String, words: LabelPlacement) -> std::fmt::Result {
        let columns = self.grids.iter().map(|grid| grid.size.1).max().unwrap_or(0);
        let block = |grid: &DrawnGrid| grid.size.0 * CELL_HEIGHT + 34;
        // The estimate of nine pixels per letter of the title is generous, because a letter is about seven pixels wide.
        let texts = self.title.len() * 9 + 2 * MARGIN;
        let width = (LEFT + columns * CELL_WIDTH + MARGIN)
            .max(MIN_WIDTH)
            .max(texts.min(1100));
        let height = TOP + self.grids.iter().map(block).sum::<usize>() + MARGIN;
        let title = escape(&self.title);
        writeln!(
            out,
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{title}" font-family="ui-monospace, 'DejaVu Sans Mono', monospace" font-size="11" fill="#16181d">"##
        )?;
        writeln!(out, "<title>{title}</title>")?;
        writeln!(
            out,
            r##"<rect width="{width}" height="{height}" fill="#fff"/>"##
        )?;
        writeln!(
            out,
            r##"<text x="{MARGIN}" y="24" font-size="15" font-weight="600">{title}</text>"##
        )?;
        writeln!(
            out,
            r##"<text x="{MARGIN}" y="43" fill="#565b66">{}</text>"##,
            escape(&self.below)
        )?;
        let mut top = TOP;
        for grid in &self.grids {
            grid.write(out, top, words)?;
            top += block(grid);
        }
        writeln!(out, "</svg>")
    }
}

/// Location of the cell descriptions in the SVG document: as a tooltip element, or as an attribute of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelPlacement {
    Tooltip,
    Beside,
}

impl DrawnGrid {
    fn write(&self, out: &mut String, top: usize, words: LabelPlacement) -> std::fmt::Result {
        let (rows, columns) = self.size;
        writeln!(out, r##"<g fill="#6d727d" text-anchor="middle">"##)?;
        for column in 0..columns {
            let x = LEFT + column * CELL_WIDTH + CELL_WIDTH / 2;
            writeln!(out, r##"<text x="{x}" y="{}">{column}</text>"##, top + 6)?;
        }
        for row in 0..rows {
            let y = top + 12 + row * CELL_HEIGHT + CELL_HEIGHT / 2 + 4;
            writeln!(out, r##"<text x="{}" y="{y}">{row}</text>"##, LEFT - 14)?;
        }
        if !self.name.is_empty() {
            writeln!(
                out,
                r##"<text x="{}" y="{}">{}</text>"##,
                LEFT - 14,
                top + 6,
                escape(&self.name)
            )?;
        }
        writeln!(out, "</g>")?;
        for (at, cell) in self.cells.iter().enumerate() {
            let Some(cell) = cell else {
                continue;
            };
            let (row, column) = (at / columns, at % columns);
            let (x, y) = (LEFT + column * CELL_WIDTH, top + 12 + row * CELL_HEIGHT);
            let middle = x + CELL_WIDTH / 2;
            let (opacity, edge) = match cell.mark {
                CellStyle::Plain => ("", "#fff"),
                CellStyle::Faint => (r#" opacity=".28""#, "#fff"),
                CellStyle::Wrong => ("", "#c4152b"),
            };
            writeln!(
                out,
                r##"<g{opacity}><title>{}</title><rect x="{x}" y="{y}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" fill="{}" stroke="{edge}"/><text x="{middle}" y="{}" text-anchor="middle" font-weight="600">{}</text><text x="{middle}" y="{}" text-anchor="middle" font-size="9">{}</text></g>"##,
                escape(&cell.words),
                lane_colour(cell.colour),
                y + 13,
                escape(&cell.label),
                y + 24,
                escape(&cell.detail)
            )?;
            if words == LabelPlacement::Beside {
                writeln!(
                    out,
                    r##"<text x="{}" y="{}">{}</text>"##,
                    x + CELL_WIDTH + 10,
                    y + CELL_HEIGHT / 2 + 4,
                    escape(&cell.words)
                )?;
            }
        }
        Ok(())
    }
}
