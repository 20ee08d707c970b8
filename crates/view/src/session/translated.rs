//! Runs that are not watched, by the translator. In: a session at its start; out: the session at its end, or why the interpreter must
//! run it.

use crate::session::Session;
use crate::session::memory_id::MemoryId;
use std::fmt;
use std::time::Duration;
use warpgrid_emulator::plain::Plain;
#[cfg(not(target_arch = "wasm32"))]
use warpgrid_translate::run_on_threads;
use warpgrid_translate::{Ended, run};

pub use warpgrid_translate::{
    Engine, Instance, Limits, Memory, Part, PartFacts, Products, Refusal,
};
#[cfg(not(target_arch = "wasm32"))]
pub use warpgrid_translate::{Native, NativeInstance};

/// What a translated run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translated {
    /// Making machine code of the kernel.
    pub translating: Duration,
    /// The run itself.
    pub running: Duration,
    /// Threads or hosts that shared the blocks out.
    n_parts: usize,
    /// Executed lane-instructions.
    lane_instructions: u64,
}

impl Translated {
    /// Million lane-instructions a second of the run alone.
    pub fn rate(&self) -> f64 {
        million_a_second(self.lane_instructions, self.running)
    }
}

impl fmt::Display for Translated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "compiled in {} and run in {}{}: {}",
            milliseconds(self.translating),
            milliseconds(self.running),
            match self.n_parts {
                1 => String::new(),
                n => format!(" in {n} parts"),
            },
            pace(self.rate())
        )
    }
}

/// Computes the throughput in million lane-instructions per second.
pub(crate) fn million_a_second(lane_instructions: u64, took: Duration) -> f64 {
    lane_instructions as f64 / took.as_secs_f64().max(1e-9) / 1e6
}

/// A pace in words, of a rate in million lane-instructions a second.
pub(crate) fn pace(rate: f64) -> String {
    let digits = if rate < 10.0 { 1 } else { 0 };
    format!("{rate:.digits$} million lane-instructions per second")
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Steps that the interpreter does before translation is worth its time: a few milliseconds.
const FIRST_STEPS: u64 = 100_000;

/// What translation takes, about: for each kernel, for each of its instructions, and to copy a mebibyte of its memory there and back.
const TRANSLATING: Duration = Duration::from_millis(5);
const TRANSLATING_AN_INSTRUCTION: Duration = Duration::from_micros(100);
const COPYING: Duration = Duration::from_millis(1);

/// How often the interpreter must take longer than translation for that to be tried.
const MARGIN: u32 = 2;

/// What the first steps by the interpreter took. The very first are not measured: they may be slow on a host that has yet to compile.
#[derive(Clone, Copy, Debug)]
pub struct FirstSteps {
    /// About what all of them take.
    pub took: Duration,
    /// Lane-instructions a second.
    pub pace: f64,
}

impl Session {
    /// Runs [`FIRST_STEPS`] by the interpreter, and more while no block is done and translation would have taken longer; none if the run is over then.
    /// `now` is a clock, and no run is longer than `max_steps`.
    pub fn run_first_steps(&mut self, max_steps: u64, now: fn() -> Duration) -> Option<FirstSteps> {
        const HALF: u64 = FIRST_STEPS / 2;
        if max_steps <= FIRST_STEPS || self.run(HALF) {
            return None;
        }
        let worth = self.cost_of_translating() * MARGIN;
        let mut first = FirstSteps {
            took: Duration::ZERO,
            pace: 0.0,
        };
        let mut done = HALF;
        loop {
            let (started, before) = (now(), self.lane_instructions());
            if self.run(HALF) {
                return None;
            }
            let took = now().saturating_sub(started);
            done += HALF;
            // The first half takes about as long as the second.
            first.took += if done == FIRST_STEPS { took * 2 } else { took };
            let executed = self.lane_instructions() - before;
            first.pace = executed as f64 / took.as_secs_f64().max(1e-9);
            // While no block is done nothing is known of the end: the interpreter may come there first.
            let is_known = self.timeline.machine().blocks_done() > 0;
            if is_known || first.took >= worth || done + HALF > max_steps {
                return Some(first);
            }
        }
    }

    /// Whether translation is likely to be worth its time, after the interpreter has run for so long: by the blocks that are done, and by the
    /// bytes of memory.
    pub fn is_worth_translating(&self, interpreted: Duration) -> bool {
        let machine = self.timeline.machine();
        let (done, all) = (machine.blocks_done(), machine.n_blocks());
        let left = interpreted.as_secs_f64() * (all - done.min(all)) as f64;
        let cost = self.cost_of_translating() * MARGIN;
        done == 0 || left > cost.as_secs_f64() * done as f64
    }

    fn cost_of_translating(&self) -> Duration {
        let functions = self.program.functions.iter();
        let instructions: usize = functions.map(|function| function.instructions.len()).sum();
        let bytes = |id: MemoryId| self.memory(&id).map_or(0, <[u8]>::len);
        let buffers = self.buffers();
        let ids = buffers.iter().map(|b| MemoryId::Buffer(b.name.clone()));
        let mebibytes = (ids.map(bytes).sum::<usize>() >> 20) as u32;
        // A text of more is not translated.
        let instructions = u32::try_from(instructions).unwrap_or(u32::MAX).min(1 << 16);
        TRANSLATING + TRANSLATING_AN_INSTRUCTION * instructions + COPYING * mebibytes
    }

    /// Whether the end is likely to be more than `max_steps` from the start, by the blocks that are done.
    pub fn ends_beyond(&self, max_steps: u64) -> bool {
        let machine = self.timeline.machine();
        let (done, all) = (machine.blocks_done(), machine.n_blocks());
        let steps = u128::from(self.position()) * u128::from(all);
        done > 0 && steps > u128::from(max_steps) * u128::from(done)
    }

    /// Runs to the end by translated code, within limits. Memory and lane-instructions are then those that the interpreter leaves, and so are
    /// steps and stores, unless a warp diverged: see [`Session::step_counts`]. If it is refused, the session is at its start, and [`Session::run`] runs it.
    pub fn run_translated<E: Engine>(
        &mut self,
        engine: &E,
        limits: Limits,
    ) -> Result<Translated, Refusal> {
        self.seek(0);
        let plain = self.plain().ok_or(Refusal::Launch)?;
        let ended = run(engine, plain, limits)?;
        self.take_end(&ended)
    }

    /// As [`Session::run_translated`], by the engine that is linked in, with the blocks shared out among threads.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn run_on_threads(
        &mut self,
        limits: Limits,
        n_threads: u32,
    ) -> Result<Translated, Refusal> {
        self.seek(0);
        let plain = self.plain().ok_or(Refusal::Launch)?;
        let ended = run_on_threads(Native::get(), plain, limits, n_threads)?;
        self.take_end(&ended)
    }

    /// The launch as translated code takes it; none where it has begun, or has parts that only the interpreter knows.
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        self.timeline.machine().plain()
    }

    pub(crate) fn take_end<I: Instance>(
        &mut self,
        ended: &Ended<I>,
    ) -> Result<Translated, Refusal> {
        match ended.hand_over(|end| self.timeline.take_end(end)) {
            true => Ok(Translated {
                translating: ended.translating,
                running: ended.running,
                n_parts: ended.n_parts,
                lane_instructions: ended.counts.lane_instructions,
            }),
            false => Err(Refusal::Launch),
        }
    }

    /// Why a run was left to the interpreter, with the line of an instruction that is not translated.
    pub fn why_interpreted(&self, why: &Refusal) -> String {
        match (why, self.plain()) {
            (Refusal::Instruction { at, .. }, Some(plain)) => {
                let (function, index) = plain.origin(*at);
                let line = self.range_of(function, index).line;
                let text = self.text_of(function, index).trim_end_matches(';');
                format!("the JIT compiler does not support `{text}` (line {line})")
            }
            _ => why.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pace;

    #[test]
    fn a_slow_pace_has_a_digit_after_the_point() {
        assert_eq!(pace(0.37), "0.4 million lane-instructions per second");
        assert_eq!(pace(1234.4), "1234 million lane-instructions per second");
    }
}
