//! Snapshots of the state, and a machine that goes back as easily as forward.

pub(crate) mod pages;
pub(crate) mod recent;
pub(crate) mod snapshot;
pub(crate) mod ticks;
pub(crate) mod timeline;
