//! Text table of a fragment, which shows the lane and register of each matrix element.

use crate::layouts::fragment::{CellHolder, FragmentView};
use std::fmt::Write;
use warpgrid_program::counted;

/// Formats the fragment `view` as text for terminals: its title, its formula, its layout in memory, and the matrix.
pub fn table(view: &FragmentView) -> String {
    let mut out = String::new();
    // Ignore the result, because formatting into a `String` cannot fail.
    let _ = write(&mut out, view);
    out
}

fn write(out: &mut String, view: &FragmentView) -> std::fmt::Result {
    writeln!(out, "{}", view.title())?;
    let packed = u32::from(view.elems_per_reg);
    writeln!(
        out,
        "{} x {} elements, per lane {} with {} each",
        view.rows,
        view.cols,
        counted(view.regs, "register"),
        counted(packed, "element")
    )?;
    let family = view
        .fragments
        .first()
        .map_or("", |entry| entry.family.as_str());
    let archs = view.fragments.first().map(|entry| entry.archs.join(" "));
    writeln!(
        out,
        "{family} family, identical on {}",
        archs.unwrap_or_default()
    )?;
    writeln!(out, "source: {}", view.origin)?;
    writeln!(out)?;
    writeln!(out, "  {}", view.formula)?;
    for (letter, meaning) in &view.variables {
        if view
            .formula
            .split(|c: char| !c.is_ascii_alphabetic())
            .any(|word| word == letter)
        {
            writeln!(out, "  {letter} = {meaning}")?;
        }
    }
    writeln!(out)?;
    if !view.access.is_empty() {
        writeln!(
            out,
            "memory layout .{} with stride {}: byte offset {}",
            view.layout,
            view.stride,
            view.address_rule()
        )?;
        if let Some(problem) = view.stride_problem() {
            writeln!(out, "note: {problem}")?;
        }
        writeln!(out)?;
    }
    write_matrices(out, view)
}

/// Formats the lane and register of an element: `5:2` is register 2 of lane 5, and `5:2.1` is element 1 of this register.
fn label(view: &FragmentView, holder: &CellHolder) -> String {
    let mut text = format!("{}:{}", holder.lane, holder.register);
    if view.elems_per_reg > 1 {
        let _ = write!(text, ".{}", holder.element);
    }
    text
}

fn write_matrices(out: &mut String, view: &FragmentView) -> std::fmt::Result {
    let packed = if view.elems_per_reg > 1 {
        ".element"
    } else {
        ""
    };
    write!(out, "lane:register{packed}")?;
    match view.copies {
        1 => writeln!(out)?,
        copies => writeln!(
            out,
            ", the lowest of the {copies} lanes that hold the element"
        )?,
    }
    let labels: Vec<String> = view
        .owners_by_cell()
        .iter()
        .map(|holders| {
            holders
                .first()
                .map_or_else(String::new, |first| label(view, first))
        })
        .collect();
    let width = labels.iter().map(String::len).max().unwrap_or(0);
    let (rows, columns) = (usize::from(view.rows), usize::from(view.cols));
    for (matrix, cells) in labels.chunks(rows * columns).enumerate() {
        if view.n_matrices() > 1 {
            writeln!(out, "matrix {matrix}")?;
        }
        let numbers: Vec<String> = (0..columns)
            .map(|column| format!("{column:>width$}"))
            .collect();
        writeln!(out, "    | {}", numbers.join(" "))?;
        writeln!(out, "----+-{}", "-".repeat(columns * (width + 1) - 1))?;
        for (row, cells) in cells.chunks(columns).enumerate() {
            let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>width$}")).collect();
            writeln!(out, "{row:>3} | {}", cells.join(" "))?;
        }
    }
    Ok(())
}
