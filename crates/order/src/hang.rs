//! Diagnosis of launches that never end. Input: the machine in its final state, and the history of the run. Output: the
//! waits of all threads, the missing event, and the instruction that should have produced it.

pub(crate) mod arrivals;
pub(crate) mod barriers;
pub(crate) mod code;
pub(crate) mod commits;
pub(crate) mod divergent;
pub(crate) mod lines;
pub(crate) mod loops;
pub(crate) mod root;
pub(crate) mod rounds;
pub(crate) mod spins;
pub(crate) mod story;

pub use crate::hang::root::{Diagnosis, HangKind, Wait, WaitKind, diagnose};
pub use crate::hang::story::{ExecutionTrace, MixedPhase};
