//! Stores, and operations that are on their way.

use super::SourceRange;
use super::Traffic;
use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::Space;
use warpgrid_launch::value::ElementType;

/// The bytes that one lane stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LaneStore {
    pub lane: u8,
    /// Thread in its block.
    pub thread: [u32; 3],
    pub address: String,
    /// Bytes from the start of the memory; absent when no known memory holds the address.
    pub offset: Option<u64>,
    /// What memory holds of the lane's elements after the store; sinks have no bytes.
    pub bytes: Vec<u8>,
    /// What memory holds after the store, as the store's type; elements separated by commas, `_` for a sink.
    pub value: String,
    /// One per element that is not a sink.
    pub pieces: Vec<PieceView>,
}

/// One element of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PieceView {
    /// Which element of the lane's vector it is.
    pub element: u8,
    /// The lane that gave the address.
    pub asked: u8,
    /// Id of the memory; absent when no known memory holds the address.
    pub memory: Option<MemoryId>,
    pub address: String,
    /// Bytes from the start of the memory.
    pub offset: Option<u64>,
    pub n_bytes: u32,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// What memory holds after.
    pub value: String,
    /// What memory held before.
    pub before: String,
    /// What memory was to take: the stored value, or the result of the atomic.
    pub given: String,
    /// Whether memory took a new value: false for a comparison that failed or a minimum that was there already.
    pub written: bool,
    /// The operand that the lane gave, as written: `%r3`.
    pub source: Option<String>,
}

/// How a step changes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum StoreAction {
    Store,
    /// Returns the old value.
    Atomic,
    /// An atomic that returns nothing.
    Reduction,
}

/// A store as an event of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StoreView {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    /// The instruction as written.
    pub instruction: String,
    /// Its opcode with the modifiers: `st.global.v2.f32`.
    pub opcode: String,
    pub action: StoreAction,
    /// Whether this is the landing of an operation that was in flight.
    pub has_landed: bool,
    /// Id of the memory that the lanes wrote; absent when they wrote several.
    pub memory: Option<MemoryId>,
    /// Ids of all memories that the lanes wrote.
    pub memories: Vec<MemoryId>,
    pub space: Space,
    /// Element type and count per lane: `f32`, 4.
    #[serde(rename = "type")]
    pub ty: ElementType,
    pub n_elements: u32,
    pub lanes: Vec<LaneStore>,
    /// Distinct bytes that were written.
    pub n_bytes: u32,
    /// What the store costs: sectors, lines, wavefronts.
    pub traffic: Traffic,
    /// Its memory order: `weak`, `volatile`, `relaxed`, `release`, `acq_rel` and the like.
    pub order: String,
    /// The threads that a strong store is ordered for: `cta`, `cluster`, `gpu`, `sys`.
    pub scope: Option<String>,
    /// What it says to the caches, as written: `cs`, `L1::no_allocate`. Hints change no result.
    pub hints: Vec<String>,
    /// Lanes that lost a race: another lane of the same store wrote another value to one of their bytes.
    pub lost: u32,
}

/// A store that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PendingView {
    /// Names it towards `land`.
    pub id: u64,
    /// The step that started it.
    pub step: u64,
    /// The step before which it lands by itself; absent while other warps must start their part of it first.
    pub lands_at: Option<u64>,
    pub block: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    pub opcode: String,
    pub pieces: Vec<PendingPieceView>,
}

/// Bytes that an operation in flight will write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PendingPieceView {
    pub lane: u8,
    /// Id of the memory; absent when no known memory holds the address.
    pub memory: Option<MemoryId>,
    pub address: String,
    /// Bytes from the start of the memory.
    pub offset: Option<u64>,
    pub bytes: Vec<u8>,
}
