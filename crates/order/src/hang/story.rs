//! History of a run: the executed instructions of each warp, and the operations on barriers and mbarriers. The history
//! is recorded by an observer from the first step.

use std::collections::{BTreeMap, VecDeque};
use warpgrid_emulator::{
    AccessAction, AccessEvent, Agent, Interest, MbarrierAct, MemoryId, Observer, Outcome,
    PendingCompletion, StepEvent, SyncEvent, SyncKind, Waits, WarpId,
};
use warpgrid_program::FunctionId;

/// Instruction: function and index.
pub(crate) type Place = (FunctionId, u32);
/// Mbarrier: linear index of its block, and its shared-memory address.
pub(crate) type Object = (u64, u64);

/// Maximum number of recorded instructions per warp.
const LONGEST_PATH: usize = 1 << 14;
/// Maximum number of recorded mbarrier operations.
const MOST_DEEDS: usize = 1 << 16;

/// Thread, identified by its warp and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LaneId {
    pub(crate) warp: WarpId,
    pub(crate) lane: u32,
}

/// Operation of a lane on an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed {
    pub(crate) warp: WarpId,
    pub(crate) lane: u32,
    pub(crate) at: Place,
    pub(crate) act: MbarrierAct,
    pub(crate) object: Object,
    /// Number of completed phases of the mbarrier before the operation.
    pub(crate) phase: u32,
}

impl Deed {
    pub(crate) fn thread(&self) -> LaneId {
        LaneId {
            warp: self.warp,
            lane: self.lane,
        }
    }
}

/// Start of a copy that completes on an mbarrier, or of an arrival after copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) step: u64,
    pub(crate) warp: WarpId,
    pub(crate) at: Place,
    pub(crate) object: Object,
    pub(crate) phase: u32,
    /// Number of transferred bytes; `None` for an arrival.
    pub(crate) bytes: Option<u32>,
    /// End of the source range in global memory.
    pub(crate) source_end: Option<u64>,
}

/// Lanes that are predicated off for an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Excluded {
    pub(crate) step: u64,
    pub(crate) warp: WarpId,
    pub(crate) at: Place,
    pub(crate) executed: u32,
    pub(crate) excluded: u32,
}

/// Arrival of lanes at a barrier of the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Came {
    pub(crate) warp: WarpId,
    pub(crate) lanes: u32,
    pub(crate) at: Place,
    pub(crate) id: u32,
    pub(crate) waits: Waits,
    /// Number of completed phases of the barrier before the arrival.
    pub(crate) phase: u32,
}

/// Write to global or shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) warp: WarpId,
    pub(crate) lanes: u32,
    pub(crate) at: Place,
    pub(crate) memory: MemoryId,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Whether the write changed the bytes.
    pub(crate) changes: bool,
}

/// Execution path of a warp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Latest instructions, each with the lanes that executed it.
    pub(crate) steps: VecDeque<(Place, u32)>,
    pub(crate) exited: u32,
}

/// History of a run.
#[derive(Debug, Default)]
pub struct Story {
    pub(crate) paths: BTreeMap<WarpId, Path>,
    pub(crate) deeds: Vec<Deed>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) excluded: Vec<Excluded>,
    pub(crate) came: Vec<Came>,
    pub(crate) written: Vec<Written>,
    /// Latest address that each load of a warp has read.
    pub(crate) read: BTreeMap<(WarpId, Place), (MemoryId, u64)>,
    pub(crate) phases: BTreeMap<Object, u32>,
    /// Step in which the current phase of each mbarrier began.
    pub(crate) began: BTreeMap<Object, u64>,
    pub(crate) opened: BTreeMap<(u64, u32), u32>,
    /// Lanes that have arrived at the barrier of their cluster and have not waited yet.
    pub(crate) at_cluster: BTreeMap<WarpId, u32>,
}

/// Phase of a block barrier at which threads waited at different instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedPhase {
    /// Linear index of the block.
    pub block: u64,
    pub id: u32,
    /// Number of completed phases of the barrier before this phase.
    pub phase: u32,
    /// Function and index of each instruction.
    pub places: Vec<(FunctionId, u32)>,
}

impl Story {
    /// Returns the first phase of each barrier at which threads waited at different instructions.
    pub fn mixed_phases(&self) -> Vec<MixedPhase> {
        let mut places: BTreeMap<(u64, u32, u32), Vec<Place>> = BTreeMap::new();
        // `bar.arrive` is intended to pair with another instruction.
        for came in self.came.iter().filter(|came| came.waits != Waits::No) {
            let key = (came.warp.block, came.id, came.phase);
            let known = places.entry(key).or_default();
            if !known.contains(&came.at) {
                known.push(came.at);
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
    pub fn new() -> Story {
        Story::default()
    }

    pub(crate) fn phase(&self, object: Object) -> u32 {
        self.phases.get(&object).copied().unwrap_or(0)
    }

    /// Returns the number of completed phases of a barrier of a block.
    pub(crate) fn barrier_phase(&self, block: u64, id: u32) -> u32 {
        self.opened.get(&(block, id)).copied().unwrap_or(0)
    }

    fn end_phase(&mut self, object: Object, step: u64) {
        *self.phases.entry(object).or_default() += 1;
        self.began.insert(object, step);
    }

    fn tell_act(
        &mut self,
        event: &SyncEvent<'_>,
        act: MbarrierAct,
        touch: &warpgrid_emulator::MbarrierTouch,
    ) {
        let object = (touch.block, touch.address);
        if act == MbarrierAct::Init {
            self.phases.insert(object, 0);
            self.began.insert(object, event.step);
        }
        let is_kept = act != MbarrierAct::Test || touch.passed;
        if is_kept && self.deeds.len() < MOST_DEEDS {
            self.deeds.push(Deed {
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

    fn tell_start(&mut self, event: &SyncEvent<'_>, pending: &warpgrid_emulator::Pending) {
        let (object, bytes) = match pending.operation.completion {
            PendingCompletion::Mbarrier {
                block,
                address,
                bytes,
            } => ((block, address), Some(bytes)),
            PendingCompletion::Arrival { block, address, .. } => ((block, address), None),
            PendingCompletion::None | PendingCompletion::AsyncGroup { .. } => return,
        };
        let sources = pending.operation.pieces.iter().filter_map(|piece| {
            let source = piece.source.as_ref()?;
            Some(source.address + piece.bytes.len() as u64)
        });
        if self.sent.len() < MOST_DEEDS {
            self.sent.push(Sent {
                step: event.step,
                warp: event.warp_id(),
                at: (event.function, event.instruction),
                object,
                phase: self.phase(object),
                bytes,
                source_end: sources.max(),
            });
        }
    }
}

impl Observer for Story {
    fn interest(&self) -> Interest {
        Interest {
            stores: true,
            loads: true,
            steps: true,
            syncs: true,
            ..Interest::NONE
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
        if !is_shared || self.written.len() >= MOST_DEEDS {
            return;
        }
        let start = event.pieces.iter().map(|p| p.address).min();
        let end = event
            .pieces
            .iter()
            .map(|p| p.address + u64::from(p.n_bytes));
        self.written.push(Written {
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
        let is_waiting = matches!(event.what, Outcome::Waits(_));
        let path = self.paths.entry(WarpId { block, warp }).or_default();
        if path.steps.len() == LONGEST_PATH {
            path.steps.pop_front();
        }
        path.steps.push_back((at, event.lanes));
        let excluded = event.lanes & !event.executed;
        if excluded != 0 && !is_waiting && self.excluded.len() < MOST_DEEDS {
            self.excluded.push(Excluded {
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
                    self.tell_act(event, act, touch);
                }
            }
            SyncKind::Started(pending) => self.tell_start(event, pending),
            SyncKind::Landed {
                pending,
                signal: Some([before, after]),
            } => {
                let object = match pending.operation.completion {
                    PendingCompletion::Mbarrier { block, address, .. }
                    | PendingCompletion::Arrival { block, address, .. } => (block, address),
                    PendingCompletion::None | PendingCompletion::AsyncGroup { .. } => return,
                };
                if warpgrid_emulator::ends_phase(Some(before), Some(after)) {
                    self.end_phase(object, event.step);
                }
            }
            SyncKind::BarrierArrived { id, waits } => {
                let phase = self.barrier_phase(event.block, id);
                if self.came.len() < MOST_DEEDS {
                    self.came.push(Came {
                        warp: event.warp_id(),
                        lanes: event.lanes,
                        at: (event.function, event.instruction),
                        id,
                        waits,
                        phase,
                    });
                }
            }
            SyncKind::BarrierOpened { id } => {
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
            | SyncKind::WarpMet { .. }
            | SyncKind::Matrices { .. }
            | SyncKind::ClusterOpened
            | SyncKind::Committed(_)
            | SyncKind::Waited(_)
            | SyncKind::Landed { signal: None, .. } => {}
        }
    }
}
