//! mbarriers: arrivals of a phase order what came before them before what comes after a wait for it.

use super::check::{Accessor, Bytes};
use super::clock::{Clock, Point, Row, join, raise};
use super::detector::Detector;
use super::message::{Message, Release};
use super::shadow::Memory;
use super::site::{Kind, ProxyKind, Side, Site, SiteId, is_answer_read, sem_of};
use super::threads::{Location, Warp, row_of};
use crate::scope::{Home, Strength};
use std::rc::Rc;
use warpgrid_emulator::{MbarrierAct, MbarrierTouch, SyncEvent};
use warpgrid_isa::{Scope, Sem};
use warpgrid_program::FunctionId;

pub(crate) const OBJECT_BYTES: u32 = 8;

/// What is kept of an mbarrier.
#[derive(Debug, Default)]
pub(crate) struct Object {
    /// What has arrived in the present phase, and in the one before.
    phases: [Phase; 2],
    /// Its set-up, until a copy completes on it.
    pub(crate) init: Option<Init>,
}

#[derive(Clone, Debug, Default)]
struct Phase {
    /// What arrivals and landed operations brought.
    clock: Rc<Clock>,
    /// What fences before relaxed arrivals hand on.
    message: Rc<Message>,
}

/// The set-up of an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Init {
    pub(crate) point: Point,
    pub(crate) site: SiteId,
}

impl Object {
    /// An operation, or an arrival with the copies before it, has come in the present phase.
    pub(crate) fn land(&mut self, row: Row, bit: u32, arrival: Option<&Clock>) {
        let [now, _] = &mut self.phases;
        let clock = Rc::make_mut(&mut now.clock);
        clock.raise(row, bit, 1);
        if let Some(arrival) = arrival {
            clock.join(arrival);
        }
    }

    /// The present phase is over.
    pub(crate) fn end_phase(&mut self) {
        let [now, _] = &mut self.phases;
        let over = std::mem::take(now);
        self.phases = [Phase::default(), over];
    }

    fn arrive(&mut self, release: Option<&Release>, fences: &[Release]) {
        let [now, _] = &mut self.phases;
        if let Some(release) = release {
            join(&mut now.clock, &release.clock);
            raise(&mut now.clock, release.own);
        }
        for fence in fences {
            Rc::make_mut(&mut now.message).add(fence);
        }
    }
}

/// The site of an operation on an mbarrier: they are strong towards each other, whatever their scopes.
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

/// A lane's operation on an mbarrier.
struct Act<'a> {
    act: MbarrierAct,
    touch: &'a MbarrierTouch,
    row: Row,
    lane: usize,
    home: Home,
    sem: Sem,
    site: SiteId,
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
        for touch in touched {
            if act == MbarrierAct::Test && !touch.passed || act == MbarrierAct::Look {
                continue;
            }
            let act = Act {
                act,
                touch,
                row: row_of(block, warp),
                lane: usize::from(touch.lane & 31),
                home: self.shape.home(block),
                sem,
                site,
            };
            self.see_act(event, &mut state, &act);
        }
        self.put(block, warp, state);
    }

    /// Whether the program looks at the answer of a test: without, it may come back before the phase is over.
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
        let place: Location = (Memory::Shared(act.touch.block), act.touch.address);
        if act.act == MbarrierAct::Test {
            self.pass(state, act, place);
        }
        let by = Accessor {
            warp: state,
            threads: act.row,
            lanes: 1 << act.lane,
            home: act.home,
            site: act.site,
            as_row: act.row,
            as_lanes: 1 << act.lane,
            as_epoch: state.epochs[act.lane],
            step: event.step,
        };
        let bytes = Bytes {
            memory: place.0,
            address: place.1,
            n: OBJECT_BYTES,
            same_value: false,
            same_among: false,
        };
        self.look(&by, bytes);
        match act.act {
            MbarrierAct::Init => {
                let init = Init {
                    point: state.point(act.row, act.lane),
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
            MbarrierAct::Arrive | MbarrierAct::ArriveExpecting => self.arrive(state, act, place),
            MbarrierAct::Expect | MbarrierAct::Complete | MbarrierAct::Test | MbarrierAct::Look => {
            }
        }
        if act.touch.ends_phase()
            && let Some(object) = self.objects.get_mut(&place)
        {
            object.end_phase();
        }
    }

    fn arrive(&mut self, state: &mut Warp, act: &Act<'_>, place: Location) {
        let release = (act.sem != Sem::Relaxed)
            .then(|| state.release(act.row, act.lane, Scope::Sys, act.home));
        let fences: Vec<Release> = state
            .known_details(act.lane)
            .map_or(Vec::new(), |details| details.fences.clone());
        let object = self.objects.entry(place).or_default();
        object.arrive(release.as_ref(), &fences);
        state.tick(1 << act.lane);
    }

    /// A thread has waited for the phase before the present one.
    fn pass(&mut self, state: &mut Warp, act: &Act<'_>, place: Location) {
        let Some(object) = self.objects.get(&place) else {
            return;
        };
        let [_, over] = &object.phases;
        let (clock, message) = (Rc::clone(&over.clock), Rc::clone(&over.message));
        if act.sem == Sem::Relaxed {
            let mut all = Message::clone(&message);
            all.add(&Release {
                scope: Scope::Sys,
                home: act.home,
                clock,
                own: Point {
                    row: act.row,
                    lane: act.lane as u32,
                    epoch: 0,
                },
            });
            state.details(act.lane).meet(place, &Rc::new(all));
            return;
        }
        join(state.clock_mut(act.lane), &clock);
        message.acquire(state.clock_mut(act.lane), Scope::Sys, act.home);
    }
}
