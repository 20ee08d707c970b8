//! Snapshots of the machine state, and a timeline that can seek to any position of a run.

pub(crate) mod arena_snapshot;
pub(crate) mod snapshot;
pub(crate) mod store_positions;
pub(crate) mod timeline;
pub(crate) mod undo_window;
