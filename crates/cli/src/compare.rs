//! `warpgrid run --beside`: runs two versions of a kernel with the same launch configuration, and compares the final memory of both runs.

use crate::first_difference::print_difference;
use crate::output::{JsonReport, stdout};
use crate::{ExitKind, OutputFormat};
use std::io::{self, Write};
use warpgrid_view::SourceLanguage;
use warpgrid_view::analysis::comparison::{ComparisonReport, ComparisonSide};
use warpgrid_view::counted;

/// Writes a comparison report. Returns [`ExitKind::Failure`] if the runs diverge.
pub(crate) fn print(
    format: OutputFormat,
    names: [&str; 2],
    report: &ComparisonReport,
    guesses: &[String],
) -> io::Result<ExitKind> {
    let mut out = stdout();
    match format {
        OutputFormat::Json => {
            let ok = report.equal;
            serde_json::to_writer(&mut out, &JsonReport { ok, report })?;
            writeln!(out)?;
        }
        OutputFormat::Human => print_text(&mut out, names, report, guesses)?,
    }
    out.flush()?;
    Ok(match report.equal {
        true => ExitKind::Success,
        false => ExitKind::Failure,
    })
}

fn print_text(
    out: &mut impl Write,
    names: [&str; 2],
    report: &ComparisonReport,
    guesses: &[String],
) -> io::Result<()> {
    let [first, second] = names;
    writeln!(out, "{first} compared with {second}: {}", report.summary)?;
    for (name, side) in names.into_iter().zip(&report.sides) {
        print_side(out, name, side)?;
    }
    for note in &report.notes {
        writeln!(out, "  {note}")?;
    }
    for difference in &report.differences {
        print_difference(out, names, difference)?;
    }
    for (name, alone) in names.into_iter().zip(&report.unmatched_memories) {
        for id in alone {
            writeln!(
                out,
                "  {id} is not compared, because it exists only in {name}"
            )?;
        }
    }
    for line in guesses {
        writeln!(out, "  inferred: `{line}`")?;
    }
    Ok(())
}

fn print_side(out: &mut impl Write, name: &str, side: &ComparisonSide) -> io::Result<()> {
    let language = match side.front {
        SourceLanguage::Ptx => "PTX",
        SourceLanguage::Sass => "SASS",
    };
    let ComparisonSide { target, entry, .. } = side;
    let (steps, stores) = (counted(side.steps, "step"), counted(side.stores, "store"));
    write!(
        out,
        "  {name}: {language} for {target}, `{entry}`, {steps}, {stores}"
    )?;
    match (&side.fault, side.over) {
        (Some(fault), _) => writeln!(out, ": {fault}"),
        (None, true) => writeln!(out),
        (None, false) => writeln!(out, ": the run has not finished (increase --max-steps)"),
    }
}
