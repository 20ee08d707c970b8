//! Measures the duration of the fastest of many runs, because interference only increases the duration of a run.

use std::time::{Duration, Instant};

/// Time budget for the measurement of one benchmark.
const BUDGET: Duration = Duration::from_millis(1500);

/// Returns the duration of the fastest run in seconds. The measured time excludes `prepare`, which creates the input of a run.
pub(super) fn best_of<T, E>(
    prepare: impl FnMut() -> Result<T, E>,
    run: impl FnMut(&mut T) -> Result<(), E>,
) -> Result<f64, E> {
    best_within(BUDGET, prepare, run)
}

/// Returns the duration of the fastest run, like [`best_of`], within a time budget for one of several parts of a benchmark.
pub(super) fn best_within<T, E>(
    budget: Duration,
    mut prepare: impl FnMut() -> Result<T, E>,
    mut run: impl FnMut(&mut T) -> Result<(), E>,
) -> Result<f64, E> {
    let started = Instant::now();
    let mut best = f64::INFINITY;
    while best.is_infinite() || started.elapsed() < budget {
        let mut input = prepare()?;
        let clock = Instant::now();
        run(&mut input)?;
        best = best.min(clock.elapsed().as_secs_f64());
    }
    Ok(best)
}
