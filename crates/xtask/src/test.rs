//! Implements `cargo xtask test`, which runs every test suite of the project in the same way as CI, and prints the total counts.

mod e2e;
mod editors;
mod native;
mod package;
mod python;
mod style;
mod test_counts;
mod wasm;

use crate::arguments::Arguments;
use crate::setup::rust;
use crate::shell::{self, ProcessOutput, Result, StepLabel, plain};
use crate::site;
pub(crate) use native::test_all_crates;
use std::process::Command;
use std::thread;
use test_counts::TestCounts;

/// Name of a suite for `--only`, and the function that runs the suite.
type Suite = (&'static str, fn() -> Result<TestCounts>);

const SUITES: &[Suite] = &[
    ("style", style::run),
    ("native", native::run),
    ("wasm", wasm::run),
    ("package", package::run),
    ("python", python::run),
    ("e2e", e2e::run),
    ("editors", editors::run),
    ("tree-sitter", editors::tree_sitter),
];

/// Suites that only `--only` selects, because their tools take too long to compile.
const ON_REQUEST: &[&str] = &["tree-sitter"];

/// Suites that require only Rust. These suites require no browser, no npm package and no other tools.
const QUICK: &[&str] = &["style", "native"];

/// Runs all suites, the suites of `--quick`, or the suite that `--only` names. Returns true if no test failed.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let only = arguments.option("--only")?;
    let quick = arguments.switch("--quick");
    arguments.done()?;
    let chosen = choose(only.as_deref(), quick)?;
    let (first, last): (Vec<_>, Vec<_>) = chosen
        .into_iter()
        .partition(|(name, _)| QUICK.contains(name));
    let mut total = TestCounts::default();
    thread::scope(|scope| {
        // The inputs of the last suites are built in parallel with the first suites, since each build contains long single-threaded steps.
        // Both builds need the wasm target, so that the target is installed beforehand. If the installation fails, each suite reports the
        // error.
        if !first.is_empty() && !last.is_empty() && rust::wasm_target().is_ok() {
            scope.spawn(build_ahead);
        }
        total += run_each(&first);
    });
    total += run_each(&last);
    println!("{total}");
    Ok(total.failed == 0 && total.passed > 0)
}

/// Builds the package, the site and the VS Code extension. An error is cached, and the suite that needs the output reports the error.
fn build_ahead() {
    let _ = crate::package::built()
        .and_then(|_| site::released())
        .and_then(|_| crate::editors::extension());
}

fn run_each(suites: &[&Suite]) -> TestCounts {
    let mut total = TestCounts::default();
    for (name, suite) in suites {
        // A suite that cannot start counts as one failure, and the other suites still run.
        total += suite().unwrap_or_else(|message| {
            eprintln!("  {name}: {message}");
            TestCounts::broken()
        });
    }
    total
}

/// Returns the suites that the command-line options select.
fn choose(only: Option<&str>, quick: bool) -> Result<Vec<&'static Suite>> {
    let chosen: Vec<&Suite> = match (only, quick) {
        (Some(_), true) => return Err("`--only` and `--quick` are mutually exclusive".to_string()),
        (Some(only), false) => SUITES.iter().filter(|(name, _)| *name == only).collect(),
        (None, true) => SUITES
            .iter()
            .filter(|(name, _)| QUICK.contains(name))
            .collect(),
        (None, false) => SUITES
            .iter()
            .filter(|(name, _)| !ON_REQUEST.contains(name))
            .collect(),
    };
    if chosen.is_empty() {
        return Err(
            "`--only` requires style, native, wasm, package, python, e2e, editors or tree-sitter"
                .to_string(),
        );
    }
    Ok(chosen)
}

/// Runs one test program and returns its counts. If a test fails, the function prints the output of the program.
fn suite<'a>(
    title: impl Into<StepLabel<'a>>,
    command: &mut Command,
    read: fn(&str) -> TestCounts,
) -> Result<TestCounts> {
    let title = title.into();
    let ProcessOutput {
        status, transcript, ..
    } = shell::observe(title, command)?;
    let mut tally = read(&transcript);
    if !status.success() {
        if tally.failed == 0 {
            tally += TestCounts::broken();
        }
        eprintln!("{}", what_failed(&transcript));
    }
    eprintln!("  {title}: {tally}");
    Ok(tally)
}

/// Removes compiler progress and passed tests from a test transcript.
fn what_failed(transcript: &str) -> String {
    const PROGRESS: &[&str] = &[
        "Compiling ",
        "Checking ",
        "Downloaded ",
        "Downloading ",
        "Fresh ",
        "Running ",
        "Doc-tests ",
        "running ",
        "test result: ok",
    ];
    let is_progress = |line: &str| {
        let words = plain(line);
        words.ends_with("... ok") || PROGRESS.iter().any(|start| words.starts_with(start))
    };
    let mut remaining: Vec<&str> = transcript
        .lines()
        .filter(|line| !is_progress(line))
        .collect();
    remaining.dedup_by(|next, line| next.is_empty() && line.is_empty());
    remaining.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{choose, what_failed};

    #[test]
    fn failure_output_omits_passing_tests() {
        let transcript = "   Compiling serde v1.0.229\n     Running tests/all.rs (target/all)\n\nrunning 2 tests\n\ntest a ... ok\n\
            test b ... FAILED\n\n\n---- b stdout ----\nexpected 1, got 2\n\ntest result: FAILED. 1 passed; 1 failed\n";
        assert_eq!(
            what_failed(transcript).trim(),
            "test b ... FAILED\n\n---- b stdout ----\nexpected 1, got 2\n\ntest result: FAILED. 1 passed; 1 failed"
        );
    }

    fn names(only: Option<&str>, quick: bool) -> Vec<&'static str> {
        let chosen = choose(only, quick).unwrap_or_default();
        chosen.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn options_select_suites() {
        assert_eq!(names(None, true), ["style", "native"]);
        assert_eq!(names(Some("wasm"), false), ["wasm"]);
        assert_eq!(
            names(None, false),
            [
                "style", "native", "wasm", "package", "python", "e2e", "editors"
            ]
        );
        assert!(choose(Some("wsam"), false).is_err());
        assert!(choose(Some("wasm"), true).is_err());
    }
}
