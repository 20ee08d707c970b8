//! SVG drawing of the cells in a window of a memory.

use crate::model::grid::{GridCell, GridRequest, MemoryGrid, WriteAge};
use crate::model::request::FrameRequest;
use crate::session::Session;
use std::fmt::{Result, Write};

const CELL_HEIGHT: usize = 24;
/// Width in pixels of a character in a cell. At a font size of 11 px, a character of a common font is 6.7 px wide.
const CHARACTER_WIDTH: usize = 7;
const MIN_CELL_WIDTH: usize = 34;
const LEFT: usize = 56;
/// Vertical position of the first line of the summary sentence.
const SENTENCE: usize = 42;
/// Line spacing of the summary sentence.
const LINE: usize = 15;
const MARGIN: usize = 16;
/// Minimum width of a drawing in pixels. The title fits into this width.
const MIN_WIDTH: usize = 480;
/// Maximum number of cells in a drawing.
const MAX_CELLS: u32 = 4096;

/// Color of each lane. Each group of four lanes has one hue, and each lane of a group has its own shade. The colors are the lane colors of
/// the light theme of the page, oklch(.86 to .68, .095, hue).
const LANE_COLOURS: [[&str; 4]; 8] = [
    ["#a7d4ff", "#94c1fa", "#82aee6", "#709bd2"],
    ["#ffbca2", "#f3a98f", "#df967d", "#cb846b"],
    ["#aae2ab", "#97ce98", "#85bb86", "#72a874"],
    ["#f5bbef", "#e1a8db", "#cd95c7", "#ba83b4"],
    ["#e4d188", "#d1bd75", "#bdaa62", "#ab9850"],
    ["#80e5e4", "#6cd1d1", "#57bebd", "#42abaa"],
    ["#d5c5ff", "#c2b2f5", "#af9fe1", "#9c8ccd"],
    ["#ffb8bd", "#f5a5aa", "#e09297", "#cc8085"],
];

pub(crate) fn lane_colour(lane: u8) -> &'static str {
    LANE_COLOURS[usize::from(lane >> 2) & 7][usize::from(lane & 3)]
}

/// Escapes a text so that it can be SVG content or an attribute value.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Dimensions from which a drawing of a memory grid computes the positions of cells and sentences.
#[derive(Clone, Copy)]
pub(crate) struct GridLayout {
    columns: usize,
    rows: usize,
    cell_width: usize,
    /// Number of lines of text that the longest summary sentence occupies.
    lines: usize,
}

impl GridLayout {
    /// Computes a layout in which the longest text of the given cells fits into a cell, and in which each summary sentence fits into the
    /// lines below the title.
    pub(crate) fn of<'a>(
        grid: &MemoryGrid,
        cells: impl Iterator<Item = &'a GridCell>,
        sentences: impl Iterator<Item = &'a str>,
    ) -> GridLayout {
        let longest = cells.map(|cell| cell.text.chars().count()).max();
        let mut layout = GridLayout {
            columns: grid.columns as usize,
            rows: grid.n_rows as usize,
            cell_width: (longest.unwrap_or(0) * CHARACTER_WIDTH + 8).max(MIN_CELL_WIDTH),
            lines: 1,
        };
        let lines = sentences.map(|sentence| layout.wrap(sentence).len()).max();
        layout.lines = lines.unwrap_or(1);
        layout
    }

    /// Wraps a sentence into lines that fit into the drawing.
    fn wrap(self, sentence: &str) -> Vec<String> {
        let room = (self.size().0 - 2 * MARGIN) / CHARACTER_WIDTH;
        let mut lines = vec![String::new()];
        for word in sentence.split_whitespace() {
            let line = lines.last().map_or(0, |line| line.chars().count());
            if line > 0 && line + 1 + word.chars().count() > room {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                *line += if line.is_empty() { "" } else { " " };
                *line += word;
            }
        }
        lines
    }

    /// Returns the vertical position of the first row of cells in the drawing.
    fn top(self) -> usize {
        SENTENCE + self.lines * LINE + LINE
    }

    /// Returns the position of the upper left corner of a cell in the drawing.
    fn place(self, at: usize) -> (usize, usize) {
        let (row, column) = (at / self.columns, at % self.columns);
        (
            LEFT + column * self.cell_width,
            self.top() + row * CELL_HEIGHT,
        )
    }

    fn size(self) -> (usize, usize) {
        let width = LEFT + self.columns * self.cell_width + MARGIN;
        (
            width.max(MIN_WIDTH),
            self.top() + self.rows * CELL_HEIGHT + MARGIN,
        )
    }
}

/// Limits a request with `columns` columns to at most `most` cells.
pub(crate) fn limited(request: &GridRequest, columns: u32, most: u32) -> GridRequest {
    let rows = (most / columns.max(1)).max(1);
    GridRequest {
        columns: Some(columns),
        n_rows: Some(request.n_rows.map_or(rows, |n| n.min(rows))),
        ..request.clone()
    }
}

/// Returns the cells of a memory at the present position, and the summary sentence of the last step.
pub(crate) fn render_cells(
    session: &mut Session,
    request: &GridRequest,
) -> Option<(MemoryGrid, String)> {
    let mut frame = session.frame(&FrameRequest {
        grids: vec![request.clone()],
        ..FrameRequest::default()
    });
    let grid = frame.grids.pop()?;
    let sentence = match frame.position {
        0 => "Before the first step.".to_owned(),
        _ => frame
            .sentence
            .iter()
            .map(|phrase| phrase.text.replace('`', ""))
            .collect(),
    };
    Some((grid, sentence))
}

/// Draws the cells of a memory at the present position.
pub(crate) fn svg(session: &mut Session, request: &GridRequest) -> Option<String> {
    let columns = session.grid(request)?.columns;
    let (grid, sentence) = render_cells(session, &limited(request, columns, MAX_CELLS))?;
    let layout = GridLayout::of(&grid, grid.cells.iter(), [sentence.as_str()].into_iter());
    let mut out = String::new();
    // Ignore the result, because formatting into a `String` cannot fail.
    let _ = write(&mut out, &grid, layout, &sentence);
    Some(out)
}

fn write(out: &mut String, grid: &MemoryGrid, layout: GridLayout, sentence: &str) -> Result {
    open(out, grid, layout, "")?;
    write_sentence(out, layout, sentence, "")?;
    for (at, cell) in grid.cells.iter().enumerate() {
        write_cell(out, grid, layout, at, cell, "")?;
        if cell.written == WriteAge::Now {
            write_outline(out, layout, at, "")?;
        }
    }
    writeln!(out, "</svg>")
}

/// Writes the start of an SVG document: `style`, the background, the title, and the row and column numbers.
pub(crate) fn open(out: &mut String, grid: &MemoryGrid, layout: GridLayout, style: &str) -> Result {
    let (width, height) = layout.size();
    let memory = &grid.memory;
    let title = escape(&memory.title);
    let extents: String = memory.shape.iter().map(|n| format!("[{n}]")).collect();
    let rows = match u64::from(grid.n_rows) == grid.total_rows {
        true => String::new(),
        false => format!(
            " · rows {} to {} of {}",
            grid.first_row,
            grid.first_row + u64::from(grid.n_rows) - 1,
            grid.total_rows
        ),
    };
    let facts = escape(&format!(
        "{} · {}{extents} · {}{rows}",
        memory.space.name(),
        grid.ty,
        memory.address
    ));
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{title}" font-family="ui-monospace, 'DejaVu Sans Mono', monospace" font-size="11" fill="#16181d">
<title>{title}</title>{style}
<rect width="{width}" height="{height}" fill="#fff"/>
<text x="{MARGIN}" y="22" font-size="14"><tspan font-weight="600">{title}</tspan> <tspan font-size="11" fill="#565b66">{facts}</tspan></text>"##
    )?;
    writeln!(out, r##"<g fill="#6d727d" font-size="10">"##)?;
    for column in 0..layout.columns {
        let x = LEFT + column * layout.cell_width + layout.cell_width / 2;
        writeln!(
            out,
            r#"<text x="{x}" y="{}" text-anchor="middle">{column}</text>"#,
            layout.top() - 6
        )?;
    }
    for row in 0..layout.rows {
        let first = (grid.first_row + row as u64) * u64::from(grid.columns);
        let y = layout.top() + row * CELL_HEIGHT + CELL_HEIGHT / 2 + 4;
        writeln!(
            out,
            r#"<text x="{}" y="{y}" text-anchor="end">{first}</text>"#,
            LEFT - 8
        )?;
    }
    writeln!(out, "</g>")
}

/// Writes the summary sentence of a step below the title. `class` is a class attribute with a leading space, or an empty text.
pub(crate) fn write_sentence(
    out: &mut String,
    layout: GridLayout,
    sentence: &str,
    class: &str,
) -> Result {
    write!(out, r##"<text{class} fill="#565b66">"##)?;
    for (number, line) in layout.wrap(sentence).iter().enumerate() {
        let y = SENTENCE + number * LINE;
        write!(
            out,
            r#"<tspan x="{MARGIN}" y="{y}">{}</tspan>"#,
            escape(line)
        )?;
    }
    writeln!(out, "</text>")
}

/// Writes a cell with its value. The function draws a dot for the value zero in a cell that no store wrote.
pub(crate) fn write_cell(
    out: &mut String,
    grid: &MemoryGrid,
    layout: GridLayout,
    at: usize,
    cell: &GridCell,
    class: &str,
) -> Result {
    let (x, y) = layout.place(at);
    let index = grid.first_row * u64::from(grid.columns) + at as u64;
    let by = match (cell.lane, cell.step) {
        (Some(lane), Some(step)) => format!(", lane {lane}, step {step}"),
        _ => String::new(),
    };
    let fill = match (cell.lane, cell.written) {
        (Some(lane), _) => lane_colour(lane),
        (None, WriteAge::Never) => "#f3f3f0",
        (None, _) => "#dfe3ea",
    };
    let is_dot = cell.written == WriteAge::Never && cell.is_zero;
    let (text, ink) = match (is_dot, cell.written) {
        (true, _) => ("·", "#a9afbb"),
        (false, WriteAge::Never) => (cell.text.as_str(), "#6d727d"),
        (false, _) => (cell.text.as_str(), "#16181d"),
    };
    writeln!(
        out,
        r##"<g{class}><title>[{index}] = {}{by}</title><rect x="{x}" y="{y}" width="{}" height="{CELL_HEIGHT}" fill="{fill}" stroke="#fff"/><text x="{}" y="{}" text-anchor="middle" fill="{ink}">{}</text></g>"##,
        escape(&cell.text),
        layout.cell_width,
        x + layout.cell_width / 2,
        y + CELL_HEIGHT / 2 + 4,
        escape(text),
    )
}

/// Writes the outline of a cell that the last step wrote.
pub(crate) fn write_outline(
    out: &mut String,
    layout: GridLayout,
    at: usize,
    class: &str,
) -> Result {
    let (x, y) = layout.place(at);
    writeln!(
        out,
        r##"<rect{class} x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#1d1f24" stroke-width="2"/>"##,
        x + 1,
        y + 1,
        layout.cell_width - 2,
        CELL_HEIGHT - 2
    )
}
