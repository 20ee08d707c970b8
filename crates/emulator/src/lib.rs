//! Runs a checked program warp by warp: memory, registers, divergence, barriers, and travel in time.
//! In comes a [`warpgrid_program::Program`] and a [`Launch`]; out come memory, events and faults.

pub mod fault;
pub mod inspect;
pub mod launch;
pub mod machine;
pub mod observe;
pub mod timeline;

pub use fault::{AccessFault, AccessKind, Fault, FaultKind, Place, Region, WaitReason, Waiter};
pub use inspect::{
    BlockView, LaneGroup, MemoryRegion, NextStep, Note, SharedVariable, Status, WarpView, Writer,
};
pub use launch::{
    ArgumentInit, BufferIndex, BufferInit, Contents, Launch, LaunchError, Limits, PointerPatch,
};
pub use machine::Machine;
pub use observe::{AccessEvent, Observer};
pub use timeline::{Progress, StoreTicks, Timeline, TimelineLimits};
