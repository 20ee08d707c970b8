//! Which registers of a gang its record lacks. In: flow, and what blocks read and write; out: by block, what is saved where lanes wait, what is saved before a loop in which
//! they do, and what is loaded at an entry.

use crate::emit::{Register, Touched};
use crate::flow::{Flow, Meeting};
use std::collections::{BTreeMap, BTreeSet};

type Registers = BTreeSet<Register>;

/// By block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changed {
    /// Registers that may differ from the record's at the end.
    at_end: Vec<Registers>,
    /// Registers that are saved at the end although no lane waits: a loop follows in which lanes wait again and again, and which writes none of them.
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
        let n = flow.blocks.len();
        let mut found = Changed {
            at_end: vec![Registers::new(); n],
            before_loop: vec![Registers::new(); n],
            wanted: vec![Registers::new(); n],
        };
        let kept = kept_through_loops(flow, loops, touched, live);
        found.find_changed(flow, touched, live, &kept);
        found.find_wanted(flow, touched, live, put_aside);
        found
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

    /// From the start of the kernel, where records hold nothing, and from all entries, where they hold what is live.
    fn find_changed(
        &mut self,
        flow: &Flow,
        touched: &[Touched],
        live: &[Registers],
        kept: &[Registers],
    ) {
        let mut at_start = vec![Registers::new(); flow.blocks.len()];
        if let (Some(first), Some(live)) = (at_start.first_mut(), live.first()) {
            first.extend(live);
        }
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for index in 0..flow.blocks.len() {
                let written = touched.get(index).into_iter().flat_map(|t| &t.written);
                let mut all = of(&at_start, index).clone();
                all.extend(written);
                let kept = of(kept, index);
                let rest: Registers = all.difference(kept).copied().collect();
                if let Some(place) = self.before_loop.get_mut(index) {
                    *place = all.intersection(kept).copied().collect();
                }
                if let Some(place) = self.at_end.get_mut(index) {
                    place.clone_from(&rest);
                }
                for next in strip_next(flow, index) {
                    if let Some(place) = at_start.get_mut(next) {
                        let n_before = place.len();
                        place.extend(rest.intersection(of(live, next)));
                        is_changed |= place.len() > n_before;
                    }
                }
            }
        }
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

/// By block that leads into a loop in which lanes wait: what is live there and the loop does not write.
fn kept_through_loops(
    flow: &Flow,
    loops: &BTreeMap<usize, BTreeSet<usize>>,
    touched: &[Touched],
    live: &[Registers],
) -> Vec<Registers> {
    let mut kept = vec![Registers::new(); flow.blocks.len()];
    for (header, inside) in loops {
        let waits = |block: &usize| flow.meets(*block) != Meeting::None;
        if !inside.iter().any(waits) {
            continue;
        }
        let mut registers = of(live, *header).clone();
        for touched in inside.iter().filter_map(|block| touched.get(*block)) {
            registers.retain(|register| !touched.written.contains(register));
        }
        for (index, place) in kept.iter_mut().enumerate() {
            if !inside.contains(&index) && strip_next(flow, index).any(|next| next == *header) {
                place.extend(&registers);
            }
        }
    }
    kept
}
