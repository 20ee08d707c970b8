//! The synchronization state of an mbarrier object: its arrivals, its phases, and the vector clock that a completed
//! phase passes to the waiting threads.

use crate::races::access_site::AccessSiteId;
use crate::races::release_set::ReleaseSet;
use crate::races::vector_clock::{ClockGroup, Epoch, VectorClock};
use std::rc::Rc;

/// Size of an mbarrier object in bytes.
pub(crate) const OBJECT_BYTES: u32 = 8;

/// Synchronization state of an mbarrier object: its initialization, and the clocks of its current and previous phase.
#[derive(Debug, Default)]
pub(crate) struct MbarrierSyncState {
    /// Clocks of the arrivals in the current phase and in the previous phase.
    pub(crate) phases: [PhaseClock; 2],
    /// Initialization of the object. The field is `Some` until the first copy completes on the object.
    pub(crate) init: Option<MbarrierInit>,
}

/// Clocks and releases of the arrivals in one phase of an mbarrier, which waiting threads acquire.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhaseClock {
    /// Join of the vector clocks of all arrivals and completed operations of the phase.
    pub(crate) clock: Rc<VectorClock>,
    /// Releases of fences that precede relaxed arrivals.
    pub(crate) message: Rc<ReleaseSet>,
}

/// Initialization of an mbarrier object: the initializing thread and its epoch.
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

    /// Completes the current phase of the mbarrier object.
    pub(crate) fn end_phase(&mut self) {
        let [now, _] = &mut self.phases;
        let over = std::mem::take(now);
        self.phases = [PhaseClock::default(), over];
    }
}
