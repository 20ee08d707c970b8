//! Effects of one step on memory and on other threads, which the summary sentence and the views describe.

use crate::session::step::stores::StoreCollector;
use warpgrid_emulator::{
    AccessEvent, ArrivalMode, AsyncGroupKind, EventMask, GroupWait, InFlightOperation,
    MbarrierAccess, MbarrierOperation, MbarrierState, Observer, StepEvent, SyncEvent, SyncKind,
};

/// Owned copy of a synchronization event.
#[derive(Clone, Debug)]
pub(crate) enum SyncEffect {
    Fence,
    BarrierArrived {
        id: u32,
        mode: ArrivalMode,
    },
    BarrierCompleted {
        id: u32,
    },
    WarpBarrierCompleted {
        n_lanes: u32,
    },
    ClusterArrived,
    ClusterBarrierCompleted,
    ClusterWaited,
    Mbarrier {
        operation: MbarrierOperation,
        accesses: Vec<MbarrierAccess>,
    },
    Issued(Box<InFlightOperation>),
    Committed(AsyncGroupKind),
    Waited(GroupWait),
    Completed {
        operation: Box<InFlightOperation>,
        /// State of the completion mbarrier before and after the completion, if there is an mbarrier.
        signal: Option<[MbarrierState; 2]>,
    },
    Exited,
}

impl SyncEffect {
    /// Copies an event. Returns `None` for an event that the summary sentence does not describe.
    fn of(event: &SyncEvent<'_>) -> Option<SyncEffect> {
        Some(match event.what {
            SyncKind::Fence => SyncEffect::Fence,
            SyncKind::BarrierArrived { id, waits } => {
                SyncEffect::BarrierArrived { id, mode: waits }
            }
            SyncKind::BarrierCompleted { id } => SyncEffect::BarrierCompleted { id },
            SyncKind::WarpBarrierCompleted { .. } => SyncEffect::WarpBarrierCompleted {
                n_lanes: event.lanes.count_ones(),
            },
            SyncKind::ClusterArrived => SyncEffect::ClusterArrived,
            SyncKind::ClusterOpened => SyncEffect::ClusterBarrierCompleted,
            SyncKind::ClusterPassed => SyncEffect::ClusterWaited,
            SyncKind::Mbarrier { act, touched } => SyncEffect::Mbarrier {
                operation: act,
                accesses: touched.to_vec(),
            },
            SyncKind::Started(operation) => SyncEffect::Issued(Box::new(operation.clone())),
            SyncKind::Committed(kind) => SyncEffect::Committed(kind),
            SyncKind::Waited(wait) => SyncEffect::Waited(wait),
            SyncKind::Completed { pending, signal } => SyncEffect::Completed {
                operation: Box::new(pending.clone()),
                signal,
            },
            SyncKind::Exited => SyncEffect::Exited,
            SyncKind::Matrices { .. } | SyncKind::TensorMap { .. } => return None,
        })
    }
}

/// Observer that collects the accesses and the synchronization events of one step.
#[derive(Debug)]
pub(crate) struct StepCollector {
    pub(crate) accesses: StoreCollector,
    /// Synchronization events with the indices of their instructions, in order.
    effects: Vec<(u32, SyncEffect)>,
}

impl StepCollector {
    /// Returns a collector that keeps at most `limit` stores and `limit` loads.
    pub(crate) fn new(limit: usize) -> StepCollector {
        StepCollector {
            accesses: StoreCollector::new(limit).with_loads(),
            effects: Vec::new(),
        }
    }

    /// Returns the synchronization events of the step whose last instruction is `instruction`. If this instruction has synchronization
    /// events, the result omits the events of the other instructions of the step, such as the initialization of an inferred mbarrier.
    pub(crate) fn effects_of(&mut self, instruction: u32) -> Vec<SyncEffect> {
        let first = self.effects.iter().position(|(of, _)| *of == instruction);
        self.effects
            .drain(..)
            .skip(first.unwrap_or(0))
            .map(|(_, effect)| effect)
            .collect()
    }
}

impl Observer for StepCollector {
    fn interest(&self) -> EventMask {
        EventMask {
            syncs: true,
            private_accesses: true,
            ..self.accesses.interest()
        }
    }

    fn step(&mut self, event: &StepEvent) {
        self.accesses.step(event);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.accesses.access(event);
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        let effect = SyncEffect::of(event);
        self.effects
            .extend(effect.map(|effect| (event.instruction, effect)));
    }
}
