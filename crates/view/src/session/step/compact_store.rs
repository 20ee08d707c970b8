//! Conversion of stores to their compact form, in which runs of addresses replace the objects of the lanes.

use crate::model::store::{CompactStore, StoreRun};
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use crate::session::step::stores::{PieceRecord, StoreContext, StoreRecord, unravel};
use std::fmt::Write;
use warpgrid_emulator::MemoryId;

/// Contiguous bytes that one lane stored.
struct Chunk<'a> {
    lane: u8,
    place: MemoryId,
    address: u64,
    /// Memory that contains the address, and the byte offset of the address from the start of this memory.
    found: Option<(&'a MemoryDescriptor, u64)>,
    bytes: Vec<u8>,
}

impl Chunk<'_> {
    fn end(&self) -> u64 {
        self.address.wrapping_add(self.bytes.len() as u64)
    }

    fn memory(&self) -> Option<&MemoryKey> {
        self.found.map(|(memory, _)| &memory.view.id)
    }
}

/// Chunks with equal sizes, constant distances and constant differences of the lane indices.
struct ChunkRun<'a> {
    chunks: Vec<Chunk<'a>>,
    lane_step: u8,
    stride: i64,
}

impl<'a> ChunkRun<'a> {
    fn new(first: Chunk<'a>) -> ChunkRun<'a> {
        ChunkRun {
            chunks: vec![first],
            lane_step: 0,
            stride: 0,
        }
    }

    /// Returns the differences of the lane indices and of the addresses if a chunk continues the run.
    fn step_to(&self, chunk: &Chunk<'_>) -> Option<(u8, i64)> {
        let last = self.chunks.last()?;
        let is_alike = chunk.memory() == last.memory() && chunk.bytes.len() == last.bytes.len();
        let lane_step = chunk.lane.checked_sub(last.lane).filter(|_| is_alike)?;
        let step = (lane_step, chunk.address.wrapping_sub(last.address) as i64);
        (self.chunks.len() == 1 || step == (self.lane_step, self.stride)).then_some(step)
    }

    fn view(&self) -> Option<StoreRun> {
        let first = self.chunks.first()?;
        let mut bytes = String::new();
        for byte in self.chunks.iter().flat_map(|chunk| &chunk.bytes) {
            let _ = write!(bytes, "{byte:02x}");
        }
        Some(StoreRun {
            memory: first.memory().cloned(),
            lane: first.lane,
            lane_step: self.lane_step,
            address: format!("{:#x}", first.address),
            offset: first.found.map(|(_, offset)| offset),
            stride: self.stride,
            count: self.chunks.len() as u32,
            n_bytes: first.bytes.len() as u32,
            bytes,
        })
    }
}

/// Combines chunks to runs, in the order of the chunks.
fn runs(chunks: Vec<Chunk<'_>>) -> Vec<ChunkRun<'_>> {
    let mut runs: Vec<ChunkRun<'_>> = Vec::new();
    for chunk in chunks {
        let last = runs.last_mut();
        match last.and_then(|run| Some((run.step_to(&chunk)?, run))) {
            Some((step, run)) => {
                (run.lane_step, run.stride) = step;
                run.chunks.push(chunk);
            }
            None => runs.push(ChunkRun::new(chunk)),
        }
    }
    runs
}

/// Returns the contiguous bytes of each lane, in the order of the lanes.
fn chunks<'a>(pieces: &[PieceRecord], context: &StoreContext<'a>) -> Vec<Chunk<'a>> {
    let mut pieces: Vec<&PieceRecord> = pieces.iter().collect();
    pieces.sort_by_key(|record| record.piece.data_lane);
    let mut chunks: Vec<Chunk<'_>> = Vec::new();
    for record in pieces {
        let piece = &record.piece;
        match chunks.last_mut() {
            Some(last)
                if (last.lane, last.place, last.end())
                    == (piece.data_lane, piece.memory, piece.address) =>
            {
                last.bytes.extend_from_slice(&record.new);
            }
            _ => chunks.push(Chunk {
                lane: piece.data_lane,
                place: piece.memory,
                address: piece.address,
                found: context.locate_address(piece.memory, piece.address),
                bytes: record.new.clone(),
            }),
        }
    }
    chunks
}

impl StoreRecord {
    /// Converts the record of the store to its compact form.
    pub(crate) fn compact_view(&self, context: &StoreContext<'_>) -> CompactStore {
        let runs = runs(chunks(&self.pieces, context));
        let warp = self.issued_by();
        CompactStore {
            step: self.step,
            line: context.range.line,
            block: unravel(warp.block, context.grid),
            warp: warp.warp,
            instruction: context.instruction.to_owned(),
            opcode: context.opcode.to_owned(),
            has_landed: self.has_landed(),
            runs: runs.iter().filter_map(ChunkRun::view).collect(),
        }
    }
}
