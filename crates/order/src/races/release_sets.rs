//! Releases by several lanes of a warp in the same step, and the releases that strong stores carry.

use crate::races::fence_order::ReleasedClock;
use crate::races::location::{MemoryInstance, StrongLocation};
use crate::races::release_set::ReleaseEvent;
use crate::races::vector_clock::{ClockGroup, Epoch};
use crate::scope::ThreadLocation;
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_isa::Scope;

/// Release operation of several lanes of a warp in the same step: the clocks of the lanes, and the scope.
#[derive(Debug)]
pub(crate) struct LaneReleases {
    pub(crate) scope: Scope,
    pub(crate) home: ThreadLocation,
    /// Vector clock of one of the lanes, from which the clocks of the other lanes can be derived.
    pub(crate) known: ReleasedClock,
    pub(crate) row: ClockGroup,
    pub(crate) epochs: [u32; 32],
}

/// Release by several lanes in the same step, restricted to lanes that have not performed separate releases since this step.
#[derive(Clone, Debug)]
pub(crate) struct GroupRelease {
    pub(crate) lanes: u32,
    pub(crate) all: Rc<LaneReleases>,
}

impl GroupRelease {
    pub(crate) fn new(lanes: u32, all: &Rc<LaneReleases>) -> GroupRelease {
        GroupRelease {
            lanes,
            all: Rc::clone(all),
        }
    }

    pub(crate) const fn has(&self, lane: u32) -> bool {
        self.lanes >> (lane & 31) & 1 != 0
    }

    /// Returns the release of a lane, or `None` if the lane is not part of the group.
    pub(crate) fn of(&self, lane: u32) -> Option<ReleaseEvent> {
        let LaneReleases {
            scope, home, row, ..
        } = *self.all;
        self.has(lane).then(|| ReleaseEvent {
            scope,
            home,
            known: self.all.known.of(lane),
            own_epoch: Epoch {
                row,
                lane,
                epoch: self.all.epochs[lane as usize & 31],
            },
        })
    }
}

/// Releases that a strong store of a warp carries. A thread receives them if it acquires a stored value.
#[derive(Debug, Default)]
pub(crate) struct StoreReleases {
    /// Releases that are recorded separately for each lane, each with its lane. The last entry of each lane is the release of the store
    /// itself.
    pub(crate) each: Vec<(u32, ReleaseEvent)>,
    /// Releases that the other lanes performed in the same step.
    pub(crate) together: SmallVec<[GroupRelease; 2]>,
}

pub(crate) type SharedStoreReleases = Rc<StoreReleases>;

impl StoreReleases {
    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty() && self.together.is_empty()
    }

    /// Returns the releases of a lane.
    pub(crate) fn of(&self, lane: u32) -> impl Iterator<Item = ReleaseEvent> {
        let each = self.each.iter().filter(move |(own, _)| *own == lane);
        let each = each.map(|(_, release)| release.clone());
        let together = self.together.iter();
        each.chain(together.filter_map(move |released| released.of(lane)))
    }
}

/// Releases of a warp that several lanes performed in the same step, for later strong stores. Lanes that have since performed separate
/// releases are excluded.
#[derive(Debug, Default)]
pub(crate) struct PendingGroupReleases {
    /// Latest releasing fence of each scope.
    pub(crate) fences: SmallVec<[GroupRelease; 1]>,
    /// Latest releasing store at each location.
    pub(crate) stores: Vec<ReleaseStore>,
}

/// Releasing store that several lanes of a warp performed in the same step.
#[derive(Debug)]
pub(crate) struct ReleaseStore {
    pub(crate) memory: MemoryInstance,
    pub(crate) addresses: [u64; 32],
    pub(crate) released: GroupRelease,
}

/// Maximum number of releases in each list of [`PendingGroupReleases`].
pub(crate) const MAX_GROUP_RELEASES: usize = 8;

impl ReleaseStore {
    /// Returns the lanes that stored to these addresses.
    pub(crate) fn lanes_at(&self, memory: MemoryInstance, addresses: &[u64; 32]) -> u32 {
        if self.memory != memory {
            return 0;
        }
        let both = self.addresses.iter().zip(addresses).enumerate();
        let same = both.fold(0, |same, (lane, (own, other))| {
            same | u32::from(own == other) << lane
        });
        same & self.released.lanes
    }

    pub(crate) fn place(&self, lane: u32) -> StrongLocation {
        (self.memory, self.addresses[lane as usize & 31])
    }
}

impl PendingGroupReleases {
    pub(crate) fn is_empty(&self) -> bool {
        self.fences.is_empty() && self.stores.is_empty()
    }

    pub(crate) fn has_fences(&self) -> bool {
        !self.fences.is_empty()
    }

    /// Checks whether a lane has performed a recorded release at a location.
    pub(crate) fn has_released(&self, lane: u32, place: StrongLocation) -> bool {
        let mut all = self.stores.iter();
        all.any(|stored| stored.released.has(lane) && stored.place(lane) == place)
    }

    /// Adds a releasing fence of several lanes. Returns `false` if the fence of each lane must be recorded separately.
    pub(crate) fn add_fence(&mut self, new: GroupRelease) -> bool {
        // A later fence replaces an earlier fence of the same or a narrower scope.
        let is_older = |old: &GroupRelease| old.all.scope <= new.all.scope;
        let is_within = |old: &GroupRelease| old.lanes & !new.lanes == 0;
        self.fences.retain(|old| !(is_older(old) && is_within(old)));
        let mut all = self.fences.iter();
        let is_apart = all.all(|old| !is_older(old) || old.lanes & new.lanes == 0);
        let is_kept = is_apart && self.fences.len() < MAX_GROUP_RELEASES;
        if is_kept {
            self.fences.push(new);
        }
        is_kept
    }

    /// Adds a releasing store of several lanes. Returns `false` if the release of each lane must be recorded
    /// separately.
    pub(crate) fn add_stored(
        &mut self,
        memory: MemoryInstance,
        addresses: &[u64; 32],
        new: GroupRelease,
    ) -> bool {
        let again = |old: &ReleaseStore| match old.released.all.scope <= new.all.scope {
            true => old.lanes_at(memory, addresses) & new.lanes,
            false => 0,
        };
        self.stores.retain(|old| again(old) != old.released.lanes);
        let mut all = self.stores.iter();
        let is_kept = all.all(|old| again(old) == 0) && self.stores.len() < MAX_GROUP_RELEASES;
        if is_kept {
            if self.stores.is_empty() {
                // Reserve space for one store, because most lists contain a single store.
                self.stores.reserve_exact(1);
            }
            self.stores.push(ReleaseStore {
                memory,
                addresses: *addresses,
                released: new,
            });
        }
        is_kept
    }

    /// Removes a lane from all releases of several lanes, and returns the releases of the lane: its fences, and its releases at locations.
    pub(crate) fn take(
        &mut self,
        lane: u32,
    ) -> (Vec<ReleaseEvent>, Vec<(StrongLocation, ReleaseEvent)>) {
        let stores = self.stores.iter();
        let at_places = stores.filter_map(|stored| {
            let release = stored.released.of(lane)?;
            Some((stored.place(lane), release))
        });
        let fences = self.fences.iter().filter_map(|fence| fence.of(lane));
        let taken = (fences.collect(), at_places.collect());
        let mut is_left = |released: &mut GroupRelease| {
            released.lanes &= !(1 << lane);
            released.lanes != 0
        };
        self.fences.retain(&mut is_left);
        self.stores
            .retain_mut(|stored| is_left(&mut stored.released));
        taken
    }
}
