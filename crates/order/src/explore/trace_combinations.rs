//! Enumeration of the combinations of one trace per thread in which every read value is written by some event. The enumeration returns an
//! error if the number of combinations exceeds a limit.
//!
//! Each pair of a cell and a value has a number, so that bit sets represent the reads and the writes of a trace. If all atomics are morally
//! strong with each other, at most one atomic reads each write. Therefore, a combination contains at most as many atomics that read a value
//! as writes of this value.

use crate::explore::event::{EventKind, OrderingRole, ThreadTrace, TraceEvent};
use crate::explore::lane_exchange::{ThreadTraceRef, exchanges_match};
use crate::explore::query::{ExploreError, LitmusQuery};
use crate::explore::traces::ThreadTraces;
use crate::scope::{ScopeInstance, ThreadLocation, scopes_mutually_inclusive};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use warpgrid_isa::Sem;

/// Maximum number of combinations for which the brute-force enumeration is used.
const MAX_BRUTE_FORCE_COMBINATIONS: usize = 4096;
/// Factor by which the maximum number of traces that the search tries exceeds the maximum number of combinations.
const MAX_ATTEMPTS_PER_COMBINATION: usize = 20;

/// Bit set of value numbers.
type BitSet = Vec<u64>;

/// Reads and writes of a trace as sets of value numbers, by which the search tests combinations quickly.
struct TraceSummary {
    reads: BitSet,
    writes: BitSet,
    /// Value numbers that the writes of the trace produce, with multiplicity. The next field contains the value numbers that its atomics
    /// consume.
    produced: Vec<usize>,
    consumed: Vec<usize>,
}

/// Returns the combinations of traces in which every read value is an initial value or a value that a thread writes.
pub(crate) fn combine(
    question: &LitmusQuery,
    traces: &ThreadTraces,
) -> Result<Vec<Vec<usize>>, ExploreError> {
    let limit = question.limits.combinations;
    let mut search = CombinationSearch::new(question, traces);
    let n_ways = traces.threads.iter().map(Vec::len);
    let n_together = n_ways.fold(1usize, usize::saturating_mul);
    match chain_of(question, traces).filter(|_| n_together > MAX_BRUTE_FORCE_COMBINATIONS) {
        None => search.extend(0),
        Some(cell) => match orders_of(traces, cell, MAX_ATTEMPTS_PER_COMBINATION * limit) {
            Some(orders) => {
                for order in orders {
                    search.classes = order;
                    search.extend(0);
                }
            }
            None => return Err(ExploreError::TooManyCombinations { limit }),
        },
    }
    match search.found.len() > limit || search.is_given_up() {
        true => Err(ExploreError::TooManyCombinations { limit }),
        false => Ok(search.found),
    }
}

/// Numbering of the pairs of a cell and a value that occur in the traces.
#[derive(Default)]
struct ValueIndex {
    by_value: BTreeMap<(usize, u64), usize>,
}

impl ValueIndex {
    fn of(&mut self, cell: usize, value: u64) -> usize {
        let next = self.by_value.len();
        *self.by_value.entry((cell, value)).or_insert(next)
    }

    /// Returns whether the cell of each value number is in the set `cells`.
    fn of_cells(&self, cells: &[bool]) -> Vec<bool> {
        let mut found = vec![false; self.by_value.len()];
        for ((cell, _), number) in &self.by_value {
            found[*number] = cells.get(*cell) == Some(&true);
        }
        found
    }
}

struct CombinationSearch<'a> {
    threads: &'a [Vec<ThreadTrace>],
    /// Whether the traces contain exchanges between lanes.
    has_exchanges: bool,
    /// Reads and writes of each trace, indexed by thread and trace.
    facts: Vec<Vec<TraceSummary>>,
    /// Values that each thread and its successors in the search order can write, with the maximum multiplicity of each
    /// value.
    available_later: Vec<BitSet>,
    later_made: Vec<Vec<usize>>,
    /// Values that the chosen traces read, for each depth of the search. The next field contains the values that they write.
    reads: Vec<BitSet>,
    writes: Vec<BitSet>,
    produced: Vec<usize>,
    consumed: Vec<usize>,
    chosen: Vec<usize>,
    found: Vec<Vec<usize>>,
    /// Whether the cell of each value number is a counter, so that at most one event writes the value and at most one
    /// atomic consumes the value.
    is_once: Vec<bool>,
    limit: usize,
    tried: usize,
    /// For each thread, the traces that the search tries. The list is empty if the search tries all traces.
    classes: Vec<Rc<[usize]>>,
}

/// Returns the values that each thread and its successors in the search order can write, and the maximum multiplicity
/// of each value.
fn later_values(facts: &[Vec<TraceSummary>], n: usize) -> (Vec<BitSet>, Vec<Vec<usize>>) {
    let n_threads = facts.len();
    let mut later = vec![bits(n); n_threads + 1];
    let mut later_made = vec![vec![0; n]; n_threads + 1];
    for thread in (0..n_threads).rev() {
        let mut all = later[thread + 1].clone();
        let mut most = vec![0; n];
        for own in facts.get(thread).into_iter().flatten() {
            add(&mut all, &own.writes);
            let mut counted = vec![0usize; n];
            for number in &own.produced {
                counted[*number] += 1;
            }
            for (most, own) in most.iter_mut().zip(counted) {
                *most = own.max(*most);
            }
        }
        let after = &later_made[thread + 1];
        later_made[thread] = most
            .iter()
            .zip(after)
            .map(|(own, more)| own + more)
            .collect();
        later[thread] = all;
    }
    (later, later_made)
}

impl<'a> CombinationSearch<'a> {
    fn new(question: &LitmusQuery, traces: &'a ThreadTraces) -> CombinationSearch<'a> {
        let mut numbers = ValueIndex::default();
        let start: Vec<usize> = traces
            .cells
            .list
            .iter()
            .enumerate()
            .map(|(cell, found)| numbers.of(cell, found.init))
            .collect();
        let counts = rmw_uniqueness(question, &traces.threads);
        let listed: Vec<Vec<TraceValues>> = traces
            .threads
            .iter()
            .map(|all| {
                all.iter()
                    .map(|t| listed(t, counts, &mut numbers))
                    .collect()
            })
            .collect();
        let n = numbers.by_value.len();
        let facts: Vec<Vec<TraceSummary>> = listed
            .into_iter()
            .map(|all| all.into_iter().map(|listed| listed.facts(n)).collect())
            .collect();
        let n_threads = facts.len();
        let (later, later_made) = later_values(&facts, n);
        let mut writes = vec![bits(n); n_threads + 1];
        let mut made = vec![0; n];
        for number in start {
            set(&mut writes[0], number);
            made[number] += 1;
        }
        let mut steps = traces.threads.iter().flatten().flat_map(|t| &t.steps);
        CombinationSearch {
            threads: &traces.threads,
            has_exchanges: steps.any(|step| step.exchange.is_some()),
            facts,
            available_later: later,
            later_made,
            reads: vec![bits(n); n_threads + 1],
            writes,
            produced: made,
            consumed: vec![0; n],
            chosen: Vec::new(),
            found: Vec::new(),
            is_once: numbers.of_cells(&traces.counters),
            limit: question.limits.combinations,
            tried: 0,
            classes: Vec::new(),
        }
    }

    fn is_given_up(&self) -> bool {
        self.tried > MAX_ATTEMPTS_PER_COMBINATION * self.limit
    }

    fn extend(&mut self, thread: usize) {
        let n = match self.facts.get(thread) {
            Some(all) => all.len(),
            None => {
                self.found.push(self.chosen.clone());
                return;
            }
        };
        let class = self.classes.get(thread).cloned();
        for number in 0..class.as_ref().map_or(n, |class| class.len()) {
            let trace = class.as_ref().map_or(number, |class| class[number]);
            self.tried += 1;
            if self.found.len() > self.limit || self.is_given_up() {
                return;
            }
            if self.push_trace(thread, trace) && self.exchanges_match(thread, trace) {
                self.chosen.push(trace);
                self.extend(thread + 1);
                self.chosen.pop();
            }
            self.pop_trace(thread, trace);
        }
    }

    /// Checks whether the exchanges of a trace are consistent with the chosen traces of the preceding threads.
    fn exchanges_match(&self, thread: usize, trace: usize) -> bool {
        let of = |thread: usize, trace: usize| self.threads.get(thread)?.get(trace);
        let Some(own) = of(thread, trace).filter(|_| self.has_exchanges) else {
            return true;
        };
        let earlier = self.chosen.iter().enumerate();
        let mut earlier = earlier.filter_map(|(other, trace)| Some((other, of(other, *trace)?)));
        earlier.all(|(other, theirs)| {
            let one = ThreadTraceRef { thread, trace: own };
            let another = ThreadTraceRef {
                thread: other,
                trace: theirs,
            };
            exchanges_match(one, another) && exchanges_match(another, one)
        })
    }

    /// Adds a trace to the combination. Returns `false` if a read has a value that no chosen trace and no trace of the following threads
    /// writes.
    fn push_trace(&mut self, thread: usize, trace: usize) -> bool {
        let Some(own) = self.facts.get(thread).and_then(|all| all.get(trace)) else {
            return false;
        };
        own.produced
            .iter()
            .for_each(|number| self.produced[*number] += 1);
        own.consumed
            .iter()
            .for_each(|number| self.consumed[*number] += 1);
        let once = |number: &usize, n: &[usize]| !self.is_once[*number] || n[*number] < 2;
        if !own
            .produced
            .iter()
            .all(|number| once(number, &self.produced))
            || !own
                .consumed
                .iter()
                .all(|number| once(number, &self.consumed))
        {
            return false;
        }
        let (before, after) = self.reads.split_at_mut(thread + 1);
        join(&mut after[0], &before[thread], &own.reads);
        let (before, after) = self.writes.split_at_mut(thread + 1);
        join(&mut after[0], &before[thread], &own.writes);
        let writes = self.writes[thread + 1]
            .iter()
            .zip(&self.available_later[thread + 1]);
        let mut reads = self.reads[thread + 1].iter().zip(writes);
        if reads.any(|(read, (written, later))| read & !(written | later) != 0) {
            return false;
        }
        let counts = self.consumed.iter().zip(&self.produced);
        let mut counts = counts.zip(&self.later_made[thread + 1]);
        counts.all(|((taken, made), later)| *taken <= made + later)
    }

    fn pop_trace(&mut self, thread: usize, trace: usize) {
        if let Some(own) = self.facts.get(thread).and_then(|all| all.get(trace)) {
            own.produced
                .iter()
                .for_each(|number| self.produced[*number] -= 1);
            own.consumed
                .iter()
                .for_each(|number| self.consumed[*number] -= 1);
        }
    }
}

/// Value numbers of the reads and writes of a trace, with multiplicity.
struct TraceValues {
    reads: Vec<usize>,
    produced: Vec<usize>,
    consumed: Vec<usize>,
}

/// Whether at most one atomic reads each write, which restricts the combinations of traces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RmwUniqueness {
    Once,
    Open,
}

fn listed(trace: &ThreadTrace, counts: RmwUniqueness, numbers: &mut ValueIndex) -> TraceValues {
    let mut found = TraceValues {
        reads: Vec::new(),
        produced: Vec::new(),
        consumed: Vec::new(),
    };
    for step in &trace.steps {
        for (cell, value) in step.cells.clone().zip(&step.reads) {
            let number = numbers.of(cell, *value);
            found.reads.push(number);
            if step.kind == EventKind::Atomic && counts == RmwUniqueness::Once {
                found.consumed.push(number);
            }
        }
        for (cell, value) in step.cells.clone().zip(&step.writes) {
            found.produced.push(numbers.of(cell, *value));
        }
    }
    found
}

impl TraceValues {
    fn facts(self, n: usize) -> TraceSummary {
        let (mut reads, mut writes) = (bits(n), bits(n));
        self.reads
            .iter()
            .for_each(|number| set(&mut reads, *number));
        self.produced
            .iter()
            .for_each(|number| set(&mut writes, *number));
        TraceSummary {
            reads,
            writes,
            produced: self.produced,
            consumed: self.consumed,
        }
    }
}

/// Checks whether all atomics on common cells are morally strong with each other. If all of them are morally strong, no two atomics read
/// the same write, because each atomic immediately follows the write that it reads in coherence order.
pub(crate) fn rmw_uniqueness(
    question: &LitmusQuery,
    threads: &[Vec<ThreadTrace>],
) -> RmwUniqueness {
    let mut all: Vec<(usize, &TraceEvent)> = Vec::new();
    for (thread, own) in threads.iter().enumerate() {
        for step in own.iter().flat_map(|trace| &trace.steps) {
            let is_known = |(other, known): &(usize, &TraceEvent)| {
                *other == thread
                    && known.words == step.words
                    && known.cells == step.cells
                    && known.proxy == step.proxy
            };
            if step.kind == EventKind::Atomic && !all.iter().any(is_known) {
                all.push((thread, step));
            }
        }
    }
    let home = |thread: usize| {
        question.threads.get(thread).map(|spec| ThreadLocation {
            block: spec.block_index,
            cluster: spec.cluster_index,
        })
    };
    let strong = |(a, first): &(usize, &TraceEvent), (b, second): &(usize, &TraceEvent)| {
        if first.cells.end <= second.cells.start || second.cells.end <= first.cells.start {
            return true;
        }
        let (Some(here), Some(there)) = (home(*a), home(*b)) else {
            return false;
        };
        first.cells == second.cells
            && first.proxy == second.proxy
            && first.words.sem != Sem::Weak
            && second.words.sem != Sem::Weak
            && scopes_mutually_inclusive(
                ScopeInstance::new(first.words.scope, here),
                ScopeInstance::new(second.words.scope, there),
            )
    };
    match all
        .iter()
        .all(|one| all.iter().all(|other| strong(one, other)))
    {
        true => RmwUniqueness::Once,
        false => RmwUniqueness::Open,
    }
}

/// Returns the cell with the most atomics among the cells that only morally strong atomics of several threads modify. In coherence order,
/// the atomics on this cell form a chain in which each atomic immediately follows the write from which it reads.
fn chain_of(question: &LitmusQuery, traces: &ThreadTraces) -> Option<usize> {
    if rmw_uniqueness(question, &traces.threads) == RmwUniqueness::Open {
        return None;
    }
    let n_cells = traces.cells.list.len();
    let mut is_chain = vec![true; n_cells];
    let mut n_atomics = vec![0; n_cells];
    for own in &traces.threads {
        let mut most = vec![0; n_cells];
        for trace in own {
            let mut counted = vec![0; n_cells];
            for step in trace.steps.iter().filter(|step| !step.writes.is_empty()) {
                let is_atomic = step.kind == EventKind::Atomic
                    && step.entry == OrderingRole::Program
                    && step.cells.len() == 1;
                for cell in step.cells.clone() {
                    is_chain[cell] &= is_atomic;
                    counted[cell] += 1;
                }
            }
            most = most
                .into_iter()
                .zip(counted)
                .map(|(a, b)| a.max(b))
                .collect();
        }
        n_atomics = n_atomics
            .into_iter()
            .zip(most)
            .map(|(a, b)| a + b)
            .collect();
    }
    let chains = (0..n_cells).filter(|cell| is_chain[*cell] && n_atomics[*cell] > 1);
    chains.max_by_key(|cell| n_atomics[*cell])
}

/// Trie of the traces of a thread, keyed by the sequence of their atomics on one cell.
#[derive(Default)]
struct RmwChainTrie {
    /// Edges of each node: the read and the written value of the next atomic, and the target node.
    next: Vec<Vec<((u64, u64), usize)>>,
    /// Traces of the thread whose sequence of atomics ends at each node.
    ends: Vec<Rc<[usize]>>,
}

impl RmwChainTrie {
    fn of(traces: &[ThreadTrace], cell: usize) -> RmwChainTrie {
        let mut chain = RmwChainTrie {
            next: vec![Vec::new()],
            ends: Vec::new(),
        };
        let mut ends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, trace) in traces.iter().enumerate() {
            let atomics = trace
                .steps
                .iter()
                .filter(|step| step.kind == EventKind::Atomic && step.cells == (cell..cell + 1));
            let mut at = 0;
            for (read, written) in atomics.flat_map(|step| step.reads.iter().zip(&step.writes)) {
                let new = chain.next.len();
                let known = chain.next[at]
                    .iter()
                    .find(|(of, _)| *of == (*read, *written));
                at = match known {
                    Some((_, to)) => *to,
                    None => {
                        chain.next[at].push(((*read, *written), new));
                        chain.next.push(Vec::new());
                        new
                    }
                };
            }
            ends.entry(at).or_default().push(number);
        }
        let of_node = |node| ends.remove(&node).unwrap_or_default().into();
        chain.ends = (0..chain.next.len()).map(of_node).collect();
        chain
    }
}

/// Enumerates the orders of the atomics on one cell. For each order, returns the traces of each thread whose atomics
/// agree with the order. Returns `None` if the number of orders exceeds `limit`.
fn orders_of(traces: &ThreadTraces, cell: usize, limit: usize) -> Option<Vec<Vec<Rc<[usize]>>>> {
    let chains = traces.threads.iter().map(|own| RmwChainTrie::of(own, cell));
    let chains: Vec<RmwChainTrie> = chains.collect();
    let start = (
        vec![0usize; chains.len()],
        traces.cells.list.get(cell)?.init,
    );
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut found = BTreeSet::new();
    while let Some((at, value)) = open.pop() {
        let nodes = || chains.iter().zip(&at);
        if nodes().all(|(chain, node)| !chain.ends[*node].is_empty()) {
            found.insert(at.clone());
        }
        for (thread, (chain, node)) in nodes().enumerate() {
            for ((read, written), to) in &chain.next[*node] {
                if *read != value {
                    continue;
                }
                let mut next = at.clone();
                next[thread] = *to;
                let next = (next, *written);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    let classes = |at: Vec<usize>| {
        let nodes = chains.iter().zip(at);
        nodes
            .map(|(chain, node)| Rc::clone(&chain.ends[node]))
            .collect()
    };
    Some(found.into_iter().map(classes).collect())
}

fn bits(n: usize) -> BitSet {
    vec![0; n.div_ceil(64)]
}

fn set(bits: &mut BitSet, number: usize) {
    if let Some(word) = bits.get_mut(number / 64) {
        *word |= 1 << (number % 64);
    }
}

fn add(bits: &mut BitSet, more: &BitSet) {
    for (word, more) in bits.iter_mut().zip(more) {
        *word |= more;
    }
}

fn join(to: &mut BitSet, first: &BitSet, second: &BitSet) {
    for ((to, first), second) in to.iter_mut().zip(first).zip(second) {
        *to = first | second;
    }
}
