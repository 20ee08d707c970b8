//! What went wrong in a run, and the earlier events that matter for it.

use super::SourceRange;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::FaultSort;
use warpgrid_launch::fault::Space;

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FaultView {
    pub kind: FaultSort,
    /// The buffer or module variable that the address lies in or next to.
    pub buffer: Option<String>,
    /// The memory, where it is neither.
    pub space: Option<Space>,
    pub byte_offset: Option<i64>,
    pub width: Option<u32>,
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub address: Option<String>,
    /// Bit `i`: lane `i` would have faulted.
    pub lanes: u32,
    pub range: SourceRange,
    pub message: String,
    pub help: Option<String>,
}

/// An earlier event that matters for a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CauseView {
    /// The number of the step (from 0).
    pub step: u64,
    pub range: SourceRange,
    /// What happened there: "`%rd3`, which holds the address, was computed by lane 5 of warp 0".
    pub text: String,
}
