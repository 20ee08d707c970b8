//! Where values come from: no value comes from itself, so an atomic reads none that only its own write could bring about. In: traces; out: for
//! each value the sets of writes that it can be made of. Without them every sum of every number of additions would be a value.

use crate::explore::path::Domain;
use crate::explore::step::{NodeKind, Step, Trace};
use std::collections::HashMap;

/// Sets that are kept for one value; a value that has more can come about in any way.
const MOST_SETS: usize = 128;
/// Sets that are put together for one value. Where there would be more, the value can come about in any way: then too much is looked at, and
/// nothing is left out, since the axioms look at every execution whatever its values are made of.
const MOST_PAIRS: usize = 512;
/// Writes that are numbered.
const MOST_WRITES: usize = 64;

/// The sets of writes that a value can be made of, none of which holds another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origins {
    sets: Vec<u64>,
    /// There are too many to be kept.
    is_any: bool,
    /// Writes that it takes, at least.
    least: usize,
}

impl Origins {
    /// Of what is there at the start.
    pub(crate) fn start() -> Origins {
        Origins {
            sets: vec![0],
            is_any: false,
            least: 0,
        }
    }

    /// Of more than can be kept.
    fn any(least: usize) -> Origins {
        Origins {
            sets: vec![0],
            is_any: true,
            least,
        }
    }

    fn none() -> Origins {
        Origins {
            sets: Vec::new(),
            is_any: false,
            least: usize::MAX,
        }
    }

    /// Whether the value can be there without a write.
    pub(crate) fn have_one_without(&self, write: usize) -> bool {
        self.is_any || self.sets.iter().any(|set| set >> write & 1 == 0)
    }

    /// Whether this number of writes can make the value.
    pub(crate) fn take_at_most(&self, writes: usize) -> bool {
        self.least <= writes
    }

    /// Adds a set; whether that says something new.
    fn add(&mut self, set: u64) -> bool {
        if self.is_any || self.sets.iter().any(|known| known & set == *known) {
            return false;
        }
        self.sets.retain(|known| known & set != set);
        self.sets.push(set);
        if self.sets.len() > MOST_SETS {
            *self = Origins::any(self.least);
        }
        true
    }

    fn join(&mut self, other: &Origins) -> bool {
        let is_less = other.least < self.least;
        self.least = self.least.min(other.least);
        self.join_sets(other) || is_less
    }

    fn join_sets(&mut self, other: &Origins) -> bool {
        if other.is_any && !self.is_any {
            *self = Origins::any(self.least);
            return true;
        }
        let mut is_new = false;
        for set in &other.sets {
            is_new |= self.add(*set);
        }
        is_new
    }

    /// The sets of two values that are used together.
    fn with(&self, other: &Origins) -> Origins {
        let n_pairs = self.sets.len().saturating_mul(other.sets.len());
        if self.is_any || other.is_any || n_pairs > MOST_PAIRS {
            return Origins::any(self.least.max(other.least));
        }
        let mut both = Origins::none();
        both.least = self.least.max(other.least);
        for a in &self.sets {
            for b in &other.sets {
                both.add(a | b);
            }
        }
        both
    }
}

/// Writes by number: thread, instruction, and how often the thread has executed it before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes {
    numbers: HashMap<(usize, u32, usize), usize>,
}

impl Writes {
    /// The number of a write that comes after these events of its thread, if it has one.
    pub(crate) fn number(&self, thread: usize, steps: &[Step], instruction: u32) -> Option<usize> {
        let n_before = count(steps, instruction);
        let number = self.numbers.get(&(thread, instruction, n_before)).copied();
        number.filter(|number| *number < MOST_WRITES)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether each write of a trace can be there without what it depends on coming from it.
    pub(crate) fn allow(&self, thread: usize, trace: &Trace, domain: &Domain) -> bool {
        let writes = trace.steps.iter().enumerate();
        let mut writes = writes.filter(|(_, step)| !step.writes.is_empty());
        writes.all(|(index, step)| {
            let before = trace.steps.get(..index).unwrap_or(&[]);
            let Some(own) = self.number(thread, before, step.instruction) else {
                return true;
            };
            reads_of(trace, index).all(|(cell, value)| {
                let known = domain.get(cell).and_then(|values| values.get(&value));
                known.is_none_or(|origins| origins.have_one_without(own))
            })
        })
    }

    /// The number of a write: of a thread, by an instruction, and how often it was executed before.
    fn numbered(&mut self, thread: usize, instruction: u32, before: usize) -> Option<usize> {
        let next = self.numbers.len();
        let key = (thread, instruction, before);
        let number = *self.numbers.entry(key).or_insert(next);
        (number < MOST_WRITES).then_some(number)
    }

    /// Adds what a trace writes to the values that cells could hold; whether something is new.
    pub(crate) fn add(&mut self, thread: usize, trace: &Trace, domain: &mut Domain) -> bool {
        let mut is_new = false;
        for (index, step) in trace.steps.iter().enumerate() {
            if step.writes.is_empty() {
                continue;
            }
            let before = trace.steps.get(..index).unwrap_or(&[]);
            let n_before = count(before, step.instruction);
            let number = self.numbered(thread, step.instruction, n_before);
            let origins = origins_of(trace, index, number, domain);
            for (cell, value) in step.cells.clone().zip(&step.writes) {
                let Some(values) = domain.get_mut(cell) else {
                    continue;
                };
                let known = values.entry(*value).or_insert_with(|| {
                    is_new = true;
                    Origins::none()
                });
                is_new |= known.join(&origins);
            }
        }
        is_new
    }
}

/// Events of an instruction.
fn count(steps: &[Step], instruction: u32) -> usize {
    steps
        .iter()
        .filter(|s| s.instruction == instruction)
        .count()
}

/// What an event of a trace writes is made of itself, and of what the reads that it depends on can be made of.
fn origins_of(trace: &Trace, index: usize, number: Option<usize>, domain: &Domain) -> Origins {
    let Some(step) = trace.steps.get(index) else {
        return Origins::start();
    };
    let own = number.map_or(0, |number| 1 << number);
    let mut origins = Origins::none();
    origins.add(own);
    origins.least = 1;
    if step.depends == 0 && step.kind != NodeKind::Atomic {
        return origins;
    }
    for (cell, value) in reads_of(trace, index) {
        let Some(known) = domain.get(cell).and_then(|values| values.get(&value)) else {
            continue;
        };
        let mut known = known.clone();
        if let Some(number) = number {
            known.sets.retain(|set| set >> number & 1 == 0);
        }
        if !known.sets.is_empty() {
            // The write itself is none of those.
            let least = origins.least.max(known.least.saturating_add(1));
            origins = origins.with(&known);
            origins.least = least;
        }
    }
    origins
}

/// What an event depends on, as cells and the values that were read there; what an atomic reads itself, too.
fn reads_of(trace: &Trace, index: usize) -> impl Iterator<Item = (usize, u64)> {
    let step = trace.steps.get(index);
    let depends = step.map_or(0, |step| step.depends);
    let passes_on = step.is_some_and(|s| s.kind == NodeKind::Atomic && s.passes_on);
    let reads = trace.steps.iter().take(64).enumerate();
    let used = reads.filter(move |(at, _)| depends >> at & 1 != 0 || passes_on && *at == index);
    used.flat_map(|(_, read)| read.cells.clone().zip(read.reads.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::Origins;

    #[test]
    fn sets_that_hold_others_are_left_out() {
        let mut origins = Origins::none();
        assert!(origins.add(0b110));
        assert!(!origins.add(0b111));
        assert!(origins.add(0b100));
        assert_eq!(origins.sets, [0b100]);
        assert!(origins.have_one_without(1) && !origins.have_one_without(2));
    }

    #[test]
    fn more_sets_than_can_be_put_together_are_any() {
        let of = |shift: u32| Origins {
            sets: (0..30).map(|n| 1u64 << n << shift).collect(),
            is_any: false,
            least: 1,
        };
        let (a, b) = (of(0), of(30));
        assert!(a.with(&b).is_any);
        assert!(a.with(&b).have_one_without(0));
    }

    #[test]
    fn values_that_are_used_together_need_both() {
        let of = |sets: &[u64]| Origins {
            sets: sets.to_vec(),
            is_any: false,
            least: 1,
        };
        let (a, b) = (of(&[0b1, 0b10]), of(&[0b100]));
        assert_eq!(a.with(&b).sets, [0b101, 0b110]);
    }
}
