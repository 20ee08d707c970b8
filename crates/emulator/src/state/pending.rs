//! Operations in flight: started by one step, completed by a later one.

use crate::run::event::{PendingId, Turn};
use crate::run::schedule::Schedule;
use std::sync::Arc;
use warpgrid_isa::{AtomicOp, ScalarType, StateSpace};
use warpgrid_program::FunctionId;

/// Steps between the start of an operation and its completion, in the natural order (seed 0).
pub(crate) const NATURAL_DELAY: u64 = 32;

/// The instruction that started an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingOrigin {
    /// The number of the step.
    pub step: u64,
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
}

/// Bytes that an operation writes when it lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingPiece {
    /// The lane that the write is attributed to.
    pub lane: u32,
    /// `Global` or `Shared`.
    pub space: StateSpace,
    /// Linear index of the block whose shared memory is written.
    pub block: u64,
    /// In that space: an offset for shared memory.
    pub address: u64,
    /// What it brings; until its source is read, what the source held at the start.
    pub bytes: Vec<u8>,
    /// Where the bytes of a copy come from, until they are read.
    pub source: Option<PendingSource>,
    /// How the bytes are combined, as elements of this type, with what memory holds when they land; `None` replaces it.
    pub reduces: Option<(AtomicOp, ScalarType)>,
}

/// A place that a copy reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingSource {
    /// `Global` or `Shared`.
    pub space: StateSpace,
    /// Linear index of the block whose shared memory is read.
    pub block: u64,
    /// In that space: an offset for shared memory.
    pub address: u64,
}

/// The two kinds of groups that a thread makes of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Of `cp.async`.
    Copies,
    /// Of `cp.async.bulk`.
    Bulk,
}

/// Who is woken when an operation lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingCompletion {
    /// Only those that wait for memory.
    None,
    /// The mbarrier at this address in the shared memory of a block counts the bytes as landed; those that wait for a
    /// phase that this completes are woken.
    Mbarrier {
        block: u64,
        address: u64,
        bytes: u32,
    },
    /// Threads arrive at the mbarrier at this address in the shared memory of a block.
    Arrival {
        block: u64,
        address: u64,
        count: u32,
    },
    /// Those of the warp that started it that wait for asynchronous groups. `number` counts the groups that the lanes had
    /// made before.
    AsyncGroup { kind: GroupKind, number: u32 },
}

/// What an operation will do; see [`Pending`] for one that is in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOperation {
    pub origin: PendingOrigin,
    /// Written in this order.
    pub pieces: Vec<PendingPiece>,
    pub completion: PendingCompletion,
    /// It does not land by itself before this step.
    pub earliest_step: u64,
    /// Operations that land before it.
    pub after: Vec<PendingId>,
}

/// An operation in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub id: PendingId,
    /// The step before which it lands, unless nothing else can run earlier or a host asks for it.
    pub lands_at: u64,
    /// The step before which it reads its source, where threads can wait for that alone (PTX ISA,
    /// "cp.async.bulk.wait_group"), until it has. Other copies read as they land.
    pub reads_at: Option<u64>,
    pub operation: PendingOperation,
}

impl PendingOperation {
    /// Whether the source is read in a step of its own.
    fn reads_apart(&self) -> bool {
        let bulk = matches!(
            self.completion,
            PendingCompletion::AsyncGroup {
                kind: GroupKind::Bulk,
                ..
            }
        );
        bulk && self.pieces.iter().any(|piece| piece.source.is_some())
    }
}

impl Pending {
    /// The step before which something becomes of it.
    fn due(&self) -> u64 {
        self.reads_at.unwrap_or(self.lands_at)
    }

    /// The lanes that its pieces belong to.
    pub(crate) fn lanes(&self) -> u32 {
        let pieces = self.operation.pieces.iter();
        pieces.fold(0, |lanes, piece| lanes | 1 << (piece.lane & 31))
    }
}

/// Groups that each lane of a warp has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    made: [[u32; 32]; 2],
}

impl Groups {
    /// Groups that a lane has made.
    pub(crate) fn made(&self, kind: GroupKind, lane: usize) -> u32 {
        let [copies, bulk] = &self.made;
        let row = match kind {
            GroupKind::Copies => copies,
            GroupKind::Bulk => bulk,
        };
        row[lane & 31]
    }

    /// Lanes make a group of what they have started and not grouped yet.
    pub(crate) fn commit(&mut self, kind: GroupKind, lanes: u32) {
        let [copies, bulk] = &mut self.made;
        let row = match kind {
            GroupKind::Copies => copies,
            GroupKind::Bulk => bulk,
        };
        for (lane, made) in row.iter_mut().enumerate() {
            *made = made.wrapping_add(lanes >> lane & 1);
        }
    }
}

/// All operations in flight, by when they land.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InFlight {
    /// In the order of what is due, then of when they were put here.
    operations: Vec<Arc<Pending>>,
    started: u64,
}

impl InFlight {
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    pub(crate) fn all(&self) -> &[Arc<Pending>] {
        &self.operations
    }

    /// Adds an operation; `delay` is what the schedule adds to its earliest step.
    pub(crate) fn start(&mut self, operation: PendingOperation, delay: u64) -> PendingId {
        let id = PendingId(self.started);
        self.started += 1;
        let after = |delay: u64| operation.earliest_step.saturating_add(delay);
        let (reads_at, lands_at) = (after(delay / 2), after(delay));
        self.insert(Pending {
            id,
            lands_at,
            reads_at: operation.reads_apart().then_some(reads_at),
            operation,
        });
        id
    }

    fn insert(&mut self, pending: Pending) {
        let due = pending.due();
        let index = self.operations.partition_point(|p| p.due() <= due);
        self.operations.insert(index, Arc::new(pending));
    }

    /// Puts an operation whose source is read back.
    pub(crate) fn put_back(&mut self, pending: Pending) {
        self.take(pending.id);
        self.insert(pending);
    }

    /// The step at which something becomes of the next one by itself.
    #[inline(always)]
    pub(crate) fn next_landing(&self) -> Option<u64> {
        self.operations.first().map(|p| p.due())
    }

    /// The operation that was started last, while it is in flight.
    pub(crate) fn latest(&self) -> Option<PendingId> {
        let id = PendingId(self.started.checked_sub(1)?);
        self.get(id).map(|pending| pending.id)
    }

    /// The operation that is due next: it reads its source, or lands.
    pub(crate) fn first(&self) -> Option<Turn> {
        self.operations.first().map(|p| match p.reads_at {
            Some(_) => Turn::Read(p.id),
            None => Turn::InFlight(p.id),
        })
    }

    pub(crate) fn get(&self, id: PendingId) -> Option<&Arc<Pending>> {
        self.operations.iter().find(|p| p.id == id)
    }

    /// The operation itself, or one that must land before it.
    pub(crate) fn first_of(&self, id: PendingId) -> Option<PendingId> {
        let operation = &self.get(id)?.operation;
        let mut before = operation.after.iter();
        let earlier = before.find_map(|earlier| self.first_of(*earlier));
        Some(earlier.unwrap_or(id))
    }

    /// Operations of a warp that are in one of its lanes' groups, with the lanes and the number of the group.
    pub(crate) fn grouped(
        &self,
        (block, warp): (u64, u32),
        wanted: GroupKind,
    ) -> impl Iterator<Item = (&Pending, u32, u32)> {
        self.operations.iter().filter_map(move |pending| {
            let operation = &pending.operation;
            let origin = &operation.origin;
            match operation.completion {
                PendingCompletion::AsyncGroup { kind, number }
                    if kind == wanted && (origin.block, origin.warp) == (block, warp) =>
                {
                    Some((&**pending, pending.lanes(), number))
                }
                PendingCompletion::None
                | PendingCompletion::Mbarrier { .. }
                | PendingCompletion::Arrival { .. }
                | PendingCompletion::AsyncGroup { .. } => None,
            }
        })
    }

    /// Takes an operation out.
    pub(crate) fn take(&mut self, id: PendingId) -> Option<Arc<Pending>> {
        let index = self.operations.iter().position(|p| p.id == id)?;
        Some(self.operations.remove(index))
    }

    /// Whether an operation comes from one of these blocks, or will write or wake something there.
    pub(crate) fn touches(&self, of_cluster: impl Fn(u64) -> bool) -> bool {
        self.operations.iter().any(|pending| {
            let operation = &pending.operation;
            let completes = match operation.completion {
                PendingCompletion::Mbarrier { block, .. }
                | PendingCompletion::Arrival { block, .. } => of_cluster(block),
                PendingCompletion::None | PendingCompletion::AsyncGroup { .. } => false,
            };
            let writes =
                |piece: &PendingPiece| piece.space != StateSpace::Global && of_cluster(piece.block);
            completes || of_cluster(operation.origin.block) || operation.pieces.iter().any(writes)
        })
    }
}

/// Starts operations while a warp runs: the schedule chooses when they land.
#[derive(Debug)]
pub(crate) struct Starter<'a> {
    pub(crate) in_flight: &'a mut InFlight,
    pub(crate) schedule: &'a mut Schedule,
}

impl Starter<'_> {
    /// Puts an operation in flight. The instruction that does so ends its warp's run with `Stop::Turn`, so that the
    /// operation can land before the next step of the warp.
    pub(crate) fn start(&mut self, operation: PendingOperation) -> PendingId {
        let delay = self.schedule.landing_delay();
        self.in_flight.start(operation, delay)
    }
}
