//! `warpgrid run --seeds`: checks whether the final memory depends on the schedule.

use crate::first_difference::print_difference;
use crate::launch::{InferredReport, write_guesses};
use crate::output::{JsonReport, Progress, stdout};
use crate::{ExitKind, OutputFormat};
use std::io::{self, Write};
use std::ops::Range;
use warpgrid_view::analysis::schedule_seeds::{SeedReport, SeedSearch};
use warpgrid_view::counted;
use warpgrid_view::{RequestError, Scenario};

/// Maximum number of seeds, which is limited because the memory of each distinct end state is stored.
const MAX_SEEDS: u64 = 1_000_000;

/// Parses a range of seeds, such as `0..100`.
pub(crate) fn read_range(text: &str) -> Result<Range<u64>, String> {
    let expected = || format!("found `{text}`, expected a range of seeds such as `0..100`");
    let (from, to) = text.split_once("..").ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| expected());
    let (from, to) = (number(from)?, number(to)?);
    match to.checked_sub(from) {
        None | Some(0) => Err(expected()),
        Some(n) if n > MAX_SEEDS => Err(format!(
            "the range contains {n} seeds, expected at most {MAX_SEEDS}"
        )),
        Some(_) => Ok(from..to),
    }
}

/// Number of steps between two checks of the clock.
const SLICE: u64 = 1 << 20;

/// Runs a scenario with each seed, and shows a progress line on a terminal.
pub(crate) fn search(
    scenario: Scenario,
    seeds: Range<u64>,
    max_steps: u64,
) -> Result<SeedReport, RequestError> {
    let n_seeds = seeds.end - seeds.start;
    let mut search = SeedSearch::new(scenario, seeds, max_steps);
    let mut progress = Progress::new();
    while !search.advance(SLICE)? {
        progress.say(|| {
            let ends = counted(search.n_ends(), "end");
            format!("{} of {n_seeds} seeds, {ends} so far", search.n_done())
        });
    }
    progress.clear();
    let notes = search.lockstep_notes()?;
    Ok(SeedReport {
        notes,
        ..search.report()?
    })
}

/// Writes a report on the seeds. Returns [`ExitKind::Failure`] if two seeds have different end states.
pub(crate) fn print(
    format: OutputFormat,
    name: &str,
    report: &SeedReport,
    guesses: &[String],
) -> io::Result<ExitKind> {
    let mut out = stdout();
    let is_one = report.ends.len() <= 1;
    match format {
        OutputFormat::Json => {
            let answer = JsonReport { ok: is_one, report };
            serde_json::to_writer(&mut out, &InferredReport { answer, guesses })?;
            writeln!(out)?;
        }
        OutputFormat::Human => {
            let n = report.n_seeds;
            match report.ends.len() {
                0 | 1 => writeln!(out, "{name}: {n} seeds produce identical memory contents")?,
                ends => writeln!(
                    out,
                    "{name}: {n} seeds produce {ends} different results, so the result depends on the schedule"
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
            for note in &report.notes {
                writeln!(out, "  {note}")?;
            }
            write_guesses(&mut out, guesses)?;
        }
    }
    Ok(if is_one {
        ExitKind::Success
    } else {
        ExitKind::Failure
    })
}
