//! Source and destination locations of asynchronous operations: resolves addresses to resident slots and arena offsets.
//! The module also copies tensor tiles without splitting them into pieces.

use crate::contract::inspect::LastWriter;
use crate::contract::pending::{AsyncEffect, InFlightOperation};
use crate::contract::tensor_transfer::{TensorCopy, TensorCopyDirection};
use crate::run::machine::Machine;
use crate::state::block::Block;
use crate::state::memory::GlobalMemory;

/// Cache of the most recently resolved block and allocation, because consecutive pieces usually access the same block
/// and the same allocation.
#[derive(Default)]
pub(crate) struct TargetLookupCache {
    block: Option<(u64, usize)>,
    allocation: Option<ArenaRange>,
}

/// Address range in an allocation, and its offset in the arena.
#[derive(Clone, Copy)]
pub(crate) struct ArenaRange {
    address: u64,
    size: u64,
    pub(crate) start: usize,
    pub(crate) is_read_only: bool,
}

impl TargetLookupCache {
    /// Returns the resident slot of the block with the given linear index.
    pub(crate) fn block(&mut self, blocks: &[Block], index: u64) -> Option<usize> {
        if let Some((last, place)) = self.block
            && last == index
        {
            return Some(place);
        }
        let place = blocks.iter().position(|block| block.index == index)?;
        self.block = Some((index, place));
        Some(place)
    }

    /// Returns the remainder of the allocation that starts at `address`, if it contains at least `n_bytes` bytes.
    pub(crate) fn global(
        &mut self,
        memory: &GlobalMemory,
        address: u64,
        n_bytes: u64,
    ) -> Option<ArenaRange> {
        let within = |found: ArenaRange| {
            let offset = address.checked_sub(found.address)?;
            let end = offset.checked_add(n_bytes)?;
            (end <= found.size).then_some(ArenaRange {
                start: found.start + offset as usize,
                ..found
            })
        };
        if let Some(found) = self.allocation.and_then(within) {
            return Some(found);
        }
        let allocation = memory.find(address)?;
        let found = ArenaRange {
            address: allocation.address,
            size: allocation.size,
            start: allocation.start,
            is_read_only: allocation.read_only(),
        };
        self.allocation = Some(found);
        within(found).filter(|_| allocation.holds(address, n_bytes))
    }
}

/// Size in bytes of the largest swizzle pattern. Swizzling permutes bytes only within a pattern.
const PATTERN_BYTES: u64 = 1024;
/// Number of fill bytes that are written at once, which is a multiple of every element size.
const FILLED_BYTES: usize = 64;

impl Machine {
    /// Checks whether an operation is a tensor load that can be copied as a whole: it copies bytes unchanged, and its
    /// destination, extended to complete swizzle patterns, is within shared memory.
    pub(crate) fn moves_whole(&self, pending: &InFlightOperation) -> bool {
        let AsyncEffect::Tensor(transfer) = &pending.operation.work else {
            return false;
        };
        let start = transfer.shared / PATTERN_BYTES * PATTERN_BYTES;
        let end = transfer.shared.saturating_add(transfer.shared_extent());
        let end = end.div_ceil(PATTERN_BYTES).saturating_mul(PATTERN_BYTES);
        let mut places = TargetLookupCache::default();
        let is_there = transfer.blocks.iter().all(|index| {
            let place = places.block(&self.state.blocks, *index);
            let memory = place.and_then(|place| self.state.shared.get(place));
            memory.is_some_and(|memory| start < end && end <= memory.len() as u64)
        });
        transfer.direction == TensorCopyDirection::Load && transfer.copies_bytes() && is_there
    }

    /// Copies the tile of a tensor load from global to shared memory.
    pub(crate) fn move_tile(&mut self, transfer: &TensorCopy, step: u64) {
        let writer = LastWriter {
            step,
            lane: transfer.lane,
        };
        let mut places = TargetLookupCache::default();
        let filling = transfer.filling();
        let filling: [u8; FILLED_BYTES] = std::array::from_fn(|at| filling[at % filling.len()]);
        let global = &self.state.global;
        for index in &transfer.blocks {
            let place = places.block(&self.state.blocks, *index);
            let Some(memory) = place.and_then(|place| self.state.shared.get_mut(place)) else {
                continue;
            };
            transfer.for_each_run(|run| {
                let to = run.shared as usize;
                let Some(address) = run.global else {
                    for from in (0..run.n_bytes).step_by(FILLED_BYTES) {
                        let n = FILLED_BYTES.min(run.n_bytes - from);
                        memory.write(to + from, &filling[..n], writer);
                    }
                    return;
                };
                // The range is always accessible, because the issue of the copy checked its bounds, and the memory is
                // not released while the copy is in flight.
                let found = places.global(global, address, run.n_bytes as u64);
                let bytes = found.and_then(|found| {
                    let bytes = global.arena.bytes().get(found.start..)?;
                    bytes.get(..run.n_bytes)
                });
                if let Some(bytes) = bytes {
                    memory.write(to, bytes, writer);
                }
            });
        }
    }
}
