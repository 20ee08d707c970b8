//! Queries of a session at its present position: memory contents, stores, lanes, the fault, and the complete [`SessionFrame`].

use crate::model::fault::FaultView;
use crate::model::grid::{GridRequest, MemoryGrid};
use crate::model::matrix::MatrixStep;
use crate::model::request::FrameRequest;
use crate::model::step::{CounterpartView, StepView};
use crate::model::store::{AsyncOperationView, CompactStore, StoreView};
use crate::model::text::SourceRange;
use crate::model::warp::WarpView;
use crate::model::{Phrase, SessionFrame};
use crate::session::memory_grid;
use crate::session::memory_grid::MemoryState;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::{MemoryDescriptor, memories};
use crate::session::step::counterpart::counterpart;
use crate::session::step::effects::StepCollector;
use crate::session::step::matrix;
use crate::session::step::matrix::MatrixRecord;
use crate::session::step::stores::{StoreCollector, StoreContext, StoreRecord, unravel};
use crate::session::step::summary_sentence::{SentenceContext, sentence};
use crate::session::step::tensor::TensorRecord;
use crate::session::step::warp;
use crate::session::step::warp::CurrentStep;
use crate::session::{LastStepCache, MAX_EVENTS, Session};
use crate::session::{block_map, fault};
use std::collections::BTreeMap;
use std::sync::Arc;
use warpgrid_emulator::{
    Agent, AsyncGroupKind, InFlightOperation, LaneMaskDisplay, MachineStatus, RunDiagnosticKind,
    StepOutcome, WarpId,
};
use warpgrid_isa::{ControlOp, MemoryGeometry, Modifiers, Operation, ScalarType};
use warpgrid_launch::instruction_summary::{InstructionView, RegisterFragment, SourceValue};
use warpgrid_launch::scenario::Buffer;
use warpgrid_launch::{DEFAULT_BLOCK, SourceLanguage};
use warpgrid_program::syntax::{InstructionSyntax, instructions_of};
use warpgrid_program::{Document, FunctionId, Overrides, RegisterId, Span, StepGrouping};

/// Maximum number of stores and of loads of one step that the session collects.
const MAX_ACCESSES_OF_STEP: usize = 64;

impl Session {
    /// Returns the opcodes of the instructions of the source, in the order of the functions and their instructions, each with its operation
    /// and its modifiers.
    pub fn opcodes(&self) -> impl Iterator<Item = (&str, Operation, &Modifiers)> {
        let functions = self.program.functions.iter();
        let instructions = functions.flat_map(|function| &function.instructions);
        let stated = instructions.filter(|instruction| !instruction.is_implicit());
        let actions = stated.filter_map(|instruction| self.program.opcode(instruction));
        actions.map(|action| (action.opcode.as_str(), action.operation, &action.modifiers))
    }

    /// Returns the bytes of a memory, or `None` if the memory does not exist.
    pub fn memory(&self, id: &MemoryKey) -> Option<&[u8]> {
        let memory = self.memory_with(id)?;
        self.timeline.machine().memory(memory.region)
    }

    /// Returns the names of all buffers, variables and other memories.
    pub fn memory_names(&self) -> Vec<String> {
        let memories = self.memories().into_iter();
        memories.map(|memory| memory.view.id.to_string()).collect()
    }

    /// Returns the descriptor of the memory with this identifier.
    pub(crate) fn memory_with(&self, id: &MemoryKey) -> Option<MemoryDescriptor> {
        let mut memories = self.memories().into_iter();
        memories.find(|memory| memory.view.id == *id)
    }

    /// Returns the buffers of the scenario with their expected contents.
    pub fn buffers(&self) -> Vec<Buffer> {
        self.buffers.clone()
    }

    /// Returns a window of a memory as a grid of cells.
    pub fn grid(&mut self, request: &GridRequest) -> Option<MemoryGrid> {
        self.refresh_last();
        let memories = self.memories();
        let now = self.last_stores(&memories);
        let pending = self.pending_in(&memories);
        self.grid_of(request, &memories, &now, &pending)
    }

    /// Returns the stores of the steps `from..to`. The method stops after the step in which the number of stores reaches [`MAX_EVENTS`]. To
    /// continue, call the method with the `step` of the last store plus 1 as `from`.
    pub fn events(&mut self, from: u64, to: u64) -> Vec<StoreView> {
        let records = self.store_records(from, to);
        let memories = self.memories();
        let stores = records.iter();
        stores
            .map(|record| self.store_view(record, &memories))
            .collect()
    }

    /// Returns the stores that [`Session::events`] returns in compact form.
    pub fn compact_events(&mut self, from: u64, to: u64) -> Vec<CompactStore> {
        let records = self.store_records(from, to);
        let memories = self.memories();
        let stores = records.iter();
        stores
            .map(|record| self.with_store_context(record, &memories, StoreRecord::compact_view))
            .collect()
    }

    /// Returns the records of the stores of the steps `from..to`, up to the step in which their number reaches [`MAX_EVENTS`].
    fn store_records(&mut self, from: u64, to: u64) -> Vec<StoreRecord> {
        let was = self.position();
        let mut collector = StoreCollector::new(usize::MAX);
        self.timeline.seek(from);
        while (from..to).contains(&self.position()) && collector.stores.len() < MAX_EVENTS {
            if self.timeline.step(&mut collector) != MachineStatus::Running {
                break;
            }
        }
        self.timeline.seek(was);
        collector.stores.retain(StoreRecord::is_store);
        collector.stores
    }

    /// Returns the positions directly after the steps with stores in ascending order. If the number of these positions is very large,
    /// returns a sample of the positions.
    pub fn store_steps(&self) -> Vec<u64> {
        let ticks = self.timeline.ticks();
        ticks.steps.iter().map(|step| step + 1).collect()
    }

    /// Checks whether the last step was a return or an exit.
    pub fn is_after_return(&mut self) -> bool {
        let place = self.timeline.machine().last_step();
        let reader = place.and_then(|event| self.reader(event.function, event.instruction));
        let Some(reader) = reader else {
            return false;
        };
        let action = reader.program.opcode(reader.instruction);
        action.is_some_and(|action| {
            action
                .operation
                .control()
                .is_some_and(ControlOp::exits_function)
        })
    }

    /// Returns the lanes and registers of a warp. `block` is the linear index of the block that contains the warp.
    pub fn lanes(&mut self, block: u64, warp: u32) -> Option<WarpView> {
        self.refresh_last();
        self.warp_view(block, warp)
    }

    /// Returns the fault that stopped the launch, or `None` if the launch has no fault.
    pub fn fault(&self) -> Option<FaultView> {
        let fault = self.timeline.machine().fault()?;
        let range = self.range_of(fault.function, fault.instruction);
        let source = self.source_of(fault.function, fault.instruction);
        Some(fault::view(fault, range, source))
    }

    /// Returns the notes of the run. They state inferred parts of the launch, program output, and relevant scheduling choices.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.timeline.machine().notes().iter();
        let texts = notes.map(|note| match &note.kind {
            RunDiagnosticKind::Printed { lane, text } => format!(
                "block {} warp {} lane {lane} printed: {text}",
                note.block, note.warp
            ),
            RunDiagnosticKind::DivergentBarrierArrival {
                function,
                instruction,
                came,
                of,
            } => format!(
                "line {}: {came} of {of} threads of warp {} of block {} reached an aligned barrier while the warp was diverged, which is undefined behavior: use `barrier.sync` without `.aligned`",
                self.range_of(*function, *instruction).line,
                note.warp,
                note.block
            ),
            RunDiagnosticKind::LanesOutsideMask {
                function,
                instruction,
                lanes,
            } => format!(
                "line {}: {} of warp {} of block {} executed the instruction, but the member mask does not include {}, which is undefined behavior",
                self.range_of(*function, *instruction).line,
                LaneMaskDisplay(*lanes),
                note.warp,
                note.block,
                if lanes.count_ones() == 1 { "this lane" } else { "these lanes" }
            ),
            RunDiagnosticKind::WaitWithoutGroups {
                function,
                instruction,
                kind,
            } => {
                let made = match kind {
                    AsyncGroupKind::Copies => "cp.async.commit_group",
                    AsyncGroupKind::Bulk => "cp.async.bulk.commit_group",
                    AsyncGroupKind::Products => "wgmma.commit_group",
                };
                format!(
                    "line {}: the wait for groups has no effect, since the kernel commits no group: add `{made}`",
                    self.range_of(*function, *instruction).line
                )
            }
            RunDiagnosticKind::MbarrierReinitialized {
                function,
                instruction,
                offset,
            } => format!(
                "line {}: the mbarrier at byte {offset} of shared memory is initialized again without `mbarrier.inval`, which is undefined behavior (block {})",
                self.range_of(*function, *instruction).line,
                note.block
            ),
            RunDiagnosticKind::UnfreedTensorColumns { n } => format!(
                "block {} exited without deallocating {n} tensor memory columns: add `tcgen05.dealloc`",
                note.block
            ),
            RunDiagnosticKind::RegistersInFlight {
                function,
                instruction,
                registers,
                product,
            } => format!(
                "line {}: {} accessed while the matrix multiplication of line {} is in flight, which is undefined behavior (warp {} of block {}): add `{}` before the access",
                self.range_of(*function, *instruction).line,
                self.named_registers(*function, registers),
                self.range_of(product.0, product.1).line,
                note.warp,
                note.block,
                match self.scenario().front {
                    SourceLanguage::Ptx => "wgmma.wait_group",
                    SourceLanguage::Sass => "WARPGROUP.DEPBAR",
                }
            ),
        });
        texts.collect()
    }

    /// Formats the name of the first register of a list, and the number of the other registers: `%f1 and 3 more are`.
    fn named_registers(&self, function: FunctionId, registers: &[RegisterId]) -> String {
        let functions = &self.program.functions;
        let of = functions.get(function.0 as usize);
        let first = registers.first().copied();
        let name = of
            .zip(first)
            .map(|(function, id)| function.registers.name(id));
        let name = name.unwrap_or("a register");
        match registers.len() {
            0 | 1 => format!("{name} is"),
            n => format!("{name} and {} more are", n - 1),
        }
    }

    /// Returns all data that the page displays at the present position.
    pub fn frame(&mut self, request: &FrameRequest) -> SessionFrame {
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
        let status = machine.status();
        let fault = self.fault();
        let next = self.next_step_view();
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
        SessionFrame {
            position: self.position(),
            length: self.length(),
            status,
            sentence: self.sentence(status, &memories, &stores, fault.as_ref(), matrix.as_ref()),
            last,
            next,
            store: stores.into_iter().next(),
            matrix,
            tensor: self.last.tensor.view().cloned(),
            fault,
            causes,
            memories: memories.into_iter().map(|memory| memory.view).collect(),
            grids,
            cluster: block_map::cluster(machine, warp.as_ref().map_or(0, |warp| warp.block)),
            mbarriers: self.mbarriers(),
            warp,
            blocks: block_map::map(machine, self.grid_extents()),
            store_steps: ticks.steps.iter().map(|step| step + 1).collect(),
            stores_done: self.timeline.machine().stores_done(),
            stores_known: ticks.n_stores,
            pending,
            notes: self.notes(),
        }
    }

    /// Returns the summary sentence of the last step.
    fn sentence(
        &self,
        status: MachineStatus,
        memories: &[MemoryDescriptor],
        stores: &[StoreView],
        fault: Option<&FaultView>,
        matrix: Option<&MatrixStep>,
    ) -> Vec<Phrase> {
        let machine = self.timeline.machine();
        let event = self.last.event;
        let of = event.map(|event| event.warp_id()).unwrap_or_default();
        let place = self.last.place;
        let action = place.and_then(|(function, instruction)| {
            let reader = self.reader(function, instruction)?;
            self.program.opcode(reader.instruction)
        });
        // Prefer the accesses of the last instruction to those of the other instructions of the step.
        let is_own = |record: &StoreRecord| place.is_some_and(|of| of.1 == record.instruction);
        let store = stores.get(self.last.stores.iter().position(is_own).unwrap_or(0));
        let loads = &self.last.loads;
        let load = loads.iter().find(|record| is_own(record)).or(loads.first());
        let load = load.map(|record| self.store_view(record, memories));
        let written: &[MemoryKey] = store.map_or(&[], |store| &store.memories);
        let executed = event.map_or(0, |event| event.executed);
        let results = place.and_then(|place| self.describe_results(of, place, executed));
        sentence(
            status,
            self.last.step.as_ref(),
            fault,
            &SentenceContext {
                product: matrix.and_then(|matrix| matrix.product.as_ref()),
                tensor: self.last.tensor.view(),
                effects: &self.last.effects,
                store,
                load: load.as_ref(),
                operation: action.map(|action| action.operation),
                shape: action.and_then(|action| action.modifiers.shape),
                outcome: event.map_or(StepOutcome::Executed, |event| event.what),
                block: of.block,
                reached: event.map_or(0, |event| event.lanes),
                executed,
                written,
                results,
                barrier: &|id| machine.barrier(of.block, id),
                mbarrier_name: &|address| match machine.shared_name(address) {
                    Some(name) => format!("mbarrier `{name}`"),
                    None => self.mbarrier_name(address),
                },
                grid: self.grid_extents(),
                is_only_warp: machine.n_blocks() == 1 && self.n_threads() <= 32,
            },
        )
    }

    fn next_step_view(&self) -> Option<StepView> {
        let next = self.timeline.machine().next_step()?;
        let warp = WarpId {
            block: next.block,
            warp: next.warp,
        };
        let (function, instruction) = (next.function, next.instruction);
        Some(self.step_view(self.position(), warp, function, instruction, next.executed))
    }

    fn grid_extents(&self) -> [u32; 3] {
        self.scenario.grid.unwrap_or([1; 3])
    }

    pub(crate) fn n_threads(&self) -> u32 {
        self.scenario
            .block
            .unwrap_or(DEFAULT_BLOCK)
            .iter()
            .product()
    }

    pub(crate) fn memory_shape(&self) -> MemoryGeometry {
        self.program.target.memory
    }

    pub(crate) fn memories(&self) -> Vec<MemoryDescriptor> {
        memories(self.timeline.machine(), &self.buffers, &self.named)
    }

    fn grid_of(
        &self,
        request: &GridRequest,
        memories: &[MemoryDescriptor],
        now: &[StoreView],
        pending: &[AsyncOperationView],
    ) -> Option<MemoryGrid> {
        let memory = memories
            .iter()
            .find(|memory| memory.view.id == request.memory)?;
        let machine = self.timeline.machine();
        let held = MemoryState {
            position: self.position(),
            bytes: machine.memory(memory.region)?,
            writers: machine.writers(memory.region),
            current_stores: now,
            pending,
        };
        let mut grid = memory_grid::layout(memory, request, held, self.memory_shape());
        self.last.tensor.mark(&mut grid, memory);
        Some(grid)
    }

    fn last_stores(&self, memories: &[MemoryDescriptor]) -> Vec<StoreView> {
        self.last
            .stores
            .iter()
            .map(|record| self.store_view(record, memories))
            .collect()
    }

    /// Replays the last step with an observer, unless the cache contains the data of this step. After a JIT run, the last step remains
    /// unknown, because the interpreter would have to execute the run from its start.
    fn refresh_last(&mut self) {
        let faulted = self.timeline.machine().status() == MachineStatus::Faulted;
        let position = self.position();
        if self.last.of == Some((position, faulted)) {
            return;
        }
        self.last = LastStepCache::default();
        if self.timeline.is_result_adopted() {
            return;
        }
        self.last.of = Some((position, faulted));
        if position == 0 {
            return;
        }
        self.timeline.seek(position - 1);
        let mut matrices = self.matrices_of_next();
        let mut collector = StepCollector::new(MAX_ACCESSES_OF_STEP);
        let before = self.timeline.machine().pending().to_vec();
        self.timeline.step(&mut collector);
        self.last.tensor = self.tensor_step(&before);
        let event = self.timeline.machine().last_step();
        self.last.effects = collector.effects_of(event.map_or(0, |event| event.instruction));
        let accesses = collector.accesses;
        (self.last.stores, self.last.loads) = (accesses.stores, accesses.loads);
        if let Some(event) = event {
            let place = (event.function, event.instruction);
            let of = event.warp_id();
            self.last.place = Some(place);
            self.last.event = Some(event);
            let (step, executed) = (event.position, event.executed);
            self.last.step = Some(self.step_view(step, of, place.0, place.1, executed));
            // The registers now contain the results of all instructions of the step, so include the registers that earlier instructions of
            // the same step wrote.
            let written = self
                .reader(place.0, place.1)
                .map(InstructionView::destinations);
            let written = written.unwrap_or_default();
            let is_new =
                |record: &MatrixRecord| record.is_written() || !record.is_held_in(&written);
            for record in matrices.iter_mut().filter(|record| is_new(record)) {
                if let Some(after) = self.matrix(record.owned_elements().clone(), of, place.0) {
                    *record = after;
                }
            }
            self.last.matrices = matrices;
        }
        if faulted {
            // Execute the faulting step again, because a fault is not a separate step.
            self.timeline.step(&mut ());
        }
    }

    /// Returns the tensor operation that the last step started or completed. `before` contains the operations that were pending before the
    /// step.
    fn tensor_step(&self, before: &[Arc<InFlightOperation>]) -> TensorRecord {
        let machine = self.timeline.machine();
        let Some(event) = machine.last_step() else {
            return TensorRecord::default();
        };
        let found = match event.agent {
            Agent::InFlight(id) => before.iter().find(|pending| pending.id == id),
            // If several lanes start a tensor operation in one step, select the first operation.
            Agent::Warp { .. } => {
                let mut started = machine.pending().iter();
                started.find(|pending| pending.operation.origin.step == event.position)
            }
        };
        let has_landed = event.what == StepOutcome::Landed;
        found.map_or_else(TensorRecord::default, |pending| {
            let record = TensorRecord::of(machine, pending, &self.memories());
            match has_landed {
                true => record.landed(),
                false => record,
            }
        })
    }

    /// Returns the matrices of the next instruction, with the values that their registers contain at the present position.
    fn matrices_of_next(&self) -> Vec<MatrixRecord> {
        let Some(next) = self.timeline.machine().next_step() else {
            return Vec::new();
        };
        let function = self.program.functions.get(next.function.0 as usize);
        let instructions = function.map_or(&[][..], |function| &function.instructions);
        let rest = instructions.get(next.instruction as usize..);
        let n_before = rest.map_or(0, |rest| {
            let parts = rest.iter().map(|instruction| instruction.step);
            parts
                .take_while(|part| *part == StepGrouping::WithNext)
                .count()
        });
        let reader = self.reader(next.function, next.instruction + n_before as u32);
        let of = WarpId {
            block: next.block,
            warp: next.warp,
        };
        let held = reader
            .map(InstructionView::held_matrices)
            .unwrap_or_default();
        held.into_iter()
            .filter_map(|held| self.matrix(held, of, next.function))
            .collect()
    }

    fn matrix(
        &self,
        held: RegisterFragment,
        of: WarpId,
        function: FunctionId,
    ) -> Option<MatrixRecord> {
        let WarpId { block, warp } = of;
        let machine = self.timeline.machine();
        MatrixRecord::read(held, |lane, value| match value {
            SourceValue::Register(id) => {
                let found = machine.register(block, warp, lane.into(), function, id);
                found.unwrap_or(0) as u64
            }
            SourceValue::Constant(bits) => bits,
            SourceValue::Variable(..) | SourceValue::Special(_) | SourceValue::Other => 0,
        })
    }

    fn matrix_step(&self, memories: &[MemoryDescriptor]) -> Option<MatrixStep> {
        let (function, instruction) = self.last.place?;
        let function = self.program.functions.get(function.0 as usize)?;
        // Exclude the accesses of other instructions that belong to the same step.
        let accesses = self.last.loads.iter().chain(&self.last.stores);
        let accesses = accesses.filter(|access| access.instruction == instruction);
        matrix::view(&self.last.matrices, accesses, memories, |value| {
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
            (Some(step), reader) => Some(CurrentStep {
                active: step.active,
                at: machine.last_step().map_or(step.active, |event| event.lanes),
                written: reader.map_or(Vec::new(), |reader| reader.destinations()),
            }),
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
        of: WarpId,
        function: FunctionId,
        instruction: u32,
        active: u32,
    ) -> StepView {
        let WarpId { block, warp } = of;
        let reader = self.reader(function, instruction);
        StepView {
            step,
            block,
            block_id: unravel(block, self.scenario.grid.unwrap_or([1; 3])),
            warp,
            range: self.range_of(function, instruction),
            source: self.source_of(function, instruction),
            instruction: self.text_of(function, instruction).to_owned(),
            opcode: reader.map_or("", InstructionView::opcode).to_owned(),
            names: reader
                .map(InstructionView::register_names)
                .unwrap_or_default(),
            active,
            counterpart: self.counterpart(function, instruction),
            schedule: self.schedule(function, instruction),
        }
    }

    /// Returns the equivalent of a store instruction in the other language (PTX or SASS), or `None` if the instruction is not a store.
    fn counterpart(&self, function: FunctionId, index: u32) -> Option<CounterpartView> {
        let reader = self.reader(function, index)?;
        let action = self.program.opcode(reader.instruction)?;
        counterpart(self.scenario.front, action, self.program.target)
    }

    /// Returns the scheduling control bits of an instruction as text, if the source lists the encoding next to the instruction.
    fn schedule(&self, function: FunctionId, index: u32) -> Option<String> {
        let span = self.span_of(function, index);
        let source = self.places.source();
        self.language
            .front_end
            .schedule(source, span, self.program.target)
    }

    fn store_view(&self, record: &StoreRecord, memories: &[MemoryDescriptor]) -> StoreView {
        self.with_store_context(record, memories, StoreRecord::view)
    }

    /// Converts a store with its source location and the properties of its instruction.
    fn with_store_context<T>(
        &self,
        record: &StoreRecord,
        memories: &[MemoryDescriptor],
        view: impl Fn(&StoreRecord, &StoreContext<'_>) -> T,
    ) -> T {
        let function = FunctionId(record.function);
        let reader = self.reader(function, record.instruction);
        let ty = record.pieces.first().map(|piece| piece.piece.ty);
        let context = StoreContext {
            range: self.range_of(function, record.instruction),
            instruction: self.text_of(function, record.instruction),
            opcode: reader.map_or("", InstructionView::opcode),
            function: reader.map(|reader| reader.function),
            text: &|span| self.places.text(span).to_owned(),
            shape: self.memory_shape(),
            ty: ty.unwrap_or(ScalarType::B8),
            grid: self.scenario.grid.unwrap_or([1; 3]),
            block: self.scenario.block.unwrap_or(DEFAULT_BLOCK),
            memories,
        };
        view(record, &context)
    }

    pub(crate) fn reader(&self, function: FunctionId, index: u32) -> Option<InstructionView<'_>> {
        InstructionView::at(&self.program, function, index)
    }

    fn span_of(&self, function: FunctionId, index: u32) -> Span {
        self.reader(function, index)
            .map(|reader| reader.instruction.span)
            .unwrap_or_default()
    }

    pub(crate) fn range_of(&self, function: FunctionId, index: u32) -> SourceRange {
        self.places.range(self.span_of(function, index))
    }

    /// Returns the text of a span in the source.
    pub(crate) fn text_at(&self, span: Span) -> &str {
        self.places.text(span)
    }

    /// Parses the text that the checker has checked. The spans of the program refer to this text.
    pub(crate) fn document(&self) -> Box<dyn Document + '_> {
        let source = self.places.source();
        let front_end = self.language.front_end;
        front_end.open(source.into(), &Overrides::default())
    }

    /// Returns the syntactic parts of each instruction in the source, indexed by the start offset of the instruction's span.
    pub(crate) fn instruction_syntax(&self) -> BTreeMap<u32, InstructionSyntax> {
        instructions_of(&self.document().statements())
    }

    pub(crate) fn text_of(&self, function: FunctionId, index: u32) -> &str {
        self.places.text(self.span_of(function, index))
    }
}
