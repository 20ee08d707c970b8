//! Combinations of traces, one for each thread, whose reads all have writes. In: the traces of each thread; out: the combinations, unless
//! there are too many.
//!
//! A cell with a value has a number, so that what a trace reads and writes is a set of bits. Atomics that are morally strong among each other
//! take each write once: no combination has more of them than writes.

use super::question::{ExploreError, Question};
use super::step::{NodeKind, Step, Trace};
use super::traces::Traces;
use crate::scope::{Home, Scoped, mutual};
use std::collections::BTreeMap;
use warpgrid_isa::Sem;

/// Traces that are tried for each combination that is allowed.
const TRIES: usize = 20;

/// A set of numbers.
type Bits = Vec<u64>;

/// What a trace reads and writes, by number.
struct Facts {
    reads: Bits,
    writes: Bits,
    /// Numbers that writes have, and that atomics take, once for each.
    made: Vec<usize>,
    taken: Vec<usize>,
}

/// Combinations of traces in which every value that is read is written by some thread, or there at the start.
pub(crate) fn combine(
    question: &Question,
    traces: &Traces,
) -> Result<Vec<Vec<usize>>, ExploreError> {
    let limit = question.limits.combinations;
    let mut search = Search::new(question, traces);
    search.extend(0);
    match search.found.len() > limit || search.is_given_up() {
        true => Err(ExploreError::TooManyCombinations { limit }),
        false => Ok(search.found),
    }
}

/// The numbers of cells with values.
#[derive(Default)]
struct Numbers {
    by_value: BTreeMap<(usize, u64), usize>,
}

impl Numbers {
    fn of(&mut self, cell: usize, value: u64) -> usize {
        let next = self.by_value.len();
        *self.by_value.entry((cell, value)).or_insert(next)
    }

    /// By number: whether it is of one of these cells.
    fn of_cells(&self, cells: &[bool]) -> Vec<bool> {
        let mut found = vec![false; self.by_value.len()];
        for ((cell, _), number) in &self.by_value {
            found[*number] = cells.get(*cell) == Some(&true);
        }
        found
    }
}

struct Search {
    /// By thread and trace.
    facts: Vec<Vec<Facts>>,
    /// What any trace of each thread, and of those after it, could write; and how often.
    later: Vec<Bits>,
    later_made: Vec<Vec<usize>>,
    /// By depth: what has been read and written so far.
    reads: Vec<Bits>,
    writes: Vec<Bits>,
    made: Vec<usize>,
    taken: Vec<usize>,
    chosen: Vec<usize>,
    found: Vec<Vec<usize>>,
    /// By number: whether one event alone writes the value, and one atomic alone takes it.
    is_once: Vec<bool>,
    limit: usize,
    tried: usize,
}

impl Search {
    fn new(question: &Question, traces: &Traces) -> Search {
        let mut numbers = Numbers::default();
        let start: Vec<usize> = traces
            .cells
            .list
            .iter()
            .enumerate()
            .map(|(cell, found)| numbers.of(cell, found.init))
            .collect();
        let counts = takes_once(question, &traces.threads);
        let listed: Vec<Vec<Listed>> = traces
            .threads
            .iter()
            .map(|all| {
                all.iter()
                    .map(|t| listed(t, counts, &mut numbers))
                    .collect()
            })
            .collect();
        let n = numbers.by_value.len();
        let facts: Vec<Vec<Facts>> = listed
            .into_iter()
            .map(|all| all.into_iter().map(|listed| listed.facts(n)).collect())
            .collect();
        let n_threads = facts.len();
        let mut later = vec![bits(n); n_threads + 1];
        let mut later_made = vec![vec![0; n]; n_threads + 1];
        for thread in (0..n_threads).rev() {
            let mut all = later[thread + 1].clone();
            let mut most = vec![0; n];
            for own in facts.get(thread).into_iter().flatten() {
                add(&mut all, &own.writes);
                let mut counted = vec![0usize; n];
                for number in &own.made {
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
        let mut writes = vec![bits(n); n_threads + 1];
        let mut made = vec![0; n];
        for number in start {
            set(&mut writes[0], number);
            made[number] += 1;
        }
        Search {
            facts,
            later,
            later_made,
            reads: vec![bits(n); n_threads + 1],
            writes,
            made,
            taken: vec![0; n],
            chosen: Vec::new(),
            found: Vec::new(),
            is_once: numbers.of_cells(&traces.counters),
            limit: question.limits.combinations,
            tried: 0,
        }
    }

    fn is_given_up(&self) -> bool {
        self.tried > TRIES * self.limit
    }

    fn extend(&mut self, thread: usize) {
        let n = match self.facts.get(thread) {
            Some(all) => all.len(),
            None => {
                self.found.push(self.chosen.clone());
                return;
            }
        };
        for trace in 0..n {
            self.tried += 1;
            if self.found.len() > self.limit || self.is_given_up() {
                return;
            }
            if self.take(thread, trace) {
                self.chosen.push(trace);
                self.extend(thread + 1);
                self.chosen.pop();
            }
            self.leave(thread, trace);
        }
    }

    /// Adds a trace; false where some read has no write then, whatever the threads after it do.
    fn take(&mut self, thread: usize, trace: usize) -> bool {
        let Some(own) = self.facts.get(thread).and_then(|all| all.get(trace)) else {
            return false;
        };
        own.made.iter().for_each(|number| self.made[*number] += 1);
        own.taken.iter().for_each(|number| self.taken[*number] += 1);
        let once = |number: &usize, n: &[usize]| !self.is_once[*number] || n[*number] < 2;
        if !own.made.iter().all(|number| once(number, &self.made))
            || !own.taken.iter().all(|number| once(number, &self.taken))
        {
            return false;
        }
        let (before, after) = self.reads.split_at_mut(thread + 1);
        join(&mut after[0], &before[thread], &own.reads);
        let (before, after) = self.writes.split_at_mut(thread + 1);
        join(&mut after[0], &before[thread], &own.writes);
        let there = self.writes[thread + 1].iter().zip(&self.later[thread + 1]);
        let mut reads = self.reads[thread + 1].iter().zip(there);
        if reads.any(|(read, (written, later))| read & !(written | later) != 0) {
            return false;
        }
        let counts = self.taken.iter().zip(&self.made);
        let mut counts = counts.zip(&self.later_made[thread + 1]);
        counts.all(|((taken, made), later)| *taken <= made + later)
    }

    fn leave(&mut self, thread: usize, trace: usize) {
        if let Some(own) = self.facts.get(thread).and_then(|all| all.get(trace)) {
            own.made.iter().for_each(|number| self.made[*number] -= 1);
            own.taken.iter().for_each(|number| self.taken[*number] -= 1);
        }
    }
}

/// The numbers of a trace.
struct Listed {
    reads: Vec<usize>,
    made: Vec<usize>,
    taken: Vec<usize>,
}

/// Whether atomics take each write once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    Once,
    Open,
}

fn listed(trace: &Trace, counts: Counts, numbers: &mut Numbers) -> Listed {
    let mut found = Listed {
        reads: Vec::new(),
        made: Vec::new(),
        taken: Vec::new(),
    };
    for step in &trace.steps {
        for (cell, value) in step.cells.clone().zip(&step.reads) {
            let number = numbers.of(cell, *value);
            found.reads.push(number);
            if step.kind == NodeKind::Atomic && counts == Counts::Once {
                found.taken.push(number);
            }
        }
        for (cell, value) in step.cells.clone().zip(&step.writes) {
            found.made.push(numbers.of(cell, *value));
        }
    }
    found
}

impl Listed {
    fn facts(self, n: usize) -> Facts {
        let (mut reads, mut writes) = (bits(n), bits(n));
        self.reads
            .iter()
            .for_each(|number| set(&mut reads, *number));
        self.made
            .iter()
            .for_each(|number| set(&mut writes, *number));
        Facts {
            reads,
            writes,
            made: self.made,
            taken: self.taken,
        }
    }
}

/// Whether all atomics are morally strong where they meet. Then two of them never read one write: each comes right after what it reads.
pub(crate) fn takes_once(question: &Question, threads: &[Vec<Trace>]) -> Counts {
    let mut all: Vec<(usize, &Step)> = Vec::new();
    for (thread, own) in threads.iter().enumerate() {
        for step in own.iter().flat_map(|trace| &trace.steps) {
            let is_known = |(other, known): &(usize, &Step)| {
                *other == thread
                    && known.words == step.words
                    && known.cells == step.cells
                    && known.proxy == step.proxy
            };
            if step.kind == NodeKind::Atomic && !all.iter().any(is_known) {
                all.push((thread, step));
            }
        }
    }
    let home = |thread: usize| {
        question.threads.get(thread).map(|spec| Home {
            block: spec.block_index,
            cluster: spec.cluster_index,
        })
    };
    let strong = |(a, first): &(usize, &Step), (b, second): &(usize, &Step)| {
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
            && mutual(
                Scoped::new(first.words.scope, here),
                Scoped::new(second.words.scope, there),
            )
    };
    match all
        .iter()
        .all(|one| all.iter().all(|other| strong(one, other)))
    {
        true => Counts::Once,
        false => Counts::Open,
    }
}

fn bits(n: usize) -> Bits {
    vec![0; n.div_ceil(64)]
}

fn set(bits: &mut Bits, number: usize) {
    if let Some(word) = bits.get_mut(number / 64) {
        *word |= 1 << (number % 64);
    }
}

fn add(bits: &mut Bits, more: &Bits) {
    for (word, more) in bits.iter_mut().zip(more) {
        *word |= more;
    }
}

fn join(to: &mut Bits, first: &Bits, second: &Bits) {
    for ((to, first), second) in to.iter_mut().zip(first).zip(second) {
        *to = first | second;
    }
}
