//! Records of a timeline, which refer to instructions by function and index. The view converts these records to lines and texts.

use crate::model::timeline::{LinkKind, SpanState, TrackKind};
use warpgrid_emulator::{MbarrierState, WaitReason, WarpId};
use warpgrid_program::FunctionId;

/// End of a span whose state has not ended.
pub(crate) const OPEN: u64 = u64::MAX;

/// Index of a track in the recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TrackId(pub(crate) u32);

/// Identity of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TrackKey {
    Warp(WarpId),
    /// Asynchronous operations that warps of a block issued, by the name of their kind.
    AsyncOperations {
        block: u64,
        kind: &'static str,
    },
    Barrier {
        block: u64,
        id: u32,
    },
    ClusterBarrier {
        first_block: u64,
    },
    Mbarrier {
        block: u64,
        address: u64,
    },
}

impl TrackKey {
    pub(crate) const fn kind(self) -> TrackKind {
        match self {
            TrackKey::Warp(_) => TrackKind::Warp,
            TrackKey::AsyncOperations { .. } => TrackKind::AsyncOperations,
            TrackKey::Barrier { .. } => TrackKind::Barrier,
            TrackKey::ClusterBarrier { .. } => TrackKind::ClusterBarrier,
            TrackKey::Mbarrier { .. } => TrackKind::Mbarrier,
        }
    }

    pub(crate) const fn block(self) -> u64 {
        match self {
            TrackKey::Warp(WarpId { block, .. })
            | TrackKey::AsyncOperations { block, .. }
            | TrackKey::Barrier { block, .. }
            | TrackKey::ClusterBarrier { first_block: block }
            | TrackKey::Mbarrier { block, .. } => block,
        }
    }
}

/// Recorded track with its spans in the order of their starts.
#[derive(Clone, Debug)]
pub(crate) struct TrackRecord {
    pub(crate) key: TrackKey,
    pub(crate) spans: Vec<SpanRecord>,
    /// Number of completed phases of a barrier or mbarrier.
    pub(crate) n_phases: u32,
    /// Index of the last span in each row.
    rows: Vec<usize>,
}

impl TrackRecord {
    pub(crate) const fn new(key: TrackKey) -> TrackRecord {
        TrackRecord {
            key,
            spans: Vec::new(),
            n_phases: 0,
            rows: Vec::new(),
        }
    }

    /// Returns the first row in which no span is open at a step, and reserves this row for the next span.
    pub(crate) fn free_row(&mut self, step: u64) -> u32 {
        let next = self.spans.len();
        let is_free = |index: &usize| self.spans.get(*index).is_some_and(|span| span.to <= step);
        match self.rows.iter().position(is_free) {
            Some(row) => {
                self.rows[row] = next;
                row as u32
            }
            None => {
                self.rows.push(next);
                self.rows.len() as u32 - 1
            }
        }
    }

    /// Adds an operation to the span of an async-group. Returns `false` if the span has ended and a later span uses its row.
    pub(crate) fn reopen(&mut self, index: usize, bytes: u64) -> bool {
        let Some(span) = self.spans.get_mut(index) else {
            return false;
        };
        let is_last_of_row = self.rows.get(span.row as usize) == Some(&index);
        let SpanFacts::InFlight(facts) = &mut span.facts else {
            return false;
        };
        if is_last_of_row {
            facts.n_operations += 1;
            facts.n_in_flight += 1;
            facts.bytes += bytes;
            span.to = OPEN;
        }
        is_last_of_row
    }

    pub(crate) fn n_rows(&self) -> u32 {
        (self.rows.len() as u32).max(1)
    }
}

/// Recorded span. `to` is [`OPEN`] as long as the state has not ended.
#[derive(Clone, Debug)]
pub(crate) struct SpanRecord {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) row: u32,
    pub(crate) facts: SpanFacts,
}

impl SpanRecord {
    /// Returns a span without an end.
    pub(crate) const fn new(from: u64, facts: SpanFacts) -> SpanRecord {
        SpanRecord {
            from,
            to: OPEN,
            row: 0,
            facts,
        }
    }

    pub(crate) const fn phase_mut(&mut self) -> Option<&mut PhaseFacts> {
        match &mut self.facts {
            SpanFacts::Phase(phase) => Some(phase),
            _ => None,
        }
    }
}

/// State of a span with the data of its description.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SpanFacts {
    Running,
    Diverged,
    Waiting {
        reason: WaitReason,
        at: (FunctionId, u32),
    },
    InFlight(AsyncFacts),
    Phase(PhaseFacts),
}

impl SpanFacts {
    pub(crate) const fn state(&self) -> SpanState {
        match self {
            SpanFacts::Running => SpanState::Running,
            SpanFacts::Diverged => SpanState::Diverged,
            SpanFacts::Waiting { .. } => SpanState::Waiting,
            SpanFacts::InFlight(_) => SpanState::InFlight,
            SpanFacts::Phase(_) => SpanState::Phase,
        }
    }

    /// Returns the instruction that waits or that issued the operation.
    pub(crate) const fn instruction(&self) -> Option<(FunctionId, u32)> {
        match self {
            SpanFacts::Waiting { at, .. } => Some(*at),
            SpanFacts::InFlight(facts) => Some(facts.at),
            SpanFacts::Running | SpanFacts::Diverged | SpanFacts::Phase(_) => None,
        }
    }
}

/// Asynchronous operation, or all operations of an async-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AsyncFacts {
    pub(crate) warp: WarpId,
    /// Number of async-groups that the warp had committed before. `None` if the operation belongs to no async-group.
    pub(crate) group: Option<u32>,
    pub(crate) n_operations: u32,
    pub(crate) n_in_flight: u32,
    pub(crate) bytes: u64,
    /// Instruction that issued the first operation.
    pub(crate) at: (FunctionId, u32),
}

/// Phase of a barrier or mbarrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PhaseFacts {
    /// Number of phases that completed before.
    pub(crate) number: u32,
    /// Number of arrivals in the phase. Each thread that arrives at a barrier counts.
    pub(crate) arrivals: u32,
    /// Number of bytes that expect-tx operations announced in the phase.
    pub(crate) bytes: u32,
    /// Last state of an mbarrier in the phase.
    pub(crate) state: Option<MbarrierState>,
    /// Number of warps that have waited for the phase.
    pub(crate) n_waiting: u32,
}

/// Point on a recorded track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointRecord {
    pub(crate) track: TrackId,
    pub(crate) row: u32,
    pub(crate) step: u64,
}

impl PointRecord {
    /// Returns a point in the first row of a track.
    pub(crate) const fn new(track: TrackId, step: u64) -> PointRecord {
        PointRecord {
            track,
            row: 0,
            step,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkRecord {
    pub(crate) kind: LinkKind,
    pub(crate) from: PointRecord,
    pub(crate) to: PointRecord,
}

impl LinkRecord {
    pub(crate) const fn new(kind: LinkKind, from: PointRecord, to: PointRecord) -> LinkRecord {
        LinkRecord { kind, from, to }
    }
}

/// Recorded event at a point of a track.
#[derive(Clone, Debug)]
pub(crate) struct MarkRecord {
    pub(crate) at: PointRecord,
    pub(crate) instruction: Option<(FunctionId, u32)>,
    pub(crate) event: MarkEvent,
}

/// Event of a mark.
#[derive(Clone, Debug)]
pub(crate) enum MarkEvent {
    /// Threads arrived at a barrier. `n_arrived` is the number of threads that have arrived in the phase.
    BarrierArrival { arrivals: u32, n_arrived: u32 },
    /// An operation changed an mbarrier to this state.
    Mbarrier { state: MbarrierState },
}
