//! A run that a host steps through: one scenario, and one machine with its history.

pub mod block_map;
#[cfg(test)]
mod block_map_tests;
#[cfg(feature = "translate")]
pub mod distributed_run;
pub mod expectations;
pub(crate) mod fault;
pub(crate) mod hybrid;
pub mod inspect;
pub mod mbarriers;
pub mod memory_grid;
pub mod memory_id;
pub(crate) mod memory_list;
pub mod memory_search;
pub(crate) mod open;
pub(crate) mod queries;
pub mod start;
pub(crate) mod step;
#[cfg(feature = "translate")]
pub mod translated;
pub mod until;

use crate::analysis::traffic::counter::TrafficCounter;
use crate::model::fault::CauseView;
use crate::model::inline_asm_block::PartView;
use crate::model::step::StepView;
use crate::model::store::PendingView;
use crate::model::text::DiagnosticView;
use crate::session::memory_list::Memory;
use crate::session::step::matrix::MatrixRecord;
use crate::session::step::pending;
use crate::session::step::stores::StoreRecord;
use crate::session::step::tensor::TensorRecord;
use crate::source::check::Places;
use crate::source::language::Language;
use std::collections::BTreeSet;
use std::sync::Arc;
use warpgrid_emulator::plain::StepCounts;
use warpgrid_emulator::{Interest, Observer, PendingId, Status, Timeline};
use warpgrid_launch::reading::Reader;
use warpgrid_launch::scenario::{Buffer, Scenario};
use warpgrid_program::{FunctionId, Program};

/// Stores after which one call of [`Session::events`] stops.
pub const MAX_EVENTS: usize = 10_000;

/// The step just done, and what it stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Last {
    /// Position and status that this belongs to.
    of: Option<(u64, bool)>,
    step: Option<StepView>,
    place: Option<(FunctionId, u32)>,
    stores: Vec<StoreRecord>,
    /// The matrices of a matrix instruction, and what it loaded.
    matrices: Vec<MatrixRecord>,
    loads: Vec<StoreRecord>,
    /// What it started on the tensor units, or what of it landed.
    tensor: TensorRecord,
}

/// A scenario, checked and ready to be stepped forward and back.
pub struct Session {
    scenario: Scenario,
    pub(crate) language: Language,
    pub(crate) program: Arc<Program>,
    pub(crate) places: Places,
    pub(crate) timeline: Timeline,
    buffers: Vec<Buffer>,
    diagnostics: Vec<DiagnosticView>,
    guesses: Vec<String>,
    /// Whether the first of them is the line of the launch.
    infers_launch: bool,
    /// What a line that states a fact of the launch starts with.
    pub(crate) mark: String,
    /// The module variables that an instruction names, by index.
    named: BTreeSet<u32>,
    last: Last,
    pub(crate) counter: TrafficCounter,
    /// What led to the fault after this number of steps.
    pub(crate) causes: Option<(u64, Vec<CauseView>)>,
    /// The blocks of inline assembly of the text; `entry` of the scenario names the one that runs.
    parts: Vec<PartView>,
}

impl Session {
    /// What this session runs, with guessed parameters filled in.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Whether the program is a part of the text, so that its places are not those of the text.
    pub(crate) fn is_part(&self) -> bool {
        self.places.is_part()
    }

    /// The names of the module's kernels, or of the text's blocks of inline assembly, in order.
    pub fn kernels(&self) -> Vec<String> {
        if !self.parts.is_empty() {
            return self.parts.iter().map(|part| part.name.clone()).collect();
        }
        let entries = self.program.entries();
        entries.map(|(_, function)| function.name.clone()).collect()
    }

    /// What was guessed, as the `//@` lines that would state it.
    pub fn guesses(&self) -> &[String] {
        &self.guesses
    }

    /// Returns the line that states the inferred part of the launch; `None` if all of it is stated.
    pub fn inferred_launch(&self) -> Option<&str> {
        let first = self.guesses.first().filter(|_| self.infers_launch);
        first.map(String::as_str)
    }

    /// What the checker said of the source: warnings and information, since errors do not run.
    pub fn diagnostics(&self) -> &[DiagnosticView] {
        &self.diagnostics
    }

    /// The name of the machine that the program was checked for.
    pub(crate) fn target_name(&self) -> &'static str {
        self.program.target.name
    }

    /// Returns the number of executed steps, or `u64::MAX` at the end of a run without [`Session::step_counts`].
    pub fn position(&self) -> u64 {
        self.timeline.position()
    }

    /// Returns the number of steps of the whole run, once known.
    pub fn length(&self) -> Option<u64> {
        self.timeline.length()
    }

    /// Whether nothing is left to run: every thread has ended, or a fault stopped the launch.
    pub fn is_over(&self) -> bool {
        self.timeline.machine().status() != Status::Running
    }

    /// Steps done, and stores in the steps seen so far. `None` at the end of a JIT run in which a warp diverged: how many steps the
    /// interpreter takes is known once it runs.
    pub fn step_counts(&self) -> Option<StepCounts> {
        self.timeline.is_counted().then(|| StepCounts {
            steps: self.position(),
            stores: self.stores(),
        })
    }

    /// Executed lane-instructions: the sum of the active lanes over all steps of warps.
    pub fn lane_instructions(&self) -> u64 {
        self.timeline.machine().lane_instructions()
    }

    /// Stores done in the steps seen so far.
    pub fn stores(&self) -> u64 {
        self.timeline.ticks().n_stores
    }

    /// One warp-instruction forward; false at the end.
    pub fn step(&mut self) -> bool {
        let before = self.position();
        self.timeline.step(&mut ());
        self.position() > before
    }

    /// One warp-instruction back; false at the start.
    pub fn back(&mut self) -> bool {
        // A fault takes no step of its own: the way back from it is to before it.
        self.timeline.back()
    }

    /// Goes to a position, or to the end if the run is shorter.
    pub fn seek(&mut self, position: u64) {
        self.timeline.seek(position);
    }

    /// At most `budget` steps of the way to a position; true when there. Call again to go on.
    pub fn seek_within(&mut self, position: u64, budget: u64) -> bool {
        self.timeline.seek_within(position, budget)
    }

    /// Runs forward at most `max_steps`; true when the run is over. Call again to go on.
    pub fn run(&mut self, max_steps: u64) -> bool {
        self.timeline.run_to_end(max_steps);
        self.is_over()
    }

    /// Runs forward to just after the next step that stores (or the end); at most `max_steps`. True when there.
    pub fn run_to_store(&mut self, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            let mut last = LastStore {
                before: u64::MAX,
                step: None,
            };
            if self.timeline.step(&mut last) != Status::Running || last.step.is_some() {
                return true;
            }
        }
        false
    }

    /// Lets an operation in flight land now; false if it is not in flight (any more). What was known of later steps is
    /// forgotten, since they become others.
    pub fn land(&mut self, id: u64) -> bool {
        let position = self.position();
        let lands = self.timeline.land(PendingId(id), &mut ());
        if lands {
            self.causes = None;
            self.forget_traffic_after(position);
        }
        lands
    }

    /// Operations in flight at the present position.
    pub fn pending(&self) -> Vec<PendingView> {
        self.pending_in(&self.memories())
    }

    fn pending_in(&self, memories: &[Memory]) -> Vec<PendingView> {
        let all = self.timeline.machine().pending().iter();
        all.map(|found| {
            let origin = &found.operation.origin;
            let reader = self.reader(origin.function, origin.instruction);
            let origin = pending::Origin {
                range: self.range_of(origin.function, origin.instruction),
                opcode: reader.map_or("", Reader::opcode),
                grid: self.scenario.grid.unwrap_or([1; 3]),
            };
            pending::view(found, &origin, memories)
        })
        .collect()
    }

    /// Goes back to just after the previous step that stored (or to the start).
    pub fn back_to_store(&mut self) {
        let position = self.position();
        let known = self.timeline.ticks();
        // A tick is the number of a step: the position just after it is one more.
        let sampled = known
            .steps
            .iter()
            .rev()
            .copied()
            .find(|step| step + 1 < position);
        if known.one_in <= 1 {
            self.seek(sampled.map_or(0, |step| step + 1));
            return;
        }
        // Between two samples lie stores that are not listed: run them once more and keep the last.
        let from = sampled.unwrap_or(0);
        let mut last = LastStore {
            before: position.saturating_sub(1),
            step: sampled,
        };
        self.timeline.replay(from, position, &mut last);
        self.seek(last.step.map_or(0, |step| step + 1));
    }
}

/// Remembers the last step before a position that stored.
struct LastStore {
    before: u64,
    step: Option<u64>,
}

impl Observer for LastStore {
    fn interest(&self) -> Interest {
        Interest::NONE
    }

    fn store_step(&mut self, step: u64) {
        if step < self.before {
            self.step = Some(step);
        }
    }
}
