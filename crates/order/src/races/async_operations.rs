//! Race check of asynchronous operations. The detector checks the accesses of an operation when the operation starts.
//! The operation happens after the earlier accesses of its thread, and before the code that waits for its completion.

use crate::races::access_site::{
    AccessSite, AccessSiteId, OperandRole, ProxyKind, SiteAccessKind, action_of,
};
use crate::races::accessor::AccessContext;
use crate::races::detector::RaceDetector;
use crate::races::location::ByteRange;
use crate::races::location::MemoryInstance;
use crate::races::mbarrier_sync::object_site;
use crate::races::mma_operands::see_products_complete;
use crate::races::race_report::{Race, RaceCause, RaceCounterpart, RaceSide, ThreadId};
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{
    ClockGroup, ClockGroupKind, ProxyFence, VectorClock, join, lanes_of,
};
use crate::races::warp_state::WarpState;
use crate::scope::Strength;
use std::rc::Rc;
use warpgrid_emulator::{
    AsyncEffect, AsyncGroupKind, AsyncWrite, CompletionMechanism, GroupWait, InFlightOperation,
    MbarrierState, Reduction, SyncEvent, ends_phase,
};
use warpgrid_isa::{AsyncTransferKind, Scope, StateSpace};

/// Start of an asynchronous operation by a warp, with the clocks to which the accesses of the operation are attributed.
pub(crate) struct AsyncStart<'a> {
    state: &'a WarpState,
    block: u64,
    warp: u32,
    pub(crate) event: &'a SyncEvent<'a>,
    pub(crate) pending: &'a InFlightOperation,
    proxy: ProxyKind,
    /// Number of operations that each lane has started, for the kinds of operations that complete in order.
    numbers: Option<(AsyncGroupKind, [u32; 32])>,
}

impl AsyncStart<'_> {
    /// Returns the vector clock row, the lanes and the epoch to which the accesses of a lane are attributed.
    fn attribution(&self, lane: u32, access: SiteAccessKind) -> (ClockGroup, u32, u32) {
        match &self.numbers {
            None => {
                let (row, bit) = ClockGroup::single(self.pending.id.0);
                (row, bit, 1)
            }
            Some((kind, numbers)) => {
                let kind = match kind {
                    AsyncGroupKind::Bulk if access.writes() => ClockGroupKind::BulkWrites,
                    AsyncGroupKind::Bulk => ClockGroupKind::BulkReads,
                    AsyncGroupKind::Copies | AsyncGroupKind::Products => ClockGroupKind::Copies,
                };
                let row = ClockGroup::of(kind, self.block, self.warp);
                (row, 1 << lane, numbers[lane as usize & 31])
            }
        }
    }
}

impl RaceDetector {
    /// Checks the memory accesses of an asynchronous operation at its start.
    pub(crate) fn on_async_start(&mut self, event: &SyncEvent<'_>, pending: &InFlightOperation) {
        let (block, warp) = (event.block, event.warp);
        let lanes = event.lanes;
        if matches!(
            pending.operation.work,
            AsyncEffect::Product(_) | AsyncEffect::TensorMemory(_)
        ) {
            return;
        }
        let mut state = self.take(block, warp);
        let numbers = match pending.operation.completion {
            CompletionMechanism::AsyncGroup { kind, .. } => {
                Some((kind, state.start(kind, lanes_of_pieces(pending) & lanes)))
            }
            CompletionMechanism::None
            | CompletionMechanism::Mbarrier { .. }
            | CompletionMechanism::Arrival { .. } => None,
        };
        let first = lanes_of_pieces(pending).trailing_zeros().min(31);
        let starter = match lanes_of_pieces(pending) {
            0 => lanes.trailing_zeros(),
            _ => first,
        };
        if numbers.is_none() {
            self.individual_operations
                .insert(pending.id.0, ThreadId::of_lane(block, warp, starter));
        }
        let start = AsyncStart {
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
        if let AsyncEffect::Cancel {
            blocks, address, ..
        } = &pending.operation.work
        {
            self.on_query_response(blocks, *address);
        }
        self.see_completion(&start, starter);
        state.advance_epoch(lanes);
        self.put(block, warp, state);
    }

    /// Marks the 16 bytes of the response of `clusterlaunchcontrol.try_cancel` as written in the shared memory of the
    /// blocks, because the asynchronous operation writes the response there.
    fn on_query_response(&mut self, blocks: &[u64], address: u64) {
        for block in blocks {
            for at in (address..address + 16).step_by(4) {
                let shadow = self.shadow();
                let word = shadow.word(MemoryInstance::Shared(*block), at);
                shadow.set_written(word, 15);
            }
        }
    }

    fn proxy_of(&self, event: &SyncEvent<'_>) -> ProxyKind {
        let action = action_of(&self.program, event.function, event.instruction);
        match action.map(|action| action.operation.transfer()) {
            Some(
                AsyncTransferKind::Registers | AsyncTransferKind::Copy | AsyncTransferKind::Arrival,
            ) => ProxyKind::Generic,
            Some(AsyncTransferKind::Bulk | AsyncTransferKind::None) | None => ProxyKind::Async,
        }
    }

    fn see_piece(&mut self, start: &AsyncStart<'_>, piece: &AsyncWrite) {
        if let Some(source) = &piece.source {
            let site = self.async_site(start, OperandRole::Source, piece);
            let bytes = ByteRange::at(
                memory_of(source.space, source.block),
                source.address,
                piece.bytes.len() as u32,
            );
            let by = self.accessor(start, site, piece.lane);
            self.look_at_range(&by, bytes);
        }
        let site = self.async_site(start, OperandRole::Destination, piece);
        let bytes = ByteRange::at(
            memory_of(piece.space, piece.block),
            piece.address,
            piece.bytes.len() as u32,
        );
        let by = self.accessor(start, site, piece.lane);
        self.look_at_range(&by, bytes);
    }

    /// Checks the byte range that a piece of an operation reads or writes.
    fn look_at_range(&mut self, by: &AccessContext<'_>, bytes: ByteRange) {
        // Non-bulk copies skip the fast path for ranges, which is not worthwhile for their maximum of 16 bytes per lane.
        let rest = match by.as_row.is_copies() {
            true => Some(bytes),
            false => self.see_range(by, bytes),
        };
        let Some(rest) = rest else {
            return;
        };
        self.check_block_lifetime(by, bytes);
        self.check(by, rest);
        if self.sites.get(by.site).kind.writes() {
            self.forget_strong(bytes);
        }
    }

    pub(crate) fn look_async(
        &mut self,
        start: &AsyncStart<'_>,
        site: AccessSiteId,
        lane: u32,
        bytes: ByteRange,
    ) {
        let by = self.accessor(start, site, lane);
        if bytes.n > 0 {
            self.check_bytes(&by, bytes);
        }
    }

    /// Returns the access context of a lane that starts an asynchronous operation, for one access of the operation.
    fn accessor<'a>(
        &self,
        start: &AsyncStart<'a>,
        site: AccessSiteId,
        lane: u32,
    ) -> AccessContext<'a> {
        let lane = lane & 31;
        let (as_row, as_lanes, as_epoch) = start.attribution(lane, self.sites.get(site).kind);
        AccessContext {
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

    fn async_site(
        &mut self,
        start: &AsyncStart<'_>,
        side: OperandRole,
        piece: &AsyncWrite,
    ) -> AccessSiteId {
        let event = start.event;
        let (kind, strength, element_bytes) = match (side, piece.reduces) {
            (OperandRole::Source, _) => (SiteAccessKind::Read, Strength::Weak, 0),
            // Each reduction is a separate relaxed access (PTX ISA, `red.async`, `cp.reduce.async.bulk`).
            (_, Some(Reduction { ty, .. })) => {
                let scope = match start.proxy {
                    ProxyKind::Async => Scope::Gpu,
                    ProxyKind::Generic | ProxyKind::ReadOnly | ProxyKind::TensorMap => {
                        Scope::Cluster
                    }
                };
                (
                    SiteAccessKind::Atomic,
                    Strength::Strong(scope),
                    ty.width_bytes(),
                )
            }
            (_, None) => (SiteAccessKind::Write, Strength::Weak, 0),
        };
        let proxy = start.proxy;
        self.sites.of(
            event.function,
            event.instruction,
            side,
            element_bytes,
            || AccessSite {
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

    /// Records the access of an asynchronous operation to the mbarrier on which it completes or arrives.
    fn see_completion(&mut self, start: &AsyncStart<'_>, lane: u32) {
        let (block, address) = match start.pending.operation.completion {
            CompletionMechanism::Mbarrier { block, address, .. } => (block, address),
            CompletionMechanism::Arrival { block, address, .. } => {
                self.see_arrival_start(start);
                (block, address)
            }
            CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => return,
        };
        let event = start.event;
        let site = self.sites.of(
            event.function,
            event.instruction,
            OperandRole::Object,
            crate::races::mbarrier_object::OBJECT_BYTES,
            || AccessSite {
                asynchronous: true,
                ..object_site(event.function, event.instruction, SiteAccessKind::Atomic)
            },
        );
        let bytes = ByteRange::at(
            MemoryInstance::Shared(block),
            address,
            crate::races::mbarrier_object::OBJECT_BYTES,
        );
        self.look_async(start, site, lane, bytes);
        if start.proxy == ProxyKind::Async && !is_arrival(start.pending) {
            self.look_at_init(start, site, lane, bytes);
        }
    }

    /// Checks that a fence separates the initialization of an mbarrier from the first copy that completes on this
    /// mbarrier.
    fn look_at_init(
        &mut self,
        start: &AsyncStart<'_>,
        site: AccessSiteId,
        lane: u32,
        bytes: ByteRange,
    ) {
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
        if start.state.unfenced(own, ProxyFence::Init, of) == 0 {
            return;
        }
        let (first, second) = (*self.sites.get(init.site), *self.sites.get(site));
        let their = init.point;
        let theirs = ThreadId::of_lane(their.row.block(), their.row.warp(), their.lane);
        let own = ThreadId::of_lane(start.block, start.warp, lane);
        let found = Race {
            first: RaceSide::of(&first, theirs),
            second: RaceCounterpart::Access(RaceSide::of(&second, own)),
            memory: bytes.memory,
            address: bytes.address,
            n_bytes: bytes.n,
            why: RaceCause::MissingInitFence,
            same_value: false,
            step: start.event.step,
            is_fenced_there: false,
        };
        self.add(init.site, site, found);
    }

    /// Records the clock of an asynchronous arrival. An arrival happens after all copies that its lanes have started, or after all matrix
    /// operations that its thread has started. The matrix operations happen after the earlier accesses of the thread.
    fn see_arrival_start(&mut self, start: &AsyncStart<'_>) {
        if start.proxy != ProxyKind::Generic {
            let mut clock = VectorClock::empty();
            let row = row_of(start.block, start.warp);
            let present = self.shape.present(start.warp);
            let lanes = start.event.lanes;
            start.state.release_into(&mut clock, row, lanes, present);
            // Join the arrival with the earlier arrivals of the thread, because the commits of a thread complete in order.
            let lane = start.event.lanes.trailing_zeros();
            let thread = ThreadId::of_lane(start.block, start.warp, lane);
            let committed = self.committed.entry(thread).or_default();
            join(&mut clock, committed);
            let (row, bit) = ClockGroup::single(start.pending.id.0);
            Rc::make_mut(committed).advance(row, bit, 1);
            self.arrivals.insert(start.pending.id.0, clock);
            return;
        }
        let started = start.state.started(AsyncGroupKind::Copies);
        let row = ClockGroup::of(ClockGroupKind::Copies, start.block, start.warp);
        let mut clock = VectorClock::default();
        for lane in lanes_of(start.event.lanes) {
            clock.advance(row, 1 << lane, started[lane]);
        }
        self.arrivals.insert(start.pending.id.0, Rc::new(clock));
    }

    /// Records the completion of an operation: threads that wait for the current phase of the mbarrier acquire the
    /// effects of the operation.
    pub(crate) fn on_completion(
        &mut self,
        pending: &InFlightOperation,
        signal: Option<[MbarrierState; 2]>,
    ) {
        let (block, address) = match pending.operation.completion {
            CompletionMechanism::Mbarrier { block, address, .. }
            | CompletionMechanism::Arrival { block, address, .. } => (block, address),
            CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => return,
        };
        let (row, bit) = ClockGroup::single(pending.id.0);
        let arrival = self.arrivals.remove(&pending.id.0);
        let object = self
            .objects
            .entry((MemoryInstance::Shared(block), address))
            .or_default();
        object.on_completion(row, bit, arrival.as_deref());
        if let Some([before, after]) = signal
            && ends_phase(Some(before), Some(after))
        {
            object.end_phase();
        }
    }

    /// Records that lanes wait for their asynchronous operations of one kind.
    pub(crate) fn see_wait(&mut self, event: &SyncEvent<'_>, wait: GroupWait) {
        let GroupWait {
            kind,
            latest,
            reads,
        } = wait;
        let (block, warp) = (event.block, event.warp);
        let mut state = self.take(block, warp);
        let complete = state.complete(kind, latest);
        if kind == AsyncGroupKind::Products {
            see_products_complete(&mut state, event, &complete);
        }
        let rows: &[ClockGroupKind] = match (kind, reads) {
            (AsyncGroupKind::Copies, _) => &[ClockGroupKind::Copies],
            (AsyncGroupKind::Bulk, true) => &[ClockGroupKind::BulkReads],
            (AsyncGroupKind::Bulk, false) => {
                &[ClockGroupKind::BulkReads, ClockGroupKind::BulkWrites]
            }
            (AsyncGroupKind::Products, _) => &[],
        };
        for kind in rows {
            state.raise(event.lanes, ClockGroup::of(*kind, block, warp), &complete);
        }
        self.put(block, warp, state);
    }
}

/// Checks whether the completion of an asynchronous operation is an arrival of threads at an mbarrier.
fn is_arrival(pending: &InFlightOperation) -> bool {
    matches!(
        pending.operation.completion,
        CompletionMechanism::Arrival { .. }
    )
}

/// Returns the lanes to which the pieces of an operation belong.
fn lanes_of_pieces(pending: &InFlightOperation) -> u32 {
    let pieces = pending.operation.pieces.iter();
    let lanes = pieces.fold(0, |lanes, piece| lanes | 1 << (piece.lane & 31));
    match &pending.operation.work {
        AsyncEffect::Tensor(transfer) | AsyncEffect::TensorPieces(transfer) => {
            lanes | 1 << (transfer.lane & 31)
        }
        AsyncEffect::Cancel { lane, .. } => lanes | 1 << (lane & 31),
        AsyncEffect::Pieces | AsyncEffect::Product(_) | AsyncEffect::TensorMemory(_) => lanes,
    }
}

/// Returns the memory that a state space of an asynchronous operation denotes.
fn memory_of(space: StateSpace, block: u64) -> MemoryInstance {
    match space {
        StateSpace::Shared | StateSpace::SharedCluster => MemoryInstance::Shared(block),
        _ => MemoryInstance::Global,
    }
}
