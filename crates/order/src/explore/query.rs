//! Input of an exploration: threads, locations, observed values, and limits.

use std::fmt;
use std::sync::Arc;
use warpgrid_emulator::{Launch, LaunchError};
use warpgrid_program::{FunctionId, Program, RegisterId};

/// Base address of the shared memories of all blocks. Programs compute only offsets into the shared-memory window, so the addresses of
/// programs never collide with these addresses.
const SHARED: u64 = 1 << 63;
/// Distance in bytes between the start addresses of the shared memories of two blocks.
const WINDOW: u64 = 1 << 24;
/// Maximum number of blocks per cluster.
const MAX_CLUSTER_RANKS: u64 = 16;

/// Returns the start address of the shared memory of a block, given its cluster and its rank in the cluster.
pub fn window(cluster: u64, rank: u64) -> u64 {
    SHARED + (cluster * MAX_CLUSTER_RANKS + rank % MAX_CLUSTER_RANKS) * WINDOW
}

/// Returns the rank of the block whose shared memory contains an address.
pub fn rank_at(address: u64) -> u64 {
    address.wrapping_sub(SHARED) / WINDOW % MAX_CLUSTER_RANKS
}

/// Litmus test for the [`Explorer`](crate::explore::Explorer): a few threads, the memory locations that they share, and the observed
/// values.
#[derive(Clone, Debug)]
pub struct LitmusQuery {
    pub program: Arc<Program>,
    /// Dimensions of grid, block and cluster. The explorer ignores the entry function of the launch.
    pub launch: Launch,
    pub threads: Vec<ThreadSpec>,
    pub locations: Vec<Location>,
    pub observed: Vec<ObservedValue>,
    pub limits: ExplorationLimits,
}

/// Thread of a litmus test: the kernel that it executes, its position in the grid, and its initial registers.
#[derive(Clone, Debug)]
pub struct ThreadSpec {
    pub function: FunctionId,
    /// Position of the block in the grid.
    pub block: [u32; 3],
    /// Linear index of the block in the grid. The next field is the linear index of its cluster.
    pub block_index: u64,
    pub cluster_index: u64,
    /// Rank of the block in its cluster.
    pub rank: u64,
    /// Linear index of the thread in its block.
    pub thread: u32,
    /// Initial register values. All other registers are initialized with zero.
    pub registers: Vec<(RegisterId, u64)>,
    /// Number of the call from which each instruction was inlined, or `None` for instructions of the thread body. Fixes
    /// do not modify called functions.
    pub call_sites: Vec<Option<u32>>,
}

impl ThreadSpec {
    /// Returns the number of the call from which an instruction was inlined.
    pub(crate) fn call_of(&self, instruction: usize) -> Option<u32> {
        self.call_sites.get(instruction).copied().flatten()
    }
}

/// Memory location that the threads of a litmus test share, with its initial contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub name: String,
    /// Byte offset of the location from the address of its name.
    pub offset: u64,
    pub start: u64,
    /// Size of an element in bytes.
    pub element_bytes: u32,
    pub init: Vec<u64>,
    pub kind: LitmusLocationKind,
}

impl Location {
    pub fn n_bytes(&self) -> u64 {
        u64::from(self.element_bytes) * self.init.len() as u64
    }
}

/// Kind of a memory location of a [`LitmusQuery`]: global memory, shared memory of a block, or an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LitmusLocationKind {
    Global,
    /// Shared memory of a block.
    Shared,
    /// Object of type mbarrier in shared memory.
    Mbarrier,
}

/// Component of an outcome that the query observes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedValue {
    /// Final value of a register of a thread. The register is `None` if the thread does not use it.
    Register {
        thread: usize,
        register: Option<RegisterId>,
    },
    /// Final value of an element of a location.
    Memory { location: usize, element: usize },
}

/// Limits on threads, events, paths and candidates, which bound the cost of an exploration. The host specifies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorationLimits {
    pub threads: usize,
    /// Maximum number of events (accesses, fences and barriers) of a thread.
    pub events_per_thread: usize,
    /// Maximum number of iterations of a loop that writes to memory or counts its iterations.
    pub loop_iterations: usize,
    /// Maximum number of instructions on one execution path of a thread.
    pub steps: u32,
    /// Maximum number of execution paths of a thread.
    pub paths_per_thread: usize,
    /// Maximum number of combinations of one execution path per thread.
    pub combinations: usize,
    /// Maximum number of candidate executions.
    pub candidates: u64,
    pub outcomes: usize,
}

impl Default for ExplorationLimits {
    fn default() -> ExplorationLimits {
        ExplorationLimits {
            threads: 8,
            events_per_thread: 48,
            loop_iterations: 4,
            steps: 2000,
            paths_per_thread: 4000,
            combinations: 50_000,
            candidates: 5_000_000,
            outcomes: 20_000,
        }
    }
}

/// Error because of which an exploration has no result: an unsupported instruction or an exceeded limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExploreError {
    /// A thread contains an instruction that the explorer does not support.
    Unsupported {
        thread: usize,
        instruction: u32,
        why: String,
    },
    Launch(LaunchError),
    TooManyThreads {
        threads: usize,
        limit: usize,
    },
    /// One execution path of a thread has too many events.
    TooManyEvents {
        thread: usize,
        limit: usize,
    },
    /// All threads together have too many events.
    TooManyEventsTotal {
        events: usize,
        limit: usize,
    },
    TooManySteps {
        thread: usize,
        limit: u32,
    },
    TooManyWays {
        thread: usize,
        limit: usize,
    },
    TooManyCombinations {
        limit: usize,
    },
    TooManyOutcomes {
        limit: usize,
    },
    TooManyCandidates {
        limit: u64,
    },
    Stopped,
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Unsupported { why: reason, .. } => write!(f, "{reason}"),
            ExploreError::Launch(error) => write!(f, "{error}"),
            ExploreError::TooManyThreads { threads, limit } => {
                write!(
                    f,
                    "the litmus test has {threads} threads, expected at most {limit}: remove threads that share no memory with other threads"
                )
            }
            ExploreError::TooManyEvents { thread, limit } => {
                write!(
                    f,
                    "thread {thread} executes more than {limit} accesses, fences and barriers: remove irrelevant instructions, or reduce the number of loop iterations"
                )
            }
            ExploreError::TooManyEventsTotal { events, limit } => {
                write!(
                    f,
                    "the threads execute {events} accesses, fences and barriers in total, expected at most {limit}: remove irrelevant instructions"
                )
            }
            ExploreError::TooManySteps { thread, limit } => {
                write!(
                    f,
                    "thread {thread} has not terminated after {limit} instructions: use a loop that terminates or that polls memory"
                )
            }
            ExploreError::TooManyWays { thread, limit } => {
                write!(
                    f,
                    "thread {thread} has more than {limit} execution paths, because each value that a load can return creates a path: reduce the number of loads or of stored values"
                )
            }
            ExploreError::TooManyCombinations { limit } => {
                write!(
                    f,
                    "the threads have more than {limit} execution paths in total: reduce the number of loads or of stored values"
                )
            }
            ExploreError::TooManyOutcomes { limit } => {
                write!(
                    f,
                    "the litmus test has more than {limit} outcomes: observe fewer registers and locations"
                )
            }
            ExploreError::TooManyCandidates { limit } => {
                write!(
                    f,
                    "the litmus test has more than {limit} candidate executions: reduce the number of threads that write to one location, or observe no memory locations"
                )
            }
            ExploreError::Stopped => write!(f, "stopped"),
        }
    }
}

impl std::error::Error for ExploreError {}
