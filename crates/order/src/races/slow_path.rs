//! Slow path of the race check: compares one access with the earlier accesses to the same words with respect to
//! conflicts, moral strength, causality order and proxies.

use crate::races::access_site::{AccessSite, ProxyKind, SiteAccessKind};
use crate::races::accessor::{
    AccessContext, CurrentLanes, OrderingOracle, PRUNE_THRESHOLD, WordPart,
};
use crate::races::detector::RaceDetector;
use crate::races::location::ByteRange;
use crate::races::location::{MemoryInstance, WORD};
use crate::races::race_report::{Race, RaceCause, RaceCounterpart, RaceSide, ThreadId};
use crate::races::shadow_memory::{AccessRecord, ShadowMemory};
use crate::races::vector_clock::{ClockGroup, ProxyFence, VectorClock, lanes_of};
use smallvec::SmallVec;
use std::rc::Rc;

/// Conflict of the current access with an earlier access: the racing lanes of both accesses, and the cause of the race.
struct Conflict {
    entry: AccessRecord,
    lane: usize,
    other: usize,
    why: RaceCause,
    /// Value of [`Race::is_fenced_there`] for this conflict.
    is_fenced_there: bool,
    /// Whether the accesses are morally strong accesses by lanes of the same warp, and therefore an exchange and not a
    /// race. See [`RaceDetector::with_lockstep`].
    is_exchange: bool,
}

/// Detected race: a conflict with an earlier access, and the current access.
pub(crate) struct DetectedRace<'a> {
    by: AccessContext<'a>,
    bytes: ByteRange,
    /// Address of the word that both racing accesses touch.
    word: u64,
    conflict: Conflict,
}

impl DetectedRace<'_> {
    /// Returns the lane of the current access that races.
    pub(crate) fn lane(&self) -> usize {
        self.conflict.lane
    }
}

/// List of detected races, which is short in most cases.
pub(crate) type DetectedRaces<'a> = SmallVec<[DetectedRace<'a>; 2]>;

/// List of conflicts, each with the address of its word.
type Conflicts = SmallVec<[(u64, Conflict); 2]>;

impl RaceDetector {
    /// Compares an access to a byte range with the earlier accesses, reports the races, and records the access.
    pub(crate) fn check(&mut self, by: &AccessContext<'_>, bytes: ByteRange) {
        let mut races = DetectedRaces::new();
        self.find_races(by, bytes, &mut races);
        self.report_races(&races);
    }

    /// Compares an access to a byte range with the earlier accesses, records the access, and returns the races without reporting them.
    pub(crate) fn find_races<'a>(
        &mut self,
        by: &AccessContext<'a>,
        bytes: ByteRange,
        races: &mut DetectedRaces<'a>,
    ) {
        let site = *self.sites.get(by.site);
        let conflicts = self.conflicts(by, &site, bytes);
        let race = |(word, conflict)| DetectedRace {
            by: *by,
            bytes,
            word,
            conflict,
        };
        races.extend(conflicts.into_iter().map(race));
        races.extend(self.race_of_lanes(by, &site, bytes));
    }

    pub(crate) fn report_races(&mut self, races: &[DetectedRace<'_>]) {
        for race in races {
            let site = *self.sites.get(race.by.site);
            self.report(&race.by, &site, &race.conflict, race.bytes, race.word);
        }
    }

    /// Checks and records an access of lanes that read one after another, and reports the races in lane order.
    pub(crate) fn check_in_turn(&mut self, by: &AccessContext<'_>, bytes: ByteRange) {
        let site = *self.sites.get(by.site);
        let mut conflicts = self.conflicts(by, &site, bytes);
        conflicts.sort_by_key(|(_, found)| found.lane);
        for (word, found) in &conflicts {
            self.report(by, &site, found, bytes, *word);
        }
    }

    /// Returns the conflicts of an access with earlier accesses, and records the access.
    fn conflicts(
        &mut self,
        by: &AccessContext<'_>,
        site: &AccessSite,
        bytes: ByteRange,
    ) -> Conflicts {
        self.spell_strong((bytes.memory, bytes.address), bytes.n);
        let floor = self.common_clock(bytes.memory);
        let mut shadow = self.shadow.take().unwrap_or_default();
        let mut conflicts = Conflicts::new();
        for (address, mask) in bytes.words() {
            let part = WordPart {
                bytes,
                word: address,
                mask,
            };
            let floor = floor.as_deref();
            self.check_word(by, site, part, floor, &mut shadow, &mut conflicts);
        }
        self.shadow = Some(shadow);
        conflicts
    }

    /// Returns the lookup with which the detector decides whether an earlier access can still race.
    pub(crate) fn settled(&self) -> OrderingOracle<'_> {
        OrderingOracle {
            sites: &self.sites,
            shape: &self.shape,
            has_proxies: self.has_proxies,
            is_kept_for_ever: self.has_maps || self.has_read_only,
        }
    }

    /// Returns the common lower bound of the vector clocks of all threads that can still access a memory.
    pub(crate) fn common_clock(&self, memory: MemoryInstance) -> Option<Rc<VectorClock>> {
        self.blocks.get(&self.floor_block(memory)?)?.floor.clone()
    }

    /// Returns the only block whose threads can still access a memory, or `None` if threads of several blocks can access the memory.
    pub(crate) fn floor_block(&self, memory: MemoryInstance) -> Option<u64> {
        match memory {
            MemoryInstance::Shared(block) if !self.shape.has_clusters() => Some(block),
            MemoryInstance::Global if self.is_one_block => Some(0),
            MemoryInstance::Shared(_) | MemoryInstance::Global => None,
        }
    }

    fn check_word(
        &mut self,
        by: &AccessContext<'_>,
        site: &AccessSite,
        part: WordPart,
        floor: Option<&VectorClock>,
        shadow: &mut ShadowMemory,
        conflicts: &mut Conflicts,
    ) {
        let WordPart {
            bytes,
            word: address,
            mask,
        } = part;
        let word = shadow.word(bytes.memory, address);
        let settled = self.settled();
        let mut merged = false;
        let mut pairs = None;
        let n = shadow.retain(word, |entry| {
            if floor.is_some_and(|floor| settled.is_settled(floor, entry, bytes.memory)) {
                return false;
            }
            let other = self.sites.get(entry.site);
            let may_race = (site.kind.writes() || other.kind.writes()) && entry.bytes & mask != 0;
            let is_strong = may_race && self.are_strong(by, site, other, entry);
            if is_strong && self.finds_lockstep() {
                let exchange = self.exchange(by, (site, other), entry);
                conflicts.extend(exchange.map(|found| (address, found)));
            }
            if may_race && !is_strong {
                let known = match pairs {
                    Some((of, known)) if of == entry.site => known,
                    _ => {
                        let sites = (entry.site, by.site);
                        let same = bytes.same_value;
                        let known = self.is_known_with(sites, same, bytes.memory, address);
                        pairs = Some((entry.site, known));
                        known
                    }
                };
                if !known && let Some(found) = self.conflict(by, site, other, entry, part) {
                    conflicts.push((address, found));
                }
            }
            if entry.site != by.site || entry.row != by.as_row || entry.bytes != mask {
                return true;
            }
            if entry.epoch == by.as_epoch {
                entry.lanes |= by.as_lanes;
                merged = true;
                return true;
            }
            // Remove the accessing lanes from an earlier record, because a later access by the same thread and the same instruction
            // replaces the earlier access.
            entry.lanes &= !by.as_lanes;
            entry.lanes != 0
        });
        if n >= PRUNE_THRESHOLD {
            let lane = by.lanes.trailing_zeros() as usize;
            let clock = by.warp.whole_clock(by.threads, lane);
            shadow.retain(word, |entry| {
                let is_new = (entry.row, entry.epoch) == (by.as_row, by.as_epoch);
                is_new || !settled.is_settled(&clock, entry, bytes.memory)
            });
        }
        let new = AccessRecord {
            row: by.as_row,
            epoch: by.as_epoch,
            lanes: by.as_lanes,
            site: by.site,
            bytes: mask,
        };
        if !merged && !shadow.add(word, new) {
            self.is_truncated = true;
        }
        if site.kind.writes() {
            shadow.set_written(word, mask);
        }
    }

    /// Returns the race between lanes of the current access that write the same bytes in one instruction.
    fn race_of_lanes<'a>(
        &self,
        by: &AccessContext<'a>,
        site: &AccessSite,
        bytes: ByteRange,
    ) -> Option<DetectedRace<'a>> {
        if by.lanes.count_ones() < 2
            || !site.kind.writes()
            || self.is_known_with(
                (by.site, by.site),
                bytes.same_among,
                bytes.memory,
                bytes.address,
            )
        {
            return None;
        }
        if site.both_strong(site) && site.mutual(by.home, site, by.home) {
            return None;
        }
        let mut lanes = lanes_of(by.lanes);
        let (other, lane) = (lanes.next()?, lanes.next()?);
        let entry = AccessRecord {
            row: by.as_row,
            epoch: by.as_epoch,
            lanes: by.as_lanes,
            site: by.site,
            bytes: 15,
        };
        Some(DetectedRace {
            by: *by,
            bytes: ByteRange {
                same_value: bytes.same_among,
                ..bytes
            },
            word: bytes.address,
            conflict: Conflict {
                entry,
                lane,
                other,
                why: RaceCause::NoHappensBefore,
                is_fenced_there: false,
                is_exchange: false,
            },
        })
    }

    /// Checks whether the current access and an earlier access are morally strong with each other.
    fn are_strong(
        &self,
        by: &AccessContext<'_>,
        site: &AccessSite,
        other: &AccessSite,
        entry: &AccessRecord,
    ) -> bool {
        site.both_strong(other) && {
            let their = self.shape.home(self.block_of(entry));
            site.mutual(by.home, other, their)
        }
    }

    /// Returns the threads of an access record whose accesses do not happen before the accesses of all lanes in `lanes`. The function
    /// treats accesses of the same thread as ordered.
    fn unknown(&self, by: &AccessContext<'_>, lanes: u32, entry: &AccessRecord) -> u32 {
        let is_own = entry.row == by.threads;
        let of = |clock: &VectorClock, lanes: u32| {
            let unknown = clock.seen().unknown(entry.row, entry.lanes, entry.epoch);
            match is_own {
                // Accesses of a single lane are ordered. With two or more lanes, the access of each lane is unordered
                // with the access of at least one other lane.
                true if lanes.count_ones() == 1 => unknown & !lanes,
                _ => unknown,
            }
        };
        if let Some(clock) = by.warp.alike() {
            return match is_own && lanes.count_ones() > 1 {
                true => lanes_of(lanes).fold(0, |all, lane| all | of(clock, 1 << lane)),
                false => of(clock, lanes),
            };
        }
        lanes_of(lanes).fold(0, |all, lane| all | of(by.warp.clock(lane), 1 << lane))
    }

    /// Returns the conflict of the current access with an earlier access to common bytes, if at least one of the two accesses writes and
    /// the accesses are not morally strong with each other.
    fn conflict(
        &self,
        by: &AccessContext<'_>,
        site: &AccessSite,
        other: &AccessSite,
        entry: &AccessRecord,
        part: WordPart,
    ) -> Option<Conflict> {
        let current = CurrentLanes {
            warp: by.warp,
            threads: by.threads,
            lanes: by.lanes,
            proxy: site.proxy,
            memory: part.bytes.memory,
        };
        if self.settled().is_ordered_after(&current, entry) {
            return None;
        }
        let past_all = [site, other].iter().any(|s| s.proxy == ProxyKind::ReadOnly);
        if past_all {
            return Some(Conflict {
                entry: *entry,
                lane: by.lanes.trailing_zeros() as usize,
                other: entry.lanes.trailing_zeros() as usize,
                why: RaceCause::MissingProxyFence,
                is_fenced_there: false,
                is_exchange: false,
            });
        }
        for lane in lanes_of(by.lanes) {
            let unknown = self.unknown(by, 1 << lane, entry);
            let reason = match unknown {
                0 => {
                    let unfenced = self.unfenced(by, lane, site, other, entry, part.bytes);
                    if unfenced == 0 {
                        continue;
                    }
                    (unfenced, RaceCause::MissingProxyFence)
                }
                _ if entry.row.is_threads() => {
                    let strong = site.both_strong(other);
                    (
                        unknown,
                        if strong {
                            RaceCause::InsufficientScope
                        } else {
                            RaceCause::NoHappensBefore
                        },
                    )
                }
                _ => (unknown, RaceCause::NotCompleted),
            };
            let (threads, reason) = reason;
            let left = lanes_of(threads)
                .find(|thread| !self.is_observed(by, lane, other, entry, *thread, part));
            if let Some(thread) = left {
                return Some(Conflict {
                    entry: *entry,
                    lane,
                    other: thread,
                    why: reason,
                    is_fenced_there: reason == RaceCause::MissingProxyFence
                        && self.is_fenced_there(by, lane, entry, part.bytes.memory),
                    is_exchange: false,
                });
            }
        }
        None
    }

    /// Returns the conflict with an earlier access by another lane of the same warp if one access is a load, the other is a store, and
    /// neither happens before the other. Reading the stored value does not imply an order, because the load may read an older value under a
    /// different schedule of the lanes.
    fn exchange(
        &self,
        by: &AccessContext<'_>,
        (site, other): (&AccessSite, &AccessSite),
        entry: &AccessRecord,
    ) -> Option<Conflict> {
        let is_of_lanes =
            entry.row.is_threads() && entry.row == by.threads && by.as_row == by.threads;
        let kinds = [site.kind, other.kind];
        if !is_of_lanes
            || !kinds.contains(&SiteAccessKind::Read)
            || !kinds.contains(&SiteAccessKind::Write)
        {
            return None;
        }
        let (lane, other) = lanes_of(by.lanes).find_map(|lane| {
            let unknown = self.unknown(by, 1 << lane, entry);
            Some((lane, lanes_of(unknown).next()?))
        })?;
        Some(Conflict {
            entry: *entry,
            lane,
            other,
            why: RaceCause::NoHappensBefore,
            is_fenced_there: false,
            is_exchange: true,
        })
    }

    /// Returns the linear index of the block whose thread performed a recorded access.
    fn block_of(&self, entry: &AccessRecord) -> u64 {
        if entry.row.is_single() {
            let operation = entry.row.operation(entry.lanes.trailing_zeros());
            return self.starter_of(operation).block;
        }
        entry.row.block()
    }

    /// Returns the thread that started an individually completing operation.
    fn starter_of(&self, operation: u64) -> ThreadId {
        self.individual_operations
            .get(&operation)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the threads of an access record whose accesses are not followed by the proxy fence that the proxies of
    /// both accesses require.
    fn unfenced(
        &self,
        by: &AccessContext<'_>,
        lane: usize,
        site: &AccessSite,
        other: &AccessSite,
        entry: &AccessRecord,
        bytes: ByteRange,
    ) -> u32 {
        if site.proxy == ProxyKind::TensorMap {
            return self.unfenced_of_map(by.warp.clock(lane), entry, bytes);
        }
        if site.proxy != ProxyKind::Async {
            // No thread lacks a fence, because the completion of an asynchronous copy includes an implicit proxy fence.
            return 0;
        }
        if other.proxy == ProxyKind::Async && self.block_of(entry) == by.home.block {
            return 0;
        }
        self.not_through(by, lane, entry, bytes.memory.fenced(by.home.block))
    }

    /// Returns the threads of an access record whose accesses are not covered by a proxy fence in the clock of a lane.
    fn not_through(
        &self,
        by: &AccessContext<'_>,
        lane: usize,
        entry: &AccessRecord,
        fence: ProxyFence,
    ) -> u32 {
        let own = by.warp.point(by.threads, lane);
        by.warp
            .unfenced(own, fence, (entry.row, entry.lanes, entry.epoch))
    }

    /// Checks whether the block that owns the accessed shared memory has executed a proxy fence since an earlier
    /// access.
    fn is_fenced_there(
        &self,
        by: &AccessContext<'_>,
        lane: usize,
        entry: &AccessRecord,
        memory: MemoryInstance,
    ) -> bool {
        let MemoryInstance::Shared(owner) = memory else {
            return false;
        };
        owner != by.home.block && self.not_through(by, lane, entry, ProxyFence::Shared(owner)) == 0
    }

    fn report(
        &mut self,
        by: &AccessContext<'_>,
        site: &AccessSite,
        found: &Conflict,
        bytes: ByteRange,
        address: u64,
    ) {
        let entry = &found.entry;
        let other = *self.sites.get(entry.site);
        let of_row =
            |row: ClockGroup, lane: usize| ThreadId::of_lane(row.block(), row.warp(), lane as u32);
        let theirs = match entry.row.is_single() {
            true => {
                let operation = entry.row.operation(found.other as u32);
                self.starter_of(operation)
            }
            false => of_row(entry.row, found.other),
        };
        let (start, n_bytes) = common_bytes(bytes, address, entry.bytes, other.element_bytes);
        let own = of_row(by.threads, found.lane);
        let race = Race {
            first: RaceSide::of(&other, theirs),
            second: RaceCounterpart::Access(RaceSide::of(site, own)),
            memory: bytes.memory,
            address: start,
            n_bytes,
            why: found.why,
            same_value: bytes.same_value,
            step: by.step,
            is_fenced_there: found.is_fenced_there,
        };
        match found.is_exchange {
            true => self.add_lockstep(race),
            false => self.add(entry.site, by.site, race),
        }
    }
}

/// Returns the address and the number of the bytes that an access and an earlier access have in common: at most one element of the earlier
/// access. `word` is an address in the word that both accesses touch, and `mask` contains the bytes of the word that the earlier access
/// touches. An `element_bytes` of 0 is an arbitrary size.
fn common_bytes(bytes: ByteRange, word: u64, mask: u8, element_bytes: u32) -> (u64, u32) {
    let word = word / WORD * WORD;
    let own = bytes.words().find(|(address, _)| *address == word);
    let common = mask & own.map_or(0, |(_, own)| own);
    let start = word + u64::from(common.trailing_zeros()) % WORD;
    let end = match u64::from(element_bytes) {
        0 => word + WORD,
        n => start / n * n + n,
    };
    let end = end.min(bytes.address + u64::from(bytes.n));
    (start, end.saturating_sub(start).max(1) as u32)
}
