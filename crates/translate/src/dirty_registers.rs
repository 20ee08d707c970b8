//! Dirty-register analysis, which computes the registers whose values differ from the context record of the subwarp.
//! The module takes the control-flow graph, and the registers that basic blocks read and write. For each block, it
//! returns the registers that the code saves at synchronization points, the registers that the code saves before loops
//! with synchronization points, and the registers that the code loads at a region entry.

use crate::control_flow_graph::{ControlFlowGraph, SuspendKind};
use crate::registers::{BlockUseDef, RegisterKey};
use std::collections::{BTreeMap, BTreeSet};

type RegisterSet = BTreeSet<RegisterKey>;

/// Result of the dirty-register analysis for each basic block.
#[derive(Clone, Debug, Default)]
pub(crate) struct DirtyRegisters {
    /// Registers that may differ from the context record at the end of the block.
    dirty_out: Vec<RegisterSet>,
    /// Registers that are saved at the end of the block because a loop follows that does not modify these registers but
    /// contains synchronization points. Saving the registers before the loop avoids a save in each iteration.
    spill_before_loop: Vec<RegisterSet>,
    /// Upward-exposed registers if a region starts at the block: registers that are read or saved before they are
    /// written.
    upward_exposed: Vec<RegisterSet>,
}

impl DirtyRegisters {
    /// Computes the dirty registers. `live` contains the live-in registers of each block. `put_aside` contains the
    /// registers that are saved in the context records of divergent lanes at the end of each block.
    pub(crate) fn new(
        flow: &ControlFlowGraph,
        loops: &BTreeMap<usize, BTreeSet<usize>>,
        touched: &[BlockUseDef],
        live: &[RegisterSet],
        put_aside: &[RegisterSet],
    ) -> DirtyRegisters {
        let entered = entered_loops(flow, loops, live);
        // To determine the registers that each loop modifies, the first pass assumes that all live registers are saved
        // before the loop.
        let by_itself = changed(flow, touched, live, &entered.all_live);
        let saved_before_loops = entered.loop_invariant_dirty(live, &by_itself.at_start);
        let sets = changed(flow, touched, live, &saved_before_loops);
        let mut all = DirtyRegisters {
            dirty_out: sets.dirty_out,
            spill_before_loop: sets.spill_before_loop,
            upward_exposed: vec![RegisterSet::new(); flow.blocks.len()],
        };
        all.find_wanted(flow, touched, live, put_aside);
        all
    }

    /// Returns the registers that may differ from the context record at the end of a block.
    pub(crate) fn dirty_out(&self, block: usize) -> &RegisterSet {
        of(&self.dirty_out, block)
    }

    /// Returns the registers that are saved at the end of a block because a loop with synchronization points follows.
    pub(crate) fn spill_before_loop(&self, block: usize) -> &RegisterSet {
        of(&self.spill_before_loop, block)
    }

    /// Returns the registers that are loaded if a region starts at a block.
    pub(crate) fn upward_exposed(&self, block: usize) -> &RegisterSet {
        of(&self.upward_exposed, block)
    }

    fn find_wanted(
        &mut self,
        flow: &ControlFlowGraph,
        touched: &[BlockUseDef],
        live: &[RegisterSet],
        put_aside: &[RegisterSet],
    ) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (index, block) in flow.blocks.iter().enumerate().rev() {
                let Some(touched) = touched.get(index) else {
                    continue;
                };
                let mut later = of(put_aside, index).clone();
                later.extend(of(&self.spill_before_loop, index));
                if block.suspends_for != SuspendKind::None {
                    let held = of(&self.dirty_out, index);
                    later.extend(held.intersection(of(live, index + 1)));
                }
                for next in region_successors(flow, index) {
                    later.extend(of(&self.upward_exposed, next));
                }
                let mut all = touched.read.clone();
                all.extend(later.difference(&touched.written));
                if let Some(place) = self.upward_exposed.get_mut(index) {
                    is_changed |= place.len() < all.len();
                    *place = all;
                }
            }
        }
    }
}

fn of(all: &[RegisterSet], block: usize) -> &RegisterSet {
    const NONE: &RegisterSet = &RegisterSet::new();
    all.get(block).unwrap_or(NONE)
}

/// Returns the successors of a block within its region. A block that ends with a synchronization point has no
/// successors in its region.
fn region_successors(
    flow: &ControlFlowGraph,
    block: usize,
) -> impl Iterator<Item = usize> + use<'_> {
    let block = flow
        .blocks
        .get(block)
        .filter(|b| b.suspends_for == SuspendKind::None);
    block
        .into_iter()
        .flat_map(|block| block.successors.iter().copied())
}

/// Registers that may differ from the context record, for each basic block.
struct DirtySets {
    at_start: Vec<RegisterSet>,
    dirty_out: Vec<RegisterSet>,
    /// Registers that are saved at the end of each block, before the following loop.
    spill_before_loop: Vec<RegisterSet>,
}

/// Solves the data-flow problem of the dirty registers. Context records contain no registers at the kernel start, and
/// all live registers at every other entry. At its end, each block saves the registers that `kept` contains for the
/// block.
fn changed(
    flow: &ControlFlowGraph,
    touched: &[BlockUseDef],
    live: &[RegisterSet],
    kept: &[RegisterSet],
) -> DirtySets {
    let none = vec![RegisterSet::new(); flow.blocks.len()];
    let mut sets = DirtySets {
        at_start: none.clone(),
        dirty_out: none.clone(),
        spill_before_loop: none,
    };
    if let (Some(first), Some(live)) = (sets.at_start.first_mut(), live.first()) {
        first.extend(live);
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for index in 0..flow.blocks.len() {
            let written = touched.get(index).into_iter().flat_map(|t| &t.written);
            let mut all = of(&sets.at_start, index).clone();
            all.extend(written);
            let kept = of(kept, index);
            let rest: RegisterSet = all.difference(kept).copied().collect();
            for next in region_successors(flow, index) {
                if let Some(place) = sets.at_start.get_mut(next) {
                    let n_before = place.len();
                    place.extend(rest.intersection(of(live, next)));
                    is_changed |= place.len() > n_before;
                }
            }
            if let Some(place) = sets.spill_before_loop.get_mut(index) {
                *place = all.intersection(kept).copied().collect();
            }
            if let Some(place) = sets.dirty_out.get_mut(index) {
                *place = rest;
            }
        }
    }
    sets
}

/// Control-flow edges into loops that contain synchronization points, and the live registers of these loops.
struct LoopPreheaders {
    /// Edges into loops that contain synchronization points: the block before the loop, and the loop header.
    ways: Vec<(usize, usize)>,
    /// Live registers of the following loop, for each block before a loop.
    all_live: Vec<RegisterSet>,
}

fn entered_loops(
    flow: &ControlFlowGraph,
    loops: &BTreeMap<usize, BTreeSet<usize>>,
    live: &[RegisterSet],
) -> LoopPreheaders {
    let mut preheaders = LoopPreheaders {
        ways: Vec::new(),
        all_live: vec![RegisterSet::new(); flow.blocks.len()],
    };
    for (header, inside) in loops {
        let waits = |block: &usize| flow.suspends_for(*block) != SuspendKind::None;
        if !inside.iter().any(waits) {
            continue;
        }
        for (index, place) in preheaders.all_live.iter_mut().enumerate() {
            if !inside.contains(&index)
                && region_successors(flow, index).any(|next| next == *header)
            {
                place.extend(of(live, *header));
                preheaders.ways.push((index, *header));
            }
        }
    }
    preheaders
}

impl LoopPreheaders {
    /// Returns, for each block before a loop, the registers that are live in the loop and that the loop does not
    /// modify. `changed` contains the registers that the loops modify.
    fn loop_invariant_dirty(
        &self,
        live: &[RegisterSet],
        changed: &[RegisterSet],
    ) -> Vec<RegisterSet> {
        let mut unmodified = vec![RegisterSet::new(); self.all_live.len()];
        for (before, header) in &self.ways {
            if let Some(place) = unmodified.get_mut(*before) {
                place.extend(of(live, *header).difference(of(changed, *header)));
            }
        }
        unmodified
    }
}
