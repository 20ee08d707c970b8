//! Race check of loads, stores and atomics of warps: compares the access of each lane with the earlier accesses to the
//! same bytes.

use crate::races::access_site::{
    AccessSite, AccessSiteId, OperandRole, ProxyKind, SiteAccessKind, is_checked_elsewhere,
};
use crate::races::accessor::AccessContext;
use crate::races::detector::{RaceDetector, RemoteAccess};
use crate::races::location::ByteRange;
use crate::races::location::MemoryInstance;
use crate::races::location::memory_of;
use crate::races::race_report::{
    BlockLifetime, Race, RaceCause, RaceCounterpart, RaceSide, ThreadId, UninitializedRead,
};
use crate::races::shadow_memory::AccessRecord;
use crate::races::slow_path::{DetectedRace, DetectedRaces};
use crate::races::vector_clock::{groups_of, row_of};
use crate::races::warp_state::WarpState;
use crate::scope::{Strength, releases};
use smallvec::SmallVec;
use warpgrid_emulator::{AccessAction, AccessEvent, ElementAccess, WarpId};

/// Lanes of one warp access that touch the same bytes, which the detector checks together.
#[derive(Clone, Copy)]
struct LaneGroup {
    lanes: u32,
    bytes: ByteRange,
    ty_bytes: u32,
}

/// Maximum number of lane groups that the detector checks in one batch.
const MAX_GROUPS: usize = 4;

impl LaneGroup {
    /// Checks whether a piece of the access can join this group, because it covers the same bytes and belongs to another lane.
    fn takes_in(&self, piece: &LaneGroup) -> bool {
        let bytes = |of: &LaneGroup| (of.bytes.address, of.bytes.n, of.bytes.memory);
        bytes(self) == bytes(piece) && self.lanes & piece.lanes == 0
    }

    fn shares_bytes(&self, piece: &LaneGroup) -> bool {
        let end = |of: &LaneGroup| of.bytes.address.saturating_add(u64::from(of.bytes.n));
        self.bytes.memory == piece.bytes.memory
            && self.bytes.address < end(piece)
            && piece.bytes.address < end(self)
    }
}

impl RaceDetector {
    pub(crate) fn check_access(&mut self, event: &AccessEvent<'_>) {
        let Some(of) = event.warp() else {
            // The detector has already checked the pieces of an asynchronous operation at its start.
            self.see_landed_bytes(event);
            return;
        };
        let is_shared = |piece: &ElementAccess| memory_of(piece.memory).is_some();
        if !event.pieces.iter().any(is_shared)
            || is_checked_elsewhere(&self.program, event.function, event.instruction)
        {
            return;
        }
        let strength = Strength::of(event.sem, event.scope);
        let is_plain =
            strength != Strength::Weak && !(event.action.writes() && releases(event.sem));
        if is_plain && !self.finds_lockstep() && self.see_plain_strong(event, of) {
            return;
        }
        let mut state = self.take(of.block, of.warp);
        match strength {
            Strength::Weak => self.check_weak_access(event, &state, of),
            Strength::Strong(scope) => self.check_strong_access(event, &mut state, of, scope),
        }
        self.put(of.block, of.warp, state);
    }

    fn check_weak_access(&mut self, event: &AccessEvent<'_>, state: &WarpState, of: WarpId) {
        let mut groups = SmallVec::<[LaneGroup; MAX_GROUPS]>::new();
        // Index of the group that contains the previous piece.
        let mut latest = 0;
        for piece in event.pieces {
            let Some(memory) = memory_of(piece.memory) else {
                continue;
            };
            let same_value = event.action.writes() && event.before(piece) == event.bytes(piece);
            let alone = LaneGroup {
                lanes: 1 << (piece.address_lane & 31),
                bytes: ByteRange {
                    memory,
                    address: piece.address,
                    n: piece.n_bytes,
                    same_value,
                    same_among: true,
                },
                ty_bytes: piece.n_bytes,
            };
            // A race report states whether the access of its lane leaves the value unchanged. Therefore, a piece joins
            // a group other than the latest group only if their `same_value` fields are equal.
            let of_piece = groups.iter_mut().enumerate().find(|(number, group)| {
                let is_like = *number == latest || group.bytes.same_value == same_value;
                is_like && group.takes_in(&alone)
            });
            if let Some((number, group)) = of_piece {
                latest = number;
                group.lanes |= alone.lanes;
                group.bytes.same_value &= same_value;
                group.bytes.same_among &= same_value;
                continue;
            }
            // Start a new batch if the groups would overlap, so that the order of the checks within a batch does not matter.
            let is_full = groups.len() == MAX_GROUPS;
            if is_full || groups.iter().any(|group| group.shares_bytes(&alone)) {
                self.see_groups_together(event, state, of, &groups);
                groups.clear();
            }
            latest = groups.len();
            groups.push(alone);
        }
        self.see_groups_together(event, state, of, &groups);
    }

    /// Checks several groups of lanes that access the same bytes within each group. Reports races in lane order.
    fn see_groups_together(
        &mut self,
        event: &AccessEvent<'_>,
        state: &WarpState,
        of: WarpId,
        groups: &[LaneGroup],
    ) {
        let mut races = DetectedRaces::new();
        for group in groups {
            let site = self.site_of(event, group.ty_bytes);
            let row = row_of(of.block, of.warp);
            for (lanes, epoch) in groups_of(&state.epochs, group.lanes) {
                let by = AccessContext {
                    warp: state,
                    threads: row,
                    lanes,
                    home: self.shape.home(of.block),
                    site,
                    as_row: row,
                    as_lanes: lanes,
                    as_epoch: epoch,
                    step: event.step,
                };
                self.check_block_lifetime(&by, group.bytes);
                self.find_races(&by, group.bytes, &mut races);
            }
            if event.action.writes() {
                self.forget_strong(group.bytes);
            }
        }
        if groups.len() > 1 {
            races.sort_by_key(DetectedRace::lane);
        }
        self.report_races(&races);
    }

    /// Checks an access for races, and checks whether the accessed memory is allocated and initialized.
    pub(crate) fn check_bytes(&mut self, by: &AccessContext<'_>, bytes: ByteRange) {
        self.check_block_lifetime(by, bytes);
        self.check(by, bytes);
    }

    /// Checks whether the block that owns the accessed shared memory is alive, and whether the accessed bytes have been written.
    pub(crate) fn check_block_lifetime(&mut self, by: &AccessContext<'_>, bytes: ByteRange) {
        if let MemoryInstance::Shared(block) = bytes.memory {
            if block != by.home.block {
                self.check_remote_access(by, bytes, block);
            } else if self.sites.get(by.site).kind == SiteAccessKind::Read {
                self.check_initialized(by, bytes);
            }
        }
    }

    /// Reports a read of shared-memory bytes that no thread has written.
    fn check_initialized(&mut self, by: &AccessContext<'_>, bytes: ByteRange) {
        let shadow = self.shadow();
        let unwritten = bytes.words().any(|(address, mask)| {
            let word = shadow.word(bytes.memory, address);
            mask & !shadow.written(word) != 0
        });
        if !unwritten || self.unwritten_sites.contains(&by.site) {
            return;
        }
        let site = *self.sites.get(by.site);
        let lane = by.lanes.trailing_zeros();
        self.unwritten_sites.push(by.site);
        self.unwritten.push(UninitializedRead {
            reader: RaceSide::of(
                &site,
                ThreadId::of_lane(by.home.block, by.threads.warp(), lane),
            ),
            memory: bytes.memory,
            address: bytes.address,
            step: by.step,
        });
    }

    /// Checks an access to the shared memory of another block. The other block must have started and must not have
    /// exited.
    fn check_remote_access(&mut self, by: &AccessContext<'_>, bytes: ByteRange, block: u64) {
        let lane = by.lanes.trailing_zeros();
        let thread = ThreadId::of_lane(by.home.block, by.threads.warp(), lane);
        let is_there = crate::races::vector_clock::lanes_of(by.lanes)
            .all(|lane| by.warp.clock(lane).seen().knows_block(block));
        let site = *self.sites.get(by.site);
        if !is_there {
            let found = Race {
                first: RaceSide::of(&site, thread),
                second: RaceCounterpart::Life(BlockLifetime::Start(block)),
                memory: bytes.memory,
                address: bytes.address,
                n_bytes: bytes.n,
                why: RaceCause::Lifetime,
                same_value: false,
                step: by.step,
                is_fenced_there: false,
            };
            self.add_life(by.site, found);
        }
        let visit = RemoteAccess {
            entry: AccessRecord {
                row: by.as_row,
                epoch: by.as_epoch,
                lanes: by.as_lanes,
                site: by.site,
                bytes: 0,
            },
            address: bytes.address,
            by: thread,
            step: by.step,
        };
        self.block(block).note_visit(visit);
    }

    /// Returns the access site of an event whose elements have `element_bytes` bytes.
    pub(crate) fn site_of(&mut self, event: &AccessEvent<'_>, element_bytes: u32) -> AccessSiteId {
        self.sites.of(
            event.function,
            event.instruction,
            OperandRole::Only,
            element_bytes,
            || AccessSite {
                function: event.function,
                instruction: event.instruction,
                kind: match event.action {
                    AccessAction::Load => SiteAccessKind::Read,
                    AccessAction::Store => SiteAccessKind::Write,
                    AccessAction::Atomic | AccessAction::Reduction => SiteAccessKind::Atomic,
                },
                strength: Strength::of(event.sem, event.scope),
                proxy: match event.cache.non_coherent {
                    true => ProxyKind::ReadOnly,
                    false => ProxyKind::Generic,
                },
                asynchronous: false,
                element_bytes,
            },
        )
    }
}
