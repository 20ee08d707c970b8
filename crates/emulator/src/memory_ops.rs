//! Loads and stores (PTX ISA, "ld", "st"). One function, [`write_lanes`], changes memory.

use crate::code::{AccessPlan, Bank, Code, Element};
use crate::convert::{read64, read128, write64, write128};
use crate::fault::{AccessKind, FaultKind};
use crate::inspect::Writer;
use crate::memory::{AddressMap, GlobalMemory, PagedBytes};
use crate::observe::{AccessEvent, Observer};
use crate::registers::{FULL, LANES, Lanes, Row64, lanes_of};
use crate::resolve::{AccessShape, Backing, Bounds, Mixed, Request, Resolved, examine, resolve};
use crate::warp::Stack;
use warpgrid_isa::StateSpace;

/// The widest access of a lane, in bytes.
pub(crate) const MAX_WIDTH: usize = 32;

/// Bytes of all lanes, lane after lane.
pub(crate) type LaneBytes = [u8; LANES * MAX_WIDTH];

/// What an instruction of one warp can reach.
pub(crate) struct Reach<'a, O> {
    pub(crate) code: &'a Code,
    pub(crate) map: &'a AddressMap,
    pub(crate) global: &'a mut GlobalMemory,
    pub(crate) shared: &'a mut PagedBytes,
    pub(crate) stack: &'a mut Stack,
    pub(crate) observer: &'a mut O,
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

/// Where the bytes of an access are.
pub(crate) enum Target {
    One(Resolved),
    /// Lanes in different memories.
    Many(Box<Mixed>),
}

impl<O: Observer> Reach<'_, O> {
    fn bounds(&self) -> Bounds {
        Bounds {
            shared: self.shared.len() as u64,
            stack: self.stack.lane_bytes as u64,
        }
    }

    /// The bytes that the lanes mean, or the fault.
    #[inline(always)]
    pub(crate) fn target(
        &self,
        kind: AccessKind,
        request: &Request<'_>,
    ) -> Result<Target, Box<Halt>> {
        match resolve(self.global, self.map, self.bounds(), request) {
            Ok(resolved) => Ok(Target::One(resolved)),
            Err(_) => self.target_closer(kind, request),
        }
    }

    #[cold]
    #[inline(never)]
    fn target_closer(&self, kind: AccessKind, request: &Request<'_>) -> Result<Target, Box<Halt>> {
        match examine(self.global, self.map, self.bounds(), request) {
            Ok(mixed) => Ok(Target::Many(Box::new(mixed))),
            Err(denied) => {
                let lane = (denied.lanes.trailing_zeros() & 31) as usize;
                Err(Box::new(Halt {
                    kind: denied.kind,
                    lanes: denied.lanes,
                    access: Some((kind, request.space, request.addresses[lane], request.width)),
                }))
            }
        }
    }

    fn bytes_of(&self, backing: Backing) -> &[u8] {
        match backing {
            Backing::Arena => self.global.arena.bytes(),
            Backing::Shared => self.shared.bytes(),
            Backing::Stack => &self.stack.bytes,
        }
    }

    /// Where a lane's byte is within its backing.
    #[inline(always)]
    fn place(&self, backing: Backing, lane: usize, offset: u32) -> usize {
        match backing {
            Backing::Stack => lane * self.stack.lane_bytes + offset as usize,
            _ => offset as usize,
        }
    }

    /// Bytes of one lane.
    fn read_lane(&self, target: &Target, lane: usize, into: &mut [u8]) {
        let (backing, offset) = match target {
            Target::One(r) => (r.backing, r.offsets[lane]),
            Target::Many(m) => (m.backings[lane], m.offsets[lane]),
        };
        let at = self.place(backing, lane, offset);
        if let Some(from) = self.bytes_of(backing).get(at..at + into.len()) {
            into.copy_from_slice(from);
        }
    }

    /// Bytes of the active lanes.
    pub(crate) fn read_lanes(&self, target: &Target, mask: u32, width: usize) -> LaneBytes {
        let mut bytes = [0; LANES * MAX_WIDTH];
        for lane in lanes_of(mask) {
            self.read_lane(target, lane, &mut bytes[lane * width..(lane + 1) * width]);
        }
        bytes
    }

    /// Writes part of one lane's bytes.
    pub(crate) fn write_lane(&mut self, target: &Target, lane: usize, from: usize, data: &[u8]) {
        let (backing, offset) = match target {
            Target::One(r) => (r.backing, r.offsets[lane]),
            Target::Many(m) => (m.backings[lane], m.offsets[lane]),
        };
        let at = self.place(backing, lane, offset) + from;
        let writer = Writer {
            step: self.step,
            lane: lane as u32,
        };
        match backing {
            Backing::Arena => self.global.arena.write(at, data, writer),
            Backing::Shared => self.shared.write(at, data, writer),
            Backing::Stack => self.stack.write(at, data, writer),
        }
    }

    /// Writes the bytes of the active lanes, the lowest lane first, so that the highest wins.
    /// Bit i of `elements` says whether element i is written.
    #[inline(always)]
    fn write_lanes(&mut self, target: &Target, mask: u32, bytes: &[u8], part: Parts) {
        if let Target::One(r) = target
            && r.shape == AccessShape::Contiguous
            && mask == FULL
            && part.all()
            && let Some(memory) = match r.backing {
                Backing::Arena => Some(&mut self.global.arena),
                Backing::Shared => Some(&mut *self.shared),
                Backing::Stack => None,
            }
            && !memory.tracks_writers()
            && let Some(bytes) = bytes.get(..LANES * part.width)
        {
            let writer = Writer {
                step: self.step,
                lane: 0,
            };
            memory.write(r.offsets[0] as usize, bytes, writer);
            return;
        }
        self.write_one_by_one(target, mask, bytes, part);
    }

    fn write_one_by_one(&mut self, target: &Target, mask: u32, bytes: &[u8], part: Parts) {
        for lane in lanes_of(mask) {
            let start = lane * part.width;
            if part.all() {
                if let Some(data) = bytes.get(start..start + part.width) {
                    self.write_lane(target, lane, 0, data);
                }
                continue;
            }
            for element in lanes_of(part.written) {
                let from = element * part.element;
                if let Some(data) = bytes.get(start + from..start + from + part.element) {
                    self.write_lane(target, lane, from, data);
                }
            }
        }
    }

    /// Tells the observer.
    #[inline(never)]
    fn tell(
        &mut self,
        kind: AccessKind,
        plan: &AccessPlan,
        target: &Target,
        request: &Request<'_>,
        bytes: &[u8],
    ) {
        let mut resolved = [plan.space; LANES];
        let mut addresses = *request.addresses;
        for lane in 0..LANES {
            let backing = match target {
                Target::One(r) => r.backing,
                Target::Many(m) => m.backings[lane],
            };
            if plan.space == StateSpace::Generic {
                resolved[lane] = match backing {
                    Backing::Arena => StateSpace::Global,
                    Backing::Shared => StateSpace::Shared,
                    Backing::Stack => StateSpace::Local,
                };
                addresses[lane] = match backing {
                    Backing::Arena => addresses[lane],
                    Backing::Shared => addresses[lane].wrapping_sub(self.map.shared),
                    Backing::Stack => addresses[lane].wrapping_sub(self.map.local),
                };
            }
        }
        let (function, instruction) = self.code.origin(self.pc);
        let width = request.width as usize;
        let event = AccessEvent {
            step: self.step,
            block: self.block,
            warp: self.warp,
            function,
            instruction,
            space: plan.space,
            resolved: &resolved,
            mask: request.mask,
            addresses: &addresses,
            width_bytes: request.width,
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
        plan: &AccessPlan,
        target: &Target,
        request: &Request<'_>,
        old: &LaneBytes,
        new: &LaneBytes,
    ) {
        if O::LOADS {
            self.tell(AccessKind::Load, plan, target, request, old);
        }
        if O::STORES {
            self.tell(AccessKind::Atomic, plan, target, request, new);
        }
    }
}

/// Which bytes of a lane are written.
#[derive(Clone, Copy)]
struct Parts {
    width: usize,
    element: usize,
    written: u32,
    n_elements: usize,
}

impl Parts {
    fn of(plan: &AccessPlan) -> Parts {
        Parts {
            width: plan.width_bytes as usize,
            element: plan.element_bytes as usize,
            written: plan.written,
            n_elements: plan.elements.len(),
        }
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.written.count_ones() as usize == self.n_elements
    }
}

/// The address of every lane; inactive lanes repeat the lowest active one.
#[inline(always)]
pub(crate) fn addresses(l: &Lanes<'_>, plan: &AccessPlan) -> Row64 {
    let mut row = [0u64; LANES];
    if plan.wide {
        let offset = plan.offset as u64;
        for (r, base) in row.iter_mut().zip(l.r64(plan.base)) {
            *r = base.wrapping_add(offset);
        }
    } else {
        // 32-bit address arithmetic wraps.
        let offset = plan.offset as u32;
        for (r, base) in row.iter_mut().zip(l.r32(plan.base)) {
            *r = u64::from(base.wrapping_add(offset));
        }
    }
    if l.mask != FULL {
        let first = row[l.first()];
        for (lane, r) in row.iter_mut().enumerate() {
            if l.mask & (1 << lane) == 0 {
                *r = first;
            }
        }
    }
    row
}

/// `ld`
#[inline(always)]
pub(crate) fn load<O: Observer>(
    reach: &mut Reach<'_, O>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
) -> Executed {
    let addresses = addresses(l, plan);
    let request = Request {
        space: plan.space,
        addresses: &addresses,
        mask: l.mask,
        width: plan.width_bytes,
        writes: false,
    };
    let target = reach.target(AccessKind::Load, &request)?;
    if !O::LOADS
        && let Target::One(resolved) = &target
        && resolved.backing != Backing::Stack
    {
        let bytes = reach.bytes_of(resolved.backing);
        for (index, element) in plan.elements.iter().enumerate() {
            load_element(l, plan, *element, index, bytes, resolved);
        }
        return Ok(());
    }
    load_any(reach, l, plan, &request, &target);
    Ok(())
}

/// One element of all lanes from one memory.
#[inline(always)]
fn load_element(
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    element: Element,
    index: usize,
    bytes: &[u8],
    resolved: &Resolved,
) {
    if !element.slot.is_some() {
        return;
    }
    let at = index * plan.element_bytes as usize;
    match (plan.element_bytes, element.bank) {
        (4, Bank::B32) if element.bits == 32 => {
            let row =
                gather::<4>(bytes, resolved, at, plan.width_bytes as usize).map(u32::from_le_bytes);
            l.set32(element.slot, &row);
        }
        (8, Bank::B64) => {
            let row =
                gather::<8>(bytes, resolved, at, plan.width_bytes as usize).map(u64::from_le_bytes);
            l.set64(element.slot, &row);
        }
        (width, _) => {
            let width_bytes = plan.width_bytes as usize;
            let row = match width {
                1 => gather::<1>(bytes, resolved, at, width_bytes).map(|b| u128::from(b[0])),
                2 => gather::<2>(bytes, resolved, at, width_bytes)
                    .map(|b| u128::from(u16::from_le_bytes(b))),
                4 => gather::<4>(bytes, resolved, at, width_bytes)
                    .map(|b| u128::from(u32::from_le_bytes(b))),
                8 => gather::<8>(bytes, resolved, at, width_bytes)
                    .map(|b| u128::from(u64::from_le_bytes(b))),
                _ => gather::<16>(bytes, resolved, at, width_bytes).map(u128::from_le_bytes),
            };
            write_loaded(l, plan, element, &row);
        }
    }
}

/// Extends and writes a loaded element.
fn write_loaded(l: &mut Lanes<'_>, plan: &AccessPlan, element: Element, row: &[u128; LANES]) {
    let bits = plan.element_bytes * 8;
    if bits > 64 {
        write128(l, element, row);
    } else if plan.signed {
        let shift = 64 - bits;
        write64(
            l,
            element,
            &row.map(|v| (((v as u64) << shift) as i64 >> shift) as u64),
        );
    } else {
        write64(l, element, &row.map(|v| v as u64));
    }
}

/// `W` bytes of each lane, `at` bytes behind its address.
#[inline(always)]
fn gather<const W: usize>(
    bytes: &[u8],
    resolved: &Resolved,
    at: usize,
    width: usize,
) -> [[u8; W]; LANES] {
    let mut row = [[0; W]; LANES];
    match resolved.shape {
        AccessShape::Contiguous => {
            let start = resolved.offsets[0] as usize;
            if let Some(bytes) = bytes.get(start..start + LANES * width) {
                if width == W {
                    for (r, chunk) in row.iter_mut().zip(bytes.as_chunks::<W>().0) {
                        *r = *chunk;
                    }
                } else {
                    for (r, chunk) in row.iter_mut().zip(bytes.chunks_exact(width)) {
                        if let Some(part) = chunk.get(at..).and_then(<[u8]>::first_chunk::<W>) {
                            *r = *part;
                        }
                    }
                }
            }
        }
        AccessShape::Uniform => {
            let start = resolved.offsets[0] as usize + at;
            if let Some(part) = bytes.get(start..).and_then(<[u8]>::first_chunk::<W>) {
                row = [*part; LANES];
            }
        }
        AccessShape::Any => {
            for (r, offset) in row.iter_mut().zip(&resolved.offsets) {
                let start = *offset as usize + at;
                if let Some(part) = bytes.get(start..).and_then(<[u8]>::first_chunk::<W>) {
                    *r = *part;
                }
            }
        }
    }
    row
}

/// Loads lane by lane: from stacks, across memories, and where somebody listens.
#[inline(never)]
fn load_any<O: Observer>(
    reach: &mut Reach<'_, O>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
    request: &Request<'_>,
    target: &Target,
) {
    let width = plan.width_bytes as usize;
    let bytes = reach.read_lanes(target, l.mask, width);
    set_elements(l, plan, &bytes);
    if O::LOADS {
        reach.tell(AccessKind::Load, plan, target, request, &bytes);
    }
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
pub(crate) fn store<O: Observer>(
    reach: &mut Reach<'_, O>,
    l: &mut Lanes<'_>,
    plan: &AccessPlan,
) -> Executed {
    let addresses = addresses(l, plan);
    let request = Request {
        space: plan.space,
        addresses: &addresses,
        mask: l.mask,
        width: plan.width_bytes,
        writes: true,
    };
    let target = reach.target(AccessKind::Store, &request)?;
    let mut bytes = [0; LANES * MAX_WIDTH];
    let (width, size) = (plan.width_bytes as usize, plan.element_bytes as usize);
    for (index, element) in plan.elements.iter().enumerate() {
        scatter_element(l, *element, index * size, width, size, &mut bytes);
    }
    if plan.space != StateSpace::ParamFunc {
        reach.observer.store_step(reach.step);
    }
    if O::STORES {
        reach.tell(AccessKind::Store, plan, &target, &request, &bytes);
    }
    reach.write_lanes(&target, l.mask, &bytes, Parts::of(plan));
    Ok(())
}

/// Puts one element of all lanes into the lanes' bytes.
#[inline(always)]
fn scatter_element(
    l: &Lanes<'_>,
    element: Element,
    at: usize,
    width: usize,
    size: usize,
    bytes: &mut LaneBytes,
) {
    match (size, element.bank) {
        _ if !element.slot.is_some() => {}
        (4, Bank::B32) if width == 4 => {
            for (chunk, v) in bytes
                .as_chunks_mut::<4>()
                .0
                .iter_mut()
                .zip(l.r32(element.slot))
            {
                *chunk = v.to_le_bytes();
            }
        }
        (4, Bank::B32) => {
            for (chunk, v) in bytes.chunks_exact_mut(width).zip(l.r32(element.slot)) {
                if let Some(part) = chunk.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                    *part = v.to_le_bytes();
                }
            }
        }
        (8, Bank::B64) => {
            for (chunk, v) in bytes.chunks_exact_mut(width).zip(l.r64(element.slot)) {
                if let Some(part) = chunk.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                    *part = v.to_le_bytes();
                }
            }
        }
        (16, _) => {
            let row = read128(l, element);
            for (chunk, v) in bytes.chunks_exact_mut(width).zip(&row) {
                if let Some(part) = chunk.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                    *part = v.to_le_bytes();
                }
            }
        }
        _ => {
            let row = read64(l, element);
            for (chunk, v) in bytes.chunks_exact_mut(width).zip(&row) {
                if let (Some(part), Some(from)) =
                    (chunk.get_mut(at..at + size), v.to_le_bytes().get(..size))
                {
                    part.copy_from_slice(from);
                }
            }
        }
    }
}
