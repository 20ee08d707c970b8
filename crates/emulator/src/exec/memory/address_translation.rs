//! Address translation of the interpreter: resolves the address of each lane to a memory and an offset, and checks
//! bounds, alignment and permissions.
//!
//! The fast path checks all lanes at once with vectorized arithmetic. If a check fails, the slow path checks each lane
//! separately and determines the faulting lanes.

use crate::code::AccessPlan;
use crate::contract::fault::FaultKind;
use crate::semantics::registers::{FULL, LANES, LaneRegisters, Row32, Row64, lanes_of};
use crate::state::memory::{AddressMap, Allocation, AllocationOwner, GlobalMemory};
use std::hint::black_box;
use warpgrid_isa::StateSpace;

/// Host memory that contains the bytes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    Arena,
    Shared,
    /// Shared memory of another block in the cluster, identified by the rank of that block.
    Peer(u8),
    Stack,
}

/// Resolved addresses of the lanes of an access: the memories, the offsets, and the address pattern.
#[derive(Clone)]
pub(crate) struct ResolvedAccess {
    pub(crate) place: LanePattern,
    /// Offset of each lane in its memory, if the address pattern does not determine the offsets. An inactive lane has
    /// the offset of an active lane.
    pub(crate) offsets: Row32,
    /// Memory of each lane, if the lanes access different memories.
    backings: [Backing; LANES],
}

/// Address pattern of an access across the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LanePattern {
    /// All lanes are active, and their addresses are contiguous.
    Contiguous(Backing, usize),
    /// All lanes are active, and access the same bytes.
    Uniform(Backing, usize),
    /// Each lane accesses its own offset in a common memory.
    Each(Backing),
    /// The lanes access different memories.
    Mixed,
}

impl ResolvedAccess {
    /// Placeholder before address translation.
    pub(crate) const UNKNOWN: ResolvedAccess = ResolvedAccess {
        place: LanePattern::Each(Backing::Arena),
        offsets: [0; LANES],
        backings: [Backing::Arena; LANES],
    };

    /// Returns the memory of all lanes, or the memory of the first lane if the memories differ.
    #[inline(always)]
    pub(crate) fn backing(&self) -> Backing {
        match self.place {
            LanePattern::Contiguous(backing, _)
            | LanePattern::Uniform(backing, _)
            | LanePattern::Each(backing) => backing,
            LanePattern::Mixed => self.backings[0],
        }
    }

    /// Returns the memory and the first byte of one lane.
    pub(crate) fn of_lane(&self, lane: usize, width: usize) -> (Backing, usize) {
        let offset = self.offsets[lane] as usize;
        match self.place {
            LanePattern::Contiguous(backing, start) => (backing, start + lane * width),
            LanePattern::Uniform(backing, start) => (backing, start),
            LanePattern::Each(backing) => (backing, offset),
            LanePattern::Mixed => (self.backings[lane], offset),
        }
    }
}

/// Address translator of a warp: the memories that the warp can access, and their sizes.
#[derive(Clone, Copy)]
pub(crate) struct AddressTranslator<'a> {
    pub(crate) global: &'a GlobalMemory,
    pub(crate) map: &'a AddressMap,
    pub(crate) shared_bytes: u64,
    /// Stack size of one lane.
    pub(crate) stack_bytes: u64,
    /// Distance in bytes between the stacks of consecutive lanes.
    pub(crate) stack_stride: u32,
    /// Rank of the block in its cluster.
    pub(crate) own_rank: u32,
    /// Number of blocks in the cluster. All blocks have the same amount of shared memory.
    pub(crate) n_ranks: u32,
}

/// Failed address translation: the faulting lanes, and the reason.
pub(crate) struct AccessDenied {
    pub(crate) kind: FaultKind,
    pub(crate) lanes: u32,
}

/// Whether an access modifies memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessMode {
    Read,
    Write,
}

/// Address range that is contiguous in one memory.
#[derive(Clone, Copy)]
struct BackingRange {
    backing: Backing,
    /// Address of the first byte of the range.
    start: u64,
    size: u64,
    /// Offset of the first byte of the range in the memory.
    at: u32,
}

/// Addresses of a whole warp with a constant stride within each half-warp. Accesses to rows of a matrix, and to rows of
/// a tile with 16 columns, have this pattern.
#[derive(Clone, Copy)]
pub(crate) struct HalfWarpPattern<T> {
    /// Address of the first lane of each half-warp.
    pub(crate) starts: [T; 2],
    /// Whether the addresses within a half-warp are contiguous. Otherwise, all addresses of a half-warp are equal.
    pub(crate) follow: bool,
}

macro_rules! even {
    ($name:ident, $ramps:ident, $word:ty) => {
        /// Offset of each lane from the first lane of its half-warp, for stride 0 and for strides that are powers of
        /// two. Without a table, the compiler would simplify the expressions of single lanes and would not vectorize
        /// the comparison.
        static $ramps: [[$word; 16]; 8] = {
            let mut ramps = [[0; 16]; 8];
            let mut at = 16;
            while at < 8 * 16 {
                ramps[at / 16][at % 16] = (at as $word % 16) << (at / 16 - 1);
                at += 1;
            }
            ramps
        };

        /// Returns the address pattern of the lanes, or `None` if a half-warp has no constant stride. `is_constant`
        /// indicates that the addresses of all lanes are known to be equal. `width` must be a power of two of at most
        /// 64.
        #[inline(always)]
        pub(crate) fn $name(
            base: &[$word; LANES],
            is_constant: bool,
            width: $word,
        ) -> Option<HalfWarpPattern<$word>> {
            let (first, second) = (base[0], base[16]);
            if is_constant {
                return Some(HalfWarpPattern {
                    starts: [first; 2],
                    follow: false,
                });
            }
            let step = base[1].wrapping_sub(first);
            if step != 0 && step != width {
                return None;
            }
            let row = if step == 0 {
                0
            } else {
                width.trailing_zeros() as usize + 1
            };
            let ramp = &$ramps[row & 7];
            let mut differ = [0; LANES];
            for lane in 0..16 {
                differ[lane] = base[lane] ^ first.wrapping_add(ramp[lane]);
            }
            for lane in 0..16 {
                differ[lane + 16] = base[lane + 16] ^ second.wrapping_add(ramp[lane]);
            }
            // Hide the array from the compiler with `black_box`, so that the compiler does not compare some lanes
            // separately.
            let differ = black_box(&differ).iter().fold(0, |all, lane| all | lane);
            (differ == 0).then_some(HalfWarpPattern {
                starts: [first, second],
                follow: step != 0,
            })
        }
    };
}

even!(even64, RAMPS_64, u64);
even!(even32, RAMPS_32, u32);

impl<'a> AddressTranslator<'a> {
    /// Returns the address range of the memory that contains the address of the lowest active lane.
    #[inline(always)]
    fn range(
        &self,
        space: StateSpace,
        address: u64,
        purpose: AccessMode,
        hint: &mut u32,
    ) -> Option<BackingRange> {
        let window = |backing, start, size| BackingRange {
            backing,
            start,
            size,
            at: 0,
        };
        Some(match space {
            StateSpace::Shared if self.map.own_window => {
                window(Backing::Shared, 0, self.shared_bytes)
            }
            StateSpace::Shared | StateSpace::SharedCluster => {
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
                let allocation = self.global.find_again(address, hint)?;
                if !space_allows(space, allocation)
                    || purpose == AccessMode::Write && allocation.read_only()
                {
                    return None;
                }
                BackingRange {
                    backing: Backing::Arena,
                    start: allocation.address,
                    size: allocation.size,
                    at: allocation.start as u32,
                }
            }
        })
    }

    /// Resolves the start of an address range if a single memory contains the whole range. Local memory is excluded,
    /// because each lane has its own stack.
    pub(crate) fn span(
        &self,
        space: StateSpace,
        start: u64,
        n_bytes: u64,
        purpose: AccessMode,
    ) -> Option<(Backing, usize)> {
        let range = self.range(space, start, purpose, &mut 0)?;
        let relative = start.checked_sub(range.start)?;
        let is_inside = relative <= range.size && range.size - relative >= n_bytes;
        (is_inside && range.backing != Backing::Stack)
            .then(|| (range.backing, range.at as usize + relative as usize))
    }

    /// Resolves a `.shared::cluster` address to a block and an offset.
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

    /// Fast path of address translation. Returns `false` if the access requires the slow path. The translation checks
    /// the allocation `hint` first, and sets `hint` to the accessed allocation.
    #[inline(always)]
    pub(crate) fn resolve_fast(
        &self,
        l: &LaneRegisters<'_>,
        plan: &AccessPlan,
        purpose: AccessMode,
        hint: &mut u32,
        target: &mut ResolvedAccess,
    ) -> bool {
        if plan.has_64_bit_base {
            let base = l.r64(plan.base);
            let first = base[l.first()].wrapping_add(plan.offset as u64);
            let Some(range) = self.range(plan.space, first, purpose, hint) else {
                return false;
            };
            if l.mask == FULL && range.backing != Backing::Stack {
                let width = u64::from(plan.width_bytes);
                let even = even64(base, plan.base.is_constant(), width);
                if let Some(HalfWarpPattern { starts, follow }) = even {
                    let gap = starts[1].wrapping_sub(starts[0]);
                    if let Some(place) = even_place(gap, follow, first, range, plan) {
                        target.place = place;
                        return true;
                    }
                }
                return self.each64(base, plan, range, target);
            }
            self.each64(&fill_inactive_lanes(base, l.mask), plan, range, target)
        } else {
            let base = l.r32(plan.base);
            // The sum of a 32-bit address and an offset wraps.
            let first = base[l.first()].wrapping_add(plan.offset as u32);
            let Some(range) = self.range(plan.space, u64::from(first), purpose, hint) else {
                return false;
            };
            if range.start != 0 || range.size >= 1 << 30 {
                let base = fill_inactive_lanes(base, l.mask)
                    .map(|b| u64::from(b.wrapping_add(plan.offset as u32)));
                return self.each64(&base, plan, range, target);
            }
            if l.mask == FULL && range.backing != Backing::Stack {
                let even = even32(base, plan.base.is_constant(), plan.width_bytes);
                if let Some(HalfWarpPattern { starts, follow }) = even {
                    let gap = u64::from(starts[1].wrapping_sub(starts[0]));
                    if let Some(place) = even_place(gap, follow, first.into(), range, plan) {
                        target.place = place;
                        return true;
                    }
                }
                return self.each32(base, plan, range, target);
            }
            self.each32(&fill_inactive_lanes(base, l.mask), plan, range, target)
        }
    }

    /// Resolves a separate 64-bit address for each lane without branches. Returns `false` if a lane fails a check.
    #[inline(always)]
    fn each64(
        &self,
        base: &Row64,
        plan: &AccessPlan,
        range: BackingRange,
        target: &mut ResolvedAccess,
    ) -> bool {
        let width = u64::from(plan.width_bytes);
        let Some(limit) = range.size.checked_sub(width) else {
            return false;
        };
        let offset = if plan.has_64_bit_base {
            plan.offset as u64
        } else {
            0
        };
        let delta = offset.wrapping_sub(range.start);
        let (mut outside, mut low) = (0u64, 0u64);
        let offsets = &mut target.offsets;
        for lane in 0..LANES {
            let relative = base[lane].wrapping_add(delta);
            // The top bit is set if an offset is beyond the limit or before the start of the range.
            outside |= relative | limit.wrapping_sub(relative);
            low |= relative;
            offsets[lane] = (relative as u32).wrapping_add(range.at);
        }
        self.part_stacks(range, target);
        outside >> 63 == 0 && low & (width - 1) == 0
    }

    /// Resolves a separate 32-bit address for each lane without branches, for address ranges that start at address 0.
    /// Returns `false` if a lane fails a check.
    #[inline(always)]
    fn each32(
        &self,
        base: &Row32,
        plan: &AccessPlan,
        range: BackingRange,
        target: &mut ResolvedAccess,
    ) -> bool {
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

    /// Adds the start of each lane's stack to the lane's offset, because the stacks of all lanes are consecutive in one
    /// memory.
    #[inline(always)]
    fn part_stacks(&self, range: BackingRange, target: &mut ResolvedAccess) {
        target.place = LanePattern::Each(range.backing);
        if range.backing == Backing::Stack {
            for (lane, o) in target.offsets.iter_mut().enumerate() {
                *o = o.wrapping_add(lane as u32 * self.stack_stride);
            }
        }
    }

    /// Slow path of address translation: resolves each lane separately, for accesses that span several memories or
    /// fault. Determines the faulting lanes.
    #[cold]
    #[inline(never)]
    pub(crate) fn resolve_per_lane(
        &self,
        plan: &AccessPlan,
        addresses: &Row64,
        mask: u32,
        purpose: AccessMode,
        target: &mut ResolvedAccess,
    ) -> Result<(), AccessDenied> {
        let mut denied: Option<AccessDenied> = None;
        for lane in lanes_of(mask) {
            match self.examine_one(plan, addresses[lane], purpose) {
                Ok((backing, offset)) => {
                    let start = match backing {
                        Backing::Stack => lane as u32 * self.stack_stride,
                        _ => 0,
                    };
                    target.backings[lane] = backing;
                    target.offsets[lane] = start + offset;
                }
                Err(kind) => {
                    let lanes = denied.as_ref().map_or(0, |d| d.lanes) | 1 << lane;
                    let kind = denied.take().map_or(kind, |d| d.kind);
                    denied = Some(AccessDenied { kind, lanes });
                }
            }
        }
        match denied {
            None => {
                target.place = LanePattern::Mixed;
                Ok(())
            }
            Some(denied) => Err(denied),
        }
    }

    fn examine_one(
        &self,
        plan: &AccessPlan,
        address: u64,
        purpose: AccessMode,
    ) -> Result<(Backing, u32), FaultKind> {
        let width = u64::from(plan.width_bytes);
        self.examine_range(plan.space, address, width, width, purpose)
    }

    /// Resolves `width` bytes at an address, which must be a multiple of `alignment`.
    pub(crate) fn examine_range(
        &self,
        space: StateSpace,
        address: u64,
        alignment: u64,
        width: u64,
        purpose: AccessMode,
    ) -> Result<(Backing, u32), FaultKind> {
        if !address.is_multiple_of(alignment) {
            return Err(FaultKind::Misaligned);
        }
        let window = |backing, offset: u64, size: u64| {
            if offset <= size && size - offset >= width {
                Ok((backing, offset as u32))
            } else {
                Err(FaultKind::OutOfBounds)
            }
        };
        match space {
            StateSpace::Shared if self.map.own_window => {
                window(Backing::Shared, address, self.shared_bytes)
            }
            StateSpace::Shared | StateSpace::SharedCluster => {
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
                let allocation = self.global.find(address).ok_or(FaultKind::OutOfBounds)?;
                if !space_allows(space, allocation) {
                    return Err(FaultKind::WrongSpace);
                }
                if !allocation.holds(address, width) {
                    return Err(FaultKind::OutOfBounds);
                }
                if purpose == AccessMode::Write && allocation.read_only() {
                    return Err(FaultKind::ReadOnly);
                }
                let offset = address - allocation.address + allocation.start as u64;
                Ok((Backing::Arena, offset as u32))
            }
        }
    }
}

/// Returns the address pattern of a whole warp whose half-warps have a constant stride. `gap` is the distance in bytes
/// between the half-warps. Returns `None` if the half-warps are not contiguous, or if the access is out of bounds.
#[inline(always)]
fn even_place(
    gap: u64,
    follow: bool,
    first: u64,
    range: BackingRange,
    plan: &AccessPlan,
) -> Option<LanePattern> {
    let width = u64::from(plan.width_bytes);
    let relative = first.wrapping_sub(range.start);
    let start = range.at as usize + relative as usize;
    let (bytes, place) = match (follow, gap) {
        (true, gap) if gap == 16 * width => (
            LANES as u64 * width,
            LanePattern::Contiguous(range.backing, start),
        ),
        (false, 0) => (width, LanePattern::Uniform(range.backing, start)),
        (true | false, _) => return None,
    };
    let within =
        relative <= range.size && range.size - relative >= bytes && relative & (width - 1) == 0;
    within.then_some(place)
}

/// Replaces the values of inactive lanes by the value of the lowest active lane.
#[inline(always)]
fn fill_inactive_lanes<T: Copy>(base: &[T; LANES], mask: u32) -> [T; LANES] {
    let mut row = [base[(mask.trailing_zeros() & 31) as usize]; LANES];
    for lane in 0..LANES {
        if mask & (1 << lane) != 0 {
            row[lane] = base[lane];
        }
    }
    row
}

/// Checks whether an access with a state space may access an allocation.
pub(crate) fn space_allows(space: StateSpace, allocation: &Allocation) -> bool {
    match space {
        StateSpace::Global => matches!(
            allocation.owner,
            AllocationOwner::Buffer(..) | AllocationOwner::GlobalVariable(..)
        ),
        StateSpace::Const => matches!(allocation.owner, AllocationOwner::ConstVariable(..)),
        StateSpace::ParamEntry => matches!(allocation.owner, AllocationOwner::Parameters),
        _ => true,
    }
}
