//! Session that executes one scenario on one machine. The session keeps a history of the run, so that it can step and seek in both
//! directions.

pub mod block_map;
#[cfg(test)]
mod block_map_tests;
pub(crate) mod create;
#[cfg(feature = "translate")]
pub mod distributed_run;
pub mod expectations;
pub(crate) mod fault;
pub(crate) mod hybrid;
pub mod inspect;
pub mod launch_edit;
pub mod loaded_module;
pub mod mbarriers;
pub mod memory_grid;
pub mod memory_id;
pub(crate) mod memory_list;
pub mod memory_search;
pub(crate) mod queries;
pub(crate) mod step;
pub mod stop_conditions;
#[cfg(feature = "translate")]
pub mod translated_run;

use crate::analysis::run_timeline::RunTimeline;
use crate::analysis::traffic::counter::TrafficCounter;
use crate::model::fault::CauseView;
use crate::model::inline_asm_block::InlineAsmView;
use crate::model::step::StepView;
use crate::model::store::AsyncOperationView;
use crate::model::text::DiagnosticView;
use crate::session::memory_list::MemoryDescriptor;
use crate::session::step::async_operations;
use crate::session::step::effects::SyncEffect;
use crate::session::step::matrix::MatrixRecord;
use crate::session::step::stores::StoreRecord;
use crate::session::step::tensor::TensorRecord;
use crate::source::check::SourceMap;
use crate::source::language::Language;
use std::collections::BTreeSet;
use std::sync::Arc;
use warpgrid_emulator::translation_view::StepCounts;
use warpgrid_emulator::{
    AsyncOperationId, EventMask, MachineStatus, Observer, StepEvent, Timeline,
};
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_launch::scenario::{Buffer, Scenario};
use warpgrid_program::{FunctionId, Program};

/// Maximum number of stores that one call of [`Session::events`] returns. The call stops when it has collected this number of stores.
pub const MAX_EVENTS: usize = 10_000;

/// Cache of the data of the last step: its stores, loads, matrices and tensor operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastStepCache {
    /// Position to which the cached data belongs, and whether the machine has a fault at this position.
    of: Option<(u64, bool)>,
    step: Option<StepView>,
    place: Option<(FunctionId, u32)>,
    stores: Vec<StoreRecord>,
    loads: Vec<StoreRecord>,
    /// Synchronization events of the step, in order.
    effects: Vec<SyncEffect>,
    event: Option<StepEvent>,
    /// Matrices of the matrix instruction that the last step executed.
    matrices: Vec<MatrixRecord>,
    /// Tensor operation that the last step started or completed.
    tensor: TensorRecord,
}

/// Execution of a checked scenario on a machine. Hosts step forward and backward, and query the state at each position.
pub struct Session {
    scenario: Scenario,
    pub(crate) language: Language,
    pub(crate) program: Arc<Program>,
    pub(crate) places: SourceMap,
    pub(crate) timeline: Timeline,
    buffers: Vec<Buffer>,
    diagnostics: Vec<DiagnosticView>,
    inferred_annotations: Vec<String>,
    /// Whether the first inferred `//@` line specifies the launch.
    infers_launch: bool,
    /// Inferred integer parameters with their values: `n = 32`.
    pub(crate) inferred_scalars: Vec<String>,
    /// Prefix of `//@` lines in the language of the source. The prefix starts a comment.
    pub(crate) comment_marker: String,
    /// Indices of the module variables that instructions of the program name.
    named: BTreeSet<u32>,
    last: LastStepCache,
    pub(crate) counter: TrafficCounter,
    /// Last recorded timeline of the executed steps.
    pub(crate) recorded: Option<RunTimeline>,
    /// Causes of the fault, and the number of steps that were executed before the fault.
    pub(crate) causes: Option<(u64, Vec<CauseView>)>,
    /// Inline assembly blocks of the source. The field `entry` of the scenario names the executed block.
    parts: Vec<InlineAsmView>,
}

impl Session {
    /// Returns the executed scenario, with the inferred parameters.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Checks whether the program is an asm block of the source, so that its spans refer to the text of the asm block.
    pub(crate) fn is_part(&self) -> bool {
        self.places.is_part()
    }

    /// Returns the names of the kernels of the module, or of the inline assembly blocks of the source, in order.
    pub fn kernels(&self) -> Vec<String> {
        if !self.parts.is_empty() {
            return self.parts.iter().map(|part| part.name.clone()).collect();
        }
        let entries = self.program.entries();
        entries.map(|(_, function)| function.name.clone()).collect()
    }

    /// Returns the inferred parts of the launch as `//@` lines.
    pub fn inferred_annotations(&self) -> &[String] {
        &self.inferred_annotations
    }

    /// Returns the `//@` line that states the inferred part of the launch, or `None` if the source states the complete launch.
    pub fn inferred_launch(&self) -> Option<&str> {
        let first = self
            .inferred_annotations
            .first()
            .filter(|_| self.infers_launch);
        first.map(String::as_str)
    }

    /// Returns the warnings and notes of the checker. The result contains no errors, because no session exists for a source with errors.
    pub fn diagnostics(&self) -> &[DiagnosticView] {
        &self.diagnostics
    }

    /// Returns the name of the target for which the program was checked.
    pub(crate) fn target_name(&self) -> &'static str {
        self.program.target.name
    }

    /// Returns the number of executed steps, or `u64::MAX` at the end of a run without [`Session::step_counts`].
    pub fn position(&self) -> u64 {
        self.timeline.position()
    }

    /// Returns the number of steps of the complete run, or `None` as long as this number is unknown.
    pub fn length(&self) -> Option<u64> {
        self.timeline.length()
    }

    /// Checks whether the run is complete, because every thread has exited or a fault stopped the launch.
    pub fn is_finished(&self) -> bool {
        self.timeline.machine().status() != MachineStatus::Running
    }

    /// Returns the number of executed steps, and the number of stores in the steps executed so far. Returns `None` at the end of a JIT run
    /// in which a warp diverged, because the number of interpreter steps is then unknown.
    pub fn step_counts(&self) -> Option<StepCounts> {
        self.timeline.is_counted().then(|| StepCounts {
            steps: self.position(),
            stores: self.stores(),
        })
    }

    /// Returns the number of executed lane-instructions, which is the sum of the active lanes over all steps that warps have executed.
    pub fn lane_instructions(&self) -> u64 {
        self.timeline.machine().lane_instructions()
    }

    /// Returns the number of stores in the steps executed so far.
    pub fn stores(&self) -> u64 {
        self.timeline.ticks().n_stores
    }

    /// Executes one warp instruction. Returns `false` if the run is at its end.
    pub fn step(&mut self) -> bool {
        let before = self.position();
        self.timeline.step(&mut ());
        self.position() > before
    }

    /// Steps back over one warp instruction. Returns `false` if the run is at its start.
    pub fn step_back(&mut self) -> bool {
        // A step back from a fault returns to the position before the faulting step, because a fault is not a separate step.
        self.timeline.back()
    }

    /// Seeks to a position of the run, or to the end if the run has fewer steps.
    pub fn seek(&mut self, position: u64) {
        self.timeline.seek(position);
    }

    /// Executes at most `budget` steps of a seek. Returns whether the session has reached the position. If the result is `false`, further
    /// calls continue the seek.
    pub fn seek_within(&mut self, position: u64, budget: u64) -> bool {
        self.timeline.seek_within(position, budget)
    }

    /// Executes at most `max_steps` steps. Returns whether the run is complete. If the result is `false`, further calls continue the run.
    pub fn run(&mut self, max_steps: u64) -> bool {
        self.timeline.run_to_end(max_steps);
        self.is_finished()
    }

    /// Runs forward to the position directly after the next step with a store, or to the end, with at most `max_steps` steps. Returns
    /// whether the session has reached this position or the end.
    pub fn run_to_next_store(&mut self, max_steps: u64) -> bool {
        for _ in 0..max_steps {
            let mut last = LastStoreObserver {
                before: u64::MAX,
                step: None,
            };
            if self.timeline.step(&mut last) != MachineStatus::Running || last.step.is_some() {
                return true;
            }
        }
        false
    }

    /// Completes a pending asynchronous operation at the present position. Returns `false` if the operation is not pending. The method
    /// discards all recorded data on later steps, because the early completion can change these steps.
    pub fn complete_operation(&mut self, id: u64) -> bool {
        let position = self.position();
        let lands = self.timeline.complete_now(AsyncOperationId(id), &mut ());
        if lands {
            self.causes = None;
            self.forget_traffic_after(position);
        }
        lands
    }

    /// Returns the pending asynchronous operations at the present position.
    pub fn pending(&self) -> Vec<AsyncOperationView> {
        self.pending_in(&self.memories())
    }

    fn pending_in(&self, memories: &[MemoryDescriptor]) -> Vec<AsyncOperationView> {
        let all = self.timeline.machine().pending().iter();
        all.map(|found| {
            let origin = &found.operation.origin;
            let reader = self.reader(origin.function, origin.instruction);
            let origin = async_operations::AsyncOrigin {
                range: self.range_of(origin.function, origin.instruction),
                opcode: reader.map_or("", InstructionView::opcode),
                grid: self.scenario.grid.unwrap_or([1; 3]),
            };
            async_operations::view(found, &origin, memories)
        })
        .collect()
    }

    /// Steps back to the position directly after the previous step with a store, or to the start.
    pub fn back_to_store(&mut self) {
        let position = self.position();
        let known = self.timeline.ticks();
        // The recorded indices identify the steps with stores. The position directly after a step is its index plus one.
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
        // Replay the steps after the last recorded store, because the list is only a sample and does not contain every store.
        let from = sampled.unwrap_or(0);
        let mut last = LastStoreObserver {
            before: position.saturating_sub(1),
            step: sampled,
        };
        self.timeline.replay(from, position, &mut last);
        self.seek(last.step.map_or(0, |step| step + 1));
    }
}

/// Observer that records the last step with a store before a position.
struct LastStoreObserver {
    before: u64,
    step: Option<u64>,
}

impl Observer for LastStoreObserver {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn store_step(&mut self, step: u64) {
        if step < self.before {
            self.step = Some(step);
        }
    }
}
