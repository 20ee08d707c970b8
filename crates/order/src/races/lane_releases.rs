//! Releases of strong stores, recorded for all lanes of a warp together. The shadow line stores the releases of a store with its access
//! record. Only when another thread reads a stored value, the detector expands these releases into one release per lane.

use crate::races::detector::RaceDetector;
use crate::races::location::MemoryInstance;
use crate::races::location::StrongLocation;
use crate::races::release_set::ReleaseEvent;
use crate::races::release_sets::{
    GroupRelease, LaneReleases, PendingGroupReleases, ReleaseStore, SharedStoreReleases,
    StoreReleases,
};
use crate::races::vector_clock::lanes_of;
use crate::races::vector_clock::row_of;
use crate::races::warp_state::WarpState;
use crate::scope::releases;
use std::rc::Rc;
use warpgrid_emulator::PerLaneAccess;
use warpgrid_isa::Scope;

impl RaceDetector {
    /// Returns the releases that a strong store by several lanes carries. The last release of each lane is the release of the store itself.
    /// Returns `None` if the slow path must process the lanes one by one.
    pub(crate) fn handed(
        &mut self,
        lanes: &PerLaneAccess<'_>,
        memory: MemoryInstance,
        scope: Scope,
    ) -> Option<Option<SharedStoreReleases>> {
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
        let mut handed = StoreReleases::default();
        for lane in lanes_of(apart) {
            warp.ungroup(lane);
            let place = (memory, lanes.addresses[lane]);
            let own = is_release.then(|| warp.release(row, lane, scope, home));
            add_lane_releases(&mut handed, warp, lane as u32, (place, own))?;
        }
        let own = own.map(Rc::new);
        add_group_releases(&mut handed, warp, lanes, memory, (lanes.mask & !apart, own))?;
        Some((!handed.is_empty()).then(|| Rc::new(handed)))
    }

    /// Records the release of each lane of a store at the location to which the lane stores.
    pub(crate) fn note_releases(
        &mut self,
        lanes: &PerLaneAccess<'_>,
        memory: MemoryInstance,
        handed: &SharedStoreReleases,
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
        state.advance_epoch(lanes.mask);
        self.put(of.block, of.warp, state);
    }
}

/// Adds the separately recorded releases of a lane to the releases of a store. Returns `None` if the store also carries
/// an earlier release of the lane at the same location.
fn add_lane_releases(
    handed: &mut StoreReleases,
    warp: &WarpState,
    lane: u32,
    (place, own): (StrongLocation, Option<ReleaseEvent>),
) -> Option<()> {
    if let Some(details) = warp.known_details(lane as usize) {
        let is_more = |old: &ReleaseEvent| own.as_ref().is_none_or(|own| old.scope > own.scope);
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

/// Adds the releases that several lanes performed in the same step to the releases of a store. Returns `None` if the store also carries an
/// earlier release of a lane at the same location.
fn add_group_releases(
    handed: &mut StoreReleases,
    warp: &WarpState,
    access: &PerLaneAccess<'_>,
    memory: MemoryInstance,
    (lanes, own): (u32, Option<Rc<LaneReleases>>),
) -> Option<()> {
    let PendingGroupReleases { fences, stores } = warp.together();
    let is_more = |old: &ReleaseStore| {
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
        handed.together.push(GroupRelease::new(lanes, &own));
    }
    Some(())
}
