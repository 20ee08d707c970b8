//! Happens-before relation of a trace, and its reversible races: pairs of dependent events that are adjacent in the
//! relation and whose order another schedule can reverse.

use crate::races::fast_hash::FastHashMap;
use crate::schedules::clock::{Clock, Component, Epoch};
use crate::schedules::event::{
    BarrierRef, Event, EventEffect, MbarrierAction, MbarrierRef, Word, WordAccess,
};
use crate::schedules::reordering::{ReorderingSearch, UnorderedPair};
use std::collections::{BTreeSet, HashMap};
use warpgrid_emulator::{Agent, ArrivalMode, WarpId};

/// Accesses to a word: all events in order, and the clocks of the accesses of each kind.
#[derive(Debug, Default)]
struct WordHistory {
    accesses: Vec<(usize, WordAccess)>,
    reads: Clock,
    writes: Clock,
    reductions: Vec<(u32, Clock)>,
}

impl WordHistory {
    /// Returns the most recent accesses that conflict with a new access: the last one, and preceding accesses that do
    /// not conflict with it. All earlier conflicting accesses happen before one of them.
    fn latest_conflicts(&self, access: WordAccess) -> impl Iterator<Item = usize> {
        let mut earlier = self.accesses.iter().rev();
        let first = earlier.find(|(_, other)| other.conflicts_with(access));
        let run = first.into_iter().flat_map(move |first| {
            let rest = earlier.clone();
            let others = rest.take_while(move |(_, other)| !other.conflicts_with(first.1));
            std::iter::once(first).chain(others)
        });
        run.map(|(event, _)| *event)
    }

    /// Joins the clocks of all accesses that conflict with a new access.
    fn join_conflicts(&self, access: WordAccess, clock: &mut Clock) {
        clock.join(&self.writes);
        if access != WordAccess::Read {
            clock.join(&self.reads);
        }
        for (number, reductions) in &self.reductions {
            if access.conflicts_with(WordAccess::Reduction(*number)) {
                clock.join(reductions);
            }
        }
    }

    /// Checks whether an event happens before a write of the word.
    fn knows(&self, epoch: Epoch) -> bool {
        let mut reductions = self.reductions.iter();
        self.writes.knows(epoch) || reductions.any(|(_, clock)| clock.knows(epoch))
    }

    fn add(&mut self, event: usize, access: WordAccess, own: &Clock) {
        self.accesses.push((event, access));
        match access {
            WordAccess::Read => self.reads.join(own),
            WordAccess::Write => self.writes.join(own),
            WordAccess::Reduction(number) => {
                match self
                    .reductions
                    .iter_mut()
                    .find(|(other, _)| *other == number)
                {
                    Some((_, clock)) => clock.join(own),
                    None => self.reductions.push((number, own.clone())),
                }
            }
        }
    }
}

/// Arrivals at a barrier in the current phase and in the previous phase.
#[derive(Debug, Default)]
struct BarrierHistory {
    current: Vec<usize>,
    previous: Vec<usize>,
    waiting: Vec<WarpId>,
    complete: Clock,
}

/// Operations on an mbarrier.
#[derive(Debug, Default)]
struct MbarrierHistory {
    number: u32,
    /// Number of completed phases and of resets.
    phase: u32,
    /// Operations of the current phase that can complete the phase.
    current: Vec<usize>,
    previous: Vec<usize>,
    /// Increases of the tx-count without an arrival in the current phase.
    expects: Vec<usize>,
    /// Tests since the last completion that passed, and tests that failed.
    passed: Vec<usize>,
    failed: Vec<usize>,
    complete: Clock,
}

/// Analysis of one trace.
pub(crate) struct TraceAnalysis<'t> {
    events: &'t mut [Event],
    warps: FastHashMap<WarpId, (Clock, u32)>,
    issued: FastHashMap<u64, Clock>,
    words: HashMap<Word, WordHistory>,
    barriers: HashMap<BarrierRef, BarrierHistory>,
    mbarriers: HashMap<MbarrierRef, MbarrierHistory>,
    clusters: FastHashMap<u64, BarrierHistory>,
    races: BTreeSet<(usize, usize)>,
    /// Latest sequentially consistent fence, and the clock of all of them.
    latest_sc_fence: Option<usize>,
    sc_fences: Clock,
    reorderings: ReorderingSearch,
}

/// Result of the analysis of a trace.
pub(crate) struct AnalyzedTrace {
    /// Reversible races as pairs of event indices.
    pub(crate) races: BTreeSet<(usize, usize)>,
    /// Pairs of accesses whose reordering may have an effect.
    pub(crate) unordered: Vec<UnorderedPair>,
}

/// Computes the clocks of all events, and returns the reversible races and the unordered accesses.
pub(crate) fn analyze(events: &mut [Event]) -> AnalyzedTrace {
    let n_events = events.len();
    let reorderings = ReorderingSearch::of(events);
    let mut analysis = TraceAnalysis {
        events,
        warps: FastHashMap::default(),
        issued: FastHashMap::default(),
        words: HashMap::new(),
        barriers: HashMap::new(),
        mbarriers: HashMap::new(),
        clusters: FastHashMap::default(),
        races: BTreeSet::new(),
        latest_sc_fence: None,
        sc_fences: Clock::default(),
        reorderings,
    };
    for index in 0..n_events {
        match analysis.events[index].is_stutter {
            true => analysis.reorderings.add_fence(&analysis.events[index]),
            false => analysis.add(index),
        }
    }
    let (races, reorderings) = (analysis.races, analysis.reorderings);
    AnalyzedTrace {
        races,
        unordered: reorderings.pairs_in_cycles(events),
    }
}

/// Checks whether an event happens before a later event of the trace.
pub(crate) fn happens_before(first: &Event, second: &Event) -> bool {
    match first.epoch.component == second.epoch.component {
        true => first.epoch.sequence < second.epoch.sequence,
        false => second.clock.knows(first.epoch),
    }
}

impl TraceAnalysis<'_> {
    fn add(&mut self, index: usize) {
        let event = &self.events[index];
        let footprint = event.footprint.clone();
        if let Some(warp) = event.warp() {
            self.reorderings.add(warp, index, event, |first, word| {
                let history = self.words.get(&word);
                history.is_some_and(|history| history.knows(self.events[first].epoch))
            });
        }
        let (before, epoch) = self.position_of(index);
        let mut clock = before.clone();
        let mut candidates = Vec::new();
        for effect in &footprint {
            self.see_dependences(effect, &mut clock, &mut candidates);
        }
        candidates.retain(|other| !before.knows(self.events[*other].epoch));
        let mut own = clock.clone();
        own.advance(epoch);
        let event = &mut self.events[index];
        event.epoch = epoch;
        event.clock = clock;
        self.add_races(index, &candidates);
        if let Some(warp) = self.events[index].warp() {
            let state = self.warps.entry(warp).or_default();
            *state = (own.clone(), epoch.sequence);
        }
        for effect in &footprint {
            self.take_effect(index, effect, &before, &own);
        }
    }

    /// Returns the clock of the agent before an event, and the epoch of the event.
    fn position_of(&mut self, index: usize) -> (Clock, Epoch) {
        match self.events[index].agent {
            Agent::Warp { block, warp } => {
                let (clock, sequence) = self.warps.entry(WarpId { block, warp }).or_default();
                let component = Component::Warp { block, warp };
                let sequence = *sequence + 1;
                (
                    clock.clone(),
                    Epoch {
                        component,
                        sequence,
                    },
                )
            }
            Agent::InFlight(id) => {
                let clock = self.issued.get(&id.0).cloned().unwrap_or_default();
                let object = self.events[index]
                    .footprint
                    .iter()
                    .find_map(|effect| match effect {
                        EventEffect::Mbarrier { object, .. } => Some(*object),
                        _ => None,
                    });
                let epoch = match object {
                    Some(object) => {
                        let history = self.mbarrier(object);
                        Epoch {
                            component: Component::Signals(history.number),
                            sequence: history.phase + 1,
                        }
                    }
                    None => Epoch {
                        component: Component::Operation(id.0),
                        sequence: 1,
                    },
                };
                (clock, epoch)
            }
        }
    }

    fn mbarrier(&mut self, object: MbarrierRef) -> &mut MbarrierHistory {
        let number = self.mbarriers.len() as u32;
        self.mbarriers
            .entry(object)
            .or_insert_with(|| MbarrierHistory {
                number,
                ..MbarrierHistory::default()
            })
    }

    /// Joins the clocks of the events on which an effect depends, and collects the events whose order with the effect
    /// another schedule can reverse, unless they happen before the event.
    fn see_dependences(
        &mut self,
        effect: &EventEffect,
        clock: &mut Clock,
        candidates: &mut Vec<usize>,
    ) {
        match *effect {
            EventEffect::Access { word, access, .. } => {
                let history = self.words.entry(word).or_default();
                candidates.extend(history.latest_conflicts(access));
                history.join_conflicts(access, clock);
            }
            EventEffect::BarrierArrival { barrier, .. } => {
                let history = self.barriers.entry(barrier).or_default();
                candidates.extend(&history.previous);
                clock.join(&history.complete);
            }
            EventEffect::ClusterArrival { cluster, .. }
            | EventEffect::ClusterPassed { cluster } => {
                let history = self.clusters.entry(cluster).or_default();
                clock.join(&history.complete);
            }
            EventEffect::Mbarrier { object, action, .. } => {
                let history = self.mbarrier(object);
                clock.join(&history.complete);
                match action {
                    MbarrierAction::Arrive | MbarrierAction::Expect => {
                        candidates.extend(&history.previous);
                    }
                    MbarrierAction::Passed { waits: true } | MbarrierAction::Failed => {}
                    MbarrierAction::Passed { waits: false } => {
                        // The test fails if one of the arrivals of the phase follows.
                        candidates.extend(&history.previous);
                    }
                    MbarrierAction::Reset => {
                        let lists = [
                            &history.previous,
                            &history.current,
                            &history.passed,
                            &history.failed,
                        ];
                        candidates.extend(lists.into_iter().flatten());
                    }
                }
            }
            EventEffect::ScFence => {
                candidates.extend(self.latest_sc_fence);
                clock.join(&self.sc_fences);
            }
            EventEffect::Issue { .. } => {}
        }
    }

    /// Records the races between an event and earlier events, unless another of these events lies between them.
    fn add_races(&mut self, index: usize, candidates: &[usize]) {
        for first in candidates {
            let is_adjacent = candidates.iter().all(|other| {
                !happens_before(&self.events[*first], &self.events[*other]) || first == other
            });
            if is_adjacent {
                self.races.insert((*first, index));
            }
        }
    }

    fn take_effect(&mut self, index: usize, effect: &EventEffect, before: &Clock, own: &Clock) {
        match *effect {
            EventEffect::Access { word, access, .. } => {
                self.words.entry(word).or_default().add(index, access, own);
            }
            EventEffect::BarrierArrival {
                barrier,
                mode,
                completes,
            } => {
                let mut history = self.barriers.remove(&barrier).unwrap_or_default();
                self.arrive(&mut history, index, mode, completes);
                self.barriers.insert(barrier, history);
            }
            EventEffect::ClusterArrival { cluster, completes } => {
                let mut history = self.clusters.remove(&cluster).unwrap_or_default();
                self.arrive(&mut history, index, ArrivalMode::No, completes);
                self.clusters.insert(cluster, history);
            }
            EventEffect::ClusterPassed { .. } => {}
            EventEffect::Mbarrier {
                object,
                action,
                completes,
            } => {
                let mut history = self.mbarriers.remove(&object).unwrap_or_default();
                self.operate(&mut history, index, action, completes, before, own);
                self.mbarriers.insert(object, history);
            }
            EventEffect::ScFence => {
                self.latest_sc_fence = Some(index);
                self.sc_fences.join(own);
            }
            EventEffect::Issue { operation } => {
                self.issued.insert(operation, own.clone());
            }
        }
    }

    fn arrive(
        &mut self,
        history: &mut BarrierHistory,
        index: usize,
        mode: ArrivalMode,
        completes: bool,
    ) {
        history.current.push(index);
        if let (Some(warp), ArrivalMode::Yes) = (self.events[index].warp(), mode) {
            history.waiting.push(warp);
        }
        if !completes {
            return;
        }
        self.join_all(&history.current, &mut history.complete);
        for warp in history.waiting.drain(..) {
            let (clock, _) = self.warps.entry(warp).or_default();
            clock.join(&history.complete);
        }
        history.previous = std::mem::take(&mut history.current);
    }

    /// Joins the clocks of events, including the events themselves.
    fn join_all(&self, events: &[usize], clock: &mut Clock) {
        for event in events {
            clock.join(&self.events[*event].clock);
        }
        for event in events {
            clock.advance(self.events[*event].epoch);
        }
    }

    fn operate(
        &mut self,
        history: &mut MbarrierHistory,
        index: usize,
        action: MbarrierAction,
        completes: bool,
        before: &Clock,
        own: &Clock,
    ) {
        match action {
            MbarrierAction::Passed { .. } => history.passed.push(index),
            MbarrierAction::Failed => history.failed.push(index),
            MbarrierAction::Reset => {
                *history = MbarrierHistory {
                    number: history.number,
                    phase: history.phase + 1,
                    previous: vec![index],
                    complete: own.clone(),
                    ..MbarrierHistory::default()
                };
            }
            MbarrierAction::Arrive | MbarrierAction::Expect => {
                history.current.push(index);
                if action == MbarrierAction::Expect {
                    history.expects.push(index);
                }
                if completes {
                    self.complete_phase(history, index, before);
                }
            }
        }
    }

    fn complete_phase(&mut self, history: &mut MbarrierHistory, index: usize, before: &Clock) {
        let mut phase = Clock::default();
        self.join_all(&history.current, &mut phase);
        // A wait for the previous phase would block if this phase completed first.
        for test in &history.passed {
            if !phase.knows(self.events[*test].epoch) {
                self.races.insert((*test, index));
            }
        }
        for test in &history.failed {
            if !before.knows(self.events[*test].epoch) {
                self.races.insert((*test, index));
            }
        }
        for expect in &history.expects {
            self.check_expect(*expect, &history.current);
        }
        history.complete.join(&phase);
        history.phase += 1;
        history.previous = std::mem::take(&mut history.current);
        history.passed.clear();
        history.failed.clear();
        history.expects.clear();
    }

    /// Adds the races of an increase of the tx-count with the arrivals that could complete the phase first. If the same
    /// agent arrives later in the phase, the phase cannot complete before the increase.
    fn check_expect(&mut self, expect: usize, current: &[usize]) {
        let first = &self.events[expect];
        let keeps_open = current.iter().any(|other| {
            *other > expect && self.events[*other].epoch.component == first.epoch.component
        });
        if keeps_open {
            return;
        }
        let unordered = current.iter().filter(|other| {
            let other = &self.events[**other];
            !happens_before(first, other) && !happens_before(other, first)
        });
        let pairs = unordered.map(|other| (expect.min(*other), expect.max(*other)));
        let pairs: Vec<(usize, usize)> = pairs.filter(|(a, b)| a != b).collect();
        self.races.extend(pairs);
    }
}
