//! Stores, and pending asynchronous operations.

use crate::model::text::SourceRange;
use crate::model::traffic::Traffic;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::MemorySpace;
use warpgrid_launch::value::ElementType;

/// Bytes that one lane stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LaneStore {
    pub lane: u8,
    /// Thread index in the block.
    pub thread: [u32; 3],
    pub address: String,
    /// Byte offset from the start of the memory. Absent if the address is in no known memory.
    pub offset: Option<u64>,
    /// Bytes of the elements of the lane after the store. Sinks have no bytes.
    pub bytes: Vec<u8>,
    /// Value in memory after the store, in the type of the store. Elements are separated by commas, and `_` is a sink.
    pub value: String,
    /// Elements of the store except sinks.
    pub pieces: Vec<PieceView>,
}

/// Element of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PieceView {
    /// Index of the element in the vector of the lane.
    pub element: u8,
    /// Lane that supplied the address.
    #[serde(rename = "asked")]
    pub address_lane: u8,
    /// ID of the memory. Absent if the address is in no known memory.
    pub memory: Option<MemoryKey>,
    pub address: String,
    /// Byte offset from the start of the memory.
    pub offset: Option<u64>,
    pub n_bytes: u32,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Value in memory after the store.
    pub value: String,
    /// Value in memory before the store.
    pub before: String,
    /// Value to be written: the stored value, or the result of the atomic operation.
    #[serde(rename = "given")]
    pub stored_value: String,
    /// Whether memory was modified. False for a failed comparison, or for a minimum that memory already contained.
    pub written: bool,
    /// Source operand of the lane, as written: `%r3`.
    pub source: Option<String>,
}

/// Kind of a memory modification.
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

/// Store of a run.
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
    /// Opcode with modifiers: `st.global.v2.f32`.
    pub opcode: String,
    pub action: StoreAction,
    /// Whether the store is the completion of an asynchronous operation.
    pub has_landed: bool,
    /// ID of the memory that the lanes wrote. Absent if the lanes wrote several memories.
    pub memory: Option<MemoryKey>,
    /// IDs of all memories that the lanes wrote.
    pub memories: Vec<MemoryKey>,
    pub space: MemorySpace,
    /// Element type, and number of elements per lane: `f32`, 4.
    #[serde(rename = "type")]
    pub ty: ElementType,
    pub n_elements: u32,
    pub lanes: Vec<LaneStore>,
    /// Number of distinct written bytes.
    pub n_bytes: u32,
    /// Cost of the store: sectors, cache lines, wavefronts.
    pub traffic: Traffic,
    /// Memory order, such as `weak`, `volatile`, `relaxed`, `release` or `acq_rel`.
    pub order: String,
    /// Scope of a strong store: `cta`, `cluster`, `gpu`, `sys`.
    pub scope: Option<String>,
    /// Cache hints as written: `cs`, `L1::no_allocate`. Hints do not affect results.
    pub hints: Vec<String>,
    /// Number of lanes with a write conflict, in which another lane of the same store wrote a different value to one of their
    /// bytes.
    pub lost: u32,
}

/// Pending asynchronous operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AsyncOperationView {
    /// ID of the operation for `land`.
    pub id: u64,
    /// Step that issued the operation.
    pub step: u64,
    /// Step before which the operation completes automatically. Absent while other warps must first issue their part of the
    /// operation.
    pub lands_at: Option<u64>,
    pub block: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    pub opcode: String,
    pub pieces: Vec<AsyncPieceView>,
}

/// Bytes that a pending asynchronous operation will write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AsyncPieceView {
    pub lane: u8,
    /// ID of the memory. Absent if the address is in no known memory.
    pub memory: Option<MemoryKey>,
    pub address: String,
    /// Byte offset from the start of the memory.
    pub offset: Option<u64>,
    pub bytes: Vec<u8>,
}
