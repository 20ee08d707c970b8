//! Synchronization by strong accesses: release and acquire operations, and the observation order between strong writes
//! and reads.

use crate::races::access_site::{AccessSite, SiteAccessKind};
use crate::races::accessor::{AccessContext, WordPart};
use crate::races::detector::RaceDetector;
use crate::races::location::ByteRange;
use crate::races::location::MemoryInstance;
use crate::races::location::StrongLocation;
use crate::races::location::memory_of;
use crate::races::release_set::ReleaseSet;
use crate::races::shadow_memory::AccessRecord;
use crate::races::strong_write::{MAX_CHAIN_LEN, Observation, RmwChain, StrongAccess, StrongWrite};
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{Epoch, lanes_of};
use crate::races::warp_state::WarpState;
use crate::scope::{Strength, ThreadLocation, acquires, releases};
use std::rc::Rc;
use warpgrid_emulator::{AccessAction, AccessEvent, ElementAccess, WarpId};
use warpgrid_isa::{Scope, Sem};

impl RaceDetector {
    pub(crate) fn check_strong_access(
        &mut self,
        event: &AccessEvent<'_>,
        state: &mut WarpState,
        of: WarpId,
        scope: Scope,
    ) {
        if self.see_strong_loads(event, state, of, scope)
            || self.see_strong_atomics(event, state, of, scope)
        {
            return;
        }
        let row = row_of(of.block, of.warp);
        let home = self.shape.home(of.block);
        if event.action.writes() {
            self.strong.reserve(event.pieces.len());
        }
        for piece in event.pieces {
            let Some(memory) = memory_of(piece.memory) else {
                continue;
            };
            let lane = (piece.address_lane & 31) as usize;
            let place = (memory, piece.address);
            let strong = StrongAccess::of(event, lane, piece.n_bytes, place, (scope, home));
            let continued = self.acquire_before(state, row, &strong);
            let site = self.site_of(event, piece.n_bytes);
            let by = AccessContext {
                warp: state,
                threads: row,
                lanes: 1 << lane,
                home,
                site,
                as_row: row,
                as_lanes: 1 << lane,
                as_epoch: state.epochs[lane],
                step: event.step,
            };
            self.check_bytes(&by, bytes_of(event, piece, strong.place));
            if event.action.writes() {
                self.release_after(state, row, &strong, continued);
            }
        }
    }

    /// Checks a strong load of one location by lanes with equal epochs that have acquired the same releases from this location. Returns
    /// `false` if the slow path must check the lanes one by one.
    fn see_strong_loads(
        &mut self,
        event: &AccessEvent<'_>,
        state: &mut WarpState,
        of: WarpId,
        scope: Scope,
    ) -> bool {
        let Some(together) = together(event, state, of) else {
            return false;
        };
        let UniformAccess {
            lanes,
            place,
            piece,
            ..
        } = together;
        if event.action != AccessAction::Load {
            return false;
        }
        let Some(met) = state.met_by_all(lanes, place) else {
            return false;
        };
        let (row, home) = (row_of(of.block, of.warp), self.shape.home(of.block));
        let acquire = |state: &mut WarpState, message: &ReleaseSet| {
            if acquires(event.sem) {
                state.change_clocks(lanes, |clock| message.acquire(clock, scope, home));
            }
        };
        if let Some(met) = met {
            acquire(state, &met);
        }
        self.spell_strong(place, piece.n_bytes);
        let mut message = None;
        for lane in lanes_of(lanes) {
            let strong = StrongAccess::of(event, lane, piece.n_bytes, place, (scope, home));
            message = self.observe(&strong, state.point(row, lane)).flatten();
        }
        if let Some(message) = message {
            acquire(state, &message);
            lanes_of(lanes).for_each(|lane| state.observe_release(lane, place, &message));
        }
        self.check_together(event, state, of, &together);
        true
    }

    /// Checks relaxed atomics on one location by lanes with equal epochs. Returns `false` if the slow path must check the lanes one by one.
    fn see_strong_atomics(
        &mut self,
        event: &AccessEvent<'_>,
        state: &mut WarpState,
        of: WarpId,
        scope: Scope,
    ) -> bool {
        let is_atomic = event.action.writes() && event.action != AccessAction::Store;
        if !is_atomic || releases(event.sem) || acquires(event.sem) {
            return false;
        }
        let Some(together) = together(event, state, of) else {
            return false;
        };
        let UniformAccess { place, piece, .. } = together;
        let row = row_of(of.block, of.warp);
        let bytes = ByteRange::at(place.0, place.1, piece.n_bytes);
        let home = self.shape.home(of.block);
        let strong =
            |lane: usize| StrongAccess::of(event, lane, piece.n_bytes, place, (scope, home));
        let first = strong(together.lanes.trailing_zeros() as usize);
        let mut write = self.take_linked(&first, bytes);
        let mut observations = self.observed.remove(&place).unwrap_or_default();
        for lane in lanes_of(together.lanes) {
            let by = &strong(lane);
            let point = state.point(row, by.lane);
            let mut message = None;
            if let Some(write) = &mut write {
                message.clone_from(&write.message);
                if self.observes(by) {
                    note_observation(&mut observations, write.chain(), point);
                }
                if let (true, Some(message)) = (by.action.reads(), &message) {
                    state.observe_release(by.lane, place, message);
                }
            }
            add_releases(state, by, &mut message);
            match &mut write {
                Some(write) => write.extend_chain(by, point, message),
                None => write = Some(StrongWrite::new(by, point, message)),
            }
        }
        if !observations.is_empty() {
            self.observed.insert(place, observations);
        }
        self.strong.extend(write.map(|write| (place, write)));
        self.note_strong(bytes);
        self.check_together(event, state, of, &together);
        true
    }

    /// Removes and returns the strong write whose release sequence an atomic continues. If no such write exists, the
    /// atomic hides the earlier strong writes to its bytes.
    fn take_linked(&mut self, by: &StrongAccess, bytes: ByteRange) -> Option<StrongWrite> {
        self.spell_strong(by.place, by.n_bytes);
        let is_linked = |write: &StrongWrite| write.is_morally_strong(by);
        match self.strong.get(&by.place).is_some_and(is_linked) {
            true => self.strong.remove(&by.place),
            false => {
                self.forget_strong(bytes);
                None
            }
        }
    }

    /// Runs the race check for an access by several lanes to one location, after the acquire and release operations of
    /// the access have been processed.
    fn check_together(
        &mut self,
        event: &AccessEvent<'_>,
        state: &WarpState,
        of: WarpId,
        together: &UniformAccess<'_>,
    ) {
        let row = row_of(of.block, of.warp);
        let by = AccessContext {
            warp: state,
            threads: row,
            lanes: together.lanes,
            home: self.shape.home(of.block),
            site: self.site_of(event, together.piece.n_bytes),
            as_row: row,
            as_lanes: together.lanes,
            as_epoch: together.epoch,
            step: event.step,
        };
        let bytes = bytes_of(event, together.piece, together.place);
        let same_value = |piece: &ElementAccess| bytes_of(event, piece, together.place).same_value;
        let mut all = event.pieces.iter();
        if all.all(|piece| same_value(piece) == bytes.same_value) {
            self.check_block_lifetime(&by, bytes);
            self.check_in_turn(&by, bytes);
            return;
        }
        for piece in event.pieces {
            let lanes = 1 << (piece.address_lane & 31);
            let by = AccessContext {
                lanes,
                as_lanes: lanes,
                ..by
            };
            self.check_bytes(&by, bytes_of(event, piece, together.place));
        }
    }

    /// Performs the acquire operation of a strong access. For an atomic, returns the write whose release sequence the access continues.
    fn acquire_before(
        &mut self,
        state: &mut WarpState,
        row: crate::races::vector_clock::ClockGroup,
        by: &StrongAccess,
    ) -> Option<StrongWrite> {
        if by.action == AccessAction::Store {
            return None;
        }
        let gets = by.action.reads();
        if gets && acquires(by.sem) {
            let met = state.known_details(by.lane).map(|details| {
                let here = details
                    .observed_releases
                    .iter()
                    .filter(|(at, _)| *at == by.place);
                here.map(|(_, message)| Rc::clone(message)).collect()
            });
            let met: Vec<Rc<ReleaseSet>> = met.unwrap_or_default();
            for message in met {
                message.acquire(state.clock_mut(by.lane), by.scope, by.home);
            }
        }
        self.spell_strong(by.place, by.n_bytes);
        let message = self.observe(by, state.point(row, by.lane))?;
        if let (true, Some(message)) = (gets, &message) {
            if acquires(by.sem) {
                message.acquire(state.clock_mut(by.lane), by.scope, by.home);
            }
            state.observe_release(by.lane, by.place, message);
        }
        match by.action {
            AccessAction::Atomic | AccessAction::Reduction => self.strong.remove(&by.place),
            AccessAction::Load | AccessAction::Store => None,
        }
    }

    /// Checks whether an access observes the preceding write of its location, so that the write happens before the following accesses of the
    /// thread.
    fn observes(&self, by: &StrongAccess) -> bool {
        by.action != AccessAction::Reduction || self.orders_atomics_and_fences
    }

    /// Records that a strong access observes the morally strong write at its location. Returns the releases of the
    /// write. The outer `None` means that no morally strong write exists.
    fn observe(&mut self, by: &StrongAccess, reader: Epoch) -> Option<Option<Rc<ReleaseSet>>> {
        let observes = self.observes(by);
        let write = self.strong.get_mut(&by.place)?;
        if !write.is_morally_strong(by) {
            return None;
        }
        let message = write.message.clone();
        if observes {
            note_observation(
                self.observed.entry(by.place).or_default(),
                write.chain(),
                reader,
            );
        }
        Some(message)
    }

    /// Expands the strong writes that are tracked with whole lines into individual writes, and preserves the order of
    /// the writes.
    pub(crate) fn spell_strong(&mut self, (memory, address): StrongLocation, n_bytes: u32) {
        let Some(shadow) = &mut self.shadow else {
            return;
        };
        if !shadow.has_strong_lines() {
            return;
        }
        for write in shadow.take_strong(memory, address, n_bytes) {
            let mark = write.mark;
            let place = (write.memory, write.address);
            let strength = self.sites.get(mark.site).strength;
            let (true, Strength::Strong(scope)) = (mark.is_strong, strength) else {
                self.overwrite_strong(place, write.n_bytes);
                continue;
            };
            let by = StrongAccess {
                lane: write.lane as usize,
                home: self.shape.home(mark.row.block()),
                scope,
                sem: Sem::Relaxed,
                action: match mark.kind {
                    SiteAccessKind::Atomic if self.orders_atomics_and_fences => {
                        AccessAction::Atomic
                    }
                    SiteAccessKind::Atomic => AccessAction::Reduction,
                    SiteAccessKind::Read | SiteAccessKind::Write => AccessAction::Store,
                },
                place,
                n_bytes: write.n_bytes,
            };
            let point = Epoch {
                row: mark.row,
                lane: write.lane,
                epoch: mark.epoch,
            };
            let is_continued =
                mark.kind == SiteAccessKind::Atomic && self.observe(&by, point).is_some();
            let continued = match is_continued {
                true => self.strong.remove(&place),
                false => None,
            };
            let mut message = continued.as_ref().and_then(|write| write.message.clone());
            for release in mark
                .releases
                .iter()
                .flat_map(|handed| handed.of(write.lane))
            {
                Rc::make_mut(message.get_or_insert_default()).add(&release);
            }
            self.overwrite_strong(place, write.n_bytes);
            self.replace_strong(&by, point, continued, message);
        }
    }

    /// Performs the release operation of a strong access: records the write with the releases that it carries.
    fn release_after(
        &mut self,
        state: &mut WarpState,
        row: crate::races::vector_clock::ClockGroup,
        by: &StrongAccess,
        continued: Option<StrongWrite>,
    ) {
        let mut message = continued.as_ref().and_then(|write| write.message.clone());
        add_releases(state, by, &mut message);
        let point = state.point(row, by.lane);
        if releases(by.sem) {
            let release = state.release(row, by.lane, by.scope, by.home);
            Rc::make_mut(message.get_or_insert_default()).add(&release);
            state.add_release(by.lane, by.place, release);
            state.advance_epoch(1 << by.lane);
        }
        let bytes = ByteRange::at(by.place.0, by.place.1, by.n_bytes);
        // Forget overlapping strong writes, unless the write continues a release sequence. Such a write replaces the previous write to
        // exactly the same bytes, so no other strong write overlaps it.
        if continued.is_none() {
            self.forget_strong(bytes);
        }
        self.note_strong(bytes);
        self.replace_strong(by, point, continued, message);
    }

    /// Sets the strong-write flag of the words that contain the given bytes.
    fn note_strong(&mut self, bytes: ByteRange) {
        let shadow = self.shadow();
        for (address, _) in bytes.words() {
            let word = shadow.word(bytes.memory, address);
            shadow.set_strong(word);
        }
    }

    /// Records a strong write, which may continue the release sequence of an earlier write, and removes the earlier
    /// strong writes to the same bytes.
    fn replace_strong(
        &mut self,
        by: &StrongAccess,
        point: Epoch,
        continued: Option<StrongWrite>,
        message: Option<Rc<ReleaseSet>>,
    ) {
        let new = match continued {
            Some(mut write) => {
                write.extend_chain(by, point, message);
                write
            }
            None => StrongWrite::new(by, point, message),
        };
        self.strong.insert(by.place, new);
    }

    /// Removes the strong writes to the given bytes, so that later reads acquire nothing from these writes.
    pub(crate) fn forget_strong(&mut self, bytes: ByteRange) {
        let place = (bytes.memory, bytes.address);
        self.spell_strong(place, bytes.n);
        if self.strong.is_empty() || !self.has_strong(bytes) {
            return;
        }
        // A recorded strong write of exactly these bytes is the only overlapping write, because the recorded strong writes are disjoint.
        match self.strong.get(&place) {
            Some(known) if known.n_bytes == bytes.n => {
                self.strong.remove(&place);
            }
            _ => self.overwrite_strong(place, bytes.n),
        }
    }

    fn overwrite_strong(&mut self, (memory, address): StrongLocation, n_bytes: u32) {
        // Writes are naturally aligned, so an overlapping write with a lower start address starts at the address
        // rounded down to a multiple of 2, 4, 8 or 16 bytes.
        let around = [2, 4, 8, 16].map(|size| address / size * size);
        let before = around.into_iter().filter(|start| *start < address);
        for start in before.chain(address..address + u64::from(n_bytes)) {
            let hidden = self
                .strong
                .get(&(memory, start))
                .is_some_and(|write| start + u64::from(write.n_bytes) > address);
            if hidden {
                self.strong.remove(&(memory, start));
            }
        }
    }

    /// Checks whether a strong write has been recorded in a word that contains some of the given bytes.
    fn has_strong(&mut self, bytes: ByteRange) -> bool {
        bytes.words().any(|(address, _)| {
            let shadow = self.shadow();
            let word = shadow.word(bytes.memory, address);
            shadow.is_strong(word)
        })
    }

    /// Checks whether a strong write precedes an access in causality order through observation: a strong read observed
    /// the write, and this read happens before the access.
    pub(crate) fn is_observed(
        &self,
        by: &AccessContext<'_>,
        lane: usize,
        other: &AccessSite,
        entry: &AccessRecord,
        thread: usize,
        part: WordPart,
    ) -> bool {
        if !other.kind.writes() || other.strength == Strength::Weak || !entry.row.is_threads() {
            return false;
        }
        let size = u64::from(other.element_bytes.max(1));
        let start = part.word.max(part.bytes.address) / size * size;
        let Some(observations) = self.observed.get(&(part.bytes.memory, start)) else {
            return false;
        };
        let clock = by.warp.clock(lane);
        observations.iter().any(|observation| {
            let Epoch {
                row,
                lane: reader,
                epoch,
            } = observation.reader;
            let is_own = row == by.threads && reader as usize == lane;
            if !is_own && clock.seen().unknown(row, 1 << reader, epoch) != 0 {
                return false;
            }
            let chain = observation.chain.borrow();
            chain.iter().take(observation.n).any(|write| {
                (write.row, write.lane, write.epoch) == (entry.row, thread as u32, entry.epoch)
            })
        })
    }

    /// Executes a fence with acquire semantics and the given scope: the lanes acquire the releases that their earlier
    /// strong reads have observed.
    pub(crate) fn acquire_by_fence(
        &self,
        state: &mut WarpState,
        lanes: u32,
        scope: Scope,
        home: ThreadLocation,
    ) {
        for lane in lanes_of(lanes) {
            let met: Vec<Rc<ReleaseSet>> = match state.known_details(lane) {
                Some(details) => details
                    .observed_releases
                    .iter()
                    .map(|(_, m)| Rc::clone(m))
                    .collect(),
                None => continue,
            };
            for message in met {
                message.acquire(state.clock_mut(lane), scope, home);
            }
        }
    }
}

/// Strong access of several lanes with equal epochs to one location, which the detector checks once for all lanes.
struct UniformAccess<'a> {
    lanes: u32,
    place: StrongLocation,
    /// Memory access of the first lane, which represents the accesses of all lanes.
    piece: &'a ElementAccess,
    epoch: u32,
}

/// Returns the lanes of an access if all lanes have equal epochs and access the same location, which is not in the
/// shared memory of another block.
fn together<'a>(
    event: &'a AccessEvent<'_>,
    state: &WarpState,
    of: WarpId,
) -> Option<UniformAccess<'a>> {
    let (piece, others) = event.pieces.split_first()?;
    let memory = memory_of(piece.memory)?;
    let is_elsewhere = matches!(memory, MemoryInstance::Shared(block) if block != of.block);
    if others.is_empty() || is_elsewhere {
        return None;
    }
    let epoch = state.epochs[usize::from(piece.address_lane & 31)];
    let place = |piece: &ElementAccess| (piece.memory, piece.address, piece.n_bytes);
    let mut lanes = 0u32;
    for other in event.pieces {
        let lane = other.address_lane & 31;
        let is_like = place(other) == place(piece) && state.epochs[usize::from(lane)] == epoch;
        // Require the pieces in ascending lane order.
        if !is_like || lanes >> lane != 0 {
            return None;
        }
        lanes |= 1 << lane;
    }
    Some(UniformAccess {
        lanes,
        place: (memory, piece.address),
        piece,
        epoch,
    })
}

/// Records that a strong access observes the current writes of a release sequence, given the observations at the
/// location.
fn note_observation(observations: &mut Vec<Observation>, chain: &RmwChain, reader: Epoch) {
    let n = chain.borrow().len();
    // Update the last observation if the new observation repeats it, as in a polling loop.
    let is_again = observations.last().is_some_and(|last| {
        (last.reader.row, last.reader.lane, last.n) == (reader.row, reader.lane, n)
            && Rc::ptr_eq(&last.chain, chain)
    });
    if !is_again && observations.len() < MAX_CHAIN_LEN {
        let chain = Rc::clone(chain);
        observations.push(Observation { reader, chain, n });
    }
}

/// Adds the earlier releasing fences of the writing lane, and its earlier releases at the written location, to the
/// releases of a strong write.
fn add_releases(state: &mut WarpState, by: &StrongAccess, message: &mut Option<Rc<ReleaseSet>>) {
    state.ungroup(by.lane);
    let Some(details) = state.known_details(by.lane) else {
        return;
    };
    let here = details.released.iter().filter(|(at, _)| *at == by.place);
    let here = here.map(|(_, release)| release);
    for release in details.fences.iter().chain(here) {
        Rc::make_mut(message.get_or_insert_default()).add(release);
    }
}

fn bytes_of(
    event: &AccessEvent<'_>,
    piece: &ElementAccess,
    (memory, address): StrongLocation,
) -> ByteRange {
    ByteRange {
        memory,
        address,
        n: piece.n_bytes,
        same_value: event.action.writes() && event.before(piece) == event.bytes(piece),
        same_among: false,
    }
}
