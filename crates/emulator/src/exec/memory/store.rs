//! Stores (PTX ISA, "st"), and the functions through which all instructions modify memory.
//!
//! [`MemoryContext::write`] performs stores whose writers are tracked or which observers receive. It processes the
//! lanes sequentially, so that the writer of each byte is known and lanes that access the same address are ordered.
//! [`store_rows`] transfers rows of 32 lanes to memory without writer tracking and without an observer. Kernels spend a
//! third of their time in stores, which [`store_rows`] executes five times as fast. Both functions mark modified pages
//! as dirty.

use crate::code::MAX_WIDTH;
use crate::code::{AccessPlan, RegisterBank, RegisterOperand};
use crate::contract::inspect::LastWriter;
use crate::contract::observer::AccessAction;
use crate::exec::memory::access_events::{LaneAccessRecord, add_pieces};
use crate::exec::memory::address_translation::{Backing, LanePattern, ResolvedAccess};
use crate::exec::memory::load::{LaneBytes, addresses};
use crate::exec::memory_context::MemoryContext;
use crate::exec::operand_rows::{read64, read128};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, lanes_of};
use crate::state::memory::{PagedMemory, copy_few};

impl MemoryContext<'_> {
    /// Writes the bytes of one lane, and records that the step modified memory.
    pub(crate) fn write(&mut self, backing: Backing, at: usize, lane: usize, data: &[u8]) {
        let writer = LastWriter {
            step: self.step,
            lane: lane as u32,
        };
        self.stored = true;
        match self.paged(backing) {
            Some(memory) => memory.write(at, data, writer),
            None => self.stack.write(at, data, writer),
        }
    }
}

/// Executes stores of 32-bit and 64-bit registers to one memory without writer tracking. Returns `false` without an
/// effect for all other stores.
#[inline(always)]
pub(crate) fn store_rows(
    memory: &mut PagedMemory,
    l: &LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &ResolvedAccess,
) -> bool {
    if memory.tracks_writers() {
        return false;
    }
    let width = plan.width_bytes as usize;
    match target.place {
        LanePattern::Contiguous(_, start) => {
            let Some(place) = memory.place(start, LANES * width) else {
                return false;
            };
            for (index, element) in plan.elements.iter().enumerate() {
                spread_element(place, index, plan.elements.len(), l, *element);
            }
            true
        }
        LanePattern::Each(_) => {
            let offsets = &target.offsets;
            memory.mark_all(offsets, width);
            for (index, element) in plan.elements.iter().enumerate() {
                scatter_element(memory, offsets, index, l, *element);
            }
            true
        }
        // Leave these stores to the slow path, which preserves the order of lanes that access the same address or
        // several memories.
        LanePattern::Uniform(..) | LanePattern::Mixed => false,
    }
}

#[inline(always)]
fn spread_element(
    place: &mut [u8],
    index: usize,
    n: usize,
    l: &LaneRegisters<'_>,
    element: RegisterOperand,
) {
    match element.bank {
        RegisterBank::B64 => spread(place, index, n, l.r64(element.slot), u64::to_le_bytes),
        RegisterBank::B32 | RegisterBank::B128 | RegisterBank::Predicate => {
            spread(place, index, n, l.r32(element.slot), u32::to_le_bytes);
        }
    }
}

#[inline(always)]
fn scatter_element(
    memory: &mut PagedMemory,
    offsets: &[u32; LANES],
    index: usize,
    l: &LaneRegisters<'_>,
    element: RegisterOperand,
) {
    match element.bank {
        RegisterBank::B64 => {
            let row = l.r64(element.slot);
            scatter(memory, offsets, l.mask, index, row, u64::to_le_bytes);
        }
        RegisterBank::B32 | RegisterBank::B128 | RegisterBank::Predicate => {
            let row = l.r32(element.slot);
            scatter(memory, offsets, l.mask, index, row, u32::to_le_bytes);
        }
    }
}

/// Stores one element of each lane to contiguous memory.
#[inline(always)]
fn spread<T: Copy, const W: usize>(
    place: &mut [u8],
    index: usize,
    n: usize,
    row: &[T; LANES],
    bytes: impl Fn(T) -> [u8; W],
) {
    let parts = place.as_chunks_mut::<W>().0;
    match n {
        1 => spread_lanes::<T, W, 1>(parts, index, row, bytes),
        2 => spread_lanes::<T, W, 2>(parts, index, row, bytes),
        4 => spread_lanes::<T, W, 4>(parts, index, row, bytes),
        _ => {
            for (lane, value) in parts.chunks_exact_mut(n.max(1)).zip(row) {
                if let Some(part) = lane.get_mut(index) {
                    *part = bytes(*value);
                }
            }
        }
    }
}

#[inline(always)]
fn spread_lanes<T: Copy, const W: usize, const N: usize>(
    parts: &mut [[u8; W]],
    index: usize,
    row: &[T; LANES],
    bytes: impl Fn(T) -> [u8; W],
) {
    if let Some(lanes) = parts.as_chunks_mut::<N>().0.first_chunk_mut::<LANES>() {
        for lane in 0..LANES {
            lanes[lane][index & (N - 1)] = bytes(row[lane]);
        }
    }
}

/// Stores one element of each active lane to the lane's location. Lanes store in ascending order, so that the highest
/// lane determines the value if several lanes store to the same location.
#[inline(always)]
fn scatter<T: Copy, const W: usize>(
    memory: &mut PagedMemory,
    offsets: &[u32; LANES],
    mask: u32,
    index: usize,
    row: &[T; LANES],
    bytes: impl Fn(T) -> [u8; W],
) {
    let parts = memory.unmarked().as_chunks_mut::<W>().0;
    if mask == FULL {
        for (offset, value) in offsets.iter().zip(row) {
            if let Some(part) = parts.get_mut(*offset as usize / W + index) {
                *part = bytes(*value);
            }
        }
    } else {
        for lane in lanes_of(mask) {
            if let Some(part) = parts.get_mut(offsets[lane] as usize / W + index) {
                *part = bytes(row[lane]);
            }
        }
    }
}

/// Returns the bytes that all lanes store, in lane order.
fn bytes_to_store(l: &LaneRegisters<'_>, plan: &AccessPlan) -> LaneBytes {
    let (width, size) = (plan.width_bytes as usize, plan.element_bytes as usize);
    let mut bytes = [0; LANES * MAX_WIDTH];
    for (index, element) in plan.elements.iter().enumerate() {
        if !element.slot.is_some() {
            continue;
        }
        let row = if size > 8 {
            read128(l, *element)
        } else {
            read64(l, *element).map(u128::from)
        };
        let at = index * size;
        for (chunk, value) in bytes.chunks_exact_mut(width).zip(&row) {
            if let (Some(part), Some(from)) = (
                chunk.get_mut(at..at + size),
                value.to_le_bytes().get(..size),
            ) {
                copy_few(part, from);
            }
        }
    }
    bytes
}

/// Executes any store, lane by lane. The function reads the overwritten bytes of each lane before the lane writes.
#[inline(never)]
pub(crate) fn store_lane_by_lane(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &ResolvedAccess,
) {
    let listens = reach.interest.covers(AccessAction::Store);
    let (width, size) = (plan.width_bytes as usize, plan.element_bytes as usize);
    let bytes = bytes_to_store(l, plan);
    let all = plan.written.count_ones() as usize == plan.elements.len();
    let addresses = addresses(l, plan);
    reach.events.clear();
    for lane in lanes_of(l.mask) {
        let (backing, at) = target.of_lane(lane, width);
        let data = bytes.get(lane * width..(lane + 1) * width).unwrap_or(&[]);
        if listens {
            let old = reach.read_lane(backing, at, width);
            let old = old.get(..width).unwrap_or(&[]);
            let (memory, address) = reach.place_of(target, &addresses, lane, width);
            let pieces = LaneAccessRecord {
                lane,
                memory,
                address,
                written: true,
                bytes: data,
                old,
            };
            add_pieces(reach.events, plan, &pieces);
        }
        if all {
            reach.write(backing, at, lane, data);
            continue;
        }
        for element in lanes_of(plan.written) {
            let from = element * size;
            if let Some(data) = data.get(from..from + size) {
                reach.write(backing, at + from, lane, data);
            }
        }
    }
    if listens {
        reach.report(AccessAction::Store, l.mask, plan);
    }
}
