//! Dirty-register analysis: computes the registers whose values differ from the record of the lane vector. Input: the
//! control-flow graph, and the registers that blocks read and write. Output, by block: the registers saved at
//! synchronization points, the registers saved before loops with synchronization points, and the registers loaded at an
//! entry.

use crate::flow::{Flow, Meeting};
use crate::registers::{Register, Touched};
use std::collections::{BTreeMap, BTreeSet};

type Registers = BTreeSet<Register>;

/// Result of the analysis, by block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// Registers that may differ from the record at the end of the block.
    at_end: Vec<Registers>,
    /// Registers that are saved at the end of the block although no lane waits: the following loop contains
    /// synchronization points, and does not modify the registers.
    before_loop: Vec<Registers>,
    /// Upward-exposed registers if a region starts at the block: registers that are read or saved before their first
    /// write.
    wanted: Vec<Registers>,
}

impl Changed {
    /// Computes the dirty registers. `live` contains the live-in registers of each block, `put_aside` the registers
    /// that the records of divergent lanes contain at the end of each block.
    pub(crate) fn new(
        flow: &Flow,
        loops: &BTreeMap<usize, BTreeSet<usize>>,
        touched: &[Touched],
        live: &[Registers],
        put_aside: &[Registers],
    ) -> Changed {
        let entered = entered_loops(flow, loops, live);
        // The first pass assumes that all registers that are live before a loop are saved, in order to find the
        // registers that the loop itself modifies.
        let by_itself = changed(flow, touched, live, &entered.all_live);
        let kept = entered.kept(live, &by_itself.at_start);
        let found = changed(flow, touched, live, &kept);
        let mut all = Changed {
            at_end: found.at_end,
            before_loop: found.before_loop,
            wanted: vec![Registers::new(); flow.blocks.len()],
        };
        all.find_wanted(flow, touched, live, put_aside);
        all
    }

    /// Returns the registers that may differ from the record at the end of a block.
    pub(crate) fn at_end(&self, block: usize) -> &Registers {
        of(&self.at_end, block)
    }

    /// Returns the registers that are saved at the end of a block before a loop.
    pub(crate) fn before_loop(&self, block: usize) -> &Registers {
        of(&self.before_loop, block)
    }

    /// Returns the registers that are loaded if a region starts at a block.
    pub(crate) fn wanted(&self, block: usize) -> &Registers {
        of(&self.wanted, block)
    }

    fn find_wanted(
        &mut self,
        flow: &Flow,
        touched: &[Touched],
        live: &[Registers],
        put_aside: &[Registers],
    ) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (index, block) in flow.blocks.iter().enumerate().rev() {
                let Some(touched) = touched.get(index) else {
                    continue;
                };
                let mut later = of(put_aside, index).clone();
                later.extend(of(&self.before_loop, index));
                if block.meets != Meeting::None {
                    let held = of(&self.at_end, index);
                    later.extend(held.intersection(of(live, index + 1)));
                }
                for next in strip_next(flow, index) {
                    later.extend(of(&self.wanted, next));
                }
                let mut all = touched.read.clone();
                all.extend(later.difference(&touched.written));
                if let Some(place) = self.wanted.get_mut(index) {
                    is_changed |= place.len() < all.len();
                    *place = all;
                }
            }
        }
    }
}

fn of(all: &[Registers], block: usize) -> &Registers {
    const NONE: &Registers = &Registers::new();
    all.get(block).unwrap_or(NONE)
}

/// Returns the successors of a block within its region. A block that ends with a synchronization point has none.
fn strip_next(flow: &Flow, block: usize) -> impl Iterator<Item = usize> + use<'_> {
    let block = flow.blocks.get(block).filter(|b| b.meets == Meeting::None);
    block
        .into_iter()
        .flat_map(|block| block.next.iter().copied())
}

/// Registers that may differ from the record, by block.
struct Differing {
    at_start: Vec<Registers>,
    at_end: Vec<Registers>,
    /// Registers that are saved at the end.
    before_loop: Vec<Registers>,
}

/// Solves the data-flow problem. At the kernel start, records contain no registers; at other entries, they contain the
/// live registers. Blocks save the registers of `kept` at their ends.
fn changed(flow: &Flow, touched: &[Touched], live: &[Registers], kept: &[Registers]) -> Differing {
    let none = vec![Registers::new(); flow.blocks.len()];
    let mut found = Differing {
        at_start: none.clone(),
        at_end: none.clone(),
        before_loop: none,
    };
    if let (Some(first), Some(live)) = (found.at_start.first_mut(), live.first()) {
        first.extend(live);
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for index in 0..flow.blocks.len() {
            let written = touched.get(index).into_iter().flat_map(|t| &t.written);
            let mut all = of(&found.at_start, index).clone();
            all.extend(written);
            let kept = of(kept, index);
            let rest: Registers = all.difference(kept).copied().collect();
            for next in strip_next(flow, index) {
                if let Some(place) = found.at_start.get_mut(next) {
                    let n_before = place.len();
                    place.extend(rest.intersection(of(live, next)));
                    is_changed |= place.len() > n_before;
                }
            }
            if let Some(place) = found.before_loop.get_mut(index) {
                *place = all.intersection(kept).copied().collect();
            }
            if let Some(place) = found.at_end.get_mut(index) {
                *place = rest;
            }
        }
    }
    found
}

/// Edges into loops with synchronization points.
struct EnteredLoops {
    /// Block before the loop, and loop header, for each edge.
    ways: Vec<(usize, usize)>,
    /// Live registers of the loop, by block before the loop.
    all_live: Vec<Registers>,
}

fn entered_loops(
    flow: &Flow,
    loops: &BTreeMap<usize, BTreeSet<usize>>,
    live: &[Registers],
) -> EnteredLoops {
    let mut found = EnteredLoops {
        ways: Vec::new(),
        all_live: vec![Registers::new(); flow.blocks.len()],
    };
    for (header, inside) in loops {
        let waits = |block: &usize| flow.meets(*block) != Meeting::None;
        if !inside.iter().any(waits) {
            continue;
        }
        for (index, place) in found.all_live.iter_mut().enumerate() {
            if !inside.contains(&index) && strip_next(flow, index).any(|next| next == *header) {
                place.extend(of(live, *header));
                found.ways.push((index, *header));
            }
        }
    }
    found
}

impl EnteredLoops {
    /// Returns, by block before the loop, the live registers of the loop that no path since the last synchronization
    /// point has modified. `changed` contains the modified registers.
    fn kept(&self, live: &[Registers], changed: &[Registers]) -> Vec<Registers> {
        let mut kept = vec![Registers::new(); self.all_live.len()];
        for (before, header) in &self.ways {
            if let Some(place) = kept.get_mut(*before) {
                place.extend(of(live, *header).difference(of(changed, *header)));
            }
        }
        kept
    }
}
