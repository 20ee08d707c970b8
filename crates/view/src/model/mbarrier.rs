//! Mbarrier objects, as pictures need them.

use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};

/// An mbarrier object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MbarrierView {
    /// The shared memory that it is in.
    pub memory: MemoryId,
    /// Bytes from the start of the memory.
    pub offset: u64,
    /// As the source calls it: `full`, `full[1]`; absent where no variable lies there.
    pub name: Option<String>,
    /// What it holds; absent when something else was written over it.
    pub phase: Option<MbarrierPhase>,
    /// Operations in flight that will signal it, and the bytes that they bring.
    pub n_in_flight: u32,
    pub bytes_in_flight: u64,
    pub waiting: Vec<PhaseWaiter>,
}

/// The phase of an mbarrier that is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MbarrierPhase {
    /// 0 for the first phase, 1 for the second, 0 for the third.
    pub parity: u8,
    /// Arrivals that it still waits for.
    pub pending: u32,
    /// Arrivals that the next phase will wait for.
    pub expected: u32,
    /// Bytes that it still waits for; negative where more landed than are expected so far.
    pub bytes: i32,
}

/// Lanes that wait for a phase of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PhaseWaiter {
    /// Linear index.
    pub block: u64,
    pub warp: u32,
    /// Bit `i`: lane `i` waits.
    pub lanes: u32,
    /// The parity of the phase that they wait for.
    pub parity: u8,
    /// Line of the source, from 1.
    pub line: u32,
}
