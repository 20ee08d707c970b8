//! Race check of tensor maps, which copies read through a separate proxy. The check reports races of copies with writes to their tensor
//! maps. Only a pair of `fence.proxy.tensormap::generic` fences orders a write before a copy: a release fence after the write, and then an
//! acquire fence for the tensor map.

use crate::races::access_site::{AccessSite, AccessSiteId, OperandRole, ProxyKind, SiteAccessKind};
use crate::races::accessor::AccessContext;
use crate::races::async_operations::AsyncStart;
use crate::races::detector::RaceDetector;
use crate::races::location::ByteRange;
use crate::races::location::memory_of;
use crate::races::shadow_memory::AccessRecord;
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{ProxyFence, VectorClock, lanes_of};
use crate::races::warp_state::WarpState;
use crate::scope::{ScopeInstance, Strength, acquires, releases, scopes_mutually_inclusive};
use std::rc::Rc;
use warpgrid_emulator::{SyncEvent, TENSOR_MAP_BYTES, TensorMapAccess, TensorMapAction};
use warpgrid_isa::{Scope, Sem};

impl RaceDetector {
    pub(crate) fn see_maps(
        &mut self,
        event: &SyncEvent<'_>,
        act: TensorMapAction,
        touched: &[TensorMapAccess],
    ) {
        let mut state = self.take(event.block, event.warp);
        let words = self.modifiers(event);
        let scope = words.and_then(|words| words.scope);
        let sem = words.and_then(|words| words.sem).unwrap_or(Sem::Acquire);
        match act {
            TensorMapAction::Acquire => {
                if releases(sem) {
                    release_maps(&mut state, event, scope);
                }
                if acquires(sem) {
                    self.acquire_maps(&mut state, event, touched, scope);
                }
            }
            TensorMapAction::Use
            | TensorMapAction::Load
            | TensorMapAction::Replace
            | TensorMapAction::CopyFenceProxy => {
                for touch in touched {
                    self.access_map(event, &state, act, touch);
                }
            }
        }
        match act {
            TensorMapAction::CopyFenceProxy => release_maps(&mut state, event, scope),
            TensorMapAction::Use => self.used_maps = touched.to_vec(),
            TensorMapAction::Load | TensorMapAction::Replace | TensorMapAction::Acquire => {}
        }
        self.put(event.block, event.warp, state);
    }

    fn access_map(
        &mut self,
        event: &SyncEvent<'_>,
        state: &WarpState,
        act: TensorMapAction,
        touch: &TensorMapAccess,
    ) {
        let Some(bytes) = bytes_of(touch) else {
            return;
        };
        let lane = touch.lane & 31;
        let row = row_of(event.block, event.warp);
        let by = AccessContext {
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
        self.check_bytes(&by, bytes);
        if matches!(
            act,
            TensorMapAction::Replace | TensorMapAction::CopyFenceProxy
        ) {
            self.forget_strong(bytes);
        }
    }

    fn map_site(&mut self, event: &SyncEvent<'_>, act: TensorMapAction) -> AccessSiteId {
        let (side, kind, proxy) = match act {
            TensorMapAction::Use | TensorMapAction::Acquire => {
                (OperandRole::Map, SiteAccessKind::Read, ProxyKind::TensorMap)
            }
            TensorMapAction::Load => (
                OperandRole::Source,
                SiteAccessKind::Read,
                ProxyKind::Generic,
            ),
            TensorMapAction::Replace | TensorMapAction::CopyFenceProxy => (
                OperandRole::Destination,
                SiteAccessKind::Write,
                ProxyKind::Generic,
            ),
        };
        let element_bytes = TENSOR_MAP_BYTES as u32;
        self.sites.of(
            event.function,
            event.instruction,
            side,
            element_bytes,
            || AccessSite {
                function: event.function,
                instruction: event.instruction,
                kind,
                strength: Strength::Weak,
                proxy,
                asynchronous: act == TensorMapAction::Use,
                element_bytes,
            },
        )
    }

    /// Records that a copy reads its tensor map. The read lasts until the copy completes.
    pub(crate) fn see_map(&mut self, start: &AsyncStart<'_>, lane: u32) {
        let used = self.used_maps.iter();
        let own = used.copied().find(|touch| u32::from(touch.lane) == lane);
        let is_copy = start.pending.operation.work.is_tensor_copy();
        let Some(touch) = own.filter(|_| is_copy) else {
            return;
        };
        if let Some(bytes) = bytes_of(&touch) {
            let site = self.map_site(start.event, TensorMapAction::Use);
            self.look_async(start, site, lane, bytes);
        }
    }

    fn acquire_maps(
        &mut self,
        state: &mut WarpState,
        event: &SyncEvent<'_>,
        touched: &[TensorMapAccess],
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
            clock.acquire_map(ProxyFence::Map(memory, touch.address), |their, block| {
                scopes_mutually_inclusive(
                    ScopeInstance::new(their, shape.home(block)),
                    ScopeInstance::new(scope, home),
                )
            });
        }
    }

    /// Returns the threads of an access record whose writes are not visible to the tensor-map proxy.
    pub(crate) fn unfenced_of_map(
        &self,
        clock: &VectorClock,
        entry: &AccessRecord,
        bytes: ByteRange,
    ) -> u32 {
        let fenced = clock.fenced(ProxyFence::Map(bytes.memory, bytes.address));
        fenced.map_or(entry.lanes, |rows| {
            rows.unknown(entry.row, entry.lanes, entry.epoch)
        })
    }
}

/// Records a releasing tensor-map fence.
pub(crate) fn release_maps(state: &mut WarpState, event: &SyncEvent<'_>, scope: Option<Scope>) {
    let fence = ProxyFence::MapReleased(scope.unwrap_or(Scope::Gpu), event.block);
    let row = row_of(event.block, event.warp);
    for lane in lanes_of(event.lanes) {
        let own = state.point(row, lane);
        Rc::make_mut(state.clock_mut(lane)).fence(fence, own);
    }
    state.advance_epoch(event.lanes);
}

fn bytes_of(touch: &TensorMapAccess) -> Option<ByteRange> {
    Some(ByteRange::at(
        memory_of(touch.memory)?,
        touch.address,
        TENSOR_MAP_BYTES as u32,
    ))
}
