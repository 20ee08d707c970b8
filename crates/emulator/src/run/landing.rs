//! An operation in flight lands: its bytes are written, and those that wait for it try again.

use crate::exec::reach::Halt;
use crate::run::event::{Agent, LastStep, Outcome, PendingId};
use crate::run::fault::{AccessKind, FaultKind, WaitReason};
use crate::run::inspect::Writer;
use crate::run::machine::Machine;
use crate::run::observe::{AccessAction, CacheHints, EventHead, MemoryId, Observer, PieceHead};
use crate::state::memory::PagedBytes;
use crate::state::pending::{Pending, PendingCompletion, PendingPiece};
use warpgrid_isa::{ScalarType, Sem, StateSpace};

impl Machine {
    /// The step in which an operation lands.
    pub(crate) fn land_now(&mut self, id: PendingId, observer: &mut dyn Observer) {
        let Some(pending) = self.state.in_flight.get(id).cloned() else {
            return;
        };
        for piece in &pending.operation.pieces {
            if self.piece_place(piece).is_none() {
                return self.stop_landing(&pending, piece);
            }
        }
        self.state.in_flight.take(id);
        let step = self.state.position;
        let interest = observer.interest();
        self.write_pieces(&pending, step, interest.covers(AccessAction::Store));
        if interest.covers(AccessAction::Store) {
            observer.access(&self.events.event(&head_of(&pending, step)));
        }
        self.wake_after(&pending);
        let stored = !pending.operation.pieces.is_empty();
        if stored {
            self.state.stores_done += 1;
            observer.store_step(step);
        }
        let last = self.landed(&pending, stored);
        if interest.steps {
            observer.step(&last.event(&self.setup.code, step));
        }
        self.state.last_step = Some(last);
        self.state.position += 1;
        let setup = std::sync::Arc::clone(&self.setup);
        self.state.refill(&setup, &mut self.spare);
    }

    fn landed(&self, pending: &Pending, stored: bool) -> LastStep {
        let origin = &pending.operation.origin;
        let pieces = &pending.operation.pieces;
        let lanes = pieces.iter().fold(0, |lanes, p| lanes | 1 << (p.lane & 31));
        LastStep {
            agent: Agent::InFlight(pending.id),
            block: origin.block,
            warp: origin.warp,
            pc: self.setup.code.pc_of(origin.function, origin.instruction),
            lanes,
            executed: lanes,
            what: Outcome::Landed,
            stored,
        }
    }

    /// Writes what the operation brings, and puts together what an observer hears of it.
    fn write_pieces(&mut self, pending: &Pending, step: u64, listens: bool) {
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        for piece in &pending.operation.pieces {
            let writer = Writer {
                step,
                lane: piece.lane,
            };
            if let Some((memory, offset)) = self.piece_place(piece) {
                if listens {
                    let old = memory.bytes().get(offset..offset + piece.bytes.len());
                    events.add(head_of_piece(piece), &piece.bytes, old.unwrap_or(&[]));
                }
                memory.write(offset, &piece.bytes, writer);
            }
        }
        self.events = events;
    }

    /// The memory that a piece is written to, and where in it; none if it is not there.
    fn piece_place(&mut self, piece: &PendingPiece) -> Option<(&mut PagedBytes, usize)> {
        let n_bytes = piece.bytes.len() as u64;
        match piece.space {
            StateSpace::Shared | StateSpace::SharedCluster => {
                let blocks = &self.state.blocks;
                let place = blocks.iter().position(|b| b.index == piece.block)?;
                let memory = self.state.shared.get_mut(place)?;
                let end = piece.address.checked_add(n_bytes)?;
                (n_bytes > 0 && end <= memory.len() as u64)
                    .then_some((memory, piece.address as usize))
            }
            _ => {
                let global = &mut self.state.global;
                let found = global.find(piece.address)?;
                let holds = n_bytes > 0 && found.holds(piece.address, n_bytes);
                let offset = (piece.address - found.address) as usize + found.start;
                (holds && !found.read_only()).then_some((&mut global.arena, offset))
            }
        }
    }

    fn stop_landing(&mut self, pending: &Pending, piece: &PendingPiece) {
        let halt = Halt {
            kind: FaultKind::OutOfBounds,
            lanes: 1 << (piece.lane & 31),
            access: Some((
                AccessKind::Store,
                piece.space,
                piece.address,
                piece.bytes.len() as u32,
            )),
        };
        self.record_landing_fault(pending, halt);
    }

    /// Lets those that wait for the operation, or for any change of memory, try their instruction again.
    fn wake_after(&mut self, pending: &Pending) {
        let operation = &pending.operation;
        let origin = operation.origin;
        for block in &mut self.state.blocks {
            for warp in &mut block.warps {
                let from_here = (block.index, warp.index) == (origin.block, origin.warp);
                let woken = warp.splits.wake(|reason| match *reason {
                    WaitReason::Memory => true,
                    WaitReason::MbarrierPhase { address, .. } => {
                        operation.completion
                            == PendingCompletion::Mbarrier {
                                block: block.index,
                                address,
                            }
                    }
                    WaitReason::AsyncGroup { .. } => {
                        from_here && operation.completion == PendingCompletion::AsyncGroup
                    }
                    WaitReason::Barrier { .. }
                    | WaitReason::WarpLanes { .. }
                    | WaitReason::ClusterBarrier => false,
                });
                warp.dirty |= woken;
            }
        }
    }
}

/// What a landing's event says of all its pieces.
fn head_of(pending: &Pending, step: u64) -> EventHead {
    let operation = &pending.operation;
    let pieces = &operation.pieces;
    let first = pieces.first();
    EventHead {
        step,
        agent: Agent::InFlight(pending.id),
        origin: (operation.origin.function, operation.origin.instruction),
        action: AccessAction::Store,
        space: first.map_or(StateSpace::Generic, |piece| piece.space),
        // Operations in flight are weak accesses (PTX ISA, "Asynchronous Operations").
        sem: Sem::Weak,
        scope: None,
        cache: CacheHints::default(),
        mask: pieces.iter().fold(0, |lanes, p| lanes | 1 << (p.lane & 31)),
        width_bytes: first.map_or(0, |piece| piece.bytes.len() as u32),
    }
}

fn head_of_piece(piece: &PendingPiece) -> PieceHead {
    PieceHead {
        asked: (piece.lane & 31) as u8,
        gave: (piece.lane & 31) as u8,
        element: 0,
        written: true,
        ty: match piece.bytes.len() {
            2 => ScalarType::B16,
            4 => ScalarType::B32,
            8 => ScalarType::B64,
            16 => ScalarType::B128,
            _ => ScalarType::B8,
        },
        // The registers were read when the operation was started.
        operand: None,
        memory: match piece.space {
            StateSpace::Shared | StateSpace::SharedCluster => {
                MemoryId::Shared { block: piece.block }
            }
            _ => MemoryId::Global,
        },
        address: piece.address,
    }
}
