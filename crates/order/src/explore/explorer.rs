//! Search for all outcomes of a litmus test. Input: a question. Output: its answer. The search processes combinations
//! of traces in increments, so that the host can interrupt it.

use crate::explore::answer::{
    Answer, Axiom, Forbidden, Outcome, RacePair, Races, Violation, Witness, cells_of,
};
use crate::explore::axioms::{Contradiction, Execution, Sink, hold, is_hopeless};
use crate::explore::candidates::{Flow, Place, ReadFrom, Trial, for_each};
use crate::explore::combine::combine;
use crate::explore::graph::{Graph, Stronger, Unfit};
use crate::explore::interleavings::interleaved;
use crate::explore::one_place;
use crate::explore::one_place::{OnePlace, TakenFrom};
use crate::explore::question::{ExploreError, Observed, Question};
use crate::explore::relation::{MOST_EVENTS, members};
use crate::explore::step::Trace;
use crate::explore::traces::{Breadth, Traces, find};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use warpgrid_isa::MemoryOp;
use warpgrid_program::Instruction;

/// Resumable search.
pub struct Explorer {
    question: Question,
    traces: Traces,
    /// Combinations of one trace per thread in which every read has a write.
    combinations: Vec<Vec<usize>>,
    /// Sources of the reads of each combination, if they are known.
    taken: Vec<TakenFrom>,
    next: usize,
    /// Resume position within the next combination.
    place: Place,
    found: Found,
}

/// Maximum number of forbidden outcomes that the search stores, and that the answer lists.
const MOST_REJECTED: usize = 4096;
const MOST_FORBIDDEN: usize = 512;

/// Number of atomics of all threads from which on decreasing counters are skipped.
const LONG_CHAIN: usize = 8;

/// Results so far.
#[derive(Default)]
struct Found {
    outcomes: BTreeMap<Vec<u64>, Seen>,
    /// Forbidden outcomes with the last axiom, in axiom order, that rejects one of their candidates.
    rejected: BTreeMap<Vec<u64>, Rc<Rejected>>,
    races: BTreeSet<RacePair>,
    interleavings: BTreeSet<Vec<u64>>,
    candidates: u64,
}

struct Seen {
    raced: bool,
    quiet: bool,
    witness: Rc<Witness>,
}

/// Candidate execution that violates an axiom.
struct Rejected {
    violation: Violation,
    witness: Witness,
}

impl Explorer {
    /// Enumerates the traces of each thread. Returns an error if a limit is exceeded.
    pub fn new(question: Question) -> Result<Explorer, ExploreError> {
        let of = |breadth: Breadth| {
            let traces = find(&question, &[], breadth)?;
            let combinations = combine(&question, &traces)?;
            Ok((traces, combinations))
        };
        // A long chain of atomics has too many combinations, so the single-location search is tried first.
        if n_atomics(&question) >= LONG_CHAIN
            && let Some(place) = one_place::find(&question)?
        {
            return Ok(Explorer::of_one_place(question, place));
        }
        let first = match n_atomics(&question) < LONG_CHAIN {
            true => of(Breadth::All),
            false => of(Breadth::CountingUp),
        };
        let (traces, combinations) = match first {
            Err(ExploreError::TooManyWays { .. } | ExploreError::TooManyCombinations { .. }) => {
                of(Breadth::CountingUp)?
            }
            found => found?,
        };
        let found = Found {
            interleavings: interleaved(&question, &traces, &combinations)?,
            ..Found::default()
        };
        Ok(Explorer {
            question,
            traces,
            combinations,
            taken: Vec::new(),
            next: 0,
            place: Place::new(),
            found,
        })
    }

    fn of_one_place(question: Question, place: OnePlace) -> Explorer {
        Explorer {
            question,
            traces: place.traces,
            combinations: place.combinations,
            taken: place.taken,
            next: 0,
            place: Place::new(),
            found: Found {
                interleavings: place.outcomes,
                ..Found::default()
            },
        }
    }

    /// Returns the number of processed combinations and their total number.
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.combinations.len())
    }

    /// Examines about this many candidates. Returns whether the search is complete.
    pub fn advance(&mut self, candidates: u64) -> Result<bool, ExploreError> {
        let until = self.found.candidates.saturating_add(candidates);
        while self.next < self.combinations.len() {
            if self.found.candidates >= until {
                return Ok(false);
            }
            if !self.one_combination(until)? {
                return Ok(false);
            }
            self.place.clear();
            self.next += 1;
        }
        Ok(true)
    }

    /// Processes a combination until the budget of candidates is used. Returns whether the combination is complete.
    fn one_combination(&mut self, until: u64) -> Result<bool, ExploreError> {
        let Some(numbers) = self.combinations.get(self.next) else {
            return Ok(true);
        };
        let chosen = chosen(&self.traces, numbers);
        let plain = Stronger::default();
        let graph = match Graph::new(&self.question, &self.traces, &chosen, &plain) {
            Ok(graph) => graph,
            Err(Unfit::NeverEnds) => return Ok(true),
            Err(Unfit::TooManyEvents(events)) => {
                let limit = MOST_EVENTS;
                return Err(ExploreError::TooManyTogether { events, limit });
            }
        };
        let n_before = self.found.candidates;
        let memory = |observed: &Observed| matches!(observed, Observed::Memory { .. });
        let mut hearer = Hearer {
            question: &self.question,
            traces: &self.traces,
            registers: &chosen,
            // If the sources of the reads are known, the execution has a single outcome.
            observes_memory: self.taken.is_empty() && self.question.observed.iter().any(memory),
            may_race: graph.may_race(),
            worst: None,
            found: &mut self.found,
        };
        if let Some(taken) = self.taken.get(self.next) {
            if let Some(reads) = graph.reads_of(taken) {
                hold(&graph, &reads, &mut hearer);
            }
            self.found.candidates += 1;
            return Ok(true);
        }
        let Some(choices) = graph.choices(&self.traces.cells) else {
            return Ok(true);
        };
        let limit = self.question.limits.candidates;
        let mut counted = Counted {
            graph: &graph,
            sink: &mut hearer,
            n: 0,
            limit,
            pause: until.saturating_sub(n_before),
            has_tried: false,
        };
        let (flow, place) = for_each(choices, &mut counted, &self.place);
        let is_too_much = counted.n > limit;
        self.found.candidates += counted.n;
        if is_too_much || self.found.candidates > limit {
            return Err(ExploreError::TooManyCandidates { limit });
        }
        let limit = self.question.limits.outcomes;
        if self.found.outcomes.len() > limit {
            return Err(ExploreError::TooManyOutcomes { limit });
        }
        self.place = place;
        Ok(flow != Flow::Pause)
    }

    /// Returns the results so far.
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
            witness: Rc::unwrap_or_clone(seen.witness),
            values,
        };
        let forbidden = |(values, rejected): (Vec<u64>, Rc<Rejected>)| Forbidden {
            values,
            violation: rejected.violation.clone(),
            witness: rejected.witness.clone(),
        };
        let n_more = found.rejected.len().saturating_sub(MOST_FORBIDDEN);
        Answer {
            outcomes: (!is_open).then(|| found.outcomes.into_iter().map(outcome).collect()),
            forbidden: match is_open {
                true => Vec::new(),
                false => {
                    let rejected = found.rejected.into_iter();
                    rejected.take(MOST_FORBIDDEN).map(forbidden).collect()
                }
            },
            more_forbidden: if is_open { 0 } else { n_more },
            races: found.races.into_iter().collect(),
            candidates: found.candidates,
            cut_off_after: self.traces.bounded.then_some(limits.rounds),
        }
    }

    /// Completes the search.
    pub fn run(mut self) -> Result<Answer, ExploreError> {
        self.advance(u64::MAX)?;
        Ok(self.answer())
    }
}

/// Visitor that counts the candidates up to a limit, and checks the axioms.
pub(crate) struct Counted<'a, 'g> {
    pub(crate) graph: &'a Graph<'g>,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) n: u64,
    pub(crate) limit: u64,
    /// Number of candidates after which the search pauses, but not before one complete candidate.
    pub(crate) pause: u64,
    pub(crate) has_tried: bool,
}

impl Trial for Counted<'_, '_> {
    fn is_hopeless(&mut self, reads: &[ReadFrom]) -> bool {
        self.n += 1;
        is_hopeless(self.graph, reads, self.sink)
    }

    fn try_whole(&mut self, reads: &[ReadFrom]) -> Flow {
        if self.has_tried && self.n >= self.pause {
            return Flow::Pause;
        }
        self.has_tried = true;
        self.n += 1;
        match self.n > self.limit {
            true => Flow::Stop,
            false => hold(self.graph, reads, self.sink),
        }
    }
}

/// Returns the number of atomic instructions of all threads.
fn n_atomics(question: &Question) -> usize {
    let threads = question.threads.iter();
    let functions = threads.filter_map(|t| question.program.functions.get(t.function.0 as usize));
    let instructions = functions.flat_map(|function| &function.instructions);
    let is_atomic = |instruction: &&Instruction| {
        let action = question.program.action(instruction);
        let op = action.and_then(|action| action.does.memory());
        matches!(op, Some(MemoryOp::Atomic | MemoryOp::Reduction))
    };
    instructions.filter(is_atomic).count()
}

/// Returns the traces of a combination.
pub(crate) fn chosen<'a>(traces: &'a Traces, numbers: &[usize]) -> Vec<&'a Trace> {
    let each = traces.threads.iter().zip(numbers);
    each.filter_map(|(all, number)| all.get(*number)).collect()
}

/// Collects the outcomes of the executions of one combination.
struct Hearer<'a> {
    question: &'a Question,
    traces: &'a Traces,
    registers: &'a [&'a Trace],
    observes_memory: bool,
    may_race: bool,
    /// Last axiom, in axiom order, that a candidate of this combination violates. All candidates of a combination have
    /// the same possible outcomes.
    worst: Option<Axiom>,
    found: &'a mut Found,
}

impl Sink for Hearer<'_> {
    fn consistent(&mut self, execution: &Execution<'_, '_>) -> Flow {
        let raced = self.may_race && self.note_races(execution);
        let outcomes = outcomes_of(self.question, self.traces, self.registers, |cell| {
            let writers = execution.graph.cell_writers.get(cell).copied().unwrap_or(0);
            let last = |writer: &usize| execution.coherence.after(*writer) & writers == 0;
            let last = members(writers).filter(last);
            let values = last.filter_map(|w| execution.graph.written(&self.traces.cells, w, cell));
            values.collect()
        });
        let mut witness = None;
        let mut is_settled = true;
        for values in outcomes {
            let seen =
                self.found.outcomes.entry(values).or_insert_with(|| Seen {
                    raced: false,
                    quiet: false,
                    witness: Rc::clone(witness.get_or_insert_with(|| {
                        Rc::new(execution.witness(&self.traces.cells, None))
                    })),
                });
            seen.raced |= raced;
            seen.quiet |= !raced;
            is_settled &= seen.raced && seen.quiet;
        }
        match (self.observes_memory, self.may_race) {
            (true, _) => Flow::On,
            // The combination has only one outcome, which has been found.
            (false, false) => Flow::Stop,
            (false, true) if is_settled && self.knows_races(execution) => Flow::Stop,
            (false, true) => Flow::NextOrder,
        }
    }

    fn rejected(&mut self, execution: &Execution<'_, '_>, why: Contradiction) {
        if self.worst.is_some_and(|worst| worst >= why.axiom) {
            return;
        }
        self.worst = Some(why.axiom);
        let outcomes = outcomes_of(self.question, self.traces, self.registers, |cell| {
            let writers = execution.graph.cell_writers.get(cell).copied().unwrap_or(0);
            let values = members(writers);
            let values =
                values.filter_map(|w| execution.graph.written(&self.traces.cells, w, cell));
            values.collect()
        });
        let mut new = None;
        for values in outcomes {
            if self.found.outcomes.contains_key(&values) {
                continue;
            }
            let is_full = self.found.rejected.len() >= MOST_REJECTED;
            let is_news = match self.found.rejected.get(&values) {
                Some(known) => known.violation.axiom < why.axiom,
                None => !is_full,
            };
            if is_news {
                let entry = new.get_or_insert_with(|| {
                    Rc::new(Rejected {
                        violation: execution.violation(&why),
                        witness: execution.witness(&self.traces.cells, Some(&why)),
                    })
                });
                self.found.rejected.insert(values, Rc::clone(entry));
            }
        }
    }
}

impl Hearer<'_> {
    fn note_races(&mut self, execution: &Execution<'_, '_>) -> bool {
        let graph = execution.graph;
        let mut raced = false;
        for (first, second) in graph.conflicts() {
            if execution.races(first, second) {
                raced = true;
                self.found.races.extend(race_of(graph, first, second));
            }
        }
        raced
    }

    /// Checks whether all pairs that may race are already recorded.
    fn knows_races(&self, execution: &Execution<'_, '_>) -> bool {
        let graph = execution.graph;
        let mut pairs = graph.conflicts();
        pairs.all(|(first, second)| {
            race_of(graph, first, second).is_none_or(|pair| self.found.races.contains(&pair))
        })
    }
}

/// Returns a racing pair of events as instructions.
fn race_of(graph: &Graph<'_>, first: usize, second: usize) -> Option<RacePair> {
    let place = |event: usize| {
        let event = graph.events.get(event)?;
        Some((event.thread, event.step?.instruction))
    };
    let (a, b) = (place(first)?, place(second)?);
    Some(RacePair {
        first: a.min(b),
        second: a.max(b),
        in_part: !graph.same_place.has(first, second),
    })
}

/// Returns the outcomes of traces; `last` returns the possible final values of a cell.
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
