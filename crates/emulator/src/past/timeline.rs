//! A machine that goes back as easily as forward: snapshots at even distances, and runs from them.
//!
//! The past is never edited. Memory at a position is what the nearest earlier snapshot and the steps
//! from there make it, so every way to a position gives the same bytes.

use crate::contract::event::PendingId;
use crate::contract::inspect::Status;
use crate::contract::observe::Observer;
use crate::contract::pending::PendingOperation;
use crate::past::recent::Recent;
use crate::past::snapshot::Snapshot;
use crate::past::ticks::{StoreTicks, Ticking};
use crate::plain::{PlainEnd, UNCOUNTED};
use crate::run::machine::Machine;

/// How much memory the past may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineLimits {
    pub snapshot_bytes: u64,
    pub max_snapshots: usize,
    /// Store steps that are kept for the transport.
    pub max_ticks: usize,
    /// Fewest steps between two snapshots.
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

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub status: Status,
    /// Steps done.
    pub position: u64,
    /// Blocks that are done, and blocks in all.
    pub blocks_done: u64,
    pub n_blocks: u64,
}

/// A machine with its past.
#[derive(Clone)]
pub struct Timeline {
    machine: Machine,
    limits: TimelineLimits,
    /// By position; the first is the beginning.
    snapshots: Vec<Snapshot>,
    /// Closer ones before the place that was sought last, for going back from there.
    trail: Vec<Snapshot>,
    /// Positions of the trail that are still to come on the way there.
    marks: Vec<u64>,
    /// What takes the place of the trail where snapshots are large.
    recent: Recent,
    /// Whether a snapshot was seen to be large.
    is_costly: bool,
    /// What the machine was last snapshotted at or restored to.
    base: Snapshot,
    bytes: u64,
    /// Distance of the snapshots, a power of two.
    interval: u64,
    /// Distance below which running is cheaper than a snapshot.
    closest: u64,
    length: Option<u64>,
    ticks: StoreTicks,
    steps_run: u64,
}

/// Entries of the trail.
const MAX_TRAIL: usize = 24;

/// Part of the memory for snapshots that the trail may have even where the others have taken all: without a trail
/// each step back would run from the nearest snapshot again.
const TRAIL_SHARE: u64 = 4;

/// Part of the memory for snapshots beyond which a single one is too large to leave many on the way.
const COSTLY_SHARE: u64 = 16;

/// How often a snapshot may exceed all memory for snapshots. A run that changes more is run again from further back.
const MOST_EXCESS: u64 = 2;

/// Steps before the goal of a seek whose changes are kept, where snapshots are large, in units of the fewest steps
/// between two snapshots.
const RECENT_INTERVALS: u64 = 16;

impl Timeline {
    /// From a machine that has not stepped.
    pub fn new(mut machine: Machine, limits: TimelineLimits) -> Timeline {
        let (base, bytes) = Snapshot::take(&mut machine.state, None);
        // A snapshot copies what the resident blocks are; it should cost little beside the steps between, and those
        // steps, run again on the way back, should take no more than a frame or two: half a million at most.
        let resident: u64 = machine.resident_bytes();
        let mut timeline = Timeline {
            machine,
            limits,
            snapshots: vec![base.clone()],
            trail: Vec::new(),
            marks: Vec::new(),
            recent: Recent::default(),
            is_costly: false,
            base,
            bytes,
            interval: (resident / 8)
                .min(limits.min_interval.saturating_mul(128))
                .max(limits.min_interval)
                .max(1)
                .next_power_of_two(),
            closest: (resident / 256).min(limits.min_interval / 8).max(2),
            length: None,
            ticks: StoreTicks {
                one_in: 1,
                ..StoreTicks::default()
            },
            steps_run: 0,
        };
        timeline.note_end();
        timeline
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Number of executed steps; `u64::MAX` if [`Timeline::is_counted`] is false.
    pub fn position(&self) -> u64 {
        self.machine.position()
    }

    /// Whether the number of steps to the present position is known. The number is unknown at the end of a translated run without step counts. A seek
    /// to any other position executes the run with the interpreter.
    pub fn is_counted(&self) -> bool {
        self.position() != UNCOUNTED
    }

    pub fn status(&self) -> Status {
        self.machine.status()
    }

    /// The number of steps of the whole run, once its end was seen.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Which steps stored, as far as the run was seen.
    pub fn ticks(&self) -> &StoreTicks {
        &self.ticks
    }

    /// Memory that the past takes, in bytes.
    pub fn snapshot_bytes(&self) -> u64 {
        self.bytes + self.recent.size(&self.machine.state)
    }

    /// One step forward.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Status {
        if !self.is_counted() {
            return self.machine.status();
        }
        self.marks.clear();
        let next = self.position().saturating_add(1);
        // Most steps lead to a position without a snapshot, in a run whose end was not seen: no more is to be done.
        let is_plain = self.length.is_none() && self.recent.is_empty();
        if is_plain && next & (self.interval - 1) != 0 {
            self.run(next, observer);
            self.note_end();
        } else {
            self.advance(next, next, observer);
            self.raise_fault();
        }
        self.machine.status()
    }

    /// One step back; false at the beginning.
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

    /// Lets an operation in flight land in the next step, which is taken. The steps after it become others, so what was
    /// known about them is forgotten. False if the operation is not in flight.
    pub fn land(&mut self, id: PendingId, observer: &mut dyn Observer) -> bool {
        let lands = self.machine.land(id);
        if lands {
            self.forget_future();
            self.step(observer);
        }
        lands
    }

    /// Puts an operation in flight at the present position: see [`Machine::start_pending`].
    pub fn start_pending(&mut self, operation: PendingOperation) -> Option<PendingId> {
        self.forget_future();
        self.machine.start_pending(operation)
    }

    /// Steps that were executed so far, on all ways back and forward together.
    pub fn steps_run(&self) -> u64 {
        self.steps_run
    }

    /// To position `n`, or to the end if that comes first.
    pub fn seek(&mut self, n: u64) -> Status {
        while !self.seek_within(n, u64::MAX) {}
        self.machine.status()
    }

    /// At most `budget` steps towards position `n`; for hosts that must stay responsive. True when there,
    /// or at the end.
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
        let there = self.position() >= n || self.machine.status() != Status::Running;
        if there {
            self.marks.clear();
            self.raise_fault();
        }
        there
    }

    /// At most `budget` steps towards the end.
    pub fn run_to_end(&mut self, budget: u64) -> Progress {
        self.seek_within(u64::MAX, budget);
        Progress {
            status: self.machine.status(),
            position: self.position(),
            blocks_done: self.machine.blocks_done(),
            n_blocks: self.machine.n_blocks(),
        }
    }

    /// Counts the steps to the present position, if their number is unknown. The interpreter executes the run from its start.
    pub fn count_steps(&mut self) {
        if !self.is_counted() {
            self.seek(UNCOUNTED - 1);
        }
    }

    /// Takes over the end of the run from the start, which was done elsewhere; false if it is not that of this machine. The way
    /// back from it runs from the start again.
    pub fn take_end(&mut self, end: &PlainEnd<'_>) -> bool {
        if self.position() != 0 || !self.machine.take_end(end) {
            return false;
        }
        self.marks.clear();
        self.note_end();
        if let Some(counts) = end.counts {
            // The number of steps with a store is known, but not their positions.
            self.ticks = StoreTicks {
                steps: Vec::new(),
                one_in: counts.stores.max(2),
                n_stores: counts.stores,
                known_to: counts.steps,
            };
        }
        true
    }

    /// Takes over the number of steps of the whole run, which was done elsewhere.
    pub fn learn_length(&mut self, length: u64) {
        self.length = self.length.or(Some(length));
    }

    /// Runs forward to position `n`, or to the end if that comes first, and reports the steps to `observer`.
    pub fn run_observed(&mut self, n: u64, observer: &mut dyn Observer) -> Status {
        self.advance(n, n, observer);
        self.raise_fault();
        self.machine.status()
    }

    /// Runs the steps `from..to` once more, reports them to `observer`, and comes back to the present position.
    pub fn replay(&mut self, from: u64, to: u64, observer: &mut dyn Observer) {
        let stood = self.position();
        self.seek(from);
        if self.position() == from && from < to {
            self.advance(to, to, observer);
        }
        self.seek(stood);
    }

    /// Whether there are snapshots of later positions: seldom while a run goes forward.
    fn is_before_snapshots(&self) -> bool {
        let now = self.position();
        let is_later = |list: &[Snapshot]| list.last().is_some_and(|s| s.position > now);
        is_later(&self.snapshots) || is_later(&self.trail)
    }

    /// The position of the closest snapshot at or before `n`.
    fn nearest(&self, n: u64) -> Option<u64> {
        let last = |list: &[Snapshot]| {
            let after = list.partition_point(|s| s.position <= n);
            list.get(after.checked_sub(1)?).map(|s| s.position)
        };
        last(&self.snapshots)
            .max(last(&self.trail))
            .max(self.recent.nearest(n))
    }

    /// Puts the machine to a snapshot before `n` and plans a trail from there to `n`.
    fn go_back(&mut self, n: u64) {
        let usable = self.trail.partition_point(|s| s.position <= n);
        for snapshot in self.trail.split_off(usable) {
            self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
        }
        let Some(start) = self.nearest(n) else {
            return;
        };
        self.restore(start);
        self.marks.clear();
        // Where snapshots are large and the start is far, what steps change is kept near the goal only.
        let most = match self.is_costly {
            true => self.recent_steps() * RECENT_INTERVALS,
            false => u64::MAX,
        };
        let mut distance = ((n - start) / 2).min(most);
        while distance >= self.closest && self.trail.len() + self.marks.len() < MAX_TRAIL {
            self.marks.push(n - distance);
            distance /= 2;
        }
        // Next one last, so that it can be popped.
        self.marks.reverse();
    }

    fn restore(&mut self, position: u64) {
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
        if let Some(snapshot) = find(&self.trail).or_else(|| find(&self.snapshots)) {
            snapshot.restore(&mut self.machine.state, &self.base);
            self.machine.apply_starts();
            self.base = snapshot;
        }
    }

    /// Runs until `end` on the way to `goal`, with snapshots on the way.
    fn advance(&mut self, end: u64, goal: u64, observer: &mut dyn Observer) {
        while self.position() < end && self.machine.status() == Status::Running {
            let now = self.position();
            let next_look = self.prepare_recent(goal);
            let last = self.snapshots.last().map_or(0, |s| s.position);
            // A power of two.
            let boundary = (now | (self.interval - 1)) + 1;
            let mark = self.marks.last().copied().unwrap_or(u64::MAX);
            let stop = end.min(boundary).min(next_look).min(mark.max(now + 1));
            self.run(stop, observer);
            let now = self.position();
            if now == boundary && boundary > last {
                self.keep();
            } else if now == mark {
                self.leave_trail();
            } else if now == next_look && !self.recent.is_empty() {
                self.keep_recent();
            }
            if now >= mark {
                self.marks.pop();
            }
        }
        self.note_end();
    }

    /// Steps between two positions of the recent past.
    fn recent_steps(&self) -> u64 {
        self.limits.min_interval.max(1).next_power_of_two()
    }

    /// Finds out whether snapshots are large, and begins or ends to keep the recent past. The position to look again.
    fn prepare_recent(&mut self, goal: u64) -> u64 {
        let arena = &self.machine.state.global.arena;
        let costly = self.limits.snapshot_bytes / COSTLY_SHARE;
        if !arena.tracks_writers() || (arena.len() as u64) <= costly {
            return u64::MAX;
        }
        let (now, steps) = (self.position(), self.recent_steps());
        let next_look = (now | (steps - 1)) + 1;
        self.is_costly = self.is_costly || arena.dirty_bytes() > costly;
        if !self.is_costly {
            return next_look;
        }
        // The end of a run is not known before it is reached.
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

    /// Runs to `stop`, and notes the stores of steps that were never seen before.
    fn run(&mut self, stop: u64, observer: &mut dyn Observer) {
        let mut ticking = Ticking {
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

    /// Keeps a snapshot for good, and thins the past when it has grown too large.
    fn keep(&mut self) {
        if self.is_costly
            && self.machine.state.global.arena.dirty_bytes()
                > self.limits.snapshot_bytes * MOST_EXCESS
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
            self.thin();
        }
    }

    /// Keeps every other snapshot.
    fn thin(&mut self) {
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

    /// Leaves a snapshot on the way. Where memory is short the farthest go: the next steps back need the nearest.
    fn leave_trail(&mut self) {
        if self.is_costly {
            return self.keep_recent();
        }
        let (snapshot, bytes) = Snapshot::take(&mut self.machine.state, Some(&self.base));
        self.base = snapshot.clone();
        self.bytes += bytes;
        self.trail.push(snapshot);
        let share = self.limits.snapshot_bytes / TRAIL_SHARE;
        while self.bytes > self.limits.snapshot_bytes
            && self.trail.len() > 1
            && self.trail.iter().map(Snapshot::own_bytes).sum::<u64>() > share
        {
            let farthest = self.trail.remove(0);
            self.bytes = self.bytes.saturating_sub(farthest.own_bytes());
        }
    }

    fn forget_trail(&mut self) {
        for snapshot in std::mem::take(&mut self.trail) {
            self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
        }
    }

    /// Forgets all that comes after the present position: another input makes another future.
    fn forget_future(&mut self) {
        let now = self.position();
        let is_past = |s: &Snapshot| s.position <= now;
        for list in [&mut self.snapshots, &mut self.trail] {
            for snapshot in list.split_off(list.partition_point(is_past)) {
                self.bytes = self.bytes.saturating_sub(snapshot.own_bytes());
            }
        }
        if self.recent.nearest(now) != self.recent.nearest(u64::MAX) {
            self.recent.forget(&mut self.machine.state);
        }
        self.marks.clear();
        self.length = None;
        self.ticks.forget_from(now, self.machine.stores_done());
    }

    /// A run that is at its end has a known length.
    fn note_end(&mut self) {
        if self.length.is_none() && self.machine.status() != Status::Running && self.is_counted() {
            self.length = Some(self.position());
        }
    }

    /// A run that faults is at its last step until the next is tried: at the end it is tried, so
    /// that the end looks the same whichever way it was reached.
    fn raise_fault(&mut self) {
        if self.length == Some(self.position()) && self.machine.status() == Status::Running {
            self.run(self.position() + 1, &mut ());
        }
    }
}
