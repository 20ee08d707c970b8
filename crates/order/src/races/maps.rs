//! Race check of tensor maps, which copies read through a separate proxy. Input: accesses and fences of lanes on tensor
//! maps. Output: races with writes that no pair of fences orders before the copy (`fence.proxy.tensormap::generic`: a
//! release after the write, then an acquire of the map).

use crate::races::accessor::Accessor;
use crate::races::asynchronous::Start;
use crate::races::clock::row_of;
use crate::races::clock::{Clock, Fenced, lanes_of};
use crate::races::detector::Detector;
use crate::races::location::Bytes;
use crate::races::location::memory_of;
use crate::races::shadow::Entry;
use crate::races::site::{Kind, ProxyKind, Side, Site, SiteId};
use crate::races::threads::Warp;
use crate::scope::{Scoped, Strength, acquires, mutual, releases};
use std::rc::Rc;
use warpgrid_emulator::{MapAct, MapTouch, SyncEvent, TENSOR_MAP_BYTES};
use warpgrid_isa::{Scope, Sem};

impl Detector {
    pub(crate) fn see_maps(&mut self, event: &SyncEvent<'_>, act: MapAct, touched: &[MapTouch]) {
        let mut state = self.take(event.block, event.warp);
        let words = self.modifiers(event);
        let scope = words.and_then(|words| words.scope);
        let sem = words.and_then(|words| words.sem).unwrap_or(Sem::Acquire);
        match act {
            MapAct::Acquire => {
                if releases(sem) {
                    release_maps(&mut state, event, scope);
                }
                if acquires(sem) {
                    self.acquire_maps(&mut state, event, touched, scope);
                }
            }
            MapAct::Use | MapAct::Load | MapAct::Replace | MapAct::Publish => {
                for touch in touched {
                    self.access_map(event, &state, act, touch);
                }
            }
        }
        match act {
            MapAct::Publish => release_maps(&mut state, event, scope),
            MapAct::Use => self.used_maps = touched.to_vec(),
            MapAct::Load | MapAct::Replace | MapAct::Acquire => {}
        }
        self.put(event.block, event.warp, state);
    }

    fn access_map(&mut self, event: &SyncEvent<'_>, state: &Warp, act: MapAct, touch: &MapTouch) {
        let Some(bytes) = bytes_of(touch) else {
            return;
        };
        let lane = touch.lane & 31;
        let row = row_of(event.block, event.warp);
        let by = Accessor {
            warp: state,
            threads: row,
            lanes: 1 << lane,
            home: self.shape.home(event.block),
            site: self.map_site(event, act),
            as_row: row,
            as_lanes: 1 << lane,
            as_epoch: state.epochs[usize::from(lane)],
            step: event.step,
        };
        self.look(&by, bytes);
        if matches!(act, MapAct::Replace | MapAct::Publish) {
            self.forget_strong(bytes);
        }
    }

    fn map_site(&mut self, event: &SyncEvent<'_>, act: MapAct) -> SiteId {
        let (side, kind, proxy) = match act {
            MapAct::Use | MapAct::Acquire => (Side::Map, Kind::Read, ProxyKind::TensorMap),
            MapAct::Load => (Side::Source, Kind::Read, ProxyKind::Generic),
            MapAct::Replace | MapAct::Publish => {
                (Side::Destination, Kind::Write, ProxyKind::Generic)
            }
        };
        let element_bytes = TENSOR_MAP_BYTES as u32;
        self.sites.of(
            event.function,
            event.instruction,
            side,
            element_bytes,
            || Site {
                function: event.function,
                instruction: event.instruction,
                kind,
                strength: Strength::Weak,
                proxy,
                asynchronous: act == MapAct::Use,
                element_bytes,
            },
        )
    }

    /// Records the read of the tensor map by a copy, which lasts until the copy completes.
    pub(crate) fn see_map(&mut self, start: &Start<'_>, lane: u32) {
        let used = self.used_maps.iter();
        let own = used.copied().find(|touch| u32::from(touch.lane) == lane);
        let is_copy = start.pending.operation.work.is_tensor_copy();
        let Some(touch) = own.filter(|_| is_copy) else {
            return;
        };
        if let Some(bytes) = bytes_of(&touch) {
            let site = self.map_site(start.event, MapAct::Use);
            self.look_async(start, site, lane, bytes);
        }
    }

    fn acquire_maps(
        &mut self,
        state: &mut Warp,
        event: &SyncEvent<'_>,
        touched: &[MapTouch],
        scope: Option<Scope>,
    ) {
        let scope = scope.unwrap_or(Scope::Gpu);
        let home = self.shape.home(event.block);
        let shape = self.shape;
        for touch in touched {
            let Some(memory) = memory_of(touch.memory) else {
                continue;
            };
            let clock = Rc::make_mut(state.clock_mut(usize::from(touch.lane & 31)));
            clock.acquire_map(Fenced::Map(memory, touch.address), |their, block| {
                mutual(
                    Scoped::new(their, shape.home(block)),
                    Scoped::new(scope, home),
                )
            });
        }
    }

    /// Returns the threads of an entry whose writes are not visible to the tensor-map proxy.
    pub(crate) fn unfenced_of_map(&self, clock: &Clock, entry: &Entry, bytes: Bytes) -> u32 {
        let fenced = clock.fenced(Fenced::Map(bytes.memory, bytes.address));
        fenced.map_or(entry.lanes, |rows| {
            rows.unknown(entry.row, entry.lanes, entry.epoch)
        })
    }
}

/// Records a releasing tensor-map fence.
pub(crate) fn release_maps(state: &mut Warp, event: &SyncEvent<'_>, scope: Option<Scope>) {
    let fence = Fenced::MapReleased(scope.unwrap_or(Scope::Gpu), event.block);
    let row = row_of(event.block, event.warp);
    for lane in lanes_of(event.lanes) {
        let own = state.point(row, lane);
        Rc::make_mut(state.clock_mut(lane)).fence(fence, own);
    }
    state.tick(event.lanes);
}

fn bytes_of(touch: &MapTouch) -> Option<Bytes> {
    Some(Bytes::at(
        memory_of(touch.memory)?,
        touch.address,
        TENSOR_MAP_BYTES as u32,
    ))
}
