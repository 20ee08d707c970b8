//! Root-cause analysis of a fault. The analysis finds the definition of the faulting address, the store that wrote a loaded address, the
//! last change of an mbarrier, and the exits of threads for which other threads wait. The module takes a stopped run, and returns source
//! locations, each with one explanatory sentence. The analysis replays windows of steps before the fault.

use crate::model::fault::CauseView;
use crate::session::Session;
use warpgrid_emulator::{
    AccessEvent, Agent, ElementAccess, EventMask, Fault, FaultKind, MatrixMisuse,
    MemoryId as Place, Observer, StepEvent, StepOutcome, WaitReason, WaitingGroup, WarpId,
};
use warpgrid_isa::StateSpace;
use warpgrid_launch::instruction_summary::{AccessKind, InstructionView};
use warpgrid_program::{FunctionId, Program, RegisterId};

/// Sizes of the windows of steps before the fault that the analysis replays. The analysis tries the sizes in this order until a window
/// contains the event.
const WINDOWS: [u64; 3] = [1 << 12, 1 << 15, 1 << 18];
/// Maximum number of groups of waiting lanes for which the analysis finds the cause.
const MAX_WAITERS: usize = 4;
/// Size of an mbarrier object in bytes.
const MBARRIER_BYTES: u64 = 8;

/// Step before the fault, executed by a group of lanes of one warp, that an observer has recorded.
#[derive(Clone, Copy, Debug)]
struct PastStep {
    step: u64,
    function: FunctionId,
    instruction: u32,
    block: u64,
    warp: u32,
    lanes: u32,
}

impl From<&StepEvent> for PastStep {
    fn from(event: &StepEvent) -> PastStep {
        PastStep {
            step: event.position,
            function: event.function,
            instruction: event.instruction,
            block: event.block,
            warp: event.warp,
            lanes: event.executed,
        }
    }
}

/// Observer that records the steps of given lanes of one warp.
struct WarpStepFinder {
    block: u64,
    warp: u32,
    lanes: u32,
    steps: Vec<PastStep>,
}

impl Observer for WarpStepFinder {
    fn interest(&self) -> EventMask {
        EventMask::STEPS
    }

    fn step(&mut self, event: &StepEvent) {
        let is_own = (event.block, event.warp) == (self.block, self.warp);
        let is_step = matches!(event.agent, Agent::Warp { .. });
        if is_own && is_step && event.lanes & self.lanes != 0 {
            self.steps.push(event.into());
        }
    }
}

/// Observer that records the last step in which threads of a block, or of any block, exited.
struct LastExit {
    /// Linear index of the observed block, or `None` to observe all blocks.
    block: Option<u64>,
    found: Option<PastStep>,
}

impl Observer for LastExit {
    fn interest(&self) -> EventMask {
        EventMask::STEPS
    }

    fn step(&mut self, event: &StepEvent) {
        if event.what == StepOutcome::Exited && self.block.is_none_or(|block| block == event.block)
        {
            self.found = Some(event.into());
        }
    }
}

/// Byte range in a memory of the run.
#[derive(Clone, Copy, Debug)]
struct ByteRange {
    memory: Place,
    start: u64,
    n: u64,
}

impl ByteRange {
    fn meets(&self, piece: &ElementAccess) -> bool {
        let end = piece.address.saturating_add(piece.n_bytes.into());
        piece.memory == self.memory
            && piece.address < self.start.saturating_add(self.n)
            && self.start < end
    }
}

/// Observer that records the last change of a byte range.
struct LastWriteFinder {
    bytes: ByteRange,
    found: Option<PastStep>,
}

impl Observer for LastWriteFinder {
    fn access(&mut self, event: &AccessEvent<'_>) {
        let changes = event.written().filter(|piece| self.bytes.meets(piece));
        if let Some(piece) = changes.last() {
            let WarpId { block, warp } = event.warp().unwrap_or_default();
            self.found = Some(PastStep {
                step: event.step,
                function: event.function,
                instruction: event.instruction,
                block,
                warp,
                lanes: 1 << (piece.data_lane & 31),
            });
        }
    }
}

/// Observer that records the loads of one lane.
struct LoadFinder {
    lane: u8,
    found: Option<ByteRange>,
}

impl Observer for LoadFinder {
    fn interest(&self) -> EventMask {
        EventMask {
            loads: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let own = event
            .pieces
            .iter()
            .find(|piece| piece.data_lane == self.lane);
        self.found = own.map(|piece| ByteRange {
            memory: piece.memory,
            start: piece.address,
            n: piece.n_bytes.into(),
        });
    }
}

/// Origin of the value that a register contained at the fault: the step that wrote it, and the load on which it depends.
struct ValueOrigin {
    /// Step that wrote the value, and the destination register of the instruction.
    written: (PastStep, RegisterId),
    /// Load from memory on which the value depends, or `None` if the value depends on no load.
    loaded: Option<PastStep>,
}

/// Traces the values of the registers `wanted` backward through the steps `steps` of one lane.
fn origin(
    program: &Program,
    steps: &[PastStep],
    lane: u32,
    wanted: &[(FunctionId, RegisterId)],
) -> Option<ValueOrigin> {
    let mut wanted = wanted.to_vec();
    let mut origin: Option<ValueOrigin> = None;
    for past in steps
        .iter()
        .rev()
        .filter(|past| past.lanes >> lane & 1 != 0)
    {
        let Some(reader) = InstructionView::at(program, past.function, past.instruction) else {
            continue;
        };
        let written = reader.destinations();
        let own = |id: &&(FunctionId, RegisterId)| id.0 == past.function && written.contains(&id.1);
        let Some((_, register)) = wanted.iter().find(own).copied() else {
            continue;
        };
        wanted.retain(|id| !own(&id));
        let origin = origin.get_or_insert(ValueOrigin {
            written: (*past, register),
            loaded: None,
        });
        if loads_memory(reader) {
            origin.loaded = Some(*past);
            break;
        }
        wanted.extend(reader.sources().into_iter().map(|id| (past.function, id)));
        if wanted.is_empty() {
            break;
        }
    }
    origin
}

/// Checks whether an instruction loads from a memory to which an earlier step can have stored.
fn loads_memory(reader: InstructionView<'_>) -> bool {
    reader.access().is_some_and(|access| {
        let is_constant = matches!(access.space, StateSpace::ParamEntry | StateSpace::Const);
        access.kind == AccessKind::Load && !is_constant
    })
}

impl Session {
    /// Returns the events before the fault of the run that are related to the fault, the latest event first. Returns an empty list if the
    /// run has no fault, or if the faulting instruction alone explains the fault.
    pub fn causes(&mut self) -> Vec<CauseView> {
        let Some(fault) = self.timeline.machine().fault().cloned() else {
            return Vec::new();
        };
        if let Some((step, known)) = &self.causes
            && *step == fault.step
        {
            return known.clone();
        }
        let causes = self.find_causes(&fault);
        self.causes = Some((fault.step, causes.clone()));
        causes
    }

    fn find_causes(&mut self, fault: &Fault) -> Vec<CauseView> {
        let program = self.program.clone();
        let Some(reader) = InstructionView::at(&program, fault.function, fault.instruction) else {
            return Vec::new();
        };
        match &fault.kind {
            FaultKind::Misaligned
            | FaultKind::OutOfBounds
            | FaultKind::ReadOnly
            | FaultKind::WrongSpace
            | FaultKind::MbarrierInOtherBlock
            | FaultKind::UndefinedMatrix(MatrixMisuse::UnequalAddresses) => self.origins(
                fault,
                fault.step,
                &reader.base_registers(fault.access.as_ref().map(|access| access.kind)),
                "the address",
            ),
            FaultKind::UndefinedMatrix(
                MatrixMisuse::UnequalStrides | MatrixMisuse::MisalignedStride { .. },
            ) => self.origins(fault, fault.step, &reader.last_registers(), "the stride"),
            FaultKind::UndefinedMatrix(MatrixMisuse::InvalidScaleSelectors { .. })
            | FaultKind::BadCallTarget { .. }
            | FaultKind::BadBranchIndex { .. }
            | FaultKind::BadBarrier { .. }
            | FaultKind::InvalidCopySize { .. }
            | FaultKind::InvalidIgnoreBytes { .. }
            | FaultKind::TensorCopy { .. }
            | FaultKind::IllegalInstruction(_)
            | FaultKind::TensorMemory { .. }
            | FaultKind::Image { .. }
            | FaultKind::SurfaceOutOfBounds { .. } => {
                self.origins(fault, fault.step, &reader.sources(), "an operand")
            }
            FaultKind::UndefinedMatrix(MatrixMisuse::MissingLanes { missing }) => {
                self.last_of_missing(fault, *missing)
            }
            FaultKind::Trap | FaultKind::Assert { .. } => self.condition(fault, reader),
            FaultKind::Mbarrier(held) => {
                let place = Place::Shared { block: held.block };
                let change = self.change_of_mbarrier(place, held.address, fault.step);
                change.into_iter().collect()
            }
            FaultKind::Deadlock { waiting } => {
                let mut causes: Vec<CauseView> = Vec::new();
                for waiter in waiting.iter().take(MAX_WAITERS) {
                    let found = self.cause_of_wait(waiter, fault.step);
                    causes.extend(found.filter(|new| !causes.contains(new)));
                }
                causes
            }
            FaultKind::StackOverflow
            | FaultKind::Unsupported { .. }
            | FaultKind::Internal { .. } => Vec::new(),
        }
    }

    /// Returns the last event that changed the object for which a group of lanes waits, such as an mbarrier.
    fn cause_of_wait(&mut self, waiter: &WaitingGroup, step: u64) -> Option<CauseView> {
        let block = waiter.block;
        match waiter.waits_for {
            WaitReason::MbarrierPhase { address, .. } => {
                self.change_of_mbarrier(Place::Shared { block }, address, step)
            }
            WaitReason::Barrier { .. } | WaitReason::WarpLanes { .. } => {
                self.last_end(step, Some(block))
            }
            WaitReason::ClusterBarrier => self.last_end(step, None),
            WaitReason::AsyncGroup { .. }
            | WaitReason::TensorColumns { .. }
            | WaitReason::Memory => None,
        }
    }

    fn cause(&self, past: &PastStep, text: String) -> CauseView {
        CauseView {
            step: past.step,
            range: self.range_of(past.function, past.instruction),
            text,
        }
    }

    /// Returns the steps that the given lanes of the faulting warp executed before step `end`. The window of replayed steps grows until
    /// `is_enough` returns `true` for the steps in the window.
    fn steps_of(
        &mut self,
        fault: &Fault,
        end: u64,
        lanes: u32,
        is_enough: impl Fn(&[PastStep]) -> bool,
    ) -> Vec<PastStep> {
        let mut steps = Vec::new();
        for window in WINDOWS {
            let from = end.saturating_sub(window);
            let mut record = WarpStepFinder {
                block: fault.block_index,
                warp: fault.warp,
                lanes,
                steps: Vec::new(),
            };
            self.timeline.replay(from, end, &mut record);
            steps = record.steps;
            if from == 0 || is_enough(&steps) {
                break;
            }
        }
        steps
    }

    /// Returns the origins of the register values that the faulting lane read in step `end`.
    fn origins(
        &mut self,
        fault: &Fault,
        end: u64,
        registers: &[RegisterId],
        what: &str,
    ) -> Vec<CauseView> {
        let program = self.program.clone();
        let wanted: Vec<_> = registers.iter().map(|id| (fault.function, *id)).collect();
        let lane = fault.lane();
        if wanted.is_empty() {
            return Vec::new();
        }
        let of = |steps: &[PastStep]| origin(&program, steps, lane, &wanted);
        let steps = self.steps_of(fault, end, 1 << lane, |steps| of(steps).is_some());
        let Some(ValueOrigin { written, loaded }) = of(&steps) else {
            return Vec::new();
        };
        let (past, register) = written;
        let name = InstructionView::at(&program, past.function, past.instruction)
            .map(|reader| reader.name(register));
        let name = name.unwrap_or_default();
        let is_load = loaded.is_some_and(|loaded| loaded.step == past.step);
        let verb = if is_load { "loaded" } else { "computed" };
        let mut causes = vec![self.cause(&past, format!("`{name}` ({what}) was {verb}"))];
        if let Some(load) = loaded {
            if !is_load {
                causes.push(self.cause(
                    &load,
                    format!("an input of the computation of `{name}` was loaded"),
                ));
            }
            let mut of_lane = LoadFinder {
                lane: lane as u8,
                found: None,
            };
            self.timeline.replay(load.step, load.step + 1, &mut of_lane);
            let change = of_lane
                .found
                .and_then(|bytes| self.last_change(bytes, load.step));
            causes.extend(change.map(|change| {
                self.cause(
                    &change,
                    format!("the loaded bytes were stored by {}", one_lane(&change)),
                )
            }));
        }
        causes
    }

    /// Returns the last step before step `end` that changed a byte range.
    fn last_change(&mut self, bytes: ByteRange, end: u64) -> Option<PastStep> {
        for window in WINDOWS {
            let from = end.saturating_sub(window);
            let mut last = LastWriteFinder { bytes, found: None };
            self.timeline.replay(from, end, &mut last);
            if last.found.is_some() || from == 0 {
                return last.found;
            }
        }
        None
    }

    fn change_of_mbarrier(&mut self, memory: Place, start: u64, end: u64) -> Option<CauseView> {
        let n = MBARRIER_BYTES;
        let change = self.last_change(ByteRange { memory, start, n }, end)?;
        let text = format!("the mbarrier was last modified by {}", one_lane(&change));
        Some(self.cause(&change, text))
    }

    /// Returns the last step before step `end` in which threads of the given block exited, or threads of any block if `block` is `None`.
    fn last_end(&mut self, end: u64, block: Option<u64>) -> Option<CauseView> {
        for window in WINDOWS {
            let from = end.saturating_sub(window);
            let mut last = LastExit { block, found: None };
            self.timeline.replay(from, end, &mut last);
            if let Some(past) = last.found {
                let (block, warp) = (past.block, past.warp);
                let text = format!(
                    "threads of warp {warp} of block {block} exited and can no longer arrive"
                );
                return Some(self.cause(&past, text));
            }
            if from == 0 {
                break;
            }
        }
        None
    }

    /// Returns the last step of the lanes `missing`, which do not participate in a matrix operation.
    fn last_of_missing(&mut self, fault: &Fault, missing: u32) -> Vec<CauseView> {
        let steps = self.steps_of(fault, fault.step, missing, |steps| !steps.is_empty());
        let last = steps.last();
        let cause = last.map(|past| {
            self.cause(
                past,
                "the missing lanes executed their last instruction".to_owned(),
            )
        });
        cause.into_iter().collect()
    }

    /// Returns the step that computed the guard predicate of a trap, or the predicate of the branch that led to the trap.
    fn condition(&mut self, fault: &Fault, reader: InstructionView<'_>) -> Vec<CauseView> {
        const CONDITION_TEXT: &str = "the condition";
        if let Some(guard) = reader.guard_register() {
            return self.origins(fault, fault.step, &[guard], CONDITION_TEXT);
        }
        let program = self.program.clone();
        let at = |past: &PastStep| InstructionView::at(&program, past.function, past.instruction);
        let is_branch =
            |past: &&PastStep| at(past).is_some_and(InstructionView::is_conditional_branch);
        let any = |steps: &[PastStep]| steps.iter().any(|past| is_branch(&past));
        let steps = self.steps_of(fault, fault.step, 1 << fault.lane(), any);
        let Some(branch) = steps.iter().rev().find(is_branch) else {
            return Vec::new();
        };
        let mut causes = vec![self.cause(branch, "the thread took this branch".to_owned())];
        let guard = at(branch).and_then(InstructionView::guard_register);
        let registers: Vec<RegisterId> = guard.into_iter().collect();
        causes.extend(self.origins(fault, branch.step, &registers, CONDITION_TEXT));
        causes
    }
}

/// Formats the lane, the warp and the block of a step: `lane 3 of warp 0 of block 2`.
fn one_lane(past: &PastStep) -> String {
    let lane = past.lanes.trailing_zeros() & 31;
    format!("lane {lane} of warp {} of block {}", past.warp, past.block)
}
