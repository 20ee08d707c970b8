//! Coherence: the order of overlapping writes, and the axioms that speak of it. In: an execution with its causality; out: each order of the
//! writes that contradicts nothing.
//!
//! The order is partial. It has each pair that causality orders, and each morally strong pair one way or the other.

use crate::explore::answer::Axiom;
use crate::explore::axioms::{Contradiction, Execution, Sink};
use crate::explore::candidates::Flow;
use crate::explore::relation::{Relation, bit, members};

/// Tries every order of the writes.
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

/// The first order that failed, as long as none has held.
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
    /// What is wrong before any choice of order is made.
    pub(crate) fn contradicts_before_choices(&mut self) -> Option<Contradiction> {
        self.reads_the_future().or_else(|| {
            self.start_coherence();
            self.contradicts()
        })
    }

    /// A read that returns a write which causality puts after it.
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

    /// What is there before any choice: the initial values come first, and causality holds.
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
        // An atomic comes after what it reads, where both are morally strong: else one place would go round in a circle.
        for read in self.reads {
            if graph.atomics & bit(read.reader) != 0 && graph.strong.has(read.writer, read.reader) {
                self.coherence.add(read.writer, read.reader);
            }
        }
        self.coherence.close(graph.writers);
    }

    /// Orders morally strong writes that reads leave no choice: what causality puts before a read is not newer than what it takes, and what its
    /// thread writes after it is.
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

    /// Two morally strong writes without an order.
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

    /// A read that returns a write which coherence puts before one that causality puts before the read.
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

    /// A morally strong write between what an atomic reads and what it writes.
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

    /// One place, seen through morally strong operations, is sequentially consistent.
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
