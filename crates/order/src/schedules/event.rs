//! Events of a trace and their dependence.

use crate::hang::execution_trace::InstructionRef;
use crate::schedules::clock::{Clock, Epoch};
use crate::schedules::reordering::{FenceKind, StrongAccess, words_of};
use smallvec::SmallVec;
use warpgrid_emulator::{Agent, ArrivalMode, MemoryId, WarpId};

/// Size of a word in bytes, at whose granularity the exploration compares the addresses of strong accesses.
pub(crate) const WORD: u64 = 4;

/// Word of memory that a strong access covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word {
    pub(crate) memory: MemoryId,
    /// Address divided by [`WORD`].
    pub(crate) index: u64,
}

/// Reference to an mbarrier by the linear index of its block and its shared-memory address.
pub(crate) type MbarrierRef = (u64, u64);

/// Reference to a barrier of a block by the linear index of the block and the number of the barrier.
pub(crate) type BarrierRef = (u64, u32);

/// Effect of a strong access on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordAccess {
    Read,
    /// Store, or atomic operation whose result the program may use.
    Write,
    /// Reduction of integers without a result, or increment of a counter. Accesses with the same number commute.
    Reduction(u32),
}

impl WordAccess {
    /// Checks whether the order of two accesses to the same word can affect their results or the final contents.
    pub(crate) fn conflicts_with(self, other: WordAccess) -> bool {
        match (self, other) {
            (WordAccess::Read, WordAccess::Read) => false,
            (WordAccess::Reduction(one), WordAccess::Reduction(other)) => one != other,
            _ => true,
        }
    }
}

/// Operation on an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierAction {
    /// Initialization or invalidation.
    Reset,
    /// Arrival, with or without an increase of the tx-count, or completion of bytes.
    Arrive,
    /// Increase of the tx-count without an arrival.
    Expect,
    /// Test that found a complete phase. `waits` states whether the instruction waits for the phase otherwise.
    Passed { waits: bool },
    /// Test that found an incomplete phase, or read of the state.
    Failed,
}

impl MbarrierAction {
    /// Checks whether the action returns the state of the phase without waiting. The completion of an arrival depends on the other arrivals, so
    /// each arrival can change the result.
    fn is_test(self) -> bool {
        match self {
            MbarrierAction::Failed | MbarrierAction::Passed { waits: false } => true,
            MbarrierAction::Passed { waits: true }
            | MbarrierAction::Reset
            | MbarrierAction::Arrive
            | MbarrierAction::Expect => false,
        }
    }
}

/// Effect of an event, which can depend on effects of other agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventEffect {
    Access {
        word: Word,
        access: WordAccess,
        /// Whether the access changed the contents of the word.
        changes: bool,
        /// Whether the access has the same result if another access of the same reduction precedes the access.
        is_stable: bool,
    },
    /// Arrival at a barrier of a block.
    BarrierArrival {
        barrier: BarrierRef,
        mode: ArrivalMode,
        completes: bool,
    },
    Mbarrier {
        object: MbarrierRef,
        action: MbarrierAction,
        completes: bool,
    },
    /// Arrival at the barrier of a cluster.
    ClusterArrival { cluster: u64, completes: bool },
    /// End of a wait at the barrier of a cluster.
    ClusterPassed { cluster: u64 },
    /// Issue of an asynchronous operation.
    Issue { operation: u64 },
    /// Sequentially consistent fence.
    ScFence,
}

/// Effects of an event.
pub(crate) type Footprint = SmallVec<[EventEffect; 2]>;

/// Checks whether two events that are enabled in the same state are dependent: whether the first event can change the
/// result of the second event.
pub(crate) fn are_dependent(first: &[EventEffect], second: &[EventEffect]) -> bool {
    let pairs = first
        .iter()
        .flat_map(|one| second.iter().map(move |other| (one, other)));
    pairs.into_iter().any(|pair| match pair {
        (
            EventEffect::Access {
                word,
                access,
                is_stable,
                ..
            },
            EventEffect::Access {
                word: other_word,
                access: other,
                ..
            },
        ) => word == other_word && (!is_stable || access.conflicts_with(*other)),
        (
            EventEffect::BarrierArrival {
                barrier, completes, ..
            },
            EventEffect::BarrierArrival { barrier: other, .. },
        ) => barrier == other && *completes,
        (
            EventEffect::Mbarrier {
                object,
                action,
                completes,
            },
            EventEffect::Mbarrier {
                object: other_object,
                action: other,
                completes: other_completes,
            },
        ) => {
            object == other_object
                && (*completes
                    || *other_completes
                    || (action.is_test() && *other == MbarrierAction::Arrive)
                    || (other.is_test() && *action == MbarrierAction::Arrive)
                    || *action == MbarrierAction::Reset
                    || *other == MbarrierAction::Reset
                    || *action == MbarrierAction::Expect
                    || *other == MbarrierAction::Expect)
        }
        (EventEffect::ScFence, EventEffect::ScFence) => true,
        _ => false,
    })
}

/// Event of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) agent: Agent,
    pub(crate) at: InstructionRef,
    pub(crate) epoch: Epoch,
    /// Events that happen before the event, except for the event itself.
    pub(crate) clock: Clock,
    pub(crate) footprint: Footprint,
    /// Strong access of the event.
    pub(crate) access: Option<StrongAccess>,
    /// Strongest fence that the warp has executed since its previous event.
    pub(crate) fence: Option<FenceKind>,
    /// Index of the segment that ends with the event.
    pub(crate) segment: usize,
    /// Whether the event belongs to an iteration of a spin loop that changed nothing.
    pub(crate) is_stutter: bool,
}

impl Event {
    /// Returns the warp that executed the event, or `None` for an asynchronous operation.
    pub(crate) const fn warp(&self) -> Option<WarpId> {
        self.agent.warp()
    }

    /// Returns the words that the event accesses.
    pub(crate) fn words(&self) -> impl Iterator<Item = Word> {
        words_of(&self.footprint)
    }

    /// Checks whether the event only reads memory and mbarriers.
    pub(crate) fn is_read_only(&self) -> bool {
        self.footprint.iter().all(|effect| match effect {
            EventEffect::Access {
                access, changes, ..
            } => *access == WordAccess::Read || !*changes,
            EventEffect::Mbarrier { action, .. } => matches!(action, MbarrierAction::Failed),
            EventEffect::ScFence => true,
            EventEffect::BarrierArrival { .. }
            | EventEffect::ClusterArrival { .. }
            | EventEffect::ClusterPassed { .. }
            | EventEffect::Issue { .. } => false,
        })
    }
}
