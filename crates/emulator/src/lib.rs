//! Runs a checked program warp by warp: memory, registers, divergence, barriers, and travel in time.
//! In comes a [`warpgrid_program::Program`] and a [`Launch`]; out come memory, events and faults.

mod decode;
mod exec;
mod past;
pub mod plain;
mod run;
mod state;

pub use decode::{RefusedInstruction, Support, refused, supports};
pub use exec::tensor;
pub use exec::tiles::{Tile, TileMatrix, TilePlace};
pub use past::StoreTicks;
pub use past::timeline::{Progress, Timeline, TimelineLimits};
pub use run::event::{Agent, Outcome, PendingId, StepEvent, WarpId};
pub use run::fault::{
    AccessFault, AccessKind, Fault, FaultKind, LaneList, MatrixMistake, MbarrierFault, Place,
    Region, SpinPlace, WaitReason, Waiter,
};
pub use run::inspect::{
    BlockView, LaneGroup, MemoryRegion, NextStep, Note, NoteKind, SharedVariable, Status, WarpView,
    Writer,
};
pub use run::last_writers::LastWriters;
pub use run::launch::{
    ArgumentInit, BufferIndex, BufferInit, Contents, Launch, LaunchError, Limits, Misaligned,
    PointerPatch, RegisterInit,
};
pub use run::lone::{Lone, SharedAddress, ThreadPlace, atomic_result};
pub use run::machine::Machine;
pub use run::observe::{
    AccessAction, AccessEvent, CacheHints, EvenAccess, Interest, LanesAccess, MemoryId, Observer,
    OperandIndex, Piece, RowAccess, Run, Runs, WarpAccess,
};
pub use run::setup::Decoded;
pub use run::sync_event::{
    MapAct, MapTouch, MbarrierAct, MbarrierTouch, SyncEvent, SyncKind, Waits, ends_phase,
};
pub use state::image::{AddressMode, ImageInit, Sampler};
pub use state::mbarrier::{MbarrierMisuse, MbarrierState};
pub use state::multicast::MulticastInit;
pub use state::pending::{
    GroupKind, Pending, PendingCompletion, PendingOperation, PendingOrigin, PendingPiece,
    PendingSource, PieceBytes, Reduction, SourceForm, Work,
};
pub use state::tensor_map::{
    Interleave, MAX_RANK, TENSOR_MAP_BYTES, TensorMap, TensorMode, TensorType, TensorUnit,
};
pub use state::tensor_memory::{TENSOR_COLUMNS, TENSOR_LANES, TensorMemoryWork};
pub use state::tensor_transfer::{TensorDirection, TensorTransfer, TilePiece};
pub use state::warpgroup::WarpgroupProduct;
