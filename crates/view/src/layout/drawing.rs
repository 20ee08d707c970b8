//! A layout as a drawing: the grid, each cell in the colour of its thread, lane or 16 bytes, with its place.

use super::LayoutView;
use crate::fragment::grid_drawing::{Cell, Drawing, Grid};

/// Draws `view` as a document of its own.
pub fn svg(view: &LayoutView) -> String {
    let cell = |row: usize, column: usize| {
        let place = view.grid.get(row)?.get(column)?.first()?;
        let (label, detail) = view.label(place);
        Some(Cell {
            label,
            detail,
            colour: view.colour(row, column),
            words: view.describe(row, column)?,
        })
    };
    let (rows, columns) = (view.rows as usize, view.columns as usize);
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| cell(row, column)));
    let drawing = Drawing {
        title: view.title.replace('`', ""),
        below: view.rule.replace('`', ""),
        grids: vec![Grid {
            name: String::new(),
            size: (rows, columns),
            cells: cells.collect(),
        }],
    };
    drawing.svg()
}
