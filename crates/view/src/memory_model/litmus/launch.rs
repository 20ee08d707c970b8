//! Launch dimensions of a litmus test. The module computes the coordinates, clusters and ranks of blocks from the sizes of the grid, block
//! and cluster.

use crate::memory_model::litmus::test::LitmusTest;
use crate::memory_model::litmus::test_module::{LitmusError, fail};

/// Maximum number of blocks in a cluster.
const MAX_BLOCKS: u32 = 16;

/// Sizes of the grid, blocks and clusters of a litmus test, from which the positions of its threads are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchShape {
    grid: [u32; 3],
    block: [u32; 3],
    cluster: [u32; 3],
}

impl LaunchShape {
    /// Returns the launch sizes of a test, or an error if the sizes are invalid.
    pub(crate) fn new(test: &LitmusTest) -> Result<LaunchShape, LitmusError> {
        let (grid, block, cluster) = (test.grid, test.block, test.cluster);
        let all = [grid, block, cluster];
        if all.iter().flatten().any(|extent| *extent == 0) {
            return fail("an extent of the grid, block or cluster is 0, expected at least 1");
        }
        if product(block) > 1024 {
            return fail(format!(
                "the launch has {} threads per block, expected at most 1024",
                product(block)
            ));
        }
        if product(cluster) > u64::from(MAX_BLOCKS) {
            return fail(format!(
                "the launch has {} blocks per cluster, expected at most {MAX_BLOCKS}",
                product(cluster)
            ));
        }
        if product(grid) > u64::from(u32::MAX) {
            return fail("the number of blocks exceeds the maximum grid size");
        }
        let fits = grid.iter().zip(cluster).all(|(n, size)| n % size == 0);
        // Accept a one-dimensional grid of any size, because it can have fewer blocks than a complete cluster.
        if !fits && grid[1..] != [1, 1] {
            return fail("the grid size is not a multiple of the cluster size");
        }
        Ok(LaunchShape {
            grid,
            block,
            cluster,
        })
    }

    pub(crate) fn n_blocks(self) -> u64 {
        product(self.grid)
    }

    pub(crate) fn n_threads(self) -> u32 {
        product(self.block) as u32
    }

    /// Returns the coordinates in the grid of a block with the given linear index.
    pub(crate) fn position(self, block: u32) -> [u32; 3] {
        let [x, y, _] = self.grid;
        [block % x, block / x % y, block / x / y]
    }

    /// Returns the linear index of the cluster of a block, and the rank of the block in the cluster.
    pub(crate) fn home(self, block: u32) -> (u32, u32) {
        let at = self.position(block);
        let [x, y, _] = self.cluster;
        let [cx, cy, cz] = [0, 1, 2].map(|i: usize| at[i] / self.cluster[i]);
        let [nx, ny] = [0, 1].map(|i: usize| self.grid[i].div_ceil(self.cluster[i]));
        let [rx, ry, rz] = [0, 1, 2].map(|i: usize| at[i] % self.cluster[i]);
        ((cz * ny + cy) * nx + cx, (rz * y + ry) * x + rx)
    }

    /// Returns the linear index of the block with the given rank in a cluster.
    pub(crate) fn block_of(self, cluster: u32, rank: u32) -> u32 {
        let [x, y, _] = self.cluster;
        let [nx, ny] = [0, 1].map(|i: usize| self.grid[i].div_ceil(self.cluster[i]));
        let first = [cluster % nx, cluster / nx % ny, cluster / nx / ny];
        let own = [rank % x, rank / x % y, rank / x / y];
        let at = [0, 1, 2].map(|i: usize| first[i] * self.cluster[i] + own[i]);
        (at[2] * self.grid[1] + at[1]) * self.grid[0] + at[0]
    }

    /// Returns the number of blocks in each cluster.
    pub(crate) fn n_ranks(self) -> u32 {
        product(self.cluster) as u32
    }
}

fn product(extents: [u32; 3]) -> u64 {
    extents.iter().map(|n| u64::from(*n)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cluster_and_rank_round_trip_to_block() {
        let shape = LaunchShape {
            grid: [4, 6, 2],
            block: [32, 1, 1],
            cluster: [2, 3, 1],
        };
        for block in 0..48 {
            let (cluster, rank) = shape.home(block);
            assert_eq!(shape.block_of(cluster, rank), block);
            assert!(cluster < 8 && rank < shape.n_ranks());
        }
    }
}
