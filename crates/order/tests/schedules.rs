//! Exploration of all schedules. Correct kernels are clean in every schedule, and faulty kernels have a witness whose replay shows the
//! error. `ORDER_ONLY` filters the kernels by a part of the name.

use crate::kernels::{Kernel, kernels};
use std::time::{Duration, Instant};
use warpgrid_view::analysis::schedules::{
    ExplorationLimits, ScheduleReport, ScheduleSearch, ScheduleVerdict,
};

/// Sufficient for most kernels.
const MAX_STEPS: u64 = 3_000_000;
/// Number of steps of a slice of the exploration.
const SLICE: u64 = 10_000;

struct Outcome {
    name: String,
    report: ScheduleReport,
    time: Duration,
}

fn explore(kernel: &Kernel, text: &str) -> Outcome {
    let session = kernel.session(text, 0);
    let start = Instant::now();
    let limits = ExplorationLimits::default();
    let mut search = ScheduleSearch::new(&session, limits).expect("an exploration");
    let mut steps = 0;
    while steps < MAX_STEPS && !search.advance(SLICE) {
        steps += SLICE;
    }
    search.stop();
    Outcome {
        name: kernel.name.clone(),
        report: search.report().expect("a report"),
        time: start.elapsed(),
    }
}

#[expect(
    clippy::print_stdout,
    reason = "the test prints statistics for runs with `--nocapture`"
)]
fn print(what: &str, outcomes: &[Outcome]) {
    let n = |verdict| {
        let of_verdict = |outcome: &&Outcome| outcome.report.verdict == verdict;
        outcomes.iter().filter(of_verdict).count()
    };
    println!(
        "{what}: {} clean, {} with a witness, {} incomplete",
        n(ScheduleVerdict::Clean),
        n(ScheduleVerdict::Witness),
        n(ScheduleVerdict::Incomplete)
    );
    for outcome in outcomes {
        let report = &outcome.report;
        println!(
            "  {:40} {:?} {} classes, {} partial, {} steps, {} events, {:?}: {}",
            outcome.name,
            report.verdict,
            report.executions,
            report.partial_executions,
            report.steps,
            report.events,
            outcome.time,
            report.summary()
        );
    }
}

#[test]
fn correct_kernels_have_no_witness() {
    let kernels = kernels();
    let outcomes: Vec<Outcome> = kernels
        .iter()
        .map(|kernel| explore(kernel, &kernel.healthy))
        .collect();
    print("correct kernels", &outcomes);
    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.report.verdict == ScheduleVerdict::Witness)
        .map(|outcome| format!("{}: {}", outcome.name, outcome.report.summary()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faulty_kernels_are_not_clean() {
    let kernels = kernels();
    let outcomes: Vec<Outcome> = kernels
        .iter()
        .map(|kernel| explore(kernel, &kernel.faulty))
        .collect();
    print("faulty kernels", &outcomes);
    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.report.verdict == ScheduleVerdict::Clean)
        .map(|outcome| format!("{}: {}", outcome.name, outcome.report.summary()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
