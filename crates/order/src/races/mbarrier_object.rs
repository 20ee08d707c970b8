//! The history of an mbarrier object: arrivals, phases, and the vector clock that a completed phase carries.

use crate::races::clock::{Clock, Point, Row};
use crate::races::message::Message;
use crate::races::site::SiteId;
use std::rc::Rc;

/// Size of an mbarrier object in bytes.
pub(crate) const OBJECT_BYTES: u32 = 8;

/// History of an mbarrier object.
#[derive(Debug, Default)]
pub(crate) struct Object {
    /// Arrivals of the current phase and of the previous phase.
    pub(crate) phases: [Phase; 2],
    /// Initialization of the object, until a copy completes on it.
    pub(crate) init: Option<Init>,
}

/// Arrivals of one phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase {
    /// Joined vector clock of all arrivals and completed operations.
    pub(crate) clock: Rc<Clock>,
    /// Releases of fences that precede relaxed arrivals.
    pub(crate) message: Rc<Message>,
}

/// Initialization of an mbarrier object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Init {
    pub(crate) point: Point,
    pub(crate) site: SiteId,
}

impl Object {
    /// Records an arrival or a completed operation in the current phase.
    pub(crate) fn land(&mut self, row: Row, bit: u32, arrival: Option<&Clock>) {
        let [now, _] = &mut self.phases;
        let clock = Rc::make_mut(&mut now.clock);
        clock.raise(row, bit, 1);
        if let Some(arrival) = arrival {
            clock.join(arrival);
        }
    }

    /// Completes the current phase.
    pub(crate) fn end_phase(&mut self) {
        let [now, _] = &mut self.phases;
        let over = std::mem::take(now);
        self.phases = [Phase::default(), over];
    }
}
