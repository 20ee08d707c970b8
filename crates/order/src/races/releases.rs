//! What strong stores of warps hand on, all lanes at once. In: a store; out: a release of each lane, which lines keep with the store, and which is
//! only looked at when someone reads it.

use super::clock::{Point, Row, lanes_of};
use super::detector::Detector;
use super::message::Release;
use super::shadow::Memory;
use super::threads::{Location, Warp, row_of};
use super::turns::Knowledge;
use crate::scope::{Home, releases};
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_emulator::LanesAccess;
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
    lanes: u32,
    all: Rc<LaneReleases>,
}

impl Released {
    pub(crate) fn new(lanes: u32, all: &Rc<LaneReleases>) -> Released {
        Released {
            lanes,
            all: Rc::clone(all),
        }
    }

    const fn has(&self, lane: u32) -> bool {
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
    each: Vec<(u32, Release)>,
    /// Releases of all other lanes at once, their own last.
    together: SmallVec<[Released; 2]>,
}

pub(crate) type Handed = Rc<HandedOn>;

impl HandedOn {
    fn is_empty(&self) -> bool {
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
    fences: SmallVec<[Released; 1]>,
    /// The latest releases at places.
    stores: Vec<Stored>,
}

/// A releasing store of lanes at once.
#[derive(Debug)]
struct Stored {
    memory: Memory,
    addresses: [u64; 32],
    released: Released,
}

/// Releases that are kept together.
const MOST_TOGETHER: usize = 8;

impl Stored {
    /// The lanes that stored at these places.
    fn lanes_at(&self, memory: Memory, addresses: &[u64; 32]) -> u32 {
        if self.memory != memory {
            return 0;
        }
        let both = self.addresses.iter().zip(addresses).enumerate();
        let same = both.fold(0, |same, (lane, (own, other))| {
            same | u32::from(own == other) << lane
        });
        same & self.released.lanes
    }

    fn place(&self, lane: u32) -> Location {
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

impl Detector {
    /// What a strong store of lanes hands on, of each lane its own release last; nothing where lanes must be looked at one by one.
    pub(super) fn handed(
        &mut self,
        lanes: &LanesAccess<'_>,
        memory: Memory,
        scope: Scope,
    ) -> Option<Option<Handed>> {
        let access = &lanes.access;
        if access.element_bytes != access.lane_bytes {
            return self.may_be_whole(access).then_some(None);
        }
        let (of, is_release) = (access.of(), releases(access.sem));
        let home = self.shape.home(of.block);
        let number = self.warps.number(of);
        let warp = self.warps.get_mut(number)?;
        if !is_release && !warp.has_details() {
            return Some(None);
        }
        let row = row_of(of.block, of.warp);
        let own = match is_release {
            true => warp.release_of_lanes(row, lanes.mask, scope, home),
            false => None,
        };
        let apart = match is_release && own.is_none() {
            true => lanes.mask,
            false => lanes.mask & warp.released_apart(),
        };
        let mut handed = HandedOn::default();
        for lane in lanes_of(apart) {
            warp.part(lane);
            let place = (memory, lanes.addresses[lane]);
            let own = is_release.then(|| warp.release(row, lane, scope, home));
            hand_on_apart(&mut handed, warp, lane as u32, (place, own))?;
        }
        let own = own.map(Rc::new);
        hand_on_together(&mut handed, warp, lanes, memory, (lanes.mask & !apart, own))?;
        Some((!handed.is_empty()).then(|| Rc::new(handed)))
    }

    /// Remembers what lanes have released where they stored.
    pub(super) fn note_releases(
        &mut self,
        lanes: &LanesAccess<'_>,
        memory: Memory,
        handed: &Handed,
    ) {
        let of = lanes.access.of();
        let mut state = self.take(of.block, of.warp);
        if let Some(own) = handed.together.last() {
            state.add_stored(memory, lanes.addresses, own.clone());
        }
        for (index, (lane, release)) in handed.each.iter().enumerate() {
            let next = handed.each.get(index + 1);
            if next.is_none_or(|(next, _)| next != lane) {
                let place = (memory, lanes.addresses[*lane as usize & 31]);
                state.add_release(*lane as usize, place, release.clone());
            }
        }
        state.tick(lanes.mask);
        self.put(of.block, of.warp, state);
    }
}

/// Adds what a lane hands on that is kept apart; nothing where it hands on what it released there before.
fn hand_on_apart(
    handed: &mut HandedOn,
    warp: &Warp,
    lane: u32,
    (place, own): (Location, Option<Release>),
) -> Option<()> {
    if let Some(details) = warp.known_details(lane as usize) {
        let is_more = |old: &Release| own.as_ref().is_none_or(|own| old.scope > own.scope);
        let mut all = details.released.iter();
        if all.any(|(at, old)| *at == place && is_more(old)) {
            return None;
        }
        let fences = details.fences.iter().cloned();
        handed.each.extend(fences.map(|fence| (lane, fence)));
    }
    handed.each.extend(own.map(|own| (lane, own)));
    Some(())
}

/// Adds what lanes hand on that are kept together; nothing where one hands on what it released there before.
fn hand_on_together(
    handed: &mut HandedOn,
    warp: &Warp,
    access: &LanesAccess<'_>,
    memory: Memory,
    (lanes, own): (u32, Option<Rc<LaneReleases>>),
) -> Option<()> {
    let Together { fences, stores } = warp.together();
    let is_more = |old: &Stored| {
        let scope = old.released.all.scope;
        own.as_ref().is_none_or(|own| scope > own.scope)
            && old.lanes_at(memory, access.addresses) & lanes != 0
    };
    if stores.iter().any(is_more) {
        return None;
    }
    let fences = fences.iter().filter(|fence| fence.lanes & lanes != 0);
    handed.together.extend(fences.cloned());
    if let Some(own) = own.filter(|_| lanes != 0) {
        handed.together.push(Released::new(lanes, &own));
    }
    Some(())
}
