//! Synchronization through mbarriers: the arrivals of a phase happen before the code after a wait for the phase.

use crate::races::access_site::{
    AccessSite, AccessSiteId, OperandRole, ProxyKind, SiteAccessKind, is_test_result_used, sem_of,
};
use crate::races::accessor::AccessContext;
use crate::races::detector::RaceDetector;
use crate::races::fence_order::ReleasedClock;
use crate::races::location::ByteRange;
use crate::races::location::MemoryInstance;
use crate::races::location::StrongLocation;
use crate::races::mbarrier_object::{MbarrierInit, MbarrierSyncState, OBJECT_BYTES};
use crate::races::release_set::{ReleaseEvent, ReleaseSet};
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{ClockGroup, Epoch, lanes_of};
use crate::races::warp_state::WarpState;
use crate::scope::{Strength, ThreadLocation};
use std::rc::Rc;
use warpgrid_emulator::{MbarrierAccess, MbarrierOperation, SyncEvent};
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::FunctionId;

/// Returns the site of an operation on an mbarrier. The site describes a strong access with system scope, so that two operations on an
/// mbarrier never race.
pub(crate) fn object_site(
    function: FunctionId,
    instruction: u32,
    kind: SiteAccessKind,
) -> AccessSite {
    AccessSite {
        function,
        instruction,
        kind,
        strength: Strength::Strong(Scope::Sys),
        proxy: ProxyKind::Generic,
        asynchronous: false,
        element_bytes: OBJECT_BYTES,
    }
}

/// Operation on one mbarrier object by several lanes with equal epochs.
struct MbarrierSyncOp<'a> {
    act: MbarrierOperation,
    touches: &'a [MbarrierAccess],
    place: StrongLocation,
    row: ClockGroup,
    home: ThreadLocation,
    sem: Sem,
    site: AccessSiteId,
}

impl MbarrierSyncOp<'_> {
    fn lanes(&self) -> u32 {
        lanes_that_touch(self.touches)
    }
}

fn lanes_that_touch(touches: &[MbarrierAccess]) -> u32 {
    let bits = touches.iter().map(|touch| 1 << (touch.lane & 31));
    bits.fold(0, |lanes, bit: u32| lanes | bit)
}

impl RaceDetector {
    pub(crate) fn see_mbarrier(
        &mut self,
        event: &SyncEvent<'_>,
        act: MbarrierOperation,
        touched: &[MbarrierAccess],
    ) {
        let (block, warp) = (event.block, event.warp);
        let mut state = self.take(block, warp);
        let stated = sem_of(&self.program, event.function, event.instruction);
        let sem = stated.unwrap_or(match act {
            MbarrierOperation::Test => Sem::Acquire,
            _ => Sem::Release,
        });
        let site = self.mbarrier_site(event, act);
        if act == MbarrierOperation::Test && !self.is_test_read(event) {
            self.put(block, warp, state);
            return;
        }
        let is_seen = |touch: &MbarrierAccess| match act {
            MbarrierOperation::Test => touch.passed,
            MbarrierOperation::Query => false,
            _ => true,
        };
        let mut left = touched;
        while let Some(first) = left.first() {
            let epoch = |touch: &MbarrierAccess| state.epochs[usize::from(touch.lane & 31)];
            let is_like = |touch: &&MbarrierAccess| {
                is_seen(touch) == is_seen(first)
                    && (touch.block, touch.address) == (first.block, first.address)
                    && epoch(touch) == epoch(first)
            };
            let n = match act {
                // Process lanes that initialize or invalidate an object one by one, because two such lanes write the object and race with
                // each other.
                MbarrierOperation::Init | MbarrierOperation::Invalidate => 1,
                _ => left.iter().take_while(is_like).count().max(1),
            };
            let (touches, rest) = left.split_at(n.min(left.len()));
            left = rest;
            if is_seen(first) {
                let act = MbarrierSyncOp {
                    act,
                    touches,
                    place: (MemoryInstance::Shared(first.block), first.address),
                    row: row_of(block, warp),
                    home: self.shape.home(block),
                    sem,
                    site,
                };
                self.on_mbarrier_op(event, &mut state, &act);
            }
        }
        self.put(block, warp, state);
    }

    /// Checks whether the program reads the result of a test. If the program ignores the result, the test does not wait
    /// for the completion of the phase.
    fn is_test_read(&mut self, event: &SyncEvent<'_>) -> bool {
        let place = (event.function, event.instruction);
        if let Some(known) = self.tests.get(&place) {
            return *known;
        }
        let is_read = is_test_result_used(&self.program, place.0, place.1);
        self.tests.insert(place, is_read);
        is_read
    }

    fn mbarrier_site(&mut self, event: &SyncEvent<'_>, act: MbarrierOperation) -> AccessSiteId {
        let kind = match act {
            MbarrierOperation::Init | MbarrierOperation::Invalidate => SiteAccessKind::Write,
            MbarrierOperation::Test | MbarrierOperation::Query => SiteAccessKind::Read,
            MbarrierOperation::Arrive
            | MbarrierOperation::ArriveExpecting
            | MbarrierOperation::Expect
            | MbarrierOperation::Complete => SiteAccessKind::Atomic,
        };
        self.sites.of(
            event.function,
            event.instruction,
            OperandRole::Only,
            OBJECT_BYTES,
            || {
                let site = object_site(event.function, event.instruction, kind);
                match kind {
                    SiteAccessKind::Write => AccessSite {
                        strength: Strength::Weak,
                        ..site
                    },
                    SiteAccessKind::Read | SiteAccessKind::Atomic => site,
                }
            },
        )
    }

    fn on_mbarrier_op(
        &mut self,
        event: &SyncEvent<'_>,
        state: &mut WarpState,
        act: &MbarrierSyncOp<'_>,
    ) {
        let place = act.place;
        let lanes = act.lanes();
        let first = lanes.trailing_zeros() as usize & 31;
        if act.act == MbarrierOperation::Test {
            self.pass(state, act);
        }
        let by = AccessContext {
            warp: state,
            threads: act.row,
            lanes,
            home: act.home,
            site: act.site,
            as_row: act.row,
            as_lanes: lanes,
            as_epoch: state.epochs[first],
            step: event.step,
        };
        let bytes = ByteRange::at(place.0, place.1, OBJECT_BYTES);
        self.check_bytes(&by, bytes);
        match act.act {
            MbarrierOperation::Init => {
                let init = MbarrierInit {
                    point: state.point(act.row, first),
                    site: act.site,
                };
                let object = MbarrierSyncState {
                    init: Some(init),
                    ..MbarrierSyncState::default()
                };
                self.objects.insert(place, object);
            }
            MbarrierOperation::Invalidate => {
                self.objects.remove(&place);
            }
            MbarrierOperation::Arrive | MbarrierOperation::ArriveExpecting => {
                let ends = |touch: &MbarrierAccess| touch.ends_phase();
                for touches in act.touches.split_inclusive(ends) {
                    self.arrive(event, state, act, lanes_that_touch(touches));
                    self.end_phase(place, touches);
                }
            }
            MbarrierOperation::Expect | MbarrierOperation::Complete => {
                self.end_phase(place, act.touches)
            }
            MbarrierOperation::Test | MbarrierOperation::Query => {}
        }
    }

    /// Completes one phase of an mbarrier object for each operation in `touches` that ends a phase.
    fn end_phase(&mut self, place: StrongLocation, touches: &[MbarrierAccess]) {
        for _ in touches.iter().filter(|touch| touch.ends_phase()) {
            if let Some(object) = self.objects.get_mut(&place) {
                object.end_phase();
            }
        }
    }

    fn arrive(
        &mut self,
        event: &SyncEvent<'_>,
        state: &mut WarpState,
        act: &MbarrierSyncOp<'_>,
        lanes: u32,
    ) {
        let object = self.objects.entry(act.place).or_default();
        let [now, _] = &mut object.phases;
        if act.sem != Sem::Relaxed {
            let present = self.shape.present(event.warp);
            state.release_into(&mut now.clock, act.row, lanes, present);
        }
        if state.has_details() {
            for lane in lanes_of(lanes) {
                state.ungroup(lane);
                let details = state.known_details(lane);
                for fence in details.map_or(&[][..], |details| &details.fences) {
                    Rc::make_mut(&mut now.message).add(fence);
                }
            }
        }
        state.advance_epoch(lanes);
    }

    /// Records that threads have waited for the completion of the previous phase.
    fn pass(&mut self, state: &mut WarpState, act: &MbarrierSyncOp<'_>) {
        let Some(object) = self.objects.get(&act.place) else {
            return;
        };
        let [_, over] = &object.phases;
        let (clock, message) = (Rc::clone(&over.clock), Rc::clone(&over.message));
        let lanes = act.lanes();
        if act.sem != Sem::Relaxed {
            state.join(lanes, &clock);
            if !message.is_empty() {
                for lane in lanes_of(lanes) {
                    message.acquire(state.clock_mut(lane), Scope::Sys, act.home);
                }
            }
            return;
        }
        for lane in lanes_of(lanes) {
            let mut all = ReleaseSet::clone(&message);
            all.add(&ReleaseEvent {
                scope: Scope::Sys,
                home: act.home,
                known: ReleasedClock::Clock(Rc::clone(&clock)),
                own_epoch: Epoch {
                    row: act.row,
                    lane: lane as u32,
                    epoch: 0,
                },
            });
            state.observe_release(lane, act.place, &Rc::new(all));
        }
    }
}
