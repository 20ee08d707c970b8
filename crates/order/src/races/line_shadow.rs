//! Fast path of the race check for whole 128-byte lines. As long as no access to a line can race, the shadow memory stores each access to
//! the line as one record with a lane pattern. One comparison with a record then replaces the comparisons for each word. The check either
//! updates the records of the line, or determines that the slow path must check each word.

use crate::races::access_site::{AccessSite, AccessSiteId, SiteAccessKind};
use crate::races::accessor::{CurrentLanes, OrderingOracle};
use crate::races::footprints::{FootprintCache, LinePattern, PatternId};
use crate::races::location::MemoryInstance;
use crate::races::release_sets::SharedStoreReleases;
use crate::races::shadow_memory::AccessRecord;
use crate::races::vector_clock::{ClockGroup, VectorClock};
use crate::scope::ThreadLocation;
use smallvec::SmallVec;
use std::rc::Rc;

/// Access record of a line: the accesses to the line by lanes of one vector clock row at one site and one epoch.
#[derive(Clone, Debug)]
pub(crate) struct LineRecord {
    pub(crate) row: ClockGroup,
    pub(crate) site: AccessSiteId,
    pub(crate) epoch: u32,
    pub(crate) pattern: PatternId,
    /// Lanes that performed the access, which are a subset of the lanes of the pattern.
    pub(crate) mask: u32,
    /// Accessed bytes of the line, with one bit for each byte.
    pub(crate) covers: u128,
    pub(crate) element_bytes: u8,
    pub(crate) kind: SiteAccessKind,
    pub(crate) is_strong: bool,
    /// Releases that the access carries, if it is a strong store.
    pub(crate) releases: Option<SharedStoreReleases>,
}

impl LineRecord {
    /// Returns the access record for a word of the line, in which `lanes` access the bytes `bytes`.
    pub(crate) const fn entry(&self, lanes: u32, bytes: u8) -> AccessRecord {
        AccessRecord {
            row: self.row,
            epoch: self.epoch,
            lanes,
            site: self.site,
            bytes,
        }
    }

    /// Returns the lanes that accessed a word. If the row does not represent the threads of a warp, its lanes have no
    /// position in the pattern.
    pub(crate) fn lanes_at(&self, pattern: &LinePattern, word: usize) -> u32 {
        match (pattern.lanes[word], self.row.is_threads()) {
            (0, _) => 0,
            (lanes, true) => lanes & self.mask,
            (_, false) => self.mask,
        }
    }

    /// Returns an access record that covers all lanes and bytes of this line record.
    const fn whole_entry(&self) -> AccessRecord {
        self.entry(self.row.whole(self.mask), 15)
    }

    /// Checks whether a later record repeats this record: both records have the same site, row and pattern, and the
    /// later record contains all lanes of this record.
    #[inline(always)]
    fn is_again(&self, later: &LineRecord) -> bool {
        self.site == later.site
            && self.row == later.row
            && self.pattern == later.pattern
            && (self.is_with(later) || self.mask & !later.mask == 0)
            && self.kind != SiteAccessKind::Atomic
    }

    /// Checks whether this record and `other` have the same epoch and the same releases.
    #[inline(always)]
    fn is_with(&self, other: &LineRecord) -> bool {
        let is_handed = match (&self.releases, &other.releases) {
            (None, None) => true,
            (Some(own), Some(other)) => Rc::ptr_eq(own, other),
            _ => false,
        };
        self.epoch == other.epoch && is_handed
    }
}

/// Number of records of a line from which on the detector removes redundant records: repeated records, and records that happen before the
/// newest access.
const PRUNE_THRESHOLD: usize = 24;
/// Maximum number of records of a line that is tracked as a whole and receives atomics. The number of records of atomics grows with each
/// atomic, because these records cannot be merged.
const MAX_ATOMIC_RECORDS: usize = 64;
/// Number of the most recent records in which the detector searches for a repeated access.
const LATEST: usize = 32;

/// Shadow state of a line that is tracked as a whole: its access records and its written bytes.
#[derive(Debug, Default)]
pub(crate) struct ShadowLine {
    /// Access records in the order of the accesses.
    marks: SmallVec<[LineRecord; 4]>,
    n_writes: u32,
    /// Number of records at which the detector next attempts to drop records.
    limit: u32,
    /// Number of the lower-bound clock ([`LineChecker::n_floors`]) with which the detector last compared the records.
    floor: u32,
    /// Written bytes of the line, with one bit for each byte.
    pub(crate) written: u128,
    /// Whether one of the recorded writes is strong.
    pub(crate) is_strong: bool,
}

/// Result of checking an access against the records of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckResult {
    /// The access races with no recorded access, and is now recorded.
    Kept,
    /// The access races with no recorded access, and is now recorded as the first strong write of the line.
    KeptFirstStrong,
    /// The access may race, or reads uninitialized bytes, so the slow path must check each word.
    NeedsSlowPath,
}

/// Checker for a warp access to lines of one memory: the accessing lanes, their clocks, and the line under check.
pub(crate) struct LineChecker<'a> {
    pub(crate) current: CurrentLanes<'a>,
    pub(crate) home: ThreadLocation,
    pub(crate) site: AccessSite,
    pub(crate) settled: OrderingOracle<'a>,
    /// Common lower bound of the clocks of all threads that can still access the memory. The next field is the number of updates of this
    /// lower bound.
    pub(crate) floor: Option<&'a VectorClock>,
    pub(crate) n_floors: u32,
    /// Start address of the line under check.
    pub(crate) line: u64,
    /// Returns whether a race between the current site and another site has already been recorded with an example that is at least as good
    /// as any race at the given address or a higher address.
    pub(crate) is_known: &'a dyn Fn(AccessSiteId, u64) -> bool,
    /// Most recently compared access record, if its access happens before the current access. Otherwise `None`.
    pub(crate) known: Option<AccessRecord>,
}

impl ShadowLine {
    pub(crate) fn marks(&self) -> &[LineRecord] {
        &self.marks
    }

    /// Appends the record of a checked access.
    #[inline(always)]
    pub(crate) fn push(&mut self, mark: LineRecord) {
        self.n_writes += u32::from(mark.kind.writes());
        self.marks.push(mark);
    }

    pub(crate) fn clear(&mut self) {
        self.marks.clear();
        self.n_writes = 0;
        self.limit = 0;
        self.floor = 0;
        self.written = 0;
        self.is_strong = false;
    }

    /// Checks an access, and records it if it races with no earlier access.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        by: &mut LineChecker<'_>,
        new: &mut LineRecord,
        shapes: &FootprintCache,
    ) -> CheckResult {
        if self.floor != by.n_floors {
            self.prune_ordered(by);
        }
        let reads_shared = new.kind == SiteAccessKind::Read
            && matches!(by.current.memory, MemoryInstance::Shared(_));
        if reads_shared && new.covers & !self.written != 0 {
            return CheckResult::NeedsSlowPath;
        }
        if (new.kind.writes() || self.n_writes > 0) && !self.is_race_free(by, new, shapes) {
            return CheckResult::NeedsSlowPath;
        }
        self.keep(by, new)
    }

    /// Drops the records whose accesses happen before all future accesses of threads that can still access the line.
    fn prune_ordered(&mut self, by: &LineChecker<'_>) {
        self.floor = by.n_floors;
        let Some(floor) = by.floor else {
            return;
        };
        let is_over = |mark: &LineRecord| {
            by.settled
                .is_settled(floor, &mark.whole_entry(), by.current.memory)
        };
        if self.is_strong {
            // Drop either all records or none if the line contains strong writes, because a weak write hides an earlier strong write.
            if self.marks.iter().all(is_over) {
                self.marks.clear();
            }
        } else {
            self.marks.retain(|mark| !is_over(mark));
        }
        self.count_writes();
    }

    fn count_writes(&mut self) {
        self.n_writes = self.marks.iter().filter(|mark| mark.kind.writes()).count() as u32;
    }

    /// Checks whether an access races with none of the records of the line. The check ignores races that the detector has already recorded.
    fn is_race_free(
        &self,
        by: &mut LineChecker<'_>,
        new: &LineRecord,
        shapes: &FootprintCache,
    ) -> bool {
        let pattern = shapes.pattern(new.pattern);
        self.marks.iter().all(|mark| {
            let shared = mark.covers & new.covers;
            if shared == 0 || !mark.kind.writes() && !new.kind.writes() {
                return true;
            }
            // A strong load acquires the releases of the strong write.
            if new.is_strong && new.kind == SiteAccessKind::Read && mark.is_strong {
                return false;
            }
            // An atomic acquires the releases of the write, or continues its release sequence.
            if new.is_strong && new.kind == SiteAccessKind::Atomic && mark.releases.is_some() {
                return false;
            }
            // Accesses of the same thread are ordered, whereas asynchronous operations of the same row are unordered.
            let is_itself = mark.row == new.row && new.row.is_threads() && {
                let other = shapes.pattern(mark.pattern);
                pattern.has_lanes_of(new.mask, other, mark.mask)
            };
            is_itself
                || by.is_ordered_after(&mark.entry(mark.mask, 15))
                || by.is_strong_with(mark)
                || (by.is_known)(mark.site, by.line + u64::from(shared.trailing_zeros()))
        })
    }

    /// Records an access. If the access repeats an earlier access of its site, as most accesses do, the function updates the existing
    /// record in place.
    fn keep(&mut self, by: &LineChecker<'_>, new: &mut LineRecord) -> CheckResult {
        if new.kind == SiteAccessKind::Atomic && self.marks.len() >= MAX_ATOMIC_RECORDS {
            return CheckResult::NeedsSlowPath;
        }
        if new.kind.writes() {
            self.written |= new.covers;
        }
        let latest = self.marks.len().saturating_sub(LATEST);
        let mut all = self.marks[latest..].iter();
        let again = all.rposition(|mark| mark.is_again(new));
        if let Some(index) = again {
            let known = &mut self.marks[latest + index];
            let is_later = !known.is_with(new);
            let moves = is_later || self.is_strong && new.kind.writes();
            if is_later {
                known.epoch = new.epoch;
                known.mask = new.mask;
                known.covers = new.covers;
                known.releases = new.releases.take();
            } else {
                known.mask |= new.mask;
                known.covers |= new.covers;
            }
            // Move the record of the latest access to the end, because the records are in the order of the accesses, as in the record list
            // of a word.
            if moves && latest + index + 1 < self.marks.len() {
                self.marks[latest + index..].rotate_left(1);
            }
            return CheckResult::Kept;
        }
        if self.marks.len() >= PRUNE_THRESHOLD.max(self.limit as usize) {
            self.drop_superseded(by, new);
        }
        let writes = new.kind.writes();
        let is_first_strong = writes && new.is_strong && !self.is_strong;
        self.push(LineRecord {
            releases: new.releases.take(),
            ..*new
        });
        if is_first_strong {
            self.is_strong = true;
            return CheckResult::KeptFirstStrong;
        }
        CheckResult::Kept
    }

    /// Drops records that happen before the newest access to the same bytes, and repeated records.
    #[cold]
    #[inline(never)]
    fn drop_superseded(&mut self, by: &LineChecker<'_>, new: &LineRecord) {
        if !self.is_strong {
            if let Some(clock) = by.current.warp.alike() {
                self.marks.retain(|mark| {
                    let is_new = (mark.row, mark.epoch) == (new.row, new.epoch);
                    let is_within = mark.covers & !new.covers == 0;
                    let is_over = || {
                        let entry = mark.whole_entry();
                        by.settled.is_settled(clock, &entry, by.current.memory)
                    };
                    is_new || !is_within || !is_over()
                });
            }
            // Reverse the records, so that the latest of several repeated records remains.
            self.marks.reverse();
            self.marks
                .sort_by_key(|mark| (mark.row, mark.site, mark.pattern));
            self.marks.dedup_by(|earlier, later| {
                let is_again = earlier.is_again(later);
                if is_again {
                    later.mask |= earlier.mask;
                    later.covers |= earlier.covers;
                }
                is_again
            });
        }
        self.limit = 2 * self.marks.len() as u32;
        self.count_writes();
    }
}

impl LineChecker<'_> {
    /// Checks whether an access happens before all future accesses of threads that can still access the memory.
    pub(crate) fn is_over(&self, entry: &AccessRecord) -> bool {
        let memory = self.current.memory;
        self.floor
            .is_some_and(|floor| self.settled.is_settled(floor, entry, memory))
    }

    /// Checks whether an access happens before the current access of the warp, and caches a positive result that applies to all lanes of
    /// the row.
    pub(crate) fn is_ordered_after(&mut self, exact: &AccessRecord) -> bool {
        let entry = AccessRecord {
            lanes: exact.row.whole(exact.lanes),
            ..*exact
        };
        if let Some(last) = &self.known
            && last.row == entry.row
            && last.lanes == entry.lanes
            && last.epoch == entry.epoch
            && last.site == entry.site
        {
            return true;
        }
        let known = self.settled.is_ordered_after(&self.current, &entry);
        self.known = known.then_some(entry);
        // Check the exact lanes, because with different epochs, some lanes of the record may be ordered before the access although others
        // are not.
        known || self.settled.is_ordered_after(&self.current, exact)
    }

    /// Checks whether a recorded access is morally strong with the current access, provided that both accesses touch
    /// the same bytes.
    fn is_strong_with(&self, mark: &LineRecord) -> bool {
        // The row of an individually completing operation does not identify the thread that started the operation.
        if mark.row.is_single() {
            return false;
        }
        let other = self.settled.sites.get(mark.site);
        let their = || self.settled.shape.home(mark.row.block());
        self.site.both_strong(other) && self.site.mutual(self.home, other, their())
    }
}
