//! Write history of a cell as a list: the initial value, and each store to the cell. A click on a store moves the run to this store.

use super::line_button::line_button;
use super::{Dispatch, dispatching};
use crate::format::{count, plural};
use crate::model::{Action, RunUntilAction};
use crate::protocol::MoveTarget;
use std::rc::Rc;
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::model::{CellHistory, CellWrite, StoreAction};
use warpgrid_view::session::stop_conditions::{Direction, StopCondition};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Renders buttons that run back or forward until the value of the cell changes.
pub(super) fn data_breakpoint_controls(place: &CellLocation, dispatch: &Dispatch) -> Html {
    let to = |direction| {
        let until = StopCondition::DataChange(place.clone());
        dispatching::<MouseEvent>(
            dispatch,
            Action::Until(RunUntilAction::Go(until, direction)),
        )
    };
    html! {
        <p class="data-breakpoint" role="group" aria-label="Data breakpoint on this cell">
            <span class="muted">{ "Break on value change" }</span>
            <button class="mini" onclick={to(Direction::Reverse)}>{ "Run back" }</button>
            <button class="mini" onclick={to(Direction::Forward)}>{ "Run forward" }</button>
        </p>
    }
}

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) found: Rc<CellHistory>,
    /// Current position of the run.
    pub(super) position: u64,
    pub(super) dispatch: Dispatch,
}

/// Renders the list, scrolled to the store that wrote the current value.
#[component]
pub(super) fn History(props: &Props) -> Html {
    let (found, position, dispatch) = (&props.found, props.position, &props.dispatch);
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with((found.clone(), position), move |_| {
            show_present(&list).unwrap_or_default();
        });
    }
    let is_past = |write: &CellWrite| write.position <= position;
    let present = found.writes.partition_point(is_past).checked_sub(1);
    let is_before = |write: &&CellWrite| write.position <= found.position;
    let n_before = found.writes.iter().filter(is_before).count();
    let earlier = found.n_before.saturating_sub(n_before as u64);
    let later = found
        .n_after
        .saturating_sub((found.writes.len() - n_before) as u64);
    let row = |row: (usize, &CellWrite)| write_row(row, present, position, dispatch);
    html! {
        <details class="history" open=true>
            <summary>{ "Write history " }<small>{ summary(found) }</small></summary>
            // The scroll container needs no `tabindex`, because the buttons that it contains are focusable by keyboard.
            <div class="scroll" ref={list}>
                <table>
                    <thead class="visually-hidden"><tr><th>{ "step" }</th><th>{ "line" }</th><th>{ "lane" }</th><th>{ "value" }</th></tr></thead>
                    <tbody>
                        <tr class={classes!(present.is_none().then_some("current-write"))} aria-current={present.is_none().then_some("true")}>
                            <td><button class="line-link" onclick={dispatching(dispatch, Action::Move(MoveTarget::Start))}>{ "launch" }</button></td>
                            <td></td><td></td><td><code>{ &found.initial }</code></td>
                        </tr>
                        if earlier > 0 {
                            <tr class="muted"><td colspan="4">{ format!("{} not shown", stores(earlier, "earlier ")) }</td></tr>
                        }
                        { for found.writes.iter().enumerate().map(row) }
                        if later > 0 {
                            <tr class="muted"><td colspan="4">{ format!("{} not shown", stores(later, "later ")) }</td></tr>
                        }
                    </tbody>
                </table>
            </div>
        </details>
    }
}

/// Scrolls the list to the store that wrote the current value. Outer containers do not scroll.
fn show_present(list: &NodeRef) -> Option<()> {
    let list = list.cast::<HtmlElement>()?;
    let row = list.query_selector(".current-write").ok()??;
    let row = row.dyn_into::<HtmlElement>().ok()?;
    let middle = (list.client_height() - row.offset_height()) / 2;
    list.set_scroll_top(row.offset_top() - middle);
    Some(())
}

/// Returns a summary such as `12 stores in 340 steps`.
fn summary(found: &CellHistory) -> String {
    let n = found.n_before + found.n_after;
    match n {
        0 => format!("not written in {} steps", count(found.steps)),
        _ => format!("{} in {} steps", stores(n, ""), count(found.steps)),
    }
}

fn stores(n: u64, which: &str) -> String {
    plural(n, &format!("{which}store"))
}

fn write_row(
    (index, write): (usize, &CellWrite),
    present: Option<usize>,
    position: u64,
    dispatch: &Dispatch,
) -> Html {
    let is_present = present == Some(index);
    let go =
        dispatching::<MouseEvent>(dispatch, Action::Move(MoveTarget::Position(write.position)));
    let class = classes!(
        is_present.then_some("current-write"),
        (write.position > position).then_some("later-write")
    );
    html! {
        <tr {class} aria-current={is_present.then_some("true")}>
            <td><button class="line-link" title={write.instruction.clone()} onclick={go}>{ format!("step {}", count(write.position)) }</button></td>
            <td>{ line_button(write.range.line) }</td>
            <td>{ who(write) }</td>
            <td><code>{ &write.before }</code>{ " → " }<code>{ &write.after }</code>{ how(write) }</td>
        </tr>
    }
}

/// Returns the lane of a store, as in `lane 3`, or the number of lanes. The warp and the block are included unless both are 0.
fn who(write: &CellWrite) -> String {
    let lane = match (write.lane, write.n_lanes) {
        (None, _) => "–".to_owned(),
        (Some(lane), 0 | 1) => format!("lane {lane}"),
        (Some(_), n) => format!("{n} lanes"),
    };
    match (write.block, write.warp) {
        (0, 0) => lane,
        (0, warp) => format!("{lane}, warp {warp}"),
        (block, warp) => format!("{lane}, warp {warp}, block {block}"),
    }
}

/// Returns the kind of a store, or an empty string for an ordinary store.
fn how(write: &CellWrite) -> &'static str {
    match (write.has_landed, write.action) {
        (true, _) => " (asynchronous)",
        (false, StoreAction::Store) => "",
        (false, StoreAction::Atomic | StoreAction::Reduction) => " (atomic)",
    }
}
