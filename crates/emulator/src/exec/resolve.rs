//! From addresses to bytes: which memory each lane means, and whether it may have it.
//!
//! The quick way asks once for all lanes, with arithmetic that vectorises; where it finds anything
//! unusual the slow way looks at each lane of its own, and names the lanes that may not.

use crate::decode::code::AccessPlan;
use crate::run::fault::FaultKind;
use crate::state::memory::{AddressMap, Allocation, GlobalMemory, Owner};
use crate::state::registers::{FULL, LANES, Lanes, Row32, Row64, lanes_of};
use std::hint::black_box;
use warpgrid_isa::StateSpace;

/// Which bytes an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    Arena,
    Shared,
    /// Shared memory of the block with this rank in the cluster, which is another block.
    Peer(u8),
    Stack,
}

/// Where the lanes' bytes start within their memory.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) place: Place,
    /// By lane, where the place does not say it all; inactive lanes repeat an active one.
    pub(crate) offsets: Row32,
    /// By lane, where they differ.
    backings: [Backing; LANES],
}

/// How the lanes' bytes lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// All lanes are active and follow each other without gaps.
    Contiguous(Backing, usize),
    /// All lanes are active and mean the same bytes.
    Uniform(Backing, usize),
    /// All lanes are active; those of each half of the warp follow each other, or mean the same bytes. So lie the rows
    /// of a tile that is 16 wide. Only reads are looked at so closely.
    Halves(Backing, HalfStep, [usize; 2]),
    /// Each at its offset.
    Each(Backing),
    /// In different memories.
    Mixed,
}

/// From lane to lane within a half of the warp.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HalfStep {
    Contiguous,
    Uniform,
}

impl Target {
    /// To be found.
    pub(crate) const UNKNOWN: Target = Target {
        place: Place::Each(Backing::Arena),
        offsets: [0; LANES],
        backings: [Backing::Arena; LANES],
    };

    /// The memory of all lanes; that of the first where they differ.
    #[inline(always)]
    pub(crate) fn backing(&self) -> Backing {
        match self.place {
            Place::Contiguous(backing, _)
            | Place::Uniform(backing, _)
            | Place::Halves(backing, ..)
            | Place::Each(backing) => backing,
            Place::Mixed => self.backings[0],
        }
    }

    /// Memory and first byte of one lane.
    pub(crate) fn of_lane(&self, lane: usize, width: usize) -> (Backing, usize) {
        let offset = self.offsets[lane] as usize;
        match self.place {
            Place::Contiguous(backing, start) => (backing, start + lane * width),
            Place::Uniform(backing, start) => (backing, start),
            Place::Halves(backing, HalfStep::Contiguous, starts) => {
                (backing, starts[(lane / 16) & 1] + lane % 16 * width)
            }
            Place::Halves(backing, HalfStep::Uniform, starts) => (backing, starts[(lane / 16) & 1]),
            Place::Each(backing) => (backing, offset),
            Place::Mixed => (self.backings[lane], offset),
        }
    }
}

/// The memories of a warp, and how large they are.
#[derive(Clone, Copy)]
pub(crate) struct Memories<'a> {
    pub(crate) global: &'a GlobalMemory,
    pub(crate) map: &'a AddressMap,
    pub(crate) shared_bytes: u64,
    /// Of one lane.
    pub(crate) stack_bytes: u64,
    /// Of the block, in its cluster.
    pub(crate) own_rank: u32,
    /// Blocks of the cluster; all have as much shared memory.
    pub(crate) n_ranks: u32,
}

/// Lanes that may not.
pub(crate) struct Denied {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u32,
}

/// Whether an access changes memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
}

/// A range of addresses in one memory.
#[derive(Clone, Copy)]
struct Range {
    backing: Backing,
    /// Address of its first byte.
    start: u64,
    size: u64,
    /// Where its first byte is within the memory.
    at: u32,
}

/// What the differences between the lanes' addresses look like.
enum Shape {
    Contiguous,
    Uniform,
    /// With how far the second half starts after the first.
    Halves(HalfStep, u64),
    Any,
}

macro_rules! shape {
    ($name:ident, $word:ty, $signed:ty) => {
        #[inline(always)]
        fn $name(base: &[$word; LANES], width: $word) -> Shape {
            let (first, second) = (base[0], base[16]);
            let step = base[1].wrapping_sub(first);
            if step != 0 && step != width {
                return Shape::Any;
            }
            let gap = second.wrapping_sub(first);
            let shape = (step, gap);
            // Both halves run alike. The compiler does not get to know that some of the differences are always zero,
            // since it would then leave vectors to compare the other lanes one by one.
            let (first, step, gap) = (black_box(first), black_box(step), black_box(gap));
            let mut ramp = [0; 8];
            for (lane, r) in ramp.iter_mut().enumerate() {
                *r = first.wrapping_add(step * lane as $word);
            }
            let parts = base.as_chunks::<8>().0;
            let moved = [0, 8 * step, gap, gap.wrapping_add(8 * step)];
            let mut differ = [0; 8];
            for (part, moved) in parts.iter().zip(moved) {
                for lane in 0..8 {
                    differ[lane] |= part[lane].wrapping_sub(ramp[lane]).wrapping_sub(moved);
                }
            }
            if differ.iter().fold(0, |all, d| all | d) != 0 {
                return Shape::Any;
            }
            let (step, gap) = shape;
            match step {
                0 if gap == 0 => Shape::Uniform,
                0 => Shape::Halves(HalfStep::Uniform, gap as $signed as u64),
                _ if gap == 16 * width => Shape::Contiguous,
                _ => Shape::Halves(HalfStep::Contiguous, gap as $signed as u64),
            }
        }
    };
}

shape!(shape64, u64, i64);
shape!(shape32, u32, i32);

impl<'a> Memories<'a> {
    /// The memory that the lowest active lane means.
    #[inline(always)]
    fn range(
        &self,
        space: StateSpace,
        address: u64,
        purpose: Purpose,
        hint: &mut u32,
    ) -> Option<Range> {
        let window = |backing, start, size| Range {
            backing,
            start,
            size,
            at: 0,
        };
        Some(match space {
            StateSpace::Shared => window(Backing::Shared, 0, self.shared_bytes),
            StateSpace::SharedCluster => {
                let (backing, offset) = self.shared_at(address)?;
                window(backing, address - offset, self.shared_bytes)
            }
            StateSpace::Local | StateSpace::ParamFunc => {
                window(Backing::Stack, 0, self.stack_bytes)
            }
            StateSpace::Generic if self.map.in_shared(address) => {
                window(Backing::Shared, self.map.shared, self.shared_bytes)
            }
            StateSpace::Generic if self.map.in_shared_cluster(address) => {
                let (backing, offset) = self.shared_at(address - self.map.shared)?;
                window(backing, address - offset, self.shared_bytes)
            }
            StateSpace::Generic if self.map.in_local(address) => {
                window(Backing::Stack, self.map.local, self.stack_bytes)
            }
            _ => {
                let found = self.global.find_again(address, hint)?;
                if !space_allows(space, found) || purpose == Purpose::Write && found.read_only() {
                    return None;
                }
                Range {
                    backing: Backing::Arena,
                    start: found.address,
                    size: found.size,
                    at: found.start as u32,
                }
            }
        })
    }

    /// The block whose shared memory a `.shared::cluster` address means, and the offset in it.
    fn shared_at(&self, address: u64) -> Option<(Backing, u64)> {
        let place = self.map.shared_place(address);
        let backing = match place.rank {
            None => Backing::Shared,
            Some(rank) if rank == self.own_rank => Backing::Shared,
            Some(rank) if rank < self.n_ranks => Backing::Peer(rank as u8),
            Some(_) => return None,
        };
        Some((backing, place.offset))
    }

    /// Finds the bytes that the active lanes mean; false when that takes a closer look. `hint` is the allocation to try
    /// first, and becomes the one that was met.
    #[inline(always)]
    pub(crate) fn quick(
        &self,
        l: &Lanes<'_>,
        plan: &AccessPlan,
        purpose: Purpose,
        hint: &mut u32,
        target: &mut Target,
    ) -> bool {
        if plan.wide {
            let base = l.r64(plan.base);
            let first = base[l.first()].wrapping_add(plan.offset as u64);
            let Some(range) = self.range(plan.space, first, purpose, hint) else {
                return false;
            };
            if l.mask == FULL && range.backing != Backing::Stack {
                let shape = shape64(base, u64::from(plan.width_bytes));
                if let Some(place) = even(shape, first, range, plan, purpose) {
                    target.place = place;
                    return true;
                }
                return self.each64(base, plan, range, target);
            }
            self.each64(&filled(base, l.mask), plan, range, target)
        } else {
            let base = l.r32(plan.base);
            // 32-bit address arithmetic wraps.
            let first = base[l.first()].wrapping_add(plan.offset as u32);
            let Some(range) = self.range(plan.space, u64::from(first), purpose, hint) else {
                return false;
            };
            if range.start != 0 || range.size >= 1 << 30 {
                let base =
                    filled(base, l.mask).map(|b| u64::from(b.wrapping_add(plan.offset as u32)));
                return self.each64(&base, plan, range, target);
            }
            if l.mask == FULL && range.backing != Backing::Stack {
                let shape = shape32(base, plan.width_bytes);
                if let Some(place) = even(shape, u64::from(first), range, plan, purpose) {
                    target.place = place;
                    return true;
                }
                return self.each32(base, plan, range, target);
            }
            self.each32(&filled(base, l.mask), plan, range, target)
        }
    }

    /// Every lane at its own place, checked without branches.
    #[inline(always)]
    fn each64(&self, base: &Row64, plan: &AccessPlan, range: Range, target: &mut Target) -> bool {
        let width = u64::from(plan.width_bytes);
        let Some(limit) = range.size.checked_sub(width) else {
            return false;
        };
        let offset = if plan.wide { plan.offset as u64 } else { 0 };
        let delta = offset.wrapping_sub(range.start);
        let (mut outside, mut low) = (0u64, 0u64);
        let offsets = &mut target.offsets;
        for lane in 0..LANES {
            let relative = base[lane].wrapping_add(delta);
            // The top bit is set for offsets beyond the limit, and for those before the start.
            outside |= relative | limit.wrapping_sub(relative);
            low |= relative;
            offsets[lane] = (relative as u32).wrapping_add(range.at);
        }
        self.part_stacks(range, target);
        outside >> 63 == 0 && low & (width - 1) == 0
    }

    /// As [`Memories::each64`], for memories that start at address 0 and 32-bit addresses.
    #[inline(always)]
    fn each32(&self, base: &Row32, plan: &AccessPlan, range: Range, target: &mut Target) -> bool {
        let width = plan.width_bytes;
        let Some(limit) = (range.size as u32).checked_sub(width) else {
            return false;
        };
        let offset = plan.offset as u32;
        let (mut outside, mut low) = (0u32, 0u32);
        let offsets = &mut target.offsets;
        for lane in 0..LANES {
            let relative = base[lane].wrapping_add(offset);
            outside |= relative | limit.wrapping_sub(relative);
            low |= relative;
            offsets[lane] = relative.wrapping_add(range.at);
        }
        self.part_stacks(range, target);
        outside >> 31 == 0 && low & (width - 1) == 0
    }

    /// The lanes' stacks lie one after the other.
    #[inline(always)]
    fn part_stacks(&self, range: Range, target: &mut Target) {
        target.place = Place::Each(range.backing);
        if range.backing == Backing::Stack {
            for (lane, o) in target.offsets.iter_mut().enumerate() {
                *o = o.wrapping_add(lane as u32 * self.stack_bytes as u32);
            }
        }
    }

    /// Looks at each lane of its own: for accesses across memories, and to name the faulting lanes.
    #[cold]
    #[inline(never)]
    pub(crate) fn examine(
        &self,
        plan: &AccessPlan,
        addresses: &Row64,
        mask: u32,
        purpose: Purpose,
        target: &mut Target,
    ) -> Result<(), Denied> {
        let mut denied: Option<Denied> = None;
        for lane in lanes_of(mask) {
            match self.examine_one(plan, addresses[lane], purpose) {
                Ok((backing, offset)) => {
                    let start = match backing {
                        Backing::Stack => lane as u32 * self.stack_bytes as u32,
                        _ => 0,
                    };
                    target.backings[lane] = backing;
                    target.offsets[lane] = start + offset;
                }
                Err(kind) => {
                    let lanes = denied.as_ref().map_or(0, |d| d.lanes) | 1 << lane;
                    let kind = denied.take().map_or(kind, |d| d.kind);
                    denied = Some(Denied { kind, lanes });
                }
            }
        }
        match denied {
            None => {
                target.place = Place::Mixed;
                Ok(())
            }
            Some(denied) => Err(denied),
        }
    }

    fn examine_one(
        &self,
        plan: &AccessPlan,
        address: u64,
        purpose: Purpose,
    ) -> Result<(Backing, u32), FaultKind> {
        let width = u64::from(plan.width_bytes);
        if !address.is_multiple_of(width) {
            return Err(FaultKind::Misaligned);
        }
        let window = |backing, offset: u64, size: u64| {
            if offset <= size && size - offset >= width {
                Ok((backing, offset as u32))
            } else {
                Err(FaultKind::OutOfBounds)
            }
        };
        match plan.space {
            StateSpace::Shared => window(Backing::Shared, address, self.shared_bytes),
            StateSpace::SharedCluster => {
                let (backing, offset) = self.shared_at(address).ok_or(FaultKind::OutOfBounds)?;
                window(backing, offset, self.shared_bytes)
            }
            StateSpace::Local | StateSpace::ParamFunc => {
                window(Backing::Stack, address, self.stack_bytes)
            }
            StateSpace::Generic if self.map.in_shared(address) => window(
                Backing::Shared,
                address - self.map.shared,
                self.shared_bytes,
            ),
            StateSpace::Generic if self.map.in_shared_cluster(address) => {
                let place = self.shared_at(address - self.map.shared);
                let (backing, offset) = place.ok_or(FaultKind::OutOfBounds)?;
                window(backing, offset, self.shared_bytes)
            }
            StateSpace::Generic if self.map.in_local(address) => {
                window(Backing::Stack, address - self.map.local, self.stack_bytes)
            }
            space => {
                let found = self.global.find(address).ok_or(FaultKind::OutOfBounds)?;
                if !space_allows(space, found) {
                    return Err(FaultKind::WrongSpace);
                }
                if !found.holds(address, width) {
                    return Err(FaultKind::OutOfBounds);
                }
                if purpose == Purpose::Write && found.read_only() {
                    return Err(FaultKind::ReadOnly);
                }
                let offset = address - found.address + found.start as u64;
                Ok((Backing::Arena, offset as u32))
            }
        }
    }
}

/// The place of an even shape within the range; none for other shapes, and beyond the range.
#[inline(always)]
fn even(
    shape: Shape,
    first: u64,
    range: Range,
    plan: &AccessPlan,
    purpose: Purpose,
) -> Option<Place> {
    let width = u64::from(plan.width_bytes);
    let within = |relative: u64, bytes: u64| {
        relative <= range.size && range.size - relative >= bytes && relative & (width - 1) == 0
    };
    let relative = first.wrapping_sub(range.start);
    let start = range.at as usize + relative as usize;
    let (bytes, place) = match shape {
        Shape::Contiguous => (
            LANES as u64 * width,
            Place::Contiguous(range.backing, start),
        ),
        Shape::Uniform => (width, Place::Uniform(range.backing, start)),
        Shape::Halves(step, gap) if purpose == Purpose::Read => {
            let bytes = match step {
                HalfStep::Contiguous => 16 * width,
                HalfStep::Uniform => width,
            };
            let other = relative.wrapping_add(gap);
            if !within(other, bytes) {
                return None;
            }
            let starts = [start, range.at as usize + other as usize];
            (bytes, Place::Halves(range.backing, step, starts))
        }
        Shape::Halves(..) | Shape::Any => return None,
    };
    within(relative, bytes).then_some(place)
}

/// Inactive lanes repeat the lowest active one.
#[inline(always)]
fn filled<T: Copy>(base: &[T; LANES], mask: u32) -> [T; LANES] {
    let mut row = [base[(mask.trailing_zeros() & 31) as usize]; LANES];
    for lane in 0..LANES {
        if mask & (1 << lane) != 0 {
            row[lane] = base[lane];
        }
    }
    row
}

/// Whether an access that names a space may touch an allocation.
fn space_allows(space: StateSpace, allocation: &Allocation) -> bool {
    match space {
        StateSpace::Global => matches!(
            allocation.owner,
            Owner::Buffer(..) | Owner::GlobalVariable(..)
        ),
        StateSpace::Const => matches!(allocation.owner, Owner::ConstVariable(..)),
        StateSpace::ParamEntry => matches!(allocation.owner, Owner::Parameters),
        _ => true,
    }
}
