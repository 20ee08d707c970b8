//! A cluster of co-resident blocks: its barrier, and the shared memory of its blocks as one of them reaches it.

use crate::state::memory::PagedBytes;

/// A cluster, or the places where one was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// Linear index in the grid of clusters.
    pub(crate) index: u64,
    /// Blocks that are not done.
    pub(crate) n_live_blocks: u32,
    pub(crate) barrier: ClusterBarrier,
}

/// The barrier of a cluster (PTX ISA, "barrier.cluster"): a lane that has arrived waits for the end of the phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterBarrier {
    /// Phases that have ended.
    pub(crate) phase: u64,
    /// Lanes that have arrived in this phase, warp by warp, block after block; made when the first lane arrives.
    arrived: Vec<u32>,
}

impl ClusterBarrier {
    /// Counts the arrival of lanes of a warp; warps are counted over the whole cluster.
    pub(crate) fn arrive(&mut self, warp: usize, n_warps: usize, lanes: u32) {
        if self.arrived.len() < n_warps {
            self.arrived.resize(n_warps, 0);
        }
        if let Some(arrived) = self.arrived.get_mut(warp) {
            *arrived |= lanes;
        }
    }

    /// Lanes of a warp whose phase has not ended: they have arrived, and others have not.
    pub(crate) fn pending(&self, warp: usize) -> u32 {
        self.arrived.get(warp).copied().unwrap_or(0)
    }

    /// Ends the phase if all live lanes have arrived; `live` is by warp, over the whole cluster. Lanes that have
    /// exited count as arrived (PTX ISA, "barrier.cluster": all the non-exited threads).
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

    /// As for a cluster that has not started.
    pub(crate) fn reset(&mut self) {
        self.phase = 0;
        self.arrived.fill(0);
    }
}

/// The extents of the grid and of its clusters, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GridShape {
    pub(crate) grid: [u32; 3],
    pub(crate) cluster: [u32; 3],
}

impl GridShape {
    /// The linear index of the block with rank `rank` in the cluster of `block`, which has rank `own`.
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

/// The shared memory of the other blocks of a cluster: those with a lower and those with a higher rank.
#[derive(Debug)]
pub(crate) struct Peers<'a> {
    pub(crate) before: &'a mut [PagedBytes],
    pub(crate) after: &'a mut [PagedBytes],
}

impl Peers<'_> {
    /// The shared memory of a cluster's blocks, as the block with this rank has it: its own, and its peers'.
    pub(crate) fn split(
        cluster: &mut [PagedBytes],
        rank: usize,
    ) -> Option<(&mut PagedBytes, Peers<'_>)> {
        let (before, rest) = cluster.split_at_mut_checked(rank)?;
        let (own, after) = rest.split_first_mut()?;
        Some((own, Peers { before, after }))
    }

    /// The same, for a shorter time.
    pub(crate) fn reborrow(&mut self) -> Peers<'_> {
        Peers {
            before: self.before,
            after: self.after,
        }
    }

    /// The rank of the block whose peers they are.
    #[inline(always)]
    pub(crate) fn own_rank(&self) -> u32 {
        self.before.len() as u32
    }

    /// Blocks of the cluster.
    #[inline(always)]
    pub(crate) fn n_ranks(&self) -> u32 {
        (self.before.len() + 1 + self.after.len()) as u32
    }

    /// The shared memory of another block; none for the block itself and for ranks that the cluster lacks.
    pub(crate) fn get(&self, rank: u32) -> Option<&PagedBytes> {
        let rank = rank as usize;
        match rank.checked_sub(self.before.len() + 1) {
            Some(after) => self.after.get(after),
            None => self.before.get(rank),
        }
    }

    /// As [`Peers::get`], for changing it.
    pub(crate) fn get_mut(&mut self, rank: u32) -> Option<&mut PagedBytes> {
        let rank = rank as usize;
        match rank.checked_sub(self.before.len() + 1) {
            Some(after) => self.after.get_mut(after),
            None => self.before.get_mut(rank),
        }
    }
}
