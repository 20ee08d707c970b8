//! What a host shows: grids, lanes, stores, sentences. Plain data, no behaviour.

mod text;
mod warp;

pub use text::{
    DiagnosticView, EditView, FixView, LabelView, Severity, SourceRange, TokenClass, TokenView,
};
pub use warp::{
    BlockMap, LaneState, LaneView, Progress, RegisterType, RegisterView, ResidentBlock, WarpView,
};

use crate::blocks::ClusterView;
use crate::causes::CauseView;
use crate::matrix_step::MatrixStep;
use crate::mbarriers::MbarrierView;
use crate::memory_id::MemoryId;
use crate::tensor_step::{TensorStep, TileCells};
use crate::traffic::Traffic;
use serde::{Deserialize, Serialize};
pub use warpgrid_launch::fault::{FaultSort, Space};
use warpgrid_launch::value::ElementType;

/// Where a stretch of a sentence leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum PhraseLink {
    /// To a memory that the step wrote.
    Memory(MemoryId),
    /// To the warp that made the step: linear block and warp.
    Warp(u64, u32),
}

/// A stretch of a sentence; the numbers and names are strong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Phrase {
    pub text: String,
    pub strong: bool,
    /// What the stretch names, when that can be shown.
    pub link: Option<PhraseLink>,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum RunStatus {
    /// Steps remain.
    Running,
    /// Every thread has exited.
    Finished,
    /// The last step faulted; earlier stores remain.
    Faulted,
}

/// What can be shown as a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MemoryView {
    /// A buffer's name, `shared:0` for the shared memory of block 0, `tensor:0` for its tensor memory, `var:table` for a module variable.
    pub id: MemoryId,
    /// The name to show.
    pub title: String,
    pub space: Space,
    /// Address of the first byte: `0x7f0000000400`.
    pub address: String,
    pub size_bytes: u64,
    /// Natural element type, `f32`.
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Extents of the array as declared, outermost first; empty when flat.
    pub shape: Vec<u64>,
    /// Whether an instruction names it: compilers declare many variables that nothing uses.
    pub is_named: bool,
}

/// Which part of which memory to lay out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct GridRequest {
    pub memory: MemoryId,
    /// Element type to show; the natural one when absent.
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    /// Cells per row; chosen from the shape (or 16, 32) when absent.
    #[serde(default)]
    pub columns: Option<u32>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub first_row: u64,
    /// Rows to lay out; at most 512.
    #[serde(default)]
    pub n_rows: Option<u32>,
}

/// A window of memory as a grid of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Grid {
    pub memory: MemoryView,
    #[serde(rename = "type")]
    pub ty: ElementType,
    pub columns: u32,
    pub first_row: u64,
    pub n_rows: u32,
    /// Rows of the whole memory.
    pub total_rows: u64,
    /// Size of the sectors in which the hardware moves this memory; absent for spaces without sectors.
    pub sector_bytes: Option<u32>,
    /// Row by row; the last row may be short.
    pub cells: Vec<Cell>,
    /// Which of them are part of the tiles of the step.
    pub tiles: Vec<TileCells>,
}

/// One element of a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// The value in the chosen type, as short as it can be read.
    pub text: String,
    /// Whether the value is zero (a negative zero is none).
    pub is_zero: bool,
    /// The lane that wrote it last; absent when no store of the run touched it, and in the parts of very large launches of
    /// which only that is known.
    pub lane: Option<u8>,
    /// The step of that store.
    pub step: Option<u64>,
    pub written: Written,
    /// Written by the store of the present step by more than one lane, with other values: the winner is shown.
    pub conflict: bool,
    /// An operation in flight will write it.
    pub pending: bool,
}

/// When a cell was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Written {
    /// No store of the run.
    Never,
    /// By an earlier store.
    Before,
    /// By the store of the present step.
    Now,
}

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

/// A step of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub step: u64,
    /// Linear index of the block, and its coordinates.
    pub block: u64,
    pub block_id: [u32; 3],
    pub warp: u32,
    pub range: SourceRange,
    /// The instruction as written.
    pub instruction: String,
    /// Its opcode with the modifiers.
    pub opcode: String,
    /// The names in the instruction that may be registers.
    pub names: Vec<String>,
    /// Bit `i`: lane `i` takes part.
    pub active: u32,
    /// A store in the other language, PTX or machine code; absent for other steps.
    pub counterpart: Option<CounterpartView>,
    /// What the encoding says of scheduling: `stall 4 cycles, waits for 0`. It has no effect on results.
    pub schedule: Option<String>,
}

/// A store as the other language writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CounterpartView {
    /// `STG.E.64 desc[UR4][R2.64], R4`, with registers of its own.
    pub text: String,
    /// The language of the text, and the machine where it depends on it: `machine code for sm_90`.
    pub language: String,
    /// How far it can be trusted.
    pub about: String,
}

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

/// What a host shows of the present position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct FrameRequest {
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<GridRequest>>", optional))]
    pub grids: Vec<GridRequest>,
    /// The warp to show; that of the last step when absent.
    #[serde(default)]
    pub warp: Option<(u64, u32)>,
}

/// Columns of a grid among those of a cluster.
const CLUSTER_COLUMNS: u32 = 4;

/// Everything a page shows at one position of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// Steps done.
    pub position: u64,
    /// Steps of the whole run, once it is known.
    pub length: Option<u64>,
    pub status: RunStatus,
    /// One sentence about what the last step did.
    pub sentence: Vec<Phrase>,
    /// The step just done; absent at the start.
    pub last: Option<StepView>,
    /// The step that would come next; absent at the end.
    pub next: Option<StepView>,
    /// What the last step stored, if it was a store.
    pub store: Option<StoreView>,
    /// The matrices of the last step, if it was a matrix instruction.
    pub matrix: Option<MatrixStep>,
    /// What the last step started on the tensor units, or what of it landed.
    pub tensor: Option<TensorStep>,
    pub fault: Option<FaultView>,
    /// The earlier events that matter for the fault.
    pub causes: Vec<CauseView>,
    pub memories: Vec<MemoryView>,
    pub grids: Vec<Grid>,
    pub warp: Option<WarpView>,
    /// How far each block is, and which warps exist at present.
    pub blocks: BlockMap,
    /// Steps that stored, for the ticks of the transport; a sample when there are very many.
    pub store_steps: Vec<u64>,
    /// Number of stores up to this position and in all known steps.
    pub stores_done: u64,
    pub stores_known: u64,
    /// The cluster of the block that is shown; absent where clusters are single blocks.
    pub cluster: Option<ClusterView>,
    /// The mbarrier objects of the blocks that are on the machine.
    pub mbarriers: Vec<MbarrierView>,
    /// Operations in flight: stores that an earlier step started and that land in a step of their own.
    pub pending: Vec<PendingView>,
    /// Bounded notes: output of `printf`, choices of the scheduler that mattered.
    pub notes: Vec<String>,
}

impl Frame {
    /// Whether a page that shows this frame shows a memory: of shared memory and tensor memory only that of the shown block and its cluster.
    pub fn shows(&self, memory: &MemoryId) -> bool {
        match memory {
            MemoryId::Buffer(_) | MemoryId::Variable(_) => true,
            MemoryId::Shared(of) | MemoryId::Tensor(of) => match &self.cluster {
                Some(cluster) => cluster.blocks.iter().any(|block| block.block == *of),
                None => *of == self.warp.as_ref().map_or(0, |warp| warp.block),
            },
        }
    }

    /// The columns of a memory's grid where another number than the natural one suits: blocks of a cluster lie side by side.
    pub fn columns_of(&self, memory: &MemoryId) -> Option<u32> {
        match memory {
            MemoryId::Shared(_) if self.cluster.is_some() => Some(CLUSTER_COLUMNS),
            MemoryId::Shared(_)
            | MemoryId::Tensor(_)
            | MemoryId::Buffer(_)
            | MemoryId::Variable(_) => None,
        }
    }
}

/// Options of a run from JavaScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct RunOptions {
    /// Steps after which the run pauses.
    #[serde(default)]
    pub max_steps: Option<f64>,
}

/// Options of a grid from JavaScript: a [`GridRequest`] without its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct GridOptions {
    #[serde(default, rename = "type")]
    pub ty: Option<ElementType>,
    #[serde(default)]
    pub columns: Option<u32>,
    #[serde(default)]
    pub first_row: Option<u64>,
    #[serde(default)]
    pub n_rows: Option<u32>,
}

impl GridOptions {
    /// The request for a memory.
    pub fn request(self, memory: MemoryId) -> GridRequest {
        GridRequest {
            memory,
            ty: self.ty,
            columns: self.columns,
            first_row: self.first_row.unwrap_or(0),
            n_rows: self.n_rows,
        }
    }
}
