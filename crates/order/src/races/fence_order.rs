//! Serialization of the lanes of a warp at `fence.sc`: the fence of each lane happens after the fences of the preceding
//! lanes. The clock of each lane after its fence is computed on demand from the clocks and epochs of the lanes.

use crate::races::vector_clock::groups_of;
use crate::races::vector_clock::{ClockGroup, Epoch, VectorClock, join, lanes_of, raise_lanes};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::Rc;

/// Sequence of the lanes of a vector clock row that execute `fence.sc` one after another, from which the clock of each lane is computed.
#[derive(Debug)]
pub(crate) struct FenceSequence {
    /// Join of the clocks of all lanes up to and including a lane. The list has an entry for each lane whose own clock changes the join of
    /// its predecessors.
    before: SmallVec<[(u32, Rc<VectorClock>); 1]>,
    row: ClockGroup,
    lanes: u32,
    /// Epoch of each lane at the fence.
    epochs: [u32; 32],
    clocks: [OnceCell<Rc<VectorClock>>; 32],
}

impl FenceSequence {
    /// Returns the sequence of the fences. `known` is the clock that the first lane acquires. `own` returns the clock
    /// of a lane before its fence.
    pub(crate) fn new<'a>(
        known: Rc<VectorClock>,
        own: impl Fn(usize) -> &'a Rc<VectorClock>,
        row: ClockGroup,
        lanes: u32,
        epochs: [u32; 32],
    ) -> FenceSequence {
        let mut before = SmallVec::new();
        let (mut all, mut last) = (known, None);
        for lane in lanes_of(lanes) {
            let own = own(lane);
            let is_more = last.is_none_or(|last| !Rc::ptr_eq(last, own)) && !all.includes(own);
            if is_more {
                join(&mut all, own);
            }
            if is_more || last.is_none() {
                before.push((lane as u32, Rc::clone(&all)));
            }
            last = Some(own);
        }
        FenceSequence {
            before,
            row,
            lanes,
            epochs,
            clocks: [const { OnceCell::new() }; 32],
        }
    }

    /// Returns the join of the clocks of a lane and its predecessors, without the current epochs of these lanes.
    fn before(&self, lane: usize) -> &Rc<VectorClock> {
        let mut all = self.before.iter().rev();
        let known = all.find(|(from, _)| *from as usize <= lane & 31);
        &known.unwrap_or(&self.before[0]).1
    }

    /// Checks whether a lane is part of the fence sequence.
    pub(crate) const fn has(&self, lane: usize) -> bool {
        self.lanes >> (lane & 31) & 1 != 0
    }

    /// Checks whether all lanes of `lanes` are part of the fence sequence.
    pub(crate) const fn has_all(&self, lanes: u32) -> bool {
        lanes & !self.lanes == 0
    }

    /// Returns the last lane of `lanes` that is part of the fence sequence.
    pub(crate) fn last_of(&self, lanes: u32) -> Option<usize> {
        (self.lanes & lanes)
            .checked_ilog2()
            .map(|lane| lane as usize)
    }

    const fn earlier(&self, lane: usize) -> u32 {
        self.lanes & ((1 << (lane & 31)) - 1)
    }

    /// Returns the clock of a lane after its fence.
    pub(crate) fn clock(&self, lane: usize) -> &Rc<VectorClock> {
        self.clocks[lane & 31].get_or_init(|| {
            let mut clock = Rc::clone(self.before(lane));
            for (earlier, epoch) in groups_of(&self.epochs, self.earlier(lane)) {
                raise_lanes(&mut clock, self.row, earlier, epoch);
            }
            clock
        })
    }

    /// Returns the lanes among `of` whose epoch the clock of `lane` does not include. `of` consists of a row, lanes and
    /// an epoch.
    pub(crate) fn unknown(&self, lane: usize, of: (ClockGroup, u32, u32)) -> u32 {
        let (row, lanes, epoch) = of;
        let unknown = self.before(lane).seen().unknown(row, lanes, epoch);
        if unknown == 0 || row != self.row {
            return unknown;
        }
        let is_known = |earlier: &usize| self.epochs[*earlier] >= epoch;
        let known = lanes_of(unknown & self.earlier(lane)).filter(is_known);
        known.fold(unknown, |unknown, earlier| unknown & !(1 << earlier))
    }
}

/// Vector clock of a thread at a release, which is stored directly or derived on demand from a fence sequence.
#[derive(Clone, Debug)]
pub(crate) enum ReleasedClock {
    Clock(Rc<VectorClock>),
    Turn(Rc<FenceSequence>, u32),
}

impl ReleasedClock {
    pub(crate) fn clock(&self) -> &Rc<VectorClock> {
        match self {
            ReleasedClock::Clock(clock) => clock,
            ReleasedClock::Turn(turns, lane) => turns.clock(*lane as usize),
        }
    }

    /// Returns the clock of another lane that released in the same step.
    pub(crate) fn of(&self, lane: u32) -> ReleasedClock {
        match self {
            ReleasedClock::Clock(clock) => ReleasedClock::Clock(Rc::clone(clock)),
            ReleasedClock::Turn(turns, _) => ReleasedClock::Turn(Rc::clone(turns), lane & 31),
        }
    }

    /// Changes the clock with `change`. If the clock is derived, the function computes it first.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut VectorClock)) {
        match self {
            ReleasedClock::Clock(clock) => change(Rc::make_mut(clock)),
            ReleasedClock::Turn(turns, lane) => {
                let mut clock = VectorClock::clone(turns.clock(*lane as usize));
                change(&mut clock);
                *self = ReleasedClock::Clock(Rc::new(clock));
            }
        }
    }

    /// Checks whether the clock includes the epoch of a thread.
    pub(crate) fn includes_epoch(&self, point: Epoch) -> bool {
        let of = (point.row, 1 << point.lane, point.epoch);
        let unknown = match self {
            ReleasedClock::Clock(clock) => clock.seen().unknown(of.0, of.1, of.2),
            ReleasedClock::Turn(turns, lane) => turns.unknown(*lane as usize, of),
        };
        unknown == 0
    }

    /// Checks whether the clock includes another clock.
    pub(crate) fn includes(&self, other: &ReleasedClock) -> bool {
        match (self, other) {
            (ReleasedClock::Turn(own, lane), ReleasedClock::Turn(turns, before))
                if Rc::ptr_eq(own, turns) && before <= lane =>
            {
                true
            }
            (ReleasedClock::Turn(own, lane), _)
                if own.before(*lane as usize).includes(other.clock()) =>
            {
                true
            }
            _ => self.clock().includes(other.clock()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::vector_clock::ClockGroupKind;

    fn row(warp: u32) -> ClockGroup {
        ClockGroup::of(ClockGroupKind::Threads, 0, warp)
    }

    /// Returns a clock that includes the given epoch of the lanes of a warp, and no other epochs.
    fn knowing(warp: u32, lanes: u32, epoch: u32) -> Rc<VectorClock> {
        let mut clock = VectorClock::default();
        clock.advance(row(warp), lanes, epoch);
        Rc::new(clock)
    }

    fn turns(known: Rc<VectorClock>, own: &[Rc<VectorClock>; 32]) -> FenceSequence {
        FenceSequence::new(known, |lane| &own[lane], row(0), 0b1110, [5; 32])
    }

    #[test]
    fn fence_clock_of_lane_includes_only_preceding_lanes() {
        let own = std::array::from_fn(|_| Rc::default());
        let turns = turns(knowing(1, u32::MAX, 3), &own);
        assert_eq!(turns.unknown(3, (row(0), 0b1111, 5)), 0b1001);
        assert_eq!(turns.unknown(1, (row(0), 0b1111, 5)), 0b1111);
        assert_eq!(turns.unknown(1, (row(1), u32::MAX, 3)), 0);
        assert_eq!(turns.last_of(0b0111), Some(2));
    }

    #[test]
    fn unknown_lanes_match_materialized_clock() {
        let mut own: [Rc<VectorClock>; 32] = std::array::from_fn(|_| Rc::default());
        own[2] = knowing(2, 0b1, 7);
        let turns = turns(Rc::default(), &own);
        for lane in 1..4 {
            for of in [(row(0), 0b1111, 5), (row(0), 0b1111, 6), (row(2), 0b11, 7)] {
                let made = turns.clock(lane).seen().unknown(of.0, of.1, of.2);
                assert_eq!(turns.unknown(lane, of), made, "lane {lane}, {of:?}");
            }
        }
    }

    #[test]
    fn clock_of_later_fence_includes_earlier_fence() {
        let own = std::array::from_fn(|_| Rc::default());
        let turns = Rc::new(turns(Rc::default(), &own));
        let [earlier, later] = [1, 3].map(|lane| ReleasedClock::Turn(Rc::clone(&turns), lane));
        assert!(later.includes(&earlier) && !earlier.includes(&later));
        let mut changed = earlier.clone();
        changed.change(|clock| clock.advance(row(4), 1, 1));
        assert!(changed.includes(&earlier) && !later.includes(&changed));
    }
}
