//! Emulator of GPU kernels: executes a checked program warp by warp, and models registers, memory, divergence,
//! barriers, asynchronous operations and time travel.
//!
//! - **Input**: a [`warpgrid_program::Program`], a [`Launch`] (grid, buffers, arguments, scheduler seed), and
//!   [`ResourceLimits`].
//! - **Output**: registers and memory at any position, events for an [`Observer`], [`RunDiagnostic`]s, and a [`Fault`]
//!   if the run fails.
//! - **Main types**: [`Machine`] executes steps. [`Timeline`] seeks to any step of a run.
//!   [`translation_view::TranslationView`] is the interface for the JIT compiler.
//! - **Invariants**: a run is a function of program, launch, seed and host inputs. A module imports only modules of
//!   lower layers (see the README).
//! - **Tests**: `cargo test -p warpgrid-emulator` takes seconds. `crates/view/tests` run textual kernels, and
//!   `crates/translate/tests` compare the interpreter with translated code.
//!
//! # Example
//!
//! The example runs a kernel to its end, reads its first buffer, and goes back by one step. The program comes from a
//! front end, such as PTX.
//!
//! ```
//! use std::sync::Arc;
//! use warpgrid_emulator::{
//!     BufferIndex, Launch, LaunchError, Machine, MachineStatus, MemoryRegion, ResourceLimits, Timeline, TimelineLimits,
//! };
//! use warpgrid_program::Program;
//!
//! fn first_buffer(program: Arc<Program>, launch: &Launch) -> Result<Option<Vec<u8>>, LaunchError> {
//!     let machine = Machine::new(program, launch, ResourceLimits::default())?;
//!     let mut timeline = Timeline::new(machine, TimelineLimits::default());
//!     let end = timeline.run_to_end(u64::MAX);
//!     match end.status {
//!         MachineStatus::Finished => println!("{} steps", end.position),
//!         MachineStatus::Running => unreachable!("the budget of steps is unlimited"),
//!         MachineStatus::Faulted => return Ok(None),
//!     }
//!     let region = MemoryRegion::Buffer(BufferIndex(0));
//!     let bytes = timeline.machine().memory(region).map(<[u8]>::to_vec);
//!
//!     timeline.back();
//!     assert_eq!(timeline.position(), end.position - 1);
//!     Ok(bytes)
//! }
//! ```

pub(crate) mod code;
pub(crate) mod contract;
pub(crate) mod decode;
pub(crate) mod exec;
pub(crate) mod history;
pub(crate) mod run;
pub(crate) mod semantics;
pub(crate) mod state;
pub mod translation_view;

pub use crate::contract::agent::{Agent, AsyncOperationId, WarpId};
pub use crate::contract::fault::{
    AccessFault, AccessKind, Fault, FaultKind, FaultLocation, InvalidCoordinate, LaneMaskDisplay,
    MatrixMisuse, MbarrierFault, NamedRegion, PollTarget, WaitReason, WaitingGroup,
};
pub use crate::contract::image::{AddressMode, ImageInit, Sampler};
pub use crate::contract::inspect::{
    BlockView, LaneGroup, LastWriter, MachineStatus, MemoryRegion, NextStep, RunDiagnostic,
    RunDiagnosticKind, SharedVariable, WarpView,
};
pub use crate::contract::launch::{
    BufferContents, BufferIndex, BufferInit, KernelArgument, Launch, LaunchError, MisalignedPolicy,
    PointerRelocation, RegisterInit, ResourceLimits, WriterTracking,
};
pub use crate::contract::mbarrier::{MbarrierMisuse, MbarrierState};
pub use crate::contract::multicast::MulticastInit;
pub use crate::contract::observer::{
    AccessAction, AccessEvent, CacheHints, ContiguousAccess, ContiguousRun, ContiguousRuns,
    ElementAccess, EventMask, HalfWarpAccess, MemoryId, Observer, OperandIndex, PerLaneAccess,
    WarpAccessSummary,
};
pub use crate::contract::pending::TensorMemoryOperation;
pub use crate::contract::pending::{
    AsyncEffect, AsyncGroupKind, AsyncOperation, AsyncOrigin, AsyncSource, AsyncWrite,
    CompletionMechanism, GroupWait, InFlightOperation, PieceBytes, Reduction, SourceConversion,
};
pub use crate::contract::schedule::ScheduledTurn;
pub use crate::contract::step_event::{StepEvent, StepOutcome};
pub use crate::contract::sync_event::{
    ArrivalMode, MbarrierAccess, MbarrierOperation, SyncEvent, SyncKind, TensorMapAccess,
    TensorMapAction, ends_phase,
};
pub use crate::contract::tensor_map::{
    Interleave, MAX_RANK, StorageUnit, TENSOR_MAP_BYTES, TensorMap, TensorMode, TensorType,
};
pub use crate::contract::tensor_transfer::{TensorCopy, TensorCopyDirection, TileSegment};
pub use crate::contract::tiles::{Tile, TileLocation, TileRole};
pub use crate::contract::wgmma_operation::WgmmaOperation;

pub use crate::contract::support::Support;
pub use crate::decode::support::supports;
pub use crate::decode::unsupported::{UnsupportedInstruction, refused};
pub use crate::history::store_positions::StorePositions;
pub use crate::history::timeline::{RunState, Timeline, TimelineLimits};
pub use crate::run::last_writers::LastWriters;
pub use crate::run::machine::Machine;
pub use crate::run::setup::DecodedLaunch;
pub use crate::run::single_thread::{
    SharedAddress, SingleThread, ThreadCoordinates, atomic_result,
};
pub use crate::semantics::tensor;
pub use crate::state::tensor_memory::{TENSOR_COLUMNS, TENSOR_LANES};
