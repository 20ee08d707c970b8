//! What is found: outcomes, executions that show them, axioms that forbid others, races. Events are named by thread and instruction.

use crate::explore::axioms::{Contradiction, Execution};
use crate::explore::cells::Cells;
use crate::explore::graph::Graph;
use crate::explore::question::{Observed, Question};
use crate::explore::relation::{Relation, members};
use crate::explore::step::{NodeKind, Words};
use std::collections::BTreeSet;
use std::ops::Range;

/// Everything about a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// All outcomes that the model allows, sorted; none where it promises nothing.
    pub outcomes: Option<Vec<Outcome>>,
    /// Outcomes that reads and writes could make and the model forbids, sorted.
    pub forbidden: Vec<Forbidden>,
    /// Lower bound for the number of forbidden outcomes that are not listed.
    pub more_forbidden: usize,
    pub races: Vec<RacePair>,
    /// Number of examined candidate executions.
    pub candidates: u64,
    /// Rounds after which a loop that does more than wait was cut off, where one was.
    pub cut_off_after: Option<usize>,
}

/// Allowed outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub values: Vec<u64>,
    pub races: Races,
    /// Whether some order of all instructions, one after the other, reaches it.
    pub is_interleaving: bool,
    pub witness: Witness,
}

/// Whether executions with an outcome have a data race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RacesName"))]
pub enum Races {
    Always,
    Sometimes,
    Never,
}

/// An outcome that is forbidden, the axiom, and the candidate that comes nearest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    pub values: Vec<u64>,
    pub violation: Violation,
    pub witness: Witness,
}

/// What a candidate contradicts; events are nodes of its witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub axiom: Axiom,
    pub nodes: Vec<usize>,
}

/// Axioms of the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AxiomName"))]
pub enum Axiom {
    /// No value comes from itself.
    NoThinAir,
    /// A read returns no write that causality puts after it, and none older than one that causality puts before it.
    Causality,
    /// Coherence has no cycle, and agrees with causality.
    Coherence,
    /// Morally strong operations on one location are sequentially consistent.
    ScPerLocation,
    /// No morally strong write falls between what an atomic reads and what it writes.
    Atomicity,
}

/// Two places in the text whose accesses race in some execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RacePair {
    /// Thread and instruction.
    pub first: (usize, u32),
    pub second: (usize, u32),
    /// Whether the accesses overlap only in part.
    pub in_part: bool,
}

/// An execution as a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// Event of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub kind: NodeKind,
    /// Thread of the event. Absent for initial values.
    pub place: Option<(usize, u32)>,
    pub words: Words,
    /// Location and byte in it, where memory is accessed.
    pub location: Option<(usize, u64)>,
    /// That are accessed; the values of more than eight are digests.
    pub n_bytes: u64,
    pub read: Option<u64>,
    pub written: Option<u64>,
    pub is_asynchronous: bool,
    /// Whether lanes of a warp tell each other something there.
    pub is_exchange: bool,
}

/// Relation between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EdgeName"))]
pub enum EdgeKind {
    /// The second reads what the first writes.
    ReadsFrom,
    Coherence,
    /// The first reads what is older than what the second writes.
    FromRead,
    Synchronises,
    FenceOrder,
    Barrier,
    /// Asynchronous: starts after, or completes.
    Asynchronous,
    /// Of base causality; named only where an axiom speaks of it.
    Causality,
}

/// Edge between two nodes, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EdgeView"))]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
}

/// The cells of what is observed in memory.
pub(crate) fn cells_of(question: &Question, cells: &Cells, observed: &Observed) -> Range<usize> {
    let Observed::Memory { location, element } = observed else {
        return 0..0;
    };
    let Some(location) = question.locations.get(*location) else {
        return 0..0;
    };
    let size = u64::from(location.element_bytes);
    match cells.find(location.start + size * *element as u64, size) {
        crate::explore::cells::Found::Cells(cells) => cells,
        crate::explore::cells::Found::Cut(_) | crate::explore::cells::Found::Nothing => 0..0,
    }
}

impl Execution<'_, '_> {
    /// The execution as a graph; where it contradicts an axiom, with the steps that do.
    pub(crate) fn witness(&self, cells: &Cells, why: Option<&Contradiction>) -> Witness {
        let graph = self.graph;
        let shown = self.shown();
        let number = |event: usize| shown.iter().position(|other| *other == event);
        let mut edges = Vec::new();
        let mut add = |from: usize, to: usize, kind: EdgeKind| {
            if let (Some(from), Some(to)) = (number(from), number(to))
                && from != to
            {
                edges.push(Edge { from, to, kind });
            }
        };
        for read in self.reads {
            add(read.writer, read.reader, EdgeKind::ReadsFrom);
        }
        for (from, to) in reduced(&self.coherence, graph.writers) {
            if graph.overlap.has(from, to) {
                add(from, to, EdgeKind::Coherence);
            }
        }
        for from in 0..graph.events.len() {
            for to in members(self.synchronises.after(from)) {
                if !graph.program.has(from, to) {
                    add(from, to, EdgeKind::Synchronises);
                }
            }
        }
        for (from, to) in &self.fences {
            add(*from, *to, EdgeKind::FenceOrder);
        }
        self.add_base(&mut add);
        if let Some(why) = why {
            self.add_contradiction(why, &mut add);
        }
        edges.sort_unstable();
        edges.dedup();
        let nodes = shown.iter().filter_map(|event| node(graph, cells, *event));
        Witness {
            nodes: nodes.collect(),
            edges,
        }
    }

    /// Barriers and what is asynchronous.
    fn add_base(&self, add: &mut dyn FnMut(usize, usize, EdgeKind)) {
        let graph = self.graph;
        for (from, event) in graph.events.iter().enumerate() {
            for to in members(graph.base.after(from) & !graph.program.after(from)) {
                let Some(other) = graph.events.get(to) else {
                    continue;
                };
                match (event.kind, other.kind) {
                    (NodeKind::Init, _) => {}
                    (NodeKind::Arrive, NodeKind::Leave) if event.thread != other.thread => {
                        add(from, to, EdgeKind::Barrier);
                    }
                    _ if event.thread == other.thread && is_asynchronous(event, other) => {
                        add(from, to, EdgeKind::Asynchronous);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The steps that an axiom speaks of.
    fn add_contradiction(&self, why: &Contradiction, add: &mut dyn FnMut(usize, usize, EdgeKind)) {
        match (why.axiom, why.events.as_slice()) {
            (Axiom::Causality, [newer, read, old]) => {
                add(*newer, *read, EdgeKind::Causality);
                add(*old, *newer, EdgeKind::Coherence);
                add(*read, *newer, EdgeKind::FromRead);
            }
            (Axiom::Causality, [read, write]) => add(*read, *write, EdgeKind::Causality),
            (Axiom::Atomicity, [old, between, atomic]) => {
                add(*old, *between, EdgeKind::Coherence);
                add(*between, *atomic, EdgeKind::Coherence);
            }
            (Axiom::ScPerLocation, events) => {
                for read in self
                    .reads
                    .iter()
                    .filter(|read| events.contains(&read.reader))
                {
                    let later = self.coherence.after(read.writer);
                    for write in events.iter().filter(|w| **w != read.reader) {
                        if later & crate::explore::relation::bit(*write) != 0 {
                            add(read.reader, *write, EdgeKind::FromRead);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Events that are worth a box: copies where a thread accesses the same cells, initial values where those read them.
    fn shown(&self) -> Vec<usize> {
        use crate::explore::step::Entry;
        let graph = self.graph;
        let of_threads = graph
            .events
            .iter()
            .filter(|event| event.step.is_some_and(|step| step.entry != Entry::Started));
        let touched: BTreeSet<usize> = of_threads.flat_map(|event| event.cells()).collect();
        let is_kept = |event: &usize| {
            let found = graph
                .events
                .get(*event)
                .filter(|e| e.kind != NodeKind::Init);
            found.is_some_and(|e| {
                e.step.is_some_and(|step| step.entry != Entry::Started)
                    || e.cells().any(|cell| touched.contains(&cell))
            })
        };
        let is_shown = |event: &usize| {
            let is_init = graph
                .events
                .get(*event)
                .is_some_and(|e| e.kind == NodeKind::Init);
            match is_init {
                true => members(self.from.after(*event)).any(|reader| is_kept(&reader)),
                false => is_kept(event),
            }
        };
        (0..graph.events.len()).filter(is_shown).collect()
    }

    /// The events of a contradiction as nodes of the witness.
    pub(crate) fn violation(&self, why: &Contradiction) -> Violation {
        let shown = self.shown();
        let number = |event: &usize| shown.iter().position(|other| other == event);
        Violation {
            axiom: why.axiom,
            nodes: why.events.iter().filter_map(number).collect(),
        }
    }
}

fn is_asynchronous(
    event: &crate::explore::graph::Event<'_>,
    other: &crate::explore::graph::Event<'_>,
) -> bool {
    use crate::explore::step::Entry;
    let entry = |event: &crate::explore::graph::Event<'_>| event.step.map(|step| step.entry);
    entry(event) == Some(Entry::Started) || entry(other) == Some(Entry::Completed)
}

/// A closed relation without what follows from the rest.
fn reduced(relation: &Relation, among: u128) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for from in members(among) {
        let after = relation.after(from) & among;
        for to in members(after) {
            let between = after & relation.before(to);
            if between == 0 {
                pairs.push((from, to));
            }
        }
    }
    pairs
}

fn node(graph: &Graph<'_>, cells: &Cells, event: usize) -> Option<Node> {
    let found = graph.events.get(event)?;
    let first = cells.list.get(found.cells.0);
    let location = first.filter(|_| found.is_memory());
    let joined = |values: &[u64]| cells.join(found.cells(), values);
    let init = first.map(|cell| cell.init);
    Some(Node {
        kind: found.kind,
        place: found.step.map(|step| (found.thread, step.instruction)),
        words: found.words,
        location: location.map(|cell| (cell.location, cell.start)),
        n_bytes: cells
            .list
            .get(found.cells())
            .unwrap_or(&[])
            .iter()
            .map(|cell| u64::from(cell.n_bytes))
            .sum(),
        read: found
            .step
            .filter(|_| found.reads())
            .map(|step| joined(&step.reads)),
        written: match found.step {
            Some(step) if step.given().is_some() => step.given().map(|(_, value)| value),
            Some(step) => found.writes().then(|| joined(&step.writes)),
            None => init,
        },
        is_asynchronous: found
            .step
            .is_some_and(|step| step.entry != crate::explore::step::Entry::Program),
        is_exchange: found.step.is_some_and(|step| step.exchange.is_some()),
    })
}
