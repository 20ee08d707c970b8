//! `warpgrid run --beside`: two texts of one kernel with one launch, and whether they leave the same memory.

use crate::output::stdout;
use crate::run::plural;
use crate::{Format, Outcome};
use std::io::{self, Write};
use warpgrid_view::Front;
use warpgrid_view::beside::{BesideReport, BesideSide};
use warpgrid_view::seeds::{Difference, Side};

/// Writes a report; the outcome is [`Outcome::Wrong`] where the texts part.
pub(crate) fn print(
    format: Format,
    names: [&str; 2],
    report: &BesideReport,
    guesses: &[String],
) -> io::Result<Outcome> {
    let mut out = stdout();
    match format {
        Format::Json => {
            serde_json::to_writer(&mut out, report)?;
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
    writeln!(out, "{first} beside {second}: {}", report.summary)?;
    for (name, side) in names.into_iter().zip(&report.sides) {
        print_side(out, name, side)?;
    }
    for difference in &report.differences {
        print_difference(out, names, difference)?;
    }
    for (name, alone) in names.into_iter().zip(&report.alone) {
        for id in alone {
            writeln!(out, "  only {name} has {id}: not compared")?;
        }
    }
    for line in guesses {
        writeln!(out, "  guessed: `{line}`")?;
    }
    Ok(())
}

fn print_side(out: &mut impl Write, name: &str, side: &BesideSide) -> io::Result<()> {
    let language = match side.front {
        Front::Ptx => "PTX",
        Front::Sass => "SASS",
    };
    let BesideSide { target, entry, .. } = side;
    let (steps, stores) = (plural(side.steps, "step"), plural(side.stores, "store"));
    write!(
        out,
        "  {name}: {language} for {target}, `{entry}`, {steps}, {stores}"
    )?;
    match (&side.fault, side.over) {
        (Some(fault), _) => writeln!(out, ": {fault}"),
        (None, true) => writeln!(out),
        (None, false) => writeln!(out, ": not over (raise --max-steps)"),
    }
}

fn print_difference(
    out: &mut impl Write,
    names: [&str; 2],
    difference: &Difference,
) -> io::Result<()> {
    let Difference {
        memory,
        index,
        n_elements,
        sides,
    } = difference;
    let elements = match n_elements {
        1 => "1 element does".to_owned(),
        n => format!("{n} elements do"),
    };
    writeln!(out, "  {memory}[{index}] differs ({elements}):")?;
    for (name, Side { value, stores, .. }) in names.into_iter().zip(sides) {
        write!(out, "    {name}: {value}, ")?;
        match stores.last() {
            None => writeln!(out, "which no store wrote")?,
            Some(store) => {
                let [x, y, z] = store.block;
                writeln!(
                    out,
                    "stored by block ({x}, {y}, {z}) warp {} lane {} in step {}, line {}: {}",
                    store.warp, store.lane, store.step, store.line, store.instruction
                )?;
            }
        }
    }
    Ok(())
}
