//! Dimensions of the launch that the race detector observes.

use crate::scope::ThreadLocation;

/// Dimensions of the grid, the blocks and the clusters of the launch that the race detector observes. The detector locates each thread in
/// the scope hierarchy with these dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedLaunchShape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
}

impl ObservedLaunchShape {
    pub(crate) fn n_threads(&self) -> u32 {
        let [x, y, z] = self.block;
        x * y * z
    }

    pub(crate) fn n_blocks(&self) -> u64 {
        let [x, y, z] = self.grid.map(u64::from);
        x * y * z
    }

    #[inline(always)]
    pub(crate) fn has_clusters(&self) -> bool {
        let [x, y, z] = self.cluster;
        x * y * z > 1
    }

    /// Returns the location of a block in the scope hierarchy, which consists of the block and its cluster.
    #[inline(always)]
    pub(crate) fn home(&self, block: u64) -> ThreadLocation {
        match self.has_clusters() {
            true => self.home_in_cluster(block),
            false => ThreadLocation {
                block,
                cluster: block,
            },
        }
    }

    pub(crate) fn home_in_cluster(&self, block: u64) -> ThreadLocation {
        let [cx, cy, cz] = self.cluster_position(block);
        let [nx, ny] = [0, 1].map(|i: usize| u64::from(self.grid[i] / self.cluster[i].max(1)));
        ThreadLocation {
            block,
            cluster: (cz * ny + cy) * nx + cx,
        }
    }

    /// Returns the linear index of the first block of the cluster that contains a block.
    pub fn first_block_of_cluster(&self, block: u64) -> u64 {
        let [nx, ny, _] = self.grid.map(u64::from);
        let position = self.cluster_position(block);
        let [x, y, z] = [0, 1, 2].map(|i: usize| position[i] * u64::from(self.cluster[i].max(1)));
        (z * ny + y) * nx + x
    }

    /// Returns the position of the cluster of a block in the grid of clusters.
    fn cluster_position(&self, block: u64) -> [u64; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        let at = [block % x, block / x % y, block / (x * y)];
        [0, 1, 2].map(|i: usize| at[i] / u64::from(self.cluster[i].max(1)))
    }

    /// Returns the mask of the lanes of a warp that contain a thread. The last warp of a block may have lanes without a
    /// thread.
    pub fn present(&self, warp: u32) -> u32 {
        let left = self.n_threads().saturating_sub(warp * 32).min(32);
        (u64::from(u32::MAX) >> (32 - left)) as u32
    }
}
