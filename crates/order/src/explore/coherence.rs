//! Coherence order of overlapping writes, and the axioms that involve it. Input: an execution with its causality order.
//! Output: each consistent coherence order.
//!
//! The order is partial. It contains the pairs that causality orders, and one direction of each morally strong pair.

use crate::explore::answer::Axiom;
use crate::explore::axioms::{Contradiction, Execution, Sink};
use crate::explore::candidates::Flow;
use crate::explore::relation::{Relation, bit, members};

/// Enumerates the coherence orders.
pub(crate) fn order_writes(mut execution: Execution<'_, '_>, sink: &mut dyn Sink) -> Flow {
    if let Some(why) = execution.reads_the_future() {
        sink.rejected(&execution, why);
        return Flow::On;
    }
    execution.start_coherence();
    execution.force();
    let mut first = None;
    let flow = order_rest(&mut execution, sink, &mut first);
    if let Some((failed, why)) = first {
        sink.rejected(&failed, why);
    }
    match flow {
        Flow::Stop => flow,
        Flow::On | Flow::NextOrder | Flow::Pause => Flow::On,
    }
}

/// First rejected order, as long as no order was accepted.
type FirstFailure<'g, 'a> = Option<(Execution<'g, 'a>, Contradiction)>;

fn order_rest<'g, 'a>(
    execution: &mut Execution<'g, 'a>,
    sink: &mut dyn Sink,
    failure: &mut FirstFailure<'g, 'a>,
) -> Flow {
    if let Some(why) = execution.contradicts() {
        if failure.is_none() {
            *failure = Some((execution.clone(), why));
        }
        return Flow::On;
    }
    let Some((first, second)) = execution.undecided() else {
        return sink.consistent(execution);
    };
    let before = execution.coherence.clone();
    for (from, to) in [(first, second), (second, first)] {
        execution.coherence.add_closed(from, to, u128::MAX);
        let flow = order_rest(execution, sink, failure);
        execution.coherence = before.clone();
        match flow {
            Flow::On => {}
            flow => return flow,
        }
    }
    Flow::On
}

impl Execution<'_, '_> {
    /// Returns a violation that exists before any order is chosen.
    pub(crate) fn contradicts_before_choices(&mut self) -> Option<Contradiction> {
        self.reads_the_future().or_else(|| {
            self.start_coherence();
            self.contradicts()
        })
    }

    /// Returns a read whose write follows the read in causality order.
    fn reads_the_future(&self) -> Option<Contradiction> {
        let found = self
            .reads
            .iter()
            .find(|read| self.causality.has(read.reader, read.writer));
        found.map(|read| Contradiction {
            axiom: Axiom::Causality,
            events: vec![read.reader, read.writer],
        })
    }

    /// Initializes coherence order with the initial values, which come first, and with causality order.
    fn start_coherence(&mut self) {
        let graph = self.graph;
        for first in members(graph.writers) {
            let is_init = graph
                .events
                .get(first)
                .is_some_and(|event| event.step.is_none());
            let after = match is_init {
                true => graph.overlap.after(first),
                false => self.causality.after(first),
            };
            self.coherence.add_all(first, after & graph.writers);
        }
        // An atomic follows the write that it reads if both are morally strong. Otherwise the morally strong operations
        // on one location would form a cycle.
        for read in self.reads {
            if graph.atomics & bit(read.reader) != 0 && graph.strong.has(read.writer, read.reader) {
                self.coherence.add(read.writer, read.reader);
            }
        }
        self.coherence.close(graph.writers);
    }

    /// Orders morally strong writes whose order the reads determine: a write that precedes a read in causality order is
    /// not newer than the write that the read takes, and a later write of the same thread is newer.
    fn force(&mut self) {
        let graph = self.graph;
        for read in self.reads {
            let strong = graph.strong.after(read.writer) & self.writers_of(read.cell);
            let own = strong & !bit(read.writer) & !bit(read.reader);
            let open = own & !self.coherence.after(read.writer);
            for older in members(open & self.causality.before(read.reader)) {
                self.coherence.add_closed(older, read.writer, u128::MAX);
            }
            let later = graph.program.after(read.reader) & graph.same_place.after(read.reader);
            if graph.strong.has(read.writer, read.reader) {
                let open = own & !self.coherence.before(read.writer);
                for newer in members(open & later) {
                    self.coherence.add_closed(read.writer, newer, u128::MAX);
                }
            }
        }
    }

    /// Returns two unordered morally strong writes.
    fn undecided(&self) -> Option<(usize, usize)> {
        let graph = self.graph;
        members(graph.writers).find_map(|first| {
            let strong = graph.strong.after(first) & graph.overlap.after(first) & graph.writers;
            let ordered = self.coherence.after(first) | self.coherence.before(first);
            members(strong & !ordered)
                .next()
                .map(|second| (first, second))
        })
    }

    fn contradicts(&self) -> Option<Contradiction> {
        if let Some(event) = self.coherence.reflexive() {
            return Some(Contradiction {
                axiom: Axiom::Coherence,
                events: vec![event],
            });
        }
        self.reads_the_past()
            .or_else(|| self.is_torn())
            .or_else(|| self.is_not_sequential())
    }

    /// Returns a read that takes a stale write: another write follows it in coherence order and precedes the read in
    /// causality order.
    fn reads_the_past(&self) -> Option<Contradiction> {
        self.reads.iter().find_map(|read| {
            let newer = self.coherence.after(read.writer)
                & self.causality.before(read.reader)
                & self.writers_of(read.cell);
            members(newer).next().map(|newer| Contradiction {
                axiom: Axiom::Causality,
                events: vec![newer, read.reader, read.writer],
            })
        })
    }

    fn writers_of(&self, cell: usize) -> u128 {
        self.graph.cell_writers.get(cell).copied().unwrap_or(0)
    }

    /// Returns a morally strong write between the read and the write of an atomic.
    fn is_torn(&self) -> Option<Contradiction> {
        let graph = self.graph;
        let atomic = self
            .reads
            .iter()
            .filter(|read| graph.atomics & bit(read.reader) != 0);
        atomic.into_iter().find_map(|read| {
            let between = self.coherence.after(read.writer)
                & self.coherence.before(read.reader)
                & graph.strong.after(read.reader)
                & self.writers_of(read.cell);
            members(between).next().map(|between| Contradiction {
                axiom: Axiom::Atomicity,
                events: vec![read.writer, between, read.reader],
            })
        })
    }

    /// Returns a violation of sequential consistency per location among morally strong operations.
    fn is_not_sequential(&self) -> Option<Contradiction> {
        let graph = self.graph;
        let mut all = Relation::new(graph.events.len());
        for event in members(graph.writers | graph.readers) {
            let strong = graph.strong.after(event);
            all.add_all(
                event,
                graph.program.after(event) & graph.overlap.after(event),
            );
            all.add_all(event, self.from.after(event) & strong);
            all.add_all(event, self.coherence.after(event) & strong & graph.writers);
        }
        for read in self.reads {
            let later = self.coherence.after(read.writer) & self.writers_of(read.cell);
            let strong = graph.strong.after(read.reader);
            all.add_all(read.reader, later & strong & !bit(read.reader));
        }
        let mut closed = all.clone();
        closed.close(graph.writers | graph.readers);
        let event = closed.reflexive()?;
        let round = closed.after(event) & closed.before(event);
        Some(Contradiction {
            axiom: Axiom::ScPerLocation,
            events: members(round).collect(),
        })
    }
}
