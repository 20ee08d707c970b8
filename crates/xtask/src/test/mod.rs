//! `cargo xtask test`, which CI runs: every suite of the project, and one line that counts them all.

mod journeys;
mod native;
mod package;
mod style;
mod tally;
mod wasm;

use crate::arguments::Arguments;
use crate::shell::{self, Outcome, Result};
pub(crate) use native::every_room;
use std::process::Command;
use tally::Tally;

/// What `--only` may name, and how to run it.
type Suite = (&'static str, fn() -> Result<Tally>);

const SUITES: &[Suite] = &[
    ("style", style::run),
    ("native", native::run),
    ("wasm", wasm::run),
    ("package", package::run),
    ("e2e", journeys::run),
];

/// Runs the suites, or the one that `--only` names; true when nothing failed.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let only = arguments.option("--only")?;
    arguments.done()?;
    let chosen: Vec<&Suite> = SUITES
        .iter()
        .filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name))
        .collect();
    if chosen.is_empty() {
        return Err("`--only` takes style, native, wasm, package or e2e".to_string());
    }
    let mut total = Tally::default();
    for (name, suite) in chosen {
        // A suite that cannot even start counts as one failure, and the others still run.
        total += suite().unwrap_or_else(|message| {
            eprintln!("  {name}: {message}");
            Tally::broken()
        });
    }
    println!("{total}");
    Ok(total.failed == 0 && total.passed > 0)
}

/// Runs one test program and counts; prints its output if something failed.
fn suite(title: &str, command: &mut Command, read: fn(&str) -> Tally) -> Result<Tally> {
    let Outcome {
        status, transcript, ..
    } = shell::observe(title, command)?;
    let mut tally = read(&transcript);
    if !status.success() {
        if tally.failed == 0 {
            tally += Tally::broken();
        }
        let quiet = |line: &&str| !line.ends_with("... ok");
        eprintln!(
            "{}",
            transcript
                .lines()
                .filter(quiet)
                .collect::<Vec<_>>()
                .join("\n")
        );
    }
    eprintln!("  {title}: {tally}");
    Ok(tally)
}
