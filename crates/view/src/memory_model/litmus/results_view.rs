//! Results of litmus tests as plain data, which contains events with their source lines and labels, named edges between events, and
//! violated axioms with explanations.

use crate::memory_model::litmus::event_label::{describe, label};
use crate::memory_model::litmus::test::LitmusTest;
use crate::memory_model::litmus::test_module::{PreparedTest, shown_line};
use serde::{Deserialize, Serialize};
pub use warpgrid_order::explore::{Axiom, EdgeKind, EventKind, RaceFrequency, WitnessEdge};
use warpgrid_order::explore::{
    ExplorationResult, ForbiddenOutcome, Outcome, RacePair, Witness, WitnessNode,
};

/// Results of a litmus test, which hosts display: allowed and forbidden outcomes with executions, and data races.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LitmusView {
    pub name: String,
    #[serde(rename = "observe")]
    pub observed: Vec<String>,
    /// All outcomes that the memory model allows, in ascending order. The list is absent if accesses with a data race overlap only
    /// partially, because the memory model gives no guarantees for such races.
    pub outcomes: Option<Vec<OutcomeView>>,
    pub forbidden: Vec<ForbiddenView>,
    /// Lower bound for the number of forbidden outcomes that are missing in `forbidden`.
    #[serde(rename = "moreForbidden")]
    pub n_forbidden_omitted: u32,
    pub race: bool,
    /// Pairs of accesses with a data race. Each access is identified by a thread and a line of the thread body, starting at 0.
    #[serde(rename = "racyPairs")]
    pub racing_pairs: Vec<[[u32; 2]; 2]>,
    /// Pairs of accesses with a data race. Each access is identified by a thread and a line of the source, starting at 1.
    pub racy_lines: Vec<[[u32; 2]; 2]>,
    /// Number of candidate executions that the exploration examined.
    pub candidates: u64,
    /// Number of iterations after which the exploration stopped in loops other than polling loops. The field is absent if the exploration
    /// limited no loop.
    #[serde(rename = "cutOffAfter")]
    pub truncated_after: Option<u32>,
}

/// Outcome of a litmus test that the memory model allows, with an execution that produces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct OutcomeView {
    #[cfg_attr(feature = "typescript", ts(type = "number[]"))]
    pub values: Vec<u64>,
    pub races: RaceFrequency,
    /// Whether an interleaving of the instructions of all threads produces the outcome.
    pub is_interleaving: bool,
    pub graph: GraphView,
}

/// Outcome of a litmus test that the memory model forbids, with the violated axiom and an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ForbiddenView {
    #[cfg_attr(feature = "typescript", ts(type = "number[]"))]
    pub values: Vec<u64>,
    pub violation: ViolationView,
    /// Candidate execution with this outcome that comes closest to consistency.
    pub graph: GraphView,
}

/// Axiom that the candidate execution of a forbidden outcome violates, with an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ViolationView {
    pub axiom: Axiom,
    pub sentence: String,
    /// Indices of the graph nodes that violate the axiom.
    pub nodes: Vec<u32>,
}

/// Execution of a litmus test as a graph of events and relations, which hosts draw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GraphView {
    /// Events of the execution, grouped by thread and in program order.
    pub nodes: Vec<NodeView>,
    pub edges: Vec<WitnessEdge>,
}

/// Event in a [`GraphView`], with its thread, its source line and its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// Thread that performs the event. The field is absent for the initial value of a location.
    pub thread: Option<u32>,
    /// Line of the event in the source, starting at 1, or in the thread body if the test has no source.
    pub line: Option<u32>,
    pub kind: EventKind,
    /// Label of the event: `x = 1`, `read x: 0`, `fence.sc.gpu`.
    pub label: String,
    /// Memory order and scope of the event: `release at gpu`. The text is empty for weak accesses.
    pub words: String,
    pub is_asynchronous: bool,
}

/// Converter from the results of an exploration to views, in which threads, locations and events have their names from the test.
pub(crate) struct ViewBuilder<'a> {
    test: &'a LitmusTest,
    prepared: &'a PreparedTest,
}

impl<'a> ViewBuilder<'a> {
    pub(crate) fn new(test: &'a LitmusTest, prepared: &'a PreparedTest) -> ViewBuilder<'a> {
        ViewBuilder { test, prepared }
    }

    pub(crate) fn view(&self, answer: &ExplorationResult) -> LitmusView {
        let outcomes = answer.outcomes.as_ref();
        let racy_pairs = self.pairs(&answer.races);
        let shown =
            |[thread, line]: [u32; 2]| [thread, shown_line(self.test, thread as usize, line)];
        LitmusView {
            racy_lines: racy_pairs.iter().map(|pair| pair.map(shown)).collect(),
            name: self.test.name.clone(),
            observed: self.test.observe.clone(),
            outcomes: outcomes.map(|all| all.iter().map(|o| self.outcome(o)).collect()),
            forbidden: answer.forbidden.iter().map(|f| self.forbidden(f)).collect(),
            n_forbidden_omitted: answer.n_forbidden_omitted as u32,
            race: !answer.races.is_empty(),
            racing_pairs: racy_pairs,
            candidates: answer.candidates,
            truncated_after: answer.truncated_after.map(|rounds| rounds as u32),
        }
    }

    fn pairs(&self, races: &[RacePair]) -> Vec<[[u32; 2]; 2]> {
        let side = |(thread, instruction): (usize, u32)| {
            [thread as u32, self.prepared.line(thread, instruction)]
        };
        let pairs = races.iter().map(|r| {
            let mut pair = [side(r.first), side(r.second)];
            pair.sort_unstable();
            pair
        });
        let mut pairs: Vec<_> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn outcome(&self, outcome: &Outcome) -> OutcomeView {
        OutcomeView {
            values: outcome.values.clone(),
            races: outcome.races,
            is_interleaving: outcome.is_interleaving,
            graph: self.graph(&outcome.witness),
        }
    }

    fn forbidden(&self, forbidden: &ForbiddenOutcome) -> ForbiddenView {
        let graph = self.graph(&forbidden.witness);
        let nodes: Vec<u32> = forbidden
            .violation
            .nodes
            .iter()
            .map(|n| *n as u32)
            .collect();
        ForbiddenView {
            values: forbidden.values.clone(),
            violation: ViolationView {
                axiom: forbidden.violation.axiom,
                sentence: sentence(forbidden.violation.axiom, &graph, &nodes),
                nodes,
            },
            graph,
        }
    }

    fn graph(&self, witness: &Witness) -> GraphView {
        GraphView {
            nodes: witness.nodes.iter().map(|node| self.node(node)).collect(),
            edges: witness.edges.clone(),
        }
    }

    fn node(&self, node: &WitnessNode) -> NodeView {
        let line = node.place.map(|(thread, instruction)| {
            let line = self.prepared.line(thread, instruction);
            shown_line(self.test, thread, line)
        });
        NodeView {
            thread: node.place.map(|(thread, _)| thread as u32),
            line,
            kind: node.kind,
            label: label(node, self.prepared, self.test),
            words: describe(node),
            is_asynchronous: node.is_asynchronous,
        }
    }
}

/// Formats the reason why the memory model forbids a candidate execution that violates `axiom`.
fn sentence(axiom: Axiom, graph: &GraphView, nodes: &[u32]) -> String {
    let named = |index: usize| {
        let node = nodes.get(index).and_then(|n| graph.nodes.get(*n as usize));
        node.map_or_else(String::new, name_of)
    };
    match (axiom, nodes) {
        (Axiom::NoThinAir, _) => {
            "the read value depends on itself, but the memory model forbids out-of-thin-air values".to_owned()
        }
        (Axiom::Causality, [_, _, _]) => format!(
            "{} precedes {} in causality order, so the read cannot return the older value of {}",
            named(0),
            named(1),
            named(2)
        ),
        (Axiom::Causality, [_, _]) => format!(
            "{} precedes {} in causality order, so the read cannot return the written value",
            named(0),
            named(1)
        ),
        (Axiom::Causality, _) => "causality order would be cyclic".to_owned(),
        (Axiom::Coherence, _) => format!(
            "{} would precede itself in coherence order, but coherence order is acyclic and consistent with causality order",
            named(0)
        ),
        (Axiom::ScPerLocation, _) => {
            "morally strong operations on one location have a total order, but no total order produces these values".to_owned()
        }
        (Axiom::Atomicity, _) => format!(
            "no morally strong write may occur between the read and the write of an atomic operation, but {} occurs between {} and {}",
            named(1),
            named(0),
            named(2)
        ),
    }
}

/// Formats an event: `the write x = 1 at line 5`.
fn name_of(node: &NodeView) -> String {
    let kind = match node.kind {
        EventKind::Init => "the initial value",
        EventKind::Read => "the",
        EventKind::Write => "the write",
        EventKind::Atomic => "the atomic",
        EventKind::Fence | EventKind::ProxyFence => "the fence",
        EventKind::Arrive | EventKind::Leave | EventKind::GroupWait => "the",
    };
    match node.line {
        Some(line) => format!(
            "{kind} `{}` (thread {}, line {line})",
            node.label,
            node.thread.unwrap_or(0)
        ),
        None => format!("{kind} `{}`", node.label),
    }
}
