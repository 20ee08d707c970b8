//! Card of the Tensor Core operation in the last step: its tiles in the colors that mark them in the memories, and the diagram of a tensor
//! copy.

use super::{Dispatch, FrameRef, dispatching};
use crate::canvas::{cell_under, paint_highlights};
use crate::format::{extent_css, plural};
use crate::hooks::{use_diagram_canvas, use_size};
use crate::layout_explorer::{Arrangement, DisplayList, LayoutQuery, chunk_description, tile_plan};
use crate::model::{Action, LayoutExplorerAction};
use crate::theme::{Palette, tile_css};
use std::rc::Rc;
use warpgrid_view::model::{TensorCopyView, TensorStep, TileView};
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// Renders the card of the Tensor Core operation.
pub(crate) fn tensor_card(frame: &FrameRef, palette: &Rc<Palette>, dispatch: &Dispatch) -> Html {
    let Some(step) = &frame.tensor else {
        return Html::default();
    };
    let title = match step.copy {
        Some(_) => "Tensor copy (TMA)",
        None => "Tensor operation",
    };
    html! {
        <section class="card tensor" aria-label={title}>
            <h2>{ title }<small>{ if step.has_landed { "completed" } else { "in flight" } }</small></h2>
            <ul class="tiles">{ for (0..).zip(&step.tiles).map(|(at, tile)| entry(at, tile, step, dispatch)) }</ul>
            if let Some(copy) = &step.copy {
                { over_tensor(copy) }
                <TilePicture frame={frame.clone()} palette={palette.clone()} />
            }
        </section>
    }
}

fn entry(at: u8, tile: &TileView, step: &TensorStep, dispatch: &Dispatch) -> Html {
    let open = tile.layout.clone().map(|request| {
        let choice = LayoutQuery::of_fragment(request);
        dispatching::<MouseEvent>(dispatch, Action::Matrix(LayoutExplorerAction::Open(choice)))
    });
    let size = match step.copy {
        Some(_) => plural(tile.n_bytes, "byte"),
        None => format!("{} × {} {}", tile.rows, tile.columns, tile.ty),
    };
    let memories: Vec<String> = tile.memories.iter().map(ToString::to_string).collect();
    html! {
        <li>
            <i style={format!("background:{}", tile_css(at))} aria-hidden="true"></i>
            <b>{ &tile.name }</b>{ " " }{ size }
            <span class="muted">{ format!(" {} {}", memories.join(", "), tile.place) }</span>
            if let Some(onclick) = open {
                <button class="link" {onclick}>{ "layout" }</button>
            }
        </li>
    }
}

/// Renders the box and the tensor in at most two dimensions. The out-of-bounds part of the box is hatched.
fn over_tensor(copy: &TensorCopyView) -> Html {
    let dimensions = || {
        let found = copy.coordinates.iter().zip(&copy.box_extents);
        (0..).zip(found.zip(&copy.extents))
    };
    if copy.mode != "tiled" || copy.box_extents.len() != copy.extents.len() {
        return Html::default();
    }
    let [x, y] = [0, 1].map(|dimension: usize| Along {
        first: copy.coordinates.get(dimension).copied().unwrap_or(0),
        n: copy.box_extents.get(dimension).copied().unwrap_or(1) as i64,
        extent: copy.extents.get(dimension).copied().unwrap_or(1) as i64,
    });
    let (across, down) = (x.window(), y.window());
    let rect = |class: &'static str, x: Span, y: Span| {
        html! { <rect {class} x={x.first.to_string()} y={y.first.to_string()} width={x.n.to_string()} height={y.n.to_string()} /> }
    };
    let words = dimensions().map(|(dimension, ((first, n), extent))| {
        format!(
            "dimension {dimension}: {first} to {} of {extent}",
            first + *n as i64 - 1
        )
    });
    let words = words.collect::<Vec<_>>().join("; ");
    html! {
        <figure class="tensor-diagram">
            <svg viewBox={format!("{} {} {} {}", across.first, down.first, across.n, down.n)} preserveAspectRatio="none" role="img" aria-label={format!("Box within the tensor. {words}")}>
                { rect("tensor-box outside", x.of_box(), y.of_box()) }
                { rect("tensor-extent", x.of_tensor(), y.of_tensor()) }
                { rect("tensor-box", x.inside(), y.inside()) }
            </svg>
            <figcaption class="muted">{ words }</figcaption>
        </figure>
    }
}

/// Extents of a box and its tensor in one dimension. The fields are integers, because float formatting would add as much code as all other
/// parts of this card.
#[derive(Clone, Copy)]
struct Along {
    first: i64,
    n: i64,
    extent: i64,
}

/// A range of a dimension.
#[derive(Clone, Copy)]
struct Span {
    first: i64,
    n: i64,
}

impl Along {
    fn of_box(self) -> Span {
        Span {
            first: self.first,
            n: self.n,
        }
    }

    fn of_tensor(self) -> Span {
        Span {
            first: 0,
            n: self.extent,
        }
    }

    /// Returns the part of the box that is within the tensor.
    fn inside(self) -> Span {
        let first = self.first.clamp(0, self.extent);
        let end = (self.first + self.n).clamp(0, self.extent);
        Span {
            first,
            n: (end - first).max(0),
        }
    }

    /// Returns the visible range of a dimension. For a large tensor, only the surroundings of the box are visible.
    fn window(self) -> Span {
        let Along { first, n, extent } = self;
        let low = (first - n).max(first.min(0));
        let high = (first + 2 * n).min((first + n).max(extent));
        Span {
            first: low,
            n: high - low,
        }
    }
}

#[derive(Properties, PartialEq)]
struct PictureProps {
    frame: FrameRef,
    palette: Rc<Palette>,
}

/// Returns the tensor copy of the last step.
fn shown_copy(frame: &FrameRef) -> Option<&TensorCopyView> {
    frame.tensor.as_ref()?.copy.as_ref()
}

/// Diagram of a tile in shared memory, divided into 16-byte chunks.
#[component]
fn TilePicture(props: &PictureProps) -> Html {
    let node = use_node_ref();
    let boxes = use_node_ref();
    let lit = use_node_ref();
    let (width, _) = use_size(&node);
    let arrangement = use_state_eq(|| Arrangement::Swizzled);
    let hovered_chunk = use_state_eq(|| None::<usize>);
    let plan = use_memo(
        (props.frame.clone(), *arrangement, width),
        |(frame, arrangement, width)| {
            let copy = shown_copy(frame);
            copy.map_or_else(DisplayList::default, |copy| {
                tile_plan(copy, *arrangement, *width)
            })
        },
    );
    use_diagram_canvas(&boxes, &plan, &props.palette);
    use_lit(&lit, &plan, &props.palette, *hovered_chunk);
    let Some(copy) = shown_copy(&props.frame) else {
        return Html::default();
    };
    let point = {
        let (plan, lit, hovered_chunk) = (plan.clone(), lit.clone(), hovered_chunk.clone());
        Callback::from(move |event: MouseEvent| hovered_chunk.set(cell_under(&plan, &lit, &event)))
    };
    let leave = {
        let hovered_chunk = hovered_chunk.clone();
        Callback::from(move |_: MouseEvent| hovered_chunk.set(None))
    };
    let choose = |wanted: Arrangement, name: &'static str| {
        let set = arrangement.clone();
        let onclick = Callback::from(move |_: MouseEvent| set.set(wanted));
        html! { <button aria-pressed={(*arrangement == wanted).to_string()} {onclick}>{ name }</button> }
    };
    let size = extent_css(plan.width, plan.height);
    let words = hovered_chunk.and_then(|piece| chunk_description(copy, piece));
    html! {
        <div class="tile-diagram" ref={node}>
            <p>
                { "16-byte chunks" }
                <span class="spacer"></span>
                if copy.swizzle != "none" {
                    <span class="segmented-control" role="group" aria-label="Swizzle">
                        { choose(Arrangement::Swizzled, "swizzled") }
                        { choose(Arrangement::Linear, "linear") }
                    </span>
                }
            </p>
            <div class="scroller explorer-canvas" tabindex="0" role="img" aria-label="16-byte chunks of the tile, arranged by their shared-memory addresses and labelled with their coordinates">
                <div style={size.clone()}>
                    <canvas ref={boxes} style={size.clone()} aria-hidden="true" />
                    <canvas ref={lit} style={size} onmousemove={point} onmouseleave={leave} aria-hidden="true" />
                </div>
            </div>
            <p class="muted" aria-live="polite">{ words.unwrap_or_else(|| about(copy)) }</p>
        </div>
    }
}

/// Draws the chunk under the pointer on top of the boxes.
#[hook]
fn use_lit(lit: &NodeRef, plan: &Rc<DisplayList>, palette: &Rc<Palette>, here: Option<usize>) {
    let lit = lit.clone();
    let seen = (plan.clone(), palette.clone(), here);
    use_effect_with(seen, move |(plan, palette, here)| {
        if let Some(canvas) = lit.cast::<HtmlCanvasElement>() {
            paint_highlights(&canvas, plan, palette, |_| false, *here);
        }
    });
}

/// Returns the description that is shown while no chunk is under the pointer.
fn about(copy: &TensorCopyView) -> String {
    let swizzle = match copy.swizzle.as_str() {
        "none" => "No swizzle".to_owned(),
        name => format!("Swizzle {name}"),
    };
    let outside = match copy.n_outside {
        0 => String::new(),
        n => format!(". Hatched chunks: {} out of bounds", plural(n, "byte")),
    };
    let counted = match copy.mbarrier {
        Some(address) => format!(
            ". The mbarrier at {address} tracks {}",
            plural(copy.n_bytes, "byte")
        ),
        None => String::new(),
    };
    format!("{swizzle}{outside}{counted}. Hover over a chunk to show the address of the chunk.")
}
