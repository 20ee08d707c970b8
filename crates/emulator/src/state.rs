//! Mutable state of a run in one type, which contains memory, blocks, scheduler, asynchronous operations and counters.
//!
//! A snapshot has the same type with a different [`StateStorage`]. A new field is therefore part of every snapshot,
//! because the history module does not compile without a conversion of the field.

pub(crate) mod block;
pub(crate) mod cluster;
pub(crate) mod constant_banks;
pub(crate) mod image;
pub(crate) mod in_flight;
pub(crate) mod last_step;
pub(crate) mod last_writer_table;
pub(crate) mod memory;
pub(crate) mod memory_layout;
pub(crate) mod multicast;
pub(crate) mod notes;
pub(crate) mod page;
pub(crate) mod scheduler;
pub(crate) mod spin_watch;
pub(crate) mod tensor_memory;
pub(crate) mod tensor_transfer;
pub(crate) mod undo_log;
pub(crate) mod warp;

use crate::contract::fault::Fault;
use crate::contract::inspect::RunDiagnostic;
use crate::state::block::{Barrier, Block};
use crate::state::cluster::Cluster;
use crate::state::in_flight::InFlightQueue;
use crate::state::last_step::LastStep;
use crate::state::memory::{GlobalMemory, PagedMemory};
use crate::state::scheduler::Scheduler;
use crate::state::spin_watch::SpinDetector;
use crate::state::warp::Warp;
use std::fmt::Debug;
use std::sync::Arc;

/// Storage of the large parts of a state: a running machine owns these parts, and snapshots share them.
pub(crate) trait StateStorage: Clone + Debug {
    /// Memory that all blocks of the grid share.
    type Global: Clone + Debug;
    /// Shared memory of one block.
    type Shared: Clone + Debug;
    type Warp: Clone + Debug;
    type Barriers: Clone + Debug;
}

/// Storage of a running machine, whose memories are modified in place.
#[derive(Clone, Debug)]
pub(crate) struct LiveStorage;

impl StateStorage for LiveStorage {
    type Global = GlobalMemory;
    type Shared = PagedMemory;
    type Warp = Warp;
    type Barriers = Vec<Barrier>;
}

/// Mutable state of a run: memory, resident blocks, scheduler, asynchronous operations and counters. A machine modifies
/// it, and the history stores snapshots of it.
#[derive(Clone, Debug)]
pub(crate) struct MachineState<F: StateStorage = LiveStorage> {
    /// Number of executed steps.
    pub(crate) position: u64,
    /// Number of completed steps that modified memory.
    pub(crate) stores_done: u64,
    /// Number of executed lane-instructions: the sum of the active lanes over all steps that warps have executed.
    pub(crate) lane_instructions: u64,
    pub(crate) global: F::Global,
    /// Shared memory of the block in each resident slot. Shared memory is stored separately from the blocks, so that a
    /// warp of one block can access the shared memory of the other blocks in its cluster.
    pub(crate) shared: Vec<F::Shared>,
    /// Tensor memory of the block in each resident slot; the vector is empty if the code does not use tensor memory.
    pub(crate) tensor: Vec<F::Shared>,
    /// Slots for resident blocks, ordered by cluster. The slots of a cluster are reused after all of its blocks have
    /// finished.
    pub(crate) blocks: Vec<Block<F>>,
    pub(crate) clusters: Vec<Cluster>,
    /// Index of the next cluster of the grid that becomes resident.
    pub(crate) next_cluster: u64,
    pub(crate) blocks_done: u64,
    pub(crate) schedule: Scheduler,
    pub(crate) in_flight: InFlightQueue,
    /// Number of host inputs that have taken effect.
    pub(crate) inputs_done: usize,
    /// Diagnostics of the run. The list is copied on the first insertion after a snapshot.
    pub(crate) diagnostics: Arc<Vec<RunDiagnostic>>,
    pub(crate) fault: Option<Fault>,
    /// State of the detection of infinite loops.
    pub(crate) spin_detector: SpinDetector,
    /// Record of the last executed step, after which the run is at `position`.
    pub(crate) last_step: Option<LastStep>,
}
