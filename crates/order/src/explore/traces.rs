//! Enumeration of the traces of all threads of a litmus test. The result consists of the partition of memory into
//! cells, and of one trace per thread for every combination of values that the reads of the thread could return.
//!
//! A read returns the initial value or a value that a trace writes. Additional values produce additional traces, which
//! may write additional values, so the enumeration iterates until it reaches a fixed point. A value cannot depend on
//! itself, so the number of iterations is at most the number of writes.

use crate::explore::event::{EventKind, OrderingRole, Proxy, ThreadTrace};
use crate::explore::lane_exchange::PublishedValues;
use crate::explore::memory_cells::{CellPartition, MemoryCell};
use crate::explore::query::{ExploreError, LitmusQuery, ObservedValue};
use crate::explore::thread_path::ExplorationState;
use crate::explore::thread_path::{PathExit, PathExplorer, ThreadPath, ValueDomain};
use crate::explore::trace_combinations::{RmwUniqueness, rmw_uniqueness};
use crate::explore::value_origins::{ValueOrigins, WriteNumbering};
use std::collections::BTreeMap;

/// Maximum number of splits of cells. The enumeration returns an error if it requires more splits.
const MAX_CUTS: usize = 1024;

/// Traces of all threads of a litmus test.
#[derive(Clone, Debug)]
pub(crate) struct ThreadTraces {
    pub(crate) cells: CellPartition,
    pub(crate) threads: Vec<Vec<ThreadTrace>>,
    /// Whether a loop was truncated at the iteration limit.
    pub(crate) hit_loop_bound: bool,
    /// For each thread, whether some path of the thread executes each instruction.
    pub(crate) reached: Vec<Vec<bool>>,
    /// Whether the search treats each cell as a counter and skips traces in which the counter decreases.
    pub(crate) counters: Vec<bool>,
}

/// Set of traces that the enumeration returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceScope {
    /// All traces, so that the search finds a violated axiom for each forbidden outcome.
    All,
    /// Only traces in which counters increase. A decreasing counter violates coherence, so traces with a decreasing counter have no
    /// consistent execution. For long chains of atomics, the number of these traces would be too large.
    MonotonicCounters,
}

/// Returns, for each thread, whether some path of the thread executes each instruction.
pub fn reached(question: &LitmusQuery) -> Result<Vec<Vec<bool>>, ExploreError> {
    Ok(find(question, &[], TraceScope::All)?.reached)
}

/// Initial paths of the threads.
type InitialPaths = BTreeMap<usize, ThreadPath>;

/// Result of one fixed-point iteration: the traces that are possible with the current value domain.
struct Iteration {
    threads: Vec<Vec<ThreadTrace>>,
    /// Paths of each thread that wait for values that no known trace writes.
    waiting: Vec<Vec<ThreadTrace>>,
    hit_loop_bound: bool,
    reached: Vec<Vec<bool>>,
}

/// Returns the traces of all threads. `places` specifies the instructions of each thread before which a fence can be
/// inserted.
pub(crate) fn find(
    question: &LitmusQuery,
    places: &[Vec<bool>],
    breadth: TraceScope,
) -> Result<ThreadTraces, ExploreError> {
    let (threads, limit) = (question.threads.len(), question.limits.threads);
    if threads > limit {
        return Err(ExploreError::TooManyThreads { threads, limit });
    }
    let mut cells = cells_of_observed(question);
    let mut starts = InitialPaths::new();
    for _ in 0..MAX_CUTS {
        match grow(question, &cells, places, &mut starts, breadth) {
            Ok((round, counters)) => {
                return Ok(ThreadTraces {
                    cells,
                    threads: round.threads,
                    hit_loop_bound: round.hit_loop_bound,
                    reached: round.reached,
                    counters,
                });
            }
            Err(PathExit::Cut(at)) => cells.cut(at),
            Err(PathExit::Failed(error)) => return Err(error),
        }
    }
    Err(ExploreError::Unsupported {
        thread: 0,
        instruction: 0,
        why: "the accesses partially overlap in too many combinations: access whole elements only"
            .to_owned(),
    })
}

/// Returns the initial cells of all locations, without splits for accesses.
pub(crate) fn cells_of_observed(question: &LitmusQuery) -> CellPartition {
    let mut cells = CellPartition::new(&question.locations);
    for observed in &question.observed {
        cut_around(&mut cells, question, observed);
    }
    cells
}

/// Creates a separate cell for an observed element.
fn cut_around(cells: &mut CellPartition, question: &LitmusQuery, observed: &ObservedValue) {
    let ObservedValue::Memory { location, element } = observed else {
        return;
    };
    if let Some(location) = question.locations.get(*location) {
        let size = u64::from(location.element_bytes);
        let start = location.start + size * *element as u64;
        cells.cut(start);
        cells.cut(start + size);
    }
}

fn grow(
    question: &LitmusQuery,
    cells: &CellPartition,
    places: &[Vec<bool>],
    starts: &mut InitialPaths,
    breadth: TraceScope,
) -> Result<(Iteration, Vec<bool>), PathExit> {
    let start = |cell: &MemoryCell| BTreeMap::from([(cell.init, ValueOrigins::start())]);
    let mut domain: ValueDomain = cells.list.iter().map(start).collect();
    let (mut writes, mut given) = (WriteNumbering::default(), PublishedValues::default());
    let mut rounds = 0;
    let mut counters = vec![breadth == TraceScope::MonotonicCounters; cells.list.len()];
    loop {
        let known = ExplorationState {
            cells,
            domain: &domain,
            writes: &writes,
            given: &given,
            counters: &counters,
        };
        let round = walk_all(question, known, places, starts)?;
        let before: usize = domain.iter().map(BTreeMap::len).sum();
        let mut most_writes = 0;
        let n_writes = writes.len();
        let mut changes = false;
        for (thread, traces) in round.threads.iter().enumerate() {
            let n = |trace: &ThreadTrace| {
                trace
                    .steps
                    .iter()
                    .filter(|s| s.is_visible_to_others())
                    .count()
            };
            let waiting = round.waiting.get(thread).into_iter().flatten();
            let traces = || traces.iter().chain(waiting.clone());
            most_writes += traces().map(n).max().unwrap_or(0);
            for trace in traces() {
                changes |= writes.add(thread, trace, &mut domain);
                changes |= given.add(thread, trace);
            }
        }
        changes |= writes.len() != n_writes;
        if breadth == TraceScope::MonotonicCounters {
            let counting = counters_of(question, cells, &round);
            let both = counters.iter().zip(&counting).map(|(a, b)| *a && *b);
            let both: Vec<bool> = both.collect();
            if both != counters {
                // Restart the iteration if a cell is no longer a counter, because the traces that were skipped for this cell must be
                // enumerated.
                counters = both;
                rounds = 0;
                continue;
            }
        }
        rounds += 1;
        let after: usize = domain.iter().map(BTreeMap::len).sum();
        // A value cannot depend on itself, so the iteration reaches the fixed point after at most as many iterations as
        // the number of writes.
        if !changes && after == before || rounds > most_writes {
            return Ok((round, counters));
        }
    }
}

/// Returns the cells that are counters: all their modifications are morally strong atomics that increase the value. Coherence order of a
/// counter is a chain of such atomics, so the written values increase along coherence order. If some atomic does not increase the cell, the
/// first such atomic in an execution reads a value that only increasing atomics have written. Therefore, the enumerated traces contain this
/// atomic, and the cell is not treated as a counter.
fn counters_of(question: &LitmusQuery, cells: &CellPartition, round: &Iteration) -> Vec<bool> {
    let mut counters = vec![true; cells.list.len()];
    let traces = round.threads.iter().flatten();
    for step in traces.flat_map(|trace| &trace.steps) {
        let counts_up = step.kind == EventKind::Atomic
            && step.entry == OrderingRole::Program
            && step.proxy == Proxy::Generic
            && step.cells.len() == 1
            && step.writes > step.reads;
        if !step.writes.is_empty() && !counts_up {
            for cell in step.cells.clone() {
                if let Some(counter) = counters.get_mut(cell) {
                    *counter = false;
                }
            }
        }
    }
    match rmw_uniqueness(question, &round.threads) {
        RmwUniqueness::Once => counters,
        RmwUniqueness::Open => vec![false; counters.len()],
    }
}

fn walk_all(
    question: &LitmusQuery,
    known: ExplorationState<'_>,
    places: &[Vec<bool>],
    starts: &mut InitialPaths,
) -> Result<Iteration, PathExit> {
    let mut round = Iteration {
        threads: Vec::new(),
        waiting: Vec::new(),
        hit_loop_bound: false,
        reached: Vec::new(),
    };
    for index in 0..question.threads.len() {
        let places = places.get(index).map_or(&[][..], |places| places);
        let Some(mut walker) = PathExplorer::new(question, index, known, places) else {
            continue;
        };
        let start = match starts.get(&index) {
            Some(start) => start.clone(),
            None => {
                let start = walker.start()?;
                starts.insert(index, start.clone());
                start
            }
        };
        let found = walker.walk(start)?;
        round.hit_loop_bound |= walker.bounded;
        round.threads.push(found);
        round.waiting.push(walker.waiting);
        round.reached.push(walker.reached);
    }
    Ok(round)
}
