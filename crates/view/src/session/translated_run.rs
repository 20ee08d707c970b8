//! JIT runs of sessions for which no host requests intermediate state. The module takes a session at its start, and returns the session at
//! its end, or the reason why the interpreter must execute the run.

use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use std::fmt;
use std::time::Duration;
use warpgrid_emulator::translation_view::TranslationView;
#[cfg(not(target_arch = "wasm32"))]
use warpgrid_translate::run_on_threads;
use warpgrid_translate::{FinishedRun, run};

pub use warpgrid_translate::{
    BailoutReason, Engine, LinearMemory, MaddRounding, ModuleInstance, Partition, PartitionSummary,
    RunLimits,
};
#[cfg(not(target_arch = "wasm32"))]
pub use warpgrid_translate::{WasmtimeEngine, WasmtimeInstance};

/// Durations and statistics of a JIT run, from which hosts compute its throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranslatedRunStats {
    /// Duration of the compilation of the kernel.
    pub translating: Duration,
    /// Duration of the execution of the compiled code.
    pub running: Duration,
    /// Number of threads or hosts that executed blocks.
    n_parts: usize,
    /// Number of lane-instructions that the run executed.
    lane_instructions: u64,
}

impl TranslatedRunStats {
    /// Returns the throughput of the run in million lane-instructions per second.
    pub fn rate(&self) -> f64 {
        million_a_second(self.lane_instructions, self.running)
    }
}

impl fmt::Display for TranslatedRunStats {
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
            speed_text(self.rate())
        )
    }
}

/// Computes the throughput in million lane-instructions per second.
pub(crate) fn million_a_second(lane_instructions: u64, took: Duration) -> f64 {
    lane_instructions as f64 / took.as_secs_f64().max(1e-9) / 1e6
}

/// Formats a throughput, given in million lane-instructions per second.
pub(crate) fn speed_text(rate: f64) -> String {
    let digits = if rate < 10.0 { 1 } else { 0 };
    format!("{rate:.digits$} million lane-instructions per second")
}

pub(crate) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Number of steps that the interpreter executes before the session considers compilation. The execution of these steps takes a few
/// milliseconds.
const FIRST_STEPS: u64 = 100_000;

/// Estimated duration of the compilation of a kernel, independent of its number of instructions.
const TRANSLATING: Duration = Duration::from_millis(5);
/// Estimated duration of the compilation of an instruction.
const TRANSLATING_AN_INSTRUCTION: Duration = Duration::from_micros(100);
/// Estimated duration of copying one MiB of memory in both directions.
const COPYING: Duration = Duration::from_millis(1);

/// Factor by which the estimated duration of the run in the interpreter must exceed the compilation time.
const MIN_SPEEDUP: u32 = 2;

/// Duration and throughput of the first interpreter steps. The measurement excludes the first half of these steps, because it can be slow
/// on a host that compiles lazily.
#[derive(Clone, Copy, Debug)]
pub struct WarmupStats {
    /// Estimated duration of all first steps.
    pub took: Duration,
    /// Throughput of the interpreter in lane-instructions per second.
    pub speed: f64,
}

impl Session {
    /// Executes [`FIRST_STEPS`] steps with the interpreter. If no block is finished, executes additional steps until they have taken as
    /// long as a compilation would take. Executes at most `max_steps` steps. Returns `None` if these steps complete the run. `now` is a
    /// clock.
    pub fn run_first_steps(
        &mut self,
        max_steps: u64,
        now: fn() -> Duration,
    ) -> Option<WarmupStats> {
        const HALF: u64 = FIRST_STEPS / 2;
        if max_steps <= FIRST_STEPS || self.run(HALF) {
            return None;
        }
        let worth = self.cost_of_translating() * MIN_SPEEDUP;
        let mut first = WarmupStats {
            took: Duration::ZERO,
            speed: 0.0,
        };
        let mut done = HALF;
        loop {
            let (started, before) = (now(), self.lane_instructions());
            if self.run(HALF) {
                return None;
            }
            let took = now().saturating_sub(started);
            done += HALF;
            // Assume that the unmeasured first half has the same duration as the measured second half.
            first.took += if done == FIRST_STEPS { took * 2 } else { took };
            let executed = self.lane_instructions() - before;
            first.speed = executed as f64 / took.as_secs_f64().max(1e-9);
            // Continue until a block is finished, because the length of the run is unknown before. The interpreter can complete a short run
            // earlier than a compilation.
            let is_known = self.timeline.machine().blocks_done() > 0;
            if is_known || first.took >= worth || done + HALF > max_steps {
                return Some(first);
            }
        }
    }

    /// Checks whether compilation is likely to be worthwhile. `interpreted` is the time that the interpreter has spent on the run. The
    /// decision depends on this time, the number of finished blocks and the memory size.
    pub fn is_worth_translating(&self, interpreted: Duration) -> bool {
        let machine = self.timeline.machine();
        let (done, all) = (machine.blocks_done(), machine.n_blocks());
        let left = interpreted.as_secs_f64() * (all - done.min(all)) as f64;
        let cost = self.cost_of_translating() * MIN_SPEEDUP;
        done == 0 || left > cost.as_secs_f64() * done as f64
    }

    fn cost_of_translating(&self) -> Duration {
        let functions = self.program.functions.iter();
        let instructions: usize = functions.map(|function| function.instructions.len()).sum();
        let bytes = |id: MemoryKey| self.memory(&id).map_or(0, <[u8]>::len);
        let buffers = self.buffers();
        let ids = buffers.iter().map(|b| MemoryKey::Buffer(b.name.clone()));
        let mebibytes = (ids.map(bytes).sum::<usize>() >> 20) as u32;
        // Limit the number of instructions, because larger programs are not compiled anyway.
        let instructions = u32::try_from(instructions).unwrap_or(u32::MAX).min(1 << 16);
        TRANSLATING + TRANSLATING_AN_INSTRUCTION * instructions + COPYING * mebibytes
    }

    /// Estimates from the finished blocks whether the complete run is likely to take more than `max_steps` steps.
    pub fn run_exceeds(&self, max_steps: u64) -> bool {
        let machine = self.timeline.machine();
        let (done, all) = (machine.blocks_done(), machine.n_blocks());
        let steps = u128::from(self.position()) * u128::from(all);
        done > 0 && steps > u128::from(max_steps) * u128::from(done)
    }

    /// Runs the session to its end with JIT code, within the limits `limits`. The final memory contents and the number of lane-instructions
    /// equal those of a run with the interpreter. The numbers of steps and stores are also equal unless a warp diverged, see
    /// [`Session::step_counts`]. On an error, the session is at its start, and [`Session::run`] can execute it.
    pub fn run_translated<E: Engine>(
        &mut self,
        engine: &E,
        limits: RunLimits,
    ) -> Result<TranslatedRunStats, BailoutReason> {
        self.seek(0);
        let plain = self.plain().ok_or(BailoutReason::Launch)?;
        let ended = run(engine, plain, limits)?;
        self.adopt_result(&ended)
    }

    /// Runs the session to its end with JIT code of the linked engine (see [`Session::run_translated`]), and distributes the blocks among
    /// threads.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn run_on_threads(
        &mut self,
        limits: RunLimits,
        n_threads: u32,
    ) -> Result<TranslatedRunStats, BailoutReason> {
        self.seek(0);
        let plain = self.plain().ok_or(BailoutReason::Launch)?;
        let ended = run_on_threads(WasmtimeEngine::get(), plain, limits, n_threads)?;
        self.adopt_result(&ended)
    }

    /// Returns the launch in the form that the compiler accepts. Returns `None` if the run has started, or if only the interpreter supports
    /// the launch.
    pub(crate) fn plain(&self) -> Option<TranslationView<'_>> {
        self.timeline.machine().translation_view()
    }

    pub(crate) fn adopt_result<I: ModuleInstance>(
        &mut self,
        ended: &FinishedRun<I>,
    ) -> Result<TranslatedRunStats, BailoutReason> {
        match ended.with_result(|end| self.timeline.adopt_result(end)) {
            true => Ok(TranslatedRunStats {
                translating: ended.translating,
                running: ended.running,
                n_parts: ended.n_parts,
                lane_instructions: ended.counts.lane_instructions,
            }),
            false => Err(BailoutReason::Launch),
        }
    }

    /// Formats the reason why the interpreter executed a run, with the source line if an instruction is unsupported.
    pub fn fallback_message(&self, reason: &BailoutReason) -> String {
        match (reason, self.plain()) {
            (BailoutReason::Instruction { at, .. }, Some(plain)) => {
                let (function, index) = plain.origin(*at);
                let line = self.range_of(function, index).line;
                let text = self.text_of(function, index).trim_end_matches(';');
                format!("the JIT compiler does not support `{text}` (line {line})")
            }
            _ => reason.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RunLimits, WasmtimeEngine, speed_text};
    use crate::model::GridRequest;
    use crate::{MemoryKey, Scenario, Session};

    /// Kernel in which each thread counts to 1,000 and stores the counter.
    const COUNTING_KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64
//@ launch grid=4 block=32
//@ buffer out: u32[128] = 0
.visible .entry k(.param .u64 out) {
.reg .b32 %i, %t, %n; .reg .pred %p; .reg .b64 %q, %o;
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %t, %n, 32, %t; mul.wide.u32 %o, %t, 4;
mov.u32 %i, 0;
again: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1000; @%p bra again;
ld.param.b64 %q, [out]; add.s64 %q, %q, %o; st.global.u32 [%q], %i;
ret; }";

    #[test]
    fn grid_after_jit_run_executes_no_interpreter_steps() {
        let scenario = Scenario {
            source: COUNTING_KERNEL.to_owned(),
            ..Scenario::default()
        };
        let limits = RunLimits {
            max_steps: 1_000_000,
            min_steps_per_second: None,
        };
        let mut session = Session::new(scenario)
            .and_then(|session| session.restart_without_last_writers())
            .expect("a launch");
        session
            .run_translated(WasmtimeEngine::get(), limits)
            .expect("a JIT run");
        let end = session.position();
        let request = GridRequest {
            memory: MemoryKey::Buffer("out".to_owned()),
            ty: None,
            columns: Some(32),
            first_row: 0,
            n_rows: Some(1),
        };
        let grid = session.grid(&request).expect("a grid");
        assert!(grid.cells.iter().all(|cell| cell.text == "1000"));
        assert_eq!(session.timeline.steps_run(), 0);
        // After a seek back, the interpreter executes the run, so the last step is known.
        session.seek(0);
        session.seek(end);
        assert_eq!(
            session.grid(&request).map(|grid| grid.cells),
            Some(grid.cells)
        );
        assert!(session.last.step.is_some());
    }

    #[test]
    fn slow_speed_has_one_fractional_digit() {
        assert_eq!(speed_text(0.37), "0.4 million lane-instructions per second");
        assert_eq!(
            speed_text(1234.4),
            "1234 million lane-instructions per second"
        );
    }
}
