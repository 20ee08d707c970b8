//! Race detector of a run and its state.

use crate::races::access_site::SiteAccessKind;
use crate::races::access_site::{AccessSiteId, AccessSites, has_maps, has_proxies, has_read_only};
use crate::races::fast_hash::FastHashMap;
use crate::races::location::MemoryInstance;
use crate::races::location::StrongLocation;
use crate::races::mbarrier_object::MbarrierSyncState;
use crate::races::observed_launch_shape::ObservedLaunchShape;
use crate::races::race_report::{
    BlockLifetime, Race, RaceCause, RaceCounterpart, RaceSide, ThreadId, UninitializedRead,
};
use crate::races::release_set::ReleaseSet;
use crate::races::shadow_memory::{AccessRecord, ShadowMemory};
use crate::races::strong_write::{Observation, StrongWrite};
use crate::races::vector_clock::VectorClock;
use crate::races::vector_clock::row_of;
use crate::races::warp_state::{WarpState, WarpTable};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use warpgrid_emulator::{
    AccessEvent, ContiguousAccess, ElementAccess, EventMask, HalfWarpAccess, Observer,
    PerLaneAccess, SyncEvent, TensorMapAccess, WarpId,
};
use warpgrid_isa::DeviceUnitOp;
use warpgrid_program::{FunctionId, Program};

/// State of the race detector for one block: its barriers, its lower-bound clock, its exited threads, and remote accesses to its shared
/// memory.
#[derive(Debug, Default)]
pub(crate) struct BlockState {
    /// Arrivals at the barriers of the block in the current phase.
    pub(crate) barriers: Vec<(u32, BarrierArrivals)>,
    /// Common lower bound of the clocks of all live threads since the latest barrier of the whole block.
    pub(crate) floor: Option<Rc<VectorClock>>,
    /// Number of updates of `floor`.
    pub(crate) n_floors: u32,
    /// Number of threads of the block that have exited.
    pub(crate) n_exited: u32,
    /// Join of the clocks at which the threads of the block exited.
    pub(crate) last: Option<Rc<VectorClock>>,
    /// Accesses of other blocks to the shared memory of the block.
    pub(crate) visits: Vec<RemoteAccess>,
}

impl BlockState {
    /// Returns the arrivals at a barrier.
    pub(crate) fn barrier(&mut self, id: u32) -> &mut BarrierArrivals {
        let known = self.barriers.iter().position(|(at, _)| *at == id);
        let index = known.unwrap_or_else(|| {
            self.barriers.push((id, BarrierArrivals::default()));
            self.barriers.len() - 1
        });
        &mut self.barriers[index].1
    }

    /// Removes and returns the arrivals at the barrier with the number `id`.
    pub(crate) fn take_barrier(&mut self, id: u32) -> Option<BarrierArrivals> {
        let known = self.barriers.iter().position(|(at, _)| *at == id)?;
        Some(self.barriers.swap_remove(known).1)
    }

    /// Records a remote access. The remote access replaces earlier remote accesses by the same thread and the same instruction, because the
    /// block must wait only for the last of these accesses.
    pub(crate) fn note_visit(&mut self, visit: RemoteAccess) {
        let AccessRecord {
            row,
            site,
            epoch,
            lanes,
            ..
        } = visit.entry;
        let mut latest = self.visits.iter_mut().rev().take(64);
        match latest.find(|old| (old.entry.row, old.entry.site) == (row, site)) {
            Some(old) if old.entry.epoch == epoch => old.entry.lanes |= lanes,
            Some(old) if old.entry.lanes & !lanes == 0 => *old = visit,
            _ => self.visits.push(visit),
        }
    }
}

/// Remote access: an access of another block to the shared memory of this block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteAccess {
    pub(crate) entry: AccessRecord,
    pub(crate) address: u64,
    pub(crate) by: ThreadId,
    pub(crate) step: u64,
}

/// Arrivals at a barrier in its current phase: the joined clocks, and the waiting threads.
#[derive(Debug, Default)]
pub(crate) struct BarrierArrivals {
    /// Join of the clocks of all arrivals with release semantics.
    pub(crate) clock: Option<Rc<VectorClock>>,
    /// Waiting threads, as block, warp and lane mask.
    pub(crate) waiting: Vec<(u64, u32, u32)>,
    pub(crate) latest: u32,
}

/// Observer that detects the data races of a run. The host attaches it to the machine before the first step, and then reads the races.
pub struct RaceDetector {
    pub(crate) program: Arc<Program>,
    pub(crate) shape: ObservedLaunchShape,
    pub(crate) is_one_block: bool,
    /// Whether the program uses the asynchronous proxy.
    pub(crate) has_proxies: bool,
    /// Whether the program contains copies that read tensor maps.
    pub(crate) has_maps: bool,
    /// Whether the program contains non-coherent loads.
    pub(crate) has_read_only: bool,
    /// Tensor-map accesses of the current instruction.
    pub(crate) used_maps: Vec<TensorMapAccess>,
    pub(crate) sites: AccessSites,
    pub(crate) shadow: Option<Box<ShadowMemory>>,
    pub(crate) warps: WarpTable,
    /// Number of barriers that have completed.
    pub(crate) n_barrier_completions: u64,
    pub(crate) blocks: FastHashMap<u64, BlockState>,
    pub(crate) clusters: FastHashMap<u64, [BarrierArrivals; 2]>,
    pub(crate) strong: FastHashMap<StrongLocation, StrongWrite>,
    pub(crate) observed: FastHashMap<StrongLocation, Vec<Observation>>,
    pub(crate) objects: FastHashMap<StrongLocation, MbarrierSyncState>,
    /// Whether the program reads the result of each mbarrier test instruction.
    pub(crate) tests: FastHashMap<(FunctionId, u32), bool>,
    /// Thread that started each asynchronous operation that completes individually.
    pub(crate) individual_operations: FastHashMap<u64, ThreadId>,
    /// Join of the clocks of the arrivals that each thread has committed.
    pub(crate) committed: FastHashMap<ThreadId, Rc<VectorClock>>,
    /// Clock that each asynchronous arrival in flight releases when it completes.
    pub(crate) arrivals: FastHashMap<u64, Rc<VectorClock>>,
    /// Releases of all sequentially consistent fences of the launch.
    pub(crate) fences: ReleaseSet,
    /// Whether the order of reductions and of sequentially consistent fences contributes to the happens-before relation: a reduction observes
    /// the preceding write of its location, and a fence happens after the preceding fences.
    pub(crate) orders_atomics_and_fences: bool,
    found: Vec<Race>,
    by_pair: FastHashMap<(AccessSiteId, Option<AccessSiteId>, RaceCause), usize>,
    /// Cache of the latest lookup in `by_pair`, because races at consecutive words often have the same pair of sites.
    last_pair: Cell<Option<(AccessSiteId, AccessSiteId, usize)>>,
    pub(crate) unwritten: Vec<UninitializedRead>,
    pub(crate) unwritten_sites: Vec<AccessSiteId>,
    /// Exchanges between lanes of a warp that only lockstep execution orders, one for each pair of instructions. The field is `None` if the
    /// detector does not search for these exchanges.
    lockstep: Option<Vec<Race>>,
    /// Whether the shadow memory is full.
    pub(crate) is_truncated: bool,
}

impl RaceDetector {
    /// Returns a detector for a launch of `program`. The detector must observe the run from the first step.
    pub fn new(program: Arc<Program>, shape: ObservedLaunchShape) -> RaceDetector {
        RaceDetector {
            has_proxies: has_proxies(&program),
            has_maps: has_maps(&program),
            has_read_only: has_read_only(&program),
            program,
            shape,
            is_one_block: shape.n_blocks() == 1,
            used_maps: Vec::new(),
            sites: AccessSites::default(),
            shadow: None,
            warps: WarpTable::default(),
            n_barrier_completions: 0,
            blocks: FastHashMap::default(),
            clusters: FastHashMap::default(),
            strong: FastHashMap::default(),
            observed: FastHashMap::default(),
            objects: FastHashMap::default(),
            tests: FastHashMap::default(),
            individual_operations: FastHashMap::default(),
            committed: FastHashMap::default(),
            arrivals: FastHashMap::default(),
            fences: ReleaseSet::default(),
            orders_atomics_and_fences: true,
            found: Vec::new(),
            by_pair: FastHashMap::default(),
            last_pair: Cell::new(None),
            unwritten: Vec::new(),
            unwritten_sites: Vec::new(),
            lockstep: None,
            is_truncated: false,
        }
    }

    /// Returns a detector that also reports exchanges between lanes of a warp that only lockstep execution orders: a
    /// strong load and a strong store (not `atom` or `red`) by different lanes to the same bytes without causality
    /// order. Such an exchange is not a data race. The returned detector checks each access on the slow path.
    pub fn with_lockstep(program: Arc<Program>, shape: ObservedLaunchShape) -> RaceDetector {
        let mut detector = RaceDetector::new(program, shape);
        detector.lockstep = Some(Vec::new());
        detector
    }

    /// Returns a detector that derives no happens-before relation from the order of reductions and of sequentially consistent fences. The
    /// detector reports a superset of the races, and the absence of races does not depend on these orders.
    pub(crate) fn without_order_of_atomics_and_fences(
        program: Arc<Program>,
        shape: ObservedLaunchShape,
    ) -> RaceDetector {
        RaceDetector {
            orders_atomics_and_fences: false,
            ..RaceDetector::new(program, shape)
        }
    }

    /// Returns the exchanges between lanes of a warp that only lockstep execution orders, one for each pair of
    /// instructions.
    pub fn lockstep(&self) -> &[Race] {
        self.lockstep.as_deref().unwrap_or(&[])
    }

    /// Checks whether the detector reports exchanges between lanes, which requires the slow path for each access.
    pub(crate) fn finds_lockstep(&self) -> bool {
        self.lockstep.is_some()
    }

    /// Records an exchange between lanes, unless the detector has already recorded an exchange for the same pair of instructions.
    pub(crate) fn add_lockstep(&mut self, found: Race) {
        let place = |access: &RaceSide| (access.function, access.instruction);
        let pair = |found: &Race| match &found.second {
            RaceCounterpart::Access(second) => (place(&found.first), Some(place(second))),
            RaceCounterpart::Life(_) => (place(&found.first), None),
        };
        if let Some(known) = &mut self.lockstep
            && !known.iter().any(|own| pair(own) == pair(&found))
        {
            known.push(found);
        }
    }

    /// Returns the races in the order of their detection.
    pub fn found(&self) -> &[Race] {
        &self.found
    }

    /// Returns the reads of uninitialized shared memory, one for each instruction.
    pub fn unwritten(&self) -> &[UninitializedRead] {
        match self.unwritten.is_empty() || self.knows_writes() {
            true => &self.unwritten,
            false => &[],
        }
    }

    /// Checks whether the detector observes all writes to shared memory. Allocations of tensor memory are not reported
    /// to observers.
    pub(crate) fn knows_writes(&self) -> bool {
        let mut actions = self.program.opcodes.iter();
        !actions.any(|a| {
            a.operation
                .unit()
                .is_some_and(DeviceUnitOp::uses_tensor_memory)
        })
    }

    /// Checks whether the detector has dropped accesses because the shadow memory is full.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Removes and returns the state of a warp. The caller returns the state with [`RaceDetector::put`].
    pub(crate) fn take(&mut self, block: u64, warp: u32) -> Box<WarpState> {
        let known = self.warps.take(WarpId { block, warp });
        known.unwrap_or_else(|| Box::new(WarpState::new(self.shape.present(warp))))
    }

    pub(crate) fn put(&mut self, block: u64, warp: u32, state: Box<WarpState>) {
        self.warps.put(WarpId { block, warp }, state);
    }

    /// Returns the shadow memory.
    pub(crate) fn shadow(&mut self) -> &mut ShadowMemory {
        self.shadow.get_or_insert_default()
    }

    pub(crate) fn block(&mut self, block: u64) -> &mut BlockState {
        self.blocks.entry(block).or_default()
    }

    /// Checks whether the detector has already recorded a race between two sites with an example that is at least as good as any race at
    /// the given address.
    pub(crate) fn is_reported(
        &self,
        first: AccessSiteId,
        second: AccessSiteId,
        memory: MemoryInstance,
        address: u64,
    ) -> bool {
        self.is_known_with((first, second), false, memory, address)
    }

    /// Checks whether the detector has already recorded a race between two sites with an example that is at least as good as a new example.
    /// `same_value` states whether the access of the new example leaves the value unchanged.
    pub(crate) fn is_known_with(
        &self,
        (first, second): (AccessSiteId, AccessSiteId),
        same_value: bool,
        memory: MemoryInstance,
        address: u64,
    ) -> bool {
        let (a, b) = (first.min(second), first.max(second));
        let known = self.number_of_pair(a, b);
        let known = known.and_then(|index| self.found.get(index));
        known.is_some_and(|known| {
            let (is_axiom, is_equal_store, is_same, at, first) = known.report_priority();
            !is_axiom
                && !is_equal_store
                && (same_value || !is_same)
                && (at, first) <= (memory, address)
        })
    }

    fn number_of_pair(&self, a: AccessSiteId, b: AccessSiteId) -> Option<usize> {
        if let Some((first, second, index)) = self.last_pair.get()
            && first == a
            && second == b
        {
            return Some(index);
        }
        let index = *self
            .by_pair
            .get(&(a, Some(b), RaceCause::NoHappensBefore))?;
        self.last_pair.set(Some((a, b, index)));
        Some(index)
    }

    /// Records a race between two accesses, unless the detector has already recorded a better example for the same pair of sites.
    pub(crate) fn add(&mut self, one: AccessSiteId, other: AccessSiteId, found: Race) {
        let (a, b) = (one.min(other), one.max(other));
        let reason = match found.why {
            RaceCause::MissingInitFence => RaceCause::MissingInitFence,
            _ => RaceCause::NoHappensBefore,
        };
        self.keep(a, Some(b), reason, found);
    }

    /// Records a lifetime race: an access to the shared memory of a block that may not have started or may have exited.
    pub(crate) fn add_life(&mut self, site: AccessSiteId, found: Race) {
        let reason = match found.second {
            RaceCounterpart::Life(BlockLifetime::Start(_)) => RaceCause::NoHappensBefore,
            _ => RaceCause::Lifetime,
        };
        self.keep(site, None, reason, found);
    }

    /// Updates `same_value` of the races of an asynchronous operation from the bytes that the operation has written:
    /// the operation that completes last determines whether both writes result in the same value.
    pub(crate) fn see_landed_bytes(&mut self, event: &AccessEvent<'_>) {
        let place = (event.function, event.instruction);
        for found in &mut self.found {
            let RaceCounterpart::Access(second) = found.second else {
                continue;
            };
            let both_write =
                found.first.kind == SiteAccessKind::Write && second.kind == SiteAccessKind::Write;
            let is_one = [found.first, second].iter().any(|access| {
                access.asynchronous && (access.function, access.instruction) == place
            });
            if !both_write || !is_one {
                continue;
            }
            let meets = |piece: &&ElementAccess| {
                let end = piece.address + u64::from(piece.n_bytes);
                crate::races::location::memory_of(piece.memory) == Some(found.memory)
                    && piece.address < found.address + u64::from(found.n_bytes)
                    && found.address < end
            };
            let mut pieces = event.pieces.iter().filter(meets).peekable();
            if pieces.peek().is_some() {
                found.same_value = pieces.all(|piece| event.before(piece) == event.bytes(piece));
            }
        }
    }

    fn keep(
        &mut self,
        first: AccessSiteId,
        second: Option<AccessSiteId>,
        reason: RaceCause,
        found: Race,
    ) {
        let next = self.found.len();
        let index = *self.by_pair.entry((first, second, reason)).or_insert(next);
        match self.found.get_mut(index) {
            None => self.found.push(found),
            Some(known) if found.report_priority() < known.report_priority() => *known = found,
            Some(_) => {}
        }
    }

    /// Joins the clocks of exiting lanes into the exit clock of their block, for the later lifetime check.
    pub(crate) fn end(&mut self, block: u64, warp: u32, state: &WarpState, lanes: u32) {
        let row = row_of(block, warp);
        let own = self.blocks.entry(block).or_default();
        let last = own.last.get_or_insert_with(VectorClock::empty);
        state.release_into(last, row, lanes, self.shape.present(warp));
        own.n_exited += lanes.count_ones();
    }

    /// Checks the lifetime of blocks for remote accesses. The host calls this function once after the launch has ended.
    pub fn finish(&mut self) {
        let mut blocks: Vec<u64> = self.blocks.keys().copied().collect();
        blocks.sort_unstable();
        for block in blocks {
            let Some(state) = self.blocks.get_mut(&block) else {
                continue;
            };
            let last = state.last.take().unwrap_or_else(VectorClock::empty);
            for visit in std::mem::take(&mut state.visits) {
                let entry = visit.entry;
                if last.seen().unknown(entry.row, entry.lanes, entry.epoch) == 0 {
                    continue;
                }
                let site = *self.sites.get(entry.site);
                let found = Race {
                    first: RaceSide::of(&site, visit.by),
                    second: RaceCounterpart::Life(BlockLifetime::Exit(block)),
                    memory: MemoryInstance::Shared(block),
                    address: visit.address,
                    n_bytes: site.element_bytes.max(1),
                    why: RaceCause::Lifetime,
                    same_value: false,
                    step: visit.step,
                    is_fenced_there: false,
                };
                self.add_life(entry.site, found);
            }
        }
    }
}

impl Observer for RaceDetector {
    fn interest(&self) -> EventMask {
        EventMask {
            mbarriers_as_syncs: true,
            ..EventMask::ORDER
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.check_access(event);
    }

    fn row(&mut self, access: &ContiguousAccess) -> bool {
        !self.finds_lockstep() && self.check_contiguous(access)
    }

    fn even(&mut self, access: &HalfWarpAccess) -> bool {
        !self.finds_lockstep() && self.check_strided(access)
    }

    fn lanes(&mut self, access: &PerLaneAccess<'_>) -> bool {
        !self.finds_lockstep() && self.see_lanes(access)
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        self.see_sync(event);
    }
}
