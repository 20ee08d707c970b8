//! Exhaustive exploration of litmus tests under the axiomatic PTX memory model. The module takes a few threads as checked programs, the
//! shared locations, and the observed values, and returns all allowed outcomes (each with a witness execution), the forbidden outcomes
//! (each with the violated axiom), and the data races.
//!
//! `traces` enumerates the execution paths of each thread for all values that its reads could return. `event_graph`
//! combines one trace of each thread into an event graph, `reads_from_candidates` enumerates the reads-from relations
//! of the event graph, and `axioms` checks each candidate execution. `interleavings` finds the sequentially consistent
//! outcomes, `single_location` finds all outcomes of a long chain of atomics on one location, and `minimal_repairs`
//! finds the smallest fixes that forbid an outcome.

pub(crate) mod async_events;
pub(crate) mod async_reductions;
pub(crate) mod axioms;
pub(crate) mod coherence;
pub(crate) mod event;
pub(crate) mod event_graph;
pub(crate) mod explorer;
pub(crate) mod interleavings;
pub(crate) mod lane_exchange;
pub(crate) mod memory_cells;
pub(crate) mod memory_events;
pub(crate) mod minimal_repairs;
pub(crate) mod query;
pub(crate) mod reads_from_candidates;
pub(crate) mod relation;
pub(crate) mod results;
pub(crate) mod single_location;
pub(crate) mod synchronization_events;
pub(crate) mod thread_path;
pub(crate) mod trace_combinations;
pub(crate) mod traces;
pub(crate) mod unsupported;
pub(crate) mod value_origins;

pub use crate::explore::event::{EventKind, MemoryOrdering};
pub use crate::explore::explorer::Explorer;
pub use crate::explore::minimal_repairs::{
    MinimalRepairSearch, RepairKind, RepairResult, RepairStep,
};
pub use crate::explore::query::{
    ExplorationLimits, ExploreError, LitmusLocationKind, LitmusQuery, Location, ObservedValue,
    ThreadSpec, rank_at, window,
};
pub use crate::explore::results::{
    Axiom, AxiomViolation, EdgeKind, ExplorationResult, ForbiddenOutcome, Outcome, RaceFrequency,
    RacePair, Witness, WitnessEdge, WitnessNode,
};
pub use crate::explore::traces::reached;
