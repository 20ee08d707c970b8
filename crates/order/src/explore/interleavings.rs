//! Sequentially consistent outcomes of a litmus test (L. Lamport, "How to Make a Multiprocessor Computer That Correctly
//! Executes Multiprocess Programs", 1979). The search enumerates the interleavings of the traces of all threads, in
//! which each instruction executes atomically, and returns the outcomes of all interleavings.
//!
//! The traces of a thread form a prefix tree, so that a common prefix of several traces is explored only once.

use crate::explore::event::{BarrierId, EventKind, ThreadTrace, TraceEvent};
use crate::explore::query::{ExploreError, LitmusQuery, ObservedValue};
use crate::explore::traces::ThreadTraces;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Maximum number of explored states.
const MAX_STATES: usize = 400_000;

/// Node of a [`TraceTree`], which represents a position of the thread in all traces with the same prefix.
#[derive(Default)]
struct TreeNode<'a> {
    /// Events of the next instruction, which execute atomically, and the successor node.
    next: Vec<(Vec<&'a TraceEvent>, usize)>,
    /// Final values of the observed registers of each trace that ends at the node.
    ends: Vec<&'a [u64]>,
    /// Number of arrivals at each barrier on the path to the node.
    arrived: BTreeMap<BarrierId, usize>,
    /// Values that the thread supplies to other lanes on the path to the node, in order.
    given: BTreeMap<BarrierId, Vec<u64>>,
}

/// Prefix tree of the traces of a thread, through which the interleaving search steps.
struct TraceTree<'a> {
    nodes: Vec<TreeNode<'a>>,
}

impl<'a> TraceTree<'a> {
    fn new(traces: impl Iterator<Item = &'a ThreadTrace>) -> TraceTree<'a> {
        let mut tree = TraceTree {
            nodes: vec![TreeNode::default()],
        };
        traces.for_each(|trace| tree.add(trace));
        tree
    }

    fn add(&mut self, trace: &'a ThreadTrace) {
        let mut at = 0;
        for group in groups_of(trace) {
            let known = self.nodes.get(at).and_then(|node| {
                let mut next = node.next.iter();
                next.find(|(other, _)| *other == group)
            });
            at = match known {
                Some((_, to)) => *to,
                None => {
                    let (mut arrived, mut given) = match self.nodes.get(at) {
                        Some(node) => (node.arrived.clone(), node.given.clone()),
                        None => Default::default(),
                    };
                    for step in &group {
                        if let (Some(barrier), Some((_, value))) = (step.barrier, step.given()) {
                            given.entry(barrier).or_default().push(value);
                        }
                    }
                    for barrier in group.iter().filter_map(|step| arrives_at(step)) {
                        *arrived.entry(barrier).or_default() += 1;
                    }
                    let new = self.nodes.len();
                    self.nodes.push(TreeNode {
                        arrived,
                        given,
                        ..TreeNode::default()
                    });
                    if let Some(node) = self.nodes.get_mut(at) {
                        node.next.push((group, new));
                    }
                    new
                }
            };
        }
        if let Some(node) = self.nodes.get_mut(at)
            && !node.ends.contains(&trace.registers.as_slice())
        {
            node.ends.push(&trace.registers);
        }
    }
}

/// State of an interleaving: the positions of all threads, and the memory contents.
#[derive(Clone, PartialEq, Eq, Hash)]
struct InterleavingState {
    at: Vec<usize>,
    memory: Vec<u64>,
}

/// Search over the interleavings of all threads.
struct InterleavingSearch<'a> {
    question: &'a LitmusQuery,
    traces: &'a ThreadTraces,
    trees: Vec<TraceTree<'a>>,
    found: BTreeSet<Vec<u64>>,
}

/// Returns the outcomes of all interleavings of the traces that occur in `combinations`.
pub(crate) fn interleaved(
    question: &LitmusQuery,
    traces: &ThreadTraces,
    combinations: &[Vec<usize>],
) -> Result<BTreeSet<Vec<u64>>, ExploreError> {
    let trees = traces.threads.iter().enumerate().map(|(thread, all)| {
        let used = combinations
            .iter()
            .filter_map(|numbers| numbers.get(thread));
        let used: BTreeSet<usize> = used.copied().collect();
        TraceTree::new(used.into_iter().filter_map(|number| all.get(number)))
    });
    let mut orders = InterleavingSearch {
        question,
        traces,
        trees: trees.collect(),
        found: BTreeSet::new(),
    };
    orders.search()?;
    Ok(orders.found)
}

impl InterleavingSearch<'_> {
    fn search(&mut self) -> Result<(), ExploreError> {
        let cells = self.traces.cells.list.iter();
        let start = InterleavingState {
            at: vec![0; self.trees.len()],
            memory: cells.map(|cell| cell.init).collect(),
        };
        let mut open = vec![start];
        let mut seen = HashSet::new();
        let limit = self.question.limits.outcomes;
        while let Some(state) = open.pop() {
            self.end(&state);
            if self.found.len() > limit || seen.len() > MAX_STATES {
                return Err(ExploreError::TooManyOutcomes { limit });
            }
            for thread in 0..self.trees.len() {
                let n = self.node(&state, thread).map_or(0, |node| node.next.len());
                for way in 0..n {
                    if let Some(next) = self.step(&state, thread, way)
                        && seen.insert(next.clone())
                    {
                        open.push(next);
                    }
                }
            }
        }
        Ok(())
    }

    fn node(&self, state: &InterleavingState, thread: usize) -> Option<&TreeNode<'_>> {
        let at = *state.at.get(thread)?;
        self.trees.get(thread)?.nodes.get(at)
    }

    /// Records the outcomes of a state if every thread can end in this state.
    fn end(&mut self, state: &InterleavingState) {
        let mut all: Vec<Vec<&[u64]>> = vec![Vec::new()];
        for thread in 0..self.trees.len() {
            let ends = self.node(state, thread).map_or(&[][..], |node| &node.ends);
            let longer = all.iter().flat_map(|before| {
                ends.iter().map(move |end| {
                    let mut all = before.clone();
                    all.push(*end);
                    all
                })
            });
            all = longer.collect();
        }
        let outcomes: Vec<Vec<u64>> = all.iter().map(|ends| self.outcome(ends, state)).collect();
        self.found.extend(outcomes);
    }

    fn outcome(&self, ends: &[&[u64]], state: &InterleavingState) -> Vec<u64> {
        let mut registers: Vec<_> = ends.iter().map(|end| end.iter()).collect();
        let observed = self.question.observed.iter();
        let values = observed.map(|observed| match observed {
            ObservedValue::Register { thread, .. } => {
                let next = registers.get_mut(*thread).and_then(Iterator::next);
                next.copied().unwrap_or(0)
            }
            ObservedValue::Memory { .. } => {
                let cells =
                    crate::explore::results::cells_of(self.question, &self.traces.cells, observed);
                let held = state.memory.get(cells.clone()).unwrap_or(&[]);
                self.traces.cells.join(cells, held)
            }
        });
        values.collect()
    }

    /// Executes one instruction of a thread. Returns `None` if the thread waits at a barrier, or if memory does not
    /// contain the values that the trace reads.
    fn step(
        &self,
        state: &InterleavingState,
        thread: usize,
        way: usize,
    ) -> Option<InterleavingState> {
        let (group, to) = self.node(state, thread)?.next.get(way)?;
        let mut next: Option<InterleavingState> = None;
        for step in group {
            let memory = next.as_ref().map_or(&state.memory, |next| &next.memory);
            let mut reads = step.cells.clone().zip(&step.reads);
            if reads.any(|(cell, value)| memory.get(cell) != Some(value)) {
                return None;
            }
            if step.kind == EventKind::Leave && !self.barrier_completes(state, thread, step) {
                return None;
            }
            if step.writes.is_empty() {
                continue;
            }
            let changed = next.get_or_insert_with(|| state.clone());
            for (cell, value) in step.cells.clone().zip(&step.writes) {
                if let Some(place) = changed.memory.get_mut(cell) {
                    *place = *value;
                }
            }
        }
        let mut next = next.unwrap_or_else(|| state.clone());
        if let Some(place) = next.at.get_mut(thread) {
            *place = *to;
        }
        Some(next)
    }

    /// Checks whether a barrier is complete for a thread: every other thread has arrived at the barrier as often as this thread, or can end
    /// without another arrival. For an exchange, the other threads must also have supplied the values that this thread receives.
    fn barrier_completes(
        &self,
        state: &InterleavingState,
        thread: usize,
        leave: &TraceEvent,
    ) -> bool {
        let Some(barrier) = leave.barrier else {
            return true;
        };
        if let Some((exchange, values)) = leave.taken() {
            return exchange.others.iter().all(|other| {
                let node = self.node(state, *other);
                let given = node.and_then(|node| node.given.get(&barrier)?.get(exchange.number));
                let taken = values.iter().find(|(thread, _)| thread == other);
                given.is_some_and(|given| taken.is_none_or(|(_, taken)| taken == given))
            });
        }
        let arrived = |thread: usize| {
            let node = self.node(state, thread);
            node.and_then(|node| node.arrived.get(&barrier))
                .copied()
                .unwrap_or(0)
        };
        let own = arrived(thread);
        (0..self.trees.len()).all(|other| {
            arrived(other) >= own
                || self.has_no_further_arrival(other, state.at.get(other), barrier)
        })
    }

    fn has_no_further_arrival(
        &self,
        thread: usize,
        at: Option<&usize>,
        barrier: BarrierId,
    ) -> bool {
        let nodes = self.trees.get(thread).map_or(&[][..], |tree| &tree.nodes);
        let Some(node) = at.and_then(|at| nodes.get(*at)) else {
            return true;
        };
        let goes_on = |(group, to): &(Vec<&TraceEvent>, usize)| {
            let is_elsewhere = group.iter().all(|step| arrives_at(step) != Some(barrier));
            is_elsewhere && self.has_no_further_arrival(thread, Some(to), barrier)
        };
        !node.ends.is_empty() || node.next.iter().any(goes_on)
    }
}

fn arrives_at(step: &TraceEvent) -> Option<BarrierId> {
    step.barrier.filter(|_| step.kind == EventKind::Arrive)
}

/// Returns the events of a trace, grouped by instruction.
fn groups_of(trace: &ThreadTrace) -> Vec<Vec<&TraceEvent>> {
    let mut groups: Vec<Vec<&TraceEvent>> = Vec::new();
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    for step in trace.steps.iter().filter(|step| !step.is_fence_slot) {
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
