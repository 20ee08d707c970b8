//! State of the detector for infinite loops, which is part of the machine state.

use crate::state::scheduler::WarpSlot;

/// State of the detector for infinite loops: progress counters of the run, and the states of lane groups at the start
/// of a window without progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpinDetector {
    /// Number of state changes other than stores, such as completed barriers and exited threads.
    pub(crate) events: u64,
    /// Total number of state changes at the last check that observed a change.
    pub(crate) changes: u64,
    /// Step at which the detector checks for progress next.
    pub(crate) next: u64,
    pub(crate) pause: u64,
    pub(crate) window_end: u64,
    /// State of each ready lane group at the start of the window, and whether the group has returned to this state. The
    /// records are ordered by block and warp.
    pub(crate) marks: Vec<WarpFingerprint>,
    /// Number of state changes other than stores at the last check that observed a change of this number.
    pub(crate) other_changes: u64,
    /// Step from which on the detector may execute a window of steps with a copy of the machine.
    pub(crate) next_copy: u64,
}

/// State of a ready lane group that the [`SpinDetector`] recorded at the start of a window.
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
