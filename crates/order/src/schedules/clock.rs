//! Vector clocks of the happens-before relation of a trace.

use std::rc::Rc;

/// Component of a clock: a warp, a group of asynchronous operations whose completions become known together, or an
/// individual asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Component {
    Warp {
        block: u64,
        warp: u32,
    },
    /// Completions that signal the mbarrier with this number. The sequence number is the number of the phase plus 1.
    Signals(u32),
    Operation(u64),
}

/// Position of an event in the total order of its component, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub(crate) component: Component,
    pub(crate) sequence: u32,
}

/// Vector clock: the number of known events of each component. The components are sorted, and absent components are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Rc<Vec<(Component, u32)>>);

impl Clock {
    pub(crate) fn knows(&self, epoch: Epoch) -> bool {
        let found = self
            .0
            .binary_search_by_key(&epoch.component, |(own, _)| *own);
        found.is_ok_and(|index| self.0[index].1 >= epoch.sequence)
    }

    /// Raises one component to at least the given sequence number.
    pub(crate) fn advance(&mut self, epoch: Epoch) {
        match self
            .0
            .binary_search_by_key(&epoch.component, |(own, _)| *own)
        {
            Ok(index) if self.0[index].1 >= epoch.sequence => {}
            Ok(index) => Rc::make_mut(&mut self.0)[index].1 = epoch.sequence,
            Err(index) => {
                Rc::make_mut(&mut self.0).insert(index, (epoch.component, epoch.sequence));
            }
        }
    }

    pub(crate) fn join(&mut self, other: &Clock) {
        if Rc::ptr_eq(&self.0, &other.0) || other.0.is_empty() {
            return;
        }
        if self.0.is_empty() {
            *self = other.clone();
            return;
        }
        let mut joined = Vec::with_capacity(self.0.len().max(other.0.len()));
        let (mut own, mut others) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut has_grown = false;
        loop {
            let next = match (own.peek(), others.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    let entry = (a.0, a.1.max(b.1));
                    has_grown |= entry.1 != a.1;
                    own.next();
                    others.next();
                    entry
                }
                (Some(a), Some(b)) if a.0 < b.0 => {
                    let entry = **a;
                    own.next();
                    entry
                }
                (_, Some(b)) => {
                    let entry = **b;
                    has_grown = true;
                    others.next();
                    entry
                }
                (Some(a), None) => {
                    let entry = **a;
                    own.next();
                    entry
                }
                (None, None) => break,
            };
            joined.push(next);
        }
        if has_grown {
            self.0 = Rc::new(joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(warp: u32, sequence: u32) -> Epoch {
        let component = Component::Warp { block: 0, warp };
        Epoch {
            component,
            sequence,
        }
    }

    #[test]
    fn join_contains_the_events_of_both_clocks() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        one.advance(epoch(0, 3));
        one.advance(epoch(2, 1));
        other.advance(epoch(0, 1));
        other.advance(epoch(1, 2));
        one.join(&other);
        assert!(one.knows(epoch(0, 3)) && one.knows(epoch(1, 2)) && one.knows(epoch(2, 1)));
        assert!(!one.knows(epoch(0, 4)) && !one.knows(epoch(1, 3)) && !one.knows(epoch(3, 1)));
    }
}
