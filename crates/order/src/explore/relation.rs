//! Binary relations between the events of an execution, stored as a bit matrix with one row per event.

use smallvec::SmallVec;

/// Set of events of an execution, as a bit mask of event indices.
pub(crate) type EventSet = u128;
/// Maximum number of events of an execution.
pub(crate) const MAX_EVENTS: usize = 128;

/// Returns the members of a set in ascending order.
pub(crate) fn members(mut set: EventSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let found = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        found
    })
}

/// Returns the event set that contains only the given event.
pub(crate) const fn bit(event: usize) -> EventSet {
    1 << (event & (MAX_EVENTS - 1))
}

/// Returns the set of events below `n`.
pub(crate) const fn low_bits(n: usize) -> EventSet {
    match n {
        0..MAX_EVENTS => (1 << n) - 1,
        _ => EventSet::MAX,
    }
}

/// Binary relation between the events of an execution, such as program order or reads-from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relation {
    rows: SmallVec<[EventSet; INLINE_EVENTS]>,
}

/// Maximum number of events for which a relation needs no heap allocation.
const INLINE_EVENTS: usize = 24;

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
        self.successors(from) & bit(to) != 0
    }

    /// Returns the successors of an event.
    pub(crate) fn successors(&self, from: usize) -> EventSet {
        self.rows.get(from).copied().unwrap_or(0)
    }

    pub(crate) fn add_all(&mut self, from: usize, to: EventSet) {
        if let Some(row) = self.rows.get_mut(from) {
            *row |= to;
        }
    }

    /// Adds the pairs from all events of a set to one event.
    pub(crate) fn add_into(&mut self, from: EventSet, to: usize) {
        members(from).for_each(|from| self.add(from, to));
    }

    /// Returns the predecessors of an event.
    pub(crate) fn predecessors(&self, to: usize) -> EventSet {
        let from = |set: EventSet, (from, row): (usize, &EventSet)| match row & bit(to) {
            0 => set,
            _ => set | bit(from),
        };
        self.rows.iter().enumerate().fold(0, from)
    }

    /// Adds each pair of events that a path connects, if all intermediate events of the path are members of `through`.
    pub(crate) fn transitive_closure(&mut self, through: EventSet) {
        for middle in members(through) {
            let beyond = self.successors(middle);
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

    /// Adds a pair to a relation that is transitively closed through the events of `through`, and restores the
    /// transitive closure.
    pub(crate) fn add_closed(&mut self, from: usize, to: usize, through: EventSet) {
        if self.has(from, to) {
            return;
        }
        let mut beyond = bit(to);
        if through & bit(to) != 0 {
            beyond |= self.successors(to);
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

    /// Returns an event that is related to itself. In a transitively closed relation, an event that is related to itself is part of a
    /// cycle.
    pub(crate) fn find_cycle(&self) -> Option<usize> {
        (0..self.rows.len()).find(|event| self.has(*event, *event))
    }
}
