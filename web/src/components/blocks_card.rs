//! Overview of the grid of blocks and their progress: shows exited, running, waiting and not yet started blocks, and the warps of the
//! selected block, and navigates to any block.

use super::{Dispatch, FrameRef, dispatching};
use crate::format::count;
use crate::model::Action;
use warpgrid_view::model::{BlockMap, BlockProgress};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    /// Warp that the user has selected. The selected warp is shown even if another warp is running.
    pub(crate) chosen: Option<(u64, u32)>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn BlocksCard(props: &Props) -> Html {
    let map = &props.frame.blocks;
    let warps = warps_of_shown(props);
    if map.n_blocks < 2 && warps.len() < 2 {
        return Html::default();
    }
    let shown = shown(props);
    html! {
        <section class="card blocks" aria-label="Blocks">
            <div class="head">
                <h2>{ "Blocks" }</h2>
                <small>{ facts(map) }</small>
                if props.chosen.is_some() {
                    <button class="mini" title="Follow the warp that executes each step" onclick={dispatching(&props.dispatch, Action::ShowWarp(None))}>
                        { "follow" }
                    </button>
                }
            </div>
            if map.n_blocks > 1 {
                <div class="block-map" role="img" aria-label={facts(map)} onclick={on_cell(map, &props.dispatch)}>
                    { for map.cells.iter().enumerate().map(|(index, progress)| cell(index as u64, *progress, map, shown.map(|(block, _)| block))) }
                </div>
                { legend(map) }
                <BlockField n_blocks={map.n_blocks} shown={shown.map_or(0, |(block, _)| block)} dispatch={props.dispatch.clone()} />
            }
            if warps.len() > 1 {
                <div class="warps" role="group" aria-label="Warps of the block">
                    { for warps.iter().enumerate().map(|(warp, progress)| warp_button(warp as u32, *progress, shown, &props.dispatch)) }
                </div>
            }
        </section>
    }
}

/// Returns the block and the warp that the page shows.
fn shown(props: &Props) -> Option<(u64, u32)> {
    let shown = props
        .frame
        .warp
        .as_ref()
        .map(|warp| (warp.block, warp.warp));
    shown.or(props.chosen)
}

/// Returns the progress of the warps in the block that the page shows.
fn warps_of_shown(props: &Props) -> &[BlockProgress] {
    let block = shown(props).map_or(0, |(block, _)| block);
    let resident = &props.frame.blocks.resident;
    let found = resident.iter().find(|resident| resident.block == block);
    found.map_or(&[], |found| &found.warps)
}

/// Returns a summary such as `3 of 1000 done, 32 running`.
fn facts(map: &BlockMap) -> String {
    let n_live = map
        .resident
        .iter()
        .filter(|block| block.warps.iter().any(|warp| *warp != BlockProgress::Done));
    format!(
        "{} of {} done, {} running",
        count(map.n_finished),
        count(map.n_blocks),
        n_live.count()
    )
}

pub(crate) const fn word(progress: BlockProgress) -> &'static str {
    match progress {
        BlockProgress::NotStarted => "not started",
        BlockProgress::Running => "running",
        BlockProgress::Waiting => "waiting",
        BlockProgress::Done => "done",
    }
}

pub(crate) const fn class(progress: BlockProgress) -> &'static str {
    match progress {
        BlockProgress::NotStarted => "not-started",
        BlockProgress::Running => "running",
        BlockProgress::Waiting => "waiting",
        BlockProgress::Done => "done",
    }
}

fn cell(index: u64, progress: BlockProgress, map: &BlockMap, shown: Option<u64>) -> Html {
    let first = index * map.blocks_per_cell;
    let last = (first + map.blocks_per_cell).min(map.n_blocks) - 1;
    let title = match first == last {
        true => format!("block {first}, {}", word(progress)),
        false => format!("blocks {first} to {last}, {}", word(progress)),
    };
    let is_shown = shown.is_some_and(|block| (first..=last).contains(&block));
    html! { <i class={classes!(class(progress), is_shown.then_some("shown"))} {title} data-cell={index.to_string()}></i> }
}

/// Renders the legend of the colors that occur in the overview.
fn legend(map: &BlockMap) -> Html {
    let all = [
        BlockProgress::Done,
        BlockProgress::Running,
        BlockProgress::Waiting,
        BlockProgress::NotStarted,
    ];
    let entry = |progress: BlockProgress| html! { <span><i class={class(progress)}></i>{ word(progress) }</span> };
    let occurring = all
        .into_iter()
        .filter(|progress| map.cells.contains(progress));
    html! { <p class="legend" aria-hidden="true">{ for occurring.map(entry) }</p> }
}

/// Returns the click handler of the overview, which navigates to the clicked block. A cell that represents several blocks navigates to a
/// running block, or to its first block if none is running.
fn on_cell(map: &BlockMap, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let (dispatch, per_cell) = (dispatch.clone(), map.blocks_per_cell);
    let live: Vec<u64> = map.resident.iter().map(|block| block.block).collect();
    Callback::from(move |event: MouseEvent| {
        let cell = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        let cell = cell.and_then(|cell| cell.get_attribute("data-cell")?.parse::<u64>().ok());
        if let Some(cell) = cell {
            let blocks = cell * per_cell..(cell + 1) * per_cell;
            let block = live.iter().copied().find(|block| blocks.contains(block));
            dispatch.dispatch(Action::GoToBlock(block.unwrap_or(blocks.start)));
        }
    })
}

fn warp_button(
    warp: u32,
    progress: BlockProgress,
    shown: Option<(u64, u32)>,
    dispatch: &Dispatch,
) -> Html {
    let block = shown.map_or(0, |(block, _)| block);
    let is_shown = shown == Some((block, warp));
    let label = format!("warp {warp}, {}", word(progress));
    html! {
        <button class={class(progress)} title={label.clone()} aria-label={label} aria-pressed={is_shown.to_string()}
            onclick={dispatching(dispatch, Action::ShowWarp(Some((block, warp))))}>{ warp }</button>
    }
}

#[derive(Properties, PartialEq)]
struct FieldProps {
    n_blocks: u64,
    shown: u64,
    dispatch: Dispatch,
}

/// Input field for a block number, which moves to that block.
#[component]
fn BlockField(props: &FieldProps) -> Html {
    let input = use_node_ref();
    {
        let input = input.clone();
        use_effect_with(props.shown, move |shown| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.set_value(&shown.to_string());
            }
        });
    }
    let go = {
        let (input, dispatch, last) = (input.clone(), props.dispatch.clone(), props.n_blocks - 1);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let value = input
                .cast::<HtmlInputElement>()
                .map(|input| input.value_as_number());
            if let Some(value) = value.filter(|value| value.is_finite() && *value >= 0.0) {
                dispatch.dispatch(Action::GoToBlock((value as u64).min(last)));
            }
        })
    };
    html! {
        <form class="go-to-block" onsubmit={go}>
            <label>{ "Block " }<input ref={input} type="number" min="0" max={(props.n_blocks - 1).to_string()} step="1" /></label>
            <button class="action-button">{ "Go to block" }</button>
        </form>
    }
}
