//! A run that a host steps through: one scenario, one machine with its past, views of its position.

use crate::causes::CauseView;
use crate::check::{CheckOptions, Places};
use crate::counterpart::counterpart;
use crate::language::Language;
use crate::matrix_step::{self, MatrixRecord, MatrixStep};
use crate::memories::{Memory, memories};
use crate::memory_id::MemoryId;
use crate::model::{
    CounterpartView, DiagnosticView, FaultView, Frame, FrameRequest, Grid, GridRequest,
    PendingView, RunStatus, Severity, SourceRange, StepView, StoreView, WarpView,
};
use crate::sentence::{Surroundings, sentence};
use crate::stores::{StoreCollector, StorePlace, StoreRecord, unravel};
use crate::traffic::TrafficCounter;
use crate::{blocks, fault, grid, pending, warp};
use std::collections::BTreeSet;
use std::sync::Arc;
use warpgrid_emulator::{
    Interest, NoteKind, Observer, PendingId, Status, Timeline, TimelineLimits,
};
use warpgrid_isa::{MemoryShape, ScalarType};
use warpgrid_launch::DEFAULT_BLOCK;
use warpgrid_launch::catalogue::{NO_KERNEL, Problem};
use warpgrid_launch::prepare::{Prepared, Writers, prepare};
use warpgrid_launch::reading::{HeldMatrix, Reader, Value, named_variables};
use warpgrid_launch::scenario::{Buffer, Scenario};
use warpgrid_program::{Diagnostic, FunctionId, Program, Span, StepPart};

/// Stores after which one call of [`Session::events`] stops.
pub const MAX_EVENTS: usize = 10_000;

/// Why a scenario cannot run: a code, a sentence, and the diagnostics of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionError {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

/// The step just done, and what it stored.
#[derive(Clone, Debug, Default)]
struct Last {
    /// Position and status that this belongs to.
    of: Option<(u64, bool)>,
    step: Option<StepView>,
    place: Option<(FunctionId, u32)>,
    stores: Vec<StoreRecord>,
    /// The matrices of a matrix instruction, and what it loaded.
    matrices: Vec<MatrixRecord>,
    loads: Vec<StoreRecord>,
}

/// A scenario, checked and ready to be stepped forward and back.
pub struct Session {
    scenario: Scenario,
    language: Language,
    pub(crate) program: Arc<Program>,
    places: Places,
    pub(crate) timeline: Timeline,
    buffers: Vec<Buffer>,
    diagnostics: Vec<DiagnosticView>,
    guesses: Vec<String>,
    /// The module variables that an instruction names, by index.
    named: BTreeSet<u32>,
    last: Last,
    pub(crate) counter: TrafficCounter,
    /// What led to the fault after this number of steps.
    pub(crate) causes: Option<(u64, Vec<CauseView>)>,
}

impl Language {
    /// Checks and launches a scenario in this language, whatever its `front` says; nothing has run yet.
    pub fn session(self, scenario: Scenario, writers: Writers) -> Result<Session, SessionError> {
        let options = CheckOptions {
            front: scenario.front,
            target: scenario.target.clone(),
            ptx_version: scenario.ptx_version.clone(),
        };
        let checked = self.checked(&scenario.source, &options);
        let diagnostics = checked.report.diagnostics;
        let Some(program) = checked.program else {
            return Err(rejected(diagnostics));
        };
        let program = Arc::new(program);
        let places = Places::new(scenario.source.clone());
        let facts = checked.annotations.places.clone();
        let mark = self.fact_mark();
        let prepared = prepare(scenario, checked.annotations, &program, &mark, writers);
        let prepared =
            prepared.map_err(|problem| refused(problem, &diagnostics, &places, &facts))?;
        Ok(Session::of(self, prepared, program, places, diagnostics))
    }
}

/// The source is rejected: its first error is the reason.
fn rejected(diagnostics: Vec<DiagnosticView>) -> SessionError {
    let first = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity == Severity::Error);
    let (code, message) = first.map_or((NO_KERNEL, "the source has no kernel"), |first| {
        (first.code.as_str(), first.message.as_str())
    });
    SessionError {
        code: code.to_owned(),
        message: message.to_owned(),
        diagnostics: diagnostics.clone(),
    }
}

/// The launch is impossible: reported at the line that states the fact, where there is one.
fn refused(
    problem: Problem,
    diagnostics: &[DiagnosticView],
    places: &Places,
    facts: &[(String, Span)],
) -> SessionError {
    let mut diagnostics = diagnostics.to_vec();
    let place = facts.iter().find(|(key, _)| *key == problem.about);
    diagnostics.extend(place.map(|(_, span)| {
        places.diagnostic(&Diagnostic::error(
            problem.code,
            *span,
            problem.message.clone(),
        ))
    }));
    SessionError {
        code: problem.code.to_owned(),
        message: problem.message,
        diagnostics,
    }
}

impl Session {
    /// Checks and launches; nothing has run yet. Keeps for every byte who wrote it last, so that grids
    /// can show lanes; [`Session::untracked`] does without.
    pub fn new(scenario: Scenario) -> Result<Session, SessionError> {
        Language::from(scenario.front).session(scenario, Writers::Tracked)
    }

    /// A session for the memory after the run alone: no last writers, the full speed.
    pub fn untracked(scenario: Scenario) -> Result<Session, SessionError> {
        Language::from(scenario.front).session(scenario, Writers::Untracked)
    }

    fn of(
        language: Language,
        prepared: Prepared,
        program: Arc<Program>,
        places: Places,
        diagnostics: Vec<DiagnosticView>,
    ) -> Session {
        Session {
            counter: TrafficCounter::new(program.target.memory),
            guesses: prepared.guesses,
            scenario: prepared.scenario,
            language,
            named: named_variables(&program),
            program,
            places,
            timeline: Timeline::new(prepared.machine, TimelineLimits::default()),
            buffers: prepared.buffers,
            diagnostics,
            last: Last::default(),
            causes: None,
        }
    }

    /// What this session runs, with guessed parameters filled in.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The names of the module's kernels, in order.
    pub fn kernels(&self) -> Vec<String> {
        let entries = self.program.entries();
        entries.map(|(_, function)| function.name.clone()).collect()
    }

    /// What was guessed, as the `//@` lines that would state it.
    pub fn guesses(&self) -> &[String] {
        &self.guesses
    }

    /// What the checker said of the source: warnings and information, since errors do not run.
    pub fn diagnostics(&self) -> &[DiagnosticView] {
        &self.diagnostics
    }

    /// The name of the machine that the program was checked for.
    pub(crate) fn target_name(&self) -> &'static str {
        self.program.target.name
    }

    /// Steps done.
    pub fn position(&self) -> u64 {
        self.timeline.position()
    }

    /// Steps of the whole run, once it is known.
    pub fn length(&self) -> Option<u64> {
        self.timeline.length()
    }

    /// Whether nothing is left to run: every thread has ended, or a fault stopped the launch.
    pub fn is_over(&self) -> bool {
        self.timeline.machine().status() != Status::Running
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

    /// The bytes of a memory.
    pub fn memory(&self, id: &MemoryId) -> Option<&[u8]> {
        let memory = self
            .memories()
            .into_iter()
            .find(|memory| memory.view.id == *id)?;
        self.timeline.machine().memory(memory.region)
    }

    /// The buffers of the scenario, with what is expected of them.
    pub fn buffers(&self) -> Vec<Buffer> {
        self.buffers.clone()
    }

    /// A window of memory as cells.
    pub fn grid(&mut self, request: &GridRequest) -> Option<Grid> {
        self.refresh_last();
        let memories = self.memories();
        let now = self.last_stores(&memories);
        let pending = self.pending_in(&memories);
        self.grid_of(request, &memories, &now, &pending)
    }

    /// What the steps numbered `from..to` stored. Stops after the step with which there are [`MAX_EVENTS`] stores or more: to go
    /// on, ask from the `step` of the last one plus 1.
    pub fn events(&mut self, from: u64, to: u64) -> Vec<StoreView> {
        let was = self.position();
        let mut collector = StoreCollector::new(usize::MAX);
        self.timeline.seek(from);
        while (from..to).contains(&self.position()) && collector.stores.len() < MAX_EVENTS {
            if self.timeline.step(&mut collector) != Status::Running {
                break;
            }
        }
        self.timeline.seek(was);
        let memories = self.memories();
        collector
            .stores
            .iter()
            .filter(|record| record.is_store())
            .map(|record| self.store_view(record, &memories))
            .collect()
    }

    /// Lanes and registers of a warp (linear block index).
    pub fn lanes(&mut self, block: u64, warp: u32) -> Option<WarpView> {
        self.refresh_last();
        self.warp_view(block, warp)
    }

    /// The fault that stopped the launch.
    pub fn fault(&self) -> Option<FaultView> {
        let fault = self.timeline.machine().fault()?;
        let range = self.range_of(fault.function, fault.instruction);
        Some(fault::view(fault, range))
    }

    /// Guesses, output of the program, choices that mattered.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.timeline.machine().notes().iter();
        let texts = notes.map(|note| match &note.kind {
            NoteKind::Printed { lane, text } => format!(
                "printed by block {} warp {} lane {lane}: {text}",
                note.block, note.warp
            ),
            NoteKind::BarrierInParts {
                function,
                instruction,
                came,
                live,
            } => format!(
                "line {}: {came} of {live} threads of warp {} of block {} came to a barrier that a warp must come to as a whole, which is undefined; `barrier.sync` without `.aligned` lets them come in parts",
                self.range_of(*function, *instruction).line,
                note.warp,
                note.block
            ),
        });
        texts.collect()
    }

    /// Everything a page shows at the present position.
    pub fn frame(&mut self, request: &FrameRequest) -> Frame {
        self.refresh_last();
        let causes = self.causes();
        let memories = self.memories();
        let stores = self.last_stores(&memories);
        let pending = self.pending_in(&memories);
        let grids = request
            .grids
            .iter()
            .filter_map(|grid| self.grid_of(grid, &memories, &stores, &pending))
            .collect();
        let machine = self.timeline.machine();
        let status = match machine.status() {
            Status::Running => RunStatus::Running,
            Status::Finished => RunStatus::Finished,
            Status::Faulted => RunStatus::Faulted,
        };
        let fault = self.fault();
        let next = machine.next_step().map(|next| {
            let agent = (next.block, next.warp);
            let place = (next.function, next.instruction);
            self.step_view(self.position(), agent, place, next.executed)
        });
        let last = self.last.step.clone();
        let faulted = machine.fault().map(|fault| (fault.block_index, fault.warp));
        let at = request.warp.or(faulted).or_else(|| {
            last.as_ref()
                .or(next.as_ref())
                .map(|step| (step.block, step.warp))
        });
        let ticks = self.timeline.ticks();
        let matrix = self.matrix_step(&memories);
        let warp = at.and_then(|(block, warp)| self.warp_view(block, warp));
        Frame {
            position: self.position(),
            length: self.length(),
            status,
            sentence: sentence(
                status,
                last.as_ref(),
                stores.first(),
                fault.as_ref(),
                &Surroundings {
                    product: matrix.as_ref().and_then(|matrix| matrix.product.as_ref()),
                    shape: self.memory_shape(),
                    grid: self.grid_extents(),
                    is_alone: machine.n_blocks() == 1 && self.n_threads() <= 32,
                },
            ),
            last,
            next,
            store: stores.into_iter().next(),
            matrix,
            fault,
            causes,
            memories: memories.into_iter().map(|memory| memory.view).collect(),
            grids,
            cluster: blocks::cluster(machine, warp.as_ref().map_or(0, |warp| warp.block)),
            mbarriers: self.mbarriers(),
            warp,
            blocks: blocks::map(machine, self.grid_extents()),
            store_steps: ticks.steps.iter().map(|step| step + 1).collect(),
            stores_done: self.timeline.machine().stores_done(),
            stores_known: ticks.n_stores,
            pending,
            notes: self.notes(),
        }
    }

    fn grid_extents(&self) -> [u32; 3] {
        self.scenario.grid.unwrap_or([1; 3])
    }

    fn n_threads(&self) -> u32 {
        self.scenario
            .block
            .unwrap_or(DEFAULT_BLOCK)
            .iter()
            .product()
    }

    pub(crate) fn memory_shape(&self) -> MemoryShape {
        self.program.target.memory
    }

    pub(crate) fn memories(&self) -> Vec<Memory> {
        memories(self.timeline.machine(), &self.buffers, &self.named)
    }

    fn grid_of(
        &self,
        request: &GridRequest,
        memories: &[Memory],
        now: &[StoreView],
        pending: &[PendingView],
    ) -> Option<Grid> {
        let memory = memories
            .iter()
            .find(|memory| memory.view.id == request.memory)?;
        let machine = self.timeline.machine();
        Some(grid::layout(
            memory,
            request,
            machine.memory(memory.region)?,
            machine.writers(memory.region),
            now,
            pending,
            self.memory_shape(),
        ))
    }

    fn last_stores(&self, memories: &[Memory]) -> Vec<StoreView> {
        self.last
            .stores
            .iter()
            .map(|record| self.store_view(record, memories))
            .collect()
    }

    /// Runs the present step once more with an observer, unless it is known already.
    fn refresh_last(&mut self) {
        let faulted = self.timeline.machine().status() == Status::Faulted;
        let position = self.position();
        if self.last.of == Some((position, faulted)) {
            return;
        }
        self.last = Last {
            of: Some((position, faulted)),
            ..Last::default()
        };
        if position == 0 {
            return;
        }
        self.timeline.seek(position - 1);
        let mut matrices = self.matrices_of_next();
        let mut collector = StoreCollector::new(64);
        if !matrices.is_empty() {
            collector = collector.with_loads();
        }
        self.timeline.step(&mut collector);
        (self.last.stores, self.last.loads) = (collector.stores, collector.loads);
        if let Some(event) = self.timeline.machine().last_step() {
            let place = (event.function, event.instruction);
            let agent = (event.block, event.warp);
            self.last.place = Some(place);
            self.last.step = Some(self.step_view(event.position, agent, place, event.executed));
            // What the step wrote is there now, also what instructions before the matrix instruction wrote for it.
            let written = self.reader(place.0, place.1).map(Reader::destinations);
            let written = written.unwrap_or_default();
            let is_new =
                |record: &MatrixRecord| record.is_written() || !record.is_held_in(&written);
            for record in matrices.iter_mut().filter(|record| is_new(record)) {
                if let Some(after) = self.matrix(record.held().clone(), agent, place.0) {
                    *record = after;
                }
            }
            self.last.matrices = matrices;
        }
        if faulted {
            // The fault itself takes no step; meet it again.
            self.timeline.step(&mut ());
        }
    }

    /// The matrices of the instruction that comes next, with what their registers hold.
    fn matrices_of_next(&self) -> Vec<MatrixRecord> {
        let Some(next) = self.timeline.machine().next_step() else {
            return Vec::new();
        };
        let function = self.program.functions.get(next.function.0 as usize);
        let instructions = function.map_or(&[][..], |function| &function.instructions);
        let rest = instructions.get(next.instruction as usize..);
        let n_before = rest.map_or(0, |rest| {
            let parts = rest.iter().map(|instruction| instruction.step);
            parts.take_while(|part| *part == StepPart::WithNext).count()
        });
        let reader = self.reader(next.function, next.instruction + n_before as u32);
        let held = reader.map(Reader::held_matrices).unwrap_or_default();
        held.into_iter()
            .filter_map(|held| self.matrix(held, (next.block, next.warp), next.function))
            .collect()
    }

    fn matrix(
        &self,
        held: HeldMatrix,
        (block, warp): (u64, u32),
        function: FunctionId,
    ) -> Option<MatrixRecord> {
        let machine = self.timeline.machine();
        MatrixRecord::read(held, |lane, value| match value {
            Value::Register(id) => {
                let found = machine.register(block, warp, lane.into(), function, id);
                found.unwrap_or(0) as u64
            }
            Value::Constant(bits) => bits,
            Value::Variable(..) | Value::Special(_) | Value::Other => 0,
        })
    }

    fn matrix_step(&self, memories: &[Memory]) -> Option<MatrixStep> {
        let (function, instruction) = self.last.place?;
        let function = self.program.functions.get(function.0 as usize)?;
        // Not those of instructions that share the step.
        let accesses = self.last.loads.iter().chain(&self.last.stores);
        let accesses = accesses.filter(|access| access.instruction == instruction);
        matrix_step::view(&self.last.matrices, accesses, memories, |value| {
            Some(function.registers.name(value.register()?).to_owned())
        })
    }

    fn warp_view(&self, block: u64, warp: u32) -> Option<WarpView> {
        let machine = self.timeline.machine();
        let last = self
            .last
            .step
            .as_ref()
            .filter(|step| (step.block, step.warp) == (block, warp));
        let written = self
            .last
            .place
            .and_then(|(function, index)| self.reader(function, index));
        let changed = match (last, written) {
            (Some(step), Some(reader)) => Some((step.active, reader.destinations())),
            (Some(step), None) => Some((step.active, Vec::new())),
            (None, _) => None,
        };
        warp::view(
            machine,
            block,
            warp,
            &self.scenario,
            changed,
            machine
                .fault()
                .filter(|fault| (fault.block_index, fault.warp) == (block, warp))
                .map_or(0, |fault| fault.lanes),
            |function, index| self.range_of(function, index).line,
        )
    }

    fn step_view(
        &self,
        step: u64,
        (block, warp): (u64, u32),
        (function, instruction): (FunctionId, u32),
        active: u32,
    ) -> StepView {
        let reader = self.reader(function, instruction);
        StepView {
            step,
            block,
            block_id: unravel(block, self.scenario.grid.unwrap_or([1; 3])),
            warp,
            range: self.range_of(function, instruction),
            instruction: self.text_of(function, instruction).to_owned(),
            opcode: reader.map_or("", Reader::opcode).to_owned(),
            names: reader.map(Reader::register_names).unwrap_or_default(),
            active,
            counterpart: self.counterpart(function, instruction),
            schedule: self.schedule(function, instruction),
        }
    }

    /// The instruction in the other language, if it is a store.
    fn counterpart(&self, function: FunctionId, index: u32) -> Option<CounterpartView> {
        let reader = self.reader(function, index)?;
        let action = self.program.action(reader.instruction)?;
        counterpart(self.scenario.front, action, self.program.target)
    }

    /// What the encoding beside the instruction says of its scheduling.
    fn schedule(&self, function: FunctionId, index: u32) -> Option<String> {
        let span = self.span_of(function, index);
        let source = self.places.source();
        self.language
            .front_end
            .schedule(source, span, self.program.target)
    }

    fn store_view(&self, record: &StoreRecord, memories: &[Memory]) -> StoreView {
        let function = FunctionId(record.function);
        let reader = self.reader(function, record.instruction);
        let ty = record.pieces.first().map(|piece| piece.piece.ty);
        record.view(&StorePlace {
            range: self.range_of(function, record.instruction),
            instruction: self.text_of(function, record.instruction),
            opcode: reader.map_or("", Reader::opcode),
            function: reader.map(|reader| reader.function),
            text: &|span| self.places.text(span).to_owned(),
            shape: self.memory_shape(),
            ty: ty.unwrap_or(ScalarType::B8),
            grid: self.scenario.grid.unwrap_or([1; 3]),
            block: self.scenario.block.unwrap_or(DEFAULT_BLOCK),
            memories,
        })
    }

    pub(crate) fn reader(&self, function: FunctionId, index: u32) -> Option<Reader<'_>> {
        Reader::at(&self.program, function, index)
    }

    fn span_of(&self, function: FunctionId, index: u32) -> Span {
        self.reader(function, index)
            .map(|reader| reader.instruction.span)
            .unwrap_or_default()
    }

    pub(crate) fn range_of(&self, function: FunctionId, index: u32) -> SourceRange {
        self.places.range(self.span_of(function, index))
    }

    fn text_of(&self, function: FunctionId, index: u32) -> &str {
        self.places.text(self.span_of(function, index))
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
