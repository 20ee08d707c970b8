//! `warpgrid analyze --schedules`: explores all schedules of each kernel of a report.

use crate::output::Progress;
use std::time::{Duration, Instant};
use warpgrid_view::analysis::findings::AnalysisReport;
use warpgrid_view::analysis::schedules::{ExplorationLimits, ScheduleReport, ScheduleSearch};
use warpgrid_view::{RequestError, Scenario, Session};

/// Number of steps between two checks of the clock.
const SLICE: u64 = 1 << 12;

/// Maximum number of seconds of an exploration.
const MAX_SECONDS: f64 = 86_400.0;

/// Parses a number of seconds, such as `2` or `0.5`.
pub(super) fn read_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let seconds = seconds.filter(|seconds| (0.001..=MAX_SECONDS).contains(seconds));
    let expected =
        || format!("found `{text}`, expected a number of seconds from 0.001 to {MAX_SECONDS}");
    Ok(Duration::from_secs_f64(seconds.ok_or_else(expected)?))
}

/// Explores the schedules of each kernel of a report for at most `time`, and adds the results to the report. Kernels that cannot run are
/// not explored.
pub(super) fn explore(
    report: &mut AnalysisReport,
    scenario: &Scenario,
    max_steps: u64,
    time: Duration,
) {
    for index in 0..report.kernels.len() {
        let kernel = &report.kernels[index];
        if kernel.steps == 0 {
            continue;
        }
        if !kernel.not_covered.is_empty() {
            // The run of the analysis has already reached a limit.
            let reasons = kernel.not_covered.clone();
            report.add_schedules(index, ScheduleReport::not_explored(reasons));
            continue;
        }
        let scenario = Scenario {
            entry: Some(kernel.kernel.clone()),
            ..scenario.clone()
        };
        // The analysis has already reported the errors of the launch.
        if let Ok(found) = explore_kernel(scenario, max_steps, time) {
            report.add_schedules(index, found);
        }
    }
}

fn explore_kernel(
    scenario: Scenario,
    max_steps: u64,
    time: Duration,
) -> Result<ScheduleReport, RequestError> {
    let session = Session::new_without_last_writers(scenario)?;
    let limits = ExplorationLimits {
        max_steps,
        ..ExplorationLimits::default()
    };
    let mut search = ScheduleSearch::new(&session, limits)?;
    let start = Instant::now();
    let mut progress = Progress::new();
    while !search.advance(SLICE) {
        if start.elapsed() >= time {
            search.stop();
            break;
        }
        progress.say(|| {
            let state = search.progress();
            format!(
                "{} classes of schedules explored, {} pending",
                state.done, state.pending
            )
        });
    }
    progress.clear();
    search.report()
}
