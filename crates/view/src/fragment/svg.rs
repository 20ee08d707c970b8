//! A fragment as a drawing: the matrix, each cell in the colour of its lane, with lane and register.

use super::FragmentView;
use crate::picture::{escape, lane_colour};
use std::fmt::Write;

const CELL_WIDTH: usize = 46;
const CELL_HEIGHT: usize = 28;
const LEFT: usize = 34;
const TOP: usize = 64;
const MARGIN: usize = 16;
/// The narrowest drawing, which has room for the title and the formula.
const LEAST_WIDTH: usize = 620;

/// Draws `view` as a document of its own.
pub fn svg(view: &FragmentView) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, view);
    out
}

fn write(out: &mut String, view: &FragmentView) -> std::fmt::Result {
    let (rows, columns) = (usize::from(view.rows), usize::from(view.cols));
    let block_height = rows * CELL_HEIGHT + 34;
    let width = (LEFT + columns * CELL_WIDTH + MARGIN).max(LEAST_WIDTH);
    let height = TOP + view.n_matrices() * block_height + MARGIN;
    let title = escape(&view.title());
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
    let held = match view.copies {
        1 => String::new(),
        copies => format!("   (each element {copies} times)"),
    };
    writeln!(
        out,
        r##"<text x="{MARGIN}" y="43" fill="#565b66">{}{held}</text>"##,
        escape(&view.formula)
    )?;
    for (matrix, cells) in view.cells().chunks(rows * columns).enumerate() {
        let top = TOP + matrix * block_height;
        write_labels(out, view, matrix, top)?;
        for (at, holders) in cells.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let (x, y) = (LEFT + column * CELL_WIDTH, top + 12 + row * CELL_HEIGHT);
            write_cell(out, view, holders, (row, column), (x, y))?;
        }
    }
    writeln!(out, "</svg>")
}

/// The numbers of rows and columns, and of the matrix where there are several.
fn write_labels(
    out: &mut String,
    view: &FragmentView,
    matrix: usize,
    top: usize,
) -> std::fmt::Result {
    writeln!(out, r##"<g fill="#6d727d" text-anchor="middle">"##)?;
    for column in 0..usize::from(view.cols) {
        let x = LEFT + column * CELL_WIDTH + CELL_WIDTH / 2;
        writeln!(out, r##"<text x="{x}" y="{}">{column}</text>"##, top + 6)?;
    }
    for row in 0..usize::from(view.rows) {
        let y = top + 12 + row * CELL_HEIGHT + CELL_HEIGHT / 2 + 4;
        writeln!(out, r##"<text x="{}" y="{y}">{row}</text>"##, LEFT - 14)?;
    }
    if view.n_matrices() > 1 {
        writeln!(
            out,
            r##"<text x="{}" y="{}">#{matrix}</text>"##,
            LEFT - 14,
            top + 6
        )?;
    }
    writeln!(out, "</g>")
}

fn write_cell(
    out: &mut String,
    view: &FragmentView,
    holders: &[super::CellHolder],
    (row, column): (usize, usize),
    (x, y): (usize, usize),
) -> std::fmt::Result {
    let Some(first) = holders.first() else {
        return Ok(());
    };
    let place = |holder: &super::CellHolder| {
        let packed = if view.elems_per_reg > 1 {
            format!(", element {}", holder.element)
        } else {
            String::new()
        };
        format!("lane {}, register {}{packed}", holder.lane, holder.register)
    };
    let all: Vec<String> = holders.iter().map(place).collect();
    let register = if view.elems_per_reg > 1 {
        format!("r{}.{}", first.register, first.element)
    } else {
        format!("r{}", first.register)
    };
    let middle = x + CELL_WIDTH / 2;
    writeln!(
        out,
        r##"<g><title>({row}, {column}): {}</title><rect x="{x}" y="{y}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" fill="{}" stroke="#fff"/><text x="{middle}" y="{}" text-anchor="middle" font-weight="600">T{}</text><text x="{middle}" y="{}" text-anchor="middle" font-size="9">{register}</text></g>"##,
        all.join("; "),
        lane_colour(first.lane),
        y + 13,
        first.lane,
        y + 24
    )
}
