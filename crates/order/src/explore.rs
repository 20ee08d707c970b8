//! Every outcome of a few threads. In: threads as checked programs, the places they share, what is observed; out: all outcomes that the
//! PTX memory consistency model allows, each with an execution that shows it, the outcomes it forbids with the axiom that does, and races.
//!
//! [`traces`] runs each thread alone, once for every value that its reads could return. [`graph`] takes one trace of each thread together,
//! [`candidates`] says which read takes which write, and [`axioms`] holds the axioms against it. [`interleavings`] says what an execution in
//! one order reaches, [`one_place`] all outcomes of a long chain of atomics, [`repairs`] which changes forbid the rest.

mod answer;
mod asynchronous;
mod axioms;
mod candidates;
mod cells;
mod coherence;
mod combine;
mod exchange;
mod explorer;
mod graph;
mod interleavings;
mod memory;
mod one_place;
mod origins;
mod path;
mod question;
mod reductions;
mod refuse;
mod relation;
mod repairs;
mod step;
mod synchronise;
mod traces;

pub use answer::{
    Answer, Axiom, Edge, EdgeKind, Forbidden, Node, Outcome, RacePair, Races, Violation, Witness,
};
pub use explorer::Explorer;
pub use question::{
    ExploreError, Limits, Location, LocationKind, Observed, Question, ThreadSpec, rank_at, window,
};
pub use repairs::{Change, Repair, Repairs, Weakest};
pub use step::{NodeKind, Words};
pub use traces::reached;
