//! What a host shows: grids, lanes, stores, sentences. Plain data, no behaviour.

mod cluster;
mod fault;
mod grid;
mod history;
mod matrix;
mod mbarrier;
mod part;
mod request;
mod step;
mod store;
mod tensor;
mod text;
mod traffic;
mod warp;

pub use cluster::{ClusterBlock, ClusterView};
pub use fault::{CauseView, FaultView};
pub use grid::{Cell, Grid, GridRequest, MemoryView, Written};
pub use history::{CellHistory, CellWrite, HistoryOptions};
pub use matrix::{ElementView, MatrixOperand, MatrixStep, StepProduct};
pub use mbarrier::{MbarrierPhase, MbarrierView, PhaseWaiter};
pub use part::{PartOperandView, PartView};
pub use request::{
    EngineChoice, EngineName, EngineView, FrameRequest, GridOptions, RunOptions, SessionRunOptions,
    UntilOptions,
};
pub use step::{CounterpartView, StepView};
pub use store::{LaneStore, PendingPieceView, PendingView, PieceView, StoreAction, StoreView};
pub use tensor::{TensorCopyView, TensorPieceView, TensorStep, TileCells, TileView};
pub use text::{
    DiagnosticView, EditView, FixView, LabelView, Severity, SourceRange, TokenClass, TokenView,
};
pub use traffic::{BankTraffic, LineTraffic, SectorTraffic, Traffic, TrafficView};
pub use warp::{
    BlockMap, LaneState, LaneView, Progress, RegisterType, RegisterView, ResidentBlock, WarpView,
};

use crate::memory_id::MemoryId;
use serde::{Deserialize, Serialize};
pub use warpgrid_launch::fault::{FaultSort, Space};

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
