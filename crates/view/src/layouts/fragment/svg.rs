//! SVG drawing of a fragment as a matrix. Each cell of the matrix shows the lane and register of its element, and has the color of the
//! lane.

use crate::layouts::fragment::grid_drawing::{CellStyle, Drawing, DrawnCell, DrawnGrid};
use crate::layouts::fragment::{CellHolder, FragmentView};

/// Formats the fragment `view` as a standalone SVG document.
pub fn svg(view: &FragmentView) -> String {
    let (rows, columns) = (usize::from(view.rows), usize::from(view.cols));
    let held = match view.copies {
        1 => String::new(),
        copies => format!("   (each element {copies} times)"),
    };
    let cells = view.owners_by_cell();
    let matrices = cells.chunks((rows * columns).max(1)).enumerate();
    let grids = matrices.map(|(matrix, cells)| DrawnGrid {
        name: match view.n_matrices() {
            1 => String::new(),
            _ => format!("#{matrix}"),
        },
        size: (rows, columns),
        cells: cells
            .iter()
            .enumerate()
            .map(|(at, holders)| cell(view, holders, at / columns, at % columns))
            .collect(),
    });
    let drawing = Drawing {
        title: view.title(),
        below: format!("{}{held}", view.formula),
        grids: grids.collect(),
    };
    drawing.svg()
}

fn cell(
    view: &FragmentView,
    holders: &[CellHolder],
    row: usize,
    column: usize,
) -> Option<DrawnCell> {
    let first = holders.first()?;
    let place = |holder: &CellHolder| {
        let packed = if view.elems_per_reg > 1 {
            format!(", element {}", holder.element)
        } else {
            String::new()
        };
        format!("lane {}, register {}{packed}", holder.lane, holder.register)
    };
    let all: Vec<String> = holders.iter().map(place).collect();
    Some(DrawnCell {
        label: format!("T{}", first.lane),
        detail: if view.elems_per_reg > 1 {
            format!("r{}.{}", first.register, first.element)
        } else {
            format!("r{}", first.register)
        },
        colour: first.lane,
        mark: CellStyle::Plain,
        words: format!("({row}, {column}): {}", all.join("; ")),
    })
}
