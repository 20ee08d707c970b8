//! What changes while a launch runs, in one type: memory, blocks, schedule, operations in flight, counters.
//!
//! A snapshot is the same type in another form (see [`Form`]), so a field that is added here is in every snapshot,
//! or the room `past` does not compile.

pub(crate) mod banks;
pub(crate) mod block;
pub(crate) mod cluster;
pub(crate) mod image;
pub(crate) mod in_flight;
pub(crate) mod last_step;
pub(crate) mod layout;
pub(crate) mod memory;
pub(crate) mod multicast;
pub(crate) mod notes;
pub(crate) mod page;
pub(crate) mod schedule;
pub(crate) mod spin_watch;
pub(crate) mod tensor_memory;
pub(crate) mod tensor_transfer;
pub(crate) mod undo;
pub(crate) mod warp;
pub(crate) mod writers;

use crate::contract::fault::Fault;
use crate::contract::inspect::Note;
use crate::state::block::{Barrier, Block};
use crate::state::cluster::Cluster;
use crate::state::in_flight::InFlight;
use crate::state::last_step::LastStep;
use crate::state::memory::{GlobalMemory, PagedBytes};
use crate::state::schedule::Schedule;
use crate::state::spin_watch::SpinWatch;
use crate::state::warp::Warp;
use std::fmt::Debug;
use std::sync::Arc;

/// How a state holds its large parts.
pub(crate) trait Form: Clone + Debug {
    /// Bytes that the whole grid shares.
    type Global: Clone + Debug;
    /// Shared memory of one block.
    type Shared: Clone + Debug;
    type Warp: Clone + Debug;
    type Barriers: Clone + Debug;
}

/// The form of a state that runs: steps change its parts in place.
#[derive(Clone, Debug)]
pub(crate) struct Live;

impl Form for Live {
    type Global = GlobalMemory;
    type Shared = PagedBytes;
    type Warp = Warp;
    type Barriers = Vec<Barrier>;
}

/// Everything that changes while a launch runs.
#[derive(Clone, Debug)]
pub(crate) struct State<F: Form = Live> {
    /// Number of executed steps.
    pub(crate) position: u64,
    /// Steps done that stored.
    pub(crate) stores_done: u64,
    /// Executed lane-instructions: the sum of the active lanes over all steps of warps.
    pub(crate) lane_instructions: u64,
    pub(crate) global: F::Global,
    /// Shared memory of the block in each place. Apart from the blocks, so that a warp of one block can reach the
    /// shared memory of the others of its cluster.
    pub(crate) shared: Vec<F::Shared>,
    /// Tensor memory of the block in each place; of no bytes where the code does not use it.
    pub(crate) tensor: Vec<F::Shared>,
    /// Places for blocks, cluster after cluster; the places of a cluster are taken again when all its blocks are done.
    pub(crate) blocks: Vec<Block<F>>,
    pub(crate) clusters: Vec<Cluster>,
    /// The next cluster of the grid that gets a place.
    pub(crate) next_cluster: u64,
    pub(crate) blocks_done: u64,
    pub(crate) schedule: Schedule,
    pub(crate) in_flight: InFlight,
    /// Inputs of the host that have happened.
    pub(crate) inputs_done: usize,
    /// Copied when a note is added after a snapshot.
    pub(crate) notes: Arc<Vec<Note>>,
    pub(crate) fault: Option<Fault>,
    /// Whether the run goes round for ever.
    pub(crate) watch: SpinWatch,
    /// What the step before `position` did.
    pub(crate) last_step: Option<LastStep>,
}
