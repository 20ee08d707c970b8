//! Completion of asynchronous operations: writes their results, signals their mbarriers, and wakes the waiting lane
//! groups.

use crate::code::plan_table::PlanId;
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::contract::agent::{Agent, AsyncOperationId};
use crate::contract::fault::{AccessKind, FaultKind, MbarrierFault, WaitReason};
use crate::contract::inspect::LastWriter;
use crate::contract::mbarrier::{MbarrierMisuse, MbarrierState};
use crate::contract::observer::{
    AccessAction, CacheHints, ElementAccessHeader, EventBuffer, EventHeader, EventMask, MemoryId,
    Observer,
};
use crate::contract::pending::TensorMemoryOperation;
use crate::contract::pending::{
    AsyncEffect, AsyncOperation, AsyncSource, AsyncWrite, CompletionMechanism, InFlightOperation,
    PieceBytes, Reduction,
};
use crate::contract::step_event::StepOutcome;
use crate::contract::sync_event::{SyncEvent, SyncKind};
use crate::contract::wgmma_operation::WgmmaOperation;
use crate::exec::cluster::PIECE_BYTES;
use crate::exec::matrix::tcgen05_mma;
use crate::exec::matrix::tcgen05_mma::CtaPairMemory;
use crate::exec::matrix::wgmma;
use crate::exec::memory::atomic::combine;
use crate::exec::memory_context::{ExecResult, ExecutionFault};
use crate::exec::wait_conditions::object_at;
use crate::run::completion_targets::TargetLookupCache;
use crate::run::machine::Machine;
use crate::semantics::registers::{FULL, LaneRegisters};
use crate::semantics::rounding::FloatMode;
use crate::state::last_step::LastStep;
use crate::state::memory::AttemptedAccess;
use std::borrow::Cow;
use warpgrid_isa::fragment::TensorCoreGeneration;
use warpgrid_isa::{ScalarType, Sem, StateSpace};

/// Number of bytes of a response of `clusterlaunchcontrol.try_cancel`.
const ANSWER_BYTES: u32 = 16;

impl Machine {
    /// Executes the step in which the asynchronous operation with the given ID completes.
    pub(crate) fn complete_operation(&mut self, id: AsyncOperationId, observer: &mut dyn Observer) {
        let Some(pending) = self.state.in_flight.get(id) else {
            return;
        };
        let step = self.state.position;
        let interest = observer.interest();
        // Fast path: copy a tensor tile without splitting it into pieces if no observer receives the accesses.
        let listens = interest.covers(AccessAction::Store) || interest.covers(AccessAction::Load);
        let pending = match !listens && self.moves_whole(pending) {
            true => InFlightOperation::clone(pending),
            false => pending.expand_pieces(),
        };
        let mut pending = self.resolve_cancel_request(pending);
        self.read_sources(&mut pending, observer);
        let places = match self.piece_places(&pending) {
            Ok(places) => places,
            Err(piece) => return self.stop_landing(&pending, piece),
        };
        let signal = match self.signal(&pending) {
            Ok(signal) => signal,
            Err(fault) => {
                let halt = ExecutionFault::new(FaultKind::Mbarrier(fault), pending.lanes().max(1));
                return self.record_landing_fault(&pending, *halt);
            }
        };
        let worked = self.do_work(&pending, step);
        if let Err(halt) = worked {
            return self.record_landing_fault(&pending, *halt);
        }
        self.state.in_flight.take(id);
        self.write_pieces(&pending, &places, step, interest);
        if interest.covers(AccessAction::Store) && !pending.operation.pieces.is_empty() {
            observer.access(&self.events.event(&head_of(&pending, step)));
        }
        let signals = signal.is_some();
        if interest.syncs {
            let signal = signal.as_ref().map(|signal| [signal.before, signal.state]);
            self.report_landing(&pending, signal, observer);
        }
        let ended = self.write_signal(signal, step);
        self.wake_after(&pending, ended);
        let stored = !pending.operation.pieces.is_empty()
            || signals
            || stores_by_rule(&pending.operation.work);
        if stored {
            self.state.stores_done += 1;
            observer.store_step(step);
        }
        let last = LastStep {
            stored,
            ..self.landed(&pending, StepOutcome::Landed)
        };
        if interest.steps {
            observer.step(&last.event(&self.setup.code, step));
        }
        self.state.last_step = Some(last);
        self.state.position += 1;
        let setup = std::sync::Arc::clone(&self.setup);
        self.state.launch_next_clusters(&setup, &mut self.spare);
    }

    /// Executes the effect of an asynchronous operation that its pieces do not describe.
    fn do_work(&mut self, pending: &InFlightOperation, step: u64) -> ExecResult {
        match &pending.operation.work {
            AsyncEffect::Pieces | AsyncEffect::TensorPieces(_) | AsyncEffect::Cancel { .. } => {
                Ok(())
            }
            AsyncEffect::Tensor(transfer) => {
                self.move_tile(transfer, step);
                Ok(())
            }
            AsyncEffect::Product(product) => self.land_product(pending, product),
            AsyncEffect::TensorMemory(work) => self.land_in_tensor_memory(work, step),
        }
    }

    fn report_landing(
        &self,
        pending: &InFlightOperation,
        signal: Option<[MbarrierState; 2]>,
        observer: &mut dyn Observer,
    ) {
        let origin = &pending.operation.origin;
        observer.sync(&SyncEvent {
            step: self.state.position,
            block: origin.block,
            warp: origin.warp,
            function: origin.function,
            instruction: origin.instruction,
            lanes: pending.lanes(),
            what: SyncKind::Completed { pending, signal },
        });
    }

    /// Computes a `wgmma` at its completion, and writes the registers of the warp that issued it.
    fn land_product(
        &mut self,
        pending: &InFlightOperation,
        product: &WgmmaOperation,
    ) -> Result<(), Box<ExecutionFault>> {
        let code = &self.setup.code;
        let origin = &pending.operation.origin;
        let missing =
            || ExecutionFault::internal("the matrix operation belongs to no warp", u32::MAX);
        let plan = code.warp_products.get(PlanId::new(product.plan));
        let place = self
            .state
            .blocks
            .iter()
            .position(|b| b.index == origin.block);
        let (Some(plan), Some(place)) = (plan, place) else {
            return Err(missing());
        };
        let shared = self.state.shared.get(place).ok_or_else(missing)?;
        let block = self.state.blocks.get_mut(place).ok_or_else(missing)?;
        let warp = block
            .warps
            .get_mut(origin.warp as usize)
            .ok_or_else(missing)?;
        let mut lanes = LaneRegisters {
            banks: &mut warp.banks,
            constants: &code.constants,
            specials: &warp.specials,
            base: product.base,
            mask: FULL,
            carry: &mut warp.carry,
        };
        wgmma::land(&mut lanes, plan, product, origin.warp, shared.contents())?;
        warp.dirty = true;
        Ok(())
    }

    /// Executes `clusterlaunchcontrol.try_cancel`: cancels the launch of the next cluster of the grid if a cluster has
    /// not started yet, and turns the request into the write of the response. A separate operation is issued for each
    /// further block that receives the response.
    fn resolve_cancel_request(&mut self, pending: InFlightOperation) -> InFlightOperation {
        let AsyncEffect::Cancel {
            lane,
            blocks,
            address,
            object,
        } = &pending.operation.work
        else {
            return pending;
        };
        let answer = self.cancel_cluster();
        let mut operations = blocks.iter().map(|block| AsyncOperation {
            pieces: vec![AsyncWrite {
                lane: *lane,
                space: StateSpace::Shared,
                block: *block,
                address: *address,
                bytes: PieceBytes::from_slice(&answer.to_le_bytes()),
                source: None,
                reduces: None,
            }],
            work: AsyncEffect::Pieces,
            completion: CompletionMechanism::Mbarrier {
                block: *block,
                address: *object,
                bytes: ANSWER_BYTES,
            },
            ..pending.operation.clone()
        });
        let first = operations.next();
        for operation in operations {
            self.state.in_flight.start(operation, 1);
        }
        match first {
            Some(operation) => InFlightOperation {
                operation,
                ..pending
            },
            None => pending,
        }
    }

    /// Cancels the launch of the next cluster, and returns the response. The response contains the index of the
    /// cluster's first block (x in 32 bits, y and z in 16 bits each) and the success bit 64 (encoding as read by the
    /// code of assembler 13.5). Returns 0 if no cluster is left.
    fn cancel_cluster(&mut self) -> u128 {
        if self.state.next_cluster >= self.setup.n_clusters {
            return 0;
        }
        let position = self.setup.block_position(self.state.next_cluster, 0);
        self.state.next_cluster += 1;
        self.state.blocks_done += u64::from(self.setup.n_ranks);
        let [x, y, z] = position.map(u128::from);
        x | y << 32 | z << 48 | 1 << 64
    }

    /// Executes the completion of an operation on tensor memory.
    fn land_in_tensor_memory(
        &mut self,
        work: &TensorMemoryOperation,
        step: u64,
    ) -> Result<(), Box<ExecutionFault>> {
        let lanes = 1 << (work.lane & 31);
        let plan = self.setup.code.tensor_memory.get(PlanId::new(work.plan));
        let Some(TensorMemoryPlan::Start(plan)) = plan else {
            return Err(ExecutionFault::internal(
                "no execution plan for a tensor memory operation",
                lanes,
            ));
        };
        let blocks = &self.state.blocks;
        let place = |index: &u64| blocks.iter().position(|b| b.index == *index);
        let places: Option<Vec<usize>> = work.blocks.iter().map(place).collect();
        let places =
            places.ok_or_else(|| ExecutionFault::internal("no block for tensor memory", lanes))?;
        let mut blocks = CtaPairMemory {
            shared: &self.state.shared,
            tensor: &mut self.state.tensor,
            places,
        };
        let core = TensorCoreGeneration::of(self.setup.program.target);
        tcgen05_mma::land(plan, work, &mut blocks, core, step)
    }

    /// Executes the step in which an asynchronous operation reads its source.
    pub(crate) fn read_now(&mut self, id: AsyncOperationId, observer: &mut dyn Observer) {
        let Some(pending) = self.state.in_flight.get(id) else {
            return;
        };
        let pending = pending.expand_pieces();
        let step = self.state.position;
        let interest = observer.interest();
        let mut read = pending;
        self.read_sources(&mut read, observer);
        read.reads_at = None;
        self.wake_after(&read, None);
        let last = self.landed(&read, StepOutcome::Read);
        self.state.in_flight.put_back(read);
        if interest.steps {
            observer.step(&last.event(&self.setup.code, step));
        }
        self.state.last_step = Some(last);
        self.state.position += 1;
    }

    /// Copies the current contents of the sources of an operation to its pieces, and reports the loads to the observer.
    fn read_sources(&mut self, pending: &mut InFlightOperation, observer: &mut dyn Observer) {
        let pieces = &pending.operation.pieces;
        if pieces.iter().all(|piece| piece.source.is_none()) {
            return;
        }
        let listens = observer.interest().covers(AccessAction::Load);
        let unread = listens.then(|| pieces.clone());
        let mut places = TargetLookupCache::default();
        for piece in &mut pending.operation.pieces {
            let Some(source) = piece.source.take() else {
                continue;
            };
            let n_bytes = source.form.n_read(piece.bytes.len());
            if let Some(bytes) = self.source_bytes(&mut places, &source, n_bytes) {
                source.form.take(bytes, &mut piece.bytes);
            }
        }
        if let Some(unread) = unread {
            let step = self.state.position;
            self.report_read(pending, &unread, step, observer);
        }
    }

    /// Returns the bytes of a source. The source is always accessible, because the issue of the copy checked its
    /// bounds, and its memory is not released while the copy is in flight.
    fn source_bytes(
        &self,
        places: &mut TargetLookupCache,
        source: &AsyncSource,
        n_bytes: usize,
    ) -> Option<&[u8]> {
        match source.space {
            StateSpace::Shared | StateSpace::SharedCluster => {
                let place = places.block(&self.state.blocks, source.block)?;
                let start = source.address as usize;
                let memory = self.state.shared.get(place)?;
                memory.contents().get(start..start.checked_add(n_bytes)?)
            }
            _ => {
                let global = &self.state.global;
                let start = places.global(global, source.address, n_bytes as u64)?.start;
                global.arena.bytes().get(start..start.checked_add(n_bytes)?)
            }
        }
    }

    fn report_read(
        &mut self,
        read: &InFlightOperation,
        before: &[AsyncWrite],
        step: u64,
        observer: &mut dyn Observer,
    ) {
        self.events.clear();
        for (piece, unread) in read.operation.pieces.iter().zip(before) {
            let Some(source) = &unread.source else {
                continue;
            };
            let from = ElementAccessHeader {
                written: false,
                memory: memory_of(source.space, source.block),
                address: source.address,
                ..head_of_piece(piece)
            };
            add_pieces(&mut self.events, from, &piece.bytes, &piece.bytes);
        }
        let head = EventHeader {
            action: AccessAction::Load,
            space: before
                .iter()
                .find_map(|piece| piece.source.as_ref())
                .map_or(StateSpace::Generic, |source| source.space),
            ..head_of(read, step)
        };
        observer.access(&self.events.event(&head));
    }

    fn landed(&self, pending: &InFlightOperation, what: StepOutcome) -> LastStep {
        let origin = &pending.operation.origin;
        let pieces = &pending.operation.pieces;
        let mut lanes = pieces.iter().fold(0, |lanes, p| lanes | 1 << (p.lane & 31));
        if let AsyncEffect::Tensor(transfer) = &pending.operation.work {
            lanes |= 1 << (transfer.lane & 31);
        }
        LastStep {
            agent: Agent::InFlight(pending.id),
            block: origin.block,
            warp: origin.warp,
            pc: self.setup.code.pc_of(origin.function, origin.instruction),
            lanes,
            executed: lanes,
            what,
            stored: false,
        }
    }

    /// Writes the pieces of an operation to memory, and collects the access event for the observer.
    fn write_pieces(
        &mut self,
        pending: &InFlightOperation,
        places: &[PieceTarget],
        step: u64,
        interest: EventMask,
    ) {
        let listens = interest.covers(AccessAction::Store);
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        for (piece, place) in pending.operation.pieces.iter().zip(places) {
            let writer = LastWriter {
                step,
                lane: piece.lane,
            };
            let (memory, offset) = match *place {
                PieceTarget::Shared { block, offset } => match self.state.shared.get_mut(block) {
                    Some(memory) => (memory, offset),
                    None => continue,
                },
                PieceTarget::Arena { offset } => (&mut self.state.global.arena, offset),
            };
            if piece.reduces.is_none() && !listens {
                memory.write(offset, &piece.bytes, writer);
                continue;
            }
            let old = memory.bytes().get(offset..offset + piece.bytes.len());
            let bytes = combined(piece, old.unwrap_or(&[]));
            if listens {
                let head = head_of_piece(piece);
                add_pieces(&mut events, head, &bytes, old.unwrap_or(&[]));
            }
            memory.write(offset, &bytes, writer);
        }
        self.events = events;
    }

    /// Returns the destination of each piece, or the first piece that is out of bounds as an error.
    fn piece_places<'p>(
        &self,
        pending: &'p InFlightOperation,
    ) -> Result<Vec<PieceTarget>, &'p AsyncWrite> {
        let mut places = TargetLookupCache::default();
        let pieces = pending.operation.pieces.iter();
        let place = |piece: &'p AsyncWrite| self.piece_place(&mut places, piece).ok_or(piece);
        pieces.map(place).collect()
    }

    /// Returns the memory and the offset to which a piece is written. Returns `None` if the piece is empty, out of
    /// bounds, or in read-only memory.
    fn piece_place(
        &self,
        places: &mut TargetLookupCache,
        piece: &AsyncWrite,
    ) -> Option<PieceTarget> {
        let n_bytes = piece.bytes.len() as u64;
        if n_bytes == 0 {
            return None;
        }
        match piece.space {
            StateSpace::Shared | StateSpace::SharedCluster => {
                let block = places.block(&self.state.blocks, piece.block)?;
                let memory = self.state.shared.get(block)?;
                let end = piece.address.checked_add(n_bytes)?;
                let offset = piece.address as usize;
                (end <= memory.len() as u64).then_some(PieceTarget::Shared { block, offset })
            }
            _ => {
                let found = places.global(&self.state.global, piece.address, n_bytes)?;
                let offset = found.start;
                (!found.is_read_only).then_some(PieceTarget::Arena { offset })
            }
        }
    }

    /// Returns the new state of the mbarrier that the completion signals, or `None` if the operation has no mbarrier.
    fn signal(&self, pending: &InFlightOperation) -> Result<Option<MbarrierSignal>, MbarrierFault> {
        let (block, address) = match pending.operation.completion {
            CompletionMechanism::Mbarrier { block, address, .. }
            | CompletionMechanism::Arrival { block, address, .. } => (block, address),
            CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => return Ok(None),
        };
        let place = self.state.blocks.iter().position(|b| b.index == block);
        let memory = place.and_then(|place| self.state.shared.get(place));
        let word = memory.and_then(|memory| object_at(memory, address));
        let held = word.and_then(MbarrierState::read);
        let misuse = |problem| MbarrierFault {
            block,
            address,
            problem,
            held,
        };
        let (Some(mut state), Some(place)) = (held, place) else {
            return Err(misuse(MbarrierMisuse::NotAnMbarrier));
        };
        let before = state;
        let ends_phase = match pending.operation.completion {
            CompletionMechanism::Mbarrier { bytes, .. } => state.complete(bytes),
            CompletionMechanism::Arrival { count, .. } => state.arrive(count),
            CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => Ok(false),
        };
        Ok(Some(MbarrierSignal {
            place,
            block,
            address,
            before,
            state,
            ends_phase: ends_phase.map_err(misuse)?,
        }))
    }

    /// Writes the new state of a signaled mbarrier. Returns the block of the mbarrier if the phase has completed.
    fn write_signal(&mut self, signal: Option<MbarrierSignal>, step: u64) -> Option<u64> {
        let signal = signal?;
        let memory = self.state.shared.get_mut(signal.place)?;
        let writer = LastWriter { step, lane: 0 };
        let word = signal.state.word().to_le_bytes();
        memory.write(signal.address as usize, &word, writer);
        signal.ends_phase.then_some(signal.block)
    }

    fn stop_landing(&mut self, pending: &InFlightOperation, piece: &AsyncWrite) {
        let halt = ExecutionFault {
            kind: FaultKind::OutOfBounds,
            lanes: 1 << (piece.lane & 31),
            access: Some(AttemptedAccess {
                kind: AccessKind::Store,
                space: piece.space,
                address: piece.address,
                width_bytes: piece.bytes.len() as u32,
            }),
        };
        self.record_landing_fault(pending, halt);
    }

    /// Wakes the lane groups that wait for the operation or for any change of memory. The woken groups execute their
    /// instruction again.
    fn wake_after(&mut self, pending: &InFlightOperation, ended: Option<u64>) {
        let operation = &pending.operation;
        let origin = operation.origin;
        for block in &mut self.state.blocks {
            for warp in &mut block.warps {
                let from_here = (block.index, warp.index) == (origin.block, origin.warp);
                let woken = warp.splits.wake(|reason| match *reason {
                    WaitReason::Memory => true,
                    WaitReason::MbarrierPhase { .. } => ended == Some(block.index),
                    WaitReason::AsyncGroup { .. } => {
                        let grouped = CompletionMechanism::is_grouped(operation.completion);
                        from_here && grouped
                    }
                    WaitReason::Barrier { .. }
                    | WaitReason::WarpLanes { .. }
                    | WaitReason::ClusterBarrier
                    | WaitReason::TensorColumns { .. } => false,
                });
                warp.dirty |= woken;
            }
        }
    }
}

/// Memory and offset to which a completing operation writes a piece.
#[derive(Clone, Copy, Debug)]
enum PieceTarget {
    /// Shared memory of the block in this resident slot.
    Shared {
        block: usize,
        offset: usize,
    },
    Arena {
        offset: usize,
    },
}

/// Returns the fields of a completion's access event that are common to all pieces.
fn head_of(pending: &InFlightOperation, step: u64) -> EventHeader {
    let operation = &pending.operation;
    let pieces = &operation.pieces;
    let first = pieces.first();
    let width_bytes = first.map_or(0, |piece| piece.bytes.len() as u32);
    EventHeader {
        step,
        agent: Agent::InFlight(pending.id),
        origin: (operation.origin.function, operation.origin.instruction),
        action: AccessAction::Store,
        space: first.map_or(StateSpace::Generic, |piece| piece.space),
        // The accesses of asynchronous operations are weak (PTX ISA, "Asynchronous Operations").
        sem: Sem::Weak,
        scope: None,
        cache: CacheHints::default(),
        mask: pieces.iter().fold(0, |lanes, p| lanes | 1 << (p.lane & 31)),
        width_bytes,
        access_bytes: width_bytes,
    }
}

/// New state of the mbarrier that a completion signals.
struct MbarrierSignal {
    /// Resident slot of the block that contains the mbarrier.
    place: usize,
    block: u64,
    address: u64,
    before: MbarrierState,
    state: MbarrierState,
    ends_phase: bool,
}

impl CompletionMechanism {
    fn is_grouped(self) -> bool {
        matches!(self, CompletionMechanism::AsyncGroup { .. })
    }
}

/// Checks whether an operation stores to memory although it has no pieces that describe its stores.
const fn stores_by_rule(work: &AsyncEffect) -> bool {
    match work {
        AsyncEffect::TensorMemory(_) | AsyncEffect::Tensor(_) => true,
        AsyncEffect::Pieces
        | AsyncEffect::TensorPieces(_)
        | AsyncEffect::Product(_)
        | AsyncEffect::Cancel { .. } => false,
    }
}

/// Returns the bytes that memory contains after a piece is written. `old` contains the previous bytes.
fn combined<'p>(piece: &'p AsyncWrite, old: &[u8]) -> Cow<'p, [u8]> {
    let Some(Reduction { op, ty, flushes }) = piece.reduces else {
        return Cow::Borrowed(&piece.bytes);
    };
    let mode = FloatMode {
        ftz: flushes,
        ..FloatMode::default()
    };
    let size = ty.width_bytes().max(1) as usize;
    let number = |bytes: &[u8]| {
        let mut value = [0; 16];
        for (to, from) in value.iter_mut().zip(bytes) {
            *to = *from;
        }
        u128::from_le_bytes(value)
    };
    let mut result = old.to_vec();
    for (to, from) in result.chunks_mut(size).zip(piece.bytes.chunks(size)) {
        let (value, written) = combine(op, ty, mode, number(to), [number(from), 0]);
        if written {
            to.copy_from_slice(value.to_le_bytes().get(..to.len()).unwrap_or(&[]));
        }
    }
    Cow::Owned(result)
}

/// Adds bytes without an element type to an access event, in pieces of at most 16 bytes.
fn add_pieces(events: &mut EventBuffer, mut head: ElementAccessHeader, bytes: &[u8], old: &[u8]) {
    let chunks = bytes.chunks(PIECE_BYTES).zip(old.chunks(PIECE_BYTES));
    for (bytes, old) in chunks {
        head.ty = type_of(bytes.len());
        events.add(head, bytes, old);
        head.address += bytes.len() as u64;
    }
}

/// Returns the untyped bits type with this number of bytes, or `B8` if no such type exists.
fn type_of(n_bytes: usize) -> ScalarType {
    match n_bytes {
        2 => ScalarType::B16,
        4 => ScalarType::B32,
        8 => ScalarType::B64,
        16 => ScalarType::B128,
        _ => ScalarType::B8,
    }
}

fn head_of_piece(piece: &AsyncWrite) -> ElementAccessHeader {
    ElementAccessHeader {
        address_lane: (piece.lane & 31) as u8,
        data_lane: (piece.lane & 31) as u8,
        element: 0,
        written: true,
        ty: type_of(piece.bytes.len()),
        // The access has no operand, because asynchronous operations read their register operands at issue.
        operand: None,
        memory: memory_of(piece.space, piece.block),
        address: piece.address,
    }
}

/// Returns the identifier of the memory that an asynchronous operation accesses.
fn memory_of(space: StateSpace, block: u64) -> MemoryId {
    match space {
        StateSpace::Shared | StateSpace::SharedCluster => MemoryId::Shared { block },
        _ => MemoryId::Global,
    }
}
