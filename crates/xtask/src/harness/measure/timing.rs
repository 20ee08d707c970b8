//! Timing: the best of many runs, because whatever disturbs a run only makes it slower.

use std::time::{Duration, Instant};

/// How long one figure may take.
const BUDGET: Duration = Duration::from_millis(1500);

/// Seconds of the fastest run. `prepare` makes what a run consumes, outside the clock.
pub(super) fn best_of<T, E>(
    prepare: impl FnMut() -> Result<T, E>,
    run: impl FnMut(&mut T) -> Result<(), E>,
) -> Result<f64, E> {
    best_within(BUDGET, prepare, run)
}

/// The same for one of many parts of a figure.
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
