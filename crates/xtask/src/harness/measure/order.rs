//! What it costs to look for races, and how long litmus tests take.

use crate::measure::emulation::session;
use crate::measure::timing::best_within;
use crate::measure::{Inputs, Measured};
use std::time::Duration;
use warpgrid_view::memory_model::litmus::{LitmusTest, explore};
use warpgrid_view::{Scenario, Session};

/// How long one kernel may be measured, after as long without: engines of wasm begin with slow code.
const SHORT: Duration = Duration::from_millis(60);

/// More than any of the kernels needs.
const MAX_STEPS: u64 = 4_000_000;

/// What a run does besides.
#[derive(Clone, Copy)]
enum Looking {
    No,
    ForRaces,
    ForRacesAndRepairs,
}

/// How many times as long as a run it takes to look for races, in the middle of all kernels of compilers.
pub(super) fn median_of_looking(inputs: &Inputs) -> Measured {
    median(&slow_downs(inputs, Looking::ForRaces)?)
}

/// The same of the kernel that it costs most.
pub(super) fn most_of_looking(inputs: &Inputs) -> Measured {
    worst(&slow_downs(inputs, Looking::ForRaces)?)
}

/// The same with the search for repairs, which the command makes where there are races.
pub(super) fn most_of_repairs(inputs: &Inputs) -> Measured {
    worst(&slow_downs(inputs, Looking::ForRacesAndRepairs)?)
}

fn slow_downs(inputs: &Inputs, looking: Looking) -> Result<Vec<f64>, String> {
    let text = inputs.read("corpus.jsonl")?;
    let slow_down = |line: &str| -> Measured {
        let scenario = serde_json::from_str(line).map_err(|error| error.to_string())?;
        Ok(seconds(&scenario, looking)? / seconds(&scenario, Looking::No)?)
    };
    let mut all: Vec<f64> = text.lines().map(slow_down).collect::<Result<_, _>>()?;
    all.sort_by(f64::total_cmp);
    Ok(all)
}

fn seconds(scenario: &Scenario, looking: Looking) -> Measured {
    let best = || {
        best_within(
            SHORT,
            || session(scenario, Session::untracked),
            |session| {
                match looking {
                    Looking::No => {
                        session.run(MAX_STEPS);
                    }
                    Looking::ForRaces => {
                        session.look_for_races(MAX_STEPS);
                    }
                    Looking::ForRacesAndRepairs => {
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

/// Milliseconds of the slowest litmus test.
pub(super) fn slowest_litmus(inputs: &Inputs) -> Measured {
    worst(&litmus(inputs)?)
}

/// Milliseconds of the litmus test in the middle.
pub(super) fn median_litmus(inputs: &Inputs) -> Measured {
    median(&litmus(inputs)?)
}

fn litmus(inputs: &Inputs) -> Result<Vec<f64>, String> {
    let text = inputs.read("litmus.jsonl")?;
    let milliseconds = |line: &str| -> Measured {
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

fn median(sorted: &[f64]) -> Measured {
    let middle = sorted.get(sorted.len() / 2).copied();
    middle.ok_or_else(|| "nothing to measure".to_owned())
}

fn worst(sorted: &[f64]) -> Measured {
    let last = sorted.last().copied();
    last.ok_or_else(|| "nothing to measure".to_owned())
}
