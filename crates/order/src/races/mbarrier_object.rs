//! The history of an mbarrier object: arrivals, phases, and the vector clock that a completed phase carries.

use crate::races::access_site::AccessSiteId;
use crate::races::release_set::ReleaseSet;
use crate::races::vector_clock::{ClockGroup, Epoch, VectorClock};
use std::rc::Rc;

/// Size of an mbarrier object in bytes.
pub(crate) const OBJECT_BYTES: u32 = 8;

/// History of an mbarrier object.
#[derive(Debug, Default)]
pub(crate) struct MbarrierSyncState {
    /// Arrivals of the current phase and of the previous phase.
    pub(crate) phases: [PhaseClock; 2],
    /// Initialization of the object, until a copy completes on it.
    pub(crate) init: Option<MbarrierInit>,
}

/// Arrivals of one phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhaseClock {
    /// Joined vector clock of all arrivals and completed operations.
    pub(crate) clock: Rc<VectorClock>,
    /// Releases of fences that precede relaxed arrivals.
    pub(crate) message: Rc<ReleaseSet>,
}

/// Initialization of an mbarrier object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MbarrierInit {
    pub(crate) point: Epoch,
    pub(crate) site: AccessSiteId,
}

impl MbarrierSyncState {
    /// Records an arrival or a completed operation in the current phase.
    pub(crate) fn on_completion(
        &mut self,
        row: ClockGroup,
        bit: u32,
        arrival: Option<&VectorClock>,
    ) {
        let [now, _] = &mut self.phases;
        let clock = Rc::make_mut(&mut now.clock);
        clock.advance(row, bit, 1);
        if let Some(arrival) = arrival {
            clock.join(arrival);
        }
    }

    /// Completes the current phase.
    pub(crate) fn end_phase(&mut self) {
        let [now, _] = &mut self.phases;
        let over = std::mem::take(now);
        self.phases = [PhaseClock::default(), over];
    }
}
