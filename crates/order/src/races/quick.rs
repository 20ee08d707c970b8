//! Weak accesses of a warp that race with nothing: looked at word by word, without the bytes that were moved. In: the addresses of lanes; out:
//! entries in the shadow; or false where one of them may race, so that the access must be looked at in full. To look at it again changes
//! nothing: what was entered already is then the access itself.

use super::accesses::memory_of;
use super::check::{Bytes, MANY};
use super::clock::{Clock, Row, lanes_of};
use super::detector::Detector;
use super::shadow::{Entry, Memory, Shadow, Word};
use super::site::{Kind, ProxyKind, Side, Site, SiteId, Sites};
use super::threads::{Warp, row_of};
use crate::scope::Strength;
use std::rc::Rc;
use warpgrid_emulator::{LanesAccess, WarpAccess};

/// Relations that are kept: neighbouring words have entries of the same few accesses.
const MOST_KNOWN: usize = 4;

/// A warp that accesses memory.
struct Quick<'a> {
    sites: &'a Sites,
    warp: &'a Warp,
    row: Row,
    site: SiteId,
    writes: bool,
    proxy: ProxyKind,
    memory: Memory,
    /// What all that can still access the memory know.
    floor: Option<Rc<Clock>>,
    /// Of the entries that were looked at last.
    relations: [Option<Relation>; MOST_KNOWN],
    next: usize,
}

/// What is known of all lanes of a row at an epoch.
#[derive(Clone, Copy)]
struct Relation {
    row: Row,
    epoch: u32,
    site: SiteId,
    /// All that can still access the memory come after it.
    is_over: bool,
    /// The warp comes after it.
    is_known: bool,
    /// It only reads, or races with nothing that the warp does.
    is_harmless: bool,
}

/// What becomes of an entry.
enum Fate {
    Stays,
    Goes,
    Races,
}

impl Detector {
    /// Looks at a weak access of lanes; false where it must be looked at in full.
    pub(crate) fn see_lanes(&mut self, lanes: &LanesAccess<'_>) -> bool {
        let access = &lanes.access;
        let Some(memory) = memory_of(lanes.memory) else {
            return false;
        };
        if self.has_maps && memory == Memory::Global {
            return false;
        }
        let state = self.take(access.block, access.warp);
        let site = self.site_of_warp(access);
        let mut shadow = std::mem::take(&mut self.shadow);
        let mut quick = Quick {
            sites: &self.sites,
            warp: &state,
            row: row_of(access.block, access.warp),
            site,
            writes: access.action.writes(),
            proxy: self.sites.get(site).proxy,
            memory,
            floor: self.floor_of(memory),
            relations: [None; MOST_KNOWN],
            next: 0,
        };
        let is_quiet = self.each_place(lanes, &state, |own, mask, epoch, address| {
            let bytes = Bytes {
                memory,
                address,
                n: access.lane_bytes,
                same_value: false,
                same_among: false,
            };
            quick.look(own, &mut shadow, mask, epoch, bytes)
        });
        drop(quick);
        self.shadow = shadow;
        self.put(access.block, access.warp, state);
        if let (true, Memory::Shared(block)) = (is_quiet, memory) {
            let ends = lanes_of(lanes.mask).map(|lane| lanes.addresses[lane]);
            let end = ends.max().unwrap_or(0) + u64::from(access.lane_bytes);
            let state = self.block(block);
            state.shared_end = state.shared_end.max(end);
        }
        is_quiet
    }

    /// Calls `look` for lanes that access the same bytes one after another, with their epoch, until it is false.
    fn each_place(
        &self,
        access: &LanesAccess<'_>,
        state: &Warp,
        mut look: impl FnMut(&Detector, u32, u32, u64) -> bool,
    ) -> bool {
        let mut left = access.mask;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let (address, epoch) = (access.addresses[first], state.epochs[first]);
            let mut lanes = 0;
            while left != 0 {
                let lane = left.trailing_zeros() as usize;
                if (access.addresses[lane], state.epochs[lane]) != (address, epoch) {
                    break;
                }
                lanes |= 1 << lane;
                left &= left - 1;
            }
            if !look(self, lanes, epoch, address) {
                return false;
            }
        }
        true
    }

    /// Where a warp accesses weakly.
    pub(crate) fn site_of_warp(&mut self, access: &WarpAccess) -> SiteId {
        let element_bytes = access.element_bytes;
        let WarpAccess {
            function,
            instruction,
            ..
        } = *access;
        self.sites
            .of(function, instruction, Side::Only, element_bytes, || Site {
                function: access.function,
                instruction: access.instruction,
                kind: match access.action.writes() {
                    true => Kind::Write,
                    false => Kind::Read,
                },
                strength: Strength::Weak,
                proxy: match access.non_coherent {
                    true => ProxyKind::ReadOnly,
                    false => ProxyKind::Generic,
                },
                asynchronous: false,
                element_bytes,
            })
    }
}

impl Quick<'_> {
    fn look(
        &mut self,
        all: &Detector,
        shadow: &mut Shadow,
        lanes: u32,
        epoch: u32,
        bytes: Bytes,
    ) -> bool {
        if self.writes && !lanes.is_power_of_two() {
            return false;
        }
        let is_shared = matches!(self.memory, Memory::Shared(_));
        for (address, mask) in bytes.words() {
            let word = shadow.word(self.memory, address);
            if self.writes && shadow.is_strong(word) {
                return false;
            }
            if !self.writes && is_shared && mask & !shadow.written(word) != 0 {
                return false;
            }
            let new = Entry {
                row: self.row,
                epoch,
                lanes,
                site: self.site,
                bytes: mask,
            };
            let (mut merged, mut races) = (false, false);
            let n = shadow.retain(word, |entry| {
                match self.fate(all, entry, &new, &mut merged) {
                    Fate::Stays => true,
                    Fate::Goes => false,
                    Fate::Races => {
                        races = true;
                        true
                    }
                }
            });
            if races || !merged && !shadow.add(word, new) {
                return false;
            }
            if n >= MANY && n.is_multiple_of(MANY / 3) {
                self.leave_out(all, shadow, word, &new);
            }
            if self.writes {
                shadow.set_written(word, mask);
            }
        }
        true
    }

    /// Drops what this access comes after.
    fn leave_out(&self, all: &Detector, shadow: &mut Shadow, word: Word, new: &Entry) {
        let clock = self.warp.clock(new.lanes.trailing_zeros() as usize);
        shadow.retain(word, |entry| {
            let is_new = (entry.row, entry.epoch) == (new.row, new.epoch);
            is_new || !all.is_settled(clock, entry, self.memory)
        });
    }

    #[inline]
    fn fate(&mut self, all: &Detector, entry: &mut Entry, new: &Entry, merged: &mut bool) -> Fate {
        let is_own = entry.row == new.row;
        if is_own && (entry.site, entry.bytes) == (new.site, new.bytes) {
            if self.writes && entry.lanes & !new.lanes != 0 {
                return Fate::Races;
            }
            if entry.epoch == new.epoch {
                entry.lanes |= new.lanes;
                *merged = true;
                return Fate::Stays;
            }
            // The later access of a thread at the same place in the code replaces the earlier one.
            entry.lanes &= !new.lanes;
            return match entry.lanes {
                0 => Fate::Goes,
                _ => Fate::Stays,
            };
        }
        let relation = self.relate(all, entry);
        if relation.is_over {
            return Fate::Goes;
        }
        if relation.is_harmless || entry.bytes & new.bytes == 0 {
            return Fate::Stays;
        }
        // A thread comes after itself; of several lanes each misses the others.
        let is_itself = is_own && new.lanes.is_power_of_two() && entry.lanes == new.lanes;
        match relation.is_known || is_itself {
            true => Fate::Stays,
            false => Fate::Races,
        }
    }

    fn relate(&mut self, all: &Detector, entry: &Entry) -> Relation {
        let known = self.relations.iter().flatten().find(|known| {
            (known.row, known.epoch, known.site) == (entry.row, entry.epoch, entry.site)
        });
        if let Some(known) = known {
            return *known;
        }
        let whole = Entry {
            lanes: u32::MAX,
            ..*entry
        };
        let other = self.sites.get(entry.site);
        let floor = self.floor.as_deref();
        let known = |clock: &Clock| clock.seen().unknown(entry.row, u32::MAX, entry.epoch) == 0;
        let is_past_all = self.proxy == ProxyKind::ReadOnly || other.proxy == ProxyKind::ReadOnly;
        let relation = Relation {
            row: entry.row,
            epoch: entry.epoch,
            site: entry.site,
            is_over: floor.is_some_and(|floor| all.is_settled(floor, &whole, self.memory)),
            is_known: !is_past_all && self.warp.alike().is_some_and(|clock| known(clock)),
            is_harmless: !self.writes && !other.kind.writes(),
        };
        self.relations[self.next % MOST_KNOWN] = Some(relation);
        self.next += 1;
        relation
    }
}
