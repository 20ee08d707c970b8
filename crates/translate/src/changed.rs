//! Which registers of a gang its record lacks. In: flow, and what blocks read and write; out: by block, what is saved where lanes wait, what is saved before a loop in which
//! they do, and what is loaded at an entry.

use crate::flow::{Flow, Meeting};
use crate::registers::{Register, Touched};
use std::collections::{BTreeMap, BTreeSet};

type Registers = BTreeSet<Register>;

/// By block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// Registers that may differ from the record's at the end.
    at_end: Vec<Registers>,
    /// Registers that are saved at the end although no lane waits: a loop follows in which lanes wait again and again, and no way back to its start changes them.
    before_loop: Vec<Registers>,
    /// Registers that are read, or saved, before they are written, if a strip begins here.
    wanted: Vec<Registers>,
}

impl Changed {
    /// By block, `live` is what is live at its start, and `put_aside` what records of lanes hold that part at its end.
    pub(crate) fn new(
        flow: &Flow,
        loops: &BTreeMap<usize, BTreeSet<usize>>,
        touched: &[Touched],
        live: &[Registers],
        put_aside: &[Registers],
    ) -> Changed {
        let entered = entered_loops(flow, loops, live);
        // Once as if all that is live before a loop were saved, to learn what its own ways change.
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

    /// What may differ from the record's where a block ends.
    pub(crate) fn at_end(&self, block: usize) -> &Registers {
        of(&self.at_end, block)
    }

    /// What is saved at the end of a block before a loop.
    pub(crate) fn before_loop(&self, block: usize) -> &Registers {
        of(&self.before_loop, block)
    }

    /// What is loaded where a strip begins with a block.
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

/// Where a strip goes on after a block: nowhere, where lanes wait.
fn strip_next(flow: &Flow, block: usize) -> impl Iterator<Item = usize> + use<'_> {
    let block = flow.blocks.get(block).filter(|b| b.meets == Meeting::None);
    block
        .into_iter()
        .flat_map(|block| block.next.iter().copied())
}

/// By block, the registers that may differ from the record's.
struct Differing {
    at_start: Vec<Registers>,
    at_end: Vec<Registers>,
    /// Those that are saved at the end.
    before_loop: Vec<Registers>,
}

/// Finds them from the start of the kernel on, where records hold nothing, and from all entries, where they hold what is live. Blocks save at their ends what they are to keep.
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

/// Ways into loops in which lanes wait.
struct EnteredLoops {
    /// The block before each, and the one that it begins with.
    ways: Vec<(usize, usize)>,
    /// By block before: all that is live there.
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
    /// By block before: what is live in the loop, and no way back to where it begins has changed since lanes waited. `changed` says what differs there by itself.
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
