//! What strong stores of warps hand on, all lanes at once. In: a store; out: a release of each lane, which lines keep with the store, and which is
//! only looked at when someone reads it.

use super::clock::lanes_of;
use super::detector::Detector;
use super::message::{Handed, Release};
use super::shadow::Memory;
use super::threads::row_of;
use crate::scope::releases;
use std::rc::Rc;
use warpgrid_emulator::LanesAccess;
use warpgrid_isa::Scope;

impl Detector {
    /// What a strong store of lanes hands on, of each lane its own release last; nothing where lanes must be looked at one by one.
    pub(super) fn handed(
        &mut self,
        lanes: &LanesAccess<'_>,
        memory: Memory,
        scope: Scope,
    ) -> Option<Option<Handed>> {
        let access = &lanes.access;
        let (of, is_release) = (access.of(), releases(access.sem));
        if access.element_bytes != access.lane_bytes {
            return self.may_be_whole(access).then_some(None);
        }
        let (home, row) = (self.shape.home(of.block), row_of(of.block, of.warp));
        let number = self.warps.number(of);
        let warp = self.warps.get(number)?;
        if !is_release && !warp.has_details() {
            return Some(None);
        }
        let mut handed = Vec::new();
        for lane in lanes_of(lanes.mask) {
            let known = warp.known_details(lane);
            if let Some(details) = known {
                let place = (memory, lanes.addresses[lane]);
                // What a thread released there before, this release hands on as well.
                let is_more = |old: &Release| !is_release || old.scope > scope;
                let mut all = details.released.iter();
                if all.any(|(at, old)| *at == place && is_more(old)) {
                    return None;
                }
                handed.extend(details.fences.iter().map(|f| (lane as u32, f.clone())));
            }
            if is_release {
                handed.push((lane as u32, warp.release(row, lane, scope, home)));
            }
        }
        Some((!handed.is_empty()).then(|| Rc::new(handed)))
    }

    /// Remembers what lanes have released where they stored.
    pub(super) fn note_releases(
        &mut self,
        lanes: &LanesAccess<'_>,
        memory: Memory,
        handed: &Handed,
    ) {
        let of = lanes.access.of();
        let mut state = self.take(of.block, of.warp);
        for (index, (lane, release)) in handed.iter().enumerate() {
            let next = handed.get(index + 1);
            if next.is_none_or(|(next, _)| next != lane) {
                let place = (memory, lanes.addresses[*lane as usize & 31]);
                let details = state.details(*lane as usize);
                details.add_release(place, release.clone());
            }
        }
        state.tick(lanes.mask);
        self.put(of.block, of.warp, state);
    }
}
