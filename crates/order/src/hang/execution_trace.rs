//! History of a run: the executed instructions of each warp, and the operations on barriers and mbarriers. An observer
//! records the history from the first step.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use warpgrid_emulator::{
    AccessAction, AccessEvent, Agent, ArrivalMode, CompletionMechanism, EventMask,
    MbarrierOperation, MemoryId, Observer, StepEvent, StepOutcome, SyncEvent, SyncKind, WarpId,
};
use warpgrid_program::FunctionId;

/// Reference to an instruction by its function and its index in the function.
pub(crate) type InstructionRef = (FunctionId, u32);
/// Reference to an mbarrier by the linear index of its block and its shared-memory address.
pub(crate) type MbarrierRef = (u64, u64);

/// Maximum number of recorded instructions per warp.
const MAX_PATH_LEN: usize = 1 << 14;
/// Maximum number of recorded mbarrier operations.
const MAX_EVENTS: usize = 1 << 16;

/// Reference to a thread by its warp and its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LaneId {
    pub(crate) warp: WarpId,
    pub(crate) lane: u32,
}

/// Recorded operation of one lane on an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MbarrierEvent {
    pub(crate) warp: WarpId,
    pub(crate) lane: u32,
    pub(crate) at: InstructionRef,
    pub(crate) act: MbarrierOperation,
    pub(crate) object: MbarrierRef,
    /// Number of completed phases of the mbarrier before the operation.
    pub(crate) phase: u32,
}

impl MbarrierEvent {
    pub(crate) fn thread(&self) -> LaneId {
        LaneId {
            warp: self.warp,
            lane: self.lane,
        }
    }

    /// Checks whether the operation decrements the pending count.
    pub(crate) fn is_arrival(&self) -> bool {
        matches!(
            self.act,
            MbarrierOperation::Arrive | MbarrierOperation::ArriveExpecting
        )
    }

    /// Checks whether the operation increases the tx-count.
    pub(crate) fn expects_bytes(&self) -> bool {
        matches!(
            self.act,
            MbarrierOperation::ArriveExpecting | MbarrierOperation::Expect
        )
    }
}

/// Recorded start of a copy that completes on an mbarrier, or of an asynchronous arrival after the completion of earlier copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsyncStartEvent {
    pub(crate) step: u64,
    pub(crate) warp: WarpId,
    pub(crate) at: InstructionRef,
    pub(crate) object: MbarrierRef,
    pub(crate) phase: u32,
    /// Number of bytes that the copy transfers, or `None` for an asynchronous arrival.
    pub(crate) bytes: Option<u32>,
    /// End address of the range that the copy reads from global memory.
    pub(crate) source_end_address: Option<u64>,
}

/// Recorded execution of an mbarrier operation for which some lanes are predicated off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredicatedOff {
    pub(crate) step: u64,
    pub(crate) warp: WarpId,
    pub(crate) at: InstructionRef,
    pub(crate) executed: u32,
    pub(crate) excluded: u32,
}

/// Recorded arrival of lanes at a barrier of their block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierArrivalEvent {
    pub(crate) warp: WarpId,
    pub(crate) lanes: u32,
    pub(crate) at: InstructionRef,
    pub(crate) id: u32,
    pub(crate) waits: ArrivalMode,
    /// Number of completed phases of the barrier before the arrival.
    pub(crate) phase: u32,
}

/// Recorded write to global or shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteEvent {
    pub(crate) warp: WarpId,
    pub(crate) lanes: u32,
    pub(crate) at: InstructionRef,
    pub(crate) memory: MemoryId,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Whether the write changed the bytes.
    pub(crate) changes: bool,
}

impl WriteEvent {
    /// Checks whether the written address range contains an address.
    pub(crate) fn contains(&self, memory: MemoryId, address: u64) -> bool {
        self.memory == memory && (self.start..self.end).contains(&address)
    }
}

/// Recorded execution path of a warp, of which only the last instructions are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarpPath {
    /// Instructions that the warp executed last, each with the lanes that executed the instruction.
    pub(crate) steps: VecDeque<(InstructionRef, u32)>,
    pub(crate) exited: u32,
}

/// History of a run, which the diagnosis of a hang analyzes.
#[derive(Debug, Default)]
pub struct ExecutionTrace {
    pub(crate) paths: BTreeMap<WarpId, WarpPath>,
    /// All instructions that a warp has executed.
    executed: BTreeSet<InstructionRef>,
    pub(crate) mbarrier_events: Vec<MbarrierEvent>,
    pub(crate) async_starts: Vec<AsyncStartEvent>,
    pub(crate) excluded: Vec<PredicatedOff>,
    pub(crate) barrier_arrivals: Vec<BarrierArrivalEvent>,
    pub(crate) written: Vec<WriteEvent>,
    /// Address of the latest execution of each load, by warp and load instruction.
    pub(crate) read: BTreeMap<(WarpId, InstructionRef), (MemoryId, u64)>,
    pub(crate) phases: BTreeMap<MbarrierRef, u32>,
    /// Step at which the current phase of each mbarrier began.
    pub(crate) began: BTreeMap<MbarrierRef, u64>,
    pub(crate) opened: BTreeMap<(u64, u32), u32>,
    /// Lanes that have arrived at the barrier of their cluster, but have not executed `barrier.cluster.wait`.
    pub(crate) at_cluster: BTreeMap<WarpId, u32>,
}

/// Phase of a block barrier in which threads waited at different instructions. Hosts report it as a possible mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedPhase {
    /// Linear index of the block.
    pub block: u64,
    pub id: u32,
    /// Number of phases that the barrier completed before this phase.
    pub phase: u32,
    /// Function and index of each instruction at which threads waited.
    pub places: Vec<(FunctionId, u32)>,
}

impl ExecutionTrace {
    /// Returns the first phase of each barrier at which threads waited at different instructions.
    pub fn mixed_phases(&self) -> Vec<MixedPhase> {
        let mut places: BTreeMap<(u64, u32, u32), Vec<InstructionRef>> = BTreeMap::new();
        // Ignore arrivals by `bar.arrive`, because this instruction does not wait and is intended to pair with a different instruction.
        for arrival in self
            .barrier_arrivals
            .iter()
            .filter(|arrival| arrival.waits != ArrivalMode::No)
        {
            let key = (arrival.warp.block, arrival.id, arrival.phase);
            let known = places.entry(key).or_default();
            if !known.contains(&arrival.at) {
                known.push(arrival.at);
            }
        }
        let mut mixed: Vec<MixedPhase> = Vec::new();
        for ((block, id, phase), places) in places {
            let is_known = mixed.iter().any(|m| (m.block, m.id) == (block, id));
            if places.len() > 1 && !is_known {
                mixed.push(MixedPhase {
                    block,
                    id,
                    phase,
                    places,
                });
            }
        }
        mixed
    }

    /// Returns an empty history.
    pub fn new() -> ExecutionTrace {
        ExecutionTrace::default()
    }

    /// Checks whether a warp has executed an instruction.
    pub(crate) fn has_executed(&self, at: InstructionRef) -> bool {
        self.executed.contains(&at)
    }

    pub(crate) fn phase(&self, object: MbarrierRef) -> u32 {
        self.phases.get(&object).copied().unwrap_or(0)
    }

    /// Returns the number of completed phases of a barrier of a block.
    pub(crate) fn barrier_phase(&self, block: u64, id: u32) -> u32 {
        self.opened.get(&(block, id)).copied().unwrap_or(0)
    }

    fn end_phase(&mut self, object: MbarrierRef, step: u64) {
        *self.phases.entry(object).or_default() += 1;
        self.began.insert(object, step);
    }

    fn record_mbarrier_event(
        &mut self,
        event: &SyncEvent<'_>,
        act: MbarrierOperation,
        touch: &warpgrid_emulator::MbarrierAccess,
    ) {
        let object = (touch.block, touch.address);
        if act == MbarrierOperation::Init {
            self.phases.insert(object, 0);
            self.began.insert(object, event.step);
        }
        let is_kept = act != MbarrierOperation::Test || touch.passed;
        if is_kept && self.mbarrier_events.len() < MAX_EVENTS {
            self.mbarrier_events.push(MbarrierEvent {
                warp: event.warp_id(),
                lane: touch.lane.into(),
                at: (event.function, event.instruction),
                act,
                object,
                phase: self.phase(object),
            });
        }
        if touch.ends_phase() {
            self.end_phase(object, event.step);
        }
    }

    fn record_async_start(
        &mut self,
        event: &SyncEvent<'_>,
        pending: &warpgrid_emulator::InFlightOperation,
    ) {
        let (object, bytes) = match pending.operation.completion {
            CompletionMechanism::Mbarrier {
                block,
                address,
                bytes,
            } => ((block, address), Some(bytes)),
            CompletionMechanism::Arrival { block, address, .. } => ((block, address), None),
            CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => return,
        };
        let sources = pending.operation.pieces.iter().filter_map(|piece| {
            let source = piece.source.as_ref()?;
            Some(source.address + piece.bytes.len() as u64)
        });
        if self.async_starts.len() < MAX_EVENTS {
            self.async_starts.push(AsyncStartEvent {
                step: event.step,
                warp: event.warp_id(),
                at: (event.function, event.instruction),
                object,
                phase: self.phase(object),
                bytes,
                source_end_address: sources.max(),
            });
        }
    }
}

impl Observer for ExecutionTrace {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            loads: true,
            steps: true,
            syncs: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        let Some(first) = event.pieces.first() else {
            return;
        };
        let is_shared = matches!(first.memory, MemoryId::Global | MemoryId::Shared { .. });
        let at = (event.function, event.instruction);
        if event.action == AccessAction::Load {
            let place = (first.memory, first.address);
            self.read.insert((WarpId { block, warp }, at), place);
            return;
        }
        if !is_shared || self.written.len() >= MAX_EVENTS {
            return;
        }
        let start = event.pieces.iter().map(|p| p.address).min();
        let end = event
            .pieces
            .iter()
            .map(|p| p.address + u64::from(p.n_bytes));
        self.written.push(WriteEvent {
            warp: WarpId { block, warp },
            lanes: event.mask,
            at: (event.function, event.instruction),
            memory: first.memory,
            start: start.unwrap_or(0),
            end: end.max().unwrap_or(0),
            changes: event
                .pieces
                .iter()
                .any(|p| p.written && event.before(p) != event.bytes(p)),
        });
    }

    fn step(&mut self, event: &StepEvent) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        let at = (event.function, event.instruction);
        let is_waiting = matches!(event.what, StepOutcome::Waits(_));
        let path = self.paths.entry(WarpId { block, warp }).or_default();
        if path.steps.len() == MAX_PATH_LEN {
            path.steps.pop_front();
        }
        path.steps.push_back((at, event.lanes));
        self.executed.insert(at);
        let excluded = event.lanes & !event.executed;
        if excluded != 0 && !is_waiting && self.excluded.len() < MAX_EVENTS {
            self.excluded.push(PredicatedOff {
                step: event.position,
                warp: WarpId { block, warp },
                at,
                executed: event.executed,
                excluded,
            });
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        match event.what {
            SyncKind::Mbarrier { act, touched } => {
                for touch in touched {
                    self.record_mbarrier_event(event, act, touch);
                }
            }
            SyncKind::Started(pending) => self.record_async_start(event, pending),
            SyncKind::Completed {
                pending,
                signal: Some([before, after]),
            } => {
                let object = match pending.operation.completion {
                    CompletionMechanism::Mbarrier { block, address, .. }
                    | CompletionMechanism::Arrival { block, address, .. } => (block, address),
                    CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => return,
                };
                if warpgrid_emulator::ends_phase(Some(before), Some(after)) {
                    self.end_phase(object, event.step);
                }
            }
            SyncKind::BarrierArrived { id, waits } => {
                let phase = self.barrier_phase(event.block, id);
                if self.barrier_arrivals.len() < MAX_EVENTS {
                    self.barrier_arrivals.push(BarrierArrivalEvent {
                        warp: event.warp_id(),
                        lanes: event.lanes,
                        at: (event.function, event.instruction),
                        id,
                        waits,
                        phase,
                    });
                }
            }
            SyncKind::BarrierCompleted { id } => {
                *self.opened.entry((event.block, id)).or_default() += 1;
            }
            SyncKind::Exited => {
                let path = self.paths.entry(event.warp_id()).or_default();
                path.exited |= event.lanes;
            }
            SyncKind::ClusterArrived => {
                *self.at_cluster.entry(event.warp_id()).or_default() |= event.lanes;
            }
            SyncKind::ClusterPassed => {
                *self.at_cluster.entry(event.warp_id()).or_default() &= !event.lanes;
            }
            SyncKind::Fence
            | SyncKind::TensorMap { .. }
            | SyncKind::WarpBarrierCompleted { .. }
            | SyncKind::Matrices { .. }
            | SyncKind::ClusterOpened
            | SyncKind::Committed(_)
            | SyncKind::Waited(_)
            | SyncKind::Completed { signal: None, .. } => {}
        }
    }
}
