//! The vector clocks that strong stores of a thread release, and that a later acquire receives.

use crate::races::clock::{Point, Row};
use crate::races::location::{Location, Memory};
use crate::races::message::Release;
use crate::races::turns::Knowledge;
use crate::scope::Home;
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_isa::Scope;

/// A release of lanes of a warp at once, each by itself.
#[derive(Debug)]
pub(crate) struct LaneReleases {
    pub(crate) scope: Scope,
    pub(crate) home: Home,
    /// Of one of the lanes: all know the same, or take turns together.
    pub(crate) known: Knowledge,
    pub(crate) row: Row,
    pub(crate) epochs: [u32; 32],
}

/// Lanes that released at once, and have not done so by themselves since.
#[derive(Clone, Debug)]
pub(crate) struct Released {
    pub(crate) lanes: u32,
    pub(crate) all: Rc<LaneReleases>,
}

impl Released {
    pub(crate) fn new(lanes: u32, all: &Rc<LaneReleases>) -> Released {
        Released {
            lanes,
            all: Rc::clone(all),
        }
    }

    pub(crate) const fn has(&self, lane: u32) -> bool {
        self.lanes >> (lane & 31) & 1 != 0
    }

    /// The release of a lane, if it takes part.
    pub(crate) fn of(&self, lane: u32) -> Option<Release> {
        let LaneReleases {
            scope, home, row, ..
        } = *self.all;
        self.has(lane).then(|| Release {
            scope,
            home,
            known: self.all.known.of(lane),
            own: Point {
                row,
                lane,
                epoch: self.all.epochs[lane as usize & 31],
            },
        })
    }
}

/// What lanes of a warp hand on by one store, each by its own.
#[derive(Debug, Default)]
pub(crate) struct HandedOn {
    /// Releases by lane, its own last.
    pub(crate) each: Vec<(u32, Release)>,
    /// Releases of all other lanes at once, their own last.
    pub(crate) together: SmallVec<[Released; 2]>,
}

pub(crate) type Handed = Rc<HandedOn>;

impl HandedOn {
    pub(crate) fn is_empty(&self) -> bool {
        self.each.is_empty() && self.together.is_empty()
    }

    /// What a lane hands on.
    pub(crate) fn of(&self, lane: u32) -> impl Iterator<Item = Release> {
        let each = self.each.iter().filter(move |(own, _)| *own == lane);
        let each = each.map(|(_, release)| release.clone());
        let together = self.together.iter();
        each.chain(together.filter_map(move |released| released.of(lane)))
    }
}

/// What lanes have released at once, but for those that have done so by themselves since.
#[derive(Debug, Default)]
pub(crate) struct Together {
    /// The latest releasing fence of each scope.
    pub(crate) fences: SmallVec<[Released; 1]>,
    /// The latest releases at places.
    pub(crate) stores: Vec<Stored>,
}

/// A releasing store of lanes at once.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) memory: Memory,
    pub(crate) addresses: [u64; 32],
    pub(crate) released: Released,
}

/// Releases that are kept together.
pub(crate) const MOST_TOGETHER: usize = 8;

impl Stored {
    /// The lanes that stored at these places.
    pub(crate) fn lanes_at(&self, memory: Memory, addresses: &[u64; 32]) -> u32 {
        if self.memory != memory {
            return 0;
        }
        let both = self.addresses.iter().zip(addresses).enumerate();
        let same = both.fold(0, |same, (lane, (own, other))| {
            same | u32::from(own == other) << lane
        });
        same & self.released.lanes
    }

    pub(crate) fn place(&self, lane: u32) -> Location {
        (self.memory, self.addresses[lane as usize & 31])
    }
}

impl Together {
    pub(crate) fn is_empty(&self) -> bool {
        self.fences.is_empty() && self.stores.is_empty()
    }

    pub(crate) fn has_fences(&self) -> bool {
        !self.fences.is_empty()
    }

    /// Whether a lane has released at a place.
    pub(crate) fn has_released(&self, lane: u32, place: Location) -> bool {
        let mut all = self.stores.iter();
        all.any(|stored| stored.released.has(lane) && stored.place(lane) == place)
    }

    /// Adds a fence; false where the fences of each lane must be kept apart.
    pub(crate) fn add_fence(&mut self, new: Released) -> bool {
        // A wider fence, later, replaces a narrower one.
        let is_older = |old: &Released| old.all.scope <= new.all.scope;
        let is_within = |old: &Released| old.lanes & !new.lanes == 0;
        self.fences.retain(|old| !(is_older(old) && is_within(old)));
        let mut all = self.fences.iter();
        let is_apart = all.all(|old| !is_older(old) || old.lanes & new.lanes == 0);
        let is_kept = is_apart && self.fences.len() < MOST_TOGETHER;
        if is_kept {
            self.fences.push(new);
        }
        is_kept
    }

    /// Adds releases at places; false where those of each lane must be kept apart.
    pub(crate) fn add_stored(
        &mut self,
        memory: Memory,
        addresses: &[u64; 32],
        new: Released,
    ) -> bool {
        let again = |old: &Stored| match old.released.all.scope <= new.all.scope {
            true => old.lanes_at(memory, addresses) & new.lanes,
            false => 0,
        };
        self.stores.retain(|old| again(old) != old.released.lanes);
        let mut all = self.stores.iter();
        let is_kept = all.all(|old| again(old) == 0) && self.stores.len() < MOST_TOGETHER;
        if is_kept {
            if self.stores.is_empty() {
                // One store alone most often.
                self.stores.reserve_exact(1);
            }
            self.stores.push(Stored {
                memory,
                addresses: *addresses,
                released: new,
            });
        }
        is_kept
    }

    /// Takes out what a lane has released with others: fences, and releases at places.
    pub(crate) fn take(&mut self, lane: u32) -> (Vec<Release>, Vec<(Location, Release)>) {
        let stores = self.stores.iter();
        let at_places = stores.filter_map(|stored| {
            let release = stored.released.of(lane)?;
            Some((stored.place(lane), release))
        });
        let fences = self.fences.iter().filter_map(|fence| fence.of(lane));
        let taken = (fences.collect(), at_places.collect());
        let mut is_left = |released: &mut Released| {
            released.lanes &= !(1 << lane);
            released.lanes != 0
        };
        self.fences.retain(&mut is_left);
        self.stores
            .retain_mut(|stored| is_left(&mut stored.released));
        taken
    }
}
