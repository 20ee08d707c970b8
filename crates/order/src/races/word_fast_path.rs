//! Fast path of the race check for single words. The fast path compares an access by lanes, or by an asynchronous operation, with each
//! access record of the word. The fast path records the access, or returns `false` if the access may race.

use crate::races::access_site::AccessSiteId;
use crate::races::accessor::{CurrentLanes, OrderingOracle, PRUNE_THRESHOLD};
use crate::races::detector::RaceDetector;
use crate::races::location::ByteRange;
use crate::races::location::MemoryInstance;
use crate::races::shadow_memory::{AccessRecord, ShadowMemory, WordIndex};
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{ClockGroup, VectorClock, lanes_of};
use warpgrid_emulator::PerLaneAccess;

/// Number of cached ordering decisions. A small number is sufficient, because neighboring words have records of the
/// same accesses.
const CACHE_SIZE: usize = 4;

/// Checker that compares a warp access with the access records of single words.
pub(crate) struct WordFastPath<'a> {
    settled: OrderingOracle<'a>,
    current: CurrentLanes<'a>,
    /// Vector clock row to which the access is attributed.
    row: ClockGroup,
    site: AccessSiteId,
    writes: bool,
    /// Common lower bound of the clocks of all threads that can still access the memory.
    floor: Option<&'a VectorClock>,
    /// Predicate with the meaning of [`crate::races::line_shadow::LineChecker::is_known`].
    is_known: &'a dyn Fn(AccessSiteId, u64) -> bool,
    /// Cached ordering decisions for the latest access records.
    relations: [Option<CachedOrdering>; CACHE_SIZE],
    next: usize,
}

/// Bytes of one word that lanes of a warp access touch, which [`WordFastPath::look`] checks.
#[derive(Clone, Copy)]
pub(crate) struct WordAccess {
    pub(crate) lanes: u32,
    pub(crate) epoch: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u8,
}

/// Cached ordering decision for the accesses of lanes of a row at an epoch. If the row represents threads, the decision
/// holds for all lanes of the row.
#[derive(Clone, Copy)]
struct CachedOrdering {
    row: ClockGroup,
    lanes: u32,
    epoch: u32,
    site: AccessSiteId,
    /// Whether the recorded access happens before all future accesses of threads that can still access the memory.
    is_over: bool,
    /// Whether the recorded access happens before the warp access.
    is_known: bool,
    /// Whether the recorded access cannot race with the warp access, because both are reads or for another reason.
    is_harmless: bool,
}

/// Decision of the check on an access record of the word: whether the record is retained, dropped or may race.
enum PruneDecision {
    Keep,
    Drop,
    Race,
}

impl RaceDetector {
    /// Checks a weak access word by word. Returns `false` if the slow path must check the access.
    pub(crate) fn check_words(
        &mut self,
        lanes: &PerLaneAccess<'_>,
        memory: MemoryInstance,
        site: AccessSiteId,
    ) -> bool {
        let access = &lanes.access;
        let state = self.take(access.block, access.warp);
        let floor = self.common_clock(memory);
        let mut shadow = self.shadow.take().unwrap_or_default();
        let is_known =
            |other: AccessSiteId, address: u64| self.is_reported(other, site, memory, address);
        let threads = row_of(access.block, access.warp);
        let current = CurrentLanes {
            warp: &state,
            threads,
            lanes: lanes.mask,
            proxy: self.sites.get(site).proxy,
            memory,
        };
        let floor = floor.as_deref();
        let mut quick =
            WordFastPath::of(self.settled(), current, (threads, site), floor, &is_known);
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
            let bytes = ByteRange::at(memory, address, access.lane_bytes);
            is_quiet = bytes.words().all(|(address, bytes)| {
                let at = WordAccess {
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

impl<'a> WordFastPath<'a> {
    /// Prepares the check of an access of lanes at a site. The access is attributed to `row`.
    pub(crate) fn of(
        settled: OrderingOracle<'a>,
        current: CurrentLanes<'a>,
        (row, site): (ClockGroup, AccessSiteId),
        floor: Option<&'a VectorClock>,
        is_known: &'a dyn Fn(AccessSiteId, u64) -> bool,
    ) -> WordFastPath<'a> {
        WordFastPath {
            settled,
            current,
            row,
            site,
            writes: settled.sites.get(site).kind.writes(),
            floor,
            is_known,
            relations: [None; CACHE_SIZE],
            next: 0,
        }
    }

    /// Records an access to bytes of a word. Returns `false` if the slow path must check the bytes.
    pub(crate) fn look(&mut self, shadow: &mut ShadowMemory, at: WordAccess) -> bool {
        if self.writes && !at.lanes.is_power_of_two() && !(self.is_known)(self.site, at.address) {
            return false;
        }
        let is_shared = matches!(self.current.memory, MemoryInstance::Shared(_));
        let word = shadow.word(self.current.memory, at.address);
        if self.writes && shadow.is_strong(word) {
            return false;
        }
        if !self.writes && is_shared && at.bytes & !shadow.written(word) != 0 {
            return false;
        }
        let new = AccessRecord {
            row: self.row,
            epoch: at.epoch,
            lanes: at.lanes,
            site: self.site,
            bytes: at.bytes,
        };
        let (mut merged, mut races) = (false, false);
        let n = shadow.retain(word, |entry| {
            match self.fate(entry, &new, at.address, &mut merged) {
                PruneDecision::Keep => true,
                PruneDecision::Drop => false,
                PruneDecision::Race => {
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
        if n >= PRUNE_THRESHOLD && n.is_multiple_of(PRUNE_THRESHOLD / 3) {
            self.leave_out(shadow, word, &new);
        }
        if self.writes {
            shadow.set_written(word, at.bytes);
        }
        true
    }

    /// Removes an asynchronous operation from its access record, so that the slow path does not report a race of the operation with itself.
    fn take_out(&self, shadow: &mut ShadowMemory, word: WordIndex, new: &AccessRecord) {
        shadow.retain(word, |entry| {
            let is_same = (entry.row, entry.site, entry.bytes, entry.epoch)
                == (new.row, new.site, new.bytes, new.epoch);
            if is_same {
                entry.lanes &= !new.lanes;
            }
            entry.lanes != 0
        });
    }

    /// Drops the access records of the word that happen before the current access.
    fn leave_out(&self, shadow: &mut ShadowMemory, word: WordIndex, new: &AccessRecord) {
        let lane = self.first_lane(new);
        let clock = self.current.warp.whole_clock(self.current.threads, lane);
        let memory = self.current.memory;
        shadow.retain(word, |entry| {
            let is_new = (entry.row, entry.epoch) == (new.row, new.epoch);
            is_new || !self.settled.is_settled(&clock, entry, memory)
        });
    }

    /// Returns the index of the first lane that performs the access.
    fn first_lane(&self, new: &AccessRecord) -> usize {
        let lanes = match self.row.is_threads() {
            true => new.lanes,
            false => self.current.lanes,
        };
        lanes.trailing_zeros() as usize & 31
    }

    #[inline]
    fn fate(
        &mut self,
        entry: &mut AccessRecord,
        new: &AccessRecord,
        address: u64,
        merged: &mut bool,
    ) -> PruneDecision {
        let is_own = entry.row == new.row;
        if is_own && (entry.site, entry.bytes) == (new.site, new.bytes) {
            // Accesses of the same thread are ordered, whereas asynchronous operations of the same row are unordered.
            let is_ordered = match self.row.is_threads() {
                true => entry.lanes & !new.lanes == 0,
                false => !self.writes || self.relate(entry).is_known,
            };
            if self.writes && !is_ordered && !(self.is_known)(self.site, address) {
                return PruneDecision::Race;
            }
            if entry.epoch == new.epoch {
                entry.lanes |= new.lanes;
                *merged = true;
                return PruneDecision::Keep;
            }
            // Remove the accessing lanes from the record, because a later access by the same thread and the same instruction replaces the
            // earlier access.
            entry.lanes &= !new.lanes;
            return match entry.lanes {
                0 => PruneDecision::Drop,
                _ => PruneDecision::Keep,
            };
        }
        let relation = self.relate(entry);
        if relation.is_over {
            return PruneDecision::Drop;
        }
        if relation.is_harmless || entry.bytes & new.bytes == 0 {
            return PruneDecision::Keep;
        }
        // Accesses of the same thread are ordered, whereas accesses of different lanes are unordered.
        let is_itself = is_own
            && new.row.is_threads()
            && new.lanes.is_power_of_two()
            && entry.lanes == new.lanes;
        match relation.is_known || is_itself {
            true => PruneDecision::Keep,
            false => PruneDecision::Race,
        }
    }

    fn relate(&mut self, entry: &AccessRecord) -> CachedOrdering {
        let expanded = AccessRecord {
            lanes: entry.row.whole(entry.lanes),
            ..*entry
        };
        let key = (expanded.row, expanded.lanes, expanded.epoch, expanded.site);
        let mut all = self.relations.iter().flatten();
        let known = all.find(|known| (known.row, known.lanes, known.epoch, known.site) == key);
        if let Some(known) = known {
            return match known.is_over || known.is_known {
                true => *known,
                // Check each lane of the record. The lanes may have different epochs, so that only some of them are ordered before the
                // access.
                false => self.relation(entry),
            };
        }
        let relation = self.relation(&expanded);
        self.relations[self.next % CACHE_SIZE] = Some(relation);
        self.next += 1;
        match relation.is_over || relation.is_known {
            true => relation,
            false => self.relation(entry),
        }
    }

    fn relation(&self, whole: &AccessRecord) -> CachedOrdering {
        let other = self.settled.sites.get(whole.site);
        let floor = self.floor;
        CachedOrdering {
            row: whole.row,
            lanes: whole.lanes,
            epoch: whole.epoch,
            site: whole.site,
            is_over: floor
                .is_some_and(|floor| self.settled.is_settled(floor, whole, self.current.memory)),
            is_known: self.settled.is_ordered_after(&self.current, whole),
            is_harmless: !self.writes && !other.kind.writes(),
        }
    }
}
