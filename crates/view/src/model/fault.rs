//! Fault of a run, with the earlier events that are related to the fault.

use crate::model::source_position::SourcePosition;
use crate::model::text::SourceRange;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::FaultSort;
use warpgrid_launch::fault::MemorySpace;

/// Fault that stopped a run, which hosts display: its kind and message, its source line, the faulting thread and lanes, and the faulting
/// address with its buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FaultView {
    pub kind: FaultSort,
    /// Buffer or module variable that contains the faulting address or is adjacent to it. The field is absent if no such buffer or variable
    /// exists.
    pub buffer: Option<String>,
    /// State space of the faulting address. The field is present only if the address is in neither a buffer nor a variable.
    pub space: Option<MemorySpace>,
    pub byte_offset: Option<i64>,
    pub width: Option<u32>,
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub address: Option<String>,
    /// Mask of faulting lanes: bit `i` is lane `i`.
    pub lanes: u32,
    pub range: SourceRange,
    /// Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    pub message: String,
    pub help: Option<String>,
}

/// Event that contributed to a fault, such as the computation of the faulting address, with its step and description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CauseView {
    /// Index of the step in which the event occurred, starting at 0.
    pub step: u64,
    pub range: SourceRange,
    /// Description of the event: "`%rd3`, which holds the address, was computed by lane 5 of warp 0".
    pub text: String,
}
