//! The cluster of the block that is shown.

use super::Progress;
use serde::{Deserialize, Serialize};

/// A cluster whose blocks are on the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClusterView {
    /// By rank.
    pub blocks: Vec<ClusterBlock>,
}

/// A block of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ClusterBlock {
    /// `%cluster_ctarank`
    pub rank: u32,
    /// Linear index in the grid, and the coordinates.
    pub block: u64,
    pub block_id: [u32; 3],
    /// How far each of its warps is.
    pub warps: Vec<Progress>,
}
