//! Search for the smallest fixes of a litmus test that forbid undesired outcomes. The search returns all minimal sets of edits under which
//! no undesired outcome remains. A set is minimal because the search tries all weaker sets first.
//!
//! An edit strengthens the memory ordering or the scope of an instruction, or inserts a fence between two accesses
//! without a fence. The search tries the sets of sites by ascending size. Stronger orderings never allow additional
//! executions, so the search first tries the strongest edits of a set, and skips the whole set if these edits fail. The
//! search also skips combinations of edits that are stronger than a known fix, or weaker than a failed combination.

pub(crate) mod repair_sites;

use crate::explore::axioms::{CandidateExecution, ExecutionVisitor, ViolationEvidence};
use crate::explore::event::{MemoryOrdering, ThreadTrace};
use crate::explore::event_graph::{EventGraph, FenceSlot, StrengthenedOrders};
use crate::explore::explorer::{CandidateCounter, chosen, outcomes_of};
use crate::explore::minimal_repairs::repair_sites::{
    RepairSite, RepairSiteKind, places_of, sites_of,
};
use crate::explore::query::{ExploreError, LitmusQuery, ObservedValue};
use crate::explore::reads_from_candidates::{SearchControl, for_each};
use crate::explore::relation::members;
use crate::explore::trace_combinations::combine;
use crate::explore::traces::{ThreadTraces, TraceScope, find};
use std::collections::BTreeSet;

/// Maximum number of edits in one fix.
const MAX_SITES_PER_REPAIR: usize = 4;

/// Edit of a fix, which changes one instruction or inserts a fence before the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepairStep {
    pub thread: usize,
    pub instruction: u32,
    pub repair: RepairKind,
}

/// Kind of an edit that a [`RepairStep`] applies at its instruction: a stronger order or scope, a fence, or a proxy fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairKind {
    /// Replace the memory ordering of the instruction.
    Strengthen(MemoryOrdering),
    /// Insert a fence before the instruction.
    Fence(MemoryOrdering),
    /// Insert a fence between the generic and the async proxy before the instruction.
    ProxyFence,
}

impl RepairKind {
    fn key(self) -> (u8, u8, u8) {
        match self {
            RepairKind::Strengthen(words) => (0, words.sem as u8, words.scope as u8),
            RepairKind::Fence(words) => (1, words.sem as u8, words.scope as u8),
            RepairKind::ProxyFence => (2, 0, 0),
        }
    }
}

impl PartialOrd for RepairKind {
    fn partial_cmp(&self, other: &RepairKind) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RepairKind {
    fn cmp(&self, other: &RepairKind) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Minimal fixes that a [`MinimalRepairSearch`] has found, and the extent of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairResult {
    pub repairs: Vec<Vec<RepairStep>>,
    /// Maximum number of edits per fix for which the search tried all combinations.
    pub exhaustive_up_to: usize,
    /// Number of combinations of edits that the search evaluated.
    pub candidates_tried: u64,
}

/// Resumable search for minimal fixes.
pub struct MinimalRepairSearch {
    question: LitmusQuery,
    traces: ThreadTraces,
    /// Combinations of traces, one per thread, that can end with an undesired outcome.
    combinations: Vec<Vec<usize>>,
    bad: BTreeSet<Vec<u64>>,
    sites: Vec<RepairSite>,
    /// Sets of `size` sites that the search has not tried, as indices into `sites`.
    remaining: Vec<Vec<usize>>,
    size: usize,
    /// Fixes that the search has found so far. Each fix consists of the level of every site.
    found: Vec<Vec<usize>>,
    candidates_tried: u64,
    max_tries: u64,
}

impl MinimalRepairSearch {
    /// Prepares the search, which ends after `most_tries` evaluated combinations of edits.
    pub fn new(
        question: LitmusQuery,
        bad: &[Vec<u64>],
        most_tries: u64,
    ) -> Result<MinimalRepairSearch, ExploreError> {
        let places: Vec<Vec<bool>> = (0..question.threads.len())
            .map(|thread| places_of(&question, thread))
            .collect();
        let traces = find(&question, &places, TraceScope::All)?;
        let bad: BTreeSet<Vec<u64>> = bad.iter().cloned().collect();
        let sites = sites_of(&question, &traces, &places);
        let mut weakest = MinimalRepairSearch {
            combinations: Vec::new(),
            remaining: Vec::new(),
            size: 0,
            found: Vec::new(),
            candidates_tried: 0,
            max_tries: most_tries,
            question,
            traces,
            bad,
            sites,
        };
        let all = combine(&weakest.question, &weakest.traces)?.into_iter();
        weakest.combinations = all.filter(|numbers| weakest.may_be_bad(numbers)).collect();
        weakest.begin()?;
        Ok(weakest)
    }

    /// Starts the search. The search ends immediately if the strongest edits at all sites together do not forbid the undesired outcomes.
    fn begin(&mut self) -> Result<(), ExploreError> {
        let tops: Vec<usize> = self.sites.iter().map(RepairSite::top).collect();
        if self.bad.is_empty() || !self.excludes_bad_outcomes(&tops)? {
            self.size = MAX_SITES_PER_REPAIR + 1;
            return Ok(());
        }
        self.next_size();
        Ok(())
    }

    fn next_size(&mut self) {
        self.size += 1;
        if self.size <= MAX_SITES_PER_REPAIR.min(self.sites.len()) {
            self.remaining = subsets(self.sites.len(), self.size);
            self.remaining.reverse();
        } else {
            self.size = MAX_SITES_PER_REPAIR + 1;
        }
    }

    /// Evaluates approximately `tries` combinations of edits. Returns whether the search is complete.
    pub fn advance(&mut self, tries: u64) -> Result<bool, ExploreError> {
        let until = self.candidates_tried.saturating_add(tries);
        while self.size <= MAX_SITES_PER_REPAIR {
            if self.candidates_tried >= self.max_tries {
                return Ok(true);
            }
            if self.candidates_tried >= until {
                return Ok(false);
            }
            match self.remaining.pop() {
                Some(set) => self.try_set(&set)?,
                None => self.next_size(),
            }
        }
        Ok(true)
    }

    /// Returns the fixes that the search has found so far.
    pub fn answer(self) -> RepairResult {
        let changes = |levels: &Vec<usize>| {
            let sites = self.sites.iter().zip(levels);
            let changes = sites.filter_map(|(site, level)| site.change(*level));
            changes.collect::<Vec<RepairStep>>()
        };
        let mut repairs: Vec<Vec<RepairStep>> = self.found.iter().map(changes).collect();
        repairs.sort_by_key(|repair| (repair.len(), repair.clone()));
        RepairResult {
            repairs,
            exhaustive_up_to: self.size.saturating_sub(1),
            candidates_tried: self.candidates_tried,
        }
    }

    /// Finds the minimal combinations of levels that forbid the undesired outcomes. Only the sites in `set` are edited, and every site in
    /// `set` has a level that is stronger than the source.
    fn try_set(&mut self, set: &[usize]) -> Result<(), ExploreError> {
        let mut top = vec![0; self.sites.len()];
        for site in set {
            top[*site] = self.sites.get(*site).map_or(0, RepairSite::top);
        }
        if !self.excludes_bad_outcomes(&top)? {
            return Ok(());
        }
        let mut failed: Vec<Vec<usize>> = Vec::new();
        for levels in self.levels_of(set) {
            let is_above = self.found.iter().any(|found| self.is_below(found, &levels));
            let is_below = failed.iter().any(|failed| self.is_below(&levels, failed));
            if is_above || is_below {
                continue;
            }
            match self.excludes_bad_outcomes(&levels)? {
                true => self.found.push(levels),
                false => failed.push(levels),
            }
        }
        Ok(())
    }

    /// Returns all combinations of levels of the sites in `set`, in the order of increasing strength.
    fn levels_of(&self, set: &[usize]) -> Vec<Vec<usize>> {
        let mut all = vec![vec![0; self.sites.len()]];
        for site in set {
            let n = self.sites.get(*site).map_or(0, RepairSite::n_levels);
            let longer = all.iter().flat_map(|levels: &Vec<usize>| {
                (1..n).map(move |level| {
                    let mut levels = levels.clone();
                    levels[*site] = level;
                    levels
                })
            });
            all = longer.collect();
        }
        let rank = |levels: &Vec<usize>| -> usize {
            let sites = self.sites.iter().zip(levels);
            sites.map(|(site, level)| site.rank(*level)).sum()
        };
        all.sort_by_key(rank);
        all
    }

    fn is_below(&self, low: &[usize], high: &[usize]) -> bool {
        let sites = self.sites.iter().zip(low.iter().zip(high));
        sites
            .into_iter()
            .all(|(site, (low, high))| site.is_below(*low, *high))
    }

    /// Checks whether no undesired outcome remains if every site has the given level.
    fn excludes_bad_outcomes(&mut self, levels: &[usize]) -> Result<bool, ExploreError> {
        self.candidates_tried += 1;
        let stronger = self.stronger(levels);
        for numbers in &self.combinations {
            let chosen = chosen(&self.traces, numbers);
            let Ok(graph) = EventGraph::new(&self.question, &self.traces, &chosen, &stronger)
            else {
                continue;
            };
            let Some(choices) = graph.choices(&self.traces.cells) else {
                continue;
            };
            let mut watch = BadOutcomeVisitor {
                weakest: self,
                chosen: &chosen,
                is_bad: false,
            };
            let limit = self.question.limits.candidates;
            let mut counted = CandidateCounter {
                graph: &graph,
                sink: &mut watch,
                n: 0,
                limit,
                pause: u64::MAX,
                has_tried: false,
            };
            let (flow, _) = for_each(choices, &mut counted, &[]);
            if watch.is_bad {
                return Ok(false);
            }
            if flow == SearchControl::Stop {
                return Err(ExploreError::TooManyCandidates { limit });
            }
        }
        Ok(true)
    }

    fn stronger(&self, levels: &[usize]) -> StrengthenedOrders {
        let mut stronger = StrengthenedOrders::default();
        for (site, level) in self
            .sites
            .iter()
            .zip(levels)
            .filter(|(_, level)| **level > 0)
        {
            let Some(words) = site.words(*level) else {
                continue;
            };
            let (thread, instruction) = site.place;
            match site.kind {
                RepairSiteKind::Words => {
                    stronger.words.insert(site.place, words);
                }
                RepairSiteKind::Fence => {
                    stronger
                        .fences
                        .insert((thread, instruction, FenceSlot::Memory), words);
                }
                RepairSiteKind::ProxyFence => {
                    stronger
                        .fences
                        .insert((thread, instruction, FenceSlot::Proxies), words);
                }
            }
        }
        stronger
    }

    /// Checks whether the final register values of a combination of traces match an undesired outcome.
    fn may_be_bad(&self, numbers: &[usize]) -> bool {
        let chosen = chosen(&self.traces, numbers);
        self.bad.iter().any(|bad| {
            let mut registers: Vec<_> = chosen.iter().map(|trace| trace.registers.iter()).collect();
            self.question
                .observed
                .iter()
                .zip(bad)
                .all(|(observed, bad)| match observed {
                    ObservedValue::Register { thread, .. } => {
                        registers.get_mut(*thread).and_then(Iterator::next) == Some(bad)
                    }
                    ObservedValue::Memory { .. } => true,
                })
        })
    }
}

/// Visitor that stops the enumeration of candidates when a consistent execution has an undesired outcome.
struct BadOutcomeVisitor<'a> {
    weakest: &'a MinimalRepairSearch,
    chosen: &'a [&'a ThreadTrace],
    is_bad: bool,
}

impl ExecutionVisitor for BadOutcomeVisitor<'_> {
    fn consistent(&mut self, execution: &CandidateExecution<'_, '_>) -> SearchControl {
        let weakest = self.weakest;
        let cells = &weakest.traces.cells;
        let outcomes = outcomes_of(&weakest.question, &weakest.traces, self.chosen, |cell| {
            let writers = execution.graph.cell_writers.get(cell).copied().unwrap_or(0);
            let last = |writer: &usize| execution.coherence.successors(*writer) & writers == 0;
            let last = members(writers).filter(last);
            let values = last.filter_map(|w| execution.graph.written(cells, w, cell));
            values.collect()
        });
        self.is_bad |= outcomes.iter().any(|outcome| weakest.bad.contains(outcome));
        match self.is_bad {
            true => SearchControl::Stop,
            false => SearchControl::Continue,
        }
    }

    fn rejected(&mut self, _: &CandidateExecution<'_, '_>, _: ViolationEvidence) {}
}

/// Returns all subsets of `size` numbers below `n` in lexicographic order.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..size {
        let longer = all.iter().flat_map(|set: &Vec<usize>| {
            let first = set.last().map_or(0, |last| last + 1);
            (first..n).map(move |next| [&set[..], &[next]].concat())
        });
        all = longer.collect();
    }
    all
}
