//! Relations between the events of an execution, a row of bits for each.

use smallvec::SmallVec;

/// Events as bits.
pub(crate) type Set = u128;
/// Most events of an execution.
pub(crate) const MOST_EVENTS: usize = 128;

/// The members of a set, lowest first.
pub(crate) fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let found = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        found
    })
}

/// The bit of one event.
pub(crate) const fn bit(event: usize) -> Set {
    1 << (event & (MOST_EVENTS - 1))
}

/// The events below a number.
pub(crate) const fn low_bits(n: usize) -> Set {
    match n {
        0..MOST_EVENTS => (1 << n) - 1,
        _ => Set::MAX,
    }
}

/// Which events come before which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relation {
    rows: SmallVec<[Set; FEW_EVENTS]>,
}

/// Events of an execution up to which its relations need no memory of their own.
const FEW_EVENTS: usize = 24;

impl Relation {
    pub(crate) fn new(n: usize) -> Relation {
        Relation {
            rows: SmallVec::from_elem(0, n),
        }
    }

    pub(crate) fn add(&mut self, from: usize, to: usize) {
        if let Some(row) = self.rows.get_mut(from) {
            *row |= bit(to);
        }
    }

    pub(crate) fn has(&self, from: usize, to: usize) -> bool {
        self.after(from) & bit(to) != 0
    }

    /// What comes after an event.
    pub(crate) fn after(&self, from: usize) -> Set {
        self.rows.get(from).copied().unwrap_or(0)
    }

    pub(crate) fn add_all(&mut self, from: usize, to: Set) {
        if let Some(row) = self.rows.get_mut(from) {
            *row |= to;
        }
    }

    /// Lets all events of a set come before one.
    pub(crate) fn add_into(&mut self, from: Set, to: usize) {
        members(from).for_each(|from| self.add(from, to));
    }

    /// What comes before an event.
    pub(crate) fn before(&self, to: usize) -> Set {
        let from = |set: Set, (from, row): (usize, &Set)| match row & bit(to) {
            0 => set,
            _ => set | bit(from),
        };
        self.rows.iter().enumerate().fold(0, from)
    }

    /// Adds what follows by going through events of a set.
    pub(crate) fn close(&mut self, through: Set) {
        for middle in members(through) {
            let beyond = self.after(middle);
            if beyond == 0 {
                continue;
            }
            for row in &mut self.rows {
                if *row & bit(middle) != 0 {
                    *row |= beyond;
                }
            }
        }
    }

    /// Adds one pair to a relation that is closed through a set, and closes it again.
    pub(crate) fn add_closed(&mut self, from: usize, to: usize, through: Set) {
        if self.has(from, to) {
            return;
        }
        let mut beyond = bit(to);
        if through & bit(to) != 0 {
            beyond |= self.after(to);
        }
        self.add_all(from, beyond);
        if through & bit(from) != 0 {
            for row in &mut self.rows {
                if *row & bit(from) != 0 {
                    *row |= beyond;
                }
            }
        }
    }

    /// An event that comes before itself, once the relation is closed.
    pub(crate) fn reflexive(&self) -> Option<usize> {
        (0..self.rows.len()).find(|event| self.has(*event, *event))
    }
}
