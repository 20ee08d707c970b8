//! The memories of a run, one card each; the card of the present store is kept in sight.

use super::memory_card::MemoryCard;
use super::{Dispatch, FrameRef};
use crate::hooks::use_size;
use crate::links::Links;
use crate::model::GridChoice;
use crate::theme::Palette;
use std::collections::BTreeMap;
use std::rc::Rc;
use warpgrid_view::MemoryId;
use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

/// Padding and border of a card.
const CARD_EDGES: f64 = 26.0;
/// Narrower windows scroll as a whole; the page must not run away under the reader.
const FOLLOW_FROM: f64 = 760.0;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    /// The block whose shared memory is shown.
    pub(crate) block: u64,
    pub(crate) views: BTreeMap<MemoryId, GridChoice>,
    pub(crate) links: Rc<Links>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Memories(props: &Props) -> Html {
    let flow = use_node_ref();
    let (width, _) = use_size(&flow);
    use_follow(&props.frame, &flow);
    let shown = props
        .frame
        .grids
        .iter()
        .enumerate()
        .filter(|(_, grid)| grid.memory.id.is_shown_with(props.block));
    let card = |(index, grid): (usize, &warpgrid_view::model::Grid)| {
        let id = &grid.memory.id;
        html! {
            <MemoryCard
                key={id.to_string()}
                frame={props.frame.clone()}
                {index}
                available={width - CARD_EDGES}
                choice={props.views.get(id).cloned().unwrap_or_default()}
                links={props.links.clone()}
                palette={props.palette.clone()}
                dispatch={props.dispatch.clone()}
            />
        }
    };
    html! { <div class="flow" ref={flow}>{ for shown.map(card) }</div> }
}

/// After each step the card that it stored to comes into sight.
#[hook]
fn use_follow(frame: &FrameRef, flow: &NodeRef) {
    let stored = frame.store.as_ref().and_then(|store| store.memory.clone());
    let flow = flow.clone();
    let before = use_mut_ref(|| None::<u64>);
    use_effect_with((frame.position, stored), move |(position, stored)| {
        let is_first = before.replace(Some(*position)).is_none();
        let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
        let (Some(id), Some(flow)) = (stored, flow.cast::<Element>()) else {
            return;
        };
        if is_first || width.is_none_or(|width| width < FOLLOW_FROM) {
            return;
        }
        let cards = flow.children();
        let id = Some(id.to_string());
        let card = (0..cards.length())
            .filter_map(|i| cards.item(i))
            .find(|card| card.get_attribute("data-memory") == id);
        if let Some(card) = card {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            card.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}
