//! Asynchronous operations: their accesses are checked when the operation starts. The operation happens after the
//! earlier accesses of its thread, and before the code that waits for its completion.

use crate::races::accessor::Accessor;
use crate::races::clock::row_of;
use crate::races::clock::{Clock, Fenced, Row, RowKind, join, lanes_of};
use crate::races::detector::Detector;
use crate::races::found::{Access, End, Found, ThreadId, Why};
use crate::races::location::Bytes;
use crate::races::location::Memory;
use crate::races::mbarriers::object_site;
use crate::races::products::see_products_complete;
use crate::races::site::{Kind, ProxyKind, Side, Site, SiteId, action_of};
use crate::races::threads::Warp;
use crate::scope::Strength;
use std::rc::Rc;
use warpgrid_emulator::{
    GroupKind, GroupWait, MbarrierState, Pending, PendingCompletion, PendingPiece, Reduction,
    SyncEvent, Work, ends_phase,
};
use warpgrid_isa::{Scope, StateSpace, Transfer};

/// Start of an asynchronous operation by a warp.
pub(crate) struct Start<'a> {
    state: &'a Warp,
    block: u64,
    warp: u32,
    pub(crate) event: &'a SyncEvent<'a>,
    pub(crate) pending: &'a Pending,
    proxy: ProxyKind,
    /// Number of operations that each lane has started, for kinds that complete in order.
    numbers: Option<(GroupKind, [u32; 32])>,
}

impl Start<'_> {
    /// Returns the row, the lanes and the epoch to which the accesses of a lane are attributed.
    fn attribution(&self, lane: u32, access: Kind) -> (Row, u32, u32) {
        match &self.numbers {
            None => {
                let (row, bit) = Row::single(self.pending.id.0);
                (row, bit, 1)
            }
            Some((kind, numbers)) => {
                let kind = match kind {
                    GroupKind::Bulk if access.writes() => RowKind::BulkWrites,
                    GroupKind::Bulk => RowKind::BulkReads,
                    GroupKind::Copies | GroupKind::Products => RowKind::Copies,
                };
                let row = Row::of(kind, self.block, self.warp);
                (row, 1 << lane, numbers[lane as usize & 31])
            }
        }
    }
}

impl Detector {
    /// Checks the memory accesses of an operation that starts.
    pub(crate) fn see_start(&mut self, event: &SyncEvent<'_>, pending: &Pending) {
        let (block, warp) = (event.block, event.warp);
        let lanes = event.lanes;
        if matches!(
            pending.operation.work,
            Work::Product(_) | Work::TensorMemory(_)
        ) {
            return;
        }
        let mut state = self.take(block, warp);
        let numbers = match pending.operation.completion {
            PendingCompletion::AsyncGroup { kind, .. } => {
                Some((kind, state.start(kind, lanes_of_pieces(pending) & lanes)))
            }
            PendingCompletion::None
            | PendingCompletion::Mbarrier { .. }
            | PendingCompletion::Arrival { .. } => None,
        };
        let first = lanes_of_pieces(pending).trailing_zeros().min(31);
        let starter = match lanes_of_pieces(pending) {
            0 => lanes.trailing_zeros(),
            _ => first,
        };
        if numbers.is_none() {
            self.singles
                .insert(pending.id.0, ThreadId::of_lane(block, warp, starter));
        }
        let start = Start {
            state: &state,
            block,
            warp,
            event,
            pending,
            proxy: self.proxy_of(event),
            numbers,
        };
        self.see_map(&start, starter);
        for piece in pending.operation.all_pieces().iter() {
            self.see_piece(&start, piece);
        }
        if let Work::Cancel {
            blocks, address, ..
        } = &pending.operation.work
        {
            self.answer(blocks, *address);
        }
        self.see_completion(&start, starter);
        state.tick(lanes);
        self.put(block, warp, state);
    }

    /// Marks the 16 bytes of a response as written in the shared memory of the blocks, because the system will write
    /// the response there.
    fn answer(&mut self, blocks: &[u64], address: u64) {
        for block in blocks {
            for at in (address..address + 16).step_by(4) {
                let shadow = self.shadow();
                let word = shadow.word(Memory::Shared(*block), at);
                shadow.set_written(word, 15);
            }
        }
    }

    fn proxy_of(&self, event: &SyncEvent<'_>) -> ProxyKind {
        let action = action_of(&self.program, event.function, event.instruction);
        match action.map(|action| action.does.transfer()) {
            Some(Transfer::Registers | Transfer::Copy | Transfer::Arrival) => ProxyKind::Generic,
            Some(Transfer::Bulk | Transfer::None) | None => ProxyKind::Async,
        }
    }

    fn see_piece(&mut self, start: &Start<'_>, piece: &PendingPiece) {
        if let Some(source) = &piece.source {
            let site = self.async_site(start, Side::Source, piece);
            let bytes = Bytes::at(
                memory_of(source.space, source.block),
                source.address,
                piece.bytes.len() as u32,
            );
            let by = self.accessor(start, site, piece.lane);
            self.look_at_range(&by, bytes);
        }
        let site = self.async_site(start, Side::Destination, piece);
        let bytes = Bytes::at(
            memory_of(piece.space, piece.block),
            piece.address,
            piece.bytes.len() as u32,
        );
        let by = self.accessor(start, site, piece.lane);
        self.look_at_range(&by, bytes);
    }

    /// Checks the byte range that a piece of an operation reads or writes.
    fn look_at_range(&mut self, by: &Accessor<'_>, bytes: Bytes) {
        // Non-bulk copies access only a few bytes per lane, so the range check would not pay off.
        let rest = match by.as_row.is_copies() {
            true => Some(bytes),
            false => self.see_range(by, bytes),
        };
        let Some(rest) = rest else {
            return;
        };
        self.look_at_life(by, bytes);
        self.check(by, rest);
        if self.sites.get(by.site).kind.writes() {
            self.forget_strong(bytes);
        }
    }

    pub(crate) fn look_async(&mut self, start: &Start<'_>, site: SiteId, lane: u32, bytes: Bytes) {
        let by = self.accessor(start, site, lane);
        if bytes.n > 0 {
            self.look(&by, bytes);
        }
    }

    /// Returns the accessor of a lane that starts an operation with this access.
    fn accessor<'a>(&self, start: &Start<'a>, site: SiteId, lane: u32) -> Accessor<'a> {
        let lane = lane & 31;
        let (as_row, as_lanes, as_epoch) = start.attribution(lane, self.sites.get(site).kind);
        Accessor {
            warp: start.state,
            threads: row_of(start.block, start.warp),
            lanes: 1 << lane,
            home: self.shape.home(start.block),
            site,
            as_row,
            as_lanes,
            as_epoch,
            step: start.event.step,
        }
    }

    fn async_site(&mut self, start: &Start<'_>, side: Side, piece: &PendingPiece) -> SiteId {
        let event = start.event;
        let (kind, strength, element_bytes) = match (side, piece.reduces) {
            (Side::Source, _) => (Kind::Read, Strength::Weak, 0),
            // Each reduction is a separate relaxed access (PTX ISA, `red.async`, `cp.reduce.async.bulk`).
            (_, Some(Reduction { ty, .. })) => {
                let scope = match start.proxy {
                    ProxyKind::Async => Scope::Gpu,
                    ProxyKind::Generic | ProxyKind::ReadOnly | ProxyKind::TensorMap => {
                        Scope::Cluster
                    }
                };
                (Kind::Atomic, Strength::Strong(scope), ty.width_bytes())
            }
            (_, None) => (Kind::Write, Strength::Weak, 0),
        };
        let proxy = start.proxy;
        self.sites.of(
            event.function,
            event.instruction,
            side,
            element_bytes,
            || Site {
                function: event.function,
                instruction: event.instruction,
                kind,
                strength,
                proxy,
                asynchronous: true,
                element_bytes,
            },
        )
    }

    /// Records the access to the mbarrier on which the operation completes or arrives.
    fn see_completion(&mut self, start: &Start<'_>, lane: u32) {
        let (block, address) = match start.pending.operation.completion {
            PendingCompletion::Mbarrier { block, address, .. } => (block, address),
            PendingCompletion::Arrival { block, address, .. } => {
                self.see_arrival_start(start);
                (block, address)
            }
            PendingCompletion::None | PendingCompletion::AsyncGroup { .. } => return,
        };
        let event = start.event;
        let site = self.sites.of(
            event.function,
            event.instruction,
            Side::Object,
            crate::races::mbarrier_object::OBJECT_BYTES,
            || Site {
                asynchronous: true,
                ..object_site(event.function, event.instruction, Kind::Atomic)
            },
        );
        let bytes = Bytes::at(
            Memory::Shared(block),
            address,
            crate::races::mbarrier_object::OBJECT_BYTES,
        );
        self.look_async(start, site, lane, bytes);
        if start.proxy == ProxyKind::Async && !is_arrival(start.pending) {
            self.look_at_init(start, site, lane, bytes);
        }
    }

    /// Checks that a fence separates the initialization of an mbarrier from the first copy that completes on it.
    fn look_at_init(&mut self, start: &Start<'_>, site: SiteId, lane: u32, bytes: Bytes) {
        let place = (bytes.memory, bytes.address);
        let Some(object) = self.objects.get_mut(&place) else {
            return;
        };
        let Some(init) = object.init.take() else {
            return;
        };
        let row = row_of(start.block, start.warp);
        let own = start.state.point(row, lane as usize & 31);
        let of = (init.point.row, 1 << init.point.lane, init.point.epoch);
        if start.state.unfenced(own, Fenced::Init, of) == 0 {
            return;
        }
        let (first, second) = (*self.sites.get(init.site), *self.sites.get(site));
        let their = init.point;
        let theirs = ThreadId::of_lane(their.row.block(), their.row.warp(), their.lane);
        let own = ThreadId::of_lane(start.block, start.warp, lane);
        let found = Found {
            first: Access::of(&first, theirs),
            second: End::Access(Access::of(&second, own)),
            memory: bytes.memory,
            address: bytes.address,
            n_bytes: bytes.n,
            why: Why::Init,
            same_value: false,
            step: start.event.step,
            is_fenced_there: false,
        };
        self.add(init.site, site, found);
    }

    /// Records the clock of an asynchronous arrival. The arrival happens after all copies that its lanes have started,
    /// or after the matrix operations, which happen after the earlier accesses of their thread.
    fn see_arrival_start(&mut self, start: &Start<'_>) {
        if start.proxy != ProxyKind::Generic {
            let mut clock = Clock::nothing();
            let row = row_of(start.block, start.warp);
            let present = self.shape.present(start.warp);
            let lanes = start.event.lanes;
            start.state.hand_on(&mut clock, row, lanes, present);
            // The commits of one thread complete in order, so a wait for a later arrival also acquires the earlier
            // arrivals.
            let lane = start.event.lanes.trailing_zeros();
            let thread = ThreadId::of_lane(start.block, start.warp, lane);
            let committed = self.committed.entry(thread).or_default();
            join(&mut clock, committed);
            let (row, bit) = Row::single(start.pending.id.0);
            Rc::make_mut(committed).raise(row, bit, 1);
            self.arrivals.insert(start.pending.id.0, clock);
            return;
        }
        let started = start.state.started(GroupKind::Copies);
        let row = Row::of(RowKind::Copies, start.block, start.warp);
        let mut clock = Clock::default();
        for lane in lanes_of(start.event.lanes) {
            clock.raise(row, 1 << lane, started[lane]);
        }
        self.arrivals.insert(start.pending.id.0, Rc::new(clock));
    }

    /// Records the completion of an operation: waiters for the current phase of its mbarrier acquire the operation.
    pub(crate) fn see_landing(&mut self, pending: &Pending, signal: Option<[MbarrierState; 2]>) {
        let (block, address) = match pending.operation.completion {
            PendingCompletion::Mbarrier { block, address, .. }
            | PendingCompletion::Arrival { block, address, .. } => (block, address),
            PendingCompletion::None | PendingCompletion::AsyncGroup { .. } => return,
        };
        let (row, bit) = Row::single(pending.id.0);
        let arrival = self.arrivals.remove(&pending.id.0);
        let object = self
            .objects
            .entry((Memory::Shared(block), address))
            .or_default();
        object.land(row, bit, arrival.as_deref());
        if let Some([before, after]) = signal
            && ends_phase(Some(before), Some(after))
        {
            object.end_phase();
        }
    }

    /// Records a wait of lanes for their operations of one kind.
    pub(crate) fn see_wait(&mut self, event: &SyncEvent<'_>, wait: GroupWait) {
        let GroupWait {
            kind,
            latest,
            reads,
        } = wait;
        let (block, warp) = (event.block, event.warp);
        let mut state = self.take(block, warp);
        let complete = state.complete(kind, latest);
        if kind == GroupKind::Products {
            see_products_complete(&mut state, event, &complete);
        }
        let rows: &[RowKind] = match (kind, reads) {
            (GroupKind::Copies, _) => &[RowKind::Copies],
            (GroupKind::Bulk, true) => &[RowKind::BulkReads],
            (GroupKind::Bulk, false) => &[RowKind::BulkReads, RowKind::BulkWrites],
            (GroupKind::Products, _) => &[],
        };
        for kind in rows {
            state.raise(event.lanes, Row::of(*kind, block, warp), &complete);
        }
        self.put(block, warp, state);
    }
}

/// Checks whether threads arrive at an mbarrier when the operation completes.
fn is_arrival(pending: &Pending) -> bool {
    matches!(
        pending.operation.completion,
        PendingCompletion::Arrival { .. }
    )
}

/// Returns the lanes to which the pieces of an operation belong.
fn lanes_of_pieces(pending: &Pending) -> u32 {
    let pieces = pending.operation.pieces.iter();
    let lanes = pieces.fold(0, |lanes, piece| lanes | 1 << (piece.lane & 31));
    match &pending.operation.work {
        Work::Tensor(transfer) | Work::TensorPieces(transfer) => lanes | 1 << (transfer.lane & 31),
        Work::Cancel { lane, .. } => lanes | 1 << (lane & 31),
        Work::Pieces | Work::Product(_) | Work::TensorMemory(_) => lanes,
    }
}

/// Returns the memory that a state space of an asynchronous operation denotes.
fn memory_of(space: StateSpace, block: u64) -> Memory {
    match space {
        StateSpace::Shared | StateSpace::SharedCluster => Memory::Shared(block),
        _ => Memory::Global,
    }
}
