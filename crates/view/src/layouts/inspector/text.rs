//! Text output of the inferred layouts and bank conflicts of a run for terminals.

use crate::layouts::inspector::bank_conflicts::{AccessConflicts, BankPhase, ConflictReport};
use crate::layouts::inspector::layout_inference::InferredAccessLayout;
use crate::model::source_position::SourcePosition;
use std::fmt::Write;
use warpgrid_program::counted;

/// Formats the inferred layouts of a run, with one line of text per access.
pub fn layouts_text(layouts: &[InferredAccessLayout]) -> String {
    let mut out = String::new();
    for found in layouts {
        // Ignore the result, because formatting into a `String` cannot fail.
        let _ = writeln!(
            out,
            "  line {}: {}: {}",
            found.line, found.opcode, found.text
        );
    }
    if layouts.is_empty() {
        out.push_str("  no step of the run accessed shared or global memory\n");
    }
    out
}

/// Formats the bank conflicts of a run, with the causes of the conflicts and the proposed fixes.
pub fn conflicts_text(report: &ConflictReport) -> String {
    let mut out = String::new();
    // Ignore the result, because formatting into a `String` cannot fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &ConflictReport) -> std::fmt::Result {
    let (with, without): (Vec<_>, Vec<_>) = report
        .accesses
        .iter()
        .partition(|found| found.conflicts > 0);
    for found in with {
        access(out, found)?;
    }
    if !without.is_empty() {
        let lines = without.iter().map(|found| found.line);
        writeln!(out, "no bank conflicts: {}", line_list(lines))?;
    }
    for buffer in &report.buffers {
        writeln!(
            out,
            "`{}`: {}, accessed in {}",
            buffer.name,
            counted(buffer.conflicts, "bank conflict"),
            line_list(buffer.lines.iter().copied())
        )?;
        for proposal in &buffer.proposals {
            writeln!(
                out,
                "  conflict-free with {} (additional cost: {} bytes, {} instructions per access)",
                proposal.change, proposal.more_bytes, proposal.instructions
            )?;
        }
        if let Some(reason) = &buffer.impossible {
            writeln!(out, "  {reason}")?;
        }
    }
    for found in &report.sectors {
        writeln!(
            out,
            "line {}: {}: {} sectors of `{}` ({} ideal): {}",
            line_with_source(found.line, &found.source),
            found.opcode,
            found.sectors,
            found.buffer,
            found.ideal,
            found.text
        )?;
    }
    if report.accesses.is_empty() && report.sectors.is_empty() {
        writeln!(
            out,
            "the run has no accesses to shared memory and no excessive sectors"
        )?;
    }
    Ok(())
}

/// Formats a line with the position in the source language, if there is one: `42 (transpose.cu:16)`.
fn line_with_source(line: u32, source: &[SourcePosition]) -> String {
    match source.first() {
        Some(position) => format!("{line} ({})", position.short()),
        None => line.to_string(),
    }
}

fn access(out: &mut String, found: &AccessConflicts) -> std::fmt::Result {
    writeln!(
        out,
        "line {}: {}: {}, {} ({} ideal): {}",
        line_with_source(found.line, &found.source),
        found.opcode,
        counted(found.requests, "request"),
        counted(found.wavefronts, "wavefront"),
        found.ideal,
        counted(found.conflicts, "bank conflict")
    )?;
    if let Some(collision) = &found.collision {
        writeln!(out, "  step {}: {}", found.worst_step, collision.text)?;
    }
    for phase in &found.phases {
        bank_diagram(out, phase)?;
    }
    for count in &found.profiler {
        match count.beside.as_str() {
            "" => writeln!(out, "  {:>8}  {}", count.count, count.name)?,
            beside => writeln!(out, "  {:>8}  {} ({beside})", count.count, count.name)?,
        }
    }
    Ok(())
}

/// Formats a list of line numbers: `line 5`, `lines 5, 7`.
fn line_list(lines: impl Iterator<Item = u32>) -> String {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!("{noun} {}", lines.join(", "))
}

/// Writes a diagram of a phase with one row per wavefront and one column per bank. Each entry contains the lanes whose words in the bank
/// the wavefront transfers, or `.` if no such lane exists.
fn bank_diagram(out: &mut String, phase: &BankPhase) -> std::fmt::Result {
    /// Maximum number of wavefronts that the diagram shows.
    const MAX: usize = 8;
    writeln!(
        out,
        "  lanes {} to {} need {} wavefronts. The following rows show the lane that accesses each bank:",
        phase.first_lane, phase.last_lane, phase.wavefronts
    )?;
    let rows = phase
        .banks
        .iter()
        .map(|cell| cell.words.len())
        .max()
        .unwrap_or(0);
    for row in 0..rows.min(MAX) {
        let cells = (0..32).map(|bank| {
            let cell = phase.banks.iter().find(|cell| cell.bank == bank);
            let word = cell.and_then(|cell| cell.words.get(row));
            word.map_or_else(
                || " .".to_owned(),
                |word| {
                    word.lanes
                        .first()
                        .map_or_else(String::new, |lane| format!("{lane:>2}"))
                },
            )
        });
        let cells: Vec<String> = cells.collect();
        writeln!(out, "    {}", cells.join(" "))?;
    }
    if rows > MAX {
        writeln!(out, "    and {} more wavefronts", rows - MAX)?;
    }
    Ok(())
}
