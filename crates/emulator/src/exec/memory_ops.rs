//! Loads and stores (PTX ISA, "ld", "st"). What changes memory goes through [`PagedBytes::place`]
//! or the stack's `write`.

use crate::decode::code::{AccessPlan, Bank, Code, Element};
use crate::exec::elements::{read64, read128, write64, write128};
use crate::exec::resolve::{Backing, HalfStep, Memories, Place, Purpose, Target};
use crate::run::fault::{AccessKind, FaultKind};
use crate::run::inspect::Writer;
use crate::run::observe::{AccessEvent, Interest, Observer};
use crate::state::memory::{AddressMap, GlobalMemory, PagedBytes};
use crate::state::registers::{FULL, LANES, Lanes, Results, Row64, lanes_of};
use crate::state::warp::Stack;
use warpgrid_isa::StateSpace;

/// The widest access of a lane, in bytes.
pub(crate) const MAX_WIDTH: usize = 32;

/// Bytes of all lanes, lane after lane.
pub(crate) type LaneBytes = [u8; LANES * MAX_WIDTH];

/// What an instruction of one warp can reach.
pub(crate) struct Reach<'a> {
    pub(crate) code: &'a Code,
    pub(crate) map: &'a AddressMap,
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedBytes,
    pub(crate) stack: &'a mut Stack,
    pub(crate) interest: Interest,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) step: u64,
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) pc: u32,
}

/// Why an instruction cannot be executed; where and by whom is added later.
#[derive(Clone, Debug)]
pub(crate) struct Halt {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u32,
    /// Access, space, address of the lowest lane, width.
    pub(crate) access: Option<(AccessKind, StateSpace, u64, u32)>,
}

impl Halt {
    pub(crate) fn new(kind: FaultKind, lanes: u32) -> Box<Halt> {
        Box::new(Halt {
            kind,
            lanes,
            access: None,
        })
    }
}

pub(crate) type Executed = Result<(), Box<Halt>>;

impl Reach<'_> {
    fn memories(&self) -> Memories<'_> {
        Memories {
            global: self.global,
            map: self.map,
            shared_bytes: self.shared.len() as u64,
            stack_bytes: self.stack.lane_bytes as u64,
        }
    }

    /// Finds the bytes that the active lanes mean, or the fault.
    #[inline(always)]
    pub(crate) fn find(
        &self,
        kind: AccessKind,
        l: &Lanes<'_>,
        plan: &AccessPlan,
        target: &mut Target,
    ) -> Executed {
        let purpose = match kind {
            AccessKind::Load => Purpose::Read,
            AccessKind::Store | AccessKind::Atomic => Purpose::Write,
        };
        if self.memories().quick(l, plan, purpose, target) {
            Ok(())
        } else {
            self.find_closer(kind, l, plan, purpose, target)
        }
    }

    #[cold]
    #[inline(never)]
    fn find_closer(
        &self,
        kind: AccessKind,
        l: &Lanes<'_>,
        plan: &AccessPlan,
        purpose: Purpose,
        target: &mut Target,
    ) -> Executed {
        let addresses = addresses(l, plan);
        self.memories()
            .examine(plan, &addresses, l.mask, purpose, target)
            .map_err(|denied| {
                let lane = (denied.lanes.trailing_zeros() & 31) as usize;
                Box::new(Halt {
                    kind: denied.kind,
                    lanes: denied.lanes,
                    access: Some((kind, plan.space, addresses[lane], plan.width_bytes)),
                })
            })
    }

    #[inline(always)]
    fn bytes_of(&self, backing: Backing) -> &[u8] {
        match backing {
            Backing::Arena => self.global.arena.bytes(),
            Backing::Shared => self.shared.bytes(),
            Backing::Stack => &self.stack.bytes,
        }
    }

    /// Memory that keeps track of its pages; the stacks do not.
    #[inline(always)]
    fn paged(&mut self, backing: Backing) -> Option<&mut PagedBytes> {
        match backing {
            Backing::Arena => Some(&mut self.global.arena),
            Backing::Shared => Some(&mut *self.shared),
            Backing::Stack => None,
        }
    }

    /// Bytes of the active lanes.
    pub(crate) fn read_lanes(&self, target: &Target, mask: u32, width: usize) -> LaneBytes {
        let mut bytes = [0; LANES * MAX_WIDTH];
        for lane in lanes_of(mask) {
            let (backing, at) = target.of_lane(lane, width);
            let into = &mut bytes[lane * width..(lane + 1) * width];
            if let Some(from) = self.bytes_of(backing).get(at..at + width) {
                into.copy_from_slice(from);
            }
        }
        bytes
    }

    /// Writes bytes of one lane, `from` bytes behind its first.
    pub(crate) fn write_lane(
        &mut self,
        target: &Target,
        (lane, width): (usize, usize),
        from: usize,
        data: &[u8],
    ) {
        let (backing, at) = target.of_lane(lane, width);
        let writer = Writer {
            step: self.step,
            lane: lane as u32,
        };
        match self.paged(backing) {
            Some(memory) => memory.write(at + from, data, writer),
            None => self.stack.write(at + from, data, writer),
        }
    }

    /// Tells the observer.
    #[inline(never)]
    fn tell(
        &mut self,
        kind: AccessKind,
        l: &Lanes<'_>,
        plan: &AccessPlan,
        target: &Target,
        bytes: &[u8],
    ) {
        let mut resolved = [plan.space; LANES];
        let mut addresses = addresses(l, plan);
        let width = plan.width_bytes as usize;
        if plan.space == StateSpace::Generic {
            for lane in 0..LANES {
                let (space, window) = match target.of_lane(lane, width).0 {
                    Backing::Arena => (StateSpace::Global, 0),
                    Backing::Shared => (StateSpace::Shared, self.map.shared),
                    Backing::Stack => (StateSpace::Local, self.map.local),
                };
                resolved[lane] = space;
                addresses[lane] = addresses[lane].wrapping_sub(window);
            }
        }
        let (function, instruction) = self.code.origin(self.pc);
        let event = AccessEvent {
            step: self.step,
            block: self.block,
            warp: self.warp,
            function,
            instruction,
            space: plan.space,
            resolved: &resolved,
            mask: l.mask,
            addresses: &addresses,
            width_bytes: plan.width_bytes,
            element_bytes: plan.element_bytes,
            bytes: bytes.get(..LANES * width).unwrap_or(&[]),
            elements: plan.written,
            sem: plan.sem,
            scope: plan.scope,
        };
        match kind {
            AccessKind::Load => self.observer.load(&event),
            AccessKind::Store | AccessKind::Atomic => self.observer.store(&event),
        }
    }

    /// Tells of an atomic: what it read, then what it wrote.
    pub(crate) fn tell_atomic(
        &mut self,
        l: &Lanes<'_>,
        plan: &AccessPlan,
        target: &Target,
        old: &LaneBytes,
        new: &LaneBytes,
    ) {
        if self.interest.loads {
            self.tell(AccessKind::Load, l, plan, target, old);
        }
        if self.interest.stores {
            self.tell(AccessKind::Atomic, l, plan, target, new);
        }
    }
}

/// The address of every lane; inactive lanes repeat the lowest active one.
pub(crate) fn addresses(l: &Lanes<'_>, plan: &AccessPlan) -> Row64 {
    let mut row = if plan.wide {
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

/// `ld`
#[inline(always)]
pub(crate) fn load(
    reach: &mut Reach<'_>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    target: &mut Target,
    results: &mut Results,
) -> Executed {
    reach.find(AccessKind::Load, l, plan, target)?;
    if reach.interest.loads || target.place == Place::Mixed {
        load_lane_by_lane(reach, l, plan, target);
        return Ok(());
    }
    let bytes = reach.bytes_of(target.backing());
    for (index, element) in plan.elements.iter().enumerate() {
        load_element(bytes, l, plan, *element, index, target, results);
    }
    Ok(())
}

/// One element of all lanes from one memory.
#[inline(always)]
fn load_element(
    bytes: &[u8],
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    element: Element,
    index: usize,
    target: &Target,
    results: &mut Results,
) {
    if !element.slot.is_some() {
        return;
    }
    let at = index * plan.element_bytes as usize;
    let width = plan.width_bytes as usize;
    match (plan.element_bytes, element.bank) {
        (4, Bank::B32) if element.bits == 32 => {
            let row = l.whole32(element.slot).unwrap_or(&mut results.r32);
            gather(row, bytes, target, at, width, u32::from_le_bytes);
            if l.mask != FULL {
                l.set32(element.slot, &results.r32);
            }
        }
        (8, Bank::B64) => {
            let row = l.whole64(element.slot).unwrap_or(&mut results.r64);
            gather(row, bytes, target, at, width, u64::from_le_bytes);
            if l.mask != FULL {
                l.set64(element.slot, &results.r64);
            }
        }
        _ => load_odd_element(bytes, l, plan, element, at, target),
    }
}

/// Elements that are not as wide as their registers, or wider than 64 bits.
#[inline(never)]
fn load_odd_element(
    bytes: &[u8],
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    element: Element,
    at: usize,
    target: &Target,
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

/// Extends and writes a loaded element.
fn write_loaded(l: &mut Lanes<'_>, plan: &AccessPlan, element: Element, row: &[u128; LANES]) {
    let bits = plan.element_bytes * 8;
    if bits > 64 {
        write128(l, element, row);
    } else if plan.signed {
        let shift = 64 - bits;
        let row = row.map(|v| (((v as u64) << shift) as i64 >> shift) as u64);
        write64(l, element, &row);
    } else {
        write64(l, element, &row.map(|v| v as u64));
    }
}

/// What stands `at` bytes behind the first of each lane, `W` bytes wide. Elements lie at multiples of
/// their width in every memory, so memory reads as an array of them.
#[inline(always)]
fn gather<T: Copy, const W: usize>(
    row: &mut [T; LANES],
    bytes: &[u8],
    target: &Target,
    at: usize,
    width: usize,
    value: impl Fn([u8; W]) -> T,
) {
    let parts = bytes.as_chunks::<W>().0;
    match &target.place {
        Place::Contiguous(_, start) => {
            let parts = parts.get(start / W..).unwrap_or(&[]);
            read_each(row, parts, width / W, at / W, value);
        }
        Place::Uniform(_, start) => {
            if let Some(part) = parts.get((start + at) / W) {
                row.fill(value(*part));
            }
        }
        Place::Halves(_, step, starts) => {
            for (half, start) in row.as_chunks_mut::<16>().0.iter_mut().zip(starts) {
                match step {
                    HalfStep::Contiguous => {
                        let parts = parts.get(start / W..).unwrap_or(&[]);
                        read_each(half, parts, width / W, at / W, &value);
                    }
                    HalfStep::Uniform => {
                        if let Some(part) = parts.get((start + at) / W) {
                            half.fill(value(*part));
                        }
                    }
                }
            }
        }
        Place::Each(_) => {
            for (r, offset) in row.iter_mut().zip(&target.offsets) {
                if let Some(part) = parts.get((*offset as usize + at) / W) {
                    *r = value(*part);
                }
            }
        }
        Place::Mixed => {}
    }
}

/// One part of each of the lanes that follow each other, `n` parts a lane. The usual numbers are told apart, so that
/// each is a loop without checks.
#[inline(always)]
fn read_each<T, const W: usize, const L: usize>(
    row: &mut [T; L],
    parts: &[[u8; W]],
    n: usize,
    index: usize,
    value: impl Fn([u8; W]) -> T,
) {
    match n {
        1 => read_lanes::<T, W, L, 1>(row, parts, index, value),
        2 => read_lanes::<T, W, L, 2>(row, parts, index, value),
        4 => read_lanes::<T, W, L, 4>(row, parts, index, value),
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
fn read_lanes<T, const W: usize, const L: usize, const N: usize>(
    row: &mut [T; L],
    parts: &[[u8; W]],
    index: usize,
    value: impl Fn([u8; W]) -> T,
) {
    if let Some(lanes) = parts.as_chunks::<N>().0.first_chunk::<L>() {
        for lane in 0..L {
            row[lane] = value(lanes[lane][index & (N - 1)]);
        }
    }
}

/// Loads across memories, and where somebody listens.
#[inline(never)]
fn load_lane_by_lane(reach: &mut Reach<'_>, l: &mut Lanes<'_>, plan: &AccessPlan, target: &Target) {
    let bytes = reach.read_lanes(target, l.mask, plan.width_bytes as usize);
    if reach.interest.loads {
        reach.tell(AccessKind::Load, l, plan, target, &bytes);
    }
    set_elements(l, plan, &bytes);
}

/// Writes what was read to the elements' registers.
pub(crate) fn set_elements(l: &mut Lanes<'_>, plan: &AccessPlan, bytes: &LaneBytes) {
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
                to.copy_from_slice(from);
            }
            *r = u128::from_le_bytes(value);
        }
        write_loaded(l, plan, *element, &row);
    }
}

/// `st`
#[inline(always)]
pub(crate) fn store(
    reach: &mut Reach<'_>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    target: &mut Target,
) -> Executed {
    reach.find(AccessKind::Store, l, plan, target)?;
    if plan.space != StateSpace::ParamFunc {
        reach.observer.store_step(reach.step);
    }
    if !reach.interest.stores && store_quickly(reach, l, plan, target) {
        return Ok(());
    }
    store_lane_by_lane(reach, l, plan, target);
    Ok(())
}

/// Stores of 32-bit and 64-bit registers to one memory that nobody tracks; false for all others.
#[inline(always)]
fn store_quickly(reach: &mut Reach<'_>, l: &Lanes<'_>, plan: &AccessPlan, target: &Target) -> bool {
    let width = plan.width_bytes as usize;
    match &target.place {
        Place::Contiguous(backing, start) if plan.quick_store => {
            let Some(memory) = reach.paged(*backing).filter(|m| !m.tracks_writers()) else {
                return false;
            };
            let Some(place) = memory.place(*start, LANES * width) else {
                return false;
            };
            for (index, element) in plan.elements.iter().enumerate() {
                match element.bank {
                    Bank::B64 => {
                        let row = l.r64(element.slot);
                        spread(place, index, plan.elements.len(), row, u64::to_le_bytes);
                    }
                    _ => {
                        let row = l.r32(element.slot);
                        spread(place, index, plan.elements.len(), row, u32::to_le_bytes);
                    }
                }
            }
            true
        }
        Place::Each(backing) if plan.quick_store => {
            let offsets = &target.offsets;
            let Some(memory) = reach.paged(*backing).filter(|m| !m.tracks_writers()) else {
                return false;
            };
            memory.mark_all(offsets, width);
            for (index, element) in plan.elements.iter().enumerate() {
                match element.bank {
                    Bank::B64 => {
                        let row = l.r64(element.slot);
                        scatter(memory, offsets, l.mask, index, row, u64::to_le_bytes);
                    }
                    _ => {
                        let row = l.r32(element.slot);
                        scatter(memory, offsets, l.mask, index, row, u32::to_le_bytes);
                    }
                }
            }
            true
        }
        _ => false,
    }
}

/// One element of all lanes to bytes that follow each other.
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

/// One element of the active lanes, each to its place; the lowest lane first, so that the highest wins.
#[inline(always)]
fn scatter<T: Copy, const W: usize>(
    memory: &mut PagedBytes,
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

/// Stores of any kind; also tells the observer.
#[inline(never)]
fn store_lane_by_lane(
    reach: &mut Reach<'_>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    target: &Target,
) {
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
                part.copy_from_slice(from);
            }
        }
    }
    if reach.interest.stores {
        reach.tell(AccessKind::Store, l, plan, target, &bytes);
    }
    let all = plan.written.count_ones() as usize == plan.elements.len();
    for lane in lanes_of(l.mask) {
        let start = lane * width;
        if all {
            if let Some(data) = bytes.get(start..start + width) {
                reach.write_lane(target, (lane, width), 0, data);
            }
            continue;
        }
        for element in lanes_of(plan.written) {
            let from = element * size;
            if let Some(data) = bytes.get(start + from..start + from + size) {
                reach.write_lane(target, (lane, width), from, data);
            }
        }
    }
}
