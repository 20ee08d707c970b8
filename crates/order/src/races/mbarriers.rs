//! Synchronization through mbarriers: the arrivals of a phase happen before the code after a wait for the phase.

use crate::races::accessor::Accessor;
use crate::races::clock::row_of;
use crate::races::clock::{Point, Row, lanes_of};
use crate::races::detector::Detector;
use crate::races::location::Bytes;
use crate::races::location::Location;
use crate::races::location::Memory;
use crate::races::mbarrier_object::{Init, OBJECT_BYTES, Object};
use crate::races::message::{Message, Release};
use crate::races::site::{Kind, ProxyKind, Side, Site, SiteId, is_answer_read, sem_of};
use crate::races::threads::Warp;
use crate::races::turns::Knowledge;
use crate::scope::{Home, Strength};
use std::rc::Rc;
use warpgrid_emulator::{MbarrierAct, MbarrierTouch, SyncEvent};
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::FunctionId;

/// Returns the site of an operation on an mbarrier, which is strong with system scope. Two such operations never race.
pub(crate) fn object_site(function: FunctionId, instruction: u32, kind: Kind) -> Site {
    Site {
        function,
        instruction,
        kind,
        strength: Strength::Strong(Scope::Sys),
        proxy: ProxyKind::Generic,
        asynchronous: false,
        element_bytes: OBJECT_BYTES,
    }
}

/// Operation of lanes with equal epochs on one mbarrier.
struct Act<'a> {
    act: MbarrierAct,
    touches: &'a [MbarrierTouch],
    place: Location,
    row: Row,
    home: Home,
    sem: Sem,
    site: SiteId,
}

impl Act<'_> {
    fn lanes(&self) -> u32 {
        lanes_that_touch(self.touches)
    }
}

fn lanes_that_touch(touches: &[MbarrierTouch]) -> u32 {
    let bits = touches.iter().map(|touch| 1 << (touch.lane & 31));
    bits.fold(0, |lanes, bit: u32| lanes | bit)
}

impl Detector {
    pub(crate) fn see_mbarrier(
        &mut self,
        event: &SyncEvent<'_>,
        act: MbarrierAct,
        touched: &[MbarrierTouch],
    ) {
        let (block, warp) = (event.block, event.warp);
        let mut state = self.take(block, warp);
        let stated = sem_of(&self.program, event.function, event.instruction);
        let sem = stated.unwrap_or(match act {
            MbarrierAct::Test => Sem::Acquire,
            _ => Sem::Release,
        });
        let site = self.mbarrier_site(event, act);
        if act == MbarrierAct::Test && !self.is_test_read(event) {
            self.put(block, warp, state);
            return;
        }
        let is_seen = |touch: &MbarrierTouch| match act {
            MbarrierAct::Test => touch.passed,
            MbarrierAct::Look => false,
            _ => true,
        };
        let mut left = touched;
        while let Some(first) = left.first() {
            let epoch = |touch: &MbarrierTouch| state.epochs[usize::from(touch.lane & 31)];
            let is_like = |touch: &&MbarrierTouch| {
                is_seen(touch) == is_seen(first)
                    && (touch.block, touch.address) == (first.block, first.address)
                    && epoch(touch) == epoch(first)
            };
            let n = match act {
                // Each lane writes the object, so the lanes race with each other.
                MbarrierAct::Init | MbarrierAct::Invalidate => 1,
                _ => left.iter().take_while(is_like).count().max(1),
            };
            let (touches, rest) = left.split_at(n.min(left.len()));
            left = rest;
            if is_seen(first) {
                let act = Act {
                    act,
                    touches,
                    place: (Memory::Shared(first.block), first.address),
                    row: row_of(block, warp),
                    home: self.shape.home(block),
                    sem,
                    site,
                };
                self.see_act(event, &mut state, &act);
            }
        }
        self.put(block, warp, state);
    }

    /// Checks whether the program reads the result of a test. A test without a used result does not wait for the
    /// completion of the phase.
    fn is_test_read(&mut self, event: &SyncEvent<'_>) -> bool {
        let place = (event.function, event.instruction);
        if let Some(known) = self.tests.get(&place) {
            return *known;
        }
        let is_read = is_answer_read(&self.program, place.0, place.1);
        self.tests.insert(place, is_read);
        is_read
    }

    fn mbarrier_site(&mut self, event: &SyncEvent<'_>, act: MbarrierAct) -> SiteId {
        let kind = match act {
            MbarrierAct::Init | MbarrierAct::Invalidate => Kind::Write,
            MbarrierAct::Test | MbarrierAct::Look => Kind::Read,
            MbarrierAct::Arrive
            | MbarrierAct::ArriveExpecting
            | MbarrierAct::Expect
            | MbarrierAct::Complete => Kind::Atomic,
        };
        self.sites.of(
            event.function,
            event.instruction,
            Side::Only,
            OBJECT_BYTES,
            || {
                let site = object_site(event.function, event.instruction, kind);
                match kind {
                    Kind::Write => Site {
                        strength: Strength::Weak,
                        ..site
                    },
                    Kind::Read | Kind::Atomic => site,
                }
            },
        )
    }

    fn see_act(&mut self, event: &SyncEvent<'_>, state: &mut Warp, act: &Act<'_>) {
        let place = act.place;
        let lanes = act.lanes();
        let first = lanes.trailing_zeros() as usize & 31;
        if act.act == MbarrierAct::Test {
            self.pass(state, act);
        }
        let by = Accessor {
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
        let bytes = Bytes::at(place.0, place.1, OBJECT_BYTES);
        self.look(&by, bytes);
        match act.act {
            MbarrierAct::Init => {
                let init = Init {
                    point: state.point(act.row, first),
                    site: act.site,
                };
                let object = Object {
                    init: Some(init),
                    ..Object::default()
                };
                self.objects.insert(place, object);
            }
            MbarrierAct::Invalidate => {
                self.objects.remove(&place);
            }
            MbarrierAct::Arrive | MbarrierAct::ArriveExpecting => {
                let ends = |touch: &MbarrierTouch| touch.ends_phase();
                for touches in act.touches.split_inclusive(ends) {
                    self.arrive(event, state, act, lanes_that_touch(touches));
                    self.end_phase(place, touches);
                }
            }
            MbarrierAct::Expect | MbarrierAct::Complete => self.end_phase(place, act.touches),
            MbarrierAct::Test | MbarrierAct::Look => {}
        }
    }

    /// Completes the phase of an object for each operation that completes one.
    fn end_phase(&mut self, place: Location, touches: &[MbarrierTouch]) {
        for _ in touches.iter().filter(|touch| touch.ends_phase()) {
            if let Some(object) = self.objects.get_mut(&place) {
                object.end_phase();
            }
        }
    }

    fn arrive(&mut self, event: &SyncEvent<'_>, state: &mut Warp, act: &Act<'_>, lanes: u32) {
        let object = self.objects.entry(act.place).or_default();
        let [now, _] = &mut object.phases;
        if act.sem != Sem::Relaxed {
            let present = self.shape.present(event.warp);
            state.hand_on(&mut now.clock, act.row, lanes, present);
        }
        if state.has_details() {
            for lane in lanes_of(lanes) {
                state.part(lane);
                let details = state.known_details(lane);
                for fence in details.map_or(&[][..], |details| &details.fences) {
                    Rc::make_mut(&mut now.message).add(fence);
                }
            }
        }
        state.tick(lanes);
    }

    /// Records that threads have waited for the previous phase.
    fn pass(&mut self, state: &mut Warp, act: &Act<'_>) {
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
            let mut all = Message::clone(&message);
            all.add(&Release {
                scope: Scope::Sys,
                home: act.home,
                known: Knowledge::Clock(Rc::clone(&clock)),
                own: Point {
                    row: act.row,
                    lane: lane as u32,
                    epoch: 0,
                },
            });
            state.meet(lane, act.place, &Rc::new(all));
        }
    }
}
