//! The memory events of a landing: one per space, block and width of its pieces.

use crate::run::event::Agent;
use crate::run::observe::{AccessEvent, Observer};
use crate::run::setup::Setup;
use crate::state::pending::{Pending, PendingPiece};
use warpgrid_isa::{Sem, StateSpace};

/// Bytes that one lane can show in one event.
const MAX_WIDTH: usize = 32;

/// Reports what an operation writes, before it is written. Pieces that follow each other with different lanes in the
/// same memory and of the same width share an event.
pub(crate) fn report(_setup: &Setup, pending: &Pending, step: u64, observer: &mut dyn Observer) {
    let mut pieces = pending.operation.pieces.as_slice();
    while let Some((first, _)) = pieces.split_first() {
        let mut mask = 0u32;
        let n = pieces
            .iter()
            .take_while(|piece| {
                let fits = (piece.space, piece.block, piece.bytes.len())
                    == (first.space, first.block, first.bytes.len());
                let bit = 1 << (piece.lane & 31);
                let joins = fits && mask & bit == 0;
                mask |= if joins { bit } else { 0 };
                joins
            })
            .count();
        let (now, later) = pieces.split_at(n.max(1));
        report_together(pending, now, step, observer);
        pieces = later;
    }
}

fn report_together(
    pending: &Pending,
    pieces: &[PendingPiece],
    step: u64,
    observer: &mut dyn Observer,
) {
    let origin = pending.operation.origin;
    let Some(first) = pieces.first() else { return };
    let n_bytes = first.bytes.len();
    for start in (0..n_bytes).step_by(MAX_WIDTH) {
        let width = MAX_WIDTH.min(n_bytes - start);
        let mut bytes = [0; 32 * MAX_WIDTH];
        let mut addresses = [first.address; 32];
        let mut mask = 0;
        for piece in pieces {
            let lane = (piece.lane & 31) as usize;
            mask |= 1 << lane;
            addresses[lane] = piece.address + start as u64;
            if let (Some(to), Some(from)) = (
                bytes.get_mut(lane * width..(lane + 1) * width),
                piece.bytes.get(start..start + width),
            ) {
                to.copy_from_slice(from);
            }
        }
        observer.store(&AccessEvent {
            agent: Agent::InFlight(pending.id),
            step,
            block: if first.space == StateSpace::Global {
                origin.block
            } else {
                first.block
            },
            warp: origin.warp,
            function: origin.function,
            instruction: origin.instruction,
            space: first.space,
            resolved: &[first.space; 32],
            mask,
            addresses: &addresses,
            width_bytes: width as u32,
            element_bytes: width as u32,
            bytes: bytes.get(..32 * width).unwrap_or(&[]),
            elements: 1,
            sem: Sem::Weak,
            scope: None,
        });
    }
}
