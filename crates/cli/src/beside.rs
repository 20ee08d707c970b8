//! `warpgrid run --beside`: runs two sources of one kernel with one launch, and compares their final memory.

use crate::difference::print_difference;
use crate::output::{Answer, stdout};
use crate::{Format, Outcome};
use std::io::{self, Write};
use warpgrid_view::Front;
use warpgrid_view::analysis::comparison::{BesideReport, BesideSide};
use warpgrid_view::counted;

/// Writes a report. The outcome is [`Outcome::Wrong`] if the runs diverge.
pub(crate) fn print(
    format: Format,
    names: [&str; 2],
    report: &BesideReport,
    guesses: &[String],
) -> io::Result<Outcome> {
    let mut out = stdout();
    match format {
        Format::Json => {
            let ok = report.equal;
            serde_json::to_writer(&mut out, &Answer { ok, report })?;
            writeln!(out)?;
        }
        Format::Human => print_text(&mut out, names, report, guesses)?,
    }
    out.flush()?;
    Ok(match report.equal {
        true => Outcome::Well,
        false => Outcome::Wrong,
    })
}

fn print_text(
    out: &mut impl Write,
    names: [&str; 2],
    report: &BesideReport,
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
    for (name, alone) in names.into_iter().zip(&report.alone) {
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

fn print_side(out: &mut impl Write, name: &str, side: &BesideSide) -> io::Result<()> {
    let language = match side.front {
        Front::Ptx => "PTX",
        Front::Sass => "SASS",
    };
    let BesideSide { target, entry, .. } = side;
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
