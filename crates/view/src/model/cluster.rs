//! Cluster of the displayed block.

use crate::model::warp::BlockProgress;
use serde::{Deserialize, Serialize};

/// Cluster whose blocks are resident.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClusterView {
    /// Blocks by rank.
    pub blocks: Vec<ClusterBlock>,
}

/// Block of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClusterBlock {
    /// `%cluster_ctarank`
    pub rank: u32,
    /// Linear index and coordinates of the block in the grid.
    pub block: u64,
    pub block_id: [u32; 3],
    /// Progress of each warp of the block.
    pub warps: Vec<BlockProgress>,
}
