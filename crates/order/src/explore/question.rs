//! What is asked: threads, places, what is observed, and how much may be looked at.

use std::fmt;
use std::sync::Arc;
use warpgrid_emulator::{Launch, LaunchError};
use warpgrid_program::{FunctionId, Program, RegisterId};

/// Where the shared memory of all blocks is: programs compute no such addresses, they have offsets into windows.
const SHARED: u64 = 1 << 63;
/// Bytes between the shared memories of two blocks.
const WINDOW: u64 = 1 << 24;
/// Most blocks of a cluster.
const MOST_RANKS: u64 = 16;

/// Where the shared memory of a block starts, by the number of its cluster and its rank there.
pub fn window(cluster: u64, rank: u64) -> u64 {
    SHARED + (cluster * MOST_RANKS + rank % MOST_RANKS) * WINDOW
}

/// The rank of the block whose shared memory an address is in.
pub fn rank_at(address: u64) -> u64 {
    address.wrapping_sub(SHARED) / WINDOW % MOST_RANKS
}

/// A few threads that share memory.
#[derive(Clone, Debug)]
pub struct Question {
    pub program: Arc<Program>,
    /// Grid, block and cluster; what its entry is does not matter.
    pub launch: Launch,
    pub threads: Vec<ThreadSpec>,
    pub locations: Vec<Location>,
    pub observed: Vec<Observed>,
    pub limits: Limits,
}

/// One thread: a kernel of the program, and where it runs.
#[derive(Clone, Debug)]
pub struct ThreadSpec {
    pub function: FunctionId,
    /// Position of the block in the grid.
    pub block: [u32; 3],
    /// Linear index of the block in the grid, and of its cluster.
    pub block_index: u64,
    pub cluster_index: u64,
    /// Within the cluster.
    pub rank: u64,
    /// Linear index within the block.
    pub thread: u32,
    /// What registers hold at the start; all others hold zero.
    pub registers: Vec<(RegisterId, u64)>,
    /// By instruction: the call that it is from, by a number of its own; none where the thread has it in its own text. Repairs change no function.
    pub called: Vec<Option<u32>>,
}

impl ThreadSpec {
    /// The call that an instruction is from.
    pub(crate) fn call_of(&self, instruction: usize) -> Option<u32> {
        self.called.get(instruction).copied().flatten()
    }
}

/// A place in memory that threads share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub name: String,
    /// Bytes from where the name starts.
    pub offset: u64,
    pub start: u64,
    /// Of one element.
    pub element_bytes: u32,
    pub init: Vec<u64>,
    pub kind: LocationKind,
}

impl Location {
    pub fn n_bytes(&self) -> u64 {
        u64::from(self.element_bytes) * self.init.len() as u64
    }
}

/// What memory a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationKind {
    Global,
    /// Of a block.
    Shared,
    /// An mbarrier object, in shared memory.
    Mbarrier,
}

/// A part of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// What a register of a thread holds after its last instruction; none where the thread does not name it.
    Register {
        thread: usize,
        register: Option<RegisterId>,
    },
    /// What an element of a location holds at the end.
    Memory { location: usize, element: usize },
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub threads: usize,
    /// Events of one thread: accesses, fences, barriers.
    pub events_per_thread: usize,
    /// Rounds of a loop that writes memory or counts.
    pub rounds: usize,
    /// Instructions of one thread, in one way through it.
    pub steps: u32,
    /// Ways through one thread.
    pub ways: usize,
    /// Combinations of ways, one for each thread.
    pub combinations: usize,
    /// Candidate executions.
    pub candidates: u64,
    pub outcomes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            threads: 8,
            events_per_thread: 48,
            rounds: 4,
            steps: 2000,
            ways: 4000,
            combinations: 50_000,
            candidates: 5_000_000,
            outcomes: 20_000,
        }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExploreError {
    /// An instruction that the explorer gives no meaning to.
    NoPlace {
        thread: usize,
        instruction: u32,
        why: String,
    },
    Launch(LaunchError),
    TooManyThreads {
        threads: usize,
        limit: usize,
    },
    /// One thread has too many events in one way through it.
    TooManyEvents {
        thread: usize,
        limit: usize,
    },
    /// All threads together have.
    TooManyTogether {
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
            ExploreError::NoPlace { why, .. } => write!(f, "{why}"),
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
            ExploreError::TooManyTogether { events, limit } => {
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
