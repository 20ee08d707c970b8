//! Coherence order of overlapping writes, and the axioms that involve coherence order. The module enumerates the consistent coherence
//! orders of an execution whose causality order is known.
//!
//! Coherence order is a partial order. The order contains all pairs of overlapping writes that causality order orders, and one direction of
//! each pair of morally strong writes.

use crate::explore::axioms::{CandidateExecution, ExecutionVisitor, ViolationEvidence};
use crate::explore::reads_from_candidates::SearchControl;
use crate::explore::relation::{Relation, bit, members};
use crate::explore::results::Axiom;

/// Enumerates the coherence orders of an execution.
pub(crate) fn order_writes(
    mut execution: CandidateExecution<'_, '_>,
    sink: &mut dyn ExecutionVisitor,
) -> SearchControl {
    if let Some(reason) = execution.reads_later_write() {
        sink.rejected(&execution, reason);
        return SearchControl::Continue;
    }
    execution.start_coherence();
    execution.add_forced_edges();
    let mut first = None;
    let flow = enumerate_remaining(&mut execution, sink, &mut first);
    if let Some((failed, reason)) = first {
        sink.rejected(&failed, reason);
    }
    match flow {
        SearchControl::Stop => flow,
        SearchControl::Continue | SearchControl::SkipFenceOrder | SearchControl::Pause => {
            SearchControl::Continue
        }
    }
}

/// Execution with the first rejected coherence order and its violation, or `None` if a coherence order was accepted.
type FirstFailure<'g, 'a> = Option<(CandidateExecution<'g, 'a>, ViolationEvidence)>;

fn enumerate_remaining<'g, 'a>(
    execution: &mut CandidateExecution<'g, 'a>,
    sink: &mut dyn ExecutionVisitor,
    failure: &mut FirstFailure<'g, 'a>,
) -> SearchControl {
    if let Some(reason) = execution.find_violation() {
        if failure.is_none() {
            *failure = Some((execution.clone(), reason));
        }
        return SearchControl::Continue;
    }
    let Some((first, second)) = execution.unordered_writes() else {
        return sink.consistent(execution);
    };
    let before = execution.coherence.clone();
    for (from, to) in [(first, second), (second, first)] {
        execution.coherence.add_closed(from, to, u128::MAX);
        let flow = enumerate_remaining(execution, sink, failure);
        execution.coherence = before.clone();
        match flow {
            SearchControl::Continue => {}
            flow => return flow,
        }
    }
    SearchControl::Continue
}

impl CandidateExecution<'_, '_> {
    /// Returns an axiom violation that exists in every coherence order of the execution.
    pub(crate) fn find_forced_violation(&mut self) -> Option<ViolationEvidence> {
        self.reads_later_write().or_else(|| {
            self.start_coherence();
            self.find_violation()
        })
    }

    /// Returns a read that reads from a write which follows the read in causality order.
    fn reads_later_write(&self) -> Option<ViolationEvidence> {
        let found = self
            .reads
            .iter()
            .find(|read| self.causality.has(read.reader, read.writer));
        found.map(|read| ViolationEvidence {
            axiom: Axiom::Causality,
            events: vec![read.reader, read.writer],
        })
    }

    /// Initializes coherence order with the causality order between writes, and with the initial values before all
    /// other writes.
    fn start_coherence(&mut self) {
        let graph = self.graph;
        for first in members(graph.writers) {
            let is_init = graph
                .events
                .get(first)
                .is_some_and(|event| event.step.is_none());
            let after = match is_init {
                true => graph.overlap.successors(first),
                false => self.causality.successors(first),
            };
            self.coherence.add_all(first, after & graph.writers);
        }
        // In coherence order, an atomic follows the write that it reads if both operations are morally strong. Otherwise, the morally
        // strong operations on this location would form a cycle.
        for read in self.reads {
            if graph.atomics & bit(read.reader) != 0 && graph.strong.has(read.writer, read.reader) {
                self.coherence.add(read.writer, read.reader);
            }
        }
        self.coherence.transitive_closure(graph.writers);
    }

    /// Orders the morally strong writes whose order the reads-from relation determines. A write that precedes a read in
    /// causality order is not newer, in coherence order, than the write from which the read takes its value. A write
    /// that follows the read in the same thread is newer than the write from which the read takes its value.
    fn add_forced_edges(&mut self) {
        let graph = self.graph;
        for read in self.reads {
            let strong = graph.strong.successors(read.writer) & self.writers_of(read.cell);
            let own = strong & !bit(read.writer) & !bit(read.reader);
            let open = own & !self.coherence.successors(read.writer);
            for older in members(open & self.causality.predecessors(read.reader)) {
                self.coherence.add_closed(older, read.writer, u128::MAX);
            }
            let later =
                graph.program.successors(read.reader) & graph.same_place.successors(read.reader);
            if graph.strong.has(read.writer, read.reader) {
                let open = own & !self.coherence.predecessors(read.writer);
                for newer in members(open & later) {
                    self.coherence.add_closed(read.writer, newer, u128::MAX);
                }
            }
        }
    }

    /// Returns two morally strong writes that the current coherence order leaves unordered.
    fn unordered_writes(&self) -> Option<(usize, usize)> {
        let graph = self.graph;
        members(graph.writers).find_map(|first| {
            let strong =
                graph.strong.successors(first) & graph.overlap.successors(first) & graph.writers;
            let ordered = self.coherence.successors(first) | self.coherence.predecessors(first);
            members(strong & !ordered)
                .next()
                .map(|second| (first, second))
        })
    }

    fn find_violation(&self) -> Option<ViolationEvidence> {
        if let Some(event) = self.coherence.find_cycle() {
            return Some(ViolationEvidence {
                axiom: Axiom::Coherence,
                events: vec![event],
            });
        }
        self.reads_stale_write()
            .or_else(|| self.atomicity_violation())
            .or_else(|| self.sc_per_location_violation())
    }

    /// Returns a read that takes its value from a stale write. A write is stale if another write follows it in
    /// coherence order and precedes the read in causality order.
    fn reads_stale_write(&self) -> Option<ViolationEvidence> {
        self.reads.iter().find_map(|read| {
            let newer = self.coherence.successors(read.writer)
                & self.causality.predecessors(read.reader)
                & self.writers_of(read.cell);
            members(newer).next().map(|newer| ViolationEvidence {
                axiom: Axiom::Causality,
                events: vec![newer, read.reader, read.writer],
            })
        })
    }

    fn writers_of(&self, cell: usize) -> u128 {
        self.graph.cell_writers.get(cell).copied().unwrap_or(0)
    }

    /// Returns a violation of atomicity, which is a morally strong write between the read and the write of an atomic in
    /// coherence order.
    fn atomicity_violation(&self) -> Option<ViolationEvidence> {
        let graph = self.graph;
        let atomic = self
            .reads
            .iter()
            .filter(|read| graph.atomics & bit(read.reader) != 0);
        atomic.into_iter().find_map(|read| {
            let between = self.coherence.successors(read.writer)
                & self.coherence.predecessors(read.reader)
                & graph.strong.successors(read.reader)
                & self.writers_of(read.cell);
            members(between).next().map(|between| ViolationEvidence {
                axiom: Axiom::Atomicity,
                events: vec![read.writer, between, read.reader],
            })
        })
    }

    /// Returns a violation of sequential consistency per location among morally strong operations.
    fn sc_per_location_violation(&self) -> Option<ViolationEvidence> {
        let graph = self.graph;
        let mut all = Relation::new(graph.events.len());
        for event in members(graph.writers | graph.readers) {
            let strong = graph.strong.successors(event);
            all.add_all(
                event,
                graph.program.successors(event) & graph.overlap.successors(event),
            );
            all.add_all(event, self.from.successors(event) & strong);
            all.add_all(
                event,
                self.coherence.successors(event) & strong & graph.writers,
            );
        }
        for read in self.reads {
            let later = self.coherence.successors(read.writer) & self.writers_of(read.cell);
            let strong = graph.strong.successors(read.reader);
            all.add_all(read.reader, later & strong & !bit(read.reader));
        }
        let mut closed = all.clone();
        closed.transitive_closure(graph.writers | graph.readers);
        let event = closed.find_cycle()?;
        let round = closed.successors(event) & closed.predecessors(event);
        Some(ViolationEvidence {
            axiom: Axiom::ScPerLocation,
            events: members(round).collect(),
        })
    }
}
