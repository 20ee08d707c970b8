//! Card of the memory traffic in a run: the percentage of the transferred bytes that were used, the bank conflicts, and the source lines
//! that cause bank conflicts.

use super::{Dispatch, dispatching};
use crate::editor;
use crate::format::{decimal, plural};
use crate::model::Action;
use warpgrid_worker::traffic::{Bar, Row, TrafficWords};
use yew::prelude::*;

/// Renders the card. `uncounted` is the number of executed steps whose traffic was not counted.
pub(crate) fn memory_traffic_card(
    traffic: &TrafficWords,
    uncounted: u64,
    dispatch: &Dispatch,
) -> Html {
    if traffic.rows.is_empty() && uncounted == 0 {
        return Html::default();
    }
    html! {
        <section class="card traffic" aria-label="Memory traffic">
            <div class="head">
                <h2>{ "Memory traffic" }</h2>
                <small>{ plural(traffic.steps, "step") }</small>
                if uncounted > 0 {
                    <button class="mini" title="Rerun the remaining steps in the background and include their accesses" onclick={dispatching(dispatch, Action::CountTraffic)}>
                        { format!("Include {}", plural(uncounted, "more step")) }
                    </button>
                }
            </div>
            { for traffic.bars.iter().map(bar) }
            <table>
                <thead><tr><th>{ "line" }</th><th>{ "accesses" }</th><th>{ "cost per access" }</th><th>{ "ideal" }</th></tr></thead>
                <tbody>{ for traffic.rows.iter().map(row) }</tbody>
            </table>
            if traffic.n_more > 0 {
                <p class="muted">{ format!("and {}", plural(traffic.n_more.into(), "more line")) }</p>
            }
        </section>
    }
}

/// Renders the percentage of the memory traffic that is necessary as a bar.
fn bar(bar: &Bar) -> Html {
    html! {
        <div class="cost">
            <p><b>{ &bar.name }</b><span>{ &bar.strong }</span></p>
            <div class="cost-bar" aria-hidden="true"><i style={format!("width: {}%", decimal(bar.share.into()))}></i></div>
            <p class="muted">{ &bar.facts }</p>
        </div>
    }
}

fn row(row: &Row) -> Html {
    let line = row.line;
    let go = Callback::from(move |_: MouseEvent| editor::go_to_line(line));
    html! {
        <tr class={row.level.name()} title={row.title.clone()}>
            <th><button class="link" title={row.opcode.clone()} onclick={go}>{ line }</button></th>
            <td>{ &row.requests }</td>
            <td><b>{ &row.each }</b></td>
            <td>{ &row.least }</td>
        </tr>
    }
}
