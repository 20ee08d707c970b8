//! Runs that nobody watches, by the translator. In: a session at its start; out: the session at its end, or why the interpreter must
//! run it.

use crate::session::Session;
use std::time::Duration;
use warpgrid_emulator::plain::PlainEnd;
use warpgrid_translate::{Refusal, run};

/// What a translated run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translated {
    /// Making machine code of the kernel.
    pub translating: Duration,
    /// The run itself.
    pub running: Duration,
}

impl Session {
    /// Runs to the end by translated code, if that is at most `max_steps` away; memory, steps and stores are then those that the
    /// interpreter leaves. If it is refused, the session is at its start, and [`Session::run`] runs it.
    pub fn run_translated(&mut self, max_steps: u64) -> Result<Translated, Refusal> {
        self.seek(0);
        let plain = self.timeline.machine().plain().ok_or(Refusal::Launch)?;
        let ended = run(plain, max_steps)?;
        let end = PlainEnd {
            changes: &ended.changes(),
            steps: ended.steps,
            stores: ended.stores,
        };
        match self.timeline.take_end(&end) {
            true => Ok(Translated {
                translating: ended.translating,
                running: ended.running,
            }),
            false => Err(Refusal::Launch),
        }
    }
}
