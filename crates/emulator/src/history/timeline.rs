//! Timeline: a machine that can seek in both directions. The timeline takes snapshots at regular intervals, and replays
//! the steps after a snapshot.
//!
//! The history of a run is immutable. The contents of memory at a position are determined by the nearest earlier
//! snapshot and the following steps, and do not depend on preceding seeks.

use crate::contract::agent::AsyncOperationId;
use crate::contract::inspect::MachineStatus;
use crate::contract::observer::Observer;
use crate::contract::pending::AsyncOperation;
use crate::history::snapshot::Snapshot;
use crate::history::store_positions::{StorePositionObserver, StorePositions};
use crate::history::undo_window::UndoWindow;
use crate::run::machine::Machine;
use crate::translation_view::{TranslatedRunResult, UNCOUNTED};

/// Limits for the memory and the snapshots of a [`Timeline`], which the host specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineLimits {
    pub snapshot_bytes: u64,
    pub max_snapshots: usize,
    /// Maximum number of recorded steps that stored to memory.
    pub max_ticks: usize,
    /// Minimum number of steps between two snapshots.
    pub min_interval: u64,
}

impl Default for TimelineLimits {
    fn default() -> TimelineLimits {
        TimelineLimits {
            snapshot_bytes: 128 << 20,
            max_snapshots: 256,
            max_ticks: 4096,
            min_interval: 4096,
        }
    }
}

/// Status, position and number of finished blocks of a run, which [`Timeline::run_to_end`] returns to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunState {
    pub status: MachineStatus,
    /// Number of executed steps.
    pub position: u64,
    /// Number of finished blocks. The next field is the number of blocks of the grid.
    pub blocks_done: u64,
    pub n_blocks: u64,
}

/// Machine with snapshots of its past states, which hosts step and seek in both directions.
#[derive(Clone)]
pub struct Timeline {
    machine: Machine,
    limits: TimelineLimits,
    /// Snapshots ordered by position. The first snapshot is the initial state.
    snapshots: Vec<Snapshot>,
    /// Additional, closely spaced snapshots before the target of the last seek, which accelerate single steps back from
    /// this target.
    seek_checkpoints: Vec<Snapshot>,
    /// Positions at which the current seek will take seek checkpoints.
    planned_checkpoints: Vec<u64>,
    /// Undo log of the recent steps, which replaces the seek checkpoints if snapshots are large.
    recent: UndoWindow,
    /// Whether a large snapshot has occurred.
    has_large_snapshots: bool,
    /// Snapshot that was last taken from, or restored to, the machine.
    base: Snapshot,
    bytes: u64,
    /// Number of steps between snapshots, a power of two.
    interval: u64,
    /// Number of steps up to which replaying steps is faster than taking a snapshot.
    closest: u64,
    length: Option<u64>,
    ticks: StorePositions,
    steps_run: u64,
    /// Whether the current state was adopted from a JIT run.
    is_result_adopted: bool,
}

/// Maximum number of seek checkpoints.
const MAX_TRAIL: usize = 24;

/// Reciprocal of the fraction of the snapshot memory that is available to seek checkpoints even if other snapshots have
/// used all of this memory. Without seek checkpoints, each step back would replay the steps since the nearest snapshot.
const TRAIL_SHARE: u64 = 4;

/// Reciprocal of the fraction of the snapshot memory above which a snapshot is too large to serve as a seek checkpoint.
const COSTLY_SHARE: u64 = 16;

/// Maximum size of the changes since the last snapshot, as a multiple of the memory for snapshots. If a run has changed
/// more bytes, the timeline takes no snapshot, and a seek replays more steps.
const MAX_EXCESS: u64 = 2;

/// Number of steps before the target of a seek for which the undo log is recorded if snapshots are large. The unit is
/// the number of steps between two positions of the undo window.
const RECENT_INTERVALS: u64 = 16;

impl Timeline {
    /// Creates a timeline for a machine that has not executed a step.
    pub fn new(mut machine: Machine, limits: TimelineLimits) -> Timeline {
        let (base, bytes) = Snapshot::take(&mut machine.state, None);
        // Choose the snapshot interval by the state of the resident blocks, which a snapshot copies. Taking a snapshot
        // should take less time than the steps between two snapshots. Replaying these steps should take at most two
        // display frames, which correspond to at most half a million steps.
        let resident: u64 = machine.resident_bytes();
        let mut timeline = Timeline {
            machine,
            limits,
            snapshots: vec![base.clone()],
            seek_checkpoints: Vec::new(),
            planned_checkpoints: Vec::new(),
            recent: UndoWindow::default(),
            has_large_snapshots: false,
            base,
            bytes,
            interval: (resident / 8)
                .min(limits.min_interval.saturating_mul(128))
                .max(limits.min_interval)
                .max(1)
                .next_power_of_two(),
            closest: (resident / 256).min(limits.min_interval / 8).max(2),
            length: None,
            ticks: StorePositions {
                one_in: 1,
                ..StorePositions::default()
            },
            steps_run: 0,
            is_result_adopted: false,
        };
        timeline.note_end();
        timeline
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the number of executed steps, or `u64::MAX` if [`Timeline::is_counted`] is false.
    pub fn position(&self) -> u64 {
        self.machine.position()
    }

    /// Checks whether the number of steps to the current position is known. The number is unknown at the end of a
    /// translated run without step counts.
    pub fn is_counted(&self) -> bool {
        self.position() != UNCOUNTED
    }

    /// Checks whether the current state was adopted from a JIT run. Since a JIT run has no snapshots of intermediate
    /// states, a seek to any other position executes the run from its start with the interpreter.
    pub fn is_result_adopted(&self) -> bool {
        self.is_result_adopted
    }

    pub fn status(&self) -> MachineStatus {
        self.machine.status()
    }

    /// Returns the number of steps of the complete run, if this number is known.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Returns the steps that stored to memory in the observed part of the run.
    pub fn ticks(&self) -> &StorePositions {
        &self.ticks
    }

    /// Returns the size of all snapshots and of the undo log in bytes.
    pub fn snapshot_bytes(&self) -> u64 {
        self.bytes + self.recent.size(&self.machine.state)
    }

    /// Executes one step.
    pub fn step(&mut self, observer: &mut dyn Observer) -> MachineStatus {
        if !self.is_counted() {
            return self.machine.status();
        }
        self.planned_checkpoints.clear();
        let next = self.position().saturating_add(1);
        // Fast path for a step after which no snapshot is necessary, if the end of the run is unknown.
        let is_plain = self.length.is_none() && self.recent.is_empty();
        if is_plain && next & (self.interval - 1) != 0 {
            self.run(next, observer);
            self.note_end();
        } else {
            self.advance(next, next, observer);
            self.reproduce_fault();
        }
        self.machine.status()
    }

    /// Goes back by one step. Returns `false` at the initial position.
    pub fn back(&mut self) -> bool {
        self.count_steps();
        match self.position().checked_sub(1) {
            Some(position) => {
                self.seek(position);
                true
            }
            None => false,
        }
    }

    /// Executes a step in which an operation in flight completes. Discards the recorded steps after the current
    /// position, which the early completion changes. Returns `false` if the operation is not in flight.
    pub fn complete_now(&mut self, id: AsyncOperationId, observer: &mut dyn Observer) -> bool {
        let lands = self.machine.land(id);
        if lands {
            self.invalidate_later_steps();
            self.step(observer);
        }
        lands
    }

    /// Issues an operation at the current position with [`Machine::start_pending`].
    pub fn start_pending(&mut self, operation: AsyncOperation) -> Option<AsyncOperationId> {
        self.invalidate_later_steps();
        self.machine.start_pending(operation)
    }

    /// Returns the total number of executed steps, including replayed steps.
    pub fn steps_run(&self) -> u64 {
        self.steps_run
    }

    /// Seeks to position `n`, or to the end of the run if the run has fewer steps.
    pub fn seek(&mut self, n: u64) -> MachineStatus {
        while !self.seek_within(n, u64::MAX) {}
        self.machine.status()
    }

    /// Executes at most `budget` steps of a seek to position `n`, so that a host can respond to other events between
    /// the calls. Returns `true` if the seek has reached the position or the end of the run.
    pub fn seek_within(&mut self, n: u64, budget: u64) -> bool {
        let n = self.length.map_or(n, |length| n.min(length));
        let now = self.position();
        if n < now {
            self.go_back(n);
        } else if self.is_before_snapshots()
            && let Some(later) = self.nearest(n).filter(|later| *later > now)
        {
            self.restore(later);
        }
        let end = n.min(self.position().saturating_add(budget));
        self.advance(end, n, &mut ());
        let is_reached = self.position() >= n || self.machine.status() != MachineStatus::Running;
        if is_reached {
            self.planned_checkpoints.clear();
            self.reproduce_fault();
        }
        is_reached
    }

    /// Executes at most `budget` steps towards the end of the run.
    pub fn run_to_end(&mut self, budget: u64) -> RunState {
        self.seek_within(u64::MAX, budget);
        RunState {
            status: self.machine.status(),
            position: self.position(),
            blocks_done: self.machine.blocks_done(),
            n_blocks: self.machine.n_blocks(),
        }
    }

    /// Counts the steps to the current position if their number is unknown, by executing the run from its start with
    /// the interpreter.
    pub fn count_steps(&mut self) {
        if !self.is_counted() {
            self.seek(UNCOUNTED - 1);
        }
    }

    /// Adopts the final state of a run that translated code has executed from its start. Returns `false` if the state
    /// does not belong to this machine. A later seek to an earlier position replays the run from its start.
    pub fn adopt_result(&mut self, end: &TranslatedRunResult<'_>) -> bool {
        if self.position() != 0 || !self.machine.take_end(end) {
            return false;
        }
        self.is_result_adopted = true;
        self.planned_checkpoints.clear();
        self.note_end();
        if let Some(counts) = end.counts {
            // Store only the number of steps that stored to memory, because their positions are unknown.
            self.ticks = StorePositions {
                steps: Vec::new(),
                one_in: counts.stores.max(2),
                n_stores: counts.stores,
                known_to: counts.steps,
            };
        }
        true
    }

    /// Sets the number of steps of the complete run, which is known from another execution of the run.
    pub fn set_length(&mut self, length: u64) {
        self.length = self.length.or(Some(length));
    }

    /// Runs to position `n`, or to the end of the run if the run has fewer steps, and reports the steps to `observer`.
    pub fn run_observed(&mut self, n: u64, observer: &mut dyn Observer) -> MachineStatus {
        self.advance(n, n, observer);
        self.reproduce_fault();
        self.machine.status()
    }

    /// Executes the steps `from..to` again, reports them to `observer`, and returns to the current position.
    pub fn replay(&mut self, from: u64, to: u64, observer: &mut dyn Observer) {
        let stood = self.position();
        self.seek(from);
        if self.position() == from && from < to {
            self.advance(to, to, observer);
        }
        self.seek(stood);
    }

    /// Checks whether there are snapshots of later positions. While a run moves forward, there are rarely any.
    fn is_before_snapshots(&self) -> bool {
        let now = self.position();
        let is_later = |list: &[Snapshot]| list.last().is_some_and(|s| s.position > now);
        is_later(&self.snapshots) || is_later(&self.seek_checkpoints)
    }

    /// Returns the position of the nearest snapshot at or before `n`.
    fn nearest(&self, n: u64) -> Option<u64> {
        let last = |list: &[Snapshot]| {
            let after = list.partition_point(|s| s.position <= n);
            list.get(after.checked_sub(1)?).map(|s| s.position)
        };
        last(&self.snapshots)
            .max(last(&self.seek_checkpoints))
            .max(self.recent.nearest(n))
    }

    /// Restores a snapshot at or before `n`, and plans seek checkpoints between its position and `n`.
    fn go_back(&mut self, n: u64) {
        let usable = self.seek_checkpoints.partition_point(|s| s.position <= n);
        for snapshot in self.seek_checkpoints.split_off(usable) {
            self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
        }
        let Some(start) = self.nearest(n) else {
            return;
        };
        self.restore(start);
        self.planned_checkpoints.clear();
        // Record the undo log only near the target if snapshots are large and the start is far from the target.
        let most = match self.has_large_snapshots {
            true => self.recent_steps() * RECENT_INTERVALS,
            false => u64::MAX,
        };
        let mut distance = ((n - start) / 2).min(most);
        while distance >= self.closest
            && self.seek_checkpoints.len() + self.planned_checkpoints.len() < MAX_TRAIL
        {
            self.planned_checkpoints.push(n - distance);
            distance /= 2;
        }
        // Reverse the list, so that `pop` returns the next position.
        self.planned_checkpoints.reverse();
    }

    fn restore(&mut self, position: u64) {
        self.is_result_adopted = false;
        let state = &mut self.machine.state;
        if self.recent.nearest(position) == Some(position) && state.position > position {
            self.recent.go_back(position, state, &mut self.base);
            self.machine.apply_starts();
            return;
        }
        self.recent.forget(state);
        let find = |list: &[Snapshot]| {
            let index = list.binary_search_by_key(&position, |s| s.position).ok()?;
            list.get(index).cloned()
        };
        if let Some(snapshot) = find(&self.seek_checkpoints).or_else(|| find(&self.snapshots)) {
            snapshot.restore(&mut self.machine.state, &self.base);
            self.machine.apply_starts();
            self.base = snapshot;
        }
    }

    /// Executes steps up to `end` on the way to `goal`, and takes snapshots in between.
    fn advance(&mut self, end: u64, goal: u64, observer: &mut dyn Observer) {
        while self.position() < end && self.machine.status() == MachineStatus::Running {
            let now = self.position();
            let next_look = self.prepare_recent(goal);
            let last = self.snapshots.last().map_or(0, |s| s.position);
            // Round up to the next multiple of `interval`, which is a power of two.
            let boundary = (now | (self.interval - 1)) + 1;
            let mark = self.planned_checkpoints.last().copied().unwrap_or(u64::MAX);
            let stop = end.min(boundary).min(next_look).min(mark.max(now + 1));
            self.run(stop, observer);
            let now = self.position();
            if now == boundary && boundary > last {
                self.keep();
            } else if now == mark {
                self.take_seek_checkpoint();
            } else if now == next_look && !self.recent.is_empty() {
                self.keep_recent();
            }
            if now >= mark {
                self.planned_checkpoints.pop();
            }
        }
        self.note_end();
    }

    /// Returns the number of steps between two positions of the undo window.
    fn recent_steps(&self) -> u64 {
        self.limits.min_interval.max(1).next_power_of_two()
    }

    /// Checks whether snapshots are large, and starts or stops the recording of the undo window. Returns the position
    /// of the next check.
    fn prepare_recent(&mut self, goal: u64) -> u64 {
        let arena = &self.machine.state.global.arena;
        let costly = self.limits.snapshot_bytes / COSTLY_SHARE;
        if !arena.tracks_writers() || (arena.len() as u64) <= costly {
            return u64::MAX;
        }
        let (now, steps) = (self.position(), self.recent_steps());
        let next_look = (now | (steps - 1)) + 1;
        self.has_large_snapshots = self.has_large_snapshots || arena.dirty_bytes() > costly;
        if !self.has_large_snapshots {
            return next_look;
        }
        // The position of the goal is unknown if the goal is the end of the run.
        let first = goal.saturating_sub(steps * RECENT_INTERVALS);
        if goal != u64::MAX && now < first {
            self.recent.forget(&mut self.machine.state);
            return first;
        }
        if self.recent.is_empty() {
            self.keep_recent();
        }
        next_look
    }

    fn keep_recent(&mut self) {
        let most = self.limits.snapshot_bytes / TRAIL_SHARE;
        self.recent
            .keep(&mut self.machine.state, &mut self.base, most);
    }

    /// Executes steps up to position `stop`, and records which of the steps store to memory if they are executed for
    /// the first time.
    fn run(&mut self, stop: u64, observer: &mut dyn Observer) {
        let mut ticking = StorePositionObserver {
            ticks: &mut self.ticks,
            max: self.limits.max_ticks,
            host: observer,
        };
        let from = self.machine.position();
        self.machine
            .run_observed(stop.saturating_sub(from), &mut ticking);
        self.steps_run += self.machine.position() - from;
        self.ticks.known_to = self.ticks.known_to.max(self.machine.position());
    }

    /// Takes a permanent snapshot. If the snapshots use too much memory, drops some of them.
    fn keep(&mut self) {
        if self.has_large_snapshots
            && self.machine.state.global.arena.dirty_bytes()
                > self.limits.snapshot_bytes * MAX_EXCESS
        {
            self.interval *= 2;
            return;
        }
        let (snapshot, bytes) = Snapshot::take(&mut self.machine.state, Some(&self.base));
        self.base = snapshot.clone();
        self.snapshots.push(snapshot);
        self.bytes += bytes;
        while self.snapshots.len() > 2
            && (self.snapshots.len() > self.limits.max_snapshots
                || self.bytes > self.limits.snapshot_bytes)
        {
            self.drop_alternate_snapshots();
        }
    }

    /// Drops every other snapshot.
    fn drop_alternate_snapshots(&mut self) {
        self.interval *= 2;
        self.forget_trail();
        let interval = self.interval;
        let (kept, dropped): (Vec<_>, Vec<_>) = std::mem::take(&mut self.snapshots)
            .into_iter()
            .partition(|s| s.position.is_multiple_of(interval));
        self.snapshots = kept;
        for snapshot in dropped {
            self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
        }
    }

    /// Takes a seek checkpoint. If the snapshots use too much memory, drops the checkpoints that are farthest from the
    /// target of the seek, because single steps back from the target need the nearest checkpoints.
    fn take_seek_checkpoint(&mut self) {
        if self.has_large_snapshots {
            return self.keep_recent();
        }
        let (snapshot, bytes) = Snapshot::take(&mut self.machine.state, Some(&self.base));
        self.base = snapshot.clone();
        self.bytes += bytes;
        self.seek_checkpoints.push(snapshot);
        let share = self.limits.snapshot_bytes / TRAIL_SHARE;
        while self.bytes > self.limits.snapshot_bytes
            && self.seek_checkpoints.len() > 1
            && self
                .seek_checkpoints
                .iter()
                .map(Snapshot::own_bytes)
                .sum::<u64>()
                > share
        {
            let farthest = self.seek_checkpoints.remove(0);
            self.bytes = self.bytes.saturating_sub(farthest.own_bytes());
        }
    }

    fn forget_trail(&mut self) {
        for snapshot in std::mem::take(&mut self.seek_checkpoints) {
            self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
        }
    }

    /// Discards the snapshots and records after the current position, because a new input changes the subsequent
    /// execution.
    fn invalidate_later_steps(&mut self) {
        let now = self.position();
        let is_past = |s: &Snapshot| s.position <= now;
        for list in [&mut self.snapshots, &mut self.seek_checkpoints] {
            for snapshot in list.split_off(list.partition_point(is_past)) {
                self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
            }
        }
        if self.recent.nearest(now) != self.recent.nearest(u64::MAX) {
            self.recent.forget(&mut self.machine.state);
        }
        self.planned_checkpoints.clear();
        self.length = None;
        self.ticks.forget_from(now, self.machine.stores_done());
    }

    /// Records the length of a run that has reached its end.
    fn note_end(&mut self) {
        if self.length.is_none()
            && self.machine.status() != MachineStatus::Running
            && self.is_counted()
        {
            self.length = Some(self.position());
        }
    }

    /// Executes the step that faults. A run with a fault has the status `Running` at its last position until the
    /// faulting step is attempted. This function attempts the faulting step, so that the status at the end does not
    /// depend on the preceding seeks.
    fn reproduce_fault(&mut self) {
        if self.length == Some(self.position()) && self.machine.status() == MachineStatus::Running {
            self.run(self.position() + 1, &mut ());
        }
    }
}
