//! Steps that stored to memory, for the timeline control of a host: a sample of these steps, and their exact number.

use crate::contract::observer::{
    AccessEvent, ContiguousAccess, EventMask, HalfWarpAccess, Observer, PerLaneAccess,
};
use crate::contract::step_event::StepEvent;
use crate::contract::sync_event::SyncEvent;

/// Sample of the steps that stored to memory, which hosts display on a timeline. If the number of steps exceeds a
/// limit, the sample is thinned evenly.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StorePositions {
    /// Sampled steps in ascending order.
    pub steps: Vec<u64>,
    /// Sampling rate: `steps` contains every `one_in`-th step that stored to memory.
    pub one_in: u64,
    /// Number of steps before `known_to` that stored to memory.
    pub n_stores: u64,
    /// End of the range of steps that have been observed.
    pub known_to: u64,
}

impl StorePositions {
    pub(crate) fn add(&mut self, step: u64, max: usize) {
        if step < self.known_to {
            return;
        }
        if self.n_stores.is_multiple_of(self.one_in) {
            if self.steps.len() >= max.max(2) {
                let mut index = 0;
                self.steps.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.one_in *= 2;
            }
            if self.n_stores.is_multiple_of(self.one_in) {
                self.steps.push(step);
            }
        }
        self.n_stores += 1;
    }

    /// Discards the steps from `position` on. `n_stores` is the number of steps before `position` that stored to
    /// memory.
    pub(crate) fn forget_from(&mut self, position: u64, n_stores: u64) {
        if position < self.known_to {
            self.steps
                .truncate(self.steps.partition_point(|step| *step < position));
            self.known_to = position;
            self.n_stores = n_stores;
        }
    }
}

/// Observer that records the steps that store to memory, and forwards all events to another observer.
pub(crate) struct StorePositionObserver<'a> {
    pub(crate) ticks: &'a mut StorePositions,
    pub(crate) max: usize,
    pub(crate) host: &'a mut dyn Observer,
}

impl Observer for StorePositionObserver<'_> {
    fn interest(&self) -> EventMask {
        self.host.interest()
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.host.access(event);
    }

    fn step(&mut self, event: &StepEvent) {
        self.host.step(event);
    }

    fn row(&mut self, access: &ContiguousAccess) -> bool {
        self.host.row(access)
    }

    fn even(&mut self, access: &HalfWarpAccess) -> bool {
        self.host.even(access)
    }

    fn lanes(&mut self, access: &PerLaneAccess<'_>) -> bool {
        self.host.lanes(access)
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        self.host.sync(event);
    }

    fn store_step(&mut self, step: u64) {
        self.ticks.add(step, self.max);
        self.host.store_step(step);
    }
}
