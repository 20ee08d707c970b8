//! Implements the benchmarks of analyses that a host requests for a finished run: the timeline, and the source positions of steps.

use crate::measure::emulation::{matmul_scenario, session};
use crate::measure::timing::best_of;
use crate::measure::{Inputs, Measurement};
use warpgrid_view::model::{FrameRequest, TimelineOptions};
use warpgrid_view::{Scenario, Session};

/// Number of executed steps whose timeline is recorded.
const TIMELINE_STEPS: u64 = 1_000_000;

/// Number of steps of each compiled kernel whose source positions are counted.
const POSITION_STEPS: u64 = 2_000;

/// Measures the recording of the timeline of a long run, in milliseconds.
pub(super) fn timeline(inputs: &Inputs) -> Measurement {
    let scenario = matmul_scenario(inputs, 256)?;
    let seconds = best_of(
        || {
            let mut session = session(&scenario, Session::new_without_last_writers)?;
            session.run(TIMELINE_STEPS);
            match session.position() {
                TIMELINE_STEPS => Ok(session),
                n => Err(format!("the run has only {n} steps")),
            }
        },
        |session| {
            let view = session.timeline(TimelineOptions::default());
            view.map(drop).map_err(|error| error.message)
        },
    )?;
    Ok(seconds * 1e3)
}

/// Measures the share of the steps of compiled kernels with line information that have a source position, in percent.
pub(super) fn source_positions(inputs: &Inputs) -> Measurement {
    let (mut n_steps, mut n_with_position) = (0u64, 0u64);
    for line in inputs.read("sources.jsonl")?.lines() {
        let scenario: Scenario = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let mut session = session(&scenario, Session::new_without_last_writers)?;
        if session.line_table().files.is_empty() {
            continue;
        }
        while session.position() < POSITION_STEPS && session.step() {
            let frame = session.frame(&FrameRequest::default());
            n_steps += 1;
            n_with_position += u64::from(frame.last.is_some_and(|step| !step.source.is_empty()));
        }
    }
    match n_steps {
        0 => Err("no compiled kernel has line information".to_owned()),
        n => Ok(n_with_position as f64 * 100.0 / n as f64),
    }
}
