//! Steps of a warp whose groups of lanes keep each other waiting. In: the trace of each part of the warp since its lanes last met, and what was left of its turn then; out: what
//! the interpreter counts, which after a number of steps lets another group have a turn.
//!
//! The module itself counts what is simpler, where those that are furthest back always go on. Here the choice is made as the interpreter makes
//! it, but several steps at once: within a block of the code nothing changes before its end, the end of a turn, or a place where others are.

use crate::flow::Meeting;
use crate::place::{GANGS, IS_STORE, PARTS};
use crate::ways::{BEGINS_SIDE, Half, LANES_PART, LATER_IN_SIDE, Way, partings};
use warpgrid_emulator::plain::TURN_STEPS;

/// What is counted of a block of the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) steps: u32,
    /// Steps before each store that is not guarded.
    pub(crate) stores: Vec<u32>,
    /// The number of the block that follows in the code.
    pub(crate) next: Option<u16>,
    /// What lanes wait for at its end, and whether some may end there.
    pub(crate) meets: Meeting,
    pub(crate) may_end: bool,
    /// The call depth, and where the block is in the code that the interpreter runs: blocks of a function in the places of several calls are the same one there.
    pub(crate) place: (u32, u32),
}

/// What is counted of all blocks, by number, and the steps before each guarded store in its block.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllCounts {
    pub(crate) blocks: Vec<Counts>,
    pub(crate) guarded: Vec<u32>,
    /// Whether lanes may make detours.
    pub(crate) has_detours: bool,
}

/// Ways of a warp, at most. Those whose lanes part for detours are two.
const MOST_WAYS: usize = 2 * (GANGS + PARTS) as usize;

/// Some of the ways of a warp, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ways(u64);

impl Iterator for Ways {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let first = (self.0 != 0).then(|| self.0.trailing_zeros() as usize);
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

/// How long the interpreter lets a group go on while others wait, and whether it is one that was kept waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    steps: u32,
    pub(crate) is_forced: bool,
}

impl Patience {
    /// What is left where groups came together after so much of a turn was used up.
    pub(crate) fn new(used: u32, is_forced: bool) -> Patience {
        match TURN_STEPS.saturating_sub(used) {
            0 => Patience {
                steps: TURN_STEPS,
                is_forced: !is_forced,
            },
            steps => Patience { steps, is_forced },
        }
    }

    /// How much of the turn is used up.
    pub(crate) fn used(self) -> u32 {
        TURN_STEPS - self.steps
    }

    /// Groups become one before a step.
    fn come_together(&mut self) {
        *self = Patience::new(self.used() + 1, self.is_forced);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) steps: u64,
    pub(crate) stores: u32,
    /// What is left, if lanes go on.
    pub(crate) patience: Patience,
    /// Whether the last turn was one of a group that has ended.
    pub(crate) has_latest_ended: bool,
}

/// What lanes of a group do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// They go on, or try to.
    Ready,
    /// They have tried an operation of the warp in vain.
    AtOperation,
    AtBarrier,
}

/// Lanes at one place.
#[derive(Clone, Copy, Debug)]
struct Group {
    ways: Ways,
    block: u16,
    /// Steps that were done in the block: all of them, at an operation of the warp.
    done: u32,
    last_turn: u32,
    state: State,
}

/// Where lanes of one block go on, at most: where it branches to, and what follows.
const MOST_NEXT: usize = 2;

/// What comes next in the trace of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Block(u16),
    Ended,
}

struct Warp<'a> {
    counts: &'a AllCounts,
    ways: &'a [Way<'a>],
    /// By way: where in its trace it is.
    at: [usize; MOST_WAYS],
    has_halves: bool,
    /// By way, where there are halves: where in its trace other lanes of its gang went elsewhere.
    parted: Vec<Vec<usize>>,
    groups: Vec<Group>,
    current: usize,
    turn: u32,
    patience: Patience,
    steps: u64,
    stores: u32,
    /// Groups have been added since they were last compared: else only the current one can have come to another's place.
    is_changed: bool,
}

/// Counts what a warp did since its lanes were last together. None where the traces do not say what the interpreter does.
pub(crate) fn count(ways: &[Way<'_>], counts: &AllCounts, patience: Patience) -> Option<Counted> {
    let (first, _) = ways.first()?.block(0)?;
    let begins = |way: &Way<'_>| way.block(0).is_some_and(|(block, _)| block == first);
    if ways.len() > MOST_WAYS || !ways.iter().all(begins) {
        return None;
    }
    let has_halves = ways.iter().any(Way::is_half);
    let mut warp = Warp {
        counts,
        ways,
        at: [0; MOST_WAYS],
        has_halves,
        parted: match has_halves {
            true => partings(ways),
            false => Vec::new(),
        },
        groups: vec![Group {
            ways: Ways(u64::MAX >> (MOST_WAYS - ways.len())),
            block: first,
            done: 0,
            last_turn: 0,
            state: State::Ready,
        }],
        current: 0,
        turn: 0,
        patience,
        steps: 0,
        stores: 0,
        is_changed: false,
    };
    let group = warp.groups.pop()?;
    let group = warp.skip(group)?;
    warp.groups.push(group);
    while !warp.have_met() {
        warp.step()?;
    }
    Some(Counted {
        steps: warp.steps,
        stores: warp.stores,
        patience: warp.patience,
        has_latest_ended: warp.groups.iter().all(|group| group.last_turn < warp.turn),
    })
}

impl Warp<'_> {
    fn counts_of(&self, block: u16) -> Option<&Counts> {
        self.counts.blocks.get(usize::from(block))
    }

    /// What a way does at its place in its trace.
    fn next_of(&self, way: usize) -> Option<Next> {
        let (at, way) = (self.at.get(way)?, self.ways.get(way)?);
        match way.block(*at) {
            Some((block, _)) => Some(Next::Block(block)),
            None => way.has_ended.then_some(Next::Ended),
        }
    }

    /// What is said in its trace of the block that a way is in.
    fn marks_of(&self, way: usize) -> u16 {
        let marks = || Some(self.ways.get(way)?.block(*self.at.get(way)?)?.1);
        marks().unwrap_or(0)
    }

    /// The other half of a gang.
    fn partner_of(&self, way: usize) -> Option<usize> {
        match self.ways.get(way)?.half {
            Half::Whole => None,
            Half::First => Some(way + 1),
            Half::Second => way.checked_sub(1),
        }
    }

    /// Whether a way is half a gang whose other half is elsewhere.
    fn is_without_partner(&self, way: usize, ways: Ways) -> bool {
        let partner = self.partner_of(way);
        partner.is_some_and(|partner| ways.0 >> partner & 1 == 0)
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
    fn pass(&mut self, way: usize) -> Option<Next> {
        let n_stores = self.stores_of(way).count();
        if let Some(at) = self.at.get_mut(way) {
            *at += 1 + n_stores;
        }
        self.next_of(way)
    }

    /// Whether all have ended, or wait for the other warps, or are together at an operation.
    fn have_met(&mut self) -> bool {
        match self.groups.as_slice() {
            [] => true,
            [group] => group.state == State::AtBarrier || self.is_at_operation(group),
            groups => {
                // The last one to come was the current one.
                let is_at_barrier = |group: &Group| group.state == State::AtBarrier;
                let has_come = groups.get(self.current).is_none_or(is_at_barrier);
                let have_met = has_come && groups.iter().all(is_at_barrier);
                if have_met {
                    self.patience.come_together();
                }
                have_met
            }
        }
    }

    /// Whether a group is at an operation of the whole warp. Where others have done all steps of a block they have left it, or wait at a barrier.
    fn is_at_operation(&self, group: &Group) -> bool {
        let counts = self.counts_of(group.block);
        counts.is_some_and(|counts| counts.steps == group.done)
    }

    /// The interpreter's choice, and as many steps as it holds for.
    fn step(&mut self) -> Option<()> {
        if self.groups.len() == 1 {
            self.current = 0;
        } else {
            self.merge()?;
            self.choose()?;
        }
        let group = *self.groups.get(self.current)?;
        let steps = self.counts_of(group.block)?.steps;
        if group.done == steps {
            // At an operation of the warp they try, and wait if others are elsewhere.
            if self.groups.len() > 1 {
                self.groups.get_mut(self.current)?.state = State::AtOperation;
            }
            return Some(());
        }
        let mut n = steps - group.done;
        if self.groups.len() > 1 {
            n = n.min(self.patience.steps);
            let ahead = self
                .groups
                .iter()
                .filter(|other| other.block == group.block && other.done > group.done);
            let distance = ahead.map(|other| other.done - group.done).min();
            n = n.min(distance.unwrap_or(n));
            self.patience.steps -= n - 1;
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

    /// Whether groups are at one place. At a barrier each waits for itself.
    fn are_together(&self, a: usize, b: usize) -> bool {
        let place = |index: usize| {
            let group = self.groups.get(index)?;
            (group.state != State::AtBarrier).then_some((group.block, group.done))
        };
        place(a).is_some() && place(a) == place(b)
    }

    fn join(&mut self, a: usize, b: usize) {
        let other = self.groups.remove(b);
        if let Some(group) = self.groups.get_mut(a) {
            group.ways.0 |= other.ways.0;
            group.last_turn = group.last_turn.max(other.last_turn);
            group.state = State::Ready;
        }
        if self.current == b {
            self.current = a;
        } else if self.current > b {
            self.current -= 1;
        }
    }

    /// As `Splits::select_of_many` of the interpreter.
    fn choose(&mut self) -> Option<()> {
        let Patience { steps, is_forced } = &mut self.patience;
        *steps = steps.saturating_sub(1);
        let is_ready = |group: &Group| group.state == State::Ready;
        if *is_forced && *steps > 0 && self.groups.get(self.current).is_some_and(is_ready) {
            return Some(());
        }
        let is_over = *steps == 0 && !*is_forced;
        let key = |group: &Group| {
            let turn = if is_over { group.last_turn } else { 0 };
            (turn, group.block, group.done)
        };
        let ready = (0..).zip(&self.groups).filter(|(_, group)| is_ready(group));
        let (index, _) = ready.min_by_key(|(_, group)| key(group))?;
        if index != self.current || is_over || *is_forced {
            (*steps, *is_forced) = (TURN_STEPS, is_over);
            self.turn += 1;
        }
        self.current = index;
        self.groups.get_mut(index)?.last_turn = self.turn;
        // Who had a turn last depends on lanes that may have left a side.
        let may_have_left = |way| self.marks_of(way) == LATER_IN_SIDE;
        let is_unknown = is_over && self.has_halves && (0..self.ways.len()).any(may_have_left);
        (!is_unknown).then_some(())
    }

    /// Does `n` steps of the current group, in a block that has `steps`.
    fn execute(&mut self, n: u32, steps: u32) -> Option<()> {
        let group = *self.groups.get(self.current)?;
        let done = group.done..group.done + n;
        let counts = self.counts_of(group.block)?;
        let is_done = |at: &&u32| done.contains(*at);
        let mut stores = counts.stores.iter().filter(is_done).count();
        // Each once, whichever ways did it.
        let mut guarded = Vec::new();
        for way in group.ways {
            for store in self.stores_of(way) {
                // Which half of a gang did it is known only on a side.
                if self.is_without_partner(way, group.ways) && self.marks_of(way) & BEGINS_SIDE == 0
                {
                    return None;
                }
                if !guarded.contains(&store) {
                    guarded.push(store);
                }
            }
        }
        let places = guarded.iter();
        let places = places.filter_map(|store| self.counts.guarded.get(usize::from(*store)));
        stores += places.filter(is_done).count();
        self.steps += u64::from(n);
        self.stores += stores as u32;
        self.groups.get_mut(self.current)?.done = done.end;
        match done.end == steps {
            true => self.end_block(),
            false => Some(()),
        }
    }

    /// The current group has done all steps of its block.
    fn end_block(&mut self) -> Option<()> {
        let group = self.groups.get(self.current)?;
        match self.counts_of(group.block)?.meets {
            Meeting::Warp => Some(()),
            Meeting::Barrier => {
                self.groups.get_mut(self.current)?.state = State::AtBarrier;
                Some(())
            }
            Meeting::None | Meeting::Host => self.leave_block(),
        }
    }

    /// The current group goes where its lanes went: those that follow the code stay the group.
    fn leave_block(&mut self) -> Option<()> {
        let group = *self.groups.get(self.current)?;
        let counts = self.counts_of(group.block)?;
        let (follows, may_end) = (counts.next.map(Next::Block), counts.may_end);
        if self.has_halves {
            self.check_halves(group)?;
        }
        let mut found = [(Next::Ended, Ways(0)); MOST_NEXT];
        let (mut n, mut have_ended) = (0, false);
        for way in group.ways {
            let next = self.pass(way)?;
            if next == Next::Ended {
                have_ended = true;
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
        if may_end {
            self.wake(have_ended)?;
        }
        let found = found.get_mut(..n)?;
        found.sort_by_key(|(next, _)| Some(*next) != follows);
        let made = |(next, ways): (Next, Ways)| match next {
            Next::Block(block) => Some(Group {
                ways,
                block,
                done: 0,
                ..group
            }),
            Next::Ended => None,
        };
        let Some((kept, others)) = found.split_first() else {
            // The group has ended: the interpreter takes the first one for it.
            self.groups.remove(self.current);
            self.current = 0;
            return Some(());
        };
        let kept = self.skip(made(*kept)?)?;
        *self.groups.get_mut(self.current)? = kept;
        for other in others {
            let group = self.skip(made(*other)?)?;
            self.groups.push(group);
            self.is_changed = true;
        }
        Some(())
    }

    /// A group past blocks without a step, where functions are put in the place of calls.
    fn skip(&mut self, mut group: Group) -> Option<Group> {
        while let Some(Counts {
            steps: 0, meets, ..
        }) = self.counts_of(group.block)
            && *meets == Meeting::None
        {
            let mut ways = group.ways;
            let first = self.pass(ways.next()?)?;
            for way in ways {
                if self.pass(way)? != first {
                    return None;
                }
            }
            match first {
                Next::Block(block) => group.block = block,
                Next::Ended => return None,
            }
        }
        Some(group)
    }

    /// Lanes that wait at an operation try again as others end. None where only some lanes of a way may have ended.
    fn wake(&mut self, have_ended: bool) -> Option<()> {
        for group in &mut self.groups {
            if group.state == State::AtOperation {
                group.state = have_ended.then_some(State::Ready)?;
            }
        }
        Some(())
    }

    /// None where it is not known what halves of gangs do after a block, since they have come apart to where they part, or to where some lanes of the gang part
    /// from the others or end, which may be all of a half, or since lanes may leave a side for an end at which the others are no more.
    fn check_halves(&self, group: Group) -> Option<()> {
        let may_end = self.counts_of(group.block)?.may_end;
        for way in group.ways {
            let Some(partner) = self.partner_of(way) else {
                continue;
            };
            let next = self.at.get(way)? + 1 + self.stores_of(way).count();
            let goes_on = self.ways.get(way)?.block(next).is_some();
            let is_another = self.marks_of(way) == LANES_PART
                || self.parted.get(way)?.contains(&next)
                || may_end && goes_on;
            if is_another && self.is_without_partner(way, group.ways) {
                return None;
            }
            let way = self.ways.get(way)?;
            let goes_on = |(_, marks): (u16, u16)| marks == LATER_IN_SIDE;
            if way.block(next).is_some_and(goes_on) {
                let mut rest = (next..).map_while(|at| way.block(at));
                let is_end = |(block, marks): &(u16, u16)| {
                    *block < IS_STORE as u16 && *marks & BEGINS_SIDE == 0
                };
                let (end, _) = rest.find(is_end)?;
                let waits = |other: &Group| {
                    other.ways.0 >> partner & 1 != 0 && (other.block, other.done) == (end, 0)
                };
                self.groups.iter().any(waits).then_some(())?;
            }
        }
        Some(())
    }
}
