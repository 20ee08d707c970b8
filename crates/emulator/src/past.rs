//! Snapshots of the state, and a machine that can seek to any position.

pub(crate) mod pages;
pub(crate) mod recent;
pub(crate) mod snapshot;
pub(crate) mod ticks;
pub(crate) mod timeline;
