//! Executes a checked program warp by warp: registers, memory, divergence, barriers, asynchronous operations and time travel.
//!
//! - Input and output: a [`warpgrid_program::Program`] and a [`Launch`]; memory, events for an [`Observer`], and faults.
//! - Main types: [`Machine`] executes steps; [`Timeline`] moves to any step of a run; [`plain::Plain`] is the interface of the translator.
//! - Invariants: a run is a function of program, launch and seed; a module imports only lower layers (see the README).
//! - Tests: `cargo test -p warpgrid-emulator` in seconds; `crates/view/tests` run kernels, and `crates/translate/tests` compare engines.

pub(crate) mod code;
pub(crate) mod contract;
pub(crate) mod decode;
pub(crate) mod exec;
pub(crate) mod past;
pub mod plain;
pub(crate) mod run;
pub(crate) mod semantics;
pub(crate) mod state;

pub use crate::contract::event::{Agent, Outcome, PendingId, StepEvent, WarpId};
pub use crate::contract::fault::{
    AccessFault, AccessKind, Fault, FaultKind, LaneList, MatrixMistake, MbarrierFault, Place,
    Region, SpinPlace, WaitReason, Waiter,
};
pub use crate::contract::image::{AddressMode, ImageInit, Sampler};
pub use crate::contract::inspect::{
    BlockView, LaneGroup, MemoryRegion, NextStep, Note, NoteKind, SharedVariable, Status, WarpView,
    Writer,
};
pub use crate::contract::launch::{
    ArgumentInit, BufferIndex, BufferInit, Contents, Launch, LaunchError, Limits, Misaligned,
    PointerPatch, RegisterInit,
};
pub use crate::contract::mbarrier::{MbarrierMisuse, MbarrierState};
pub use crate::contract::multicast::MulticastInit;
pub use crate::contract::observe::{
    AccessAction, AccessEvent, CacheHints, EvenAccess, Interest, LanesAccess, MemoryId, Observer,
    OperandIndex, Piece, RowAccess, Run, Runs, WarpAccess,
};
pub use crate::contract::pending::TensorMemoryWork;
pub use crate::contract::pending::{
    GroupKind, Pending, PendingCompletion, PendingOperation, PendingOrigin, PendingPiece,
    PendingSource, PieceBytes, Reduction, SourceForm, Work,
};
pub use crate::contract::sync_event::{
    MapAct, MapTouch, MbarrierAct, MbarrierTouch, SyncEvent, SyncKind, Waits, ends_phase,
};
pub use crate::contract::tensor_map::{
    Interleave, MAX_RANK, TENSOR_MAP_BYTES, TensorMap, TensorMode, TensorType, TensorUnit,
};
pub use crate::contract::tensor_transfer::{TensorDirection, TensorTransfer, TilePiece};
pub use crate::contract::tiles::{Tile, TileMatrix, TilePlace};
pub use crate::contract::warpgroup::WarpgroupProduct;

pub use crate::contract::support::Support;
pub use crate::decode::refused::{RefusedInstruction, refused};
pub use crate::decode::support::supports;
pub use crate::past::ticks::StoreTicks;
pub use crate::past::timeline::{Progress, Timeline, TimelineLimits};
pub use crate::run::last_writers::LastWriters;
pub use crate::run::lone::{Lone, SharedAddress, ThreadPlace, atomic_result};
pub use crate::run::machine::Machine;
pub use crate::run::setup::Decoded;
pub use crate::semantics::tensor;
pub use crate::state::tensor_memory::{TENSOR_COLUMNS, TENSOR_LANES};
