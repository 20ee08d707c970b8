//! Memories of a run, with one card for each memory. The card of the current store or of a pinned cell is scrolled into view.

use super::blocks_card::{class, word};
use super::memory_card::{MemoryCard, facts};
use super::memory_export::MemoryExport;
use super::{Dispatch, FrameRef, dispatching};
use crate::editor::JsPanelKind;
use crate::highlight::Highlights;
use crate::hooks::use_size;
use crate::model::{Action, Focus, GridViewOptions};
use crate::theme::Palette;
use std::collections::BTreeMap;
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::ClusterBlock;
use warpgrid_view::model::{BlockProgress, MemoryView};
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, HtmlDetailsElement, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition,
};
use yew::prelude::*;

/// Total width of the padding and the border of a card.
const CARD_EDGES: f64 = 26.0;
/// Minimum width of the column for one block of a cluster.
const CLUSTER_COLUMN: f64 = 250.0;
/// Width of the gap between the columns of two blocks.
const CLUSTER_GAP: f64 = 12.0;
/// Minimum window width from which on the page scrolls to the card of the current store. A narrower window would scroll as a whole, which
/// must not happen while the user is reading.
const FOLLOW_FROM: f64 = 760.0;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) pinned: Option<Focus>,
    pub(crate) views: BTreeMap<MemoryKey, GridViewOptions>,
    pub(crate) save_file: Callback<MemoryExport>,
    pub(crate) fill: Callback<(JsPanelKind, Element)>,
    pub(crate) links: Rc<Highlights>,
    pub(crate) palette: Rc<Palette>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Memories(props: &Props) -> Html {
    let flow = use_node_ref();
    let (width, _) = use_size(&flow);
    use_follow(&props.frame, &flow);
    {
        let flow = flow.clone();
        use_effect_with(props.pinned.clone(), move |pinned| {
            if let (Some(flow), Some(Focus::Cell { memory, .. })) = (flow.cast::<Element>(), pinned)
            {
                reveal(&flow, memory);
            }
        });
    }
    let index_of = |memory: &MemoryView| {
        let mut grids = props.frame.grids.iter();
        grids.position(|grid| grid.memory.id == memory.id)
    };
    let card = |memory: &MemoryView, width: f64| {
        let id = &memory.id;
        match index_of(memory) {
            None => collapsed_card(memory, &props.dispatch),
            Some(index) => html! {
                <MemoryCard
                    key={id.to_string()}
                    frame={props.frame.clone()}
                    {index}
                    available={width}
                    choice={props.views.get(id).cloned().unwrap_or_default()}
                    save_file={props.save_file.clone()}
                    fill={props.fill.clone()}
                    links={props.links.clone()}
                    palette={props.palette.clone()}
                    dispatch={props.dispatch.clone()}
                />
            },
        }
    };
    let shown = props.frame.memories.iter();
    let shown = shown.filter(|memory| props.frame.shows(&memory.id));
    let (unused, mut used): (Vec<_>, Vec<_>) =
        shown.partition(|memory| !memory.is_named && index_of(memory).is_none());
    let cluster = props.frame.cluster.as_ref().map(|cluster| {
        let (of_blocks, others): (Vec<_>, Vec<_>) = std::mem::take(&mut used)
            .into_iter()
            .partition(|memory| matches!(memory.id, MemoryKey::Shared(_) | MemoryKey::Tensor(_)));
        used = others;
        cluster_section(props, &cluster.blocks, &of_blocks, width, &card)
    });
    html! {
        <div class="flow" ref={flow}>
            { cluster }
            { for used.into_iter().map(|memory| card(memory, width - CARD_EDGES)) }
            if !unused.is_empty() {
                <UnreferencedVariables names={unused.iter().map(|memory| memory.id.clone()).collect::<Vec<_>>()}
                    dispatch={props.dispatch.clone()} />
            }
        </div>
    }
}

/// Renders the blocks of a cluster side by side, each with its shared memory and tensor memory.
fn cluster_section(
    props: &Props,
    blocks: &[ClusterBlock],
    memories: &[&MemoryView],
    width: f64,
    card: &dyn Fn(&MemoryView, f64) -> Html,
) -> Html {
    let n_columns = ((width / CLUSTER_COLUMN) as usize).clamp(1, blocks.len());
    let column = (width - CLUSTER_GAP * (n_columns - 1) as f64) / n_columns as f64;
    let column_of = |block: &ClusterBlock| {
        let own = [
            MemoryKey::Shared(block.block),
            MemoryKey::Tensor(block.block),
        ];
        let find = |own| memories.iter().find(|memory| memory.id == own);
        let memories = own.into_iter().filter_map(find);
        let memories = memories.map(|memory| card(memory, column - CARD_EDGES));
        cluster_block(block, &props.frame, memories.collect(), &props.dispatch)
    };
    let style = format!("--columns: {n_columns}");
    html! {
        <section class="cluster" aria-label="Cluster" {style}>
            { for blocks.iter().map(column_of) }
        </section>
    }
}

/// Renders one block of the cluster: its rank, the progress of its warps, and its memories.
fn cluster_block(
    block: &ClusterBlock,
    frame: &FrameRef,
    memories: Vec<Html>,
    dispatch: &Dispatch,
) -> Html {
    let is_shown = frame
        .warp
        .as_ref()
        .is_some_and(|warp| warp.block == block.block);
    let show = dispatching::<MouseEvent>(dispatch, Action::ShowWarp(Some((block.block, 0))));
    html! {
        <section class={classes!("cluster-block", is_shown.then_some("shown"))} key={block.rank.to_string()}>
            <div class="head">
                <h2><button class="collapse-toggle" title="Show the lanes of this block" onclick={show}>{ format!("rank {}", block.rank) }</button></h2>
                <small title="%cluster_ctarank and the index of the block in the grid">{ format!("block {}", block.block) }</small>
                <span class="dots blocks">{ for block.warps.iter().enumerate().map(|(warp, progress)| dot(warp, *progress)) }</span>
            </div>
            if memories.is_empty() {
                <p class="muted">{ "no shared memory" }</p>
            }
            { for memories }
        </section>
    }
}

fn dot(warp: usize, progress: BlockProgress) -> Html {
    let title = format!("warp {warp}, {}", word(progress));
    html! { <i class={class(progress)} {title}></i> }
}

/// Renders the card of a memory whose grid is not shown.
fn collapsed_card(memory: &MemoryView, dispatch: &Dispatch) -> Html {
    let open = dispatching::<MouseEvent>(dispatch, Action::OpenMemory(memory.id.clone()));
    html! {
        <section class="card memory closed" key={memory.id.to_string()} aria-label={memory.title.clone()}
            data-memory={memory.id.to_string()}>
            <div class="head">
                <h2><button class="collapse-toggle" aria-expanded="false" title={memory.title.clone()} onclick={open}>{ &memory.title }</button></h2>
                <small title={facts(memory)}>{ facts(memory) }</small>
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct UnusedProps {
    names: Vec<MemoryKey>,
    dispatch: Dispatch,
}

/// Renders one line with the variables that no instruction references. Each of these variables can be opened.
#[component]
fn UnreferencedVariables(props: &UnusedProps) -> Html {
    let is_open = use_state_eq(|| false);
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            let details = event.target_dyn_into::<HtmlDetailsElement>();
            is_open.set(details.is_some_and(|details| details.open()));
        })
    };
    let entry = |id: &MemoryKey| {
        let open = dispatching::<MouseEvent>(&props.dispatch, Action::OpenMemory(id.clone()));
        html! { <li><button class="line-link" onclick={open}>{ id.to_string() }</button></li> }
    };
    let n = props.names.len();
    html! {
        <details class="card unused" key="unused" {ontoggle}>
            <summary>
                { if n == 1 { "1 unreferenced variable".to_owned() } else { format!("{n} unreferenced variables") } }
            </summary>
            if *is_open {
                <ul>{ for props.names.iter().map(entry) }</ul>
            }
        </details>
    }
}

/// Scrolls to the card that contains the stores or the tiles of a step. After a launch without any store, scrolls to the top.
#[hook]
fn use_follow(frame: &FrameRef, flow: &NodeRef) {
    let stores = frame.store.iter();
    let stored = stores.flat_map(|store| &store.memories).next();
    let tiles = frame.tensor.iter().flat_map(|step| &step.tiles);
    let written = tiles.clone().filter(|tile| tile.is_written);
    let of_tiles = written.chain(tiles).find_map(|tile| tile.memories.first());
    let stored = stored.or(of_tiles).cloned();
    let flow = flow.clone();
    let before = use_mut_ref(|| 0_u32);
    use_effect_with(
        (frame.1, frame.position, stored),
        move |(launch, _, stored)| {
            let is_another = before.replace(*launch) != *launch;
            let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
            let Some(flow) = flow.cast::<Element>() else {
                return;
            };
            if width.is_none_or(|width| width < FOLLOW_FROM) {
                return;
            }
            let cards = flow.closest(".cards").ok().flatten();
            if let Some(cards) = cards.filter(|_| is_another) {
                cards.set_scroll_top(0);
            }
            if let Some(id) = stored {
                reveal(&flow, id);
            }
        },
    );
}

/// Scrolls to the card of a memory, and returns the card if it exists.
fn reveal(flow: &Element, id: &MemoryKey) -> Option<Element> {
    let cards = flow.get_elements_by_class_name("memory");
    let id = Some(id.to_string());
    let card = (0..cards.length())
        .filter_map(|i| cards.item(i))
        .find(|card| card.get_attribute("data-memory") == id)?;
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    card.scroll_into_view_with_scroll_into_view_options(&options);
    Some(card)
}

/// Scrolls to the card of a memory and focuses it.
pub(crate) fn go_to(id: &MemoryKey) {
    let document = web_sys::window().and_then(|window| window.document());
    let flow = document.and_then(|document| document.query_selector(".flow").ok()?);
    let card = flow.and_then(|flow| reveal(&flow, id));
    let fold = card.and_then(|card| card.query_selector(".collapse-toggle").ok()?);
    if let Some(fold) = fold.and_then(|fold| fold.dyn_into::<HtmlElement>().ok()) {
        // If the card cannot be focused, it is nevertheless visible.
        let _ = fold.focus();
    }
}
