//! Conversion of pending asynchronous operations to the form that hosts display.

use crate::model::store::{AsyncOperationView, AsyncPieceView};
use crate::model::text::SourceRange;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use crate::session::step::stores::unravel;
use warpgrid_emulator::{AsyncWrite, InFlightOperation, MemoryRegion};
use warpgrid_isa::StateSpace;

/// Source range and opcode of the instruction that started an asynchronous operation, and the grid size, for the display of the operation.
pub(crate) struct AsyncOrigin<'a> {
    pub(crate) range: SourceRange,
    pub(crate) opcode: &'a str,
    pub(crate) grid: [u32; 3],
}

/// Converts a pending asynchronous operation to the form that hosts display.
pub(crate) fn view(
    pending: &InFlightOperation,
    origin: &AsyncOrigin<'_>,
    memories: &[MemoryDescriptor],
) -> AsyncOperationView {
    let operation = &pending.operation;
    AsyncOperationView {
        id: pending.id.0,
        step: operation.origin.step,
        // Omit the step `u64::MAX`, with which the emulator represents an operation that waits for other warps and has no completion step
        // yet.
        lands_at: Some(pending.completes_at).filter(|step| *step != u64::MAX),
        block: unravel(operation.origin.block, origin.grid),
        warp: operation.origin.warp,
        range: origin.range,
        opcode: origin.opcode.to_owned(),
        pieces: operation
            .all_pieces()
            .iter()
            .map(|piece| view_piece(piece, memories))
            .collect(),
    }
}

fn view_piece(piece: &AsyncWrite, memories: &[MemoryDescriptor]) -> AsyncPieceView {
    let found = memories.iter().find_map(|memory| {
        let here = match (piece.space, memory.region) {
            (StateSpace::Shared, MemoryRegion::Shared { block }) => block == piece.block,
            (StateSpace::Global, MemoryRegion::Buffer(_) | MemoryRegion::Variable(_)) => true,
            _ => false,
        };
        Some((memory, memory.offset(piece.address).filter(|_| here)?))
    });
    AsyncPieceView {
        lane: piece.lane as u8,
        memory: found.map(|(memory, _)| memory.view.id.clone()),
        address: format!("{:#x}", piece.address),
        offset: found.map(|(_, offset)| offset),
        bytes: piece.bytes.to_vec(),
    }
}

/// Returns the byte ranges of a memory that pending asynchronous operations will write.
pub(crate) fn ranges(pending: &[AsyncOperationView], memory: &MemoryKey) -> Vec<(u64, u64)> {
    let pieces = pending.iter().flat_map(|operation| &operation.pieces);
    pieces
        .filter(|piece| piece.memory.as_ref() == Some(memory))
        .filter_map(|piece| Some((piece.offset?, piece.offset? + piece.bytes.len() as u64)))
        .collect()
}
