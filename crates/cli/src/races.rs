//! Text output of data races.

use std::io::{self, Write};
use warpgrid_view::Session;
use warpgrid_view::memory_model::concurrency::{RaceConfidence, RaceView, RepairOp};

/// Writes a paragraph for each race: both accesses, their positions in the compiled source, the missing synchronization, and the weakest
/// repair.
pub(crate) fn print(
    out: &mut impl Write,
    races: Option<&[RaceView]>,
    session: &Session,
) -> io::Result<()> {
    let Some(races) = races else {
        return Ok(());
    };
    if races.is_empty() {
        return writeln!(out, "  no data races");
    }
    for race in races {
        writeln!(out, "  {}: {}", title(race), race.message)?;
        let lines = [race.first.line, race.second.line].into_iter().flatten();
        let sources = lines.filter_map(|line| {
            let position = session.source_positions(line).into_iter().next()?;
            Some(format!("{} (line {line})", position.short()))
        });
        let sources: Vec<String> = sources.collect();
        if !sources.is_empty() {
            writeln!(out, "    source: {}", sources.join(", "))?;
        }
        for (at, edit) in race.repair.iter().enumerate() {
            let head = if at == 0 { "fix" } else { "and" };
            let text = &edit.text;
            let text = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            match edit.op {
                RepairOp::InsertBefore => {
                    writeln!(out, "    {head}: insert before line {}: {text}", edit.line)?;
                }
                RepairOp::InsertAfter => {
                    writeln!(out, "    {head}: insert after line {}: {text}", edit.line)?;
                }
                RepairOp::Replace => {
                    writeln!(out, "    {head}: replace line {} with: {text}", edit.line)?
                }
                RepairOp::Delete => writeln!(out, "    {head}: delete line {}", edit.line)?,
            }
        }
    }
    Ok(())
}

fn title(race: &RaceView) -> &'static str {
    match (race.confidence, race.same_value) {
        (RaceConfidence::ModelOnly, _) => {
            "data race (the memory model requires an ordering whose absence is rarely observable)"
        }
        (RaceConfidence::OutsideModel, _) => "violation of the PTX ISA manual",
        (_, true) => "data race of equal values",
        (_, false) => "data race",
    }
}
