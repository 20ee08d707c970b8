//! All ways through each thread. In: a question; out: the cells that its accesses take whole, and for each thread a trace for every
//! combination of values that its reads could return.
//!
//! A value that a read could return is the initial one or one that some trace writes. More values make more traces, and those write more
//! values, until there is nothing new. No value comes from itself, so as many rounds as there are writes are enough.

use super::cells::{Cell, Cells};
use super::origins::{Origins, Writes};
use super::path::{Domain, Halt, Path, Walker};
use super::question::{ExploreError, Observed, Question};
use super::step::Trace;
use crate::explore::path::Known;
use std::collections::BTreeMap;

/// Cuts of cells before a question is given up.
const MOST_CUTS: usize = 1024;

/// The ways through all threads.
#[derive(Clone, Debug)]
pub(crate) struct Traces {
    pub(crate) cells: Cells,
    pub(crate) threads: Vec<Vec<Trace>>,
    /// Whether some loop was cut off after its last round.
    pub(crate) bounded: bool,
    /// By thread and instruction: whether some way executes it.
    pub(crate) reached: Vec<Vec<bool>>,
}

/// For each thread and instruction of its kernel: whether the thread executes it in some way through it.
pub fn reached(question: &Question) -> Result<Vec<Vec<bool>>, ExploreError> {
    Ok(find(question, &[])?.reached)
}

/// The threads before their first instructions.
type Starts = BTreeMap<usize, Path>;

/// One round: the traces that a domain allows.
struct Round {
    threads: Vec<Vec<Trace>>,
    bounded: bool,
    reached: Vec<Vec<bool>>,
}

/// Finds the traces; `places` says for each thread before which instructions a fence may be put.
pub(crate) fn find(question: &Question, places: &[Vec<bool>]) -> Result<Traces, ExploreError> {
    let (threads, limit) = (question.threads.len(), question.limits.threads);
    if threads > limit {
        return Err(ExploreError::TooManyThreads { threads, limit });
    }
    let mut cells = Cells::new(&question.locations);
    for observed in &question.observed {
        cut_around(&mut cells, question, observed);
    }
    let mut starts = Starts::new();
    for _ in 0..MOST_CUTS {
        match grow(question, &cells, places, &mut starts) {
            Ok(round) => {
                return Ok(Traces {
                    cells,
                    threads: round.threads,
                    bounded: round.bounded,
                    reached: round.reached,
                });
            }
            Err(Halt::Cut(at)) => cells.cut(at),
            Err(Halt::Failed(error)) => return Err(error),
        }
    }
    Err(ExploreError::NoPlace {
        thread: 0,
        instruction: 0,
        why: "the accesses cut the locations into too many parts: let them take whole elements"
            .to_owned(),
    })
}

/// What is observed is looked at alone.
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
) -> Result<Round, Halt> {
    let start = |cell: &Cell| BTreeMap::from([(cell.init, Origins::start())]);
    let mut domain: Domain = cells.list.iter().map(start).collect();
    let mut writes = Writes::default();
    let mut rounds = 0;
    loop {
        let known = Known {
            cells,
            domain: &domain,
            writes: &writes,
        };
        let round = walk_all(question, known, places, starts)?;
        let before: usize = domain.iter().map(BTreeMap::len).sum();
        let mut most_writes = 0;
        let mut changes = false;
        for (thread, traces) in round.threads.iter().enumerate() {
            let n = |trace: &Trace| trace.steps.iter().filter(|s| !s.writes.is_empty()).count();
            most_writes += traces.iter().map(n).max().unwrap_or(0);
            for trace in traces {
                changes |= writes.add(thread, trace, &mut domain);
            }
        }
        rounds += 1;
        let after: usize = domain.iter().map(BTreeMap::len).sum();
        // Values that do not come from themselves are all there after as many rounds as there are writes.
        if !changes && after == before || rounds > most_writes {
            return Ok(round);
        }
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
        round.reached.push(walker.reached);
    }
    Ok(round)
}
