//! Layout of an execution graph: a column per thread, the initial writes above the columns, and arrows between nodes. Input: the graph.
//! Output: boxes and paths in pixels.

use warpgrid_view::memory_model::litmus::{EdgeKind, EventKind, GraphView, NodeView};

const MIN_WIDTH: f64 = 184.0;
/// Width of a character in a label.
const LETTER: f64 = 7.6;
/// Horizontal padding of a box.
const PADDING: f64 = 20.0;
const BOX_HEIGHT: f64 = 42.0;
/// Gap between two columns, for the arrows.
const GAP: f64 = 86.0;
const ROW: f64 = 74.0;
const MARGIN: f64 = 62.0;
/// Maximum bend of an arrow within a column.
const MAX_BEND: f64 = 74.0;
const HEAD: f64 = 30.0;

/// Box that represents an event of the execution graph.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeBox {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Arrow between two boxes, and the position of its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    pub path: String,
    pub label_at: (f64, f64),
    pub kind: EdgeKind,
}

/// Positions of all parts of the diagram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLayout {
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<NodeBox>,
    pub arrows: Vec<Arrow>,
    /// Thread and horizontal center of each column.
    pub columns: Vec<(u32, f64)>,
    pub head_y: f64,
}

/// Computes the layout of an execution graph.
pub fn layout_graph(graph: &GraphView) -> GraphLayout {
    let mut threads: Vec<u32> = graph.nodes.iter().filter_map(|node| node.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let n_init = graph
        .nodes
        .iter()
        .filter(|node| node.kind == EventKind::Init)
        .count();
    let top = if n_init > 0 { ROW } else { 0.0 };
    let n_columns = threads.len().max(n_init).max(1);
    let letters = graph.nodes.iter().map(|node| node.label.chars().count());
    let longest = letters.max().unwrap_or(0) as f64;
    let box_width = MIN_WIDTH.max(longest * LETTER + PADDING);
    let pitch = box_width + GAP;
    let width = 2.0 * MARGIN + pitch * (n_columns as f64 - 1.0) + box_width;
    let (boxes, filled) = node_boxes(graph, &threads, top, box_width);
    let rows = filled.iter().copied().max().unwrap_or(0) as f64;
    let arrows = graph.edges.iter().enumerate().filter_map(|(number, edge)| {
        let (from, to) = (boxes.get(edge.from)?, boxes.get(edge.to)?);
        let twins = graph.edges.iter().take(number);
        let twins = twins.filter(|e| {
            (e.from, e.to) == (edge.from, edge.to) || (e.to, e.from) == (edge.from, edge.to)
        });
        Some(arrow(from, to, edge.kind, twins.count()))
    });
    let arrows = arrows.collect();
    let columns = threads
        .iter()
        .enumerate()
        .map(|(column, thread)| (*thread, MARGIN + column as f64 * pitch + box_width / 2.0));
    GraphLayout {
        width,
        height: MARGIN + top + HEAD + rows * ROW,
        columns: columns.collect(),
        head_y: MARGIN / 2.0 + top + HEAD - 10.0,
        boxes,
        arrows,
    }
}

/// Places the nodes: initial writes in the first row, and the events of each thread in a column. Also returns the number of nodes of each
/// thread.
fn node_boxes(
    graph: &GraphView,
    threads: &[u32],
    top: f64,
    width: f64,
) -> (Vec<NodeBox>, Vec<usize>) {
    let mut filled = vec![0usize; threads.len()];
    let mut n_initial = 0usize;
    let pitch = width + GAP;
    let place = |node: &NodeView| {
        let thread = node.thread;
        let column = thread.and_then(|thread| threads.iter().position(|other| *other == thread));
        let (x, y) = match column.and_then(|column| Some((column, filled.get_mut(column)?))) {
            Some((column, row)) => {
                *row += 1;
                (column as f64 * pitch, top + HEAD + (*row - 1) as f64 * ROW)
            }
            None => {
                n_initial += 1;
                ((n_initial - 1) as f64 * pitch, 0.0)
            }
        };
        NodeBox {
            x: MARGIN + x,
            y: MARGIN / 2.0 + y,
            width,
            height: BOX_HEIGHT,
        }
    };
    let boxes = graph.nodes.iter().map(place).collect();
    (boxes, filled)
}

/// Returns an arrow between the sides of two boxes. Several arrows between the same boxes are bent by different amounts.
fn arrow(from: &NodeBox, to: &NodeBox, kind: EdgeKind, twin: usize) -> Arrow {
    let apart = 14.0 * twin as f64;
    let middle = |b: &NodeBox| b.y + b.height / 2.0;
    let same_column = (from.x - to.x).abs() < 1.0;
    let (start, end, bend) = if same_column {
        // The arrow follows the left edge of the boxes, so that the program order remains readable.
        let x = from.x;
        let out = (26.0 + apart + (middle(to) - middle(from)).abs() / 12.0).min(MAX_BEND);
        ((x, middle(from)), (x, middle(to)), (-out, -out))
    } else if from.x < to.x {
        (
            (from.x + from.width, middle(from)),
            (to.x, middle(to)),
            (44.0, -44.0),
        )
    } else {
        (
            (from.x, middle(from)),
            (to.x + to.width, middle(to)),
            (-44.0, 44.0),
        )
    };
    let (a, b) = (
        (start.0 + bend.0, start.1 + apart),
        (end.0 + bend.1, end.1 + apart),
    );
    let path = format!(
        "M{:.1} {:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        start.0, start.1, a.0, a.1, b.0, b.1, end.0, end.1
    );
    // Labels are nearer to the start than to the end, so that the labels of crossing arrows do not overlap.
    let t: f64 = if same_column { 0.5 } else { 0.36 };
    let at = |p0: f64, p1: f64, p2: f64, p3: f64| {
        let u = 1.0 - t;
        u * u * u * p0 + 3.0 * u * u * t * p1 + 3.0 * u * t * t * p2 + t * t * t * p3
    };
    Arrow {
        path,
        label_at: (
            at(start.0, a.0, b.0, end.0),
            at(start.1, a.1, b.1, end.1) - 4.0 + apart,
        ),
        kind,
    }
}
