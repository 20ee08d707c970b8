//! Memories of a run. The stage shows the memories that the current step accesses, and as many other memories as fit, as grids in equal
//! columns. The remaining memories are thumbnails above the grids. The grid of the current store or of a pinned cell is scrolled into view.

use super::blocks_card::{class, word};
use super::memory_card::{MemoryCard, facts};
use super::memory_export::MemoryExport;
use super::memory_thumbnail::MemoryThumbnail;
use super::{Dispatch, FrameRef, dispatching};
use crate::editor::JsPanelKind;
use crate::grid_geometry::{HEADER_HEIGHT, MAX_VISIBLE_ROWS, ROW};
use crate::highlight::Highlights;
use crate::hooks::use_size;
use crate::model::{Action, Focus, GridViewOptions};
use crate::theme::Palette;
use std::collections::BTreeMap;
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::ClusterBlock;
use warpgrid_view::model::{BlockProgress, MemoryGrid, MemoryView};
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, HtmlDetailsElement, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition,
};
use yew::prelude::*;

/// Total width of the padding and the border of a card.
const CARD_EDGES: f64 = 26.0;
/// Minimum width of a column of grids. A narrower stage has one column.
const STAGE_COLUMN: f64 = 480.0;
/// Height of the toolbar, the padding and the margin of a card.
const CARD_HEIGHT: f64 = 66.0;
/// Height of the line with the number of rows, below a grid that is not shown completely.
const ROW_COUNT_HEIGHT: f64 = 20.0;
/// Minimum number of rows that a grid shows before it scrolls.
const MIN_VISIBLE_ROWS: u64 = 8;
/// Height of the row of thumbnails.
const THUMBNAILS_HEIGHT: f64 = 70.0;
/// Minimum width of the column for one block of a cluster.
const CLUSTER_COLUMN: f64 = 250.0;
/// Width of the gap between two columns.
const COLUMN_GAP: f64 = 12.0;
/// Minimum window width from which on the page scrolls to the card of the current store. A narrower window would scroll as a whole, which
/// must not happen while the user is reading.
const FOLLOW_FROM: f64 = 760.0;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    /// Height in pixels of the visible part of the stage. The height is 0 until it has been measured.
    pub(crate) stage_height: f64,
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
    let chosen = use_state_eq(|| None::<MemoryKey>);
    let stage = use_stage(props, chosen.as_ref(), width);
    let column_width = (width - COLUMN_GAP * (stage.n_columns - 1) as f64) / stage.n_columns as f64;
    let open = {
        let chosen = chosen.clone();
        Callback::from(move |id: MemoryKey| chosen.set(Some(id)))
    };
    let index_of = |memory: &MemoryView| grid_index(&props.frame, &memory.id);
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
                    max_rows={stage.max_rows}
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
    let thumbnail = |memory: &MemoryView| {
        let index = index_of(memory)?;
        Some(html! {
            <MemoryThumbnail key={memory.id.to_string()} frame={props.frame.clone()} {index} palette={props.palette.clone()} open={open.clone()} />
        })
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
    let (thumbnails, grids): (Vec<_>, Vec<_>) = used
        .into_iter()
        .partition(|memory| stage.thumbnails.contains(&memory.id));
    html! {
        <div class="flow" ref={flow} style={format!("--stage-columns: {}", stage.n_columns)}>
            if !thumbnails.is_empty() {
                <div class="thumbnails" role="group" aria-label="Other memories">{ for thumbnails.into_iter().filter_map(thumbnail) }</div>
            }
            { cluster }
            { for grids.into_iter().map(|memory| card(memory, column_width - CARD_EDGES)) }
            if !unused.is_empty() {
                <UnreferencedVariables names={unused.iter().map(|memory| memory.id.clone()).collect::<Vec<_>>()}
                    dispatch={props.dispatch.clone()} />
            }
        </div>
    }
}

/// Arrangement of the memories.
struct StageLayout {
    n_columns: usize,
    /// Number of rows that a grid shows before it scrolls.
    max_rows: u64,
    /// Memories that are shown as thumbnails.
    thumbnails: Vec<MemoryKey>,
}

/// Arranges the memories of a frame. The stage shows the memories that the current step accesses, the pinned memory and the memory that the
/// user chose, and as many others as fit.
#[hook]
fn use_stage(props: &Props, chosen: Option<&MemoryKey>, width: f64) -> StageLayout {
    let before = use_mut_ref(Vec::<MemoryKey>::new);
    let frame = &props.frame;
    // The blocks of a cluster show their memories themselves.
    let is_of_cluster = |id: &MemoryKey| {
        frame.cluster.is_some() && matches!(id, MemoryKey::Shared(_) | MemoryKey::Tensor(_))
    };
    let ids = frame.memories.iter().map(|memory| &memory.id);
    let candidates: Vec<(&MemoryKey, f64)> = ids
        .filter(|id| frame.shows(id) && !is_of_cluster(id))
        .filter_map(|id| {
            let grid = frame.grids.get(grid_index(frame, id)?)?;
            let is_folded = props.views.get(id).is_some_and(|choice| choice.folded);
            Some((id, card_height(grid, is_folded)))
        })
        .collect();
    let n_columns = ((width / STAGE_COLUMN) as usize).clamp(1, candidates.len().max(1));
    if props.stage_height <= 0.0 || !is_wide_window() {
        return StageLayout {
            n_columns,
            max_rows: MAX_VISIBLE_ROWS,
            thumbnails: Vec::new(),
        };
    }
    let pinned = props.pinned.iter().filter_map(|focus| match focus {
        Focus::Cell { memory, .. } => Some(memory),
        _ => None,
    });
    let required: Vec<&MemoryKey> = accessed(frame)
        .into_iter()
        .chain(pinned)
        .chain(chosen)
        .collect();
    let total: f64 = candidates.iter().map(|(_, height)| height).sum();
    let height = match total <= props.stage_height * n_columns as f64 {
        true => props.stage_height,
        false => props.stage_height - THUMBNAILS_HEIGHT,
    };
    let mut before = before.borrow_mut();
    *before = select_grids(&candidates, &required, &before, height * n_columns as f64);
    let thumbnails = candidates.iter().filter(|(id, _)| !before.contains(id));
    let row_height = height / before.len().div_ceil(n_columns).max(1) as f64;
    let fitting = ((row_height - CARD_HEIGHT - HEADER_HEIGHT - ROW_COUNT_HEIGHT) / ROW) as u64;
    StageLayout {
        n_columns,
        max_rows: match before.len() {
            0 | 1 => fitting.max(MIN_VISIBLE_ROWS),
            _ => fitting.max(MAX_VISIBLE_ROWS),
        },
        thumbnails: thumbnails.map(|(id, _)| (*id).clone()).collect(),
    }
}

/// Selects the memories that are shown as grids, from `candidates` with the heights of their cards: the required memories, and as many
/// others as fit into the height. The memories of the previous step remain as long as they include the required memories, so that the stage
/// does not change with each step.
fn select_grids(
    candidates: &[(&MemoryKey, f64)],
    required: &[&MemoryKey],
    before: &[MemoryKey],
    available_height: f64,
) -> Vec<MemoryKey> {
    let candidate = |id: &MemoryKey| candidates.iter().find(|(own, _)| *own == id);
    let required: Vec<&MemoryKey> = required
        .iter()
        .copied()
        .filter(|id| candidate(id).is_some())
        .collect();
    let remains = required.iter().all(|id| before.contains(id));
    let previous = before.iter().filter(|_| remains);
    let others = candidates.iter().map(|(id, _)| *id);
    let mut selected = Vec::new();
    let mut used_height = 0.0;
    for id in previous.chain(required.iter().copied()).chain(others) {
        let Some((_, height)) = candidate(id).filter(|_| !selected.contains(id)) else {
            continue;
        };
        let fits = used_height + height <= available_height;
        if fits || required.contains(&id) || selected.is_empty() {
            used_height += height;
            selected.push(id.clone());
        }
    }
    selected
}

/// Returns the height of the card of a memory.
fn card_height(grid: &MemoryGrid, is_folded: bool) -> f64 {
    if is_folded {
        return CARD_HEIGHT;
    }
    let n_rows = grid.total_rows.min(MAX_VISIBLE_ROWS);
    let footer = match grid.total_rows > MAX_VISIBLE_ROWS {
        true => ROW_COUNT_HEIGHT,
        false => 0.0,
    };
    CARD_HEIGHT + HEADER_HEIGHT + n_rows as f64 * ROW + footer
}

/// Returns the index of the grid of a memory in a frame.
fn grid_index(frame: &FrameRef, id: &MemoryKey) -> Option<usize> {
    frame.grids.iter().position(|grid| grid.memory.id == *id)
}

/// Returns the memories that the current step stores to, and the memories of the tiles of a matrix or tensor instruction.
fn accessed(frame: &FrameRef) -> Vec<&MemoryKey> {
    let stores = frame.store.iter().flat_map(|store| &store.memories);
    let tiles = frame.tensor.iter().flat_map(|step| &step.tiles);
    let written = tiles.clone().filter(|tile| tile.is_written);
    let of_tiles = written
        .chain(tiles)
        .filter_map(|tile| tile.memories.first());
    stores.chain(of_tiles).collect()
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
    let column = (width - COLUMN_GAP * (n_columns - 1) as f64) / n_columns as f64;
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
    let stored = accessed(frame).first().copied().cloned();
    let flow = flow.clone();
    let before = use_mut_ref(|| 0_u32);
    use_effect_with(
        (frame.1, frame.position, stored),
        move |(launch, _, stored)| {
            let is_another = before.replace(*launch) != *launch;
            let Some(flow) = flow.cast::<Element>() else {
                return;
            };
            if !is_wide_window() {
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

/// Checks whether the window is so wide that the page shows the stage beside the editor.
fn is_wide_window() -> bool {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    width.is_some_and(|width| width >= FOLLOW_FROM)
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
    let fold = card
        .as_ref()
        .and_then(|card| card.query_selector(".collapse-toggle").ok()?);
    let is_thumbnail = card.is_some_and(|card| card.class_list().contains("thumbnail"));
    if let Some(fold) = fold.and_then(|fold| fold.dyn_into::<HtmlElement>().ok()) {
        if is_thumbnail {
            fold.click();
        }
        // If the card cannot be focused, it is nevertheless visible.
        let _ = fold.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(name: &str) -> MemoryKey {
        MemoryKey::Buffer(name.into())
    }

    #[test]
    fn required_memory_replaces_others_only_if_the_stage_does_not_show_it() {
        let [a, b, c] = ["a", "b", "c"].map(buffer);
        let candidates = [(&a, 400.0), (&b, 100.0), (&c, 400.0)];
        let select = |required: &[&MemoryKey], before: &[MemoryKey]| {
            select_grids(&candidates, required, before, 600.0)
        };
        assert_eq!(select(&[], &[]), [a.clone(), b.clone()]);
        assert_eq!(
            select(&[&c], &[a.clone(), b.clone()]),
            [c.clone(), b.clone()]
        );
        assert_eq!(
            select(&[&b], &[c.clone(), b.clone()]),
            [c.clone(), b.clone()]
        );
        // Required memories are shown even if they do not fit.
        assert_eq!(select(&[&a, &c], &[]), [a.clone(), c.clone()]);
    }
}
