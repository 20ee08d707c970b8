//! Analyses under the PTX memory model: the outcomes of litmus tests, and the data races and hangs of a run.

pub mod concurrency;
pub mod litmus;
