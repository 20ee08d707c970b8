//! Part of the machine state that records progress for the detection of endless loops.

use crate::state::scheduler::WarpSlot;

/// Progress of a run, and the states of lane groups that were recorded at the start of a window without progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpinDetector {
    /// Number of changes other than stores, such as completed barriers and exited threads.
    pub(crate) events: u64,
    /// Number of changes at the time of the last observed change.
    pub(crate) changes: u64,
    /// Step at which the next check takes place.
    pub(crate) next: u64,
    pub(crate) pause: u64,
    pub(crate) window_end: u64,
    /// State of each ready group at the start of the window, and whether the group has returned to this state. The
    /// records are ordered by block and warp.
    pub(crate) marks: Vec<WarpFingerprint>,
    /// Number of changes other than stores at the time of the last observed change.
    pub(crate) other_changes: u64,
    /// First step at which a copy of the machine may execute steps in advance.
    pub(crate) next_copy: u64,
}

/// Recorded state of a group of lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WarpFingerprint {
    pub(crate) place: WarpSlot,
    /// Lanes of the group.
    pub(crate) mask: u32,
    pub(crate) fingerprint: u64,
    /// Number of steps that the warp had executed.
    pub(crate) steps: u64,
    pub(crate) is_back: bool,
}
