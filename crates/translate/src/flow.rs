//! The blocks of a kernel's code and the ways between them. In: decoded code; out: blocks, entries, and what is live at each.

use crate::Refusal;
use crate::emit::{Register, Touched};
use std::collections::BTreeSet;
use warpgrid_emulator::plain::{Instr, Op, Plain, SlotPlace};
use warpgrid_isa::StateSpace;

/// Most instructions of a kernel that is translated.
const MOST_INSTRUCTIONS: usize = 20_000;

/// Instructions that are executed one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where it goes on, by block.
    pub(crate) next: Vec<usize>,
    /// Instructions that are a step.
    pub(crate) steps: u32,
}

/// Whether shared memory may be read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedUse {
    pub(crate) loads: bool,
    pub(crate) stores: bool,
}

impl SharedUse {
    fn and(self, other: SharedUse) -> SharedUse {
        SharedUse {
            loads: self.loads | other.loads,
            stores: self.stores | other.stores,
        }
    }
}

/// Blocks in the order of the code, and where strips begin.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub(crate) blocks: Vec<Block>,
    /// By block, what happens to shared memory in the phases that it is a part of: all gangs begin a phase at the same entry.
    pub(crate) shared: Vec<SharedUse>,
    /// Blocks that a strip may begin with: the first, those after barriers, and those that branches go to.
    pub(crate) entries: Vec<usize>,
}

/// Whether an instruction ends a block.
fn ends_block(instr: &Instr) -> bool {
    matches!(
        instr.op,
        Op::Branch { .. } | Op::Return | Op::Exit | Op::Barrier(_)
    )
}

fn is_guarded(instr: &Instr) -> bool {
    instr.guard.place() != SlotPlace::None
}

impl Flow {
    pub(crate) fn new(plain: Plain<'_>) -> Result<Flow, Refusal> {
        let code = plain.instructions();
        if code.is_empty() || code.len() > MOST_INSTRUCTIONS {
            return Err(Refusal::TooLarge);
        }
        let mut starts = BTreeSet::from([0]);
        let mut entered = BTreeSet::from([0]);
        for (at, instr) in code.iter().enumerate() {
            if ends_block(instr) {
                starts.insert(at + 1);
            }
            match instr.op {
                Op::Branch { target } => {
                    starts.insert(target as usize);
                    if is_guarded(instr) {
                        entered.insert(target as usize);
                    }
                }
                Op::Barrier(_) => {
                    entered.insert(at + 1);
                }
                _ => {}
            }
        }
        let starts: Vec<usize> = starts.into_iter().filter(|at| *at < code.len()).collect();
        let number = |at: usize| starts.binary_search(&at).ok();
        let mut blocks = Vec::with_capacity(starts.len());
        for (index, start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(code.len());
            let instrs = code.get(*start..end).unwrap_or(&[]);
            let mut next = Vec::new();
            let last = instrs.last();
            let goes_on = last.is_none_or(|last| {
                is_guarded(last) || !ends_block(last) || matches!(last.op, Op::Barrier(_))
            });
            if goes_on && end < code.len() {
                next.push(index + 1);
            }
            if let Some(Op::Branch { target }) = last.map(|last| last.op) {
                next.extend(number(target as usize));
            }
            blocks.push(Block {
                start: *start,
                end,
                next,
                steps: instrs.iter().filter(|instr| !instr.with_next).count() as u32,
            });
        }
        let entries = entered.into_iter().filter_map(number).collect();
        let mut flow = Flow {
            shared: vec![SharedUse::default(); blocks.len()],
            blocks,
            entries,
        };
        flow.find_shared_use(plain);
        Ok(flow)
    }

    /// Whether a block ends at a barrier.
    fn waits(&self, block: usize, code: &[Instr]) -> bool {
        let last = self.blocks.get(block).map_or(0, |block| block.end - 1);
        matches!(code.get(last).map(|last| last.op), Some(Op::Barrier(_)))
    }

    /// The blocks of each phase: where it starts, and what is reached from there before a barrier is passed.
    fn phases(&self, code: &[Instr]) -> Vec<(usize, BTreeSet<usize>)> {
        let after_barrier = |block: &usize| *block > 0 && self.waits(block - 1, code);
        let starts = (0..self.blocks.len()).filter(|block| *block == 0 || after_barrier(block));
        let reached_from = |start: usize| {
            let mut reached = BTreeSet::from([start]);
            let mut left = vec![start];
            while let Some(block) = left.pop() {
                if self.waits(block, code) {
                    continue;
                }
                for next in self.blocks.get(block).into_iter().flat_map(|b| &b.next) {
                    if reached.insert(*next) {
                        left.push(*next);
                    }
                }
            }
            (start, reached)
        };
        starts.map(reached_from).collect()
    }

    fn find_shared_use(&mut self, plain: Plain<'_>) {
        let own: Vec<SharedUse> = self.blocks.iter().map(|b| shared_use(plain, b)).collect();
        for (_, reached) in self.phases(plain.instructions()) {
            let all = reached.iter().filter_map(|block| own.get(*block));
            let all = all.fold(SharedUse::default(), |all, one| all.and(*one));
            for block in reached {
                if let Some(found) = self.shared.get_mut(block) {
                    *found = found.and(all);
                }
            }
        }
    }

    /// By block, what the phases write that it is a part of; none for those of the first phase, at whose start records hold nothing.
    pub(crate) fn written(
        &self,
        plain: Plain<'_>,
        touched: &[Touched],
    ) -> Vec<Option<BTreeSet<Register>>> {
        let mut found = vec![Some(BTreeSet::new()); self.blocks.len()];
        for (start, reached) in self.phases(plain.instructions()) {
            let written = reached.iter().filter_map(|block| touched.get(*block));
            let written: BTreeSet<Register> = written.flat_map(|t| &t.written).copied().collect();
            for block in reached {
                match found.get_mut(block) {
                    Some(place) if start == 0 => *place = None,
                    Some(Some(all)) => all.extend(&written),
                    Some(None) | None => {}
                }
            }
        }
        found
    }

    /// The block that starts at a place in the code.
    pub(crate) fn block_at(&self, at: usize) -> Option<usize> {
        let index = self.blocks.binary_search_by_key(&at, |block| block.start);
        index.ok()
    }

    /// The number of an entry.
    pub(crate) fn entry(&self, block: usize) -> Option<u32> {
        let index = self.entries.iter().position(|entry| *entry == block)?;
        Some(index as u32)
    }

    /// By block, the blocks that every way to it from the start leads through, itself as well.
    pub(crate) fn dominators(&self) -> Vec<BTreeSet<usize>> {
        let n = self.blocks.len();
        let mut before = vec![Vec::new(); n];
        for (index, block) in self.blocks.iter().enumerate() {
            for next in &block.next {
                if let Some(all) = before.get_mut(*next) {
                    all.push(index);
                }
            }
        }
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

    /// By block, the registers whose values at its start matter.
    pub(crate) fn live(&self, touched: &[Touched]) -> Vec<BTreeSet<Register>> {
        let mut live: Vec<BTreeSet<Register>> = touched.iter().map(|t| t.read.clone()).collect();
        loop {
            let mut is_changed = false;
            for (index, block) in self.blocks.iter().enumerate().rev() {
                for next in &block.next {
                    let wanted: Vec<Register> = live
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

/// What a block does with shared memory, or may do by generic addresses.
fn shared_use(plain: Plain<'_>, block: &Block) -> SharedUse {
    let code = plain.instructions();
    let mut found = SharedUse::default();
    for instr in code.get(block.start..block.end).unwrap_or(&[]) {
        let (plan, loads) = match instr.op {
            Op::Load(plan) => (plan, true),
            Op::Store(plan) => (plan, false),
            _ => continue,
        };
        let space = plain.access(plan).map(|access| access.space);
        if matches!(space, Some(StateSpace::Shared | StateSpace::Generic)) {
            found.loads |= loads;
            found.stores |= !loads;
        }
    }
    found
}
