//! Which engine runs what is not watched. In: a session at its start; out: the session at its end or wherever the interpreter has brought
//! it, and a line about the engine.

use std::time::Instant;
use warpgrid_view::Session;
use warpgrid_view::translated::FIRST_STEPS;

/// Runs a session by translated code where it is long, on `n_threads` threads or one for each core. None if the run was over before, or is likely to be soon.
pub(crate) fn run(session: &mut Session, max_steps: u64, n_threads: Option<u32>) -> Option<String> {
    let clock = Instant::now();
    if max_steps <= FIRST_STEPS || session.run(FIRST_STEPS) {
        return None;
    }
    if !session.is_worth_translating(clock.elapsed()) {
        return None;
    }
    let n_threads = n_threads.unwrap_or_else(|| {
        let cores = std::thread::available_parallelism();
        cores.map_or(1, |cores| cores.get() as u32)
    });
    Some(match session.run_on_threads(max_steps, n_threads) {
        Ok(took) => took.to_string(),
        Err(why) => format!("interpreted: {}", session.why_interpreted(&why)),
    })
}
