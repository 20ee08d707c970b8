//! Analyses based on the PTX memory model. They find the outcomes of litmus tests, and the data races and hangs of a run.

pub mod concurrency;
pub mod litmus;
