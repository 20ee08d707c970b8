//! Axioms of the PTX memory model (PTX ISA, "Memory Consistency Model"; D. Lustig, S. Sahasrabuddhe and O. Giroux, "A
//! Formal Analysis of the NVIDIA PTX Memory Consistency Model", 2019). For a candidate execution, the check computes
//! the relations between its events, and returns the violated axiom if the execution is inconsistent.

use crate::explore::event::{EventKind, OrderingRole};
use crate::explore::event_graph::EventGraph;
use crate::explore::reads_from_candidates::{ReadsFrom, SearchControl};
use crate::explore::relation::{Relation, bit, members};
use crate::explore::results::Axiom;

/// Candidate execution with the relations that the check of the axioms has computed so far.
#[derive(Clone, Debug)]
pub(crate) struct CandidateExecution<'g, 'a> {
    pub(crate) graph: &'g EventGraph<'a>,
    pub(crate) reads: &'g [ReadsFrom],
    /// Reads-from relation, which relates each write to the events that read from it.
    pub(crate) from: Relation,
    pub(crate) observation: Relation,
    pub(crate) synchronises: Relation,
    pub(crate) fences: Vec<(usize, usize)>,
    pub(crate) base: Relation,
    /// Causality order between overlapping accesses.
    pub(crate) causality: Relation,
    pub(crate) coherence: Relation,
}

/// Axiom that a candidate execution violates, with the events that prove the violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViolationEvidence {
    pub(crate) axiom: Axiom,
    pub(crate) events: Vec<usize>,
}

/// Visitor that receives the consistent executions and the rejected candidate executions.
pub(crate) trait ExecutionVisitor {
    fn consistent(&mut self, execution: &CandidateExecution<'_, '_>) -> SearchControl;
    fn rejected(&mut self, execution: &CandidateExecution<'_, '_>, reason: ViolationEvidence);
}

/// Checks the axioms for a candidate execution.
pub(crate) fn check_axioms(
    graph: &EventGraph<'_>,
    reads: &[ReadsFrom],
    sink: &mut dyn ExecutionVisitor,
) -> SearchControl {
    let mut execution = CandidateExecution::new(graph, reads);
    if let Some(reason) = execution.find_base() {
        sink.rejected(&execution, reason);
        return SearchControl::Continue;
    }
    match order_fences(execution, sink) {
        SearchControl::Stop => SearchControl::Stop,
        SearchControl::Continue | SearchControl::SkipFenceOrder | SearchControl::Pause => {
            SearchControl::Continue
        }
    }
}

/// Checks whether a partial reads-from relation already violates an axiom. Additional reads only add pairs to the relations of an
/// execution. Therefore, every extension of an inconsistent reads-from relation is also inconsistent.
pub(crate) fn is_inconsistent_prefix(
    graph: &EventGraph<'_>,
    reads: &[ReadsFrom],
    sink: &mut dyn ExecutionVisitor,
) -> bool {
    let mut execution = CandidateExecution::new(graph, reads);
    let reason = execution.find_base().or_else(|| {
        execution.compute_causality_order();
        execution.find_forced_violation()
    });
    match reason {
        Some(reason) => {
            sink.rejected(&execution, reason);
            true
        }
        None => false,
    }
}

/// Maximum number of sequentially consistent fences for which the enumeration checks only complete fence orders. With more fences, it also
/// checks partial fence orders to prune the enumeration.
const MAX_ENUMERATED_FENCES: usize = 3;

/// Enumerates the orders of the sequentially consistent fences, and checks the axioms for each order.
fn order_fences(
    mut execution: CandidateExecution<'_, '_>,
    sink: &mut dyn ExecutionVisitor,
) -> SearchControl {
    let graph = execution.graph;
    // Find a pair of fences that base causality order leaves unordered, because only the order of such pairs must be chosen.
    let open = graph.sc_fences.iter().enumerate().find_map(|(n, first)| {
        let later = graph.sc_fences.iter().skip(n + 1);
        let mut later = later.filter(|second| {
            let base = &execution.base;
            graph.strong.has(*first, **second)
                && !base.has(*first, **second)
                && !base.has(**second, *first)
        });
        later.next().map(|second| (*first, *second))
    });
    let Some((first, second)) = open else {
        execution.compute_causality_order();
        return crate::explore::coherence::order_writes(execution, sink);
    };
    for (from, to) in [(first, second), (second, first)] {
        let mut ordered = execution.clone();
        ordered.fences.push((from, to));
        ordered
            .base
            .add_closed(from, to, graph.base_causality_edges);
        if graph.sc_fences.len() > MAX_ENUMERATED_FENCES
            && ordered.clone().find_partial_violation(sink)
        {
            continue;
        }
        match order_fences(ordered, sink) {
            SearchControl::Continue | SearchControl::SkipFenceOrder => {}
            flow => return flow,
        }
    }
    SearchControl::Continue
}

impl<'g, 'a> CandidateExecution<'g, 'a> {
    fn new(graph: &'g EventGraph<'a>, reads: &'g [ReadsFrom]) -> CandidateExecution<'g, 'a> {
        let n = graph.events.len();
        let mut execution = CandidateExecution {
            graph,
            reads,
            from: Relation::new(n),
            observation: Relation::new(n),
            synchronises: Relation::new(n),
            fences: Vec::new(),
            base: graph.base.clone(),
            causality: Relation::new(n),
            coherence: Relation::new(n),
        };
        for read in reads {
            execution.from.add(read.writer, read.reader);
        }
        execution
    }
}

impl CandidateExecution<'_, '_> {
    /// Computes base causality order without the order of the sequentially consistent fences. Returns a violation if
    /// the resulting relations already violate an axiom.
    fn find_base(&mut self) -> Option<ViolationEvidence> {
        if let Some(events) = self.thin_air_cycle() {
            let axiom = Axiom::NoThinAir;
            return Some(ViolationEvidence { axiom, events });
        }
        self.compute_observation();
        self.compute_synchronizes();
        self.base
            .transitive_closure(self.graph.base_causality_edges);
        let event = self.base.find_cycle()?;
        Some(ViolationEvidence {
            axiom: Axiom::Causality,
            events: vec![event],
        })
    }

    /// Checks whether the partial fence order already violates an axiom. A partial order is sufficient for this check, because ordering
    /// further fences only extends causality order.
    fn find_partial_violation(mut self, sink: &mut dyn ExecutionVisitor) -> bool {
        self.compute_causality_order();
        let reason = self.find_forced_violation();
        if let Some(reason) = reason {
            sink.rejected(&self, reason);
            return true;
        }
        false
    }

    /// Returns a cycle of dependencies and reads-from edges. The values on a cycle are out-of-thin-air values.
    fn thin_air_cycle(&self) -> Option<Vec<usize>> {
        let graph = self.graph;
        let mut from_writes = Relation::new(graph.events.len());
        let mut is_empty = true;
        for read in self.reads {
            let decided = graph.dependencies.successors(read.reader);
            from_writes.add_all(read.writer, decided);
            is_empty &= decided == 0;
        }
        if is_empty {
            return None;
        }
        from_writes.transitive_closure(graph.writers);
        let event = from_writes.find_cycle()?;
        let round = from_writes.successors(event) & from_writes.predecessors(event);
        Some(members(round).collect())
    }

    /// Computes observation order. A write precedes each morally strong read that reads from it. The order is
    /// transitive through atomics: if an atomic reads from a write, the write also precedes each read that reads from
    /// this atomic.
    fn compute_observation(&mut self) {
        let graph = self.graph;
        for writer in members(graph.writers) {
            let strong = self.from.successors(writer) & graph.strong.successors(writer);
            self.observation.add_all(writer, strong);
        }
        self.observation.transitive_closure(graph.atomics);
    }

    /// Computes the synchronizes-with relation: a release pattern synchronizes with each acquire pattern that observes
    /// it.
    fn compute_synchronizes(&mut self) {
        let graph = self.graph;
        for writer in members(graph.writers) {
            let starts = graph.releases.get(writer).copied().unwrap_or(0);
            if starts == 0 {
                continue;
            }
            for reader in members(self.observation.successors(writer)) {
                let ends = graph.acquires.get(reader).copied().unwrap_or(0);
                for start in members(starts) {
                    let ends = ends & graph.strong.successors(start);
                    self.synchronises.add_all(start, ends);
                    self.base.add_all(start, ends & !bit(start));
                }
            }
        }
    }

    /// Computes causality order between overlapping accesses.
    fn compute_causality_order(&mut self) {
        let graph = self.graph;
        if graph.is_generic {
            for first in members(graph.writers | graph.readers) {
                let observed = members(self.observation.successors(first));
                let after = observed.fold(self.base.successors(first), |all, read| {
                    all | self.base.successors(read)
                });
                self.causality
                    .add_all(first, after & graph.overlap.successors(first));
            }
            return;
        }
        for first in members(graph.writers | graph.readers) {
            for second in members(graph.overlap.successors(first)) {
                let observed = self.observation.successors(first);
                let holds = graph.crosses_proxies(&self.base, first, second)
                    || members(observed)
                        .any(|read| graph.crosses_proxies(&self.base, read, second));
                if holds {
                    self.causality.add(first, second);
                }
            }
        }
    }

    /// Checks whether two accesses race: they conflict, are not morally strong, and are unordered in causality order.
    pub(crate) fn races(&self, first: usize, second: usize) -> bool {
        let graph = self.graph;
        let (Some(a), Some(b)) = (graph.events.get(first), graph.events.get(second)) else {
            return false;
        };
        let of_one = a.thread == b.thread
            && a.step.map(|step| step.instance) == b.step.map(|step| step.instance)
            && a.step
                .is_some_and(|step| step.entry != OrderingRole::Program);
        graph.overlap.has(first, second)
            && (a.writes() || b.writes())
            && a.kind != EventKind::Init
            && b.kind != EventKind::Init
            && !of_one
            && !graph.strong.has(first, second)
            && !self.causality.has(first, second)
            && !self.causality.has(second, first)
    }
}
