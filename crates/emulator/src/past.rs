//! Snapshots of the state, and a machine that goes back as easily as forward.

mod pages;
mod recent;
pub(crate) mod snapshot;
mod ticks;
pub(crate) mod timeline;

pub use ticks::StoreTicks;
