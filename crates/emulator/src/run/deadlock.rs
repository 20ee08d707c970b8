//! Deadlock detection: finds warps whose wait conditions can never be satisfied.

use crate::contract::fault::{FaultKind, WaitReason, WaitingGroup};
use crate::contract::inspect::MachineStatus;
use crate::contract::mbarrier::MbarrierState;
use crate::exec::memory_context::ExecutionFault;
use crate::exec::wait_conditions::object_at;
use crate::run::machine::Machine;
use crate::state::scheduler::{WarpSlot, can_run};
use crate::state::warp::WarpSplitState;

impl Machine {
    /// Records a deadlock of a cluster if none of its warps is runnable and no operation is in flight for the cluster,
    /// because only warps and operations of the cluster could satisfy the wait conditions.
    /// [`Machine::find_machine_stuck`] handles waits that other clusters can end.
    pub(crate) fn find_cluster_stuck(&mut self, place: WarpSlot) {
        let next = WarpSlot {
            warp: place.warp + 1,
            ..place
        };
        // Fast path: check the next warp first, which is usually runnable.
        if can_run(&self.state.blocks, next) {
            return;
        }
        let n_ranks = self.setup.n_ranks as usize;
        let cluster = self.setup.cluster_of_place(place.block);
        let first = cluster * n_ranks;
        let blocks = self.state.blocks.get(first..first + n_ranks).unwrap_or(&[]);
        if blocks.iter().any(|block| block.can_run()) {
            return;
        }
        let waits_for_others = blocks
            .iter()
            .flat_map(|block| &block.warps)
            .flat_map(|warp| warp.splits.all())
            .any(|split| {
                matches!(split.state, WarpSplitState::Waiting(reason) if !reason.stays_in_cluster())
            });
        if !waits_for_others && !self.state.has_operations(&self.setup, cluster) {
            self.record_deadlock(first..first + n_ranks);
        }
    }

    /// Records a deadlock if the launch is not finished. The caller must ensure that no agent can execute a step.
    pub(crate) fn find_machine_stuck(&mut self) {
        if self.status() == MachineStatus::Running {
            self.record_deadlock(0..self.state.blocks.len());
            if self.state.fault.is_none() {
                let place = WarpSlot { block: 0, warp: 0 };
                self.fail(
                    "no warp or asynchronous operation can execute a step, and no warp is waiting",
                    place,
                );
            }
        }
    }

    /// Returns the state of the mbarrier for which a lane group waits, in the shared memory of the block in this
    /// resident slot.
    pub(crate) fn awaited(&self, place: usize, waits_for: WaitReason) -> Option<MbarrierState> {
        let WaitReason::MbarrierPhase { address, .. } = waits_for else {
            return None;
        };
        MbarrierState::read(object_at(self.state.shared.get(place)?, address)?)
    }

    /// Returns the waiting lane groups of the blocks in the given resident slots.
    pub(crate) fn waiters(&self, places: std::ops::Range<usize>) -> Vec<WaitingGroup> {
        let mut waiting = Vec::new();
        let start = places.start;
        let blocks = self.state.blocks.get(places).unwrap_or(&[]);
        for (place, block) in blocks.iter().enumerate() {
            for warp in &block.warps {
                for split in warp.splits.all() {
                    let WarpSplitState::Waiting(waits_for) = split.state else {
                        continue;
                    };
                    let (function, instruction) = self.setup.code.origin(split.pc);
                    waiting.push(WaitingGroup {
                        block: block.index,
                        warp: warp.index,
                        lanes: split.mask,
                        function,
                        instruction,
                        waits_for,
                        mbarrier: self.awaited(start + place, waits_for),
                        spins_at: None,
                    });
                }
            }
        }
        waiting
    }

    /// Records a deadlock fault with the waiting lane groups of the blocks in the given resident slots.
    fn record_deadlock(&mut self, places: std::ops::Range<usize>) {
        self.note_stuck_parts();
        let waiting = self.waiters(places.clone());
        let Some(first) = waiting.first() else {
            return;
        };
        let (block, lanes) = (first.block, first.lanes);
        let mut places = places;
        let of_block = |at: &usize| self.state.blocks.get(*at).is_some_and(|b| b.index == block);
        let place = WarpSlot {
            block: places.find(of_block).unwrap_or(0),
            warp: first.warp as usize,
        };
        let pc = self.setup.code.pc_of(first.function, first.instruction);
        let kind = FaultKind::Deadlock { waiting };
        self.record_fault(place, pc, *ExecutionFault::new(kind, lanes));
    }
}
