//! What an execution in one order reaches: instructions of all threads, one after the other, each done at once. In: one trace of each thread;
//! out: the outcomes of all interleavings in which the reads return what the traces say.

use super::explorer::outcomes_of;
use super::question::Question;
use super::step::{Barrier, NodeKind, Step, Trace};
use super::traces::Traces;
use std::collections::{BTreeMap, BTreeSet};

/// The interleavings of one combination of traces.
pub(crate) struct Interleavings<'a> {
    question: &'a Question,
    traces: &'a Traces,
    chosen: &'a [&'a Trace],
    /// By thread: events that happen at once, in order.
    groups: Vec<Vec<Vec<&'a Step>>>,
}

/// How far the threads are, and what memory holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    memory: Vec<u64>,
}

impl<'a> Interleavings<'a> {
    pub(crate) fn new(
        question: &'a Question,
        traces: &'a Traces,
        chosen: &'a [&'a Trace],
    ) -> Interleavings<'a> {
        let groups = chosen.iter().map(|trace| groups_of(trace));
        Interleavings {
            question,
            traces,
            chosen,
            groups: groups.collect(),
        }
    }

    pub(crate) fn outcomes(&self) -> BTreeSet<Vec<u64>> {
        let start = State {
            at: vec![0; self.groups.len()],
            memory: self
                .traces
                .cells
                .list
                .iter()
                .map(|cell| cell.init)
                .collect(),
        };
        let mut open = vec![start];
        let mut seen = BTreeSet::new();
        let mut found = BTreeSet::new();
        while let Some(state) = open.pop() {
            if self.is_over(&state) {
                let last = |cell: usize| state.memory.get(cell).copied().into_iter().collect();
                found.extend(outcomes_of(self.question, self.traces, self.chosen, last));
            }
            for thread in 0..self.groups.len() {
                if let Some(next) = self.step(&state, thread)
                    && seen.insert(next.clone())
                {
                    open.push(next);
                }
            }
        }
        found
    }

    fn is_over(&self, state: &State) -> bool {
        let mut threads = state.at.iter().zip(&self.groups);
        threads.all(|(at, groups)| *at == groups.len())
    }

    /// One instruction of a thread, if it can go on and reads what its trace says.
    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let at = *state.at.get(thread)?;
        let group = self.groups.get(thread)?.get(at)?;
        let mut next = state.clone();
        for step in group {
            if step.kind == NodeKind::Leave && !self.opens(state, (thread, at), step) {
                return None;
            }
            for (cell, value) in step.cells.clone().zip(&step.reads) {
                if next.memory.get(cell) != Some(value) {
                    return None;
                }
            }
            for (cell, value) in step.cells.clone().zip(&step.writes) {
                if let Some(place) = next.memory.get_mut(cell) {
                    *place = *value;
                }
            }
        }
        if let Some(place) = next.at.get_mut(thread) {
            *place += 1;
        }
        Some(next)
    }

    /// Whether all others have arrived at the barrier as often as this thread has, or have ended.
    fn opens(&self, state: &State, (thread, at): (usize, usize), leave: &Step) -> bool {
        let Some(barrier) = leave.barrier else {
            return true;
        };
        let arrivals = |thread: usize, at: usize| -> usize {
            let groups = self.groups.get(thread).map_or(&[][..], |groups| groups);
            let done = groups.iter().take(at).flatten();
            done.filter(|step| arrives(step, barrier)).count()
        };
        let own = arrivals(thread, at);
        (0..self.groups.len()).all(|other| {
            let at = state.at.get(other).copied().unwrap_or(0);
            let len = self.groups.get(other).map_or(0, Vec::len);
            arrivals(other, at) >= own.min(arrivals(other, len))
        })
    }
}

fn arrives(step: &Step, barrier: Barrier) -> bool {
    step.kind == NodeKind::Arrive && step.barrier == Some(barrier)
}

/// The events of a trace, those of one instruction together.
fn groups_of(trace: &Trace) -> Vec<Vec<&Step>> {
    let mut groups: Vec<Vec<&Step>> = Vec::new();
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    for step in trace.steps.iter().filter(|step| !step.is_open_place) {
        match numbers
            .get(&step.instance)
            .and_then(|number| groups.get_mut(*number))
        {
            Some(group) => group.push(step),
            None => {
                numbers.insert(step.instance, groups.len());
                groups.push(vec![step]);
            }
        }
    }
    groups
}
