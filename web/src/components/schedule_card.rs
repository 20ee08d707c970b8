//! Card for results that depend on the schedule: the results of other schedules, and a comparison of two results.

use super::{Dispatch, dispatching};
use crate::editor;
use crate::format::{count, plural};
use crate::model::Action;
use warpgrid_view::analysis::schedule_seeds::{
    DifferenceSide, ElementStore, MemoryDifference, OutcomeGroup, SeedReport,
};
use yew::prelude::*;

/// Maximum number of memories whose differences are shown.
const MAX_MEMORIES: usize = 4;

/// Renders the card if schedules produce different results. `seed` is the scheduler seed of the shown run.
pub(crate) fn schedule_card(report: &SeedReport, seed: u64, dispatch: &Dispatch) -> Html {
    let [first, second, ..] = report.ends.as_slice() else {
        return Html::default();
    };
    html! {
        <section class="card schedules" aria-label="Schedules">
            <div class="head">
                <h2>{ "Result depends on the schedule" }</h2>
                <small>{ format!("Runs with {} schedules produced {} different results", count(report.n_seeds), report.ends.len()) }</small>
            </div>
            <div class="schedule-columns">
                { side_head(first, seed, dispatch) }
                { side_head(second, seed, dispatch) }
                { for report.differences.iter().take(MAX_MEMORIES).map(difference) }
            </div>
            <p class="muted">
                { "The page has tried only interleavings of whole instructions. If a kernel has data races, hardware may also reorder the accesses of a thread." }
            </p>
            if report.ends.len() > 2 {
                <p class="muted">{ format!("Other results: {}.", others(&report.ends)) }</p>
            }
        </section>
    }
}

/// Lists further results of schedules, as in `seed 3 (2 schedules), seed 9 (1 schedule)`.
fn others(ends: &[OutcomeGroup]) -> String {
    let names = ends.iter().skip(2).take(6).map(|end| {
        let seed = end.seeds.first().copied().unwrap_or(0);
        format!("seed {seed} ({})", plural(end.n_seeds, "schedule"))
    });
    names.collect::<Vec<_>>().join(", ")
}

fn side_head(end: &OutcomeGroup, shown: u64, dispatch: &Dispatch) -> Html {
    let seed = end.seeds.first().copied().unwrap_or(0);
    let is_shown = end.seeds.contains(&shown);
    let run = dispatching::<MouseEvent>(dispatch, Action::SetSeed(seed));
    html! {
        <div class={classes!("schedule", is_shown.then_some("shown"))}>
            <p><b>{ format!("Seed {seed}") }</b><small>{ plural(end.n_seeds, "schedule") }</small>
                if is_shown {
                    <small>{ "displayed" }</small>
                } else {
                    <button class="action-button" onclick={run}>{ "Switch to this schedule" }</button>
                }
            </p>
            if let Some(fault) = &end.fault {
                <p class="bad">{ fault }</p>
            }
        </div>
    }
}

/// Renders the first element of a memory that differs between two runs, with the stores of both runs to this element.
pub(super) fn difference(difference: &MemoryDifference) -> Html {
    let [first, second] = &difference.sides;
    let more = match difference.n_elements {
        1 => String::new(),
        2 => "and 1 more element".to_owned(),
        n => format!("and {} more elements", count(n - 1)),
    };
    html! {
        <>
            <h3><code>{ format!("{}[{}]", difference.memory, difference.index) }</code><small>{ more }</small></h3>
            { side(first) }
            { side(second) }
        </>
    }
}

/// Renders the value of the element in one run and the stores to the element. The last store is at the end.
fn side(side: &DifferenceSide) -> Html {
    html! {
        <div class="schedule">
            <ol>{ for side.stores.iter().map(store) }</ol>
            if side.stores.is_empty() {
                <p class="muted">{ "not written" }</p>
            }
            <p class="schedule-result">{ "final value: " }<b>{ &side.value }</b></p>
        </div>
    }
}

fn store(store: &ElementStore) -> Html {
    let [x, y, z] = store.block;
    let block = match (y, z) {
        (0, 0) => format!("block {x}"),
        _ => format!("block ({x}, {y}, {z})"),
    };
    let line = store.line;
    let go = Callback::from(move |_: MouseEvent| editor::go_to_line(line));
    html! {
        <li>
            <b>{ &store.value }</b>
            { format!(" by {block} warp {} lane {}, step {}", store.warp, store.lane, count(store.step + 1)) }
            <button class="line-link" title={store.instruction.clone()} onclick={go}>{ format!("line {}", store.line) }</button>
        </li>
    }
}
