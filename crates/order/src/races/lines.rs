//! Accesses of warps to whole lines. A line keeps who has accessed it as marks, each with a pattern of lanes, as long as nothing may race: then one
//! look at a mark takes the place of one at each word. In: an access of a warp with its shape; out: marks, or that words must be looked at.

use crate::races::accessor::{Current, Settled};
use crate::races::clock::{Clock, Row};
use crate::races::location::Memory;
use crate::races::release_sets::Handed;
use crate::races::shadow::Entry;
use crate::races::shapes::{Pattern, PatternId, Shapes};
use crate::races::site::{Kind, Site, SiteId};
use crate::scope::Home;
use smallvec::SmallVec;
use std::rc::Rc;

/// Accesses of one site by lanes of one row at one epoch to a line.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) row: Row,
    pub(crate) site: SiteId,
    pub(crate) epoch: u32,
    pub(crate) pattern: PatternId,
    /// Lanes of the pattern that take part.
    pub(crate) mask: u32,
    /// A bit for each byte of the line.
    pub(crate) covers: u128,
    pub(crate) element_bytes: u8,
    pub(crate) kind: Kind,
    pub(crate) is_strong: bool,
    /// What a strong store hands on, if anything.
    pub(crate) handed: Option<Handed>,
}

impl Mark {
    /// What a word of the line has of it.
    pub(crate) const fn entry(&self, lanes: u32, bytes: u8) -> Entry {
        Entry {
            row: self.row,
            epoch: self.epoch,
            lanes,
            site: self.site,
            bytes,
        }
    }

    /// The lanes that have accessed a word. What is no thread has no place of its own in a pattern.
    pub(crate) fn lanes_at(&self, pattern: &Pattern, word: usize) -> u32 {
        match (pattern.lanes[word], self.row.is_threads()) {
            (0, _) => 0,
            (lanes, true) => lanes & self.mask,
            (_, false) => self.mask,
        }
    }

    /// What it is, whichever lanes of a warp have made it.
    const fn whole_entry(&self) -> Entry {
        self.entry(self.row.whole(self.mask), 15)
    }

    /// Whether it is of the same place in the code, at the same words, and of no lanes but those of a later one.
    #[inline(always)]
    fn is_again(&self, later: &Mark) -> bool {
        self.site == later.site
            && self.row == later.row
            && self.pattern == later.pattern
            && (self.is_with(later) || self.mask & !later.mask == 0)
            && self.kind != Kind::Atomic
    }

    /// Whether it is of the same epoch, and hands on the same.
    #[inline(always)]
    fn is_with(&self, other: &Mark) -> bool {
        let is_handed = match (&self.handed, &other.handed) {
            (None, None) => true,
            (Some(own), Some(other)) => Rc::ptr_eq(own, other),
            _ => false,
        };
        self.epoch == other.epoch && is_handed
    }
}

/// Marks of a line beyond which those are dropped that the newest is ordered after, and that are there twice.
const MANY_MARKS: usize = 24;
/// Marks of a line that atomics are added to, each of which must be kept.
const MANY_ATOMICS: usize = 64;
/// The latest marks, among which one that is made again is looked for.
const LATEST: usize = 32;

/// A line that is kept as a whole.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// In the order in which they were made.
    marks: SmallVec<[Mark; 4]>,
    n_writes: u32,
    /// Marks beyond which some are dropped.
    limit: u32,
    /// The number of the floor that the marks were last compared with.
    floor: u32,
    /// A bit for each byte that something wrote.
    pub(crate) written: u128,
    /// Whether one of the writes is strong.
    pub(crate) is_strong: bool,
}

/// What became of an access to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is kept, and races with nothing.
    Kept,
    /// It is kept, and its line begins to have strong writes.
    KeptFirstStrong,
    /// It may race, or reads what nothing has written.
    Unsure,
}

/// A warp that accesses lines of one memory.
pub(crate) struct Visitor<'a> {
    pub(crate) current: Current<'a>,
    pub(crate) home: Home,
    pub(crate) site: Site,
    pub(crate) settled: Settled<'a>,
    /// What all that can still access the memory know, and how often that has changed.
    pub(crate) floor: Option<&'a Clock>,
    pub(crate) n_floors: u32,
    /// The address of the line.
    pub(crate) line: u64,
    /// Whether the site is known to race with another one, with an example that none from this address on would be better than.
    pub(crate) is_known: &'a dyn Fn(SiteId, u64) -> bool,
    /// What was compared with last, if the warp comes after it.
    pub(crate) known: Option<Entry>,
}

impl Line {
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Adds a mark of an access that was looked at.
    #[inline(always)]
    pub(crate) fn push(&mut self, mark: Mark) {
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

    /// Looks at an access, and keeps it if it races with nothing.
    #[inline]
    pub(crate) fn visit(
        &mut self,
        by: &mut Visitor<'_>,
        new: &mut Mark,
        shapes: &Shapes,
    ) -> Outcome {
        if self.floor != by.n_floors {
            self.settle(by);
        }
        let reads_shared = new.kind == Kind::Read && matches!(by.current.memory, Memory::Shared(_));
        if reads_shared && new.covers & !self.written != 0 {
            return Outcome::Unsure;
        }
        if (new.kind.writes() || self.n_writes > 0) && !self.is_quiet(by, new, shapes) {
            return Outcome::Unsure;
        }
        self.keep(by, new)
    }

    /// Drops what all that can still access the line come after.
    fn settle(&mut self, by: &Visitor<'_>) {
        self.floor = by.n_floors;
        let Some(floor) = by.floor else {
            return;
        };
        let is_over = |mark: &Mark| {
            by.settled
                .is_settled(floor, &mark.whole_entry(), by.current.memory)
        };
        if self.is_strong {
            // A weak write hides a strong one: all of them go, or none.
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

    /// Whether an access races with none of the marks, or with such as are known to race.
    fn is_quiet(&self, by: &mut Visitor<'_>, new: &Mark, shapes: &Shapes) -> bool {
        let pattern = shapes.pattern(new.pattern);
        self.marks.iter().all(|mark| {
            let shared = mark.covers & new.covers;
            if shared == 0 || !mark.kind.writes() && !new.kind.writes() {
                return true;
            }
            // A strong load gets what a strong write hands on.
            if new.is_strong && new.kind == Kind::Read && mark.is_strong {
                return false;
            }
            // So does an atomic, or goes on handing it on.
            if new.is_strong && new.kind == Kind::Atomic && mark.handed.is_some() {
                return false;
            }
            // A thread comes after itself; operations in flight are in no order.
            let is_itself = mark.row == new.row && new.row.is_threads() && {
                let other = shapes.pattern(mark.pattern);
                pattern.has_lanes_of(new.mask, other, mark.mask)
            };
            is_itself
                || by.comes_after(&mark.entry(mark.mask, 15))
                || by.is_strong_with(mark)
                || (by.is_known)(mark.site, by.line + u64::from(shared.trailing_zeros()))
        })
    }

    /// Most accesses are made again, so what is kept of them is taken over where it is, and not moved.
    fn keep(&mut self, by: &Visitor<'_>, new: &mut Mark) -> Outcome {
        if new.kind == Kind::Atomic && self.marks.len() >= MANY_ATOMICS {
            return Outcome::Unsure;
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
                known.handed = new.handed.take();
            } else {
                known.mask |= new.mask;
                known.covers |= new.covers;
            }
            // As in a word, a later access comes last.
            if moves && latest + index + 1 < self.marks.len() {
                self.marks[latest + index..].rotate_left(1);
            }
            return Outcome::Kept;
        }
        if self.marks.len() >= MANY_MARKS.max(self.limit as usize) {
            self.leave_out(by, new);
        }
        let writes = new.kind.writes();
        let is_first_strong = writes && new.is_strong && !self.is_strong;
        self.push(Mark {
            handed: new.handed.take(),
            ..*new
        });
        if is_first_strong {
            self.is_strong = true;
            return Outcome::KeptFirstStrong;
        }
        Outcome::Kept
    }

    /// Drops what the newest access comes after at the same bytes, and accesses that were made again.
    #[cold]
    #[inline(never)]
    fn leave_out(&mut self, by: &Visitor<'_>, new: &Mark) {
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
            // Of marks that are there twice the latest one stays.
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

impl Visitor<'_> {
    /// Whether all that can still access the memory come after an access.
    pub(crate) fn is_over(&self, entry: &Entry) -> bool {
        let memory = self.current.memory;
        self.floor
            .is_some_and(|floor| self.settled.is_settled(floor, entry, memory))
    }

    /// Whether all that the warp does now comes after an access, whichever lanes of a warp have made it.
    pub(crate) fn comes_after(&mut self, exact: &Entry) -> bool {
        let entry = Entry {
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
        let known = self.settled.comes_after(&self.current, &entry);
        self.known = known.then_some(entry);
        // Where lanes are not at one epoch, more is known of some.
        known || self.settled.comes_after(&self.current, exact)
    }

    /// Whether an access and one of the warp are morally strong, if they are at the same bytes.
    fn is_strong_with(&self, mark: &Mark) -> bool {
        // Of an operation in flight the row does not say whose it is.
        if mark.row.is_single() {
            return false;
        }
        let other = self.settled.sites.get(mark.site);
        let their = || self.settled.shape.home(mark.row.block());
        self.site.both_strong(other) && self.site.mutual(self.home, other, their())
    }
}
