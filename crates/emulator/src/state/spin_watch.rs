//! The part of the state that records progress for the detection of endless loops.

use crate::state::schedule::WarpPlace;

/// What is remembered of a run in which nothing changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpinWatch {
    /// Counts barriers that open, threads that end, and whatever else changes without a store.
    pub(crate) events: u64,
    /// All changes when something was last seen to change.
    pub(crate) changes: u64,
    /// Before this step no thread looks.
    pub(crate) next: u64,
    pub(crate) pause: u64,
    pub(crate) window_end: u64,
    /// State of each ready group at the start of the window, and whether the group has returned to this state; ordered by block and warp.
    pub(crate) marks: Vec<Mark>,
    /// Changes other than stores when something was last seen to change.
    pub(crate) other_changes: u64,
    /// Before this step no copy of the machine runs.
    pub(crate) next_copy: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) place: WarpPlace,
    /// Lanes of the group.
    pub(crate) mask: u32,
    pub(crate) fingerprint: u64,
    /// Number of steps that the warp had executed.
    pub(crate) steps: u64,
    pub(crate) is_back: bool,
}
