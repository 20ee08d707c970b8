//! State of a resident block: its warps and its named barriers.

use crate::contract::fault::WaitReason;
use crate::state::warp::WarpSplitState;
use crate::state::{LiveStorage, StateStorage};

/// Number of named barriers of a block.
pub(crate) const N_BARRIERS: usize = 16;

/// Arrival state of one named barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Barrier {
    /// Mask of the arrived lanes of each warp, including lanes that do not wait (`bar.arrive`).
    pub(crate) arrived: Vec<u32>,
    /// Thread count that the first arrival specified. 0 denotes all threads of the block.
    pub(crate) expected: u32,
}

/// State of a resident slot: its block with the warps and barriers, which remains in the slot after the block has
/// finished.
#[derive(Clone, Debug)]
pub(crate) struct Block<F: StateStorage = LiveStorage> {
    /// Linear index of the block in the grid.
    pub(crate) index: u64,
    pub(crate) position: [u32; 3],
    pub(crate) warps: Vec<F::Warp>,
    pub(crate) barriers: F::Barriers,
    /// Number of warps with live lanes.
    pub(crate) n_live_warps: u32,
    /// Whether barriers of the block have changed since the last snapshot.
    pub(crate) dirty: bool,
}

impl Block {
    pub(crate) fn finished(&self) -> bool {
        self.n_live_warps == 0
    }

    /// Checks whether any warp of the block has a ready group of lanes.
    pub(crate) fn can_run(&self) -> bool {
        self.warps.iter().any(|warp| warp.can_run())
    }

    /// Checks whether all threads that a barrier expects have arrived. Like hardware, the emulator counts each warp as
    /// 32 threads (PTX ISA, "bar": thread counts are multiples of the warp size).
    pub(crate) fn barrier_complete(&self, id: usize) -> bool {
        let Some(barrier) = self.barriers.get(id) else {
            return false;
        };
        let mut come = 0u32;
        let mut all = 0u32;
        for (warp, arrived) in self.warps.iter().zip(&barrier.arrived) {
            let live = warp.live();
            if live != 0 || *arrived != 0 {
                all += 32;
            }
            if *arrived != 0 {
                come += if live & !arrived == 0 {
                    32
                } else {
                    arrived.count_ones()
                };
            }
        }
        if barrier.expected == 0 {
            come > 0 && come >= all
        } else {
            come >= barrier.expected
        }
    }

    /// Checks whether any lanes of the block wait at a barrier.
    pub(crate) fn waiting_at(&self, id: u32) -> bool {
        self.warps.iter().any(|warp| {
            warp.splits
                .all()
                .iter()
                .any(|split| split.state == WarpSplitState::Waiting(WaitReason::Barrier { id }))
        })
    }
}
