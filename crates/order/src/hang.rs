//! Diagnosis of launches that never end. From the final state of the machine and the history of the run, the diagnosis
//! determines the waits of all threads, the event that never occurs, and the instruction that should have produced this
//! event.

pub(crate) mod barrier_diagnosis;
pub(crate) mod diagnosis;
pub(crate) mod divergent_barrier;
pub(crate) mod execution_trace;
pub(crate) mod loops;
pub(crate) mod missing_arrivals;
pub(crate) mod missing_commits;
pub(crate) mod program_queries;
pub(crate) mod ring_phases;
pub(crate) mod root_cause;
pub(crate) mod skipped_instructions;
pub(crate) mod spin_diagnosis;

pub use crate::hang::execution_trace::{ExecutionTrace, MixedPhase};
pub use crate::hang::root_cause::{Diagnosis, HangKind, Wait, WaitKind, diagnose};
