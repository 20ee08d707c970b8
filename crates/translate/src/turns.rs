//! Steps of a warp whose groups of lanes keep each other waiting. In: the trace of each part of the warp since its start; out: what the
//! interpreter counts, which after a number of steps lets another group have a turn.
//!
//! The module itself counts what is simpler, where those that are furthest back always go on. Here the choice is made as the interpreter makes
//! it, but several steps at once: within a block of the code nothing changes before its end, the end of a turn, or a place where others are.

use crate::place::{GANGS, IS_STORE, PARTS};
use std::borrow::Cow;
use warpgrid_emulator::plain::TURN_STEPS;

/// What is counted of a block of the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) steps: u32,
    /// Steps before each store that is not guarded.
    pub(crate) stores: Vec<u32>,
    /// The number of the block that follows in the code.
    pub(crate) next: Option<u16>,
    /// The call depth, and where the block is in the code that the interpreter runs: blocks of a function in the places of several calls are the same one there.
    pub(crate) place: (u32, u32),
}

/// What is counted of all blocks, by number, and the steps before each guarded store in its block.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllCounts {
    pub(crate) blocks: Vec<Counts>,
    pub(crate) guarded: Vec<u32>,
}

/// Lanes that went one way.
#[derive(Clone, Debug)]
pub(crate) struct Way<'m> {
    /// Blocks by number, each followed by the guarded stores that were done there, two bytes each.
    pub(crate) trace: Cow<'m, [u8]>,
    /// Whether the lanes have ended, and wait for nothing.
    pub(crate) has_ended: bool,
}

impl Way<'_> {
    /// What is at a place of the trace.
    fn word(&self, at: usize) -> Option<u16> {
        let bytes = self.trace.get(2 * at..2 * at + 2)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }
}

/// Ways of a warp, at most.
const MOST_WAYS: usize = (GANGS + PARTS) as usize;

/// Some of the ways of a warp, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ways(u32);

impl Iterator for Ways {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let first = (self.0 != 0).then(|| self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) steps: u64,
    pub(crate) stores: u32,
    /// Steps of the last turn, if lanes go on after it.
    pub(crate) turn: u32,
}

/// Lanes at one place.
#[derive(Clone, Copy, Debug)]
struct Group {
    ways: Ways,
    block: u16,
    /// Steps that were done in the block.
    done: u32,
    last_turn: u32,
}

/// What comes next in the trace of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Block(u16),
    Waits,
    Ended,
}

struct Warp<'a> {
    counts: &'a AllCounts,
    ways: &'a [Way<'a>],
    /// By way: where in its trace it is.
    at: [usize; MOST_WAYS],
    groups: Vec<Group>,
    current: usize,
    turn: u32,
    patience: u32,
    is_forced: bool,
    steps: u64,
    stores: u32,
    /// Groups have been added since they were last compared: else only the current one can have come to another's place.
    is_changed: bool,
    /// A group waits for others.
    waits: bool,
}

/// Counts what a warp did whose lanes have not parted before. None where they come to a meeting apart.
pub(crate) fn count(ways: &[Way<'_>], counts: &AllCounts) -> Option<Counted> {
    let first = ways.first()?.word(0)?;
    if ways.len() > MOST_WAYS || ways.iter().any(|way| way.word(0) != Some(first)) {
        return None;
    }
    let mut warp = Warp {
        counts,
        ways,
        at: [0; MOST_WAYS],
        groups: Vec::new(),
        current: 0,
        turn: 0,
        patience: TURN_STEPS,
        is_forced: false,
        steps: 0,
        stores: 0,
        is_changed: false,
        waits: false,
    };
    let group = Group {
        ways: Ways(u32::MAX >> (MOST_WAYS - ways.len())),
        block: first,
        done: 0,
        last_turn: 0,
    };
    let group = warp.skip(group)?;
    warp.groups.extend(group);
    while !warp.groups.is_empty() {
        warp.step()?;
    }
    // A turn that was given to a group that had waited would go on.
    if warp.waits && warp.is_forced {
        return None;
    }
    Some(Counted {
        steps: warp.steps,
        stores: warp.stores,
        turn: TURN_STEPS - warp.patience,
    })
}

impl Warp<'_> {
    fn counts_of(&self, block: u16) -> Option<&Counts> {
        self.counts.blocks.get(usize::from(block))
    }

    /// The block that a way is in.
    fn block_of(&self, way: usize) -> Next {
        let (Some(way), Some(at)) = (self.ways.get(way), self.at.get(way)) else {
            return Next::Ended;
        };
        match way.word(*at) {
            Some(block) => Next::Block(block),
            None if way.has_ended => Next::Ended,
            None => Next::Waits,
        }
    }

    /// The guarded stores of the block that a way is in.
    fn stores_of(&self, way: usize) -> impl Iterator<Item = u16> + '_ {
        let at = self.at.get(way).map_or(0, |at| at + 1);
        // Most code has none, and is asked at each step.
        let most = match self.counts.guarded.is_empty() {
            true => 0,
            false => usize::MAX,
        };
        let words = (at..).map_while(move |at| self.ways.get(way)?.word(at));
        let words = words.take(most);
        words
            .take_while(|word| u32::from(*word) & IS_STORE != 0)
            .map(|word| word & (IS_STORE as u16 - 1))
    }

    /// Past the block that a way is in.
    fn pass(&mut self, way: usize) -> Next {
        let n_stores = self.stores_of(way).count();
        if let Some(at) = self.at.get_mut(way) {
            *at += 1 + n_stores;
        }
        self.block_of(way)
    }

    /// The interpreter's choice, and as many steps as it holds for.
    fn step(&mut self) -> Option<()> {
        if self.groups.len() == 1 {
            self.current = 0;
        } else {
            self.merge()?;
            self.choose()?;
        }
        let group = self.groups.get(self.current)?;
        let steps = self.counts_of(group.block)?.steps;
        let mut n = steps - group.done;
        if self.groups.len() > 1 {
            n = n.min(self.patience);
            let ahead = self
                .groups
                .iter()
                .filter(|other| other.block == group.block && other.done > group.done);
            let distance = ahead.map(|other| other.done - group.done).min();
            n = n.min(distance.unwrap_or(n));
            self.patience -= n - 1;
        }
        self.execute(n, steps)
    }

    /// Groups at one place become one, the first of them. None where two are in one function by different calls: the interpreter may make one of them.
    fn merge(&mut self) -> Option<()> {
        if std::mem::take(&mut self.is_changed) {
            let mut a = 0;
            while a < self.groups.len() {
                self.merge_with(a)?;
                a += 1;
            }
            return Some(());
        }
        // Only the current one has moved.
        for a in 0..self.current {
            if self.meet(a, self.current)? {
                break;
            }
        }
        self.merge_with(self.current)
    }

    /// Groups after this one that are where it is become a part of it.
    fn merge_with(&mut self, a: usize) -> Option<()> {
        let mut b = a + 1;
        while b < self.groups.len() {
            if !self.meet(a, b)? {
                b += 1;
            }
        }
        Some(())
    }

    /// Makes the second of two groups a part of the first, if they are at one place; whether they are.
    fn meet(&mut self, a: usize, b: usize) -> Option<bool> {
        if self.are_in_copies(a, b) {
            return None;
        }
        let are_together = self.are_together(a, b);
        if are_together {
            self.join(a, b);
        }
        Some(are_together)
    }

    /// Whether groups are in blocks that are the same one to the interpreter.
    fn are_in_copies(&self, a: usize, b: usize) -> bool {
        let block = |index: usize| self.groups.get(index).map(|group| group.block);
        let place = |index: usize| Some(self.counts_of(block(index)?)?.place);
        block(a) != block(b) && place(a) == place(b)
    }

    fn are_together(&self, a: usize, b: usize) -> bool {
        let place = |group: &Group| (group.block, group.done);
        self.groups.get(a).map(place) == self.groups.get(b).map(place)
    }

    fn join(&mut self, a: usize, b: usize) {
        let other = self.groups.remove(b);
        if let Some(group) = self.groups.get_mut(a) {
            group.ways.0 |= other.ways.0;
            group.last_turn = group.last_turn.max(other.last_turn);
        }
        if self.current == b {
            self.current = a;
        } else if self.current > b {
            self.current -= 1;
        }
    }

    /// As `Splits::select_of_many` of the interpreter.
    fn choose(&mut self) -> Option<()> {
        self.patience = self.patience.saturating_sub(1);
        if self.is_forced && self.patience > 0 && self.current < self.groups.len() {
            return Some(());
        }
        let is_over = self.patience == 0 && !self.is_forced;
        let key = |group: &Group| {
            let turn = if is_over { group.last_turn } else { 0 };
            (turn, group.block, group.done)
        };
        let (index, _) = (0..)
            .zip(&self.groups)
            .min_by_key(|(_, group)| key(group))?;
        if index != self.current || is_over || self.is_forced {
            self.is_forced = is_over;
            self.turn += 1;
            self.patience = TURN_STEPS;
        }
        self.current = index;
        self.groups.get_mut(index)?.last_turn = self.turn;
        Some(())
    }

    /// Does `n` steps of the current group, in a block that has `steps`.
    fn execute(&mut self, n: u32, steps: u32) -> Option<()> {
        let group = self.groups.get(self.current)?;
        let done = group.done..group.done + n;
        let counts = self.counts_of(group.block)?;
        let is_done = |at: &&u32| done.contains(*at);
        let mut stores = counts.stores.iter().filter(is_done).count();
        // Each once, whichever ways did it.
        let mut guarded = Vec::new();
        for store in group.ways.flat_map(|way| self.stores_of(way)) {
            if !guarded.contains(&store) {
                guarded.push(store);
            }
        }
        let places = guarded.iter();
        let places = places.filter_map(|store| self.counts.guarded.get(usize::from(*store)));
        stores += places.filter(is_done).count();
        self.steps += u64::from(n);
        self.stores += stores as u32;
        match done.end == steps {
            true => self.leave_block(),
            false => {
                self.groups.get_mut(self.current)?.done = done.end;
                Some(())
            }
        }
    }

    /// The current group goes where its lanes went: those that follow the code stay the group.
    fn leave_block(&mut self) -> Option<()> {
        let group = *self.groups.get(self.current)?;
        let follows = self.counts_of(group.block)?.next.map(Next::Block);
        let mut found = [(Next::Ended, Ways(0)); MOST_WAYS];
        let mut n = 0;
        for way in group.ways {
            let next = self.pass(way);
            if next == Next::Ended {
                continue;
            }
            let known = found
                .get_mut(..n)?
                .iter_mut()
                .find(|(other, _)| *other == next);
            match known {
                Some((_, ways)) => ways.0 |= 1 << way,
                None => {
                    *found.get_mut(n)? = (next, Ways(1 << way));
                    n += 1;
                }
            }
        }
        let found = found.get_mut(..n)?;
        found.sort_by_key(|(next, _)| Some(*next) != follows);
        let Some(((next, ways), others)) = found.split_first() else {
            // The group has ended: the interpreter takes the first one for it.
            self.groups.remove(self.current);
            self.current = 0;
            return Some(());
        };
        let made = |(next, ways): (Next, Ways)| match next {
            Next::Block(block) => Some(Group {
                ways,
                block,
                done: 0,
                last_turn: group.last_turn,
            }),
            Next::Waits | Next::Ended => None,
        };
        let Some(kept) = made((*next, *ways)) else {
            return self.begin_to_wait(others.is_empty());
        };
        let kept = self.skip(kept)?;
        match kept {
            Some(kept) => *self.groups.get_mut(self.current)? = kept,
            None => return self.begin_to_wait(others.is_empty()),
        }
        for other in others {
            let group = self.skip(made(*other)?)?;
            self.groups.push(group?);
            self.is_changed = true;
        }
        Some(())
    }

    /// The current group waits, which nothing is known of while there are others.
    fn begin_to_wait(&mut self, is_whole: bool) -> Option<()> {
        self.waits = true;
        (is_whole && self.groups.len() == 1).then(|| self.groups.clear())
    }

    /// A group past blocks without a step; none inside if it waits or has ended.
    fn skip(&mut self, mut group: Group) -> Option<Option<Group>> {
        while self.counts_of(group.block)?.steps == 0 {
            let mut ways = group.ways;
            let first = self.pass(ways.next()?);
            for way in ways {
                if self.pass(way) != first {
                    return None;
                }
            }
            match first {
                Next::Block(block) => group.block = block,
                Next::Waits => return Some(None),
                Next::Ended => return None,
            }
        }
        Some(Some(group))
    }
}
