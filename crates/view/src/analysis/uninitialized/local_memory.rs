//! Reads of local memory that no store of the thread has written. The analysis observes the first steps of a run.

use crate::analysis::MAX_REPEATED_STEPS;
use crate::analysis::uninitialized::{MAX_USES, UninitializedUse};
use crate::session::Session;
use std::collections::HashSet;
use warpgrid_emulator::{AccessAction, AccessEvent, ElementAccess, EventMask, MemoryId, Observer};
use warpgrid_isa::StateSpace;
use warpgrid_program::FunctionId;

/// Observer that records the written bytes of local memory, and the loads that read only unwritten bytes.
#[derive(Default)]
struct LocalMemoryFollower {
    written: HashSet<(MemoryId, u64)>,
    found: Vec<LocalRead>,
}

struct LocalRead {
    function: FunctionId,
    instruction: u32,
    block: u64,
    thread: u32,
    address: u64,
}

impl LocalMemoryFollower {
    /// Checks whether a load reads only bytes that no store has written. Compilers copy structures with their padding, so a load of some
    /// written bytes is not reported.
    fn reads_unwritten(&self, piece: &ElementAccess) -> bool {
        bytes_of(piece).all(|byte| !self.written.contains(&byte))
    }
}

fn bytes_of(piece: &ElementAccess) -> impl Iterator<Item = (MemoryId, u64)> {
    let (memory, first) = (piece.memory, piece.address);
    (0..u64::from(piece.n_bytes)).map(move |byte| (memory, first.wrapping_add(byte)))
}

impl Observer for LocalMemoryFollower {
    fn interest(&self) -> EventMask {
        EventMask::ACCESSES
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        for piece in event.pieces {
            let MemoryId::Local { block, warp, lane } = piece.memory else {
                continue;
            };
            if event.action != AccessAction::Load {
                self.written.extend(bytes_of(piece));
                continue;
            }
            let place = (event.function, event.instruction);
            let mut found = self.found.iter();
            let is_known = found.any(|read| (read.function, read.instruction) == place);
            // Call parameters are registers, although the emulator stores them in local memory.
            if event.space != StateSpace::ParamFunc
                && self.found.len() < MAX_USES
                && !is_known
                && self.reads_unwritten(piece)
            {
                self.found.push(LocalRead {
                    function: event.function,
                    instruction: event.instruction,
                    block,
                    thread: warp * 32 + lane,
                    address: piece.address,
                });
            }
        }
    }
}

impl Session {
    /// Returns the reads of unwritten local memory in the first steps of the launch.
    pub(super) fn uninitialized_local_reads(&self) -> Vec<UninitializedUse> {
        let functions = self.program.functions.iter();
        let mut variables = functions.flat_map(|function| &function.variables);
        // SASS declares no local variables, and its spill slots follow the calling convention of the compiler.
        if !variables.any(|variable| variable.space == StateSpace::Local) {
            return Vec::new();
        }
        let Ok(mut again) = self.restart_without_last_writers() else {
            return Vec::new();
        };
        let mut follower = LocalMemoryFollower::default();
        again
            .timeline
            .run_observed(MAX_REPEATED_STEPS, &mut follower);
        let uses = follower.found.into_iter().map(|read| UninitializedUse {
            function: read.function,
            instruction: read.instruction,
            message: format!(
                "thread {} of block {} reads byte {} of its local memory, which no store has written",
                read.thread, read.block, read.address
            ),
        });
        uses.collect()
    }
}
