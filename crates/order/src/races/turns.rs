//! Lanes that take turns at sequentially consistent fences: each knows what the lanes before it have done. In: what all of them knew, and how far each
//! was; out: the clock of a lane, which is made when it is asked for.

use crate::races::clock::groups_of;
use crate::races::clock::{Clock, Point, Row, join, lanes_of, raise_lanes};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::Rc;

/// Lanes of one row that have taken turns.
#[derive(Debug)]
pub(crate) struct Turns {
    /// What a lane knew itself, and what those before it did: from which lane on, and as long as no lane adds to it.
    before: SmallVec<[(u32, Rc<Clock>); 1]>,
    row: Row,
    lanes: u32,
    /// How far each of them was.
    epochs: [u32; 32],
    clocks: [OnceCell<Rc<Clock>>; 32],
}

impl Turns {
    /// Lanes begin to take turns: `known` is what the first one takes in, `own` what each knows itself.
    pub(crate) fn new<'a>(
        known: Rc<Clock>,
        own: impl Fn(usize) -> &'a Rc<Clock>,
        row: Row,
        lanes: u32,
        epochs: [u32; 32],
    ) -> Turns {
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
        Turns {
            before,
            row,
            lanes,
            epochs,
            clocks: [const { OnceCell::new() }; 32],
        }
    }

    /// What a lane knew, and those before it.
    fn before(&self, lane: usize) -> &Rc<Clock> {
        let mut all = self.before.iter().rev();
        let known = all.find(|(from, _)| *from as usize <= lane & 31);
        &known.unwrap_or(&self.before[0]).1
    }

    /// Whether a lane takes part.
    pub(crate) const fn has(&self, lane: usize) -> bool {
        self.lanes >> (lane & 31) & 1 != 0
    }

    /// Whether all of some lanes take part.
    pub(crate) const fn has_all(&self, lanes: u32) -> bool {
        lanes & !self.lanes == 0
    }

    /// The last one of these lanes that takes part.
    pub(crate) fn last_of(&self, lanes: u32) -> Option<usize> {
        (self.lanes & lanes)
            .checked_ilog2()
            .map(|lane| lane as usize)
    }

    const fn earlier(&self, lane: usize) -> u32 {
        self.lanes & ((1 << (lane & 31)) - 1)
    }

    /// What a lane knows.
    pub(crate) fn clock(&self, lane: usize) -> &Rc<Clock> {
        self.clocks[lane & 31].get_or_init(|| {
            let mut clock = Rc::clone(self.before(lane));
            for (earlier, epoch) in groups_of(&self.epochs, self.earlier(lane)) {
                raise_lanes(&mut clock, self.row, earlier, epoch);
            }
            clock
        })
    }

    /// The threads of a row among these that a lane does not know as far as an epoch.
    pub(crate) fn unknown(&self, lane: usize, of: (Row, u32, u32)) -> u32 {
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

/// What a thread knew when it released: a clock, or a turn that one can be made of.
#[derive(Clone, Debug)]
pub(crate) enum Knowledge {
    Clock(Rc<Clock>),
    Turn(Rc<Turns>, u32),
}

impl Knowledge {
    pub(crate) fn clock(&self) -> &Rc<Clock> {
        match self {
            Knowledge::Clock(clock) => clock,
            Knowledge::Turn(turns, lane) => turns.clock(*lane as usize),
        }
    }

    /// What another lane knows: the same, or what its own turn has brought.
    pub(crate) fn of(&self, lane: u32) -> Knowledge {
        match self {
            Knowledge::Clock(clock) => Knowledge::Clock(Rc::clone(clock)),
            Knowledge::Turn(turns, _) => Knowledge::Turn(Rc::clone(turns), lane & 31),
        }
    }

    /// Changes what is known.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Clock)) {
        match self {
            Knowledge::Clock(clock) => change(Rc::make_mut(clock)),
            Knowledge::Turn(turns, lane) => {
                let mut clock = Clock::clone(turns.clock(*lane as usize));
                change(&mut clock);
                *self = Knowledge::Clock(Rc::new(clock));
            }
        }
    }

    /// Whether a thread's epoch is known.
    pub(crate) fn knows(&self, point: Point) -> bool {
        let of = (point.row, 1 << point.lane, point.epoch);
        let unknown = match self {
            Knowledge::Clock(clock) => clock.seen().unknown(of.0, of.1, of.2),
            Knowledge::Turn(turns, lane) => turns.unknown(*lane as usize, of),
        };
        unknown == 0
    }

    /// Whether all is known that is known elsewhere.
    pub(crate) fn includes(&self, other: &Knowledge) -> bool {
        match (self, other) {
            (Knowledge::Turn(own, lane), Knowledge::Turn(turns, before))
                if Rc::ptr_eq(own, turns) && before <= lane =>
            {
                true
            }
            (Knowledge::Turn(own, lane), _)
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
    use crate::races::clock::RowKind;

    fn row(warp: u32) -> Row {
        Row::of(RowKind::Threads, 0, warp)
    }

    /// A clock that knows lanes of a warp as far as an epoch.
    fn knowing(warp: u32, lanes: u32, epoch: u32) -> Rc<Clock> {
        let mut clock = Clock::default();
        clock.raise(row(warp), lanes, epoch);
        Rc::new(clock)
    }

    fn turns(known: Rc<Clock>, own: &[Rc<Clock>; 32]) -> Turns {
        Turns::new(known, |lane| &own[lane], row(0), 0b1110, [5; 32])
    }

    #[test]
    fn a_lane_knows_those_that_took_a_turn_before_it() {
        let own = std::array::from_fn(|_| Rc::default());
        let turns = turns(knowing(1, u32::MAX, 3), &own);
        assert_eq!(turns.unknown(3, (row(0), 0b1111, 5)), 0b1001);
        assert_eq!(turns.unknown(1, (row(0), 0b1111, 5)), 0b1111);
        assert_eq!(turns.unknown(1, (row(1), u32::MAX, 3)), 0);
        assert_eq!(turns.last_of(0b0111), Some(2));
    }

    #[test]
    fn what_is_unknown_is_what_the_clock_does_not_know() {
        let mut own: [Rc<Clock>; 32] = std::array::from_fn(|_| Rc::default());
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
    fn a_later_turn_includes_an_earlier_one() {
        let own = std::array::from_fn(|_| Rc::default());
        let turns = Rc::new(turns(Rc::default(), &own));
        let [earlier, later] = [1, 3].map(|lane| Knowledge::Turn(Rc::clone(&turns), lane));
        assert!(later.includes(&earlier) && !earlier.includes(&later));
        let mut changed = earlier.clone();
        changed.change(|clock| clock.raise(row(4), 1, 1));
        assert!(changed.includes(&earlier) && !later.includes(&changed));
    }
}
