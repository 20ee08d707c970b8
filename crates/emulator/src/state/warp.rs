//! State of a warp: its registers, the stacks of its lanes, and its groups of converged lanes.

use crate::contract::fault::WaitReason;
use crate::contract::inspect::LastWriter;
use crate::semantics::registers::{LANES, RegisterFile, Row32};
use crate::state::in_flight::AsyncGroups;
use crate::state::scheduler::draw;
use std::ops::Range;

/// Execution state of a [`WarpSplit`], which is ready or waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WarpSplitState {
    Ready,
    Waiting(WaitReason),
}

/// Group of converged lanes of a warp, which have the same program counter and call depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WarpSplit {
    pub(crate) mask: u32,
    pub(crate) pc: u32,
    pub(crate) depth: u32,
    pub(crate) state: WarpSplitState,
    /// Turn of the warp in which the group was last selected. The selection uses this number to find the group that has
    /// waited longest.
    pub(crate) last_turn: u32,
    /// Whether the group may reconverge with another group if convergence is explicit (see [`converge`]). The flag is
    /// set if a barrier has released the group, or if the group waits for other lanes that execute the same
    /// instruction.
    pub(crate) converges: bool,
}

impl WarpSplit {
    /// Scheduling priority: groups in deeper calls come first, then groups with lower program counters. This order
    /// reconverges divergent lanes as early as possible.
    #[inline(always)]
    fn key(&self) -> (u32, u32) {
        (u32::MAX - self.depth, self.pc)
    }

    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.state, WarpSplitState::Ready)
    }
}

/// Checks whether two groups at the same instruction reconverge if convergence is explicit. The groups reconverge if a
/// barrier has released both groups, or if one group waits for the other group. A released group does not join a group
/// that has reached the instruction by a branch, because the barrier registers of both groups may contain different
/// masks.
fn converge(first: &WarpSplit, second: &WarpSplit) -> bool {
    let waits = |split: &WarpSplit| split.converges && !split.is_ready();
    (first.converges && second.converges) || waits(first) || waits(second)
}

const NO_SPLIT: WarpSplit = WarpSplit {
    mask: 0,
    pc: 0,
    depth: 0,
    state: WarpSplitState::Ready,
    last_turn: 0,
    converges: false,
};

/// Number of steps in the quantum of a lane group if other lane groups of the warp are ready.
pub const GROUP_QUANTUM: u32 = 512;

/// Table of the groups of converged lanes in a warp, which selects the group that executes next. The masks of the
/// groups are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WarpSplitTable {
    items: [WarpSplit; LANES],
    n: usize,
    /// Index of the current group. The value is meaningless if there are no groups.
    current: usize,
    turn: u32,
    /// Number of steps that remain in the quantum of the current group.
    quantum_left: u32,
    /// Whether the current group was selected because it had waited longer than all other groups.
    is_starved_turn: bool,
    /// Whether groups other than the current group have changed since the last merge.
    needs_merge: bool,
    /// Whether groups converge only at convergence barriers, and each group executes until it waits, yields or exhausts
    /// its quantum. SASS has this execution model, in which uniform registers have a single value for all groups of a
    /// warp.
    pub(crate) explicit_convergence: bool,
    /// State of the random generator that selects groups. With the value `None`, the scheduler selects groups in the
    /// default order.
    random: Option<u64>,
}

impl WarpSplitTable {
    pub(crate) fn new(mask: u32, pc: u32) -> WarpSplitTable {
        let mut items = [NO_SPLIT; LANES];
        items[0] = WarpSplit {
            mask,
            pc,
            ..NO_SPLIT
        };
        WarpSplitTable {
            items,
            n: usize::from(mask != 0),
            current: 0,
            turn: 0,
            quantum_left: GROUP_QUANTUM,
            is_starved_turn: false,
            needs_merge: false,
            explicit_convergence: false,
            random: None,
        }
    }

    /// Enables the random selection of groups with a generator state, or disables it.
    pub(crate) fn draw_from(&mut self, random: Option<u64>) {
        self.random = random;
    }

    /// Ends the quantum of the current group, so that the group that has waited longest is selected next.
    pub(crate) fn end_turn(&mut self) {
        self.is_starved_turn = false;
        self.quantum_left = 1;
    }

    /// Resets the table in place to the state of [`WarpSplitTable::new`]. Only existing groups are cleared.
    pub(crate) fn reset(&mut self, mask: u32, pc: u32) {
        for place in self.items.iter_mut().take(self.n.max(1)) {
            *place = NO_SPLIT;
        }
        self.items[0].mask = mask;
        self.items[0].pc = pc;
        self.n = usize::from(mask != 0);
        self.current = 0;
        self.turn = 0;
        self.quantum_left = GROUP_QUANTUM;
        self.is_starved_turn = false;
        self.needs_merge = false;
    }

    #[inline(always)]
    pub(crate) fn all(&self) -> &[WarpSplit] {
        self.items.get(..self.n).unwrap_or(&[])
    }

    pub(crate) fn all_mut(&mut self) -> &mut [WarpSplit] {
        self.needs_merge = true;
        self.items.get_mut(..self.n).unwrap_or(&mut [])
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Returns the current group.
    #[inline(always)]
    pub(crate) fn current(&self) -> &WarpSplit {
        &self.items[self.current & (LANES - 1)]
    }

    #[inline(always)]
    pub(crate) fn current_mut(&mut self) -> &mut WarpSplit {
        &mut self.items[self.current & (LANES - 1)]
    }

    pub(crate) fn current_index(&self) -> usize {
        self.current
    }

    pub(crate) fn add(&mut self, split: WarpSplit) {
        if let Some(place) = self.items.get_mut(self.n) {
            *place = split;
            self.n += 1;
            self.needs_merge = true;
        }
    }

    /// Removes lanes from all groups, and drops empty groups.
    pub(crate) fn remove_lanes(&mut self, lanes: u32) {
        for split in self.all_mut() {
            split.mask &= !lanes;
        }
        self.drop_empty();
    }

    fn drop_empty(&mut self) {
        let mut n_retained = 0;
        let mut current = 0;
        for index in 0..self.n {
            let split = self.items[index];
            if split.mask != 0 {
                if index == self.current {
                    current = n_retained;
                }
                self.items[n_retained] = split;
                n_retained += 1;
            }
        }
        for place in self.items.iter_mut().take(self.n).skip(n_retained) {
            *place = NO_SPLIT;
        }
        self.n = n_retained;
        self.current = current;
    }

    /// Merges groups with the same program counter and call depth. A merged group is ready, so that it evaluates its
    /// wait condition again. If only the current group has changed, only the current group is compared with the other
    /// groups.
    fn merge(&mut self) {
        let mut merged = false;
        if std::mem::take(&mut self.needs_merge) {
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
            self.needs_merge = false;
        }
    }

    /// Merges group b into group a if both have the same program counter and call depth. Returns whether the groups
    /// were merged.
    #[inline(always)]
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (Some(&first), Some(&second)) = (self.items.get(a), self.items.get(b)) else {
            return false;
        };
        // Do not merge a group that has arrived at a barrier with another group before the barrier completes.
        // Otherwise, the barrier would release lanes that have not arrived.
        let at_barrier = |split: WarpSplit| matches!(split.state, WarpSplitState::Waiting(reason) if reason.counts_arrival());
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
        self.items[a].state = WarpSplitState::Ready;
        self.items[a].last_turn = first.last_turn.max(second.last_turn);
        self.items[b].mask = 0;
        if self.current == b {
            self.current = a;
        }
        true
    }

    /// Selects the next group to execute. Returns `false` if no group is ready.
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
        let changed = self.needs_merge;
        self.merge();
        self.quantum_left = self.quantum_left.saturating_sub(1);
        let may_stay = self.explicit_convergence && (!changed || self.random.is_none());
        if may_stay && self.quantum_left > 0 && self.current().is_ready() {
            self.items[self.current & (LANES - 1)].converges = false;
            return true;
        }
        if self.is_starved_turn && self.quantum_left > 0 && self.current().is_ready() {
            return true;
        }
        if let Some(random) = &mut self.random {
            let draw = draw(random);
            return self.select_drawn(draw);
        }
        let out_of_patience = self.quantum_left == 0 && !self.is_starved_turn;
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
        if index != self.current || out_of_patience || self.is_starved_turn {
            self.is_starved_turn = out_of_patience;
            self.turn = self.turn.wrapping_add(1);
            self.quantum_left = GROUP_QUANTUM;
        }
        self.current = index;
        self.items[index].converges = false;
        self.items[index].last_turn = self.turn;
        true
    }

    /// Selects a ready group at random with uniform probability.
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

    /// Makes groups ready whose wait reason satisfies `reasons`, so that they retry their instruction. Returns whether
    /// any group was woken.
    pub(crate) fn wake(&mut self, reasons: impl Fn(&WaitReason) -> bool) -> bool {
        let wakes =
            |split: &WarpSplit| matches!(&split.state, WarpSplitState::Waiting(r) if reasons(r));
        if !self.all().iter().any(wakes) {
            return false;
        }
        for split in self.all_mut() {
            if wakes(split) {
                split.state = WarpSplitState::Ready;
            }
        }
        true
    }
}

/// Memory for the stacks of all lanes of a warp, in lane order. Call frames and dynamic allocations of local memory are
/// on these stacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LaneStacks {
    pub(crate) bytes: Vec<u8>,
    /// Last writer of each byte. The vector is empty if last writers are not tracked.
    pub(crate) writers: Vec<u64>,
    pub(crate) is_tracked: bool,
    /// Number of accessible bytes per lane, which is the maximum total size of call frames and dynamic allocations so
    /// far. Accesses beyond this size fault.
    pub(crate) lane_bytes: usize,
    /// Distance in bytes between the stacks of consecutive lanes, which is at least `lane_bytes`.
    pub(crate) stride: usize,
    /// Whether any byte has been written since the stacks were cleared.
    is_used: bool,
}

impl LaneStacks {
    /// Grows the stack of each lane to at least `lane_bytes` bytes, and preserves the contents. The stride grows by at
    /// least half, so that the total cost of repeated growth by a loop or a recursion is linear in the stack size.
    pub(crate) fn grow(&mut self, lane_bytes: usize) {
        // Round the size up, so that the stack of each lane is aligned to the widest element.
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

    /// Returns the byte range of the stack of a lane.
    pub(crate) fn of_lane(&self, lane: usize) -> Range<usize> {
        let start = lane * self.stride;
        start..start + self.lane_bytes
    }

    /// Writes bytes to the stacks. `offset` is relative to the stack of the first lane.
    pub(crate) fn write(&mut self, offset: usize, data: &[u8], writer: LastWriter) {
        self.is_used = true;
        let range = offset..offset + data.len();
        if let Some(place) = self.bytes.get_mut(range.clone()) {
            place.copy_from_slice(data);
        }
        if let Some(place) = self.writers.get_mut(range) {
            place.fill(writer.pack());
        }
    }

    /// Copies bytes within the stack memory of the warp.
    pub(crate) fn copy(&mut self, from: usize, to: usize, n: usize, writer: LastWriter) {
        self.is_used = true;
        let len = self.bytes.len();
        if from + n <= len && to + n <= len {
            self.bytes.copy_within(from..from + n, to);
            if let Some(place) = self.writers.get_mut(to..to + n) {
                place.fill(writer.pack());
            }
        }
    }

    /// Clears the stacks, so that a warp of another block can reuse the allocated memory.
    pub(crate) fn clear(&mut self) {
        self.lane_bytes = 0;
        if std::mem::take(&mut self.is_used) {
            self.bytes.fill(0);
            self.writers.fill(0);
        }
    }
}

/// Call frame of a warp: the return address and the start of the stack frame of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallFrame {
    pub(crate) return_pc: Row32,
    pub(crate) stack_start: Row32,
    /// Number of bytes that `alloca` has reserved after the local variables.
    pub(crate) reserved: Row32,
}

impl CallFrame {
    pub(crate) const EMPTY: CallFrame = CallFrame {
        return_pc: [0; LANES],
        stack_start: [0; LANES],
        reserved: [0; LANES],
    };
}

/// Execution state of one warp: its register file, call frames, lane stacks and groups of converged lanes.
#[derive(Clone, Debug)]
pub(crate) struct Warp {
    /// Index of the warp in the block.
    pub(crate) index: u32,
    pub(crate) present: u32,
    pub(crate) exited: u32,
    pub(crate) splits: WarpSplitTable,
    /// Register banks, which are empty while [`Warp::has_not_run`] is set.
    pub(crate) banks: RegisterFile,
    /// Whether the warp has not executed yet. In this state, all of its registers are zero. Its register banks are
    /// allocated at its first turn, because the memory of a warp that has just finished can be reused while it is still
    /// in the cache of the host.
    pub(crate) has_not_run: bool,
    pub(crate) specials: RegisterFile,
    pub(crate) carry: u32,
    pub(crate) stack: LaneStacks,
    /// Call frames in the order of their call depth, starting with the frame of the kernel.
    pub(crate) frames: Vec<CallFrame>,
    /// Async-groups that the lanes have committed. The value is `None` before the first commit.
    pub(crate) groups: Option<Box<AsyncGroups>>,
    /// Number of steps that the warp has executed.
    pub(crate) steps: u64,
    /// Whether the warp has changed since the last snapshot.
    pub(crate) dirty: bool,
}

impl Warp {
    pub(crate) fn new(index: u32) -> Warp {
        Warp {
            index,
            present: 0,
            exited: 0,
            splits: WarpSplitTable::new(0, 0),
            banks: RegisterFile::default(),
            has_not_run: false,
            specials: RegisterFile::default(),
            carry: 0,
            stack: LaneStacks::default(),
            frames: Vec::new(),
            groups: None,
            steps: 0,
            dirty: true,
        }
    }

    /// Returns the lanes that exist and have not exited.
    pub(crate) fn live(&self) -> u32 {
        self.present & !self.exited
    }

    /// Checks whether the warp has a ready group of lanes.
    #[inline(always)]
    pub(crate) fn can_run(&self) -> bool {
        self.splits.all().iter().any(WarpSplit::is_ready)
    }

    /// Marks lanes as exited. Groups that wait for lanes of the warp evaluate their wait conditions again.
    pub(crate) fn exit(&mut self, lanes: u32) {
        self.exited |= lanes;
        self.splits.remove_lanes(lanes);
        self.splits
            .wake(|reason| matches!(reason, WaitReason::WarpLanes { .. }));
    }

    /// Returns the size of a snapshot of this warp in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.banks.bytes()
            + self.specials.bytes()
            + (self.stack.bytes.len() + 8 * self.stack.writers.len() + 256 * self.frames.len())
                as u64
            + 1024
    }
}
