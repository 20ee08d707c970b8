//! Search for all outcomes of a litmus test. The search processes the combinations of traces incrementally, so that the
//! host can interrupt the search.

use crate::explore::axioms::{
    CandidateExecution, ExecutionVisitor, ViolationEvidence, check_axioms, is_inconsistent_prefix,
};
use crate::explore::event::ThreadTrace;
use crate::explore::event_graph::{EventGraph, InvalidCombination, StrengthenedOrders};
use crate::explore::interleavings::interleaved;
use crate::explore::query::{ExploreError, LitmusQuery, ObservedValue};
use crate::explore::reads_from_candidates::{
    CandidateVisitor, ReadsFrom, SearchControl, SearchPosition, for_each,
};
use crate::explore::relation::{MAX_EVENTS, members};
use crate::explore::results::{
    Axiom, AxiomViolation, ExplorationResult, ForbiddenOutcome, Outcome, RaceFrequency, RacePair,
    Witness, cells_of,
};
use crate::explore::single_location;
use crate::explore::single_location::{ReadSources, SingleLocationResult};
use crate::explore::trace_combinations::combine;
use crate::explore::traces::{ThreadTraces, TraceScope, find};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use warpgrid_isa::MemoryOp;
use warpgrid_program::Instruction;

/// Resumable search for all outcomes of a litmus test.
pub struct Explorer {
    question: LitmusQuery,
    traces: ThreadTraces,
    /// Combinations of one trace per thread in which every read value is written by some event.
    combinations: Vec<Vec<usize>>,
    /// Write from which each read takes its value, for each combination. The list is empty unless the single-location search has determined
    /// these writes.
    taken: Vec<ReadSources>,
    next: usize,
    /// Position in the next combination at which the search resumes.
    place: SearchPosition,
    found: SearchState,
}

/// Maximum number of forbidden outcomes that the search stores, and that the answer lists.
const MAX_REJECTED: usize = 4096;
const MAX_FORBIDDEN: usize = 512;

/// Minimum number of atomic instructions in all threads from which on the search skips traces in which a counter decreases.
const MONOTONIC_COUNTER_THRESHOLD: usize = 8;

/// Outcomes, rejected candidates and races that the search has found so far.
#[derive(Default)]
struct SearchState {
    outcomes: BTreeMap<Vec<u64>, OutcomeRecord>,
    /// Forbidden outcomes, each with a rejected candidate execution. Among the candidates of an outcome, the search
    /// stores the candidate whose violated axiom is last in axiom order.
    rejected: BTreeMap<Vec<u64>, Rc<RejectedCandidate>>,
    races: BTreeSet<RacePair>,
    interleavings: BTreeSet<Vec<u64>>,
    candidates: u64,
}

struct OutcomeRecord {
    raced: bool,
    race_free: bool,
    witness: Rc<Witness>,
}

/// Candidate execution that violates an axiom.
struct RejectedCandidate {
    violation: AxiomViolation,
    witness: Witness,
}

impl Explorer {
    /// Enumerates the traces of each thread. Returns an error if a limit is exceeded.
    pub fn new(question: LitmusQuery) -> Result<Explorer, ExploreError> {
        let of = |breadth: TraceScope| {
            let traces = find(&question, &[], breadth)?;
            let combinations = combine(&question, &traces)?;
            Ok((traces, combinations))
        };
        // Try the single-location search first, because a long chain of atomics has too many combinations of traces.
        if n_atomics(&question) >= MONOTONIC_COUNTER_THRESHOLD
            && let Some(place) = single_location::find(&question)?
        {
            return Ok(Explorer::of_one_place(question, place));
        }
        let first = match n_atomics(&question) < MONOTONIC_COUNTER_THRESHOLD {
            true => of(TraceScope::All),
            false => of(TraceScope::MonotonicCounters),
        };
        let (traces, combinations) = match first {
            Err(ExploreError::TooManyWays { .. } | ExploreError::TooManyCombinations { .. }) => {
                of(TraceScope::MonotonicCounters)?
            }
            found => found?,
        };
        let found = SearchState {
            interleavings: interleaved(&question, &traces, &combinations)?,
            ..SearchState::default()
        };
        Ok(Explorer {
            question,
            traces,
            combinations,
            taken: Vec::new(),
            next: 0,
            place: SearchPosition::new(),
            found,
        })
    }

    fn of_one_place(question: LitmusQuery, place: SingleLocationResult) -> Explorer {
        Explorer {
            question,
            traces: place.traces,
            combinations: place.combinations,
            taken: place.taken,
            next: 0,
            place: SearchPosition::new(),
            found: SearchState {
                interleavings: place.outcomes,
                ..SearchState::default()
            },
        }
    }

    /// Returns the number of processed combinations and their total number.
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.combinations.len())
    }

    /// Examines approximately `candidates` candidate executions. Returns whether the search is complete.
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

    /// Processes the current combination until the number of examined candidates reaches `until`. Returns whether the combination is
    /// complete.
    fn one_combination(&mut self, until: u64) -> Result<bool, ExploreError> {
        let Some(numbers) = self.combinations.get(self.next) else {
            return Ok(true);
        };
        let chosen = chosen(&self.traces, numbers);
        let plain = StrengthenedOrders::default();
        let graph = match EventGraph::new(&self.question, &self.traces, &chosen, &plain) {
            Ok(graph) => graph,
            Err(InvalidCombination::Deadlock) => return Ok(true),
            Err(InvalidCombination::TooManyEvents(events)) => {
                let limit = MAX_EVENTS;
                return Err(ExploreError::TooManyEventsTotal { events, limit });
            }
        };
        let n_before = self.found.candidates;
        let memory = |observed: &ObservedValue| matches!(observed, ObservedValue::Memory { .. });
        let mut hearer = OutcomeCollector {
            question: &self.question,
            traces: &self.traces,
            registers: &chosen,
            // Memory need not be observed if the source of every read is known, because the combination then has a single outcome.
            observes_memory: self.taken.is_empty() && self.question.observed.iter().any(memory),
            may_race: graph.may_race(),
            last_violated_axiom: None,
            found: &mut self.found,
        };
        if let Some(taken) = self.taken.get(self.next) {
            if let Some(reads) = graph.reads_of(taken) {
                check_axioms(&graph, &reads, &mut hearer);
            }
            self.found.candidates += 1;
            return Ok(true);
        }
        let Some(choices) = graph.choices(&self.traces.cells) else {
            return Ok(true);
        };
        let limit = self.question.limits.candidates;
        let mut counted = CandidateCounter {
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
        Ok(flow != SearchControl::Pause)
    }

    /// Returns the results that the search has found so far.
    pub fn answer(self) -> ExplorationResult {
        let limits = self.question.limits;
        let mut found = self.found;
        let is_open = found.races.iter().any(|pair| pair.is_partial_overlap);
        found
            .rejected
            .retain(|values, _| !found.outcomes.contains_key(values));
        let interleavings = found.interleavings;
        let outcome = |(values, seen): (Vec<u64>, OutcomeRecord)| Outcome {
            races: match (seen.raced, seen.race_free) {
                (true, true) => RaceFrequency::Sometimes,
                (true, false) => RaceFrequency::Always,
                (false, _) => RaceFrequency::Never,
            },
            is_interleaving: interleavings.contains(&values),
            witness: Rc::unwrap_or_clone(seen.witness),
            values,
        };
        let forbidden = |(values, rejected): (Vec<u64>, Rc<RejectedCandidate>)| ForbiddenOutcome {
            values,
            violation: rejected.violation.clone(),
            witness: rejected.witness.clone(),
        };
        let n_more = found.rejected.len().saturating_sub(MAX_FORBIDDEN);
        ExplorationResult {
            outcomes: (!is_open).then(|| found.outcomes.into_iter().map(outcome).collect()),
            forbidden: match is_open {
                true => Vec::new(),
                false => {
                    let rejected = found.rejected.into_iter();
                    rejected.take(MAX_FORBIDDEN).map(forbidden).collect()
                }
            },
            n_forbidden_omitted: if is_open { 0 } else { n_more },
            races: found.races.into_iter().collect(),
            candidates: found.candidates,
            truncated_after: self.traces.hit_loop_bound.then_some(limits.loop_iterations),
        }
    }

    /// Completes the search and returns its result.
    pub fn run(mut self) -> Result<ExplorationResult, ExploreError> {
        self.advance(u64::MAX)?;
        Ok(self.answer())
    }
}

/// Visitor that checks the axioms for each candidate, counts the candidates, and reports an exceeded limit.
pub(crate) struct CandidateCounter<'a, 'g> {
    pub(crate) graph: &'a EventGraph<'g>,
    pub(crate) sink: &'a mut dyn ExecutionVisitor,
    pub(crate) n: u64,
    pub(crate) limit: u64,
    /// Number of candidates after which the search pauses. The search examines at least one complete candidate before
    /// it pauses.
    pub(crate) pause: u64,
    pub(crate) has_tried: bool,
}

impl CandidateVisitor for CandidateCounter<'_, '_> {
    fn is_hopeless(&mut self, reads: &[ReadsFrom]) -> bool {
        self.n += 1;
        is_inconsistent_prefix(self.graph, reads, self.sink)
    }

    fn visit_candidate(&mut self, reads: &[ReadsFrom]) -> SearchControl {
        if self.has_tried && self.n >= self.pause {
            return SearchControl::Pause;
        }
        self.has_tried = true;
        self.n += 1;
        match self.n > self.limit {
            true => SearchControl::Stop,
            false => check_axioms(self.graph, reads, self.sink),
        }
    }
}

/// Returns the number of atomic instructions of all threads.
fn n_atomics(question: &LitmusQuery) -> usize {
    let threads = question.threads.iter();
    let functions = threads.filter_map(|t| question.program.functions.get(t.function.0 as usize));
    let instructions = functions.flat_map(|function| &function.instructions);
    let is_atomic = |instruction: &&Instruction| {
        let action = question.program.opcode(instruction);
        let op = action.and_then(|action| action.operation.memory());
        matches!(op, Some(MemoryOp::Atomic | MemoryOp::Reduction))
    };
    instructions.filter(is_atomic).count()
}

/// Returns the trace of each thread in a combination.
pub(crate) fn chosen<'a>(traces: &'a ThreadTraces, numbers: &[usize]) -> Vec<&'a ThreadTrace> {
    let each = traces.threads.iter().zip(numbers);
    each.filter_map(|(all, number)| all.get(*number)).collect()
}

/// Collects the outcomes of the executions of one combination.
struct OutcomeCollector<'a> {
    question: &'a LitmusQuery,
    traces: &'a ThreadTraces,
    registers: &'a [&'a ThreadTrace],
    observes_memory: bool,
    may_race: bool,
    /// Last axiom, in axiom order, that a candidate of this combination violates. A single value for the combination is sufficient, because
    /// all of its candidates have the same possible outcomes.
    last_violated_axiom: Option<Axiom>,
    found: &'a mut SearchState,
}

impl ExecutionVisitor for OutcomeCollector<'_> {
    fn consistent(&mut self, execution: &CandidateExecution<'_, '_>) -> SearchControl {
        let raced = self.may_race && self.record_races(execution);
        let outcomes = outcomes_of(self.question, self.traces, self.registers, |cell| {
            let writers = execution.graph.cell_writers.get(cell).copied().unwrap_or(0);
            let last = |writer: &usize| execution.coherence.successors(*writer) & writers == 0;
            let last = members(writers).filter(last);
            let values = last.filter_map(|w| execution.graph.written(&self.traces.cells, w, cell));
            values.collect()
        });
        let mut witness = None;
        let mut is_settled = true;
        for values in outcomes {
            let seen = self
                .found
                .outcomes
                .entry(values)
                .or_insert_with(|| OutcomeRecord {
                    raced: false,
                    race_free: false,
                    witness: Rc::clone(witness.get_or_insert_with(|| {
                        Rc::new(execution.witness(&self.traces.cells, None))
                    })),
                });
            seen.raced |= raced;
            seen.race_free |= !raced;
            is_settled &= seen.raced && seen.race_free;
        }
        match (self.observes_memory, self.may_race) {
            (true, _) => SearchControl::Continue,
            // Stop, because a combination without observed memory has only one outcome, which has been found.
            (false, false) => SearchControl::Stop,
            (false, true) if is_settled && self.all_races_found(execution) => SearchControl::Stop,
            (false, true) => SearchControl::SkipFenceOrder,
        }
    }

    fn rejected(&mut self, execution: &CandidateExecution<'_, '_>, reason: ViolationEvidence) {
        if self
            .last_violated_axiom
            .is_some_and(|worst| worst >= reason.axiom)
        {
            return;
        }
        self.last_violated_axiom = Some(reason.axiom);
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
            let is_full = self.found.rejected.len() >= MAX_REJECTED;
            let is_news = match self.found.rejected.get(&values) {
                Some(known) => known.violation.axiom < reason.axiom,
                None => !is_full,
            };
            if is_news {
                let entry = new.get_or_insert_with(|| {
                    Rc::new(RejectedCandidate {
                        violation: execution.violation(&reason),
                        witness: execution.witness(&self.traces.cells, Some(&reason)),
                    })
                });
                self.found.rejected.insert(values, Rc::clone(entry));
            }
        }
    }
}

impl OutcomeCollector<'_> {
    fn record_races(&mut self, execution: &CandidateExecution<'_, '_>) -> bool {
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

    /// Checks whether all pairs of accesses that may race have already been recorded.
    fn all_races_found(&self, execution: &CandidateExecution<'_, '_>) -> bool {
        let graph = execution.graph;
        let mut pairs = graph.conflicts();
        pairs.all(|(first, second)| {
            race_of(graph, first, second).is_none_or(|pair| self.found.races.contains(&pair))
        })
    }
}

/// Returns the instructions of two racing events, or `None` if an event has no instruction.
fn race_of(graph: &EventGraph<'_>, first: usize, second: usize) -> Option<RacePair> {
    let place = |event: usize| {
        let event = graph.events.get(event)?;
        Some((event.thread, event.step?.instruction))
    };
    let (a, b) = (place(first)?, place(second)?);
    Some(RacePair {
        first: a.min(b),
        second: a.max(b),
        is_partial_overlap: !graph.same_place.has(first, second),
    })
}

/// Returns the possible outcomes of a combination of traces. `last` returns the possible final values of a cell.
pub(crate) fn outcomes_of(
    question: &LitmusQuery,
    traces: &ThreadTraces,
    chosen: &[&ThreadTrace],
    last: impl Fn(usize) -> BTreeSet<u64>,
) -> Vec<Vec<u64>> {
    let mut registers: Vec<_> = chosen.iter().map(|trace| trace.registers.iter()).collect();
    let mut outcomes = vec![Vec::new()];
    for observed in &question.observed {
        let values: Vec<u64> = match observed {
            ObservedValue::Register { thread, .. } => {
                let next = registers.get_mut(*thread).and_then(Iterator::next);
                vec![next.copied().unwrap_or(0)]
            }
            ObservedValue::Memory { .. } => {
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
