//! Measures the slowdown by race detection, and the duration of litmus tests.

use crate::measure::emulation::session;
use crate::measure::timing::best_within;
use crate::measure::{Inputs, Measurement};
use std::time::Duration;
use warpgrid_view::memory_model::litmus::{LitmusTest, explore};
use warpgrid_view::{Scenario, Session};

/// Time budget for the measurement of one kernel. A warm-up of the same duration precedes the measurement, since wasm engines start with
/// unoptimized code.
const SHORT: Duration = Duration::from_millis(60);

/// Step limit of a run. None of the kernels reaches this limit.
const MAX_STEPS: u64 = 4_000_000;

/// Minimum duration of a measured run without race detection, in seconds. The creation of the race detector dominates shorter runs, and users
/// do not notice their duration.
const MIN_SECONDS: f64 = 100e-6;

/// Mode of race detection in a run.
#[derive(Clone, Copy)]
enum RaceDetection {
    No,
    ForRaces,
    ForRacesAndRepairs,
}

/// Measures the median slowdown by race detection over the compiled kernels that run for at least [`MIN_SECONDS`].
pub(super) fn median_of_looking(inputs: &Inputs) -> Measurement {
    median(&slow_downs(inputs, RaceDetection::ForRaces)?)
}

/// Measures the maximum slowdown by race detection over the compiled kernels that run for at least [`MIN_SECONDS`].
pub(super) fn most_of_looking(inputs: &Inputs) -> Measurement {
    worst(&slow_downs(inputs, RaceDetection::ForRaces)?)
}

/// Measures the maximum slowdown by race detection with a search for fixes, over the same kernels. The command performs this search if a
/// kernel has races.
pub(super) fn most_of_repairs(inputs: &Inputs) -> Measurement {
    worst(&slow_downs(inputs, RaceDetection::ForRacesAndRepairs)?)
}

fn slow_downs(inputs: &Inputs, looking: RaceDetection) -> Result<Vec<f64>, String> {
    let text = inputs.read("corpus.jsonl")?;
    let mut all = Vec::new();
    for line in text.lines() {
        let scenario = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let plain = seconds(&scenario, RaceDetection::No)?;
        if plain >= MIN_SECONDS {
            all.push(seconds(&scenario, looking)? / plain);
        }
    }
    all.sort_by(f64::total_cmp);
    Ok(all)
}

fn seconds(scenario: &Scenario, looking: RaceDetection) -> Measurement {
    let best = || {
        best_within(
            SHORT,
            || session(scenario, Session::new_without_last_writers),
            |session| {
                match looking {
                    RaceDetection::No => {
                        session.run(MAX_STEPS);
                    }
                    RaceDetection::ForRaces => {
                        session.detect_races(MAX_STEPS);
                    }
                    RaceDetection::ForRacesAndRepairs => {
                        session.run_for_races(MAX_STEPS);
                    }
                }
                Ok(())
            },
        )
    };
    best()?;
    best()
}

/// Measures the duration of the slowest litmus test in milliseconds.
pub(super) fn slowest_litmus(inputs: &Inputs) -> Measurement {
    worst(&litmus(inputs)?)
}

/// Measures the median duration of the litmus tests, in milliseconds.
pub(super) fn median_litmus(inputs: &Inputs) -> Measurement {
    median(&litmus(inputs)?)
}

fn litmus(inputs: &Inputs) -> Result<Vec<f64>, String> {
    let text = inputs.read("litmus.jsonl")?;
    let milliseconds = |line: &str| -> Measurement {
        let test: LitmusTest = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let seconds = best_within(
            Duration::from_millis(2),
            || Ok(()),
            |()| match explore(&test) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("{}: {error}", test.name)),
            },
        )?;
        Ok(seconds * 1e3)
    };
    let mut all: Vec<f64> = text.lines().map(milliseconds).collect::<Result<_, _>>()?;
    all.sort_by(f64::total_cmp);
    Ok(all)
}

fn median(sorted: &[f64]) -> Measurement {
    let middle = sorted.get(sorted.len() / 2).copied();
    middle.ok_or_else(|| "nothing to measure".to_owned())
}

fn worst(sorted: &[f64]) -> Measurement {
    let last = sorted.last().copied();
    last.ok_or_else(|| "nothing to measure".to_owned())
}
