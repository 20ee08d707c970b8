//! Engine selection for runs without observers. Executes a session from its start with JIT code if possible, and returns a line about the
//! engine.

use warpgrid_view::Session;
use warpgrid_view::session::translated_run::{Engine, RunLimits, WasmtimeEngine};

/// Runs a long session with JIT code on `n_threads` threads, or on one thread per core if `n_threads` is `None`. Returns `None` if the run
/// is already complete or is likely to complete soon.
pub(crate) fn run(session: &mut Session, max_steps: u64, n_threads: Option<u32>) -> Option<String> {
    let first = session.run_first_steps(max_steps, WasmtimeEngine::now)?;
    if !session.is_worth_translating(first.took) {
        return None;
    }
    let n_threads = n_threads.unwrap_or_else(|| {
        let cores = std::thread::available_parallelism();
        cores.map_or(1, |cores| cores.get() as u32)
    });
    let limits = RunLimits {
        max_steps,
        min_steps_per_second: Some(first.speed),
    };
    Some(match session.run_on_threads(limits, n_threads) {
        Ok(took) => took.to_string(),
        Err(reason) => format!("interpreted: {}", session.fallback_message(&reason)),
    })
}
