//! Provenance of values: the sets of writes from which each value in the traces can be derived. The provenance excludes out-of-thin-air
//! values: an atomic cannot read a value that depends on its own write. Without this restriction, every sum of repeated additions would be
//! a possible value.

use crate::explore::event::{EventKind, ThreadTrace, TraceEvent};
use crate::explore::thread_path::ValueDomain;
use std::collections::HashMap;

/// Maximum number of sets of writes that are stored per value. A value with more sets has unrestricted provenance.
const MAX_SETS: usize = 128;
/// Maximum number of set pairs that are combined for one value. If a value exceeds this limit, its provenance is
/// unrestricted. Unrestricted provenance only adds candidate executions, and the axioms reject candidates with
/// out-of-thin-air values.
const MAX_PAIRS: usize = 512;
/// Maximum number of numbered writes, which is the number of bits of a set.
const MAX_WRITES: usize = 64;

/// Provenance of a value: the minimal sets of writes from which the value can be derived. No set contains another set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueOrigins {
    sets: Vec<u64>,
    /// Whether the provenance is unrestricted, because the value has too many sets.
    is_unbounded: bool,
    /// Minimum number of writes from which the value can be derived.
    least: usize,
}

impl ValueOrigins {
    /// Returns the provenance of an initial value.
    pub(crate) fn start() -> ValueOrigins {
        ValueOrigins {
            sets: vec![0],
            is_unbounded: false,
            least: 0,
        }
    }

    /// Returns unrestricted provenance of a value that requires at least `least` writes.
    fn any(least: usize) -> ValueOrigins {
        ValueOrigins {
            sets: vec![0],
            is_unbounded: true,
            least,
        }
    }

    fn none() -> ValueOrigins {
        ValueOrigins {
            sets: Vec::new(),
            is_unbounded: false,
            least: usize::MAX,
        }
    }

    /// Checks whether the value can be derived without the given write.
    pub(crate) fn excludes(&self, write: usize) -> bool {
        self.is_unbounded || self.sets.iter().any(|set| set >> write & 1 == 0)
    }

    /// Checks whether the value can be derived from at most this number of writes.
    pub(crate) fn needs_at_most(&self, writes: usize) -> bool {
        self.least <= writes
    }

    /// Adds a set of writes. Returns whether the provenance changed.
    fn add(&mut self, set: u64) -> bool {
        if self.is_unbounded || self.sets.iter().any(|known| known & set == *known) {
            return false;
        }
        self.sets.retain(|known| known & set != set);
        self.sets.push(set);
        if self.sets.len() > MAX_SETS {
            *self = ValueOrigins::any(self.least);
        }
        true
    }

    fn join(&mut self, other: &ValueOrigins) -> bool {
        let is_less = other.least < self.least;
        self.least = self.least.min(other.least);
        self.join_sets(other) || is_less
    }

    fn join_sets(&mut self, other: &ValueOrigins) -> bool {
        if other.is_unbounded && !self.is_unbounded {
            *self = ValueOrigins::any(self.least);
            return true;
        }
        let mut is_new = false;
        for set in &other.sets {
            is_new |= self.add(*set);
        }
        is_new
    }

    /// Returns the provenance of a value derived from two values.
    fn with(&self, other: &ValueOrigins) -> ValueOrigins {
        let n_pairs = self.sets.len().saturating_mul(other.sets.len());
        if self.is_unbounded || other.is_unbounded || n_pairs > MAX_PAIRS {
            return ValueOrigins::any(self.least.max(other.least));
        }
        let mut both = ValueOrigins::none();
        both.least = self.least.max(other.least);
        for a in &self.sets {
            for b in &other.sets {
                both.add(a | b);
            }
        }
        both
    }
}

/// Numbering of writes by thread, instruction, and number of earlier executions of the instruction by the thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteNumbering {
    numbers: HashMap<(usize, u32, usize), usize>,
}

impl WriteNumbering {
    /// Returns the number of the write of an instruction that follows the events `steps` of its thread.
    pub(crate) fn number(
        &self,
        thread: usize,
        steps: &[TraceEvent],
        instruction: u32,
    ) -> Option<usize> {
        let n_before = count(steps, instruction);
        let number = self.numbers.get(&(thread, instruction, n_before)).copied();
        number.filter(|number| *number < MAX_WRITES)
    }

    /// Returns the number of numbered writes.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Checks whether each write of a trace is possible without a dependency on itself.
    pub(crate) fn is_thin_air_free(
        &self,
        thread: usize,
        trace: &ThreadTrace,
        domain: &ValueDomain,
    ) -> bool {
        let writes = trace.steps.iter().enumerate();
        let mut writes = writes.filter(|(_, step)| !step.writes.is_empty());
        writes.all(|(index, step)| {
            let before = trace.steps.get(..index).unwrap_or(&[]);
            let Some(own) = self.number(thread, before, step.instruction) else {
                return true;
            };
            reads_of(trace, index).all(|(cell, value)| {
                let known = domain.get(cell).and_then(|values| values.get(&value));
                known.is_none_or(|origins| origins.excludes(own))
            })
        })
    }

    /// Returns the number of a write, and assigns a number to a write that has none. Returns `None` if all numbers are in use.
    fn numbered(&mut self, thread: usize, instruction: u32, before: usize) -> Option<usize> {
        let next = self.numbers.len();
        let key = (thread, instruction, before);
        let number = *self.numbers.entry(key).or_insert(next);
        (number < MAX_WRITES).then_some(number)
    }

    /// Adds the values that a trace writes to the domains of the cells. Returns whether a domain changed.
    pub(crate) fn add(
        &mut self,
        thread: usize,
        trace: &ThreadTrace,
        domain: &mut ValueDomain,
    ) -> bool {
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
                    ValueOrigins::none()
                });
                is_new |= known.join(&origins);
            }
        }
        is_new
    }
}

/// Returns the number of events that an instruction has produced in a trace.
fn count(steps: &[TraceEvent], instruction: u32) -> usize {
    steps
        .iter()
        .filter(|s| s.instruction == instruction)
        .count()
}

/// Returns the provenance of a written value: the write itself, combined with the provenance of the values on which the
/// write depends.
fn origins_of(
    trace: &ThreadTrace,
    index: usize,
    number: Option<usize>,
    domain: &ValueDomain,
) -> ValueOrigins {
    let Some(step) = trace.steps.get(index) else {
        return ValueOrigins::start();
    };
    let own = number.map_or(0, |number| 1 << number);
    let mut origins = ValueOrigins::none();
    origins.add(own);
    origins.least = 1;
    if step.depends == 0 && step.kind != EventKind::Atomic {
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
            // The written value requires one more write than its dependencies, because the dependencies do not include the write itself.
            let least = origins.least.max(known.least.saturating_add(1));
            origins = origins.with(&known);
            origins.least = least;
        }
    }
    origins
}

/// Returns the cells and values of the reads on which an event depends, including the read of an atomic itself.
fn reads_of(trace: &ThreadTrace, index: usize) -> impl Iterator<Item = (usize, u64)> {
    let step = trace.steps.get(index);
    let depends = step.map_or(0, |step| step.depends);
    let passes_on = step.is_some_and(|s| s.kind == EventKind::Atomic && s.writes_depend_on_read);
    let reads = trace.steps.iter().take(64).enumerate();
    let used = reads.filter(move |(at, _)| depends >> at & 1 != 0 || passes_on && *at == index);
    used.flat_map(|(_, read)| read.cells.clone().zip(read.reads.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::ValueOrigins;

    #[test]
    fn supersets_of_origin_sets_are_discarded() {
        let mut origins = ValueOrigins::none();
        assert!(origins.add(0b110));
        assert!(!origins.add(0b111));
        assert!(origins.add(0b100));
        assert_eq!(origins.sets, [0b100]);
        assert!(origins.excludes(1) && !origins.excludes(2));
    }

    #[test]
    fn combining_too_many_origin_sets_yields_unbounded_origins() {
        let of = |shift: u32| ValueOrigins {
            sets: (0..30).map(|n| 1u64 << n << shift).collect(),
            is_unbounded: false,
            least: 1,
        };
        let (a, b) = (of(0), of(30));
        assert!(a.with(&b).is_unbounded);
        assert!(a.with(&b).excludes(0));
    }

    #[test]
    fn combined_value_requires_union_of_origin_sets() {
        let of = |sets: &[u64]| ValueOrigins {
            sets: sets.to_vec(),
            is_unbounded: false,
            least: 1,
        };
        let (a, b) = (of(&[0b1, 0b10]), of(&[0b100]));
        assert_eq!(a.with(&b).sets, [0b101, 0b110]);
    }
}
