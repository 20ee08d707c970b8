//! Cluster that contains the displayed block.

use crate::model::warp::BlockProgress;
use serde::{Deserialize, Serialize};

/// Cluster of the displayed block, with the progress of all of its blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClusterView {
    /// Blocks of the cluster, in ascending order of rank.
    pub blocks: Vec<ClusterBlock>,
}

/// Block of a [`ClusterView`], with its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClusterBlock {
    /// Rank of the block in the cluster (`%cluster_ctarank`).
    pub rank: u32,
    /// Linear index of the block in the grid.
    pub block: u64,
    /// Coordinates of the block in the grid.
    pub block_id: [u32; 3],
    /// Progress of each warp of the block.
    pub warps: Vec<BlockProgress>,
}
