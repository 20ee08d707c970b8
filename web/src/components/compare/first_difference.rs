//! First instructions of both kernels that computed different values, with links that select their lines.

use crate::components::{Dispatch, dispatching};
use crate::model::{Action, CompareAction};
use warpgrid_view::analysis::comparison::{ComputedValue, FirstDifference};
use warpgrid_view::source::line_table::SourcePosition;
use yew::prelude::*;

/// Renders the first differing instruction of each kernel, and the values on which the difference depends and that one kernel does not compute.
pub(super) fn first_difference(difference: &FirstDifference, dispatch: &Dispatch) -> Html {
    let lines = difference
        .sides
        .each_ref()
        .map(|side| Some(side.range.line));
    let select =
        dispatching::<MouseEvent>(dispatch, Action::Beside(CompareAction::SelectLines(lines)));
    let title = match difference.confirmed {
        true => "First differing values",
        false => "Computation of the stored values",
    };
    let element = format!("{}[{}]", difference.memory, difference.index);
    let names = ["Kernel A", "Kernel B"];
    let rows = difference.sides.iter().zip(names).zip(0..);
    // The omitted values belong to the other source.
    let omitting = difference.replaced_side.min(1);
    let not_computed = format!("Not computed by {}", names[omitting]);
    html! {
        <div class="compare-cause">
            <h3>{ title }<small>{ "of " }<code>{ element }</code></small>
                <button class="pill" onclick={select}>{ "Select both lines" }</button>
            </h3>
            <table>
                <tbody>
                    { for rows.map(|((value, name), side)| row(name, value, side, dispatch)) }
                    { for difference.omitted.iter().map(|value| row(&not_computed, value, 1 - omitting, dispatch)) }
                </tbody>
            </table>
        </div>
    }
}

/// Renders a value with its register and its instruction. The button selects the line of the instruction in the source with the index
/// `side`.
fn row(name: &str, value: &ComputedValue, side: usize, dispatch: &Dispatch) -> Html {
    let ComputedValue {
        block,
        warp,
        lane,
        range,
        ..
    } = value;
    let [x, y, z] = block;
    let thread = format!(
        "block ({x}, {y}, {z}) warp {warp} lane {lane}, step {}",
        value.step + 1
    );
    let register = value
        .register
        .clone()
        .unwrap_or_else(|| "constant".to_owned());
    let number = value.number.as_ref().map(|number| format!(" ({number})"));
    let source = value.source.first().map(SourcePosition::short);
    let mut label = format!("line {}", range.line);
    if let Some(source) = source {
        label = format!("{label}, {source}");
    }
    let mut lines = [None; 2];
    lines[side] = Some(range.line);
    let select =
        dispatching::<MouseEvent>(dispatch, Action::Beside(CompareAction::SelectLines(lines)));
    html! {
        <tr>
            <th scope="row">{ name.to_owned() }</th>
            <td><code>{ format!("{register} = {}", value.value) }</code>{ number }</td>
            <td><button class="pill" onclick={select}>{ label }</button></td>
            <td><code>{ &value.instruction }</code><small>{ thread }</small></td>
        </tr>
    }
}
