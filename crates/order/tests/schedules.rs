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

/// Correct kernels whose schedules have different results, or that cannot run, each with a reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "museum/triton-7293",
        "its tensor map is zero, so that no copy can use it",
    ),
    (
        "races/atomics/plain-reset-of-a-counter",
        "the final value of the counter depends on the order of the additions and the reset",
    ),
];

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

/// Describes a witness whose replay does not show its error.
fn unexplained(outcome: &Outcome) -> Option<String> {
    let witness = outcome.report.witness.as_ref()?;
    let is_explained = !witness.finding.lines.is_empty() || !witness.finding.details.is_empty();
    (!is_explained).then(|| format!("{}: {}", outcome.name, witness.finding.message))
}

#[test]
fn correct_kernels_are_clean_in_every_schedule() {
    let kernels = kernels();
    let outcomes: Vec<Outcome> = kernels
        .iter()
        .map(|kernel| explore(kernel, &kernel.healthy))
        .collect();
    print("correct kernels", &outcomes);
    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.report.verdict != ScheduleVerdict::Clean)
        .filter(|outcome| EXCEPTIONS.iter().all(|(name, _)| *name != outcome.name))
        .map(|outcome| format!("{}: {}", outcome.name, outcome.report.summary()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unexplained: Vec<String> = outcomes.iter().filter_map(unexplained).collect();
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
}

#[test]
fn faulty_kernels_have_witness() {
    let kernels = kernels();
    let outcomes: Vec<Outcome> = kernels
        .iter()
        .map(|kernel| explore(kernel, &kernel.faulty))
        .collect();
    print("faulty kernels", &outcomes);
    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|outcome| outcome.report.verdict != ScheduleVerdict::Witness)
        .map(|outcome| format!("{}: {}", outcome.name, outcome.report.summary()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unexplained: Vec<String> = outcomes.iter().filter_map(unexplained).collect();
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
}

/// Kernel in which lane 0 of each of `n_blocks` blocks executes `body`.
fn competing(n_blocks: u32, body: &str) -> Kernel {
    let source = format!(
        "//@ launch grid={n_blocks} block=32\n//@ buffer x: u32[64] = 0\n.version 8.6\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .pred %lead;\n.reg .b32 %r<4>;\n.reg .b64 %x, %own;\nld.param.u64 %x, [p];\n\
         mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %own, %r1, 4;\nadd.u64 %own, %own, %x;\nmov.u32 %r2, %tid.x;\nsetp.eq.u32 %lead, %r2, 0;\n\
         {body}\nret;\n}}\n"
    );
    Kernel::of_source("competing", source)
}

/// Numbers of equivalence classes that follow from combinatorics: the exploration executes each class once.
#[test]
fn number_of_executions_equals_number_of_classes() {
    let ticket = "@%lead atom.relaxed.gpu.global.add.u32 %r3, [%x], 1;\nand.b32 %r3, %r3, 0;\n\
                  @%lead st.global.u32 [%own+128], %r3;";
    let reduce = "@%lead red.relaxed.gpu.global.add.u32 [%x], 1;";
    let own = "@%lead atom.relaxed.gpu.global.exch.b32 %r3, [%own], 1;\n@%lead st.global.u32 [%own+128], %r3;";
    // Each reader of one write reads the value before or after the write.
    let readers = "setp.eq.and.u32 %lead, %r1, 0, %lead;\n@%lead st.relaxed.gpu.global.u32 [%x], 1;\nsetp.ne.u32 %lead, %r1, 0;\n\
                   @%lead ld.relaxed.gpu.global.u32 %r3, [%x];";
    // Each block can be the last block.
    let last_block = "@!%lead bra END;\natom.relaxed.gpu.global.add.u32 %r3, [%x], 1;\nsetp.ne.u32 %lead, %r3, LAST;\n\
                      @%lead bra END;\nst.global.u32 [%x+128], 1;\nEND:"
        .replace("LAST", "5");
    for (n_blocks, body, n_classes) in [
        (6, last_block.as_str(), 6),
        (3, ticket, 6),
        (4, ticket, 24),
        (5, ticket, 120),
        (6, reduce, 1),
        (8, own, 1),
        (4, readers, 8),
        (6, readers, 32),
    ] {
        let kernel = competing(n_blocks, body);
        let report = explore(&kernel, &kernel.healthy).report;
        assert_eq!(
            report.verdict,
            ScheduleVerdict::Clean,
            "{}",
            report.summary()
        );
        assert_eq!(report.executions, n_classes, "{n_blocks} blocks: {body}");
        assert!(
            report.partial_executions <= 2 * n_classes,
            "{}",
            report.partial_executions
        );
    }
}
