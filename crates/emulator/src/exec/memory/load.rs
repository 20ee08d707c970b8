//! Loads (PTX ISA, "ld"), and functions that the implementations of all memory accesses call.

use crate::code::MAX_WIDTH;
use crate::code::{AccessPlan, RegisterBank, RegisterOperand};
use crate::contract::fault::AccessKind;
use crate::contract::observer::AccessAction;
use crate::exec::memory::access_events::{LaneAccessRecord, add_pieces};
use crate::exec::memory::address_translation::{
    AccessMode, AddressTranslator, Backing, LanePattern, ResolvedAccess,
};
use crate::exec::memory::request::paged;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{write64, write128};
use crate::semantics::registers::{FULL, LANES, LaneRegisters, ResultRows, Row64, lanes_of};
use crate::state::memory::{AttemptedAccess, PagedMemory, copy_few};
use warpgrid_isa::{Signedness, StateSpace};

/// Loaded bytes of all lanes, in lane order.
pub(crate) type LaneBytes = [u8; LANES * MAX_WIDTH];

impl MemoryContext<'_> {
    pub(crate) fn memories(&self) -> AddressTranslator<'_> {
        AddressTranslator {
            global: self.global,
            map: self.map,
            shared_bytes: self.shared.len() as u64,
            stack_bytes: self.stack.lane_bytes as u64,
            stack_stride: self.stack.stride as u32,
            own_rank: self.peers.own_rank(),
            n_ranks: self.peers.n_ranks(),
        }
    }

    /// Resolves the addresses of the active lanes for an access.
    pub(crate) fn find(
        &self,
        kind: AccessKind,
        l: &LaneRegisters<'_>,
        plan: &AccessPlan,
        target: &mut ResolvedAccess,
    ) -> ExecResult {
        if self
            .memories()
            .resolve_fast(l, plan, purpose_of(kind), &mut 0, target)
        {
            Ok(())
        } else {
            self.find_closer(kind, l, plan, target)
        }
    }

    /// Slow path of [`MemoryContext::find`], which resolves each lane separately.
    #[cold]
    #[inline(never)]
    pub(crate) fn find_closer(
        &self,
        kind: AccessKind,
        l: &LaneRegisters<'_>,
        plan: &AccessPlan,
        target: &mut ResolvedAccess,
    ) -> ExecResult {
        self.find_each(kind, plan, &addresses(l, plan), l.mask, target)
    }

    /// Resolves the given addresses separately for each lane.
    pub(crate) fn find_each(
        &self,
        kind: AccessKind,
        plan: &AccessPlan,
        addresses: &Row64,
        mask: u32,
        target: &mut ResolvedAccess,
    ) -> ExecResult {
        self.memories()
            .resolve_per_lane(plan, addresses, mask, purpose_of(kind), target)
            .map_err(|denied| {
                let lane = (denied.lanes.trailing_zeros() & 31) as usize;
                Box::new(ExecutionFault {
                    kind: denied.kind,
                    lanes: denied.lanes,
                    access: Some(AttemptedAccess {
                        kind,
                        space: plan.space,
                        address: addresses[lane],
                        width_bytes: plan.width_bytes,
                    }),
                })
            })
    }

    /// Resolves the start of an address range. Returns `None` unless one shared memory or one global allocation
    /// contains the whole range.
    pub(crate) fn find_span(
        &self,
        kind: AccessKind,
        space: StateSpace,
        start: u64,
        n_bytes: u64,
    ) -> Option<(Backing, usize)> {
        self.memories()
            .span(space, start, n_bytes, purpose_of(kind))
    }

    #[inline(always)]
    pub(crate) fn bytes_of(&self, backing: Backing) -> &[u8] {
        match backing {
            Backing::Arena => self.global.arena.bytes(),
            Backing::Shared => self.shared.bytes(),
            Backing::Peer(rank) => self.peers.get(rank.into()).map_or(&[], |m| m.bytes()),
            Backing::Stack => &self.stack.bytes,
        }
    }

    /// Returns the paged memory that backs an access, or `None` for local memory, which has no pages.
    #[inline(always)]
    pub(crate) fn paged(&mut self, backing: Backing) -> Option<&mut PagedMemory> {
        paged(self.global, self.shared, &mut self.peers, backing)
    }

    /// Returns the bytes that the active lanes access.
    pub(crate) fn read_lanes(&self, target: &ResolvedAccess, mask: u32, width: usize) -> LaneBytes {
        let mut bytes = [0; LANES * MAX_WIDTH];
        for lane in lanes_of(mask) {
            let (backing, at) = target.of_lane(lane, width);
            let into = &mut bytes[lane * width..(lane + 1) * width];
            if let Some(from) = self.bytes_of(backing).get(at..at + width) {
                copy_few(into, from);
            }
        }
        bytes
    }
}

/// Returns the address of each lane. For an inactive lane, the result contains the address of the lowest active lane.
pub(crate) fn addresses(l: &LaneRegisters<'_>, plan: &AccessPlan) -> Row64 {
    let mut row = if plan.has_64_bit_base {
        l.r64(plan.base)
            .map(|base| base.wrapping_add(plan.offset as u64))
    } else {
        l.r32(plan.base)
            .map(|base| u64::from(base.wrapping_add(plan.offset as u32)))
    };
    let first = row[l.first()];
    for (lane, r) in row.iter_mut().enumerate() {
        if l.mask & (1 << lane) == 0 {
            *r = first;
        }
    }
    row
}

const fn purpose_of(kind: AccessKind) -> AccessMode {
    match kind {
        AccessKind::Load => AccessMode::Read,
        AccessKind::Store | AccessKind::Atomic => AccessMode::Write,
    }
}

/// Executes a load from one memory if no observer receives the load.
#[inline(always)]
pub(crate) fn load_rows(
    bytes: &[u8],
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &ResolvedAccess,
    results: &mut ResultRows,
) {
    for (index, element) in plan.elements.iter().enumerate() {
        load_element(bytes, l, plan, *element, index, target, results);
    }
}

/// Loads one element of all lanes from one memory.
#[inline(always)]
fn load_element(
    bytes: &[u8],
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    element: RegisterOperand,
    index: usize,
    target: &ResolvedAccess,
    results: &mut ResultRows,
) {
    if !element.slot.is_some() {
        return;
    }
    let at = index * plan.element_bytes as usize;
    let width = plan.width_bytes as usize;
    match (plan.element_bytes, element.bank) {
        (4, RegisterBank::B32) if element.bits == 32 => {
            let row = l.whole32(element.slot).unwrap_or(&mut results.r32);
            gather(row, bytes, target, at, width, u32::from_le_bytes);
            if l.mask != FULL {
                l.set32(element.slot, &results.r32);
            }
        }
        (8, RegisterBank::B64) => {
            let row = l.whole64(element.slot).unwrap_or(&mut results.r64);
            gather(row, bytes, target, at, width, u64::from_le_bytes);
            if l.mask != FULL {
                l.set64(element.slot, &results.r64);
            }
        }
        _ => load_odd_element(bytes, l, plan, element, at, target),
    }
}

/// Loads elements whose size differs from the size of their registers, or exceeds 64 bits.
#[inline(never)]
fn load_odd_element(
    bytes: &[u8],
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    element: RegisterOperand,
    at: usize,
    target: &ResolvedAccess,
) {
    let width = plan.width_bytes as usize;
    let mut row = [0; LANES];
    let to = &mut row;
    match plan.element_bytes {
        1 => gather(to, bytes, target, at, width, |[b]| u128::from(b)),
        2 => gather(to, bytes, target, at, width, |b| {
            u16::from_le_bytes(b).into()
        }),
        4 => gather(to, bytes, target, at, width, |b| {
            u32::from_le_bytes(b).into()
        }),
        8 => gather(to, bytes, target, at, width, |b| {
            u64::from_le_bytes(b).into()
        }),
        _ => gather(to, bytes, target, at, width, u128::from_le_bytes),
    }
    write_loaded(l, plan, element, &row);
}

/// Zero-extends or sign-extends a loaded element, and writes it to its register.
fn write_loaded(
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    element: RegisterOperand,
    row: &[u128; LANES],
) {
    let bits = plan.element_bytes * 8;
    if bits > 64 {
        write128(l, element, row);
    } else if plan.sign == Signedness::Signed {
        let shift = 64 - bits;
        let row = row.map(|v| (((v as u64) << shift) as i64 >> shift) as u64);
        write64(l, element, &row);
    } else {
        write64(l, element, &row.map(|v| v as u64));
    }
}

/// Reads `W` bytes per lane at offset `at` from the address of the lane. The function reads memory as an array of
/// elements, because elements are aligned to their size in each memory.
#[inline(always)]
fn gather<T: Copy, const W: usize>(
    row: &mut [T; LANES],
    bytes: &[u8],
    target: &ResolvedAccess,
    at: usize,
    width: usize,
    value: impl Fn([u8; W]) -> T,
) {
    let parts = bytes.as_chunks::<W>().0;
    match &target.place {
        LanePattern::Contiguous(_, start) => {
            let parts = parts.get(start / W..).unwrap_or(&[]);
            read_each(row, parts, width / W, at / W, value);
        }
        LanePattern::Uniform(_, start) => {
            if let Some(part) = parts.get((start + at) / W) {
                row.fill(value(*part));
            }
        }
        LanePattern::Each(_) => {
            for (r, offset) in row.iter_mut().zip(&target.offsets) {
                if let Some(part) = parts.get((*offset as usize + at) / W) {
                    *r = value(*part);
                }
            }
        }
        LanePattern::Mixed => {}
    }
}

/// Reads element `index` of each lane from contiguous memory with `n` elements per lane. Frequent values of `n` are
/// passed as constants, so that the compiler generates separate loops without bounds checks.
#[inline(always)]
fn read_each<T, const W: usize>(
    row: &mut [T; LANES],
    parts: &[[u8; W]],
    n: usize,
    index: usize,
    value: impl Fn([u8; W]) -> T,
) {
    match n {
        1 => read_lanes::<T, W, 1>(row, parts, index, value),
        2 => read_lanes::<T, W, 2>(row, parts, index, value),
        4 => read_lanes::<T, W, 4>(row, parts, index, value),
        _ => {
            for (r, lane) in row.iter_mut().zip(parts.chunks_exact(n.max(1))) {
                if let Some(part) = lane.get(index) {
                    *r = value(*part);
                }
            }
        }
    }
}

#[inline(always)]
fn read_lanes<T, const W: usize, const N: usize>(
    row: &mut [T; LANES],
    parts: &[[u8; W]],
    index: usize,
    value: impl Fn([u8; W]) -> T,
) {
    if let Some(lanes) = parts.as_chunks::<N>().0.first_chunk::<LANES>() {
        for lane in 0..LANES {
            row[lane] = value(lanes[lane][index & (N - 1)]);
        }
    }
}

/// Executes a load that spans several memories or that an observer receives.
#[inline(never)]
pub(crate) fn load_lane_by_lane(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &ResolvedAccess,
) {
    let width = plan.width_bytes as usize;
    let bytes = reach.read_lanes(target, l.mask, width);
    if reach.interest.covers(AccessAction::Load) {
        reach.events.clear();
        let addresses = addresses(l, plan);
        for lane in lanes_of(l.mask) {
            let start = lane * width;
            let data = bytes.get(start..start + width).unwrap_or(&[]);
            let (memory, address) = reach.place_of(target, &addresses, lane, width);
            let pieces = LaneAccessRecord {
                lane,
                memory,
                address,
                written: false,
                bytes: data,
                old: data,
            };
            add_pieces(reach.events, plan, &pieces);
        }
        reach.report(AccessAction::Load, l.mask, plan);
    }
    set_elements(l, plan, &bytes);
}

/// Writes the loaded bytes of all elements to the destination registers.
pub(crate) fn set_elements(l: &mut LaneRegisters<'_>, plan: &AccessPlan, bytes: &LaneBytes) {
    let (width, size) = (plan.width_bytes as usize, plan.element_bytes as usize);
    for (index, element) in plan.elements.iter().enumerate() {
        if !element.slot.is_some() {
            continue;
        }
        let mut row = [0u128; LANES];
        for (lane, r) in row.iter_mut().enumerate() {
            let start = lane * width + index * size;
            let mut value = [0; 16];
            if let (Some(from), Some(to)) = (bytes.get(start..start + size), value.get_mut(..size))
            {
                copy_few(to, from);
            }
            *r = u128::from_le_bytes(value);
        }
        write_loaded(l, plan, *element, &row);
    }
}
