//! Thumbnail of a memory that the stage does not show as a grid: its title, and its cells in the colors of the lanes that wrote them.

use super::FrameRef;
use super::accessible_grid::GridTable;
use super::memory_card::{RovingTabindex, extents_attribute, facts};
use crate::canvas::paint_thumbnail;
use crate::format::extent_css;
use crate::theme::Palette;
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// Width and height of the picture in pixels.
const SIZE: (f64, f64) = (64.0, 34.0);

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) index: usize,
    pub(crate) palette: Rc<Palette>,
    /// Callback that shows the memory as a grid.
    pub(crate) open: Callback<MemoryKey>,
}

#[component]
pub(crate) fn MemoryThumbnail(props: &Props) -> Html {
    let canvas = use_node_ref();
    {
        let canvas = canvas.clone();
        let key = (props.frame.clone(), props.index, Rc::clone(&props.palette));
        use_effect_with(key, move |(frame, index, palette)| {
            let canvas = canvas.cast::<HtmlCanvasElement>();
            if let (Some(canvas), Some(grid)) = (canvas, frame.grids.get(*index)) {
                paint_thumbnail(&canvas, grid, palette, SIZE);
            }
        });
    }
    let Some(grid) = props.frame.grids.get(props.index) else {
        return Html::default();
    };
    let memory = &grid.memory;
    let onclick = {
        let (open, id) = (props.open.clone(), memory.id.clone());
        Callback::from(move |_: MouseEvent| open.emit(id.clone()))
    };
    html! {
        <section class="card memory thumbnail" aria-label={memory.title.clone()} data-memory={memory.id.to_string()} data-extents={extents_attribute(memory)}>
            <h2>
                <button class="collapse-toggle" aria-expanded="false" title={format!("Show {} as a grid: {}", memory.title, facts(memory))} {onclick}>
                    <canvas ref={canvas} style={extent_css(SIZE.0, SIZE.1)} aria-hidden="true"></canvas>
                    <span>{ &memory.title }</span>
                </button>
            </h2>
            <GridTable reachable={RovingTabindex::none()} frame={props.frame.clone()} index={props.index} shown=false />
        </section>
    }
}
