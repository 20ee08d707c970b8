//! Fast path for race-free warp accesses. The fast path checks whole 128-byte lines, or single words if a line is tracked per word, and
//! adds access records to the shadow memory. It returns `false` if an access may race, so that the slow path must check the access. The
//! slow path may check an access that the fast path has already recorded, because an access never races with its own access record.

use crate::races::access_site::{AccessSite, AccessSiteId, OperandRole, ProxyKind, SiteAccessKind};
use crate::races::accessor::CurrentLanes;
use crate::races::detector::{RaceDetector, RemoteAccess};
use crate::races::footprints::{FootprintCache, FootprintId, LaneAddresses, PatternId};
use crate::races::line_shadow::{CheckResult, LineChecker, LineRecord};
use crate::races::location::memory_of;
use crate::races::location::{LINE, MemoryInstance, WORD};
use crate::races::race_report::ThreadId;
use crate::races::release_sets::SharedStoreReleases;
use crate::races::shadow_memory::{AccessRecord, LineState, ShadowMemory};
use crate::races::vector_clock::{ClockGroup, lanes_of};
use crate::races::vector_clock::{groups_of, row_of};
use crate::races::warp_state::WarpState;
use crate::races::warp_state::{CommonClock, WarpCheckCache};
use crate::races::word_fast_path::{WordAccess, WordFastPath};
use crate::scope::{Strength, releases};
use smallvec::SmallVec;
use warpgrid_emulator::{
    AccessAction, AccessEvent, ContiguousAccess, HalfWarpAccess, MemoryId, PerLaneAccess,
    WarpAccessSummary, WarpId,
};
use warpgrid_isa::Sem;

/// Maximum number of different epochs of the lanes of one access.
const MAX_GROUPS: usize = 4;

/// State of the accessing warp for the fast path: the number of the warp, and the contents of its [`WarpCheckCache`].
#[derive(Clone, Copy)]
struct WarpCheckState {
    number: u32,
    epoch: Option<u32>,
    has_no_releases: bool,
    has_releases_alone: bool,
}

impl RaceDetector {
    /// Checks a coalesced access of a warp to global memory. Returns `false` if another path of the detector must check the access.
    pub(crate) fn check_contiguous(&mut self, row: &ContiguousAccess) -> bool {
        let ContiguousAccess { access, address } = row;
        if !address.is_multiple_of(LINE) {
            return false;
        }
        if !self.may_be_whole(access) {
            return access.action == AccessAction::Store && self.see_row_as_lanes(row);
        }
        self.see_whole(access, MemoryInstance::Global, |shapes, _| {
            Some((shapes.of_row(access.lane_bytes)?, *address))
        })
    }

    /// Checks a weak access of a whole warp with a regular address pattern. Returns `false` if another path of the detector must check the
    /// access.
    pub(crate) fn check_strided(&mut self, even: &HalfWarpAccess) -> bool {
        let access = &even.access;
        let Some(memory) = memory_of(even.memory) else {
            return false;
        };
        if access.sem != Sem::Weak
            || matches!(memory, MemoryInstance::Shared(block) if block != access.block)
        {
            return false;
        }
        self.see_whole(access, memory, |shapes, site| shapes.of_even(site, even))
    }

    /// Checks an access by all lanes of a warp. `find` returns the shape of the access, and the address of the first
    /// line of the access.
    fn see_whole(
        &mut self,
        access: &WarpAccessSummary,
        memory: MemoryInstance,
        find: impl FnOnce(&mut FootprintCache, AccessSiteId) -> Option<(FootprintId, u64)>,
    ) -> bool {
        let of = access.of();
        let WarpCheckState {
            number,
            epoch: Some(epoch),
            ..
        } = self.now(of)
        else {
            return false;
        };
        let site = self.site_of_warp(access);
        let Some(found) = find(&mut self.shadow().shapes, site) else {
            return false;
        };
        self.see_lines(
            number,
            &LineAccess::of_lanes(of, u32::MAX, memory, site, epoch),
            found,
        )
    }

    fn see_row_as_lanes(&mut self, row: &ContiguousAccess) -> bool {
        let lane_bytes = u64::from(row.access.lane_bytes);
        let addresses = std::array::from_fn(|lane| row.address + lane as u64 * lane_bytes);
        self.see_lanes(&PerLaneAccess {
            access: row.access,
            memory: MemoryId::Global,
            mask: u32::MAX,
            addresses: &addresses,
        })
    }

    /// Checks an access by some lanes of a warp. Returns `false` if the slow path must check the access.
    pub(crate) fn see_lanes(&mut self, lanes: &PerLaneAccess<'_>) -> bool {
        let access = &lanes.access;
        let Some(memory) = memory_of(lanes.memory) else {
            return false;
        };
        let of = access.of();
        let WarpCheckState { number, epoch, .. } = self.now(of);
        let site = self.site_of_warp(access);
        let is_strong = access.sem != Sem::Weak;
        let strength = self.sites.get(site).strength;
        let handed = match strength {
            Strength::Strong(scope) if access.action == AccessAction::Store => {
                match self.handed(lanes, memory, scope) {
                    Some(handed) => handed,
                    None => return false,
                }
            }
            _ if self.may_be_whole(access) => None,
            _ => return false,
        };
        if let MemoryInstance::Shared(block) = memory
            && block != access.block
        {
            let entry = epoch.map(|epoch| AccessRecord {
                row: row_of(access.block, access.warp),
                epoch,
                lanes: lanes.mask,
                site,
                bytes: 0,
            });
            if !entry.is_some_and(|entry| self.see_visit(lanes, block, entry)) {
                return false;
            }
        }
        let places = LaneAddresses {
            mask: lanes.mask,
            lane_bytes: access.lane_bytes,
            addresses: lanes.addresses,
        };
        let shape = self.shadow().shapes.of(site, &places);
        let released = handed.clone().filter(|_| releases(access.sem));
        let is_quiet = match (epoch, shape) {
            (None, Some(found)) => self.see_groups(lanes, number, (memory, site), found, handed),
            (Some(epoch), Some(found)) => {
                let lines = LineAccess {
                    handed,
                    ..LineAccess::of_lanes(of, lanes.mask, memory, site, epoch)
                };
                self.see_lines(number, &lines, found)
            }
            _ if is_strong => false,
            _ => self.check_words(lanes, memory, site),
        };
        if is_quiet && let Some(released) = released {
            self.note_releases(lanes, memory, &released);
        }
        is_quiet
    }

    /// Checks an access by lanes with different epochs. Processes each group of lanes with equal epochs separately.
    /// Returns `false` if the slow path must check the access.
    fn see_groups(
        &mut self,
        lanes: &PerLaneAccess<'_>,
        number: u32,
        (memory, site): (MemoryInstance, AccessSiteId),
        found: (FootprintId, u64),
        handed: Option<SharedStoreReleases>,
    ) -> bool {
        let of = lanes.access.of();
        let Some(warp) = self.warps.get(number) else {
            return false;
        };
        let groups: SmallVec<[(u32, u32); MAX_GROUPS]> = groups_of(&warp.epochs, lanes.mask)
            .take(MAX_GROUPS)
            .collect();
        let together = groups.iter().fold(0, |all, (lanes, _)| all | lanes);
        if together != lanes.mask {
            return lanes.access.sem == Sem::Weak && self.check_words(lanes, memory, site);
        }
        groups.into_iter().all(|(mask, epoch)| {
            let lines = LineAccess {
                handed: handed.clone(),
                ..LineAccess::of_lanes(of, mask, memory, site, epoch)
            };
            self.see_lines(number, &lines, found)
        })
    }

    /// Checks whether one check can cover all lanes of a warp access. A strong access qualifies only if it neither
    /// releases nor acquires.
    pub(crate) fn may_be_whole(&mut self, access: &WarpAccessSummary) -> bool {
        let of = access.of();
        let are_words = access.element_bytes >= 4 || access.element_bytes == access.lane_bytes;
        let hands_on = access.action.writes() && releases(access.sem);
        access.sem == Sem::Weak || are_words && !hands_on && self.now(of).has_no_releases
    }

    /// Records an access of lanes to the shared memory of another block. Returns `false` if the owner of the shared
    /// memory may not have started.
    fn see_visit(&mut self, lanes: &PerLaneAccess<'_>, block: u64, entry: AccessRecord) -> bool {
        let of = lanes.access.of();
        let number = self.warps.number(of);
        let clock = self.warps.get(number).and_then(WarpState::alike);
        let is_there = clock.is_some_and(|clock| clock.seen().knows_block(block));
        let lane = lanes.mask.trailing_zeros();
        let visit = RemoteAccess {
            entry,
            address: lanes.addresses[lane as usize & 31],
            by: ThreadId::of_lane(of.block, of.warp, lane),
            step: lanes.access.step,
        };
        if is_there {
            self.block(block).note_visit(visit);
        }
        is_there
    }

    /// Checks a strong load or store that neither releases nor acquires. Returns `false` if the slow path must check the lanes one by one.
    pub(crate) fn see_plain_strong(&mut self, event: &AccessEvent<'_>, of: WarpId) -> bool {
        let Some(first) = event.pieces.first() else {
            return false;
        };
        let Some(memory) = memory_of(first.memory) else {
            return false;
        };
        let is_elsewhere = matches!(memory, MemoryInstance::Shared(block) if block != of.block);
        if is_elsewhere {
            return false;
        }
        let WarpCheckState {
            number,
            epoch: Some(epoch),
            has_no_releases: is_plain,
            has_releases_alone,
        } = self.now(of)
        else {
            return false;
        };
        if !(is_plain || has_releases_alone && event.action == AccessAction::Store) {
            return false;
        }
        let mut addresses = [0; 32];
        let mut mask = 0u32;
        for piece in event.pieces {
            let lane = piece.address_lane & 31;
            let is_like = (piece.memory, piece.n_bytes) == (first.memory, first.n_bytes);
            if !is_like || mask & 1 << lane != 0 {
                return false;
            }
            mask |= 1 << lane;
            addresses[lane as usize] = piece.address;
        }
        if !is_plain {
            let warp = self.warps.get(number);
            let hands_on = |warp: &WarpState| {
                let mut lanes = lanes_of(mask);
                lanes.any(|lane| warp.has_released(lane, (memory, addresses[lane])))
            };
            if warp.is_none_or(hands_on) {
                return false;
            }
        }
        let places = LaneAddresses {
            mask,
            lane_bytes: first.n_bytes,
            addresses: &addresses,
        };
        let site = self.site_of(event, first.n_bytes);
        let Some(found) = self.shadow().shapes.of(site, &places) else {
            return false;
        };
        let lines = LineAccess::of_lanes(of, mask, memory, site, epoch);
        self.see_lines(number, &lines, found)
    }

    /// Returns the current state of an accessing warp for the fast path.
    #[inline]
    fn now(&mut self, of: WarpId) -> WarpCheckState {
        let number = self.warps.number(of);
        let known = self.warps.here(number);
        if known.is_none_or(|here| here.n_openings != self.n_barrier_completions) {
            let here = self.refresh_cache(of);
            self.warps.set_here(number, here);
        }
        let here = self.warps.here(number);
        WarpCheckState {
            number,
            epoch: here.and_then(|here| here.epoch),
            has_no_releases: here.is_some_and(|here| here.is_plain),
            has_releases_alone: here.is_some_and(|here| here.has_releases_alone),
        }
    }

    #[cold]
    #[inline(never)]
    fn refresh_cache(&mut self, of: WarpId) -> WarpCheckCache {
        let number = self.warps.number(of);
        if self.warps.get(number).is_none() {
            let state = self.take(of.block, of.warp);
            self.put(of.block, of.warp, state);
        }
        let state = self.warps.get(number);
        WarpCheckCache {
            n_openings: self.n_barrier_completions,
            epoch: state.and_then(WarpState::even_epoch),
            is_plain: state.is_some_and(|state| !state.has_details()),
            has_releases_alone: state.is_some_and(WarpState::has_releases_alone),
            shared: self.floor(MemoryInstance::Shared(of.block)),
            global: self.floor(MemoryInstance::Global),
        }
    }

    /// Checks an access line by line, given its shape and the address of its first line. Returns `false` if the slow
    /// path must check the access.
    fn see_lines(&mut self, number: u32, lines: &LineAccess, found: (FootprintId, u64)) -> bool {
        self.with_visitor(number, lines, |detector, by, shadow| {
            detector.are_lines_quiet(by, lines, found, shadow)
        })
    }

    /// Calls `visit` with the line checker of a warp access. Returns `false` if the detector has no state of the warp.
    #[inline]
    fn with_visitor(
        &mut self,
        number: u32,
        lines: &LineAccess,
        visit: impl FnOnce(&RaceDetector, &mut LineChecker<'_>, &mut ShadowMemory) -> bool,
    ) -> bool {
        let mut shadow = self.shadow.take().unwrap_or_default();
        let (here, warp) = (self.warps.here(number), self.warps.get(number));
        let is_quiet = here.zip(warp).is_some_and(|(here, warp)| {
            let floor = match lines.memory {
                MemoryInstance::Global => &here.global,
                MemoryInstance::Shared(_) => &here.shared,
            };
            let is_known = |other: AccessSiteId, address: u64| {
                self.is_reported(other, lines.site, lines.memory, address)
            };
            let mut by = self.visitor(lines, warp, floor, &is_known);
            visit(self, &mut by, &mut shadow)
        });
        self.shadow = Some(shadow);
        is_quiet
    }

    /// Returns the common lower bound of the clocks of all threads that can still access a memory.
    pub(crate) fn floor(&self, memory: MemoryInstance) -> CommonClock {
        let block = self.floor_block(memory);
        let block = block.and_then(|block| self.blocks.get(&block));
        block.map_or(CommonClock::default(), |block| CommonClock {
            clock: block.floor.clone(),
            number: block.n_floors,
        })
    }

    /// Returns the line checker for the lines of a warp access.
    pub(crate) fn visitor<'a>(
        &'a self,
        lines: &LineAccess,
        warp: &'a WarpState,
        floor: &'a CommonClock,
        is_known: &'a dyn Fn(AccessSiteId, u64) -> bool,
    ) -> LineChecker<'a> {
        let site = *self.sites.get(lines.site);
        LineChecker {
            current: CurrentLanes {
                warp,
                threads: row_of(lines.of.block, lines.of.warp),
                lanes: lines.lanes,
                proxy: site.proxy,
                memory: lines.memory,
            },
            home: self.shape.home(lines.of.block),
            site,
            settled: self.settled(),
            floor: floor.clock.as_deref(),
            n_floors: floor.number,
            line: 0,
            is_known,
            known: None,
        }
    }

    /// Checks all lines of an access. Returns `false` if the slow path must check a line.
    pub(crate) fn are_lines_quiet(
        &self,
        by: &mut LineChecker<'_>,
        lines: &LineAccess,
        (shape, start): (FootprintId, u64),
        shadow: &mut ShadowMemory,
    ) -> bool {
        let site = by.site;
        let is_in_flight = !lines.row.is_threads();
        // Treat a reduction by an asynchronous operation as a weak access, because it has no release semantics and hides earlier strong
        // writes.
        let is_strong = site.strength != Strength::Weak && !is_in_flight;
        for index in shadow.shapes.parts_of(shape) {
            let part = shadow.shapes.part(index);
            let address = start.wrapping_add_signed(i64::from(part.line) * LINE as i64);
            let pattern = shadow.shapes.pattern(part.pattern);
            let covers = match is_in_flight {
                true => pattern.covers,
                false => pattern.covers_of(lines.mask),
            };
            if covers == 0 {
                continue;
            }
            // Lanes that write the same bytes race with each other, unless the writes are strong.
            if site.kind == SiteAccessKind::Write
                && !is_in_flight
                && !pattern.is_single_of(lines.mask)
            {
                let first = address + u64::from(covers.trailing_zeros());
                if is_strong || !(by.is_known)(lines.site, first) {
                    return false;
                }
            }
            by.line = address;
            let at = shadow.line_at(lines.memory, address);
            let mut held = shadow.held(at);
            if let LineState::Words = held
                && let Some(number) = shadow.make_whole(at, by.n_floors, |entry| by.is_over(entry))
            {
                held = LineState::Whole(number);
            }
            let number = match held {
                LineState::Whole(number) => number,
                LineState::Nothing => shadow.begin_whole(at),
                // Strong accesses take the slow path if the detector tracks the line per word.
                LineState::Words if is_strong => return false,
                LineState::Words => {
                    if !are_words_quiet(by, lines, shadow, part.pattern, address) {
                        return false;
                    }
                    continue;
                }
            };
            let mut mark = LineRecord {
                row: lines.row,
                site: lines.site,
                epoch: lines.epoch,
                pattern: part.pattern,
                mask: lines.mask,
                covers,
                element_bytes: site.element_bytes as u8,
                kind: site.kind,
                is_strong,
                releases: lines.handed.clone(),
            };
            let (line, shapes) = shadow.whole(number);
            match line.visit(by, &mut mark, shapes) {
                CheckResult::Kept => {}
                CheckResult::KeptFirstStrong => shadow.count_strong_line(),
                CheckResult::NeedsSlowPath => return false,
            }
        }
        true
    }

    /// Returns the site of a warp access.
    pub(crate) fn site_of_warp(&mut self, access: &WarpAccessSummary) -> AccessSiteId {
        let element_bytes = access.element_bytes;
        let WarpAccessSummary {
            function,
            instruction,
            ..
        } = *access;
        self.sites.of(
            function,
            instruction,
            OperandRole::Only,
            element_bytes,
            || AccessSite {
                function: access.function,
                instruction: access.instruction,
                kind: match access.action.writes() {
                    true => SiteAccessKind::Write,
                    false => SiteAccessKind::Read,
                },
                strength: Strength::of(access.sem, access.scope),
                proxy: match access.non_coherent {
                    true => ProxyKind::ReadOnly,
                    false => ProxyKind::Generic,
                },
                asynchronous: false,
                element_bytes,
            },
        )
    }
}

/// Checks the words of a line one by one. Returns `false` if the slow path must check a word.
fn are_words_quiet(
    by: &mut LineChecker<'_>,
    lines: &LineAccess,
    shadow: &mut ShadowMemory,
    pattern: PatternId,
    address: u64,
) -> bool {
    let pattern = shadow.shapes.pattern(pattern).clone();
    let of = (lines.row, lines.site);
    let mut quick = WordFastPath::of(by.settled, by.current, of, by.floor, by.is_known);
    lanes_of(pattern.words).all(|word| {
        let at = WordAccess {
            lanes: pattern.lanes[word] & lines.mask,
            epoch: lines.epoch,
            address: address + word as u64 * WORD,
            bytes: pattern.bytes,
        };
        at.lanes == 0 || quick.look(shadow, at)
    })
}

/// Access that the line checks process as a whole: by lanes of a warp with equal epochs, or by an asynchronous operation that a lane
/// starts.
pub(crate) struct LineAccess {
    pub(crate) of: WarpId,
    /// Lanes of the warp that perform the access.
    pub(crate) lanes: u32,
    pub(crate) memory: MemoryInstance,
    pub(crate) site: AccessSiteId,
    /// Row of the vector clocks to which the access is attributed. The next fields are the epoch and the lanes of this row.
    pub(crate) row: ClockGroup,
    pub(crate) epoch: u32,
    pub(crate) mask: u32,
    /// Releases that a strong store carries, one for each lane.
    pub(crate) handed: Option<SharedStoreReleases>,
}

impl LineAccess {
    /// Returns an access without releases by lanes of a warp at one epoch.
    #[inline]
    fn of_lanes(
        of: WarpId,
        lanes: u32,
        memory: MemoryInstance,
        site: AccessSiteId,
        epoch: u32,
    ) -> LineAccess {
        LineAccess {
            of,
            lanes,
            memory,
            site,
            row: row_of(of.block, of.warp),
            epoch,
            mask: lanes,
            handed: None,
        }
    }
}
