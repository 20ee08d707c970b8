//! Accesses to words that race with nothing: each entry of a word is compared with the access. In: lanes, or an operation, at the same bytes of
//! a word; out: an entry, or false where it may race.

use crate::races::accessor::{Current, MANY, Settled};
use crate::races::clock::row_of;
use crate::races::clock::{Clock, Row, lanes_of};
use crate::races::detector::Detector;
use crate::races::location::Bytes;
use crate::races::location::Memory;
use crate::races::shadow::{Entry, Shadow, Word};
use crate::races::site::SiteId;
use warpgrid_emulator::LanesAccess;

/// Relations that are kept: neighbouring words have entries of the same few accesses.
const MOST_KNOWN: usize = 4;

/// A warp that accesses words.
pub(crate) struct Quick<'a> {
    settled: Settled<'a>,
    current: Current<'a>,
    /// What the access is attributed to.
    row: Row,
    site: SiteId,
    writes: bool,
    /// What all that can still access the memory know.
    floor: Option<&'a Clock>,
    /// See [`crate::races::lines::Visitor::is_known`].
    is_known: &'a dyn Fn(SiteId, u64) -> bool,
    /// Of the entries that were looked at last.
    relations: [Option<Relation>; MOST_KNOWN],
    next: usize,
}

/// Bytes of a word that lanes access, all of them the same.
#[derive(Clone, Copy)]
pub(crate) struct AtWord {
    pub(crate) lanes: u32,
    pub(crate) epoch: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u8,
}

/// What is known of lanes of a row at an epoch: of all of them where they are threads.
#[derive(Clone, Copy)]
struct Relation {
    row: Row,
    lanes: u32,
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
    /// Looks at a weak access word by word; false where it must be looked at in full.
    pub(crate) fn see_words(
        &mut self,
        lanes: &LanesAccess<'_>,
        memory: Memory,
        site: SiteId,
    ) -> bool {
        let access = &lanes.access;
        let state = self.take(access.block, access.warp);
        let floor = self.floor_of(memory);
        let mut shadow = self.shadow.take().unwrap_or_default();
        let is_known = |other: SiteId, address: u64| self.is_known(other, site, memory, address);
        let threads = row_of(access.block, access.warp);
        let current = Current {
            warp: &state,
            threads,
            lanes: lanes.mask,
            proxy: self.sites.get(site).proxy,
            memory,
        };
        let floor = floor.as_deref();
        let mut quick = Quick::of(self.settled(), current, (threads, site), floor, &is_known);
        let mut left = lanes.mask;
        let mut is_quiet = true;
        while left != 0 && is_quiet {
            let first = left.trailing_zeros() as usize;
            let (address, epoch) = (lanes.addresses[first], state.epochs[first]);
            let same =
                |lane: usize| (lanes.addresses[lane], state.epochs[lane]) == (address, epoch);
            let together = lanes_of(left)
                .take_while(|lane| same(*lane))
                .fold(0, |together, lane| together | 1 << lane);
            left &= !together;
            let bytes = Bytes::at(memory, address, access.lane_bytes);
            is_quiet = bytes.words().all(|(address, bytes)| {
                let at = AtWord {
                    lanes: together,
                    epoch,
                    address,
                    bytes,
                };
                quick.look(&mut shadow, at)
            });
        }
        self.shadow = Some(shadow);
        self.put(access.block, access.warp, state);
        is_quiet
    }
}

impl<'a> Quick<'a> {
    /// An access of lanes at a site, attributed to a row.
    pub(crate) fn of(
        settled: Settled<'a>,
        current: Current<'a>,
        (row, site): (Row, SiteId),
        floor: Option<&'a Clock>,
        is_known: &'a dyn Fn(SiteId, u64) -> bool,
    ) -> Quick<'a> {
        Quick {
            settled,
            current,
            row,
            site,
            writes: settled.sites.get(site).kind.writes(),
            floor,
            is_known,
            relations: [None; MOST_KNOWN],
            next: 0,
        }
    }

    /// Enters bytes of a word; false where they must be looked at in full.
    pub(crate) fn look(&mut self, shadow: &mut Shadow, at: AtWord) -> bool {
        if self.writes && !at.lanes.is_power_of_two() && !(self.is_known)(self.site, at.address) {
            return false;
        }
        let is_shared = matches!(self.current.memory, Memory::Shared(_));
        let word = shadow.word(self.current.memory, at.address);
        if self.writes && shadow.is_strong(word) {
            return false;
        }
        if !self.writes && is_shared && at.bytes & !shadow.written(word) != 0 {
            return false;
        }
        let new = Entry {
            row: self.row,
            epoch: at.epoch,
            lanes: at.lanes,
            site: self.site,
            bytes: at.bytes,
        };
        let (mut merged, mut races) = (false, false);
        let n = shadow.retain(word, |entry| {
            match self.fate(entry, &new, at.address, &mut merged) {
                Fate::Stays => true,
                Fate::Goes => false,
                Fate::Races => {
                    races |= !(self.is_known)(entry.site, at.address);
                    true
                }
            }
        });
        if races {
            if merged && !self.row.is_threads() {
                self.take_out(shadow, word, &new);
            }
            return false;
        }
        if !merged && !shadow.add(word, new) {
            return false;
        }
        if n >= MANY && n.is_multiple_of(MANY / 3) {
            self.leave_out(shadow, word, &new);
        }
        if self.writes {
            shadow.set_written(word, at.bytes);
        }
        true
    }

    /// Takes an operation out of the entry that it was added to: to look at it again must not find itself.
    fn take_out(&self, shadow: &mut Shadow, word: Word, new: &Entry) {
        shadow.retain(word, |entry| {
            let is_same = (entry.row, entry.site, entry.bytes, entry.epoch)
                == (new.row, new.site, new.bytes, new.epoch);
            if is_same {
                entry.lanes &= !new.lanes;
            }
            entry.lanes != 0
        });
    }

    /// Drops what this access comes after.
    fn leave_out(&self, shadow: &mut Shadow, word: Word, new: &Entry) {
        let lane = self.first_lane(new);
        let clock = self.current.warp.whole_clock(self.current.threads, lane);
        let memory = self.current.memory;
        shadow.retain(word, |entry| {
            let is_new = (entry.row, entry.epoch) == (new.row, new.epoch);
            is_new || !self.settled.is_settled(&clock, entry, memory)
        });
    }

    /// The first of the threads that make an access.
    fn first_lane(&self, new: &Entry) -> usize {
        let lanes = match self.row.is_threads() {
            true => new.lanes,
            false => self.current.lanes,
        };
        lanes.trailing_zeros() as usize & 31
    }

    #[inline]
    fn fate(&mut self, entry: &mut Entry, new: &Entry, address: u64, merged: &mut bool) -> Fate {
        let is_own = entry.row == new.row;
        if is_own && (entry.site, entry.bytes) == (new.site, new.bytes) {
            // A thread comes after itself; operations in flight are in no order.
            let is_ordered = match self.row.is_threads() {
                true => entry.lanes & !new.lanes == 0,
                false => !self.writes || self.relate(entry).is_known,
            };
            if self.writes && !is_ordered && !(self.is_known)(self.site, address) {
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
        let relation = self.relate(entry);
        if relation.is_over {
            return Fate::Goes;
        }
        if relation.is_harmless || entry.bytes & new.bytes == 0 {
            return Fate::Stays;
        }
        // A thread comes after itself; of several lanes each misses the others.
        let is_itself = is_own
            && new.row.is_threads()
            && new.lanes.is_power_of_two()
            && entry.lanes == new.lanes;
        match relation.is_known || is_itself {
            true => Fate::Stays,
            false => Fate::Races,
        }
    }

    fn relate(&mut self, entry: &Entry) -> Relation {
        let whole = Entry {
            lanes: entry.row.whole(entry.lanes),
            ..*entry
        };
        let key = (whole.row, whole.lanes, whole.epoch, whole.site);
        let mut all = self.relations.iter().flatten();
        let known = all.find(|known| (known.row, known.lanes, known.epoch, known.site) == key);
        if let Some(known) = known {
            return match known.is_over || known.is_known {
                true => *known,
                // Where lanes are not at one epoch, more is known of some.
                false => self.relation(entry),
            };
        }
        let relation = self.relation(&whole);
        self.relations[self.next % MOST_KNOWN] = Some(relation);
        self.next += 1;
        match relation.is_over || relation.is_known {
            true => relation,
            false => self.relation(entry),
        }
    }

    fn relation(&self, whole: &Entry) -> Relation {
        let other = self.settled.sites.get(whole.site);
        let floor = self.floor;
        Relation {
            row: whole.row,
            lanes: whole.lanes,
            epoch: whole.epoch,
            site: whole.site,
            is_over: floor
                .is_some_and(|floor| self.settled.is_settled(floor, whole, self.current.memory)),
            is_known: self.settled.comes_after(&self.current, whole),
            is_harmless: !self.writes && !other.kind.writes(),
        }
    }
}
