//! Event graph of one trace per thread. The graph contains the events of the traces, and the relations between events
//! that do not depend on the reads-from relation. Hypothetical memory orderings can replace the memory orderings of
//! instructions.

use crate::explore::event::{
    BarrierId, EventKind, FenceCoverage, MemoryOrdering, OrderingRole, Proxy, ReturnsValue,
    ThreadTrace, TraceEvent,
};
use crate::explore::query::{LitmusLocationKind, LitmusQuery};
use crate::explore::relation::{EventSet, MAX_EVENTS, Relation, bit, low_bits, members};
use crate::explore::traces::ThreadTraces;
use crate::scope::{ScopeInstance, ThreadLocation, acquires, releases, scopes_mutually_inclusive};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpgrid_isa::Sem;

/// Kind of a fence that can be inserted at a fence site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FenceSlot {
    Memory,
    Proxies,
}

/// Hypothetical modifications of a test: stronger memory orderings of instructions, identified by thread and
/// instruction, and inserted fences.
#[derive(Clone, Debug, Default)]
pub(crate) struct StrengthenedOrders {
    pub(crate) words: BTreeMap<(usize, u32), MemoryOrdering>,
    /// Inserted fences with their memory orderings. The explorer ignores the memory ordering of a proxy fence.
    pub(crate) fences: BTreeMap<(usize, u32, FenceSlot), MemoryOrdering>,
}

/// Event of an execution, with its thread and the cells that it accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    /// Trace event that the event represents, or `None` for the initial value of a cell.
    pub(crate) step: Option<&'a TraceEvent>,
    pub(crate) thread: usize,
    pub(crate) home: ThreadLocation,
    pub(crate) words: MemoryOrdering,
    pub(crate) kind: EventKind,
    pub(crate) cells: (usize, usize),
}

impl Event<'_> {
    pub(crate) fn is_strong(&self) -> bool {
        self.words.sem != Sem::Weak
    }

    pub(crate) fn reads(&self) -> bool {
        matches!(self.kind, EventKind::Read | EventKind::Atomic)
    }

    pub(crate) fn writes(&self) -> bool {
        matches!(
            self.kind,
            EventKind::Write | EventKind::Atomic | EventKind::Init
        )
    }

    pub(crate) fn is_memory(&self) -> bool {
        self.reads() || self.writes()
    }

    pub(crate) fn cells(&self) -> Range<usize> {
        self.cells.0..self.cells.1
    }

    pub(crate) fn overlaps(&self, other: &Event<'_>) -> bool {
        self.cells.0 < other.cells.1 && other.cells.0 < self.cells.1
    }

    fn entry(&self) -> OrderingRole {
        self.step.map_or(OrderingRole::Program, |step| step.entry)
    }

    fn proxy(&self) -> Proxy {
        self.step.map_or(Proxy::Generic, |step| step.proxy)
    }

    fn is_generic(&self) -> bool {
        self.proxy() == Proxy::Generic
    }

    pub(crate) fn is_sc_fence(&self) -> bool {
        self.kind == EventKind::Fence && self.words.sem == Sem::Sc
    }
}

/// Reason why the traces of a combination cannot belong to the same execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidCombination {
    /// Some threads wait at a barrier that other threads never reach.
    Deadlock,
    TooManyEvents(usize),
}

/// Events of an execution, and the relations that do not depend on the reads-from relation.
#[derive(Clone, Debug)]
pub(crate) struct EventGraph<'a> {
    pub(crate) events: Vec<Event<'a>>,
    /// Index of the first event of each thread.
    pub(crate) starts: Vec<usize>,
    /// Event index for each thread and each event of its trace, or `None` for a fence site without an inserted fence.
    places: Vec<Vec<Option<usize>>>,
    /// Program order, extended by the start and completion edges of asynchronous operations.
    pub(crate) program: Relation,
    /// Program order and barrier order, without their transitive closure.
    pub(crate) base: Relation,
    /// Intermediate events that the transitive closure of base causality order may pass through.
    pub(crate) base_causality_edges: EventSet,
    pub(crate) strong: Relation,
    pub(crate) overlap: Relation,
    pub(crate) same_place: Relation,
    /// For each write, the first operations of the release patterns that end with the write.
    pub(crate) releases: Vec<EventSet>,
    /// For each read, the last operations of the acquire patterns that begin with the read.
    pub(crate) acquires: Vec<EventSet>,
    pub(crate) atomics: EventSet,
    pub(crate) writers: EventSet,
    pub(crate) readers: EventSet,
    /// Events that write each memory cell.
    pub(crate) cell_writers: Vec<EventSet>,
    pub(crate) sc_fences: Vec<usize>,
    /// Proxy fences, which can order accesses through different proxies.
    pub(crate) proxy_fences: EventSet,
    /// Whether each event accesses shared memory.
    pub(crate) is_shared: Vec<bool>,
    /// Whether all accesses of the execution use the generic proxy.
    pub(crate) is_generic: bool,
    /// Dependency relation from reads to the writes of the same thread. The write of an atomic depends on the read of the same atomic.
    pub(crate) dependencies: Relation,
}

impl<'a> EventGraph<'a> {
    /// Combines traces into an event graph.
    pub(crate) fn new(
        question: &LitmusQuery,
        all: &'a ThreadTraces,
        chosen: &[&'a ThreadTrace],
        stronger: &StrengthenedOrders,
    ) -> Result<EventGraph<'a>, InvalidCombination> {
        let touched = touched_cells(question, all, chosen);
        let GraphBuilder {
            events,
            starts,
            places,
        } = events_of(question, &touched, chosen, stronger);
        let n = events.len();
        if n > MAX_EVENTS {
            return Err(InvalidCombination::TooManyEvents(n));
        }
        let mut graph = EventGraph {
            starts,
            places,
            program: Relation::new(n),
            base: Relation::new(n),
            base_causality_edges: 0,
            strong: Relation::new(n),
            overlap: Relation::new(n),
            same_place: Relation::new(n),
            releases: vec![0; n],
            acquires: vec![0; n],
            atomics: 0,
            writers: 0,
            readers: 0,
            cell_writers: vec![0; all.cells.len()],
            sc_fences: Vec::new(),
            proxy_fences: 0,
            is_shared: Vec::new(),
            is_generic: events.iter().all(Event::is_generic),
            dependencies: Relation::new(n),
            events,
        };
        graph.is_shared = graph.spaces(question, all);
        graph.sort_events();
        graph.order_threads(chosen);
        graph.order_barriers(question)?;
        graph.compute_morally_strong();
        graph.find_patterns();
        graph.find_flows();
        Ok(graph)
    }

    fn spaces(&self, question: &LitmusQuery, all: &ThreadTraces) -> Vec<bool> {
        let shared = |event: &Event<'_>| {
            event.is_memory()
                && all.cells.kind(&question.locations, event.cells.0) != LitmusLocationKind::Global
        };
        self.events.iter().map(shared).collect()
    }

    fn sort_events(&mut self) {
        for (index, event) in self.events.iter().enumerate() {
            let own = bit(index);
            if event.entry() != OrderingRole::Started {
                self.base_causality_edges |= own;
            }
            if event.reads() {
                self.readers |= own;
            }
            if event.writes() {
                self.writers |= own;
                for cell in event.cells() {
                    if let Some(set) = self.cell_writers.get_mut(cell) {
                        *set |= own;
                    }
                }
            }
            if event.kind == EventKind::Atomic {
                self.atomics |= own;
            }
            if event.is_sc_fence() {
                self.sc_fences.push(index);
            }
            if event
                .step
                .is_some_and(|step| step.fence_of_proxies.is_some())
            {
                self.proxy_fences |= own;
            }
        }
    }

    /// Adds program order, and the start and completion edges of asynchronous operations.
    fn order_threads(&mut self, chosen: &[&ThreadTrace]) {
        let first = self.starts.first().copied().unwrap_or(self.events.len());
        for init in 0..first {
            for event in first..self.events.len() {
                self.base.add(init, event);
            }
        }
        for thread in 0..chosen.len() {
            let start = self.starts.get(thread).copied().unwrap_or(0);
            let end = self
                .starts
                .get(thread + 1)
                .copied()
                .unwrap_or(self.events.len());
            for later in start..end {
                self.order_event(start..later, later);
            }
        }
    }

    fn order_event(&mut self, earlier: Range<usize>, later: usize) {
        let Some(step) = self.events.get(later).and_then(|event| event.step) else {
            return;
        };
        for event in earlier.clone() {
            let Some(before) = self.events.get(event).and_then(|event| event.step) else {
                continue;
            };
            if before.entry == OrderingRole::Program
                && step.entry != OrderingRole::Completed
                && before.instance != step.instance
            {
                self.base.add(event, later);
                if step.entry == OrderingRole::Program {
                    self.program.add(event, later);
                }
            }
        }
        let thread = self.events.get(later).map_or(0, |event| event.thread);
        for local in &step.after {
            if let Some(event) = self.event_of(thread, *local) {
                self.base.add(event, later);
            }
        }
    }

    /// Returns the index of the event with number `local` in the trace of a thread.
    pub(crate) fn event_of(&self, thread: usize, local: usize) -> Option<usize> {
        self.places.get(thread)?.get(local).copied().flatten()
    }

    /// Adds barriers: the arrivals of a barrier phase precede the departures from the same phase.
    fn order_barriers(&mut self, question: &LitmusQuery) -> Result<(), InvalidCombination> {
        let mut phases: BTreeMap<(BarrierId, usize), BarrierPhase> = BTreeMap::new();
        let mut counts: BTreeMap<(usize, BarrierId, BarrierSide), usize> = BTreeMap::new();
        for (index, event) in self.events.iter().enumerate() {
            let Some((step, barrier)) = event.step.and_then(|s| Some((s, s.barrier?))) else {
                continue;
            };
            let side = match event.kind {
                EventKind::Leave => BarrierSide::Leave,
                _ => BarrierSide::Arrive,
            };
            // A departure belongs to the barrier phase of the thread's most recent arrival.
            let arrivals = counts.get(&(event.thread, barrier, BarrierSide::Arrive));
            let number = match (side, barrier) {
                (
                    BarrierSide::Leave,
                    BarrierId::Block { .. } | BarrierId::Warp { .. } | BarrierId::Exchange { .. },
                ) => arrivals.map_or(0, |n| n.saturating_sub(1)),
                _ => {
                    let count = counts.entry((event.thread, barrier, side)).or_default();
                    *count += 1;
                    *count - 1
                }
            };
            let phase = phases.entry((barrier, number)).or_default();
            match side {
                BarrierSide::Arrive => {
                    phase.arrivals.push(index);
                    let thread = question.threads.get(event.thread);
                    phase
                        .warps
                        .insert(thread.map_or(0, |thread| thread.thread / 32));
                    phase.count = phase.count.max(step.count.unwrap_or(0));
                }
                BarrierSide::Leave => phase.leaves.push(index),
            }
        }
        for phase in phases.values() {
            if phase.count > 32 * phase.warps.len() as u32 && !phase.leaves.is_empty() {
                return Err(InvalidCombination::Deadlock);
            }
            for arrival in &phase.arrivals {
                let orders = self
                    .events
                    .get(*arrival)
                    .is_some_and(|e| releases(e.words.sem));
                for leave in phase.leaves.iter().filter(|_| orders) {
                    self.base.add(*arrival, *leave);
                }
            }
        }
        Ok(())
    }

    fn compute_morally_strong(&mut self) {
        let n = self.events.len();
        for a in 0..n {
            for b in 0..n {
                let (Some(first), Some(second)) = (self.events.get(a), self.events.get(b)) else {
                    continue;
                };
                let both = first.is_memory() && second.is_memory();
                let overlap = a != b && both && first.overlaps(second);
                let same = overlap && first.cells == second.cells;
                if self.is_morally_strong(a, b) {
                    self.strong.add(a, b);
                }
                if overlap {
                    self.overlap.add(a, b);
                }
                if same {
                    self.same_place.add(a, b);
                }
            }
        }
    }

    fn is_morally_strong(&self, a: usize, b: usize) -> bool {
        let (Some(first), Some(second)) = (self.events.get(a), self.events.get(b)) else {
            return false;
        };
        if a == b || first.kind == EventKind::Init || second.kind == EventKind::Init {
            return false;
        }
        if first.is_memory() && second.is_memory() {
            let apart = first.cells != second.cells || first.proxy() != second.proxy();
            if apart {
                return false;
            }
        }
        let can_be = |event: &Event<'_>| event.is_memory() || event.kind == EventKind::Fence;
        if !can_be(first) || !can_be(second) {
            return false;
        }
        if self.program.has(a, b) || self.program.has(b, a) {
            return true;
        }
        first.is_strong()
            && second.is_strong()
            && scopes_mutually_inclusive(
                ScopeInstance::new(first.words.scope, first.home),
                ScopeInstance::new(second.words.scope, second.home),
            )
    }

    /// Computes the reads on which each write depends. A write depends on a read if its value or its execution depends on the value of the
    /// read.
    fn find_flows(&mut self) {
        for writer in members(self.writers) {
            let event = self.events.get(writer);
            let Some((thread, step)) = event.and_then(|e| Some((e.thread, e.step?))) else {
                continue;
            };
            let mut sources = 0;
            self.add_sources_of(thread, step.depends, &mut sources);
            self.dependencies.add_into(sources & self.readers, writer);
            if step.kind == EventKind::Atomic && step.writes_depend_on_read {
                self.dependencies.add(writer, writer);
            }
        }
    }

    /// Adds the events in the bit mask `depends` to `sources`, with the dependencies of values that other lanes
    /// supplied.
    fn add_sources_of(&self, thread: usize, depends: u64, sources: &mut EventSet) {
        for local in members(u128::from(depends)) {
            let Some(event) = self.event_of(thread, local) else {
                continue;
            };
            if *sources & bit(event) != 0 {
                continue;
            }
            *sources |= bit(event);
            let step = self.events.get(event).and_then(|event| event.step);
            let Some((exchange, values)) = step.and_then(TraceEvent::taken) else {
                continue;
            };
            for (other, _) in values {
                let steps = self.events.iter().filter(|event| event.thread == *other);
                let giver = steps.filter_map(|event| event.step).find(|giver| {
                    let number = giver.given().map(|(given, _)| given.number);
                    number == Some(exchange.number)
                        && giver.barrier == step.and_then(|step| step.barrier)
                });
                if let Some(giver) = giver {
                    self.add_sources_of(*other, giver.depends, sources);
                }
            }
        }
    }

    /// Computes the first operations of the release patterns of each write, and the last operations of the acquire
    /// patterns of each read.
    fn find_patterns(&mut self) {
        for index in members(self.writers | self.readers) {
            let Some(event) = self.events.get(index).filter(|event| event.is_strong()) else {
                continue;
            };
            let (is_write, is_read) = (event.writes(), event.reads());
            let learns = event
                .step
                .is_some_and(|step| step.learns == ReturnsValue::Yes);
            let sem = event.words.sem;
            if is_write {
                let mut starts = if releases(sem) { bit(index) } else { 0 };
                for other in members(self.program.predecessors(index)) {
                    if self.is_pattern_end(other, index, releases) {
                        starts |= bit(other);
                    }
                }
                self.releases[index] = starts;
            }
            if is_read && learns {
                let mut ends = if acquires(sem) { bit(index) } else { 0 };
                for other in members(self.program.successors(index)) {
                    if self.is_pattern_end(other, index, acquires) {
                        ends |= bit(other);
                    }
                }
                self.acquires[index] = ends;
            }
        }
    }

    /// Checks whether the event `other` can begin a release pattern or end an acquire pattern of the event `index`,
    /// because `other` is a fence or an operation on the same location.
    fn is_pattern_end(&self, other: usize, index: usize, operation: fn(Sem) -> bool) -> bool {
        let Some(event) = self
            .events
            .get(other)
            .filter(|event| operation(event.words.sem))
        else {
            return false;
        };
        event.kind == EventKind::Fence || event.is_memory() && self.same_place.has(other, index)
    }

    /// Checks whether an execution can contain a race, because two conflicting accesses are not morally strong.
    pub(crate) fn may_race(&self) -> bool {
        self.conflicts().next().is_some()
    }

    /// Returns the pairs of conflicting accesses that are not morally strong.
    pub(crate) fn conflicts(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let is_init = |event: usize| self.events.get(event).is_none_or(|e| e.step.is_none());
        let own = members(self.writers | self.readers).filter(move |event| !is_init(*event));
        own.flat_map(move |first| {
            let apart = self.overlap.successors(first) & !self.strong.successors(first);
            let later = apart & !low_bits(first + 1);
            let writes = self.writers & bit(first) != 0;
            let others = if writes { later } else { later & self.writers };
            members(others).map(move |second| (first, second))
        })
    }

    /// Checks whether base causality order between two accesses also holds across their proxies: both accesses use the generic proxy, both
    /// accesses use the async proxy in the same block, or proxy fences separate the accesses.
    pub(crate) fn crosses_proxies(&self, base: &Relation, from: usize, to: usize) -> bool {
        let (Some(first), Some(second)) = (self.events.get(from), self.events.get(to)) else {
            return false;
        };
        if !base.has(from, to) {
            return false;
        }
        if first.kind == EventKind::Init || first.is_generic() && second.is_generic() {
            return true;
        }
        let same_block = first.home.block == second.home.block;
        if !first.is_generic() && !second.is_generic() && same_block {
            return true;
        }
        let between = base.successors(from) & base.predecessors(to) & self.proxy_fences;
        let is_shared = self.is_shared.get(from).copied().unwrap_or(false);
        let fits = |fence: usize, block: u64| {
            self.events.get(fence).is_some_and(|event| {
                let covers = event.step.and_then(|step| step.fence_of_proxies);
                let covered = match covers {
                    None => false,
                    Some(FenceCoverage::All) => true,
                    Some(FenceCoverage::Global) => !is_shared,
                    Some(FenceCoverage::Shared) => is_shared,
                };
                covered && event.home.block == block
            })
        };
        match (first.is_generic(), second.is_generic()) {
            (true, _) => members(between).any(|fence| fits(fence, second.home.block)),
            (false, true) => members(between).any(|fence| fits(fence, first.home.block)),
            (false, false) => members(between).any(|near| {
                let far = |far: usize| far == near || base.has(near, far);
                fits(near, first.home.block)
                    && members(between).any(|other| far(other) && fits(other, second.home.block))
            }),
        }
    }
}

/// Side of a barrier event: arrival or departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BarrierSide {
    Arrive,
    Leave,
}

/// Phase of a barrier in the event graph: its arrivals and departures.
#[derive(Default)]
struct BarrierPhase {
    arrivals: Vec<usize>,
    leaves: Vec<usize>,
    warps: BTreeSet<u32>,
    count: u32,
}

/// Returns the cells that the chosen traces access or that the test observes.
fn touched_cells(
    question: &LitmusQuery,
    all: &ThreadTraces,
    chosen: &[&ThreadTrace],
) -> BTreeSet<usize> {
    let steps = chosen.iter().flat_map(|trace| &trace.steps);
    let mut touched: BTreeSet<usize> = steps.flat_map(|step| step.cells.clone()).collect();
    for observed in &question.observed {
        touched.extend(crate::explore::results::cells_of(
            question, &all.cells, observed,
        ));
    }
    touched
}

fn events_of<'a>(
    question: &LitmusQuery,
    touched: &BTreeSet<usize>,
    chosen: &[&'a ThreadTrace],
    stronger: &StrengthenedOrders,
) -> GraphBuilder<'a> {
    let nowhere = ThreadLocation {
        block: u64::MAX,
        cluster: u64::MAX,
    };
    let init = |cell: &usize| Event {
        step: None,
        thread: usize::MAX,
        home: nowhere,
        words: MemoryOrdering::WEAK,
        kind: EventKind::Init,
        cells: (*cell, *cell + 1),
    };
    let mut events: Vec<Event<'a>> = touched.iter().map(init).collect();
    let mut starts = Vec::new();
    let mut places = Vec::new();
    for (thread, trace) in chosen.iter().enumerate() {
        let home = question
            .threads
            .get(thread)
            .map_or(nowhere, |spec| ThreadLocation {
                block: spec.block_index,
                cluster: spec.cluster_index,
            });
        starts.push(events.len());
        places.push(add_thread(&mut events, thread, home, trace, stronger));
    }
    GraphBuilder {
        events,
        starts,
        places,
    }
}

/// Event graph under construction: the events that have been added, and their positions in the traces.
struct GraphBuilder<'a> {
    events: Vec<Event<'a>>,
    starts: Vec<usize>,
    places: Vec<Vec<Option<usize>>>,
}

fn add_thread<'a>(
    events: &mut Vec<Event<'a>>,
    thread: usize,
    home: ThreadLocation,
    trace: &'a ThreadTrace,
    stronger: &StrengthenedOrders,
) -> Vec<Option<usize>> {
    let mut places = Vec::new();
    for step in &trace.steps {
        let slot = match step.kind {
            EventKind::ProxyFence => FenceSlot::Proxies,
            _ => FenceSlot::Memory,
        };
        let own = (thread, step.instruction);
        let words = match step.is_fence_slot {
            true => match stronger.fences.get(&(thread, step.instruction, slot)) {
                Some(words) => *words,
                None => {
                    places.push(None);
                    continue;
                }
            },
            false => match stronger.words.get(&own) {
                Some(words) if !step.overrides_ordering => *words,
                Some(words)
                    if step.entry == OrderingRole::Program && step.is_side_effect_free() =>
                {
                    MemoryOrdering {
                        scope: words.scope,
                        ..step.words
                    }
                }
                _ => step.words,
            },
        };
        places.push(Some(events.len()));
        events.push(Event {
            step: Some(step),
            thread,
            home,
            words,
            kind: step.kind,
            cells: (step.cells.start, step.cells.end),
        });
    }
    places
}
