//! State of mbarrier objects in the form that hosts display.

use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};

/// The mbarrier object in shared memory that hosts display, with its phase, its pending operations and its waiting threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MbarrierView {
    /// Shared memory that contains the object.
    pub memory: MemoryKey,
    /// Byte offset of the object from the start of the memory.
    pub offset: u64,
    /// Name of the object in the source: `full`, `full[1]`. The field is absent if no variable contains the object.
    pub name: Option<String>,
    /// Current phase of the object. The field is absent if a store has overwritten the object.
    pub phase: Option<MbarrierPhase>,
    /// Number of pending asynchronous operations that complete on the object.
    pub n_in_flight: u32,
    /// Number of bytes that these pending operations transfer.
    pub bytes_in_flight: u64,
    pub waiting: Vec<PhaseWaiter>,
}

/// Current phase of an mbarrier object, which is not yet complete, with its pending counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MbarrierPhase {
    /// Parity of the phase: 0 for the first phase, 1 for the second phase, 0 for the third phase.
    pub parity: u8,
    /// Pending arrival count of the phase.
    pub pending: u32,
    /// Expected arrival count of the next phase.
    pub expected: u32,
    /// Pending tx-count of the phase in bytes. The number is negative if more bytes have completed than the phase expects so far.
    pub bytes: i32,
}

/// Lanes of a warp that wait for a phase of an mbarrier object, with the source line of the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PhaseWaiter {
    /// Linear index of the block of the waiting lanes.
    pub block: u64,
    pub warp: u32,
    /// Mask of the waiting lanes: bit `i` is lane `i`.
    pub lanes: u32,
    /// Parity of the phase for which the lanes wait.
    pub parity: u8,
    /// Source line of the wait instruction, starting at 1.
    pub line: u32,
}
