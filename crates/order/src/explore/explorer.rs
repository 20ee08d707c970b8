//! The search. In: a question; out: its answer. It goes through combinations of traces a few at a time, so that a host can stop it.

use super::answer::{Answer, Forbidden, Outcome, RacePair, Races, Violation, Witness, cells_of};
use super::axioms::{Contradiction, Execution, Sink, hold, is_hopeless};
use super::candidates::{Flow, ReadFrom, Trial, for_each};
use super::graph::{Graph, Stronger, Unfit};
use super::interleavings::Interleavings;
use super::question::{ExploreError, Observed, Question};
use super::relation::{MOST_EVENTS, members};
use super::step::Trace;
use super::traces::{Traces, find};
use std::collections::{BTreeMap, BTreeSet};

/// A search that a host advances.
pub struct Explorer {
    question: Question,
    traces: Traces,
    /// Combinations of traces whose reads all have writes, one trace for each thread.
    combinations: Vec<Vec<usize>>,
    next: usize,
    found: Found,
}

/// What has been found so far.
#[derive(Default)]
struct Found {
    outcomes: BTreeMap<Vec<u64>, Seen>,
    /// Every outcome that values could make.
    rejected: BTreeMap<Vec<u64>, (Violation, Witness)>,
    races: BTreeSet<RacePair>,
    interleavings: BTreeSet<Vec<u64>>,
    candidates: u64,
}

struct Seen {
    raced: bool,
    quiet: bool,
    witness: Witness,
}

impl Explorer {
    /// Runs each thread alone; refuses what is too much.
    pub fn new(question: Question) -> Result<Explorer, ExploreError> {
        let traces = find(&question, &[])?;
        let combinations = combine(&question, &traces)?;
        Ok(Explorer {
            question,
            traces,
            combinations,
            next: 0,
            found: Found::default(),
        })
    }

    /// Combinations of traces, and how many of them are done.
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.combinations.len())
    }

    /// Looks at about this many candidates; true when all are done.
    pub fn advance(&mut self, candidates: u64) -> Result<bool, ExploreError> {
        let until = self.found.candidates.saturating_add(candidates);
        while self.next < self.combinations.len() {
            if self.found.candidates >= until {
                return Ok(false);
            }
            self.one_combination()?;
            self.next += 1;
        }
        Ok(true)
    }

    fn one_combination(&mut self) -> Result<(), ExploreError> {
        let Some(numbers) = self.combinations.get(self.next) else {
            return Ok(());
        };
        let chosen = chosen(&self.traces, numbers);
        let plain = Stronger::default();
        let graph = match Graph::new(&self.question, &self.traces, &chosen, &plain) {
            Ok(graph) => graph,
            Err(Unfit::NeverEnds) => return Ok(()),
            Err(Unfit::TooManyEvents(events)) => {
                let limit = MOST_EVENTS;
                return Err(ExploreError::TooManyTogether { events, limit });
            }
        };
        let Some(choices) = graph.choices(&self.traces.cells) else {
            return Ok(());
        };
        let limit = self.question.limits.candidates;
        let mut hearer = Hearer {
            question: &self.question,
            traces: &self.traces,
            registers: &chosen,
            found: &mut self.found,
        };
        let mut counted = Counted {
            graph: &graph,
            sink: &mut hearer,
            n: 0,
            limit,
        };
        let flow = for_each(choices, &mut counted);
        self.found.candidates += counted.n;
        if flow == Flow::Stop || self.found.candidates > limit {
            return Err(ExploreError::TooManyCandidates { limit });
        }
        let limit = self.question.limits.outcomes;
        if self.found.outcomes.len() > limit {
            return Err(ExploreError::TooManyOutcomes { limit });
        }
        let interleavings = Interleavings::new(&self.question, &self.traces, &chosen);
        self.found.interleavings.extend(interleavings.outcomes());
        Ok(())
    }

    /// The answer, as far as the search has come.
    pub fn answer(self) -> Answer {
        let limits = self.question.limits;
        let mut found = self.found;
        let is_open = found.races.iter().any(|pair| pair.in_part);
        found
            .rejected
            .retain(|values, _| !found.outcomes.contains_key(values));
        let interleavings = found.interleavings;
        let outcome = |(values, seen): (Vec<u64>, Seen)| Outcome {
            races: match (seen.raced, seen.quiet) {
                (true, true) => Races::Sometimes,
                (true, false) => Races::Always,
                (false, _) => Races::Never,
            },
            is_interleaving: interleavings.contains(&values),
            witness: seen.witness,
            values,
        };
        let forbidden = |(values, (violation, witness))| Forbidden {
            values,
            violation,
            witness,
        };
        Answer {
            outcomes: (!is_open).then(|| found.outcomes.into_iter().map(outcome).collect()),
            forbidden: match is_open {
                true => Vec::new(),
                false => found.rejected.into_iter().map(forbidden).collect(),
            },
            races: found.races.into_iter().collect(),
            candidates: found.candidates,
            cut_off_after: self.traces.bounded.then_some(limits.rounds),
        }
    }

    /// Searches to the end.
    pub fn run(mut self) -> Result<Answer, ExploreError> {
        self.advance(u64::MAX)?;
        Ok(self.answer())
    }
}

/// Counts candidates, up to a limit, and hands them to the axioms.
pub(crate) struct Counted<'a, 'g> {
    pub(crate) graph: &'a Graph<'g>,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) n: u64,
    pub(crate) limit: u64,
}

impl Trial for Counted<'_, '_> {
    fn is_hopeless(&mut self, reads: &[ReadFrom]) -> bool {
        self.n += 1;
        is_hopeless(self.graph, reads, self.sink)
    }

    fn try_whole(&mut self, reads: &[ReadFrom]) -> Flow {
        self.n += 1;
        match self.n > self.limit {
            true => Flow::Stop,
            false => hold(self.graph, reads, self.sink),
        }
    }
}

/// The traces of a combination.
pub(crate) fn chosen<'a>(traces: &'a Traces, numbers: &[usize]) -> Vec<&'a Trace> {
    let each = traces.threads.iter().zip(numbers);
    each.filter_map(|(all, number)| all.get(*number)).collect()
}

/// Combinations of traces in which every value that is read is written by some thread, or there at the start.
pub(crate) fn combine(
    question: &Question,
    traces: &Traces,
) -> Result<Vec<Vec<usize>>, ExploreError> {
    let limit = question.limits.combinations;
    // What any trace of each thread, and of those after it, could write.
    let n = traces.threads.len();
    let mut later: Vec<BTreeSet<(usize, u64)>> = vec![BTreeSet::new(); n + 1];
    for thread in (0..n).rev() {
        let mut all = later.get(thread + 1).cloned().unwrap_or_default();
        let own = traces.threads.get(thread).map_or(&[][..], |all| all);
        own.iter().for_each(|trace| all.extend(writes_of(trace)));
        later[thread] = all;
    }
    let start: BTreeSet<(usize, u64)> = traces
        .cells
        .list
        .iter()
        .enumerate()
        .map(|(number, cell)| (number, cell.init))
        .collect();
    let mut search = Search {
        traces,
        later,
        found: Vec::new(),
        limit,
        tried: 0,
    };
    search.extend(&mut Vec::new(), &start);
    match search.found.len() > limit || search.is_given_up() {
        true => Err(ExploreError::TooManyCombinations { limit }),
        false => Ok(search.found),
    }
}

fn writes_of(trace: &Trace) -> impl Iterator<Item = (usize, u64)> {
    let steps = trace.steps.iter();
    steps.flat_map(|step| step.cells.clone().zip(step.writes.iter().copied()))
}

fn reads_of(trace: &Trace) -> impl Iterator<Item = (usize, u64)> {
    let steps = trace.steps.iter();
    steps.flat_map(|step| step.cells.clone().zip(step.reads.iter().copied()))
}

struct Search<'a> {
    traces: &'a Traces,
    later: Vec<BTreeSet<(usize, u64)>>,
    found: Vec<Vec<usize>>,
    limit: usize,
    /// Traces that were tried.
    tried: usize,
}

/// Traces that are tried for each combination that is allowed.
const TRIES: usize = 20;

impl Search<'_> {
    fn extend(&mut self, numbers: &mut Vec<usize>, written: &BTreeSet<(usize, u64)>) {
        let thread = numbers.len();
        let Some(all) = self.traces.threads.get(thread) else {
            self.found.push(numbers.clone());
            return;
        };
        for (number, trace) in all.iter().enumerate() {
            self.tried += 1;
            if self.found.len() > self.limit || self.is_given_up() {
                return;
            }
            let mut written = written.clone();
            written.extend(writes_of(trace));
            numbers.push(number);
            if self.can_be(numbers, &written) {
                self.extend(numbers, &written);
            }
            numbers.pop();
        }
    }

    fn is_given_up(&self) -> bool {
        self.tried > TRIES * self.limit
    }

    /// Whether everything that the traces so far read is written, or may be by threads that follow.
    fn can_be(&self, numbers: &[usize], written: &BTreeSet<(usize, u64)>) -> bool {
        let later = self.later.get(numbers.len());
        let is_there = |read: (usize, u64)| {
            written.contains(&read) || later.is_some_and(|later| later.contains(&read))
        };
        chosen(self.traces, numbers)
            .into_iter()
            .all(|trace| reads_of(trace).all(is_there))
    }
}

/// Takes down what the executions of one combination end with.
struct Hearer<'a> {
    question: &'a Question,
    traces: &'a Traces,
    registers: &'a [&'a Trace],
    found: &'a mut Found,
}

impl Sink for Hearer<'_> {
    fn consistent(&mut self, execution: &Execution<'_, '_>) -> Flow {
        let raced = self.note_races(execution);
        let outcomes = outcomes_of(self.question, self.traces, self.registers, |cell| {
            let writers = execution.graph.cell_writers.get(cell).copied().unwrap_or(0);
            let last = |writer: &usize| execution.coherence.after(*writer) & writers == 0;
            let last = members(writers).filter(last);
            let values = last.filter_map(|w| execution.graph.written(&self.traces.cells, w, cell));
            values.collect()
        });
        for values in outcomes {
            let seen = self.found.outcomes.entry(values).or_insert_with(|| Seen {
                raced: false,
                quiet: false,
                witness: execution.witness(&self.traces.cells, None),
            });
            seen.raced |= raced;
            seen.quiet |= !raced;
        }
        let memory = |observed: &Observed| matches!(observed, Observed::Memory { .. });
        match self.question.observed.iter().any(memory) {
            true => Flow::On,
            false if execution.graph.may_race() => Flow::NextOrder,
            false => Flow::NextReads,
        }
    }

    fn rejected(&mut self, execution: &Execution<'_, '_>, why: Contradiction) {
        let outcomes = outcomes_of(self.question, self.traces, self.registers, |cell| {
            let writers = execution.graph.cell_writers.get(cell).copied().unwrap_or(0);
            let values = members(writers);
            let values =
                values.filter_map(|w| execution.graph.written(&self.traces.cells, w, cell));
            values.collect()
        });
        for values in outcomes {
            if self.found.outcomes.contains_key(&values) {
                continue;
            }
            let known = self.found.rejected.get(&values);
            if known.is_none_or(|(violation, _)| violation.axiom < why.axiom) {
                let cells = &self.traces.cells;
                let entry = (
                    execution.violation(&why),
                    execution.witness(cells, Some(&why)),
                );
                self.found.rejected.insert(values, entry);
            }
        }
    }
}

impl Hearer<'_> {
    fn note_races(&mut self, execution: &Execution<'_, '_>) -> bool {
        let graph = execution.graph;
        let mut raced = false;
        for first in members(graph.writers | graph.readers) {
            for second in members(graph.overlap.after(first)).filter(|second| *second > first) {
                if !execution.races(first, second) {
                    continue;
                }
                raced = true;
                let place = |event: usize| {
                    let event = graph.events.get(event);
                    event.and_then(|e| Some((e.thread, e.step?.instruction)))
                };
                if let (Some(a), Some(b)) = (place(first), place(second)) {
                    self.found.races.insert(RacePair {
                        first: a.min(b),
                        second: a.max(b),
                        in_part: !graph.same_place.has(first, second),
                    });
                }
            }
        }
        raced
    }
}

/// The outcomes of traces, where memory could hold these values at the end, cell by cell.
pub(crate) fn outcomes_of(
    question: &Question,
    traces: &Traces,
    chosen: &[&Trace],
    last: impl Fn(usize) -> BTreeSet<u64>,
) -> Vec<Vec<u64>> {
    let mut registers: Vec<_> = chosen.iter().map(|trace| trace.registers.iter()).collect();
    let mut outcomes = vec![Vec::new()];
    for observed in &question.observed {
        let values: Vec<u64> = match observed {
            Observed::Register { thread, .. } => {
                let next = registers.get_mut(*thread).and_then(Iterator::next);
                vec![next.copied().unwrap_or(0)]
            }
            Observed::Memory { .. } => {
                let cells = cells_of(question, &traces.cells, observed);
                let mut parts = vec![Vec::new()];
                for cell in cells.clone() {
                    let values = last(cell);
                    parts = parts
                        .iter()
                        .flat_map(|start: &Vec<u64>| {
                            values.iter().map(move |v| [&start[..], &[*v]].concat())
                        })
                        .collect();
                }
                let joined = parts.iter().map(|p| traces.cells.join(cells.clone(), p));
                joined.collect()
            }
        };
        outcomes = outcomes
            .iter()
            .flat_map(|start: &Vec<u64>| values.iter().map(move |v| [&start[..], &[*v]].concat()))
            .collect();
    }
    outcomes
}
