//! Analyses of a run that execute the steps of a [`Session`](crate::Session) again, or that run a second session. Each analysis returns
//! plain data of [`model`](crate::model), and runs only when a host requests it.

/// Maximum number of steps of a launch that an analysis of findings executes again. The limit bounds the cost of the analysis.
pub(crate) const MAX_REPEATED_STEPS: u64 = 200_000;

pub mod cell_history;
pub mod comparison;
pub mod coverage;
pub(crate) mod fault_causes;
pub mod findings;
pub(crate) mod memory_diff;
pub mod mma_explanation;
#[cfg(feature = "ptx")]
pub mod reduction;
pub mod run_timeline;
pub mod schedule_seeds;
pub mod schedules;
pub(crate) mod swizzle_alignment;
pub(crate) mod traffic;
pub(crate) mod uninitialized;
