//! Analyses that execute the steps of a [`Session`](crate::Session) again, or run a second session. Input: a session, or scenarios. Output:
//! plain data of [`model`](crate::model). An analysis runs only when a host requests it.

pub mod cell_history;
pub mod comparison;
pub(crate) mod fault_causes;
pub mod findings;
pub(crate) mod memory_diff;
pub mod mma_explanation;
pub mod run_timeline;
pub mod schedule_seeds;
pub(crate) mod traffic;
pub(crate) mod uninitialized;
