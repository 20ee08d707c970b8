//! Text table of a layout, which shows the location of each element.

use crate::layouts::inspector::picture_url::link;
use crate::layouts::tensor::LayoutView;
use std::fmt::Write;

/// Formats the layout `view` as text for terminals: its title, its formula, its descriptor fields, and the grid.
pub fn table(view: &LayoutView) -> String {
    let mut out = String::new();
    // Ignore the result, because formatting into a `String` cannot fail.
    let _ = write(&mut out, view);
    out
}

fn write(out: &mut String, view: &LayoutView) -> std::fmt::Result {
    writeln!(out, "{}", view.title.replace('`', ""))?;
    writeln!(
        out,
        "source: {}, certainty {}",
        view.origin, view.confidence
    )?;
    writeln!(out)?;
    writeln!(out, "  {}", view.rule.replace('`', ""))?;
    if !view.letters.is_empty() {
        writeln!(out, "  {}", view.letters)?;
    }
    for note in &view.notes {
        writeln!(out, "note: {}", note.replace('`', ""))?;
    }
    if let Some(descriptor) = &view.descriptor {
        writeln!(out)?;
        writeln!(out, "descriptor {descriptor}")?;
        let width = view.fields.iter().map(|field| field.name.len()).max();
        for field in &view.fields {
            let [low, high] = field.bits;
            let bits = match low == high {
                true => low.to_string(),
                false => format!("{low}-{high}"),
            };
            writeln!(
                out,
                "  {bits:>5}  {:width$}  {:>5}  {}",
                field.name,
                field.value,
                field.meaning,
                width = width.unwrap_or(0)
            )?;
        }
    }
    if !view.ptx.is_empty() {
        writeln!(out)?;
        for line in &view.ptx {
            writeln!(out, "  {line}")?;
        }
    }
    if view.rows > 0 {
        writeln!(out)?;
        write_grid(out, view)?;
    }
    for related in &view.related {
        writeln!(
            out,
            "see also: {}: {}",
            related.title,
            link(&related.request)
        )?;
    }
    Ok(())
}

fn write_grid(out: &mut String, view: &LayoutView) -> std::fmt::Result {
    writeln!(
        out,
        "{} by {}: {}",
        view.row_name,
        view.column_name,
        view.place.join(", ")
    )?;
    let copies = view.grid.iter().flatten().map(Vec::len).max().unwrap_or(0);
    if copies > 1 {
        writeln!(out, "the first of {copies} locations")?;
    }
    let rows = view.grid.iter().zip(0..);
    let rows = rows.map(|(cells, row)| {
        let cells = cells.iter().zip(0..);
        let cells = cells.map(|(places, column)| cell(view, [row, column], places));
        cells.collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if !view.mismatched_cells.is_empty() {
        writeln!(
            out,
            "`!` marks mismatches: {} cells",
            view.mismatched_cells.len()
        )?;
    }
    if !view.marked.is_empty() {
        writeln!(
            out,
            "`*` marks the {} cells that the step reads",
            view.marked.len()
        )?;
    }
    let width = rows.iter().flatten().map(String::len).max().unwrap_or(0);
    let head: Vec<String> = (0..view.columns)
        .map(|column| format!("{column:>width$}"))
        .collect();
    writeln!(out, "    | {}", head.join(" "))?;
    let line = (view.columns as usize * (width + 1)).saturating_sub(1);
    writeln!(out, "----+-{}", "-".repeat(line))?;
    for (row, cells) in rows.iter().enumerate() {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>width$}")).collect();
        writeln!(out, "{row:>3} | {}", cells.join(" "))?;
    }
    Ok(())
}

/// Formats the first location of the element in a cell. The suffix `!` marks a mismatch, and the suffix `*` marks a cell that the selected
/// step reads.
fn cell(view: &LayoutView, position: [u32; 2], places: &[Vec<u32>]) -> String {
    let label = places.first().map_or_else(String::new, |place| {
        let (first, second) = view.label(place);
        match second.is_empty() {
            true => first,
            false => format!("{first}:{second}"),
        }
    });
    let is_wrong = view.mismatched_cells.contains(&position);
    let mark = match (is_wrong, view.marked.contains(&position)) {
        (true, _) => "!",
        (false, true) => "*",
        (false, false) => "",
    };
    label + mark
}
