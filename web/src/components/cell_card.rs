//! Details of the focused cell: its value, its address, and the stores that wrote the value.

use super::cell_history::{History, data_breakpoint_controls};
use super::initial_value_form::InitialValueForm;
use super::step_summary::{capitalize, inline_code};
use super::{Dispatch, FrameRef, dispatching};
use crate::format::count;
use crate::grid_geometry::index_text;
use crate::highlight::{bytes_of, lanes_of, writer_of};
use crate::model::{Action, InitialValueState, cell_of};
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::model::{CellHistory, MemoryGrid, PieceView, StoreAction, StoreView, WriteAge};
use warpgrid_view::session::launch_edit::{InitialValueTarget, immutable_reason};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    pub(crate) memory: MemoryKey,
    pub(crate) index: u64,
    /// Stores of the step that wrote the cell. `None` until the worker has sent them.
    pub(crate) stores: Option<Vec<StoreView>>,
    /// Whether the cell is pinned. Otherwise, the cell is under the pointer.
    pub(crate) is_pinned: bool,
    /// Byte range of the cell, if the memory contains it.
    pub(crate) place: Option<CellLocation>,
    /// Write history of the cell. `None` until the worker has sent it.
    pub(crate) history: Option<Rc<CellHistory>>,
    /// State of the last change of an initial value.
    pub(crate) start: InitialValueState,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn CellCard(props: &Props) -> Html {
    let Some((grid, cell)) = cell_of(&props.frame.0, &props.memory, props.index) else {
        return Html::default();
    };
    let size = grid.ty.width_bytes() as u64;
    let range = bytes_of(grid, props.index);
    let pinned = props.place.as_ref().filter(|_| props.is_pinned);
    let bytes = format!(
        "{size} {} at {}",
        if size == 1 { "byte" } else { "bytes" },
        address(grid, range.start)
    );
    let writer = cell
        .lane
        .zip(props.stores.as_deref())
        .and_then(|(lane, stores)| writer_of(stores, &props.memory, lane, &range));
    let stores = props.stores.as_deref().unwrap_or_default();
    let lanes = lanes_of(stores, &props.memory, &range);
    let step = cell.step.map_or_else(|| "–".into(), count);
    html! {
        <section class="card cell" aria-label="Cell">
            <h2>{ format!("{}{}", grid.memory.title, index_text(grid, props.index)) }<small>{ bytes }</small>
                if props.is_pinned {
                    <span class="spacer"></span>
                    <button class="icon small" title="Close" aria-label="Close" onclick={dispatching(&props.dispatch, Action::Pin(None))}>{ "✕" }</button>
                }
            </h2>
            <table class="property-table">
                <tr><th>{ "value" }</th><td>{ &cell.text }{ format!(" as {}", grid.ty) }</td></tr>
                if let Some(lane) = cell.lane {
                    <tr><th>{ "written by" }</th><td>{ format!("lane {lane} in step {step}") }</td></tr>
                } else {
                    <tr><th>{ "written by" }</th><td>{ if cell.written == WriteAge::Never { "not written" } else { "unknown, because the page does not track last writers for launches of this size" } }</td></tr>
                }
                if lanes.len() > 1 {
                    <tr><th>{ "lanes" }</th><td>{ format!("{} wrote to this element in the same step", list(&lanes)) }</td></tr>
                }
                if let Some((store, piece)) = writer {
                    { written(store, piece, cell.lane.unwrap_or(0), props) }
                }
            </table>
            if let Some(place) = pinned {
                { data_breakpoint_controls(place, &props.dispatch) }
            }
            if let Some(place) = pinned {
                { at_the_launch(place.clone(), props) }
            }
            if let Some(found) = &props.history {
                <History found={found.clone()} position={props.frame.position} dispatch={props.dispatch.clone()} />
            } else {
                <p class="muted">{ if props.is_pinned { "Searching for stores to this cell…" } else { "Click the cell or press Enter to show the write history of the cell." } }</p>
            }
        </section>
    }
}

/// Renders a field for the initial value of the cell, or the reason why no line of the source can set this value.
fn at_the_launch(place: CellLocation, props: &Props) -> Html {
    if let Some(reason) = immutable_reason(&place.memory) {
        return html! { <p class="muted">{ inline_code(&capitalize(&reason)) }{ "." }</p> };
    }
    let key = format!("{}+{}", place.memory, place.offset);
    let value = props.history.as_ref();
    let value = value.map(|found| AttrValue::from(found.initial.clone()));
    html! {
        <InitialValueForm {key} label="initial value" name="Initial value" place={InitialValueTarget::Cell(place)} {value}
            start={props.start.clone()} dispatch={props.dispatch.clone()} />
    }
}

fn written(store: &StoreView, piece: &PieceView, lane: u8, props: &Props) -> Html {
    let of_lane = store.lanes.iter().find(|of_lane| of_lane.lane == lane);
    let [x, y, z] = of_lane.map_or([0; 3], |of_lane| of_lane.thread);
    let [block_x, block_y, block_z] = store.block;
    html! {
        <>
            <tr>
                <th>{ "thread" }</th>
                <td>
                    { format!("({x}, {y}, {z}) of block ({block_x}, {block_y}, {block_z}), warp {}", store.warp) }
                    { other_warp(store, props) }
                </td>
            </tr>
            if let Some(source) = &piece.source {
                <tr><th>{ "source" }</th><td><code>{ source }</code></td></tr>
            }
            if store.action != StoreAction::Store {
                <tr>
                    <th>{ "changed" }</th>
                    <td>{ changed(piece) }</td>
                </tr>
            }
            <tr><th>{ "ordering" }</th><td>{ order(store) }</td></tr>
            <tr>
                <th>{ format!("line {}", store.range.line) }</th>
                <td><code>{ &store.instruction }</code></td>
            </tr>
        </>
    }
}

/// Renders a note with a button that shows the warp of the store, if this warp is not the shown warp.
fn other_warp(store: &StoreView, props: &Props) -> Html {
    let shown = props.frame.warp.as_ref();
    if shown.is_none_or(|warp| warp.block_id == store.block && warp.warp == store.warp) {
        return Html::default();
    }
    let blocks = &props.frame.blocks;
    let [grid_x, grid_y, _] = blocks.grid.map(u64::from);
    let [x, y, z] = store.block.map(u64::from);
    let block = x + grid_x * (y + grid_y * z);
    let show = dispatching(&props.dispatch, Action::ShowWarp(Some((block, store.warp))));
    html! {
        <>
            { " (not displayed)" }
            if blocks.resident.iter().any(|resident| resident.block == block) {
                { " " }<button class="mini" onclick={show}>{ format!("Show warp {}", store.warp) }</button>
            }
        </>
    }
}

/// Describes the effect of an atomic operation, for example `31 to 32`, or states that the value in memory is unchanged.
fn changed(piece: &PieceView) -> String {
    match piece.written {
        true => format!("{} to {}", piece.before, piece.value),
        false => format!("unchanged ({} was not stored)", piece.stored_value),
    }
}

/// Returns the ordering, the scope and the cache hints of a store, for example `release, gpu; L2::cache_hint`.
fn order(store: &StoreView) -> String {
    let mut text = store.order.clone();
    if let Some(scope) = &store.scope {
        text = format!("{text}, {scope}");
    }
    match store.hints.is_empty() {
        true => text,
        false => format!("{text}; {}", store.hints.join(", ")),
    }
}

/// Lists lanes as `0, 1, 2 and 3`, or returns the number of lanes if there are many.
fn list(lanes: &[u8]) -> String {
    const MAX: usize = 8;
    let names: Vec<String> = lanes.iter().map(u8::to_string).collect();
    match names.split_last() {
        Some((last, rest)) if lanes.len() <= MAX => format!("{} and {last}", rest.join(", ")),
        _ => format!("{} lanes", lanes.len()),
    }
}

fn address(grid: &MemoryGrid, offset: u64) -> String {
    let digits = grid.memory.address.trim_start_matches("0x");
    match u64::from_str_radix(digits, 16) {
        Ok(base) => format!("{:#x}", base.wrapping_add(offset)),
        Err(_) => format!("{} + {offset}", grid.memory.address),
    }
}
