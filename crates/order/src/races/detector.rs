//! The race detector and its state.

use crate::races::clock::Clock;
use crate::races::clock::row_of;
use crate::races::found::{Access, End, Found, Lifetime, ThreadId, Unwritten, Why};
use crate::races::hash::Map;
use crate::races::launch_shape::Shape;
use crate::races::location::Location;
use crate::races::location::Memory;
use crate::races::mbarrier_object::Object;
use crate::races::message::Message;
use crate::races::shadow::{Entry, Shadow};
use crate::races::site::Kind;
use crate::races::site::{SiteId, Sites, has_maps, has_proxies, has_read_only};
use crate::races::strong_write::{Observation, StrongWrite};
use crate::races::threads::{Warp, Warps};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use warpgrid_emulator::{
    AccessEvent, EvenAccess, Interest, LanesAccess, MapTouch, Observer, Piece, RowAccess,
    SyncEvent, WarpId,
};
use warpgrid_isa::UnitOp;
use warpgrid_program::{FunctionId, Program};

/// Detector state of a block.
#[derive(Debug, Default)]
pub(crate) struct BlockState {
    /// Arrivals at the barriers of the block in the current phase.
    pub(crate) barriers: Vec<(u32, Gathering)>,
    /// Common lower bound of the clocks of all live threads since the latest barrier of the whole block.
    pub(crate) floor: Option<Rc<Clock>>,
    /// Number of updates of the lower bound.
    pub(crate) n_floors: u32,
    /// Number of exited threads.
    pub(crate) n_exited: u32,
    /// Joined clock of the exited threads.
    pub(crate) last: Option<Rc<Clock>>,
    /// Accesses of other blocks to the shared memory of the block.
    pub(crate) visits: Vec<Visit>,
}

impl BlockState {
    /// Returns the arrivals at a barrier.
    pub(crate) fn barrier(&mut self, id: u32) -> &mut Gathering {
        let known = self.barriers.iter().position(|(at, _)| *at == id);
        let index = known.unwrap_or_else(|| {
            self.barriers.push((id, Gathering::default()));
            self.barriers.len() - 1
        });
        &mut self.barriers[index].1
    }

    /// Removes and returns the arrivals at a barrier.
    pub(crate) fn take_barrier(&mut self, id: u32) -> Option<Gathering> {
        let known = self.barriers.iter().position(|(at, _)| *at == id)?;
        Some(self.barriers.swap_remove(known).1)
    }

    /// Records a remote access. The latest access by the same thread and the same instruction replaces the earlier
    /// ones, because it is the last access for which the block must wait.
    pub(crate) fn note_visit(&mut self, visit: Visit) {
        let Entry {
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
pub(crate) struct Visit {
    pub(crate) entry: Entry,
    pub(crate) address: u64,
    pub(crate) by: ThreadId,
    pub(crate) step: u64,
}

/// Arrivals at a barrier.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// Joined clock of the arrivals that release.
    pub(crate) clock: Option<Rc<Clock>>,
    /// Block, warp and lanes of the waiting threads.
    pub(crate) waiting: Vec<(u64, u32, u32)>,
    pub(crate) latest: u32,
}

/// Detects the data races of a run as an observer of the machine.
pub struct Detector {
    pub(crate) program: Arc<Program>,
    pub(crate) shape: Shape,
    pub(crate) is_one_block: bool,
    /// Whether the program uses the asynchronous proxy.
    pub(crate) has_proxies: bool,
    /// Whether the program contains copies that read tensor maps.
    pub(crate) has_maps: bool,
    /// Whether the program contains non-coherent loads.
    pub(crate) has_read_only: bool,
    /// Tensor maps that the current instruction references.
    pub(crate) used_maps: Vec<MapTouch>,
    pub(crate) sites: Sites,
    pub(crate) shadow: Option<Box<Shadow>>,
    pub(crate) warps: Warps,
    /// Number of completed barriers.
    pub(crate) n_openings: u64,
    pub(crate) blocks: Map<u64, BlockState>,
    pub(crate) clusters: Map<u64, [Gathering; 2]>,
    pub(crate) strong: Map<Location, StrongWrite>,
    pub(crate) observed: Map<Location, Vec<Observation>>,
    pub(crate) objects: Map<Location, Object>,
    /// Whether the program reads the result of each mbarrier test instruction.
    pub(crate) tests: Map<(FunctionId, u32), bool>,
    /// Thread that started each individually completing operation.
    pub(crate) singles: Map<u64, ThreadId>,
    /// Joined clock of the committed arrivals of each thread.
    pub(crate) committed: Map<ThreadId, Rc<Clock>>,
    /// Clock that each arrival in flight releases.
    pub(crate) arrivals: Map<u64, Rc<Clock>>,
    /// Releases of all sequentially consistent fences.
    pub(crate) fences: Message,
    found: Vec<Found>,
    by_pair: Map<(SiteId, Option<SiteId>, Why), usize>,
    /// Cache of the latest lookup in `by_pair`, because consecutive words often race between the same sites.
    last_pair: Cell<Option<(SiteId, SiteId, usize)>>,
    pub(crate) unwritten: Vec<Unwritten>,
    pub(crate) unwritten_sites: Vec<SiteId>,
    /// Exchanges between lanes of a warp, one for each pair of instructions; `None` if the detector does not search for
    /// exchanges.
    lockstep: Option<Vec<Found>>,
    /// Whether the shadow memory is full.
    pub(crate) is_full: bool,
}

impl Detector {
    /// Returns a detector for a launch of `program`. The detector must observe the run from the first step.
    pub fn new(program: Arc<Program>, shape: Shape) -> Detector {
        Detector {
            has_proxies: has_proxies(&program),
            has_maps: has_maps(&program),
            has_read_only: has_read_only(&program),
            program,
            shape,
            is_one_block: shape.n_blocks() == 1,
            used_maps: Vec::new(),
            sites: Sites::default(),
            shadow: None,
            warps: Warps::default(),
            n_openings: 0,
            blocks: Map::default(),
            clusters: Map::default(),
            strong: Map::default(),
            observed: Map::default(),
            objects: Map::default(),
            tests: Map::default(),
            singles: Map::default(),
            committed: Map::default(),
            arrivals: Map::default(),
            fences: Message::default(),
            found: Vec::new(),
            by_pair: Map::default(),
            last_pair: Cell::new(None),
            unwritten: Vec::new(),
            unwritten_sites: Vec::new(),
            lockstep: None,
            is_full: false,
        }
    }

    /// Returns a detector that also reports exchanges between lanes of a warp that only lockstep execution orders: a
    /// strong load and a strong store by different lanes to the same bytes, neither of them atomic, without causality
    /// order. Such an exchange is not a data race. This detector checks each access on the slow path.
    pub fn with_lockstep(program: Arc<Program>, shape: Shape) -> Detector {
        let mut detector = Detector::new(program, shape);
        detector.lockstep = Some(Vec::new());
        detector
    }

    /// Returns the exchanges between lanes of a warp that only lockstep execution orders, one for each pair of
    /// instructions.
    pub fn lockstep(&self) -> &[Found] {
        self.lockstep.as_deref().unwrap_or(&[])
    }

    /// Checks whether the detector reports exchanges between lanes, which requires the slow path for each access.
    pub(crate) fn finds_lockstep(&self) -> bool {
        self.lockstep.is_some()
    }

    /// Records an exchange between lanes, unless an exchange of the same pair of instructions is already recorded.
    pub(crate) fn add_lockstep(&mut self, found: Found) {
        let place = |access: &Access| (access.function, access.instruction);
        let pair = |found: &Found| match &found.second {
            End::Access(second) => (place(&found.first), Some(place(second))),
            End::Life(_) => (place(&found.first), None),
        };
        if let Some(known) = &mut self.lockstep
            && !known.iter().any(|own| pair(own) == pair(&found))
        {
            known.push(found);
        }
    }

    /// Returns the races in the order of their detection.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Returns the reads of uninitialized shared memory, one for each instruction.
    pub fn unwritten(&self) -> &[Unwritten] {
        match self.unwritten.is_empty() || self.knows_writes() {
            true => &self.unwritten,
            false => &[],
        }
    }

    /// Checks whether all writes to shared memory are observed. Allocations of tensor memory are not reported to
    /// observers.
    pub(crate) fn knows_writes(&self) -> bool {
        let mut actions = self.program.actions.iter();
        !actions.any(|a| a.does.unit().is_some_and(UnitOp::uses_tensor_memory))
    }

    /// Checks whether accesses were dropped because the shadow memory is full.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Removes and returns the state of a warp. The caller returns the state with [`Detector::put`].
    pub(crate) fn take(&mut self, block: u64, warp: u32) -> Box<Warp> {
        let known = self.warps.take(WarpId { block, warp });
        known.unwrap_or_else(|| Box::new(Warp::new(self.shape.present(warp))))
    }

    pub(crate) fn put(&mut self, block: u64, warp: u32, state: Box<Warp>) {
        self.warps.put(WarpId { block, warp }, state);
    }

    /// Returns the shadow memory.
    pub(crate) fn shadow(&mut self) -> &mut Shadow {
        self.shadow.get_or_insert_default()
    }

    pub(crate) fn block(&mut self, block: u64) -> &mut BlockState {
        self.blocks.entry(block).or_default()
    }

    /// Checks whether a race of two sites is already recorded with an example that no race at this address improves.
    pub(crate) fn is_known(
        &self,
        first: SiteId,
        second: SiteId,
        memory: Memory,
        address: u64,
    ) -> bool {
        self.is_known_with((first, second), false, memory, address)
    }

    /// Checks like [`Detector::is_known`] if it is known whether the new example leaves the value unchanged.
    pub(crate) fn is_known_with(
        &self,
        (first, second): (SiteId, SiteId),
        same_value: bool,
        memory: Memory,
        address: u64,
    ) -> bool {
        let (a, b) = (first.min(second), first.max(second));
        let known = self.number_of_pair(a, b);
        let known = known.and_then(|index| self.found.get(index));
        known.is_some_and(|known| {
            let (is_axiom, is_equal_store, is_same, at, first) = known.rank();
            !is_axiom
                && !is_equal_store
                && (same_value || !is_same)
                && (at, first) <= (memory, address)
        })
    }

    fn number_of_pair(&self, a: SiteId, b: SiteId) -> Option<usize> {
        if let Some((first, second, index)) = self.last_pair.get()
            && first == a
            && second == b
        {
            return Some(index);
        }
        let index = *self.by_pair.get(&(a, Some(b), Why::Order))?;
        self.last_pair.set(Some((a, b, index)));
        Some(index)
    }

    /// Records a race of two accesses, unless a better example of the same pair is recorded.
    pub(crate) fn add(&mut self, one: SiteId, other: SiteId, found: Found) {
        let (a, b) = (one.min(other), one.max(other));
        let why = match found.why {
            Why::Init => Why::Init,
            _ => Why::Order,
        };
        self.keep(a, Some(b), why, found);
    }

    /// Records an access to the shared memory of a block that may not have started or may have exited.
    pub(crate) fn add_life(&mut self, site: SiteId, found: Found) {
        let why = match found.second {
            End::Life(Lifetime::Start(_)) => Why::Order,
            _ => Why::Lifetime,
        };
        self.keep(site, None, why, found);
    }

    /// Updates `same_value` of the races of an asynchronous operation from the bytes that the operation has written:
    /// the last operation to complete determines whether both leave the same value.
    pub(crate) fn see_landed_bytes(&mut self, event: &AccessEvent<'_>) {
        let place = (event.function, event.instruction);
        for found in &mut self.found {
            let End::Access(second) = found.second else {
                continue;
            };
            let both_write = found.first.kind == Kind::Write && second.kind == Kind::Write;
            let is_one = [found.first, second].iter().any(|access| {
                access.asynchronous && (access.function, access.instruction) == place
            });
            if !both_write || !is_one {
                continue;
            }
            let meets = |piece: &&Piece| {
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

    fn keep(&mut self, first: SiteId, second: Option<SiteId>, why: Why, found: Found) {
        let next = self.found.len();
        let index = *self.by_pair.entry((first, second, why)).or_insert(next);
        match self.found.get_mut(index) {
            None => self.found.push(found),
            Some(known) if found.rank() < known.rank() => *known = found,
            Some(_) => {}
        }
    }

    /// Joins the clocks of exiting lanes into the exit clock of their block, for the later lifetime check.
    pub(crate) fn end(&mut self, block: u64, warp: u32, state: &Warp, lanes: u32) {
        let row = row_of(block, warp);
        let own = self.blocks.entry(block).or_default();
        let last = own.last.get_or_insert_with(Clock::nothing);
        state.hand_on(last, row, lanes, self.shape.present(warp));
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
            let last = state.last.take().unwrap_or_else(Clock::nothing);
            for visit in std::mem::take(&mut state.visits) {
                let entry = visit.entry;
                if last.seen().unknown(entry.row, entry.lanes, entry.epoch) == 0 {
                    continue;
                }
                let site = *self.sites.get(entry.site);
                let found = Found {
                    first: Access::of(&site, visit.by),
                    second: End::Life(Lifetime::Exit(block)),
                    memory: Memory::Shared(block),
                    address: visit.address,
                    n_bytes: site.element_bytes.max(1),
                    why: Why::Lifetime,
                    same_value: false,
                    step: visit.step,
                    is_fenced_there: false,
                };
                self.add_life(entry.site, found);
            }
        }
    }
}

impl Observer for Detector {
    fn interest(&self) -> Interest {
        Interest {
            mbarriers_as_syncs: true,
            ..Interest::ORDER
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.see_access(event);
    }

    fn row(&mut self, access: &RowAccess) -> bool {
        !self.finds_lockstep() && self.see_row(access)
    }

    fn even(&mut self, access: &EvenAccess) -> bool {
        !self.finds_lockstep() && self.see_even(access)
    }

    fn lanes(&mut self, access: &LanesAccess<'_>) -> bool {
        !self.finds_lockstep() && self.see_lanes(access)
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        self.see_sync(event);
    }
}
