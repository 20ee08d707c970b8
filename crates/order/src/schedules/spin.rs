//! Detection of spin loops of single warps: iterations that return to the same state and only read memory that did not
//! change.

use crate::races::fast_hash::FastHashMap;
use std::sync::Arc;
use warpgrid_emulator::{Machine, WarpId};
use warpgrid_program::{FunctionId, Program, RegisterId};

/// Maximum number of events that one iteration of a spin loop may contain.
const MAX_ITERATION_EVENTS: usize = 16;

/// Registers that are live before each instruction of a function, computed on demand.
pub(crate) struct LiveRegisterTable {
    program: Arc<Program>,
    functions: FastHashMap<u32, Vec<Arc<[RegisterId]>>>,
}

impl LiveRegisterTable {
    pub(crate) fn new(program: Arc<Program>) -> LiveRegisterTable {
        LiveRegisterTable {
            program,
            functions: FastHashMap::default(),
        }
    }

    /// Returns the registers that are live before an instruction, in ascending order.
    pub(crate) fn before(&mut self, function: FunctionId, instruction: u32) -> Arc<[RegisterId]> {
        let program = &self.program;
        let rows = self.functions.entry(function.0).or_insert_with(|| {
            let Some(function) = program.functions.get(function.0 as usize) else {
                return Vec::new();
            };
            let all = 0..function.instructions.len() as u32;
            let live = program.live_registers(function, all, &[]);
            live.into_iter().map(Arc::from).collect()
        });
        rows.get(instruction as usize).cloned().unwrap_or_default()
    }

    /// Returns the registers that are live after an instruction that is not a branch, in ascending order.
    pub(crate) fn after(&mut self, function: FunctionId, instruction: u32) -> Arc<[RegisterId]> {
        self.before(function, instruction + 1)
    }
}

/// Read-only events of a warp since its last other event or store, each with the hash of the state after the event.
#[derive(Debug, Default)]
pub(crate) struct SpinHistory {
    reads: Vec<(u64, usize)>,
}

impl SpinHistory {
    pub(crate) fn clear(&mut self) {
        self.reads.clear();
    }

    /// Adds a read-only event. Returns the events since the previous event with the same state, including that event, if
    /// there is one.
    pub(crate) fn add(&mut self, state: u64, event: usize) -> Option<Vec<usize>> {
        if self.reads.len() == MAX_ITERATION_EVENTS {
            self.reads.remove(0);
        }
        let known = self.reads.iter().rposition(|(other, _)| *other == state);
        self.reads.push((state, event));
        let iteration = self.reads.get(known?..)?;
        Some(iteration.iter().map(|(_, event)| *event).collect())
    }
}

/// Number of steps without an event or a store after which the search for an endless loop starts.
const FIRST_LOOP_CHECK: u64 = 4096;

/// Search for an endless loop of a warp without events and stores: compares the state of the warp with an earlier state, which is replaced
/// after 4,096, 8,192, 16,384, … steps (Brent, "An Improved Monte Carlo Factorization Algorithm", 1980).
#[derive(Debug, Default)]
pub(crate) struct LoopSearch {
    n_steps: u64,
    /// Program counters and complete state at the earlier step.
    earlier: Option<(u64, u64)>,
}

impl LoopSearch {
    /// Processes a step without an event and a store. Returns whether the warp has returned to an earlier state.
    pub(crate) fn add(
        &mut self,
        machine: &Machine,
        warp: WarpId,
        live: &mut LiveRegisterTable,
    ) -> bool {
        self.n_steps += 1;
        if self.n_steps < FIRST_LOOP_CHECK {
            return false;
        }
        let is_new = self.n_steps.is_power_of_two();
        let Some(place) = place_of(machine, warp) else {
            return false;
        };
        if !is_new && self.earlier.is_none_or(|(earlier, _)| earlier != place) {
            return false;
        }
        let Some(state) = state_of(machine, warp, live) else {
            return false;
        };
        let has_returned = self.earlier == Some((place, state));
        if is_new {
            self.earlier = Some((place, state));
        }
        has_returned
    }
}

/// Hashes the program counters of the lane groups of a warp.
fn place_of(machine: &Machine, warp: WarpId) -> Option<u64> {
    machine.warp_fingerprint(warp.block, warp.warp, &mut |_, _| Arc::from([]))
}

/// Hashes the state of a warp that determines its next steps, without memory.
pub(crate) fn state_of(
    machine: &Machine,
    warp: WarpId,
    live: &mut LiveRegisterTable,
) -> Option<u64> {
    machine.warp_fingerprint(warp.block, warp.warp, &mut |function, instruction| {
        live.before(function, instruction)
    })
}
