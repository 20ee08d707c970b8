//! mbarrier objects in a displayable form.

use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};

/// mbarrier object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MbarrierView {
    /// Shared memory that contains the object.
    pub memory: MemoryKey,
    /// Byte offset of the object from the start of the memory.
    pub offset: u64,
    /// Name of the object in the source: `full`, `full[1]`. Absent if no variable is at this address.
    pub name: Option<String>,
    /// Current phase. Absent if the object was overwritten.
    pub phase: Option<MbarrierPhase>,
    /// Number of pending operations that complete on the object.
    pub n_in_flight: u32,
    /// Number of bytes that these pending operations transfer.
    pub bytes_in_flight: u64,
    pub waiting: Vec<PhaseWaiter>,
}

/// Current, incomplete phase of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MbarrierPhase {
    /// Parity of the phase: 0 for the first phase, 1 for the second, 0 for the third.
    pub parity: u8,
    /// Pending arrival count.
    pub pending: u32,
    /// Expected arrival count of the next phase.
    pub expected: u32,
    /// Pending tx-count in bytes. Negative if more bytes have completed than are expected so far.
    pub bytes: i32,
}

/// Lanes of a warp that wait for a phase of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PhaseWaiter {
    /// Linear index of the block of the waiting lanes.
    pub block: u64,
    pub warp: u32,
    /// Mask of waiting lanes: bit `i` is lane `i`.
    pub lanes: u32,
    /// Parity of the awaited phase.
    pub parity: u8,
    /// Line of the wait in the source, starting at 1.
    pub line: u32,
}
