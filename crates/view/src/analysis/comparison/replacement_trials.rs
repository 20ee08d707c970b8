//! Continued runs with replaced register values, which show whether a value accounts for a differing store.

use crate::analysis::comparison::differing_store::SearchSide;
use crate::session::Session;
use std::collections::BTreeMap;
use warpgrid_emulator::AccessEvent;
use warpgrid_emulator::EventMask;
use warpgrid_emulator::Machine;
use warpgrid_emulator::MachineStatus;
use warpgrid_emulator::MemoryId;
use warpgrid_emulator::Observer;
use warpgrid_emulator::WarpId;
use warpgrid_program::FunctionId;
use warpgrid_program::RegisterId;

/// Maximum number of continued runs with replaced values in one pass of the search.
const MAX_TRIALS: usize = 256;
/// Maximum number of steps of the continued runs in one pass of the search.
const MAX_TRIAL_STEPS: u64 = 1_000_000;

/// Continued runs with a replaced value.
pub(super) struct Trials<'a> {
    pub(super) session: &'a mut Session,
    pub(super) side: &'a SearchSide,
    /// Bytes that the other run stored.
    pub(super) expected: &'a [u8],
    pub(super) n_trials: usize,
    pub(super) n_steps: u64,
}

/// Observer that checks whether a store writes the expected bytes.
pub(super) struct ExpectedStore<'a> {
    pub(super) address: u64,
    pub(super) expected: &'a [u8],
    pub(super) found: bool,
}

impl Observer for ExpectedStore<'_> {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        for piece in event
            .written()
            .filter(|piece| piece.memory == MemoryId::Global)
        {
            let Some(start) = self.address.checked_sub(piece.address) else {
                continue;
            };
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let stored = event
                .after(piece)
                .get(start..start.saturating_add(self.expected.len()));
            self.found |= stored == Some(self.expected);
        }
    }
}

/// Register values that a trial replaces: for each position of the run, the warp, the lanes, the register and the value.
pub(super) type Replacements = BTreeMap<u64, Vec<(WarpId, u32, (FunctionId, RegisterId), u64)>>;

impl Trials<'_> {
    /// Checks whether the run stores the expected value with replaced register values.
    pub(super) fn succeeds(&mut self, replacements: &Replacements) -> bool {
        let Some((first, _)) = replacements.first_key_value() else {
            return false;
        };
        if self.is_exhausted() {
            return false;
        }
        self.n_trials += 1;
        self.session.seek(*first);
        let mut machine: Machine = self.session.timeline.machine().clone();
        // A replaced predicate can change the number of steps before the store.
        let distance = self.side.end.saturating_sub(*first);
        let budget = distance + distance / 4 + 64;
        let mut watch = ExpectedStore {
            address: self.side.address,
            expected: self.expected,
            found: false,
        };
        for _ in 0..budget {
            for (warp, lanes, register, value) in
                replacements.get(&machine.position()).into_iter().flatten()
            {
                machine.set_register((warp.block, warp.warp), *lanes, *register, *value);
            }
            self.n_steps += 1;
            let status = machine.step(&mut watch);
            if watch.found || status != MachineStatus::Running {
                break;
            }
        }
        watch.found
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.n_trials == MAX_TRIALS || self.n_steps >= MAX_TRIAL_STEPS
    }

    /// Starts another pass, whose number of trials is counted separately.
    pub(super) fn restart(&mut self) {
        (self.n_trials, self.n_steps) = (0, 0);
    }
}
