//! Axioms of the PTX memory model (PTX ISA, "Memory Consistency Model"). Input: a candidate execution. Output: the
//! relations of the execution if it is consistent, or the violated axiom.

use crate::explore::answer::Axiom;
use crate::explore::candidates::{Flow, ReadFrom};
use crate::explore::graph::Graph;
use crate::explore::relation::{Relation, bit, members};
use crate::explore::step::{Entry, NodeKind};

/// Candidate execution with the relations computed so far.
#[derive(Clone, Debug)]
pub(crate) struct Execution<'g, 'a> {
    pub(crate) graph: &'g Graph<'a>,
    pub(crate) reads: &'g [ReadFrom],
    /// Reads-from relation between events.
    pub(crate) from: Relation,
    pub(crate) observation: Relation,
    pub(crate) synchronises: Relation,
    pub(crate) fences: Vec<(usize, usize)>,
    pub(crate) base: Relation,
    /// Causality order, restricted to overlapping accesses.
    pub(crate) causality: Relation,
    pub(crate) coherence: Relation,
}

/// Violated axiom, and the events that show the violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) axiom: Axiom,
    pub(crate) events: Vec<usize>,
}

/// Receives consistent executions and rejected candidates.
pub(crate) trait Sink {
    fn consistent(&mut self, execution: &Execution<'_, '_>) -> Flow;
    fn rejected(&mut self, execution: &Execution<'_, '_>, why: Contradiction);
}

/// Checks the axioms for a candidate execution.
pub(crate) fn hold(graph: &Graph<'_>, reads: &[ReadFrom], sink: &mut dyn Sink) -> Flow {
    let mut execution = Execution::new(graph, reads);
    if let Some(why) = execution.find_base() {
        sink.rejected(&execution, why);
        return Flow::On;
    }
    match order_fences(execution, sink) {
        Flow::Stop => Flow::Stop,
        Flow::On | Flow::NextOrder | Flow::Pause => Flow::On,
    }
}

/// Checks whether a partial reads-from relation already violates an axiom. Additional reads only extend the relations,
/// so no completion is consistent.
pub(crate) fn is_hopeless(graph: &Graph<'_>, reads: &[ReadFrom], sink: &mut dyn Sink) -> bool {
    let mut execution = Execution::new(graph, reads);
    let why = execution.find_base().or_else(|| {
        execution.find_causality();
        execution.contradicts_before_choices()
    });
    match why {
        Some(why) => {
            sink.rejected(&execution, why);
            true
        }
        None => false,
    }
}

/// Maximum number of sequentially consistent fences for which partial orders are not checked in advance.
const FEW_FENCES: usize = 3;

/// Enumerates the orders of the sequentially consistent fences.
fn order_fences(mut execution: Execution<'_, '_>, sink: &mut dyn Sink) -> Flow {
    let graph = execution.graph;
    // Fences that base causality order already orders need no choice.
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
        execution.find_causality();
        return crate::explore::coherence::order_writes(execution, sink);
    };
    for (from, to) in [(first, second), (second, first)] {
        let mut ordered = execution.clone();
        ordered.fences.push((from, to));
        ordered.base.add_closed(from, to, graph.through);
        if graph.sc_fences.len() > FEW_FENCES && ordered.clone().contradicts_so_far(sink) {
            continue;
        }
        match order_fences(ordered, sink) {
            Flow::On | Flow::NextOrder => {}
            flow => return flow,
        }
    }
    Flow::On
}

impl<'g, 'a> Execution<'g, 'a> {
    fn new(graph: &'g Graph<'a>, reads: &'g [ReadFrom]) -> Execution<'g, 'a> {
        let n = graph.events.len();
        let mut execution = Execution {
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

impl Execution<'_, '_> {
    /// Computes base causality order without the fence order. Returns a violated axiom, if any.
    fn find_base(&mut self) -> Option<Contradiction> {
        if let Some(events) = self.comes_from_nothing() {
            let axiom = Axiom::NoThinAir;
            return Some(Contradiction { axiom, events });
        }
        self.observe();
        self.synchronise();
        self.base.close(self.graph.through);
        let event = self.base.reflexive()?;
        Some(Contradiction {
            axiom: Axiom::Causality,
            events: vec![event],
        })
    }

    /// Checks whether the partial fence order already violates an axiom. Further fences only extend causality order.
    fn contradicts_so_far(mut self, sink: &mut dyn Sink) -> bool {
        self.find_causality();
        let why = self.contradicts_before_choices();
        if let Some(why) = why {
            sink.rejected(&self, why);
            return true;
        }
        false
    }

    /// Returns a cycle of dependencies and reads-from edges, which is an out-of-thin-air value.
    fn comes_from_nothing(&self) -> Option<Vec<usize>> {
        let graph = self.graph;
        let mut from_writes = Relation::new(graph.events.len());
        let mut is_empty = true;
        for read in self.reads {
            let decided = graph.flows.after(read.reader);
            from_writes.add_all(read.writer, decided);
            is_empty &= decided == 0;
        }
        if is_empty {
            return None;
        }
        from_writes.close(graph.writers);
        let event = from_writes.reflexive()?;
        let round = from_writes.after(event) & from_writes.before(event);
        Some(members(round).collect())
    }

    /// Computes observation order: a write precedes a morally strong read that takes its value; the relation is
    /// transitive through atomics.
    fn observe(&mut self) {
        let graph = self.graph;
        for writer in members(graph.writers) {
            let strong = self.from.after(writer) & graph.strong.after(writer);
            self.observation.add_all(writer, strong);
        }
        self.observation.close(graph.atomics);
    }

    /// Computes synchronizes-with: release patterns that acquire patterns observe.
    fn synchronise(&mut self) {
        let graph = self.graph;
        for writer in members(graph.writers) {
            let starts = graph.releases.get(writer).copied().unwrap_or(0);
            if starts == 0 {
                continue;
            }
            for reader in members(self.observation.after(writer)) {
                let ends = graph.acquires.get(reader).copied().unwrap_or(0);
                for start in members(starts) {
                    let ends = ends & graph.strong.after(start);
                    self.synchronises.add_all(start, ends);
                    self.base.add_all(start, ends & !bit(start));
                }
            }
        }
    }

    /// Computes causality order between overlapping accesses.
    fn find_causality(&mut self) {
        let graph = self.graph;
        if graph.is_generic {
            for first in members(graph.writers | graph.readers) {
                let observed = members(self.observation.after(first));
                let after = observed.fold(self.base.after(first), |all, read| {
                    all | self.base.after(read)
                });
                self.causality
                    .add_all(first, after & graph.overlap.after(first));
            }
            return;
        }
        for first in members(graph.writers | graph.readers) {
            for second in members(graph.overlap.after(first)) {
                let observed = self.observation.after(first);
                let holds = graph.crosses(&self.base, first, second)
                    || members(observed).any(|read| graph.crosses(&self.base, read, second));
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
            && a.step.is_some_and(|step| step.entry != Entry::Program);
        graph.overlap.has(first, second)
            && (a.writes() || b.writes())
            && a.kind != NodeKind::Init
            && b.kind != NodeKind::Init
            && !of_one
            && !graph.strong.has(first, second)
            && !self.causality.has(first, second)
            && !self.causality.has(second, first)
    }
}
