//! Execution of a launch: launch checks, scheduling, completion of asynchronous operations, deadlock detection, and
//! inspection of the machine.

pub(crate) mod chosen_steps;
pub(crate) mod completion;
pub(crate) mod completion_targets;
pub(crate) mod deadlock;
pub(crate) mod diagnostics;
pub(crate) mod fault_location;
pub(crate) mod host_inputs;
pub(crate) mod initial_registers;
pub(crate) mod last_writers;
pub(crate) mod launch_validation;
pub(crate) mod machine;
pub(crate) mod queries;
pub(crate) mod register_write;
pub(crate) mod residency;
#[cfg(test)]
mod scheduling_tests;
pub(crate) mod setup;
pub(crate) mod single_thread;
pub(crate) mod special_registers;
pub(crate) mod spin_detection;
