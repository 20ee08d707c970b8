//! Grids of cells as a drawing: each cell with a colour, a label and a second line.

use crate::memory_export::drawing::{escape, lane_colour};
use std::fmt::Write;

const CELL_WIDTH: usize = 46;
const CELL_HEIGHT: usize = 28;
const LEFT: usize = 34;
const TOP: usize = 64;
const MARGIN: usize = 16;
/// The narrowest drawing, which has room for the title and the line below it.
const LEAST_WIDTH: usize = 620;

/// How a cell differs from the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    Plain,
    /// It is there to compare.
    Faint,
    /// It is not as it should be.
    Wrong,
}

/// A cell of a grid.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) label: String,
    pub(crate) detail: String,
    /// Of the 32 colours of lanes.
    pub(crate) colour: u8,
    pub(crate) mark: Mark,
    /// Label of the cell.
    pub(crate) words: String,
}

/// Cells in rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// A mark where there are several.
    pub(crate) name: String,
    pub(crate) size: (usize, usize),
    /// Row by row; absent where nothing lies.
    pub(crate) cells: Vec<Option<Cell>>,
}

/// Grids below each other.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    /// A line below the title.
    pub(crate) below: String,
    pub(crate) grids: Vec<Grid>,
}

impl Drawing {
    /// The drawing as a document of its own.
    pub(crate) fn svg(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out, Words::Pointed);
        out
    }

    /// The same with the words of each cell beside it.
    pub(crate) fn with_words(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out, Words::Beside);
        out
    }

    fn write(&self, out: &mut String, words: Words) -> std::fmt::Result {
        let columns = self.grids.iter().map(|grid| grid.size.1).max().unwrap_or(0);
        let block = |grid: &Grid| grid.size.0 * CELL_HEIGHT + 34;
        // About seven pixels a letter.
        let texts = self.title.len() * 9 + 2 * MARGIN;
        let width = (LEFT + columns * CELL_WIDTH + MARGIN)
            .max(LEAST_WIDTH)
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

/// Where the words of a cell are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    Pointed,
    Beside,
}

impl Grid {
    fn write(&self, out: &mut String, top: usize, words: Words) -> std::fmt::Result {
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
                Mark::Plain => ("", "#fff"),
                Mark::Faint => (r#" opacity=".28""#, "#fff"),
                Mark::Wrong => ("", "#c4152b"),
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
            if words == Words::Beside {
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
