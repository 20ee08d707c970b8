//! A machine that goes back as easily as forward.

use crate::inspect::Status;
use crate::machine::Machine;
use crate::observe::Observer;

/// How much memory the past may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineLimits {
    pub snapshot_bytes: u64,
    pub max_snapshots: usize,
    /// Store steps that are kept for the transport.
    pub max_ticks: usize,
}

impl Default for TimelineLimits {
    fn default() -> TimelineLimits {
        TimelineLimits {
            snapshot_bytes: 128 << 20,
            max_snapshots: 256,
            max_ticks: 4096,
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub status: Status,
    /// Where the machine stands.
    pub position: u64,
    /// Blocks that are done and blocks in all.
    pub blocks_done: u64,
    pub n_blocks: u64,
}

/// Steps that stored, evenly thinned when there are too many.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StoreTicks {
    /// Ascending.
    pub steps: Vec<u64>,
    /// One of so many stores is in `steps`.
    pub one_in: u64,
    /// Stores seen in all.
    pub n_stores: u64,
    /// The steps before this one are covered.
    pub known_to: u64,
}

/// A machine with its past.
#[derive(Clone)]
pub struct Timeline {
    machine: Machine,
}

impl Timeline {
    /// From a machine that has not stepped.
    pub fn new(machine: Machine, _limits: TimelineLimits) -> Timeline {
        Timeline { machine }
    }
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
    pub fn position(&self) -> u64 {
        self.machine.position()
    }
    /// The number of steps of the whole run, once its end was seen.
    pub fn length(&self) -> Option<u64> {
        None
    }
    /// One step forward.
    pub fn step<O: Observer>(&mut self, observer: &mut O) -> Status {
        self.machine.step(observer)
    }
    /// One step back; false at the beginning.
    pub fn back(&mut self) -> bool {
        false
    }
    /// To position `n`, or to the end if that comes first.
    pub fn seek(&mut self, _n: u64) -> Status {
        self.machine.status()
    }
    /// At most `budget` steps towards position `n`; for hosts that must stay responsive. True when there.
    pub fn seek_within(&mut self, _n: u64, _budget: u64) -> bool {
        true
    }
    /// At most `budget` steps towards the end.
    pub fn run_to_end(&mut self, _budget: u64) -> Progress {
        Progress {
            status: self.machine.status(),
            position: 0,
            blocks_done: 0,
            n_blocks: 0,
        }
    }
    /// Which steps stored, as far as the run was seen.
    pub fn ticks(&self) -> &StoreTicks {
        const EMPTY: &StoreTicks = &StoreTicks {
            steps: Vec::new(),
            one_in: 1,
            n_stores: 0,
            known_to: 0,
        };
        EMPTY
    }
    /// Runs the steps `from..to` once more, with somebody listening, and comes back to where it stood.
    pub fn replay<O: Observer>(&mut self, _from: u64, _to: u64, _observer: &mut O) {}
}
