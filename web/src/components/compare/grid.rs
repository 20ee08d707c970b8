//! Grid of a memory that both runs contain. Each cell shows one element, with both values if they differ.

use crate::components::{Dispatch, dispatching};
use crate::format::count;
use crate::model::{Action, CompareAction};
use crate::theme::lane_css;
use warpgrid_view::analysis::comparison::{CellComparison, ComparisonCell, ComparisonGrid};
use yew::prelude::*;

/// Renders the card of a memory that both runs contain.
pub(super) fn grid(of: &ComparisonGrid, dispatch: &Dispatch) -> Html {
    let columns = of.columns.max(1) as usize;
    let row = |(at, cells): (usize, &[ComparisonCell])| {
        let index = (of.first_row + at as u64) * u64::from(of.columns);
        html! {
            <tr>
                <th scope="row">{ index }</th>
                { for (index..).zip(cells).map(|(index, found)| cell(of, index, found)) }
            </tr>
        }
    };
    let parted = match of.n_differing {
        0 => "identical".to_owned(),
        1 => "1 element differs".to_owned(),
        n => format!("{} elements differ", count(n)),
    };
    let title = of.memory.title.clone();
    html! {
        <section class="card" aria-label={title.clone()}>
            <h2>{ title }<small>{ format!("{} · {parted}", of.ty) }</small>{ pages(of, columns, dispatch) }</h2>
            <div class="compare-cells" tabindex="0" role="group" aria-label={format!("{}: elements of kernels A and B", of.memory.title)}>
                <table><tbody>{ for of.cells.chunks(columns).enumerate().map(row) }</tbody></table>
            </div>
        </section>
    }
}

/// Renders buttons that show other rows of the memory, unless all rows are visible.
fn pages(of: &ComparisonGrid, columns: usize, dispatch: &Dispatch) -> Html {
    let shown = of.cells.len().div_ceil(columns) as u64;
    if shown >= of.total_rows {
        return Html::default();
    }
    let go = |row: u64| {
        let window = CompareAction::Window(of.memory.id.clone(), row);
        dispatching::<MouseEvent>(dispatch, Action::Beside(window))
    };
    let last = of.first_row + shown;
    html! {
        <span class="compare-pages">
            <button class="pill" disabled={of.first_row == 0} onclick={go(of.first_row.saturating_sub(shown))}>{ "↑" }</button>
            <small>{ format!("rows {} to {} of {}", count(of.first_row), count(last - 1), count(of.total_rows)) }</small>
            <button class="pill" disabled={last >= of.total_rows} onclick={go(last)}>{ "↓" }</button>
        </span>
    }
}

fn cell(of: &ComparisonGrid, index: u64, found: &ComparisonCell) -> Html {
    let [first, second] = &found.texts;
    let class = match found.mark {
        CellComparison::Untouched => "untouched",
        CellComparison::Equal => "equal",
        CellComparison::First => "different first",
        CellComparison::Second => "different second",
        CellComparison::Differs => "different",
    };
    let words = match found.mark {
        CellComparison::Untouched => format!("{first}, not written"),
        CellComparison::Equal => format!("A and B: {first}"),
        CellComparison::First => {
            format!("A: {first}, B: {second} (not written by B)")
        }
        CellComparison::Second => {
            format!("A: {first} (not written by A), B: {second}")
        }
        CellComparison::Differs => format!("A: {first}, B: {second}"),
    };
    let title = format!("{}[{index}]: {words}", of.memory.title);
    let is_now = found.now.contains(&true);
    let colour = |lane: Option<u8>| lane.map_or_else(|| "transparent".to_owned(), lane_css);
    let [left, right] = found.lanes.map(colour);
    let style = (left != "transparent" || right != "transparent")
        .then(|| format!("background: linear-gradient(90deg, {left} 50%, {right} 50%)"));
    let shown = match found.mark {
        CellComparison::Untouched | CellComparison::Equal => html! { { first } },
        CellComparison::First | CellComparison::Second | CellComparison::Differs => {
            html! { <><span>{ first }</span><span>{ second }</span></> }
        }
    };
    let inked = style.is_some().then_some("lane-colored");
    html! { <td class={classes!(class, is_now.then_some("current"), inked)} {style} aria-label={title.clone()} {title}>{ shown }</td> }
}
