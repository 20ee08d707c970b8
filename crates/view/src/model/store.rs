//! Stores of a run, and pending asynchronous operations.

use crate::model::text::SourceRange;
use crate::model::traffic::Traffic;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::fault::MemorySpace;
use warpgrid_launch::value::ElementType;

/// Address and values that one lane stored in one [`StoreView`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LaneStore {
    pub lane: u8,
    /// Index of the storing thread in its block.
    pub thread: [u32; 3],
    pub address: String,
    /// Byte offset of the store from the start of the memory. The field is absent if the address is in no known memory.
    pub offset: Option<u64>,
    /// Bytes of the elements of the lane after the store. Elements whose operand is the sink `_` have no bytes.
    pub bytes: Vec<u8>,
    /// Value in memory after the store, in the type of the store. Elements are separated by commas, and `_` is a sink.
    pub value: String,
    /// Elements of the store that are not sinks.
    pub pieces: Vec<PieceView>,
}

/// Element that a lane stored in a [`LaneStore`], with its location and the values before and after the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PieceView {
    /// Index of the element in the vector operand of the lane that stored it.
    pub element: u8,
    /// Lane that supplied the address of the element.
    #[serde(rename = "asked")]
    pub address_lane: u8,
    /// ID of the memory. The field is absent if the address is in no known memory.
    pub memory: Option<MemoryKey>,
    pub address: String,
    /// Byte offset of the element from the start of the memory.
    pub offset: Option<u64>,
    pub n_bytes: u32,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Value of the element in memory after the store.
    pub value: String,
    /// Value of the element in memory before the store.
    pub before: String,
    /// Value that the instruction writes: the stored value, or the result of the atomic operation.
    #[serde(rename = "given")]
    pub stored_value: String,
    /// Whether the instruction modified the memory. The value is false for an atomic compare-and-swap whose comparison failed, or for an
    /// atomic minimum if memory already contained its result.
    pub written: bool,
    /// Source operand of the lane in the notation of the program: `%r3`.
    pub source: Option<String>,
}

/// Kind of the memory modification of a [`StoreView`]: a plain store, an atomic operation with a result, or a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum StoreAction {
    Store,
    /// Atomic operation that returns the old value.
    Atomic,
    /// Atomic operation that returns no value.
    Reduction,
}

/// Store that a step of the run performed, which hosts display with its lanes, its values and its cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StoreView {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    /// Source text of the store instruction.
    pub instruction: String,
    /// Opcode of the store instruction with its modifiers: `st.global.v2.f32`.
    pub opcode: String,
    pub action: StoreAction,
    /// Whether the store is the completion of an asynchronous operation.
    pub has_landed: bool,
    /// ID of the memory that the lanes wrote. The field is absent if the lanes wrote several memories.
    pub memory: Option<MemoryKey>,
    /// IDs of all memories that the lanes of the store wrote.
    pub memories: Vec<MemoryKey>,
    pub space: MemorySpace,
    /// Type of the stored elements: `f32`.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Number of elements that each lane stores.
    pub n_elements: u32,
    pub lanes: Vec<LaneStore>,
    /// Number of distinct bytes that the store wrote.
    pub n_bytes: u32,
    /// Cost of the store, in sectors, cache lines and wavefronts.
    pub traffic: Traffic,
    /// Memory order of the store, such as `weak`, `volatile`, `relaxed`, `release` or `acq_rel`.
    pub order: String,
    /// Scope of a strong store: `cta`, `cluster`, `gpu`, `sys`.
    pub scope: Option<String>,
    /// Cache hints in the notation of the program: `cs`, `L1::no_allocate`. Cache hints do not affect the results of the emulator.
    pub hints: Vec<String>,
    /// Number of lanes with a write conflict. A lane has a write conflict if another lane of the same store wrote a different value to at
    /// least one of its bytes.
    pub lost: u32,
}

/// Store of a [`StoreView`] in compact form: runs of addresses with the stored bytes, instead of one object for each lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CompactStore {
    pub step: u64,
    /// Line of the source, starting at 1.
    pub line: u32,
    pub block: [u32; 3],
    pub warp: u32,
    /// Source text of the store instruction.
    pub instruction: String,
    /// Opcode of the store instruction with its modifiers: `st.global.v2.f32`.
    pub opcode: String,
    /// Whether the store is the completion of an asynchronous operation.
    pub has_landed: bool,
    /// Stored bytes, ordered by lane.
    pub runs: Vec<StoreRun>,
}

/// Sequence of chunks with equal sizes and constant distances in a [`CompactStore`]. A chunk consists of contiguous bytes that one lane
/// stored: chunk `i` contains the bytes of lane `lane + i * laneStep` at the address `address + i * stride`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StoreRun {
    /// ID of the memory. The field is absent if the address is in no known memory.
    pub memory: Option<MemoryKey>,
    /// Lane of the first chunk.
    pub lane: u8,
    pub lane_step: u8,
    /// Address of the first chunk.
    pub address: String,
    /// Byte offset of the first chunk from the start of the memory.
    pub offset: Option<u64>,
    /// Distance in bytes between the addresses of adjacent chunks.
    pub stride: i64,
    /// Number of chunks.
    pub count: u32,
    /// Size of a chunk in bytes.
    pub n_bytes: u32,
    /// Bytes of all chunks after the store, as two hexadecimal digits per byte.
    pub bytes: String,
}

/// Pending asynchronous operation, which hosts display with its origin, its completion step and the bytes that it will write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AsyncOperationView {
    /// ID of the operation. With this ID, a host can request the completion of the operation.
    pub id: u64,
    /// Index of the step that issued the operation.
    pub step: u64,
    /// Index of the step before which the operation completes automatically. The field is absent as long as other warps must issue their
    /// part of the operation.
    pub lands_at: Option<u64>,
    pub block: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    pub opcode: String,
    pub pieces: Vec<AsyncPieceView>,
}

/// Contiguous bytes that a pending asynchronous operation will write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AsyncPieceView {
    pub lane: u8,
    /// ID of the memory. The field is absent if the address is in no known memory.
    pub memory: Option<MemoryKey>,
    pub address: String,
    /// Byte offset of the bytes from the start of the memory.
    pub offset: Option<u64>,
    pub bytes: Vec<u8>,
}
