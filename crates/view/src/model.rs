//! Types of the data that hosts display, such as grids, lanes, stores and sentences. The types are plain data.

pub(crate) mod cluster;
pub(crate) mod fault;
pub(crate) mod grid;
pub(crate) mod history;
pub(crate) mod inline_asm_block;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod request;
pub(crate) mod source_position;
pub(crate) mod step;
pub(crate) mod store;
pub(crate) mod tensor;
pub(crate) mod text;
pub(crate) mod timeline;
pub(crate) mod traffic;
pub(crate) mod warp;

pub use crate::model::cluster::{ClusterBlock, ClusterView};
pub use crate::model::fault::{CauseView, FaultView};
pub use crate::model::grid::{GridCell, GridRequest, MemoryGrid, MemoryView, WriteAge};
pub use crate::model::history::{CellHistory, CellWrite, HistoryOptions};
pub use crate::model::inline_asm_block::{InlineAsmView, SnippetOperand};
pub use crate::model::matrix::{ElementView, MatrixOperandView, MatrixStep, StepMma};
pub use crate::model::mbarrier::{MbarrierPhase, MbarrierView, PhaseWaiter};
pub use crate::model::request::{
    EngineChoice, EngineKind, EngineView, FrameRequest, GridOptions, RunOptions, SessionRunOptions,
    StopOptions,
};
pub use crate::model::step::{CounterpartView, StepView};
pub use crate::model::store::{
    AsyncOperationView, AsyncPieceView, CompactStore, LaneStore, PieceView, StoreAction, StoreRun,
    StoreView,
};
pub use crate::model::tensor::{TensorCopyView, TensorPieceView, TensorStep, TileCells, TileView};
pub use crate::model::text::{
    DiagnosticView, EditView, FixView, LabelView, SemanticTokenKind, Severity, SourceRange,
    TokenView,
};
pub use crate::model::timeline::{
    LinkKind, MarkKind, SpanState, TimelineLink, TimelineMark, TimelineOptions, TimelinePoint,
    TimelineSpan, TimelineTrack, TimelineView, TrackKind,
};
pub use crate::model::traffic::{
    BankTraffic, LineTraffic, SectorTraffic, SourceTraffic, Traffic, TrafficView,
};
pub use crate::model::warp::{
    BlockMap, BlockProgress, LaneState, LaneView, RegisterType, RegisterView, ResidentBlock,
    WarpView,
};

use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
pub use warpgrid_emulator::MachineStatus as RunStatus;
pub use warpgrid_launch::fault::{FaultSort, MemorySpace};

/// Object that the page displays when the user clicks a part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum PhraseLink {
    /// Link to a memory that the step wrote.
    Memory(MemoryKey),
    /// Link to the warp that executed the step: the linear index of its block, and the index of the warp in the block.
    Warp(u64, u32),
}

/// Part of a sentence about a step, which hosts display. Hosts emphasize numbers and names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Phrase {
    pub text: String,
    pub strong: bool,
    /// Object that this part of the sentence names, if the host can display the object.
    pub link: Option<PhraseLink>,
}

/// Number of grid columns for each block in a grid that displays the blocks of a cluster side by side.
const CLUSTER_COLUMNS: u32 = 4;

/// All data that the page displays for one position of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionFrame {
    /// Number of steps that the run has executed.
    pub position: u64,
    /// Number of steps of the complete run. The field is absent as long as this number is unknown.
    pub length: Option<u64>,
    pub status: RunStatus,
    /// Summary sentence of the last executed step.
    pub sentence: Vec<Phrase>,
    /// Last step that the run executed. The field is absent at the start of the run.
    pub last: Option<StepView>,
    /// Step that the run executes next. The field is absent at the end of the run.
    pub next: Option<StepView>,
    /// Store that the last step performed. The field is absent if the last step performed no store.
    pub store: Option<StoreView>,
    /// Matrices of the last step. The field is absent if the last step was not a matrix instruction.
    pub matrix: Option<MatrixStep>,
    /// Tensor operation that the last step started or completed.
    pub tensor: Option<TensorStep>,
    pub fault: Option<FaultView>,
    /// Earlier events that are related to the fault.
    pub causes: Vec<CauseView>,
    pub memories: Vec<MemoryView>,
    pub grids: Vec<MemoryGrid>,
    pub warp: Option<WarpView>,
    /// Progress of each block of the launch, and the resident warps.
    pub blocks: BlockMap,
    /// Positions after steps with stores, which the timeline of the page marks. If the number of these positions is very large, the list
    /// contains only a sample of them.
    pub store_steps: Vec<u64>,
    /// Number of stores that the run has executed up to this position.
    pub stores_done: u64,
    /// Number of stores in all steps that are known so far.
    pub stores_known: u64,
    /// Cluster of the displayed block. The field is absent if the launch has no clusters.
    pub cluster: Option<ClusterView>,
    /// The mbarrier objects of the resident blocks.
    pub mbarriers: Vec<MbarrierView>,
    /// Pending asynchronous operations, which an earlier step issued and a later step completes.
    pub pending: Vec<AsyncOperationView>,
    /// Notes of the run, such as output of `printf` and relevant choices of the scheduler. The number of notes is limited.
    pub notes: Vec<String>,
}

impl SessionFrame {
    /// Checks whether a page with this frame displays a memory. The page displays the shared memory and tensor memory only of the displayed
    /// block and of the other blocks in its cluster.
    pub fn shows(&self, memory: &MemoryKey) -> bool {
        match memory {
            MemoryKey::Buffer(_) | MemoryKey::Variable(_) => true,
            MemoryKey::Shared(of) | MemoryKey::Tensor(of) => match &self.cluster {
                Some(cluster) => cluster.blocks.iter().any(|block| block.block == *of),
                None => *of == self.warp.as_ref().map_or(0, |warp| warp.block),
            },
        }
    }

    /// Returns the number of grid columns for a memory if the page displays the blocks of a cluster side by side, otherwise `None` for the
    /// default number.
    pub fn columns_of(&self, memory: &MemoryKey) -> Option<u32> {
        match memory {
            MemoryKey::Shared(_) if self.cluster.is_some() => Some(CLUSTER_COLUMNS),
            MemoryKey::Shared(_)
            | MemoryKey::Tensor(_)
            | MemoryKey::Buffer(_)
            | MemoryKey::Variable(_) => None,
        }
    }
}
