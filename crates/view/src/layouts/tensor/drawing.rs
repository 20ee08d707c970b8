//! SVG drawing of a layout as a grid. Each cell shows the location of its element, and has the color of the thread, lane or 16-byte chunk.

use crate::layouts::fragment::grid_drawing::{CellStyle, Drawing, DrawnCell, DrawnGrid};
use crate::layouts::tensor::LayoutView;
use std::collections::BTreeSet;

/// Formats the layout `view` as a standalone SVG document.
pub fn svg(view: &LayoutView) -> String {
    if view.rows == 0 {
        return of_fields(view);
    }
    let wrong: BTreeSet<[u32; 2]> = view.mismatched_cells.iter().copied().collect();
    let marked: BTreeSet<[u32; 2]> = view.marked.iter().copied().collect();
    let mark = |at: [u32; 2]| match (wrong.contains(&at), marked.contains(&at)) {
        (true, _) => CellStyle::Wrong,
        (false, true) => CellStyle::Plain,
        (false, false) if marked.is_empty() => CellStyle::Plain,
        (false, false) => CellStyle::Faint,
    };
    let cell = |row: usize, column: usize| {
        let place = view.grid.get(row)?.get(column)?.first()?;
        let (label, detail) = view.label(place);
        Some(DrawnCell {
            label,
            detail,
            colour: view.colour(row, column),
            mark: mark([row as u32, column as u32]),
            words: view.describe(row, column)?,
        })
    };
    let (rows, columns) = (view.rows as usize, view.columns as usize);
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| cell(row, column)));
    let drawing = Drawing {
        title: view.title.replace('`', ""),
        below: view.rule.replace('`', ""),
        grids: vec![DrawnGrid {
            name: String::new(),
            size: (rows, columns),
            cells: cells.collect(),
        }],
    };
    drawing.svg()
}

/// Formats a descriptor that has no grid. Each row shows one field of the descriptor.
fn of_fields(view: &LayoutView) -> String {
    let cells = view.fields.iter().zip(0u8..).flat_map(|(field, at)| {
        let [low, high] = field.bits;
        let bits = match low == high {
            true => low.to_string(),
            false => format!("{low}-{high}"),
        };
        let words = format!("bits {bits}, {}: {}", field.name, field.meaning);
        let cell = DrawnCell {
            label: bits,
            detail: field.value.to_string(),
            colour: at % 32,
            mark: CellStyle::Plain,
            words,
        };
        [Some(cell)]
    });
    let drawing = Drawing {
        title: view.title.replace('`', ""),
        below: view.rule.replace('`', ""),
        grids: vec![DrawnGrid {
            name: String::new(),
            size: (view.fields.len(), 1),
            cells: cells.collect(),
        }],
    };
    drawing.with_words()
}
