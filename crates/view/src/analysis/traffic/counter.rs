//! Observer that counts the memory traffic of each instruction during a run.

use crate::analysis::traffic::access::{LaneBytes, WavefrontMode, count_accesses};
use crate::model::traffic::Traffic;
use std::collections::BTreeMap;
use warpgrid_emulator::{AccessAction, AccessEvent, EventMask, Observer};
use warpgrid_isa::MemoryGeometry;

/// Observer that accumulates the memory traffic of each instruction over the observed steps.
#[derive(Debug)]
pub(crate) struct TrafficCounter {
    /// Number of steps, from the start of the run, whose traffic the counts include.
    pub(crate) counted: u64,
    /// Traffic of each instruction, indexed by function and instruction.
    pub(crate) found: BTreeMap<(u32, u32), Traffic>,
    parts: Vec<LaneBytes>,
    shape: MemoryGeometry,
}

impl TrafficCounter {
    /// Returns a counter that has observed no step.
    pub(crate) const fn new(shape: MemoryGeometry) -> TrafficCounter {
        TrafficCounter {
            counted: 0,
            found: BTreeMap::new(),
            parts: Vec::new(),
            shape,
        }
    }
}

impl TrafficCounter {
    /// Returns the traffic that an instruction caused in the counted steps.
    pub(crate) fn at(&self, function: u32, instruction: u32) -> Traffic {
        let found = self.found.get(&(function, instruction));
        found.copied().unwrap_or_default()
    }
}

impl Observer for TrafficCounter {
    fn interest(&self) -> EventMask {
        // The units that execute mbarrier operations serialize them, which no layout of shared memory changes.
        EventMask {
            mbarriers_as_syncs: true,
            ..EventMask::ACCESSES
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.parts.clear();
        self.parts.extend(event.pieces.iter().map(LaneBytes::from));
        let found = count_accesses(
            &self.parts,
            event.mask.count_ones(),
            event.width_bytes,
            event.access_bytes,
            wavefront_mode(event.action),
            self.shape,
        );
        let Traffic {
            global,
            local,
            shared,
            ..
        } = found;
        // Ignore accesses to parameters and constants, because a separate cache serves them, for which the number of sectors is not
        // meaningful.
        if global.requests + local.requests + shared.requests == 0 {
            return;
        }
        let place = (event.function.0, event.instruction);
        self.found.entry(place).or_default().add(&found);
    }
}

/// Returns the rule for the wavefronts of accesses to the same word of shared memory.
pub(crate) const fn wavefront_mode(action: AccessAction) -> WavefrontMode {
    match action {
        AccessAction::Load | AccessAction::Store => WavefrontMode::Together,
        AccessAction::Atomic | AccessAction::Reduction => WavefrontMode::PerAccess,
    }
}
