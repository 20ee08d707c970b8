//! Which engine runs what is not watched. In: a session at its start; out: the session at its end or wherever the interpreter has brought
//! it, and a line about the engine.

use std::time::{Duration, Instant};
use warpgrid_view::Session;

/// Steps that the interpreter does before translation is worth its time: a few milliseconds.
const FIRST_STEPS: u64 = 100_000;

/// Runs a session by translated code where it is long. None if the run was over before, or is likely to be soon.
pub(crate) fn run(session: &mut Session, max_steps: u64) -> Option<String> {
    let clock = Instant::now();
    if max_steps <= FIRST_STEPS || session.run(FIRST_STEPS) {
        return None;
    }
    if !session.is_worth_translating(clock.elapsed()) {
        return None;
    }
    Some(match session.run_translated(max_steps) {
        Ok(took) => format!(
            "translated in {}, run in {}: {:.0} million lane-instructions a second",
            milliseconds(took.translating),
            milliseconds(took.running),
            took.rate()
        ),
        Err(why) => format!("interpreted: {}", session.why_interpreted(&why)),
    })
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
