//! Control-flow graph of a kernel. The module takes decoded code, and returns basic blocks, region entries, and live
//! registers.

use crate::inlined_code::{InlinedCode, InlinedInstruction};
use crate::registers::{BlockUseDef, RegisterKey};

use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::{
    AsyncGroupKind, DecodedInstruction, DecodedOp, MatrixOperation, OperandLocation,
    TranslationView,
};
use warpgrid_isa::StateSpace;

/// Basic block of the inlined code.
#[derive(Clone, Debug)]
pub(crate) struct BasicBlock {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Indices of the successor blocks.
    pub(crate) successors: Vec<usize>,
    /// Number of instructions of the block that count as steps, excluding a warp-level operation at the end of the
    /// block.
    pub(crate) steps: u32,
    /// Event for which lanes wait before the last instruction of the block.
    pub(crate) suspends_for: SuspendKind,
}

/// Event for which lanes wait at the end of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SuspendKind {
    #[default]
    None,
    /// Arrival of all lanes of the warp, which execute the last instruction together.
    Warp,
    /// Host call, which executes the last instruction.
    Host,
    /// Arrival of all threads of the block at a barrier.
    Barrier,
}

/// Whether the code of a basic block or barrier interval may read or write shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedMemoryUse {
    pub(crate) loads: bool,
    pub(crate) stores: bool,
}

impl SharedMemoryUse {
    fn and(self, other: SharedMemoryUse) -> SharedMemoryUse {
        SharedMemoryUse {
            loads: self.loads | other.loads,
            stores: self.stores | other.stores,
        }
    }
}

/// Control-flow graph with the basic blocks in code order.
#[derive(Clone, Debug)]
pub(crate) struct ControlFlowGraph {
    pub(crate) blocks: Vec<BasicBlock>,
    /// Scheduling priority of each basic block. The interpreter executes the lanes in the block with the lowest number
    /// first.
    pub(crate) numbers: Vec<u32>,
    /// Reads and writes of shared memory in the barrier intervals that contain each basic block. All subwarps of a
    /// thread block start a barrier interval at the same region entry.
    pub(crate) shared: Vec<SharedMemoryUse>,
    /// Whether copies to shared memory may be in flight across barriers.
    pub(crate) has_copies: bool,
    /// Blocks at which a region may start: the first block, blocks after barriers and warp-level operations, and branch
    /// targets.
    pub(crate) entries: Vec<usize>,
    /// Sequences of consecutive warp-level operations at which subwarps wait.
    pub(crate) warp_op_sequences: Vec<WarpOpSequence>,
}

/// Sequence of consecutive basic blocks that end with warp-level operations. The instructions before the first
/// warp-level operation do not belong to the sequence.
#[derive(Clone, Debug)]
pub(crate) struct WarpOpSequence {
    pub(crate) blocks: std::ops::Range<usize>,
}

/// Maximum number of warp-level operations in a sequence.
const MAX_SEQUENCE_LEN: usize = 128;

/// Positions of the instructions that the host executes with functions of the interpreter.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostCallSites {
    /// Host calls that are executed for the lanes of one subwarp.
    pub(crate) lanes: BTreeSet<u32>,
    /// Host calls that are executed for a whole warp.
    pub(crate) warps: BTreeSet<u32>,
}

impl BasicBlock {
    /// Checks whether a basic block branches to itself, so that the block is a complete loop. `last` is the last
    /// instruction of the block.
    pub(crate) fn loops_to_itself(&self, last: &DecodedInstruction) -> bool {
        matches!(last.op, DecodedOp::Branch { target } if target as usize == self.start)
    }
}

/// Returns the event for which lanes wait before an instruction is executed.
fn suspend_kind(at: usize, instr: &DecodedInstruction, by_host: &HostCallSites) -> SuspendKind {
    match instr.op {
        _ if by_host.lanes.contains(&(at as u32)) => SuspendKind::Host,
        DecodedOp::Barrier(_) => SuspendKind::Barrier,
        DecodedOp::Collective(_)
        | DecodedOp::Matrix(_)
        | DecodedOp::WarpBarrier { .. }
        | DecodedOp::ActiveMask { .. } => SuspendKind::Warp,
        DecodedOp::AsyncCommit(AsyncGroupKind::Copies) => SuspendKind::Warp,
        DecodedOp::AsyncWait(wait) if wait.kind == AsyncGroupKind::Copies => SuspendKind::Warp,
        _ => SuspendKind::None,
    }
}

/// Checks whether an instruction is a terminator of a basic block.
pub(crate) fn is_terminator(instr: &DecodedInstruction) -> bool {
    matches!(instr.op, DecodedOp::Branch { .. }) || is_exit(instr)
}

/// Checks whether lanes that execute an instruction exit the kernel.
pub(crate) fn is_exit(instr: &DecodedInstruction) -> bool {
    matches!(instr.op, DecodedOp::Return | DecodedOp::Exit)
}

pub(crate) fn is_guarded(instr: &DecodedInstruction) -> bool {
    instr.guard.place() != OperandLocation::None
}

/// Returns the positions in the code at which basic blocks start, and the subset of these positions at which regions
/// may start.
fn starts_of(
    code: &InlinedCode<'_>,
    by_host: &HostCallSites,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut starts = BTreeSet::from([0]);
    let mut entered = BTreeSet::from([0]);
    for (at, InlinedInstruction { instr, .. }) in code.all().iter().enumerate() {
        let meets = suspend_kind(at, instr, by_host) != SuspendKind::None;
        if is_terminator(instr) || meets {
            starts.insert(at + 1);
        }
        match instr.op {
            DecodedOp::Branch { target } => {
                starts.insert(target as usize);
                if is_guarded(instr) {
                    entered.insert(target as usize);
                }
            }
            _ if meets => {
                entered.insert(at + 1);
            }
            _ => {}
        }
    }
    (starts, entered)
}

impl ControlFlowGraph {
    pub(crate) fn new(
        plain: TranslationView<'_>,
        code: &InlinedCode<'_>,
        by_host: &HostCallSites,
    ) -> ControlFlowGraph {
        let (starts, entered) = starts_of(code, by_host);
        let starts: Vec<usize> = starts.into_iter().filter(|at| *at < code.len()).collect();
        let number = |at: usize| starts.binary_search(&at).ok();
        let mut blocks = Vec::with_capacity(starts.len());
        for (index, start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(code.len());
            let instrs = code.range(*start..end);
            let mut next = Vec::new();
            let last = instrs.last().map(|placed| &placed.instr);
            let goes_on = last.is_none_or(|last| is_guarded(last) || !is_terminator(last));
            let meets = last.map_or(SuspendKind::None, |last| {
                suspend_kind(end - 1, last, by_host)
            });
            let own_steps = match meets {
                SuspendKind::Warp => instrs.split_last().map_or(instrs, |(_, rest)| rest),
                SuspendKind::None | SuspendKind::Barrier | SuspendKind::Host => instrs,
            };
            if goes_on && end < code.len() {
                next.push(index + 1);
            }
            if let Some(DecodedOp::Branch { target }) = last.map(|last| last.op) {
                next.extend(number(target as usize));
            }
            blocks.push(BasicBlock {
                start: *start,
                end,
                successors: next,
                steps: own_steps
                    .iter()
                    .filter(|p| !p.instr.continues_bundle)
                    .count() as u32,
                suspends_for: meets,
            });
        }
        let entries = entered.into_iter().filter_map(number).collect();
        let mut flow = ControlFlowGraph {
            shared: vec![SharedMemoryUse::default(); blocks.len()],
            has_copies: false,
            numbers: Vec::new(),
            warp_op_sequences: warp_op_sequences(&blocks, &by_host.warps),
            blocks,
            entries,
        };
        flow.find_shared_use(plain, code);
        flow.assign_priorities(code);
        flow
    }

    /// Returns the event for which lanes wait at the end of a basic block.
    pub(crate) fn suspends_for(&self, block: usize) -> SuspendKind {
        self.blocks
            .get(block)
            .map_or(SuspendKind::None, |b| b.suspends_for)
    }

    /// Checks whether the code contains warp-level operations.
    pub(crate) fn has_warp_operations(&self) -> bool {
        !self.warp_op_sequences.is_empty()
    }

    /// Returns the number of the synchronization point at the end of a basic block. Warp-level operations are numbered
    /// from 1 on, followed by barriers, and then by host calls for lanes. Returns zero for blocks without a
    /// synchronization point.
    pub(crate) fn wait_number(&self, block: usize) -> u32 {
        let count = |what: SuspendKind, blocks: &[BasicBlock]| {
            blocks
                .iter()
                .filter(|block| block.suspends_for == what)
                .count() as u32
        };
        let before = self.blocks.get(..block).unwrap_or(&[]);
        let numbers = self.wait_numbers();
        match self.suspends_for(block) {
            SuspendKind::None => 0,
            SuspendKind::Warp => self
                .sequence_at(block)
                .map_or(0, |sequence| sequence as u32 + 1),
            SuspendKind::Barrier => numbers.first_barrier + count(SuspendKind::Barrier, before),
            SuspendKind::Host => numbers.first_of_host + count(SuspendKind::Host, before),
        }
    }

    /// Returns the number of synchronization points.
    pub(crate) fn n_waits(&self) -> u32 {
        let is_of_host = |block: &&BasicBlock| block.suspends_for == SuspendKind::Host;
        let n_of_host = self.blocks.iter().filter(is_of_host).count() as u32;
        self.wait_numbers().first_of_host + n_of_host - 1
    }

    /// Returns the first synchronization point number of each kind.
    pub(crate) fn wait_numbers(&self) -> SuspendCodes {
        let is_barrier = |block: &&BasicBlock| block.suspends_for == SuspendKind::Barrier;
        let first_barrier = self.warp_op_sequences.len() as u32 + 1;
        SuspendCodes {
            first_barrier,
            first_of_host: first_barrier + self.blocks.iter().filter(is_barrier).count() as u32,
        }
    }

    /// Returns the index of the sequence of warp-level operations whose first block is the given basic block.
    pub(crate) fn sequence_at(&self, block: usize) -> Option<usize> {
        self.warp_op_sequences
            .iter()
            .position(|sequence| sequence.blocks.start == block)
    }

    /// Checks whether a basic block belongs to a sequence of warp-level operations and is not its first block.
    pub(crate) fn is_within_chain(&self, block: usize) -> bool {
        self.suspends_for(block) == SuspendKind::Warp && self.sequence_at(block).is_none()
    }

    /// Returns the basic blocks of each barrier interval: the blocks that are reachable from the start of the interval
    /// without passing a barrier.
    fn barrier_intervals(&self) -> Vec<BTreeSet<usize>> {
        let ends = |block: usize| self.suspends_for(block) == SuspendKind::Barrier;
        let after_end = |block: &usize| *block > 0 && ends(block - 1);
        let starts = (0..self.blocks.len()).filter(|block| *block == 0 || after_end(block));
        let reached_from = |start: usize| {
            let mut reached = BTreeSet::from([start]);
            let mut left = vec![start];
            while let Some(block) = left.pop() {
                if ends(block) {
                    continue;
                }
                for next in self
                    .blocks
                    .get(block)
                    .into_iter()
                    .flat_map(|b| &b.successors)
                {
                    if reached.insert(*next) {
                        left.push(*next);
                    }
                }
            }
            reached
        };
        starts.map(reached_from).collect()
    }

    /// Returns the group number of each basic block. Control flow leaves a group only at synchronization points.
    pub(crate) fn groups(&self) -> Vec<usize> {
        let n_blocks = self.blocks.len();
        let mut groups: Vec<usize> = (0..n_blocks).collect();
        for (index, block) in self.blocks.iter().enumerate() {
            if block.suspends_for != SuspendKind::None {
                continue;
            }
            for next in &block.successors {
                let (Some(own), Some(other)) = (groups.get(index), groups.get(*next)) else {
                    continue;
                };
                let (kept, joined) = (*own.min(other), *own.max(other));
                if kept == joined {
                    continue;
                }
                for group in groups.iter_mut().filter(|group| **group == joined) {
                    *group = kept;
                }
            }
        }
        let found = BTreeSet::from_iter(groups.iter().copied());
        let numbers = Vec::from_iter(found);
        let number = |group: &usize| numbers.binary_search(group).unwrap_or_default();
        groups.iter().map(number).collect()
    }

    fn assign_priorities(&mut self, code: &InlinedCode<'_>) {
        let mut ordered: Vec<usize> = (0..self.blocks.len()).collect();
        ordered.sort_by_key(|block| {
            self.blocks
                .get(*block)
                .map(|b| code.scheduler_priority(b.start))
        });
        self.numbers = vec![0; ordered.len()];
        for (number, block) in (0..).zip(ordered) {
            if let Some(place) = self.numbers.get_mut(block) {
                *place = number;
            }
        }
    }

    /// Returns the scheduling priority of a basic block.
    pub(crate) fn number(&self, block: usize) -> u32 {
        self.numbers.get(block).copied().unwrap_or(0)
    }

    fn find_shared_use(&mut self, plain: TranslationView<'_>, code: &InlinedCode<'_>) {
        let uses = self.blocks.iter().map(|b| shared_use(plain, code, b));
        let own: Vec<SharedMemoryUse> = uses.collect();
        self.has_copies = starts_copies(plain, code.all());
        if self.has_copies {
            // Pending copies may write to shared memory in a later barrier interval, so every interval counts as
            // writing.
            let all = SharedMemoryUse {
                loads: true,
                stores: true,
            };
            self.shared.fill(all);
            return;
        }
        for reached in self.barrier_intervals() {
            let all = reached.iter().filter_map(|block| own.get(*block));
            let all = all.fold(SharedMemoryUse::default(), |all, one| all.and(*one));
            for block in reached {
                if let Some(found) = self.shared.get_mut(block) {
                    *found = found.and(all);
                }
            }
        }
    }

    /// Returns the basic block that starts at a position in the code.
    pub(crate) fn block_at(&self, at: usize) -> Option<usize> {
        let index = self.blocks.binary_search_by_key(&at, |block| block.start);
        index.ok()
    }

    /// Returns the entry number of a basic block, if a region may start at the block.
    pub(crate) fn entry(&self, block: usize) -> Option<u32> {
        let index = self.entries.iter().position(|entry| *entry == block)?;
        Some(index as u32)
    }

    /// Returns the predecessors of each basic block.
    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            for next in &block.successors {
                if let Some(all) = before.get_mut(*next) {
                    all.push(index);
                }
            }
        }
        before
    }

    /// Returns the dominator set of each basic block, which includes the block itself.
    pub(crate) fn dominators(&self) -> Vec<BTreeSet<usize>> {
        let n = self.blocks.len();
        let before = self.predecessors();
        let mut found: Vec<BTreeSet<usize>> = vec![(0..n).collect(); n];
        if let Some(first) = found.first_mut() {
            *first = BTreeSet::from([0]);
        }
        loop {
            let mut is_changed = false;
            for index in 1..n {
                let mut ways = before[index].iter().map(|way| &found[*way]);
                let mut common = ways.next().cloned().unwrap_or_default();
                for way in ways {
                    common.retain(|block| way.contains(block));
                }
                common.insert(index);
                is_changed |= common != found[index];
                found[index] = common;
            }
            if !is_changed {
                return found;
            }
        }
    }

    /// Returns the natural loops: maps each loop header to the blocks of the loop.
    pub(crate) fn natural_loops(
        &self,
        dominators: &[BTreeSet<usize>],
    ) -> BTreeMap<usize, BTreeSet<usize>> {
        let before = self.predecessors();
        let mut loops = BTreeMap::new();
        for (index, block) in self.blocks.iter().enumerate() {
            let is_before = |header: &&usize| {
                let all = dominators.get(index);
                all.is_some_and(|all| all.contains(*header))
            };
            for header in block.successors.iter().filter(is_before) {
                let inside: &mut BTreeSet<usize> = loops.entry(*header).or_default();
                inside.insert(*header);
                let mut left = vec![index];
                while let Some(block) = left.pop() {
                    if inside.insert(block) {
                        left.extend(before.get(block).into_iter().flatten());
                    }
                }
            }
        }
        loops
    }

    /// Returns the basic blocks in topological order of the control-flow graph without back edges and without edges
    /// across synchronization points.
    pub(crate) fn topological_order(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut is_seen = vec![false; self.blocks.len()];
        for first in 0..self.blocks.len() {
            // Stack of basic blocks, each with the number of its successors that have already been visited.
            let mut way = vec![(first, 0)];
            while let Some((block, n_seen)) = way.pop() {
                if n_seen == 0 && std::mem::replace(&mut is_seen[block], true) {
                    continue;
                }
                let own = &self.blocks[block];
                let after = own.successors.iter().rev().nth(n_seen);
                match after.filter(|_| own.suspends_for == SuspendKind::None) {
                    Some(next) => {
                        way.push((block, n_seen + 1));
                        way.push((*next, 0));
                    }
                    None => order.push(block),
                }
            }
        }
        order.reverse();
        order
    }

    /// Returns the live-in registers of each basic block.
    pub(crate) fn live_in(&self, touched: &[BlockUseDef]) -> Vec<BTreeSet<RegisterKey>> {
        let mut live: Vec<BTreeSet<RegisterKey>> = touched.iter().map(|t| t.read.clone()).collect();
        loop {
            let mut is_changed = false;
            for (index, block) in self.blocks.iter().enumerate().rev() {
                for next in &block.successors {
                    let wanted: Vec<RegisterKey> = live
                        .get(*next)
                        .into_iter()
                        .flatten()
                        .filter(|r| {
                            !touched[index].written.contains(*r) && !live[index].contains(*r)
                        })
                        .copied()
                        .collect();
                    is_changed |= !wanted.is_empty();
                    live[index].extend(wanted);
                }
            }
            if !is_changed {
                return live;
            }
        }
    }
}

/// Returns the sequences of warp-level operations. A sequence continues with a basic block whose only predecessor
/// belongs to the sequence. Host calls and other warp-level operations are in separate sequences.
fn warp_op_sequences(blocks: &[BasicBlock], by_host: &BTreeSet<u32>) -> Vec<WarpOpSequence> {
    let is_by_host = |index: usize| {
        let last = blocks.get(index).map_or(0, |block| block.end as u32 - 1);
        by_host.contains(&last)
    };
    let is_meeting = |index: usize| {
        blocks
            .get(index)
            .is_some_and(|b| b.suspends_for == SuspendKind::Warp)
    };
    let mut entered = vec![false; blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        for next in &block.successors {
            if let Some(place) = entered.get_mut(*next) {
                *place |= !(is_meeting(index) && *next == index + 1);
            }
        }
    }
    let mut sequences: Vec<WarpOpSequence> = Vec::new();
    for index in (0..blocks.len()).filter(|index| is_meeting(*index)) {
        let is_entered = entered.get(index).is_none_or(|is_entered| *is_entered);
        match sequences.last_mut() {
            Some(sequence)
                if sequence.blocks.end == index
                    && !is_entered
                    && !is_by_host(index)
                    && !is_by_host(index - 1)
                    && sequence.blocks.len() < MAX_SEQUENCE_LEN =>
            {
                sequence.blocks.end += 1;
            }
            _ => sequences.push(WarpOpSequence {
                blocks: index..index + 1,
            }),
        }
    }
    sequences
}

/// Effect of an instruction on memory.
struct MemoryUse {
    space: StateSpace,
    loads: bool,
    stores: bool,
}

fn memory_use(plain: TranslationView<'_>, op: &DecodedOp) -> Option<MemoryUse> {
    let of = |space: StateSpace, stores: bool| MemoryUse {
        space,
        loads: !stores,
        stores,
    };
    match *op {
        DecodedOp::Load(plan) => Some(of(plain.access(plan)?.space, false)),
        DecodedOp::Store(plan) => Some(of(plain.access(plan)?.space, true)),
        DecodedOp::Atomic(plan) => Some(MemoryUse {
            space: plain.atomic(plan)?.access.space,
            loads: true,
            stores: true,
        }),
        DecodedOp::StartAsync(plan) => plain.copy(plan).map(|_| MemoryUse {
            space: StateSpace::Shared,
            loads: true,
            stores: true,
        }),
        // A wait for asynchronous copies counts as a store, because the copies that it completes write to shared
        // memory.
        DecodedOp::AsyncWait(_) => Some(of(StateSpace::Shared, true)),
        DecodedOp::Matrix(plan) => match plain.matrix(plan) {
            MatrixOperation::Lines(lines) => Some(of(lines.access.space, lines.is_store)),
            MatrixOperation::Rows(rows) => Some(of(rows.row.space, rows.is_store)),
            _ => None,
        },
        _ => None,
    }
}

/// Checks whether the code accesses memory.
pub(crate) fn accesses_memory(plain: TranslationView<'_>, code: &[InlinedInstruction<'_>]) -> bool {
    code.iter()
        .any(|placed| memory_use(plain, &placed.instr.op).is_some())
}

/// Checks whether an instruction may modify memory that is shared by several threads.
pub(crate) fn stores_to_memory(plain: TranslationView<'_>, op: &DecodedOp) -> bool {
    memory_use(plain, op).is_some_and(|used| used.stores)
}

/// Checks whether the code starts asynchronous copies to shared memory.
fn starts_copies(plain: TranslationView<'_>, code: &[InlinedInstruction<'_>]) -> bool {
    code.iter().any(|placed| match placed.instr.op {
        DecodedOp::StartAsync(plan) => plain.copy(plan).is_some(),
        _ => false,
    })
}

/// Returns whether a basic block may read or write shared memory. Accesses through generic addresses are included if
/// the addresses may be in shared memory.
fn shared_use(
    plain: TranslationView<'_>,
    code: &InlinedCode<'_>,
    block: &BasicBlock,
) -> SharedMemoryUse {
    let mut shared_memory_use = SharedMemoryUse::default();
    for placed in code.range(block.start..block.end) {
        let Some(used) = memory_use(plain, &placed.instr.op) else {
            continue;
        };
        if matches!(used.space, StateSpace::Shared | StateSpace::Generic) {
            shared_memory_use.loads |= used.loads;
            shared_memory_use.stores |= used.stores;
        }
    }
    shared_memory_use
}

/// Numbering of the synchronization points: warp-level operations from 1 on, then barriers, then host calls for lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuspendCodes {
    pub(crate) first_barrier: u32,
    pub(crate) first_of_host: u32,
}
