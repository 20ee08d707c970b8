//! `warpgrid run --seeds`: whether the memory after a run depends on the order of its steps.

use crate::difference::print_difference;
use crate::output::stdout;
use crate::{Format, Outcome};
use std::io::{self, Write};
use std::ops::Range;
use warpgrid_view::seeds::SeedReport;

/// Reads `0..100`.
pub(crate) fn read_range(text: &str) -> Result<Range<u64>, String> {
    let expected = || format!("found `{text}`, expected a range of seeds such as 0..100");
    let (from, to) = text.split_once("..").ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| expected());
    let (from, to) = (number(from)?, number(to)?);
    match from < to {
        true => Ok(from..to),
        false => Err(expected()),
    }
}

/// Writes a report; the outcome is [`Outcome::Wrong`] where two seeds end differently.
pub(crate) fn print(format: Format, name: &str, report: &SeedReport) -> io::Result<Outcome> {
    let mut out = stdout();
    let is_one = report.ends.len() <= 1;
    match format {
        Format::Json => {
            serde_json::to_writer(&mut out, report)?;
            writeln!(out)?;
        }
        Format::Human => {
            let n = report.n_seeds;
            match report.ends.len() {
                0 | 1 => writeln!(out, "{name}: {n} seeds end with the same memory")?,
                ends => writeln!(
                    out,
                    "{name}: {n} seeds end in {ends} ways: the result depends on the order"
                )?,
            }
            for end in &report.ends {
                let seeds: Vec<String> = end.seeds.iter().map(u64::to_string).collect();
                let more = if end.n_seeds > seeds.len() as u64 {
                    ", ..."
                } else {
                    ""
                };
                write!(out, "  {} seeds ({}{more})", end.n_seeds, seeds.join(", "))?;
                match &end.fault {
                    Some(fault) => writeln!(out, ": {fault}")?,
                    None => writeln!(out)?,
                }
            }
            for difference in &report.differences {
                let seeds = difference.sides.each_ref().map(|side| side.seed);
                let names = seeds.map(|seed| format!("seed {seed}"));
                print_difference(&mut out, names.each_ref().map(String::as_str), difference)?;
            }
        }
    }
    Ok(if is_one {
        Outcome::Well
    } else {
        Outcome::Wrong
    })
}
