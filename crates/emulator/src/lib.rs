//! Runs a checked program warp by warp: memory, registers, divergence, barriers, and travel in time.
//! In comes a [`warpgrid_program::Program`] and a [`Launch`]; out come memory, events and faults.

pub mod fault;
pub mod inspect;
pub mod launch;
pub mod machine;
pub mod observe;
pub mod timeline;

// State.
mod block;
mod memory;
mod registers;
mod warp;

// From the program to code.
mod check_launch;
mod code;
mod decode;
mod layout;

// Steps.
mod alu_float;
mod alu_int;
mod atomic;
mod barrier;
mod collective;
mod control;
mod convert;
mod memory_ops;
mod resolve;
mod schedule;
mod soft;
#[cfg(test)]
mod soft_tests;
mod step;
mod system;

// Looking and travelling.
mod snapshot;
mod views;

pub use fault::{AccessFault, AccessKind, Fault, FaultKind, Place, Region, WaitReason, Waiter};
pub use inspect::{
    BlockView, LaneGroup, MemoryRegion, NextStep, Note, SharedVariable, Status, WarpView, Writer,
};
pub use launch::{
    ArgumentInit, BufferIndex, BufferInit, Contents, Launch, LaunchError, Limits, PointerPatch,
};
pub use machine::Machine;
pub use observe::{AccessEvent, Interest, Observer};
pub use timeline::{Progress, StoreTicks, Timeline, TimelineLimits};
