//! Diagram of an execution graph, with one column per thread, labeled arrows, and a text alternative for screen readers.

use crate::litmus::{GraphLayout, NodeBox, layout_graph};
use warpgrid_view::memory_model::litmus::{EdgeKind, GraphView, NodeView, WitnessEdge};
use yew::prelude::*;

/// Renders the diagram of an execution graph.
pub(crate) fn graph(graph: &GraphView) -> Html {
    let drawn = layout_graph(graph);
    let view_box = format!("0 0 {:.0} {:.0}", drawn.width, drawn.height);
    let style = format!("width: {:.0}px", drawn.width);
    html! {
        <div class="litmus-graph" tabindex="0" role="group" aria-label="Execution as a graph">
            <svg viewBox={view_box} {style} role="img" aria-label={in_words(graph)}>
                <defs>{ for ALL.iter().map(|kind| head(*kind)) }</defs>
                { for drawn.columns.iter().map(|(thread, x)| html! {
                    <text class="column" x={px(*x)} y={px(drawn.head_y)} text-anchor="middle">{ format!("thread {thread}") }</text>
                }) }
                { arrows(&drawn) }
                { for graph.nodes.iter().zip(&drawn.boxes).map(|(node, place)| node_box(node, place)) }
                { labels(&drawn) }
            </svg>
            { legend(graph) }
        </div>
    }
}

/// All relations that arrows represent, in the order of the legend.
const ALL: [EdgeKind; 8] = [
    EdgeKind::ReadsFrom,
    EdgeKind::Coherence,
    EdgeKind::FromRead,
    EdgeKind::SynchronizesWith,
    EdgeKind::FenceOrder,
    EdgeKind::Barrier,
    EdgeKind::Asynchronous,
    EdgeKind::Causality,
];

/// Returns the short name from the literature, the CSS class, and the description of a relation.
fn name(kind: EdgeKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        EdgeKind::ReadsFrom => ("rf", "rf", "reads-from: is read by"),
        EdgeKind::Coherence => ("co", "co", "coherence order: is overwritten by"),
        EdgeKind::FromRead => ("fr", "fr", "from-reads: reads a value older than"),
        EdgeKind::SynchronizesWith => ("sw", "sw", "synchronizes with"),
        EdgeKind::FenceOrder => ("sc", "sc", "Fence-SC order: precedes"),
        EdgeKind::Barrier => ("bar", "bar", "barrier: synchronizes with"),
        EdgeKind::Asynchronous => ("async", "async", "asynchronous operation: completes"),
        EdgeKind::Causality => ("cause", "cause", "causality order: precedes"),
    }
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

fn head(kind: EdgeKind) -> Html {
    let class = name(kind).1;
    html! {
        <marker id={format!("head-{class}")} class={class} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
        </marker>
    }
}

fn arrows(drawn: &GraphLayout) -> Html {
    let one = |arrow: &crate::litmus::Arrow| {
        let class = name(arrow.kind).1;
        html! { <path class={classes!("edge", class)} d={arrow.path.clone()} marker-end={format!("url(#head-{class})")} /> }
    };
    html! { <g>{ for drawn.arrows.iter().map(one) }</g> }
}

/// Renders the labels of the arrows on top of all other parts of the diagram.
fn labels(drawn: &GraphLayout) -> Html {
    let one = |arrow: &crate::litmus::Arrow| {
        let (short, class, _) = name(arrow.kind);
        let (x, y) = arrow.label_at;
        html! { <text class={classes!("edge-name", class)} x={px(x)} y={px(y)} text-anchor="middle">{ short }</text> }
    };
    html! { <g>{ for drawn.arrows.iter().map(one) }</g> }
}

fn node_box(node: &NodeView, place: &NodeBox) -> Html {
    let NodeBox {
        x,
        y,
        width,
        height,
    } = *place;
    let line = node
        .line
        .map_or_else(String::new, |line| format!("line {line}"));
    let words = [line.as_str(), node.words.as_str()];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let class = classes!("node", node.is_asynchronous.then_some("asynchronous"));
    html! {
        <g {class}>
            <rect x={px(x)} y={px(y)} width={px(width)} height={px(height)} rx="6" />
            <text class="event-label" x={px(x + width / 2.0)} y={px(y + 18.0)} text-anchor="middle">{ &node.label }</text>
            <text class="event-details" x={px(x + width / 2.0)} y={px(y + 34.0)} text-anchor="middle">{ words.join(", ") }</text>
        </g>
    }
}

/// Renders the legend of the relations that occur in the graph.
fn legend(graph: &GraphView) -> Html {
    let shown = ALL
        .into_iter()
        .filter(|kind| graph.edges.iter().any(|edge| edge.kind == *kind));
    let one = |kind: EdgeKind| {
        let (short, class, says) = name(kind);
        html! { <li><b class={class}>{ short }</b>{ " " }{ says }</li> }
    };
    html! { <ul class="litmus-legend">{ for shown.map(one) }</ul> }
}

/// Returns the verb phrase that expresses a relation between two nodes in a sentence.
fn verb(kind: EdgeKind) -> &'static str {
    let description = name(kind).2;
    description
        .split_once(": ")
        .map_or(description, |(_, verb)| verb)
}

fn in_words(graph: &GraphView) -> String {
    let label = |index: usize| {
        let node = graph.nodes.get(index);
        node.map_or_else(String::new, |node| match node.thread {
            Some(thread) => format!("thread {thread} {}", node.label),
            None => format!("initial {}", node.label),
        })
    };
    let one = |edge: &WitnessEdge| {
        format!(
            "{} {} {}",
            label(edge.from),
            verb(edge.kind),
            label(edge.to)
        )
    };
    let all: Vec<String> = graph.edges.iter().map(one).collect();
    all.join("; ")
}
