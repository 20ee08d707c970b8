//! Synchronization state of the threads of a run: vector clocks, epochs, releases, observed releases, and started
//! operations.

use crate::races::fast_hash::FastHashMap;
use crate::races::release_set::{ReleaseEvent, ReleaseSet};
use crate::races::vector_clock::{
    ClockGroup, Epoch, ProxyFence, VectorClock, are_equal, join, lanes_of, raise_lanes,
};

use crate::races::fence_order::{FenceSequence, ReleasedClock};
use crate::races::location::MemoryInstance;
use crate::races::location::StrongLocation;
use crate::races::release_sets::{GroupRelease, LaneReleases, PendingGroupReleases};
use crate::races::vector_clock::{groups_of, lanes_at};
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_emulator::{AsyncGroupKind, WarpId};
use warpgrid_isa::Scope;

/// Vector clocks of the lanes of a warp, stored once if the lanes have equal clocks.
#[derive(Clone, Debug)]
enum WarpClock {
    Uniform(Rc<VectorClock>),
    Each(Box<[Rc<VectorClock>; 32]>),
    /// Clocks of the lanes that executed `fence.sc` one after another, and the clock of the other lanes.
    FenceOrdered(Rc<FenceSequence>, Rc<VectorClock>),
}

/// Synchronization state of a warp: the clocks, epochs, releases and started operations of its lanes.
#[derive(Debug)]
pub(crate) struct WarpState {
    known: WarpClock,
    pub(crate) epochs: [u32; 32],
    /// Lanes that exist and have not exited.
    pub(crate) live: u32,
    /// Epoch of each lane, for each kind of proxy fence, up to which the fence covers the lane's own accesses. The coverage of accesses by
    /// other threads is part of the clocks.
    fenced_epochs: Vec<(ProxyFence, [u32; 32])>,
    details: LaneSyncTable,
    /// Releases that several lanes performed in the same step.
    together: PendingGroupReleases,
    /// Lanes whose releases are recorded separately.
    released_apart: u32,
    groups: [Option<Box<AsyncGroups>>; 3],
}

/// Table of the synchronization states of all warps, which the race detector looks up by block and warp.
#[derive(Debug, Default)]
pub(crate) struct WarpTable {
    numbers: FastHashMap<WarpId, u32>,
    /// State of each warp, indexed by the number of the warp. The state of a removed warp is `None`.
    warps: Vec<Option<Box<WarpState>>>,
    /// Cached facts that hold for all accesses of a warp until its next synchronization, indexed by the number of the
    /// warp.
    check_caches: Vec<Option<WarpCheckCache>>,
    free: Vec<u32>,
    /// Cache of the latest lookups, indexed by the low bits of the block and the warp.
    recent: [Option<(WarpId, u32)>; N_RECENT],
}

const N_RECENT: usize = 16;

/// Returns the slot of a warp in the lookup cache.
const fn slot_of(of: WarpId) -> usize {
    (of.warp as usize ^ (of.block as usize) << 2) % N_RECENT
}

impl WarpTable {
    /// Returns the number of a warp, and assigns a number to a warp that has none.
    pub(crate) fn number(&mut self, of: WarpId) -> u32 {
        if let Some((known, number)) = self.recent[slot_of(of)]
            && known == of
        {
            return number;
        }
        let WarpTable {
            numbers,
            warps,
            check_caches: heres,
            free,
            ..
        } = self;
        let number = *numbers.entry(of).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                warps.push(None);
                heres.push(None);
                warps.len() as u32 - 1
            })
        });
        self.recent[slot_of(of)] = Some((of, number));
        number
    }

    /// Returns the state of the warp with this number, or `None` if the warp was removed.
    pub(crate) fn get(&self, number: u32) -> Option<&WarpState> {
        self.warps.get(number as usize)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut WarpState> {
        self.warps.get_mut(number as usize)?.as_deref_mut()
    }

    /// Returns the cached facts about a warp.
    #[inline]
    pub(crate) fn here(&self, number: u32) -> Option<&WarpCheckCache> {
        self.check_caches.get(number as usize)?.as_ref()
    }

    pub(crate) fn set_here(&mut self, number: u32, here: WarpCheckCache) {
        self.check_caches[number as usize] = Some(here);
    }

    pub(crate) fn take(&mut self, of: WarpId) -> Option<Box<WarpState>> {
        let number = self.number(of);
        self.check_caches[number as usize] = None;
        self.warps[number as usize].take()
    }

    pub(crate) fn put(&mut self, of: WarpId, warp: Box<WarpState>) {
        let number = self.number(of);
        self.warps[number as usize] = Some(warp);
    }

    /// Discards the state of a warp.
    pub(crate) fn remove(&mut self, of: WarpId) {
        if let Some(number) = self.numbers.remove(&of) {
            self.warps[number as usize] = None;
            self.free.push(number);
        }
        self.recent[slot_of(of)] = None;
    }
}

/// Additional synchronization state of a lane, which most lanes do not have.
#[derive(Debug, Default)]
pub(crate) struct LaneSyncState {
    /// Latest releasing fence of the lane for each scope.
    pub(crate) fences: SmallVec<[ReleaseEvent; 1]>,
    /// Releases that strong reads of the lane have observed at each location.
    pub(crate) observed_releases: Vec<(StrongLocation, Rc<ReleaseSet>)>,
    /// Latest release of the lane at each location.
    pub(crate) released: SmallVec<[(StrongLocation, ReleaseEvent); 1]>,
}

/// Sparse table of the synchronization state of single lanes.
#[derive(Debug, Default)]
struct LaneSyncTable {
    /// Index plus one of the additional state of each lane, or 0 if the lane has no additional state.
    numbers: [u8; 32],
    all: Vec<LaneSyncState>,
}

impl LaneSyncTable {
    fn known(&self, lane: usize) -> Option<&LaneSyncState> {
        let number = self.numbers[lane & 31];
        self.all.get(usize::from(number).checked_sub(1)?)
    }

    fn of(&mut self, lane: usize) -> &mut LaneSyncState {
        let number = &mut self.numbers[lane & 31];
        if *number == 0 {
            if self.all.is_empty() {
                // Reserve space for one lane, because in most warps, at most one lane has additional state.
                self.all.reserve_exact(1);
            }
            self.all.push(LaneSyncState::default());
            *number = self.all.len() as u8;
        }
        &mut self.all[usize::from(*number) - 1]
    }
}

/// Numbers of the asynchronous operations of one kind that the lanes of a warp have started and committed.
#[derive(Clone, Debug)]
struct AsyncGroups {
    started: [u32; 32],
    /// Number of started operations at the commit of each group.
    made: Vec<[u32; 32]>,
    n_made: [u32; 32],
}

/// Maximum number of locations whose releases a thread records.
const MAX_OBSERVED_RELEASES: usize = 64;

impl WarpState {
    pub(crate) fn new(live: u32) -> WarpState {
        WarpState {
            known: WarpClock::Uniform(VectorClock::empty()),
            epochs: [1; 32],
            live,
            fenced_epochs: Vec::new(),
            details: LaneSyncTable::default(),
            together: PendingGroupReleases::default(),
            released_apart: 0,
            groups: [None, None, None],
        }
    }

    pub(crate) fn clock(&self, lane: usize) -> &Rc<VectorClock> {
        match &self.known {
            WarpClock::Uniform(clock) => clock,
            WarpClock::Each(clocks) => &clocks[lane & 31],
            WarpClock::FenceOrdered(turns, _) if turns.has(lane) => turns.clock(lane),
            WarpClock::FenceOrdered(_, others) => others,
        }
    }

    /// Checks whether the clocks of all lanes in `lanes` include `of`, which consists of a row, lanes of this row, and
    /// an epoch.
    pub(crate) fn all_know(&self, lanes: u32, of: (ClockGroup, u32, u32)) -> bool {
        let (row, threads, epoch) = of;
        let knows = |clock: &VectorClock| clock.seen().unknown(row, threads, epoch) == 0;
        match &self.known {
            WarpClock::Uniform(clock) => knows(clock),
            WarpClock::Each(clocks) => {
                let mut last: Option<&Rc<VectorClock>> = None;
                lanes_of(lanes).all(|lane| {
                    let clock = &clocks[lane];
                    let is_again = last.is_some_and(|last| Rc::ptr_eq(last, clock));
                    last = Some(clock);
                    is_again || knows(clock)
                })
            }
            WarpClock::FenceOrdered(turns, others) => {
                lanes_of(lanes).all(|lane| match turns.has(lane) {
                    true => turns.unknown(lane, of) == 0,
                    false => knows(others),
                })
            }
        }
    }

    /// Returns the common clock of the lanes, or `None` if their clocks differ.
    pub(crate) fn alike(&self) -> Option<&Rc<VectorClock>> {
        match &self.known {
            WarpClock::Uniform(clock) => Some(clock),
            WarpClock::Each(_) | WarpClock::FenceOrdered(..) => None,
        }
    }

    /// Returns the clock of one lane for modification. Lanes with a common clock receive separate clocks first.
    pub(crate) fn clock_mut(&mut self, lane: usize) -> &mut Rc<VectorClock> {
        if !matches!(self.known, WarpClock::Each(_)) {
            let clocks = std::array::from_fn(|lane| Rc::clone(self.clock(lane)));
            self.known = WarpClock::Each(Box::new(clocks));
        }
        match &mut self.known {
            WarpClock::Uniform(clock) | WarpClock::FenceOrdered(_, clock) => clock,
            WarpClock::Each(clocks) => &mut clocks[lane & 31],
        }
    }

    /// Serializes the lanes at a `fence.sc`. The first lane acquires `known`. Returns `false` if the caller must process the lanes one by
    /// one.
    pub(crate) fn take_turns(
        &mut self,
        row: ClockGroup,
        lanes: u32,
        known: Rc<VectorClock>,
    ) -> bool {
        let others = match &self.known {
            WarpClock::Uniform(clock) => Rc::clone(clock),
            WarpClock::Each(_) | WarpClock::FenceOrdered(..) if self.live & !lanes == 0 => {
                VectorClock::empty()
            }
            WarpClock::Each(_) | WarpClock::FenceOrdered(..) => return false,
        };
        if lanes.is_power_of_two() || !self.fenced_epochs.is_empty() {
            return false;
        }
        let own = |lane: usize| self.clock(lane);
        let turns = FenceSequence::new(known, own, row, lanes, self.epochs);
        self.known = WarpClock::FenceOrdered(Rc::new(turns), others);
        true
    }

    /// Replaces the clocks of the given lanes by `clock`, which includes the clocks of all of these lanes.
    pub(crate) fn set_clock(&mut self, lanes: u32, clock: &Rc<VectorClock>) {
        if lanes & self.live == self.live {
            self.known = WarpClock::Uniform(Rc::clone(clock));
            self.fenced_epochs.clear();
            return;
        }
        for lane in lanes_of(lanes) {
            *self.clock_mut(lane) = Rc::clone(clock);
        }
        for (_, epochs) in &mut self.fenced_epochs {
            lanes_of(lanes).for_each(|lane| epochs[lane] = 0);
        }
    }

    /// Joins a clock into the clock of each lane in `lanes`.
    pub(crate) fn join(&mut self, lanes: u32, clock: &Rc<VectorClock>) {
        self.change_clocks(lanes, |own| join(own, clock));
    }

    /// Applies a change to the clock of each lane in `lanes`. Lanes with equal clocks share the changed clock.
    pub(crate) fn change_clocks(
        &mut self,
        lanes: u32,
        mut change: impl FnMut(&mut Rc<VectorClock>),
    ) {
        if lanes & self.live == self.live
            && let WarpClock::Uniform(own) = &mut self.known
        {
            change(own);
            return;
        }
        let mut last: Option<(Rc<VectorClock>, Rc<VectorClock>)> = None;
        for lane in lanes_of(lanes) {
            let own = self.clock_mut(lane);
            match &last {
                Some((before, after)) if Rc::ptr_eq(before, own) => *own = Rc::clone(after),
                _ => {
                    let before = Rc::clone(own);
                    change(own);
                    last = Some((before, Rc::clone(own)));
                }
            }
        }
    }

    /// Executes proxy fences, which cover all accesses in the clocks of the given lanes, and the accesses of these lanes themselves.
    pub(crate) fn fence(&mut self, lanes: u32, fences: &[ProxyFence]) {
        self.change_clocks(lanes, |clock| {
            let clock = Rc::make_mut(clock);
            fences.iter().for_each(|fence| clock.fence_seen(*fence));
        });
        for fence in fences {
            let known = self.fenced_epochs.iter().position(|(own, _)| own == fence);
            let index = known.unwrap_or_else(|| {
                self.fenced_epochs.push((*fence, [0; 32]));
                self.fenced_epochs.len() - 1
            });
            let (_, own) = &mut self.fenced_epochs[index];
            for (lane, (own, now)) in own.iter_mut().zip(&self.epochs).enumerate() {
                *own = if lanes & 1 << lane != 0 { *now } else { *own };
            }
        }
    }

    /// Returns the threads in `of` whose accesses are not covered by a proxy fence in the clock of a lane of this warp.
    /// `own` is the current epoch of the lane.
    pub(crate) fn unfenced(
        &self,
        own: Epoch,
        fence: ProxyFence,
        of: (ClockGroup, u32, u32),
    ) -> u32 {
        let (row, lanes, epoch) = of;
        let lane = own.lane as usize & 31;
        let fenced = self.clock(lane).fenced(fence);
        let unknown = fenced.map_or(lanes, |rows| rows.unknown(row, lanes, epoch));
        if row != own.row || unknown & 1 << lane == 0 {
            return unknown;
        }
        let mut fences = self.fenced_epochs.iter();
        match fences.any(|(known, epochs)| *known == fence && epochs[lane] >= epoch) {
            true => unknown & !(1 << lane),
            false => unknown,
        }
    }

    /// Returns the clock of a lane, including the coverage of the lane's own accesses by proxy fences.
    pub(crate) fn whole_clock(&self, row: ClockGroup, lane: usize) -> Rc<VectorClock> {
        let mut clock = Rc::clone(self.clock(lane));
        self.hand_on_fenced(&mut clock, row, 1 << lane, 0);
        clock
    }

    /// Adds the coverage of the lanes' own accesses by proxy fences to a clock.
    fn hand_on_fenced(
        &self,
        clock: &mut Rc<VectorClock>,
        row: ClockGroup,
        lanes: u32,
        present: u32,
    ) {
        for (fence, epochs) in &self.fenced_epochs {
            for (same, epoch) in groups_of(epochs, lanes) {
                if epoch > 0 {
                    let known = if same == present { u32::MAX } else { same };
                    Rc::make_mut(clock).raise_fenced(*fence, row, known, epoch);
                }
            }
        }
    }

    /// Raises the component of each lane in `row` to the given epoch, in the clock of the lane itself.
    pub(crate) fn raise(&mut self, lanes: u32, row: ClockGroup, epochs: &[u32; 32]) {
        let wanted: Vec<usize> = lanes_of(lanes).filter(|lane| epochs[*lane] > 0).collect();
        for lane in wanted {
            let point = Epoch {
                row,
                lane: lane as u32,
                epoch: epochs[lane],
            };
            crate::races::vector_clock::advance(self.clock_mut(lane), point);
        }
    }

    /// Returns the current epoch of a lane.
    pub(crate) fn point(&self, row: ClockGroup, lane: usize) -> Epoch {
        Epoch {
            row,
            lane: lane as u32,
            epoch: self.epochs[lane & 31],
        }
    }

    /// Starts a new epoch for the given lanes, so that their later accesses do not count as accesses of the epoch that other threads have
    /// acquired.
    pub(crate) fn advance_epoch(&mut self, lanes: u32) {
        for (lane, own) in self.epochs.iter_mut().enumerate() {
            *own += u32::from(lanes & 1 << lane != 0);
        }
    }

    /// Sets the epochs of lanes.
    pub(crate) fn set_epochs(&mut self, lanes: u32, epoch: u32) {
        for (lane, own) in self.epochs.iter_mut().enumerate() {
            *own = if lanes & 1 << lane != 0 { epoch } else { *own };
        }
    }

    /// Returns the maximum epoch of the lanes in `lanes`, or 0 if `lanes` is empty.
    pub(crate) fn latest_epoch(&self, lanes: u32) -> u32 {
        let all = self.epochs.iter().enumerate();
        all.fold(0, |latest, (lane, own)| match lanes & 1 << lane {
            0 => latest,
            _ => latest.max(*own),
        })
    }

    /// Records the releases that a strong read of a lane has observed.
    pub(crate) fn observe_release(
        &mut self,
        lane: usize,
        place: StrongLocation,
        message: &Rc<ReleaseSet>,
    ) {
        self.details.of(lane).observe_release(place, message);
    }

    /// Records a releasing fence of a lane.
    pub(crate) fn add_fence(&mut self, lane: usize, release: ReleaseEvent) {
        self.ungroup(lane);
        self.details.of(lane).add_fence(release);
        self.released_apart |= 1 << lane;
    }

    /// Records a release of a lane at a location.
    pub(crate) fn add_release(
        &mut self,
        lane: usize,
        place: StrongLocation,
        release: ReleaseEvent,
    ) {
        self.ungroup(lane);
        self.details.of(lane).add_release(place, release);
        self.released_apart |= 1 << lane;
    }

    /// Records a releasing fence that several lanes execute in the same step.
    pub(crate) fn add_fence_of_lanes(&mut self, lanes: u32, all: &Rc<LaneReleases>) {
        let mut apart = lanes & self.released_apart;
        let together = GroupRelease::new(lanes & !apart, all);
        if apart != lanes && !self.together.add_fence(together) {
            apart = lanes;
        }
        let released = GroupRelease::new(apart, all);
        for lane in lanes_of(apart) {
            let own = released.of(lane as u32);
            own.into_iter().for_each(|own| self.add_fence(lane, own));
        }
    }

    /// Records the releases of several lanes by one store, each at the location to which the lane stores.
    pub(crate) fn add_stored(
        &mut self,
        memory: MemoryInstance,
        addresses: &[u64; 32],
        new: GroupRelease,
    ) {
        if self.together.add_stored(memory, addresses, new.clone()) {
            return;
        }
        for (lane, address) in addresses.iter().enumerate() {
            if let Some(own) = new.of(lane as u32) {
                self.add_release(lane, (memory, *address), own);
            }
        }
    }

    /// Converts the releases that a lane performed together with other lanes to separately recorded releases.
    #[inline]
    pub(crate) fn ungroup(&mut self, lane: usize) {
        if !self.together.is_empty() && self.released_apart >> lane & 1 == 0 {
            self.take_apart(lane);
        }
    }

    #[cold]
    fn take_apart(&mut self, lane: usize) {
        let (fences, stores) = self.together.take(lane as u32);
        self.released_apart |= 1 << lane;
        let details = self.details.of(lane);
        fences.into_iter().for_each(|own| details.add_fence(own));
        for (place, own) in stores {
            details.add_release(place, own);
        }
    }

    /// Returns the releases that several lanes of the warp performed in the same step.
    pub(crate) const fn together(&self) -> &PendingGroupReleases {
        &self.together
    }

    /// Returns the lanes whose releases are recorded separately.
    pub(crate) const fn released_apart(&self) -> u32 {
        self.released_apart
    }

    /// Returns the observed releases of a lane, and its separately recorded releases.
    pub(crate) fn known_details(&self, lane: usize) -> Option<&LaneSyncState> {
        self.details.known(lane)
    }

    /// Returns the releases that all lanes have observed at a location. The outer `None` means that the lanes have
    /// observed different releases.
    pub(crate) fn met_by_all(
        &self,
        lanes: u32,
        place: StrongLocation,
    ) -> Option<Option<Rc<ReleaseSet>>> {
        let met = |lane: usize| {
            let details = self.known_details(lane)?;
            let (_, message) = details
                .observed_releases
                .iter()
                .find(|(at, _)| *at == place)?;
            Some(message)
        };
        let first = met(lanes.trailing_zeros() as usize);
        let is_same = |lane: usize| match (first, met(lane)) {
            (Some(first), Some(other)) => Rc::ptr_eq(first, other),
            (first, other) => first.is_none() && other.is_none(),
        };
        lanes_of(lanes).all(is_same).then(|| first.map(Rc::clone))
    }

    /// Joins the clocks and epochs of the lanes in `lanes` into `clock`. `present` is the set of all lanes of the warp.
    pub(crate) fn release_into(
        &self,
        clock: &mut Rc<VectorClock>,
        row: ClockGroup,
        lanes: u32,
        present: u32,
    ) {
        match &self.known {
            WarpClock::Uniform(known) => join(clock, known),
            WarpClock::Each(known) => {
                let mut last: Option<&Rc<VectorClock>> = None;
                for own in lanes_of(lanes).map(|lane| &known[lane]) {
                    if last.is_none_or(|last| !Rc::ptr_eq(last, own)) {
                        join(clock, own);
                    }
                    last = Some(own);
                }
            }
            WarpClock::FenceOrdered(turns, others) => {
                if lanes_of(lanes).any(|lane| !turns.has(lane)) {
                    join(clock, others);
                }
                // Join only the clock of the last serialized lane, which includes the clocks of the preceding lanes.
                if let Some(last) = turns.last_of(lanes) {
                    join(clock, turns.clock(last));
                }
            }
        }
        for (same, epoch) in groups_of(&self.epochs, lanes) {
            // Raise all components of the row together if all existing lanes have the same epoch, because nonexistent lanes of the last
            // warp perform no accesses.
            let known = if same == present { u32::MAX } else { same };
            raise_lanes(clock, row, known, epoch);
        }
        self.hand_on_fenced(clock, row, lanes, present);
    }

    /// Returns the common epoch of the live lanes, or `None` if their epochs differ.
    pub(crate) fn even_epoch(&self) -> Option<u32> {
        let first = self.epochs[self.live.trailing_zeros() as usize & 31];
        let is_even = match self.live {
            u32::MAX => are_equal(&self.epochs, &[first; 32]),
            live => lanes_at(&self.epochs, live, first) == live,
        };
        is_even.then_some(first)
    }

    /// Checks whether some lane of the warp has observed or performed releases that affect strong accesses.
    pub(crate) fn has_details(&self) -> bool {
        !self.details.all.is_empty() || !self.together.is_empty()
    }

    /// Checks whether the warp has only releases at locations, and no releasing fences. In this case, strong writes of the warp to other
    /// locations have no release semantics.
    pub(crate) fn has_releases_alone(&self) -> bool {
        let mut all = self.details.all.iter();
        let is_it = |details: &LaneSyncState| {
            details.fences.is_empty() && details.observed_releases.is_empty()
        };
        !self.together.has_fences() && all.all(is_it)
    }

    /// Checks whether a lane has released at a location.
    pub(crate) fn has_released(&self, lane: usize, place: StrongLocation) -> bool {
        let details = self.known_details(lane);
        let is_known = details.is_some_and(|own| own.released.iter().any(|(at, _)| *at == place));
        is_known || self.together.has_released(lane as u32, place)
    }

    /// Returns the release that several lanes perform in the current step, or `None` if the caller must process the lanes one by one.
    pub(crate) fn release_of_lanes(
        &self,
        row: ClockGroup,
        lanes: u32,
        scope: Scope,
        home: crate::scope::ThreadLocation,
    ) -> Option<LaneReleases> {
        let known = match &self.known {
            _ if !self.fenced_epochs.is_empty() => return None,
            WarpClock::Uniform(clock) => ReleasedClock::Clock(Rc::clone(clock)),
            WarpClock::FenceOrdered(turns, _) if turns.has_all(lanes) => {
                ReleasedClock::Turn(Rc::clone(turns), 0)
            }
            WarpClock::Each(_) | WarpClock::FenceOrdered(..) => return None,
        };
        Some(LaneReleases {
            scope,
            home,
            known,
            row,
            epochs: self.epochs,
        })
    }

    /// Returns a release of a lane at its current epoch.
    pub(crate) fn release(
        &self,
        row: ClockGroup,
        lane: usize,
        scope: Scope,
        home: crate::scope::ThreadLocation,
    ) -> ReleaseEvent {
        ReleaseEvent {
            scope,
            home,
            known: match &self.known {
                WarpClock::FenceOrdered(turns, _)
                    if turns.has(lane) && self.fenced_epochs.is_empty() =>
                {
                    ReleasedClock::Turn(Rc::clone(turns), lane as u32 & 31)
                }
                _ => ReleasedClock::Clock(self.whole_clock(row, lane)),
            },
            own_epoch: self.point(row, lane),
        }
    }

    fn groups(&mut self, kind: AsyncGroupKind) -> &mut AsyncGroups {
        let [copies, bulk, products] = &mut self.groups;
        let groups = match kind {
            AsyncGroupKind::Copies => copies,
            AsyncGroupKind::Bulk => bulk,
            AsyncGroupKind::Products => products,
        };
        let empty = || {
            Box::new(AsyncGroups {
                started: [0; 32],
                made: Vec::new(),
                n_made: [0; 32],
            })
        };
        groups.get_or_insert_with(empty)
    }

    /// Records one started operation per lane. Returns the sequence number of the started operation of each lane.
    pub(crate) fn start(&mut self, kind: AsyncGroupKind, lanes: u32) -> [u32; 32] {
        let groups = self.groups(kind);
        for lane in lanes_of(lanes) {
            groups.started[lane] += 1;
        }
        groups.started
    }

    /// Returns the number of operations that each lane has started.
    pub(crate) fn started(&self, kind: AsyncGroupKind) -> [u32; 32] {
        let [copies, bulk, products] = &self.groups;
        let groups = match kind {
            AsyncGroupKind::Copies => copies,
            AsyncGroupKind::Bulk => bulk,
            AsyncGroupKind::Products => products,
        };
        groups.as_ref().map_or([0; 32], |groups| groups.started)
    }

    /// Commits the uncommitted operations of each lane as one group per lane.
    pub(crate) fn commit(&mut self, kind: AsyncGroupKind, lanes: u32) {
        let groups = self.groups(kind);
        for lane in lanes_of(lanes) {
            let number = groups.n_made[lane] as usize;
            if groups.made.len() <= number {
                groups.made.resize(number + 1, [0; 32]);
            }
            groups.made[number][lane] = groups.started[lane];
            groups.n_made[lane] += 1;
        }
    }

    /// Returns the number of completed operations of each lane after a wait for all groups except the `latest` most
    /// recent groups, or after a wait for all operations if `latest` is `None`.
    pub(crate) fn complete(&mut self, kind: AsyncGroupKind, latest: Option<u32>) -> [u32; 32] {
        let groups = self.groups(kind);
        let Some(latest) = latest else {
            return groups.started;
        };
        std::array::from_fn(|lane| {
            let n = groups.n_made[lane].saturating_sub(latest);
            let last = n
                .checked_sub(1)
                .and_then(|last| groups.made.get(last as usize));
            last.map_or(0, |made| made[lane])
        })
    }
}

impl LaneSyncState {
    /// Records a releasing fence of the lane.
    pub(crate) fn add_fence(&mut self, release: ReleaseEvent) {
        // A later fence replaces earlier fences of the same or a narrower scope.
        self.fences.retain(|fence| fence.scope > release.scope);
        self.fences.push(release);
    }

    /// Records the releases that a strong read of the lane has observed.
    pub(crate) fn observe_release(&mut self, place: StrongLocation, message: &Rc<ReleaseSet>) {
        let known = self
            .observed_releases
            .iter_mut()
            .find(|(at, _)| *at == place);
        match known {
            Some((_, own)) if Rc::ptr_eq(own, message) => {}
            // Replace the observed releases, because later writes of a release sequence also carry the earlier releases of the sequence.
            Some((_, own)) if message.includes(own) => *own = Rc::clone(message),
            Some((_, own)) => {
                let mut both = ReleaseSet::clone(own);
                both.join(message);
                *own = Rc::new(both);
            }
            None => {
                if self.observed_releases.len() >= MAX_OBSERVED_RELEASES {
                    self.observed_releases.remove(0);
                }
                self.observed_releases.push((place, Rc::clone(message)));
            }
        }
    }

    /// Records a release of the lane at a location.
    pub(crate) fn add_release(&mut self, place: StrongLocation, release: ReleaseEvent) {
        self.released
            .retain(|(at, old)| *at != place || old.scope > release.scope);
        if self.released.len() >= MAX_OBSERVED_RELEASES {
            self.released.remove(0);
        }
        self.released.push((place, release));
    }
}

/// Cached facts about a warp that hold for all of its accesses until its next synchronization. The fast path reads them.
#[derive(Clone, Debug)]
pub(crate) struct WarpCheckCache {
    /// Value of [`RaceDetector::n_openings`] when the cached facts were computed.
    pub(crate) n_openings: u64,
    /// Common epoch of all live lanes, or `None` if the epochs of the lanes differ.
    pub(crate) epoch: Option<u32>,
    /// Whether the strong stores of the warp have no release effect, and its strong loads have no acquire effect.
    pub(crate) is_plain: bool,
    /// Whether the strong stores of the warp carry only releases that its lanes performed earlier at the same locations.
    pub(crate) has_releases_alone: bool,
    pub(crate) shared: CommonClock,
    pub(crate) global: CommonClock,
}

/// Common lower bound of the vector clocks of all threads that can still access a memory, with which the detector drops access records.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommonClock {
    pub(crate) clock: Option<Rc<VectorClock>>,
    /// Number of changes of the lower bound.
    pub(crate) number: u32,
}
