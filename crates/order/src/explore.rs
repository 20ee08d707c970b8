//! Every outcome of a few threads. In: threads as checked programs, the places they share, what is observed; out: all outcomes that the
//! PTX memory consistency model allows, each with an execution that shows it, the outcomes it forbids with the axiom that does, and races.
//!
//! [`traces`] runs each thread alone, once for every value that its reads could return. [`graph`] takes one trace of each thread together,
//! [`candidates`] says which read takes which write, and [`axioms`] holds the axioms against it. [`interleavings`] says what an execution in
//! one order reaches, [`one_place`] all outcomes of a long chain of atomics, [`repairs`] which changes forbid the rest.

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
    Answer, Axiom, Edge, EdgeKind, Forbidden, Node, Outcome, RacePair, Races, Violation, Witness,
};
pub use crate::explore::explorer::Explorer;
pub use crate::explore::question::{
    ExploreError, Limits, Location, LocationKind, Observed, Question, ThreadSpec, rank_at, window,
};
pub use crate::explore::repairs::{Change, Repair, Repairs, Weakest};
pub use crate::explore::step::{NodeKind, Words};
pub use crate::explore::traces::reached;
