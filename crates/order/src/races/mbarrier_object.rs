//! The history of an mbarrier object: arrivals, phases, and the vector clock that a completed phase carries.

use crate::races::clock::{Clock, Point, Row};
use crate::races::message::Message;
use crate::races::site::SiteId;
use std::rc::Rc;

pub(crate) const OBJECT_BYTES: u32 = 8;

/// What is kept of an mbarrier.
#[derive(Debug, Default)]
pub(crate) struct Object {
    /// What has arrived in the present phase, and in the one before.
    pub(crate) phases: [Phase; 2],
    /// Its set-up, until a copy completes on it.
    pub(crate) init: Option<Init>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Phase {
    /// What arrivals and landed operations brought.
    pub(crate) clock: Rc<Clock>,
    /// What fences before relaxed arrivals hand on.
    pub(crate) message: Rc<Message>,
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
}
