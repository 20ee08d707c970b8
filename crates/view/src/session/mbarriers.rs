//! Query for the mbarrier objects of the resident blocks, with their state, their pending operations, and the waiting threads.

use crate::model::mbarrier::{MbarrierPhase, MbarrierView, PhaseWaiter};
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use warpgrid_emulator::{CompletionMechanism, WaitReason};

/// Maximum number of mbarrier objects that the view lists.
const MAX_OBJECTS: usize = 64;

impl Session {
    /// Returns the mbarrier objects in the shared memory of the resident blocks, in the order of the blocks.
    pub fn mbarriers(&self) -> Vec<MbarrierView> {
        let machine = self.timeline.machine();
        let mut found = Vec::new();
        for block in machine.blocks() {
            for (offset, state) in machine.mbarriers(block.index) {
                if found.len() == MAX_OBJECTS {
                    return found;
                }
                let (n_in_flight, bytes_in_flight) = self.in_flight(block.index, offset);
                found.push(MbarrierView {
                    memory: MemoryKey::Shared(block.index),
                    offset,
                    name: machine.shared_name(offset),
                    phase: state.map(|state| MbarrierPhase {
                        parity: state.parity.into(),
                        pending: state.pending,
                        expected: state.expected,
                        bytes: state.bytes,
                    }),
                    n_in_flight,
                    bytes_in_flight,
                    waiting: self.waiters(block.index, block.n_warps, offset),
                });
            }
        }
        found
    }

    /// Returns the number of pending operations that complete on an mbarrier object, and the number of bytes that these operations
    /// transfer.
    fn in_flight(&self, of: u64, offset: u64) -> (u32, u64) {
        let pending = self.timeline.machine().pending().iter();
        pending.fold((0, 0), |(n, sum), pending| {
            match pending.operation.completion {
                CompletionMechanism::Mbarrier {
                    block,
                    address,
                    bytes,
                } if (block, address) == (of, offset) => (n + 1, sum + u64::from(bytes)),
                CompletionMechanism::Arrival { block, address, .. }
                    if (block, address) == (of, offset) =>
                {
                    (n + 1, sum)
                }
                CompletionMechanism::Mbarrier { .. }
                | CompletionMechanism::Arrival { .. }
                | CompletionMechanism::None
                | CompletionMechanism::AsyncGroup { .. } => (n, sum),
            }
        })
    }

    fn waiters(&self, block: u64, n_warps: u32, offset: u64) -> Vec<PhaseWaiter> {
        let machine = self.timeline.machine();
        let mut found = Vec::new();
        for warp in 0..n_warps {
            let groups = machine.warp(block, warp).map(|view| view.groups);
            for group in groups.unwrap_or_default() {
                if let Some(WaitReason::MbarrierPhase { address, parity }) = group.waiting
                    && address == offset
                {
                    found.push(PhaseWaiter {
                        block,
                        warp,
                        lanes: group.mask,
                        parity: parity.into(),
                        line: self.range_of(group.function, group.instruction).line,
                    });
                }
            }
        }
        found
    }
}
