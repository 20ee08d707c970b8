//! Execution of a launch: launch checks, scheduling, completions, deadlock detection, and inspection of the machine.

#[cfg(test)]
mod agent_tests;
pub(crate) mod check_launch;
pub(crate) mod deadlock;
pub(crate) mod initial;
pub(crate) mod inputs;
pub(crate) mod landing;
pub(crate) mod landing_places;
pub(crate) mod last_writers;
pub(crate) mod locate;
pub(crate) mod lone;
pub(crate) mod machine;
pub(crate) mod notes;
pub(crate) mod place;
pub(crate) mod setup;
pub(crate) mod special;
pub(crate) mod spin;
pub(crate) mod views;
