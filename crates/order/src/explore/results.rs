//! Results of an exploration: outcomes, witness executions, violated axioms and races. The results identify each event
//! by its thread and its instruction.

use crate::explore::axioms::{CandidateExecution, ViolationEvidence};
use crate::explore::event::{EventKind, MemoryOrdering};
use crate::explore::event_graph::EventGraph;
use crate::explore::memory_cells::CellPartition;
use crate::explore::query::{LitmusQuery, ObservedValue};
use crate::explore::relation::{Relation, members};
use std::collections::BTreeSet;
use std::ops::Range;

/// Result of the exploration of a litmus test: allowed and forbidden outcomes, races, and the extent of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplorationResult {
    /// All allowed outcomes in sorted order, or `None` if the memory model gives no guarantees for the test.
    pub outcomes: Option<Vec<Outcome>>,
    /// Outcomes of combinations of traces that the memory model forbids, in sorted order.
    pub forbidden: Vec<ForbiddenOutcome>,
    /// Lower bound for the number of forbidden outcomes that `forbidden` does not list.
    pub n_forbidden_omitted: usize,
    pub races: Vec<RacePair>,
    /// Number of examined candidate executions.
    pub candidates: u64,
    /// Number of iterations after which the exploration truncated a loop, or `None` if it truncated only polling loops.
    pub truncated_after: Option<usize>,
}

/// Outcome that the memory model allows: the observed values, with a witness execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub values: Vec<u64>,
    pub races: RaceFrequency,
    /// Whether an interleaving of the instructions of all threads produces the outcome.
    pub is_interleaving: bool,
    pub witness: Witness,
}

/// Fraction of the executions with an outcome that have a data race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RacesName"))]
pub enum RaceFrequency {
    Always,
    Sometimes,
    Never,
}

/// Outcome that the memory model forbids, with the violated axiom and the candidate execution that comes closest to consistency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForbiddenOutcome {
    pub values: Vec<u64>,
    pub violation: AxiomViolation,
    pub witness: Witness,
}

/// Axiom that a witness execution violates, with the nodes of the witness that show the violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxiomViolation {
    pub axiom: Axiom,
    pub nodes: Vec<usize>,
}

/// Axiom of the PTX memory model, which every consistent execution satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AxiomName"))]
pub enum Axiom {
    /// A value must not depend on itself, which excludes out-of-thin-air values.
    NoThinAir,
    /// A read does not return the value of a write that follows the read in causality order. The read also does not return the value of a
    /// stale write, which precedes in coherence order a write that precedes the read in causality order.
    Causality,
    /// Coherence order is acyclic and agrees with causality order.
    Coherence,
    /// Morally strong operations on one location are sequentially consistent.
    ScPerLocation,
    /// No morally strong write is between the read and the write of an atomic in coherence order.
    Atomicity,
}

/// Pair of instructions whose accesses race in some execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RacePair {
    /// Thread and instruction of the first access.
    pub first: (usize, u32),
    pub second: (usize, u32),
    /// Whether the two accesses overlap only partially.
    pub is_partial_overlap: bool,
}

/// Execution as a graph of events and their relations, which hosts display as the evidence of an outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    pub nodes: Vec<WitnessNode>,
    pub edges: Vec<WitnessEdge>,
}

/// Event of a witness execution: its instruction, location, value and memory ordering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessNode {
    pub kind: EventKind,
    /// Thread and instruction of the event, or `None` for initial values.
    pub place: Option<(usize, u32)>,
    pub words: MemoryOrdering,
    /// Accessed location, and the byte offset of the access in this location.
    pub location: Option<(usize, u64)>,
    /// Number of accessed bytes. The value of an access to more than eight bytes is a digest.
    pub n_bytes: u64,
    pub read: Option<u64>,
    pub written: Option<u64>,
    pub is_asynchronous: bool,
    /// Whether the event is an exchange between lanes of a warp.
    pub is_exchange: bool,
}

/// Kind of an edge in a witness execution, which is a relation between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EdgeName"))]
pub enum EdgeKind {
    /// The second event reads the value of the first event.
    ReadsFrom,
    Coherence,
    /// The first event takes its value from a write that precedes the second event in coherence order.
    FromRead,
    #[cfg_attr(feature = "serde", serde(rename = "synchronises"))]
    SynchronizesWith,
    FenceOrder,
    Barrier,
    /// The second event belongs to an asynchronous operation that starts after the first event, or the first event belongs to an operation
    /// that completes before the second event.
    Asynchronous,
    /// The first event precedes the second event in base causality order. Such edges are present only if the violated axiom involves
    /// causality.
    Causality,
}

/// Edge of a witness execution between two nodes, given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "EdgeView"))]
pub struct WitnessEdge {
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
}

/// Returns the cells that contain an observed memory element.
pub(crate) fn cells_of(
    question: &LitmusQuery,
    cells: &CellPartition,
    observed: &ObservedValue,
) -> Range<usize> {
    let ObservedValue::Memory { location, element } = observed else {
        return 0..0;
    };
    let Some(location) = question.locations.get(*location) else {
        return 0..0;
    };
    let size = u64::from(location.element_bytes);
    match cells.find(location.start + size * *element as u64, size) {
        crate::explore::memory_cells::CellLookup::Cells(cells) => cells,
        crate::explore::memory_cells::CellLookup::Cut(_)
        | crate::explore::memory_cells::CellLookup::Nothing => 0..0,
    }
}

impl CandidateExecution<'_, '_> {
    /// Returns the execution as a graph. If `reason` is `Some`, the graph contains the edges that prove the axiom
    /// violation.
    pub(crate) fn witness(
        &self,
        cells: &CellPartition,
        reason: Option<&ViolationEvidence>,
    ) -> Witness {
        let graph = self.graph;
        let shown = self.visible_events();
        let number = |event: usize| shown.iter().position(|other| *other == event);
        let mut edges = Vec::new();
        let mut add = |from: usize, to: usize, kind: EdgeKind| {
            if let (Some(from), Some(to)) = (number(from), number(to))
                && from != to
            {
                edges.push(WitnessEdge { from, to, kind });
            }
        };
        for read in self.reads {
            add(read.writer, read.reader, EdgeKind::ReadsFrom);
        }
        for (from, to) in transitive_reduction(&self.coherence, graph.writers) {
            if graph.overlap.has(from, to) {
                add(from, to, EdgeKind::Coherence);
            }
        }
        for from in 0..graph.events.len() {
            for to in members(self.synchronises.successors(from)) {
                if !graph.program.has(from, to) {
                    add(from, to, EdgeKind::SynchronizesWith);
                }
            }
        }
        for (from, to) in &self.fences {
            add(*from, *to, EdgeKind::FenceOrder);
        }
        self.add_base(&mut add);
        if let Some(reason) = reason {
            self.add_contradiction(reason, &mut add);
        }
        edges.sort_unstable();
        edges.dedup();
        let nodes = shown.iter().filter_map(|event| node(graph, cells, *event));
        Witness {
            nodes: nodes.collect(),
            edges,
        }
    }

    /// Adds the edges that represent the order of barriers and of asynchronous operations.
    fn add_base(&self, add: &mut dyn FnMut(usize, usize, EdgeKind)) {
        let graph = self.graph;
        for (from, event) in graph.events.iter().enumerate() {
            for to in members(graph.base.successors(from) & !graph.program.successors(from)) {
                let Some(other) = graph.events.get(to) else {
                    continue;
                };
                match (event.kind, other.kind) {
                    (EventKind::Init, _) => {}
                    (EventKind::Arrive, EventKind::Leave) if event.thread != other.thread => {
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

    /// Adds the edges that prove the violation of an axiom.
    fn add_contradiction(
        &self,
        reason: &ViolationEvidence,
        add: &mut dyn FnMut(usize, usize, EdgeKind),
    ) {
        match (reason.axiom, reason.events.as_slice()) {
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
                    let later = self.coherence.successors(read.writer);
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

    /// Returns the events that the graph shows. The events of a copy are visible only if a thread accesses the same cells, and an initial
    /// value is visible only if a visible event reads it.
    fn visible_events(&self) -> Vec<usize> {
        use crate::explore::event::OrderingRole;
        let graph = self.graph;
        let of_threads = graph.events.iter().filter(|event| {
            event
                .step
                .is_some_and(|step| step.entry != OrderingRole::Started)
        });
        let touched: BTreeSet<usize> = of_threads.flat_map(|event| event.cells()).collect();
        let is_kept = |event: &usize| {
            let found = graph
                .events
                .get(*event)
                .filter(|e| e.kind != EventKind::Init);
            found.is_some_and(|e| {
                e.step
                    .is_some_and(|step| step.entry != OrderingRole::Started)
                    || e.cells().any(|cell| touched.contains(&cell))
            })
        };
        let is_shown = |event: &usize| {
            let is_init = graph
                .events
                .get(*event)
                .is_some_and(|e| e.kind == EventKind::Init);
            match is_init {
                true => members(self.from.successors(*event)).any(|reader| is_kept(&reader)),
                false => is_kept(event),
            }
        };
        (0..graph.events.len()).filter(is_shown).collect()
    }

    /// Converts the evidence of a violation: replaces event indices by node indices of the witness.
    pub(crate) fn violation(&self, reason: &ViolationEvidence) -> AxiomViolation {
        let shown = self.visible_events();
        let number = |event: &usize| shown.iter().position(|other| other == event);
        AxiomViolation {
            axiom: reason.axiom,
            nodes: reason.events.iter().filter_map(number).collect(),
        }
    }
}

fn is_asynchronous(
    event: &crate::explore::event_graph::Event<'_>,
    other: &crate::explore::event_graph::Event<'_>,
) -> bool {
    use crate::explore::event::OrderingRole;
    let entry = |event: &crate::explore::event_graph::Event<'_>| event.step.map(|step| step.entry);
    entry(event) == Some(OrderingRole::Started) || entry(other) == Some(OrderingRole::Completed)
}

/// Returns the transitive reduction of a transitively closed relation, restricted to the events `among`.
fn transitive_reduction(relation: &Relation, among: u128) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for from in members(among) {
        let after = relation.successors(from) & among;
        for to in members(after) {
            let between = after & relation.predecessors(to);
            if between == 0 {
                pairs.push((from, to));
            }
        }
    }
    pairs
}

fn node(graph: &EventGraph<'_>, cells: &CellPartition, event: usize) -> Option<WitnessNode> {
    let found = graph.events.get(event)?;
    let first = cells.list.get(found.cells.0);
    let location = first.filter(|_| found.is_memory());
    let joined = |values: &[u64]| cells.join(found.cells(), values);
    let init = first.map(|cell| cell.init);
    Some(WitnessNode {
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
            .is_some_and(|step| step.entry != crate::explore::event::OrderingRole::Program),
        is_exchange: found.step.is_some_and(|step| step.exchange.is_some()),
    })
}
