//! Exhaustive exploration of litmus tests under the axiomatic PTX memory model. Input: a few threads as checked
//! programs, the shared locations, and the observed values. Output: all allowed outcomes, each with a witness
//! execution, the forbidden outcomes with the violated axiom, and the data races.
//!
//! [`traces`] enumerates the execution paths of each thread for all values that its reads could return. [`graph`]
//! combines one trace of each thread into an event graph, [`candidates`] enumerates the reads-from relations, and
//! [`axioms`] checks each candidate execution. [`interleavings`] finds the sequentially consistent outcomes,
//! [`one_place`] all outcomes of a long chain of atomics on one location, and [`repairs`] the smallest fixes that
//! forbid an outcome.

pub(crate) mod answer;
pub(crate) mod asynchronous;
pub(crate) mod axioms;
pub(crate) mod candidates;
pub(crate) mod cells;
pub(crate) mod coherence;
pub(crate) mod combine;
pub(crate) mod exchange;
pub(crate) mod explorer;
pub(crate) mod graph;
pub(crate) mod interleavings;
pub(crate) mod memory;
pub(crate) mod one_place;
pub(crate) mod origins;
pub(crate) mod path;
pub(crate) mod question;
pub(crate) mod reductions;
pub(crate) mod refuse;
pub(crate) mod relation;
pub(crate) mod repairs;
pub(crate) mod step;
pub(crate) mod synchronise;
pub(crate) mod traces;

pub use crate::explore::answer::{
    Axiom, AxiomViolation, EdgeKind, ExplorationResult, ForbiddenOutcome, Outcome, RaceFrequency,
    RacePair, Witness, WitnessEdge, WitnessNode,
};
pub use crate::explore::explorer::Explorer;
pub use crate::explore::question::{
    ExplorationLimits, ExploreError, LitmusQuery, Location, LocationKind, ObservedValue,
    ThreadSpec, rank_at, window,
};
pub use crate::explore::repairs::{MinimalRepairSearch, RepairEdit, RepairKind, RepairResult};
pub use crate::explore::step::{EventKind, MemoryOrdering};
pub use crate::explore::traces::reached;
