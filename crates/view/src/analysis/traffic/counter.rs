//! Counts while a run goes on: an observer adds up what each instruction costs.

use crate::analysis::traffic::access::{Part, Passes, count_accesses};
use crate::model::traffic::Traffic;
use std::collections::BTreeMap;
use warpgrid_emulator::{AccessAction, AccessEvent, Interest, Observer};
use warpgrid_isa::MemoryShape;

/// Adds up the traffic of the steps that it observes.
#[derive(Debug)]
pub(crate) struct TrafficCounter {
    /// Number of counted steps from the start.
    pub(crate) counted: u64,
    /// By function and instruction.
    pub(crate) found: BTreeMap<(u32, u32), Traffic>,
    parts: Vec<Part>,
    shape: MemoryShape,
}

impl TrafficCounter {
    /// Nothing is counted yet.
    pub(crate) const fn new(shape: MemoryShape) -> TrafficCounter {
        TrafficCounter {
            counted: 0,
            found: BTreeMap::new(),
            parts: Vec::new(),
            shape,
        }
    }
}

impl TrafficCounter {
    /// What an instruction cost in the steps that are counted.
    pub(crate) fn at(&self, function: u32, instruction: u32) -> Traffic {
        let found = self.found.get(&(function, instruction));
        found.copied().unwrap_or_default()
    }
}

impl Observer for TrafficCounter {
    fn interest(&self) -> Interest {
        Interest::ACCESSES
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.parts.clear();
        self.parts.extend(event.pieces.iter().map(Part::from));
        let found = count_accesses(
            &self.parts,
            event.mask.count_ones(),
            event.width_bytes,
            event.access_bytes,
            passes_of(event.action),
            self.shape,
        );
        let Traffic {
            global,
            local,
            shared,
            ..
        } = found;
        // Parameters and constants come through a cache of their own, which no count of sectors describes.
        if global.requests + local.requests + shared.requests == 0 {
            return;
        }
        let place = (event.function.0, event.instruction);
        self.found.entry(place).or_default().add(&found);
    }
}

/// How lanes meet in shared memory. Arrivals at an mbarrier are atomics there: the assembler makes `ATOMS.ARRIVE` of them for `sm_80`, and
/// `SYNCS`, which the vendor lists with loads and stores, from `sm_90` on.
pub(crate) const fn passes_of(action: AccessAction) -> Passes {
    match action {
        AccessAction::Load | AccessAction::Store => Passes::Together,
        AccessAction::Atomic | AccessAction::Reduction => Passes::OneByOne,
    }
}
