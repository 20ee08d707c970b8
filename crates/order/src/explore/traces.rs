//! Enumeration of the traces of all threads. Input: a question. Output: the partition of memory into cells, and for
//! each thread one trace for every combination of values that its reads could return.
//!
//! A read returns the initial value or a value that a trace writes. Additional values produce additional traces, which
//! write additional values, until a fixed point is reached. No value depends on itself, so the number of iterations is
//! at most the number of writes.

use crate::explore::cells::{Cell, Cells};
use crate::explore::combine::{Counts, takes_once};
use crate::explore::exchange::Given;
use crate::explore::origins::{Origins, Writes};
use crate::explore::path::Known;
use crate::explore::path::{Domain, Halt, Path, Walker};
use crate::explore::question::{ExploreError, Observed, Question};
use crate::explore::step::{Entry, NodeKind, Proxy, Trace};
use std::collections::BTreeMap;

/// Maximum number of splits of cells before an error is returned.
const MOST_CUTS: usize = 1024;

/// Traces of all threads.
#[derive(Clone, Debug)]
pub(crate) struct Traces {
    pub(crate) cells: Cells,
    pub(crate) threads: Vec<Vec<Trace>>,
    /// Whether a loop was truncated.
    pub(crate) bounded: bool,
    /// Whether some path executes an instruction, by thread and instruction.
    pub(crate) reached: Vec<Vec<bool>>,
    /// Whether each cell is a counter, as far as the search uses this.
    pub(crate) counters: Vec<bool>,
}

/// Restriction of the enumerated traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// All traces, so that a violated axiom can be named for each forbidden outcome.
    All,
    /// Only traces in which counters increase; a decreasing counter violates coherence. Long chains of atomics have too
    /// many other traces.
    CountingUp,
}

/// Returns for each thread and instruction whether some path of the thread executes the instruction.
pub fn reached(question: &Question) -> Result<Vec<Vec<bool>>, ExploreError> {
    Ok(find(question, &[], Breadth::All)?.reached)
}

/// Initial paths of the threads.
type Starts = BTreeMap<usize, Path>;

/// Result of one fixed-point iteration: the traces that a domain permits.
struct Round {
    threads: Vec<Vec<Trace>>,
    /// Paths that wait for values that no known trace writes, by thread.
    waiting: Vec<Vec<Trace>>,
    bounded: bool,
    reached: Vec<Vec<bool>>,
}

/// Returns the traces; `places` contains for each thread the instructions before which a fence can be inserted.
pub(crate) fn find(
    question: &Question,
    places: &[Vec<bool>],
    breadth: Breadth,
) -> Result<Traces, ExploreError> {
    let (threads, limit) = (question.threads.len(), question.limits.threads);
    if threads > limit {
        return Err(ExploreError::TooManyThreads { threads, limit });
    }
    let mut cells = cells_of_observed(question);
    let mut starts = Starts::new();
    for _ in 0..MOST_CUTS {
        match grow(question, &cells, places, &mut starts, breadth) {
            Ok((round, counters)) => {
                return Ok(Traces {
                    cells,
                    threads: round.threads,
                    bounded: round.bounded,
                    reached: round.reached,
                    counters,
                });
            }
            Err(Halt::Cut(at)) => cells.cut(at),
            Err(Halt::Failed(error)) => return Err(error),
        }
    }
    Err(ExploreError::NoPlace {
        thread: 0,
        instruction: 0,
        why: "the accesses partially overlap in too many combinations: access whole elements only"
            .to_owned(),
    })
}

/// Returns the cells of all locations before any access is known.
pub(crate) fn cells_of_observed(question: &Question) -> Cells {
    let mut cells = Cells::new(&question.locations);
    for observed in &question.observed {
        cut_around(&mut cells, question, observed);
    }
    cells
}

/// Creates a separate cell for an observed element.
fn cut_around(cells: &mut Cells, question: &Question, observed: &Observed) {
    let Observed::Memory { location, element } = observed else {
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
    question: &Question,
    cells: &Cells,
    places: &[Vec<bool>],
    starts: &mut Starts,
    breadth: Breadth,
) -> Result<(Round, Vec<bool>), Halt> {
    let start = |cell: &Cell| BTreeMap::from([(cell.init, Origins::start())]);
    let mut domain: Domain = cells.list.iter().map(start).collect();
    let (mut writes, mut given) = (Writes::default(), Given::default());
    let mut rounds = 0;
    let mut counters = vec![breadth == Breadth::CountingUp; cells.list.len()];
    loop {
        let known = Known {
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
            let n = |trace: &Trace| trace.steps.iter().filter(|s| s.tells_others()).count();
            let waiting = round.waiting.get(thread).into_iter().flatten();
            let traces = || traces.iter().chain(waiting.clone());
            most_writes += traces().map(n).max().unwrap_or(0);
            for trace in traces() {
                changes |= writes.add(thread, trace, &mut domain);
                changes |= given.add(thread, trace);
            }
        }
        changes |= writes.len() != n_writes;
        if breadth == Breadth::CountingUp {
            let counting = counters_of(question, cells, &round);
            let both = counters.iter().zip(&counting).map(|(a, b)| *a && *b);
            let both: Vec<bool> = both.collect();
            if both != counters {
                // The skipped traces of former counters must be enumerated again.
                counters = both;
                rounds = 0;
                continue;
            }
        }
        rounds += 1;
        let after: usize = domain.iter().map(BTreeMap::len).sum();
        // No value depends on itself, so the fixed point is reached after as many iterations as there are writes.
        if !changes && after == before || rounds > most_writes {
            return Ok((round, counters));
        }
    }
}

/// Returns the cells that are counters: all their modifications are morally strong atomics that write more than they
/// read. Coherence order is a chain of such atomics, so it is the order of their values. In every execution, the first
/// atomic that violates this rule reads an increasing value, so it is among the enumerated traces, and its cell is not
/// treated as a counter.
fn counters_of(question: &Question, cells: &Cells, round: &Round) -> Vec<bool> {
    let mut counters = vec![true; cells.list.len()];
    let traces = round.threads.iter().flatten();
    for step in traces.flat_map(|trace| &trace.steps) {
        let counts_up = step.kind == NodeKind::Atomic
            && step.entry == Entry::Program
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
    match takes_once(question, &round.threads) {
        Counts::Once => counters,
        Counts::Open => vec![false; counters.len()],
    }
}

fn walk_all(
    question: &Question,
    known: Known<'_>,
    places: &[Vec<bool>],
    starts: &mut Starts,
) -> Result<Round, Halt> {
    let mut round = Round {
        threads: Vec::new(),
        waiting: Vec::new(),
        bounded: false,
        reached: Vec::new(),
    };
    for index in 0..question.threads.len() {
        let places = places.get(index).map_or(&[][..], |places| places);
        let Some(mut walker) = Walker::new(question, index, known, places) else {
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
        round.bounded |= walker.bounded;
        round.threads.push(found);
        round.waiting.push(walker.waiting);
        round.reached.push(walker.reached);
    }
    Ok(round)
}
