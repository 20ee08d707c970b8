//! Memory traffic of a run as a text table.

use std::io::{self, Write};
use warpgrid_view::model::{Traffic, TrafficView};
use warpgrid_view::source::line_table::base_name;

const HEADS: [&str; 8] = [
    "line",
    "requests",
    "sectors",
    "excessive",
    "lines",
    "wavefronts",
    "conflicts",
    "instruction",
];

/// Writes one row per line that accesses memory, and a total. Writes a second table with the lines of the compiled source, if the compiler
/// recorded them.
pub(crate) fn print(out: &mut impl Write, traffic: &TrafficView) -> io::Result<()> {
    let lines = traffic.lines.iter().map(|line| {
        let name = line.line.to_string();
        row(name, &line.traffic, line.opcode.clone())
    });
    let mut rows: Vec<[String; 8]> = vec![HEADS.map(str::to_owned)];
    rows.extend(lines);
    rows.push(row("all".to_owned(), &traffic.total, String::new()));
    print_rows(out, &rows)?;
    if traffic.sources.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let sources = traffic.sources.iter().map(|source| {
        let place = format!("{}:{}", base_name(&source.file), source.line);
        row(place, &source.traffic, String::new())
    });
    let mut heads = HEADS.map(str::to_owned);
    (heads[0], heads[7]) = ("source".to_owned(), String::new());
    let rows: Vec<[String; 8]> = std::iter::once(heads).chain(sources).collect();
    print_rows(out, &rows)
}

/// Writes a table whose columns are aligned to the right, except for the last column.
fn print_rows(out: &mut impl Write, rows: &[[String; 8]]) -> io::Result<()> {
    let widths: [usize; 8] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    for row in rows {
        let [cells @ .., last] = row;
        let cells: Vec<String> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:>width$}"))
            .collect();
        writeln!(
            out,
            "  {}",
            format!("{}  {last}", cells.join("  ")).trim_end()
        )?;
    }
    Ok(())
}

/// Returns the cells of a table row. Global and local memory share the columns for sectors and cache lines.
fn row(name: String, traffic: &Traffic, opcode: String) -> [String; 8] {
    let Traffic {
        global,
        local,
        shared,
        ..
    } = traffic;
    [
        name,
        traffic.requests.to_string(),
        (global.sectors + local.sectors).to_string(),
        (global.sectors_excessive + local.sectors_excessive).to_string(),
        (global.lines + local.lines).to_string(),
        shared.wavefronts.to_string(),
        shared.bank_conflicts.to_string(),
        opcode,
    ]
}
