//! Snapshots of the state, and a machine that goes back as easily as forward.

pub(crate) mod snapshot;
pub(crate) mod timeline;
