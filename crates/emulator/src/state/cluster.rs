//! State of a cluster of co-resident blocks: its barrier, and the shared memory of its blocks for accesses by one of
//! these blocks.

use crate::state::memory::PagedMemory;

/// State of the resident slots of one cluster, which remains after all blocks of the cluster have finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// Linear index of the cluster in the grid of clusters.
    pub(crate) index: u64,
    /// Number of blocks of the cluster that have not finished.
    pub(crate) n_live_blocks: u32,
    pub(crate) barrier: ClusterBarrier,
}

/// Barrier of a cluster (PTX ISA, "barrier.cluster"). A lane that has arrived waits for the completion of the phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterBarrier {
    /// Number of completed phases.
    pub(crate) phase: u64,
    /// Mask of the lanes that have arrived in this phase, for each warp of the cluster, ordered by block. The vector is
    /// allocated on the first arrival.
    arrived: Vec<u32>,
}

impl ClusterBarrier {
    /// Records that lanes of a warp have arrived at the barrier. The warps of a cluster are numbered consecutively.
    pub(crate) fn arrive(&mut self, warp: usize, n_warps: usize, lanes: u32) {
        if self.arrived.len() < n_warps {
            self.arrived.resize(n_warps, 0);
        }
        if let Some(arrived) = self.arrived.get_mut(warp) {
            *arrived |= lanes;
        }
    }

    /// Returns the lanes of a warp that have arrived in the current phase, which is not yet complete.
    pub(crate) fn pending(&self, warp: usize) -> u32 {
        self.arrived.get(warp).copied().unwrap_or(0)
    }

    /// Completes the phase if all live lanes have arrived. `live` contains the live lanes of each warp of the cluster.
    /// Lanes that have exited count as arrived (PTX ISA, "barrier.cluster": all the non-exited threads).
    pub(crate) fn end_phase(&mut self, live: impl Iterator<Item = u32>) -> bool {
        if self.arrived.iter().all(|arrived| *arrived == 0) {
            return false;
        }
        let mut arrived = self.arrived.iter();
        let complete = live
            .map(|live| live & !arrived.next().copied().unwrap_or(0))
            .all(|missing| missing == 0);
        if complete {
            self.arrived.fill(0);
            self.phase += 1;
        }
        complete
    }

    /// Resets the barrier for another cluster that starts in the same resident slots.
    pub(crate) fn reset(&mut self) {
        self.phase = 0;
        self.arrived.fill(0);
    }
}

/// Dimensions of the grid and of its clusters, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GridShape {
    pub(crate) grid: [u32; 3],
    pub(crate) cluster: [u32; 3],
}

impl GridShape {
    /// Returns the linear index of the block with rank `rank` in the cluster that contains `block`, whose own rank is
    /// `own`.
    pub(crate) fn peer(&self, block: u64, own: u32, rank: u32) -> u64 {
        let [cx, cy, _] = self.cluster.map(|n| n.max(1));
        let [gx, gy, _] = self.grid.map(u64::from);
        let linear = |rank: u32| {
            let [x, y, z] = [rank % cx, rank / cx % cy, rank / (cx * cy)].map(u64::from);
            x + gx * (y + gy * z)
        };
        block.wrapping_sub(linear(own)).wrapping_add(linear(rank))
    }
}

/// Shared memory of the other blocks of a cluster, split into blocks with lower and with higher ranks.
#[derive(Debug)]
pub(crate) struct ClusterSharedMemory<'a> {
    pub(crate) before: &'a mut [PagedMemory],
    pub(crate) after: &'a mut [PagedMemory],
}

impl ClusterSharedMemory<'_> {
    /// Splits the shared memory of the blocks in a cluster into the memory of the block with a given rank and the
    /// memory of all other blocks.
    pub(crate) fn split(
        cluster: &mut [PagedMemory],
        rank: usize,
    ) -> Option<(&mut PagedMemory, ClusterSharedMemory<'_>)> {
        let (before, rest) = cluster.split_at_mut_checked(rank)?;
        let (own, after) = rest.split_first_mut()?;
        Some((own, ClusterSharedMemory { before, after }))
    }

    /// Returns the same view of the other blocks' memory, borrowed for a shorter lifetime.
    pub(crate) fn reborrow(&mut self) -> ClusterSharedMemory<'_> {
        ClusterSharedMemory {
            before: self.before,
            after: self.after,
        }
    }

    /// Returns the rank of the block that accesses the memory of the other blocks.
    #[inline(always)]
    pub(crate) fn own_rank(&self) -> u32 {
        self.before.len() as u32
    }

    /// Returns the number of blocks in the cluster.
    #[inline(always)]
    pub(crate) fn n_ranks(&self) -> u32 {
        (self.before.len() + 1 + self.after.len()) as u32
    }

    /// Returns the shared memory of another block. Returns `None` for the rank of the accessing block itself and for
    /// ranks outside of the cluster.
    pub(crate) fn get(&self, rank: u32) -> Option<&PagedMemory> {
        let rank = rank as usize;
        match rank.checked_sub(self.before.len() + 1) {
            Some(after) => self.after.get(after),
            None => self.before.get(rank),
        }
    }

    /// Returns mutable access to the shared memory of another block. Returns `None` for the ranks for which
    /// [`ClusterSharedMemory::get`] returns `None`.
    pub(crate) fn get_mut(&mut self, rank: u32) -> Option<&mut PagedMemory> {
        let rank = rank as usize;
        match rank.checked_sub(self.before.len() + 1) {
            Some(after) => self.after.get_mut(after),
            None => self.before.get_mut(rank),
        }
    }
}
