//! A launch from its set-up to its end: who steps next, what stops it, what is reported.

#[cfg(test)]
mod agent_tests;
pub(crate) mod check_launch;
mod deadlock;
pub(crate) mod event;
pub(crate) mod fault;
mod initial;
mod inputs;
pub(crate) mod inspect;
mod landing;
mod landing_places;
pub(crate) mod last_writers;
pub(crate) mod launch;
mod locate;
pub(crate) mod lone;
pub(crate) mod machine;
pub(crate) mod notes;
pub(crate) mod observe;
mod place;
pub(crate) mod schedule;
pub(crate) mod setup;
pub(crate) mod special;
pub(crate) mod spin;
pub(crate) mod sync_event;
pub(crate) mod views;
