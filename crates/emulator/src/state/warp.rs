//! A warp: its registers, its stack, and the groups that its lanes have split into.

use crate::contract::fault::WaitReason;
use crate::contract::inspect::Writer;
use crate::semantics::registers::{Banks, LANES, Row32};
use crate::state::in_flight::Groups;
use crate::state::schedule::draw;
use std::ops::Range;

/// What a group of lanes is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SplitState {
    Ready,
    Waiting(WaitReason),
}

/// Lanes that stand at one place at one call depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) mask: u32,
    pub(crate) pc: u32,
    pub(crate) depth: u32,
    pub(crate) state: SplitState,
    /// When it ran last, in turns of the warp; the longest waiting one gets a turn of its own.
    pub(crate) last_turn: u32,
    /// Whether the group may reconverge with another group if convergence is explicit (see [`converge`]): a barrier released the group, or the
    /// group waits for other lanes that execute the same instruction.
    pub(crate) converges: bool,
}

impl Split {
    /// Deeper calls go first, then lower places: where lanes part they meet again soonest so.
    #[inline(always)]
    fn key(&self) -> (u32, u32) {
        (u32::MAX - self.depth, self.pc)
    }

    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.state, SplitState::Ready)
    }
}

/// Checks whether two groups at the same instruction reconverge if convergence is explicit: a barrier released both groups, or one group waits
/// for the other. A released group does not join a group that reached the instruction by a branch, since the barrier registers of the two
/// groups may contain different masks.
fn converge(first: &Split, second: &Split) -> bool {
    let waits = |split: &Split| split.converges && !split.is_ready();
    (first.converges && second.converges) || waits(first) || waits(second)
}

const NO_SPLIT: Split = Split {
    mask: 0,
    pc: 0,
    depth: 0,
    state: SplitState::Ready,
    last_turn: 0,
    converges: false,
};

/// Steps that a group of lanes may keep others of its warp waiting.
pub const TURN_STEPS: u32 = 512;

/// The groups of a warp's lanes; masks are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Splits {
    items: [Split; LANES],
    n: usize,
    /// The one that runs; meaningless when there is none.
    current: usize,
    turn: u32,
    /// Steps left before another group gets its turn.
    patience: u32,
    /// Set while a group that was kept waiting has its turn.
    forced: bool,
    /// Groups other than the running one have changed since they were last compared.
    changed: bool,
    /// Groups converge at convergence barriers only, and a group runs until it waits, yields or has used its turn up. So machine code
    /// executes: its uniform registers have one value for all groups of a warp.
    pub(crate) explicit_convergence: bool,
    /// What the choice among several groups is drawn from; none for the natural order.
    random: Option<u64>,
}

impl Splits {
    pub(crate) fn new(mask: u32, pc: u32) -> Splits {
        let mut items = [NO_SPLIT; LANES];
        items[0] = Split {
            mask,
            pc,
            ..NO_SPLIT
        };
        Splits {
            items,
            n: usize::from(mask != 0),
            current: 0,
            turn: 0,
            patience: TURN_STEPS,
            forced: false,
            changed: false,
            explicit_convergence: false,
            random: None,
        }
    }

    /// Draws the group that goes on from `random`, at each step.
    pub(crate) fn draw_from(&mut self, random: Option<u64>) {
        self.random = random;
    }

    /// Ends the turn of the running group early: the group that has waited longest is next.
    pub(crate) fn end_turn(&mut self) {
        self.forced = false;
        self.patience = 1;
    }

    /// As [`Splits::new`], in place: only groups that are there are taken away.
    pub(crate) fn reset(&mut self, mask: u32, pc: u32) {
        for place in self.items.iter_mut().take(self.n.max(1)) {
            *place = NO_SPLIT;
        }
        self.items[0].mask = mask;
        self.items[0].pc = pc;
        self.n = usize::from(mask != 0);
        self.current = 0;
        self.turn = 0;
        self.patience = TURN_STEPS;
        self.forced = false;
        self.changed = false;
    }

    #[inline(always)]
    pub(crate) fn all(&self) -> &[Split] {
        self.items.get(..self.n).unwrap_or(&[])
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Split] {
        self.changed = true;
        self.items.get_mut(..self.n).unwrap_or(&mut [])
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// The group that runs.
    #[inline(always)]
    pub(crate) fn current(&self) -> &Split {
        &self.items[self.current & (LANES - 1)]
    }

    #[inline(always)]
    pub(crate) fn current_mut(&mut self) -> &mut Split {
        &mut self.items[self.current & (LANES - 1)]
    }

    pub(crate) fn current_index(&self) -> usize {
        self.current
    }

    pub(crate) fn add(&mut self, split: Split) {
        if let Some(place) = self.items.get_mut(self.n) {
            *place = split;
            self.n += 1;
            self.changed = true;
        }
    }

    /// Takes the lanes away from whatever group they are in; empty groups go.
    pub(crate) fn remove_lanes(&mut self, lanes: u32) {
        for split in self.all_mut() {
            split.mask &= !lanes;
        }
        self.drop_empty();
    }

    fn drop_empty(&mut self) {
        let mut kept = 0;
        let mut current = 0;
        for index in 0..self.n {
            let split = self.items[index];
            if split.mask != 0 {
                if index == self.current {
                    current = kept;
                }
                self.items[kept] = split;
                kept += 1;
            }
        }
        for place in self.items.iter_mut().take(self.n).skip(kept) {
            *place = NO_SPLIT;
        }
        self.n = kept;
        self.current = current;
    }

    /// Joins groups that stand at the same place; one that waited is looked at again. Unless others
    /// have changed only the running group can have come to another's place.
    fn merge(&mut self) {
        let mut merged = false;
        if std::mem::take(&mut self.changed) {
            for a in 0..self.n {
                for b in a + 1..self.n {
                    merged |= self.join(a, b);
                }
            }
        } else {
            let current = self.current;
            for other in 0..self.n {
                if other != current {
                    merged |= self.join(current.min(other), current.max(other));
                }
            }
        }
        if merged {
            self.drop_empty();
            self.changed = false;
        }
    }

    /// Puts the lanes of group b to group a if they stand at the same place.
    #[inline(always)]
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (Some(&first), Some(&second)) = (self.items.get(a), self.items.get(b)) else {
            return false;
        };
        // Lanes that are counted at a barrier stay a group of their own until it opens.
        let at_barrier = |split: Split| matches!(split.state, SplitState::Waiting(reason) if reason.counts_arrival());
        if first.pc != second.pc
            || first.depth != second.depth
            || first.mask == 0
            || second.mask == 0
            || at_barrier(first)
            || at_barrier(second)
            || (self.explicit_convergence && !converge(&first, &second))
        {
            return false;
        }
        self.items[a].mask |= second.mask;
        self.items[a].state = SplitState::Ready;
        self.items[a].last_turn = first.last_turn.max(second.last_turn);
        self.items[b].mask = 0;
        if self.current == b {
            self.current = a;
        }
        true
    }

    /// Makes the group current that shall run next. False when none can.
    #[inline(always)]
    pub(crate) fn select(&mut self) -> bool {
        if self.n == 1 {
            self.current = 0;
            self.items[0].converges = false;
            self.items[0].is_ready()
        } else {
            self.select_of_many()
        }
    }

    fn select_of_many(&mut self) -> bool {
        if self.n == 0 {
            return false;
        }
        let changed = self.changed;
        self.merge();
        self.patience = self.patience.saturating_sub(1);
        let may_stay = self.explicit_convergence && (!changed || self.random.is_none());
        if may_stay && self.patience > 0 && self.current().is_ready() {
            self.items[self.current & (LANES - 1)].converges = false;
            return true;
        }
        if self.forced && self.patience > 0 && self.current().is_ready() {
            return true;
        }
        if let Some(random) = &mut self.random {
            let draw = draw(random);
            return self.select_drawn(draw);
        }
        let out_of_patience = self.patience == 0 && !self.forced;
        let ready = self
            .all()
            .iter()
            .enumerate()
            .filter(|(_, split)| split.is_ready());
        let choice = if out_of_patience {
            ready.min_by_key(|(_, split)| (split.last_turn, split.key()))
        } else {
            ready.min_by_key(|(_, split)| split.key())
        };
        let Some(index) = choice.map(|(index, _)| index) else {
            return false;
        };
        if index != self.current || out_of_patience || self.forced {
            self.forced = out_of_patience;
            self.turn = self.turn.wrapping_add(1);
            self.patience = TURN_STEPS;
        }
        self.current = index;
        self.items[index].converges = false;
        self.items[index].last_turn = self.turn;
        true
    }

    /// Makes one of the groups that are ready current, any of them as likely as another.
    fn select_drawn(&mut self, draw: u64) -> bool {
        let ready = || self.all().iter().enumerate().filter(|(_, s)| s.is_ready());
        let n = ready().count().max(1);
        let Some((index, _)) = ready().nth((draw % n as u64) as usize) else {
            return false;
        };
        self.current = index;
        self.items[index].converges = false;
        true
    }

    /// Lets the groups that wait for one of these reasons try their instruction again; whether there are any.
    pub(crate) fn wake(&mut self, reasons: impl Fn(&WaitReason) -> bool) -> bool {
        let wakes = |split: &Split| matches!(&split.state, SplitState::Waiting(r) if reasons(r));
        if !self.all().iter().any(wakes) {
            return false;
        }
        for split in self.all_mut() {
            if wakes(split) {
                split.state = SplitState::Ready;
            }
        }
        true
    }
}

/// The stack of each lane, lane after lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stack {
    pub(crate) bytes: Vec<u8>,
    /// Who wrote each byte; empty when not tracked.
    pub(crate) writers: Vec<u64>,
    pub(crate) is_tracked: bool,
    /// Bytes of a lane that its frames and reservations have needed so far; accesses beyond them fault.
    pub(crate) lane_bytes: usize,
    /// Bytes from the start of a lane's stack to that of the next lane, at least `lane_bytes`.
    pub(crate) stride: usize,
    /// Something was written since it was cleared.
    is_used: bool,
}

impl Stack {
    /// Grows to at least `lane_bytes` bytes per lane, and keeps the contents. The stride grows by half at least, so that a thread
    /// that reserves in a loop or recurses takes time proportional to its stack.
    pub(crate) fn grow(&mut self, lane_bytes: usize) {
        // Every lane's stack starts where the widest element may.
        let lane_bytes = lane_bytes.next_multiple_of(32);
        if lane_bytes <= self.lane_bytes {
            return;
        }
        self.lane_bytes = lane_bytes;
        if lane_bytes <= self.stride {
            return;
        }
        let old = self.stride;
        let stride = lane_bytes.max((old + old / 2).next_multiple_of(32));
        let mut bytes = vec![0; stride * LANES];
        let mut writers = vec![0; if self.is_tracked { stride * LANES } else { 0 }];
        if old > 0 {
            for lane in 0..LANES {
                let (to, from) = (lane * stride, lane * old);
                bytes[to..to + old].copy_from_slice(&self.bytes[from..from + old]);
                if self.is_tracked && !self.writers.is_empty() {
                    writers[to..to + old].copy_from_slice(&self.writers[from..from + old]);
                }
            }
        }
        self.bytes = bytes;
        self.writers = writers;
        self.stride = stride;
    }

    /// The place of a lane's stack among the bytes.
    pub(crate) fn of_lane(&self, lane: usize) -> Range<usize> {
        let start = lane * self.stride;
        start..start + self.lane_bytes
    }

    /// Changes bytes; the offset counts from the first lane's stack.
    pub(crate) fn write(&mut self, offset: usize, data: &[u8], writer: Writer) {
        self.is_used = true;
        let range = offset..offset + data.len();
        if let Some(place) = self.bytes.get_mut(range.clone()) {
            place.copy_from_slice(data);
        }
        if let Some(place) = self.writers.get_mut(range) {
            place.fill(writer.pack());
        }
    }

    /// Copies bytes within the stacks.
    pub(crate) fn copy(&mut self, from: usize, to: usize, n: usize, writer: Writer) {
        self.is_used = true;
        let len = self.bytes.len();
        if from + n <= len && to + n <= len {
            self.bytes.copy_within(from..from + n, to);
            if let Some(place) = self.writers.get_mut(to..to + n) {
                place.fill(writer.pack());
            }
        }
    }

    /// Empties the stacks for the warp of another block, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.lane_bytes = 0;
        if std::mem::take(&mut self.is_used) {
            self.bytes.fill(0);
            self.writers.fill(0);
        }
    }
}

/// Where a frame returns to and where its variables are, lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) return_pc: Row32,
    pub(crate) stack_start: Row32,
    /// Bytes that were reserved after the variables.
    pub(crate) reserved: Row32,
}

impl Frame {
    pub(crate) const EMPTY: Frame = Frame {
        return_pc: [0; LANES],
        stack_start: [0; LANES],
        reserved: [0; LANES],
    };
}

/// One warp.
#[derive(Clone, Debug)]
pub(crate) struct Warp {
    /// Index of the warp in the block.
    pub(crate) index: u32,
    pub(crate) present: u32,
    pub(crate) exited: u32,
    pub(crate) splits: Splits,
    /// None while [`Warp::fresh`].
    pub(crate) banks: Banks,
    /// Has not run yet: all its registers are zero, and it gets memory for them when its first turn begins. So the
    /// memory that a finished block has just used goes to the next warp that runs, while it is near the host's core.
    pub(crate) fresh: bool,
    pub(crate) specials: Banks,
    pub(crate) carry: u32,
    pub(crate) stack: Stack,
    /// By call depth; the first is the kernel's.
    pub(crate) frames: Vec<Frame>,
    /// Groups of asynchronous operations that its lanes made; none before the first.
    pub(crate) groups: Option<Box<Groups>>,
    /// Steps of this warp.
    pub(crate) steps: u64,
    /// Changed since the last snapshot.
    pub(crate) dirty: bool,
}

impl Warp {
    pub(crate) fn new(index: u32) -> Warp {
        Warp {
            index,
            present: 0,
            exited: 0,
            splits: Splits::new(0, 0),
            banks: Banks::default(),
            fresh: false,
            specials: Banks::default(),
            carry: 0,
            stack: Stack::default(),
            frames: Vec::new(),
            groups: None,
            steps: 0,
            dirty: true,
        }
    }

    /// Lanes that exist and have not exited.
    pub(crate) fn live(&self) -> u32 {
        self.present & !self.exited
    }

    /// Whether a group of its lanes is ready to run.
    #[inline(always)]
    pub(crate) fn can_run(&self) -> bool {
        self.splits.all().iter().any(Split::is_ready)
    }

    /// Ends lanes; those that wait for them look again.
    pub(crate) fn exit(&mut self, lanes: u32) {
        self.exited |= lanes;
        self.splits.remove_lanes(lanes);
        self.splits
            .wake(|reason| matches!(reason, WaitReason::WarpLanes { .. }));
    }

    /// Memory that a snapshot of it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.banks.bytes()
            + self.specials.bytes()
            + (self.stack.bytes.len() + 8 * self.stack.writers.len() + 256 * self.frames.len())
                as u64
            + 1024
    }
}
