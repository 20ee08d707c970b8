//! The Tensor Core arithmetic view: the result of one element in comparison with other results, and each block with its terms as aligned
//! bits.

use super::pickers::Select;
use super::{Dispatch, dispatching};
use crate::layout_explorer::LayoutQuery;
use crate::mma_arithmetic::{BitRow, MmaArithmeticState, bit_rows, depth_of, set_element};
use crate::model::{Action, LayoutExplorerAction, MmaArithmeticAction};
use warpgrid_view::analysis::mma_explanation::{
    AccumulationBlockView, MmaChoice, MmaExplanation as Explained, MmaRequest, MmaStepView,
    NumberView,
};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Inputs of the view.
struct Props<'a> {
    page: &'a MmaArithmeticState,
    dispatch: &'a Dispatch,
}

/// Renders the Tensor Core arithmetic view from the state of the model.
pub(crate) fn mma_arithmetic_view(page: &MmaArithmeticState, dispatch: &Dispatch) -> Html {
    let props = &Props { page, dispatch };
    let Some(answer) = &props.page.answer else {
        return html! { <section class="explorer"><p class="placeholder">{ "Computing the result…" }</p></section> };
    };
    html! {
        <section class="explorer" aria-label="Tensor Core arithmetic">
            <div class="explorer-side">
                { controls(props) }
                { operands(props) }
            </div>
            <div class="explorer-main mma-arithmetic">
                {
                    match &answer.view {
                        Ok(view) => explained(view),
                        Err(reason) => html! { <p class="hint bad" role="alert">{ super::step_summary::inline_code(reason) }</p> },
                    }
                }
            </div>
        </section>
    }
}

/// Returns a callback that opens the view with one part of the request changed.
fn set<T: 'static>(
    props: &Props<'_>,
    change: impl Fn(&mut MmaRequest, T) + 'static,
) -> Callback<T> {
    let (request, dispatch) = (props.page.request.clone(), props.dispatch.clone());
    Callback::from(move |value| {
        let mut request = request.clone();
        change(&mut request, value);
        dispatch.dispatch(Action::Product(MmaArithmeticAction::Open(request)));
    })
}

/// Returns a callback that selects an instruction by its index.
fn pick(props: &Props<'_>, choices: Vec<MmaChoice>) -> Callback<String> {
    set(props, move |request, number: String| {
        let choice = number.parse().ok().and_then(|at: usize| choices.get(at));
        if let Some(choice) = choice {
            request.op = choice.op.clone();
            request.shape = choice.shape.clone();
            request.types = choice.types.clone();
            let depth = depth_of(&request.shape);
            request.a.truncate(depth);
            request.b.truncate(depth);
        }
    })
}

fn controls(props: &Props<'_>) -> Html {
    let request = &props.page.request;
    let answer = props.page.answer.as_deref();
    let choices = answer.map_or(&[][..], |answer| &answer.choices);
    let targets = answer.map_or(&[][..], |answer| &answer.targets);
    let chosen = choices.iter().position(|choice| choice.is_of(request));
    let pick = pick(props, choices.to_vec());
    let option = |(at, choice): (usize, &MmaChoice)| {
        html! { <option value={at.to_string()}>{ format!("{} {}, {}", choice.op, choice.shape, types(&choice.types)) }</option> }
    };
    let target_option = |name: &String| html! { <option value={name.clone()}>{ name }</option> };
    let value = chosen.map_or_else(String::new, |at| at.to_string());
    let fragments = LayoutQuery::of_target(Some(&request.target));
    let fragments = dispatching::<MouseEvent>(
        props.dispatch,
        Action::Matrix(LayoutExplorerAction::Open(fragments)),
    );
    let stay = |event: SubmitEvent| event.prevent_default();
    html! {
        <form class="card explorer-controls" aria-label="Instruction and operands" onsubmit={stay}>
            <div class="explorer-title">
                <h2>{ "Tensor Core arithmetic" }</h2>
                <span>
                    <button type="button" class="pill" onclick={fragments}>{ "Fragment layout" }</button>
                </span>
            </div>
            <label class="explorer-field full-width"><span>{ "Instruction" }</span>
                <Select label="Instruction" class="pill" {value} on_choice={pick}>
                    if chosen.is_none() {
                        <option value="">{ format!("{} {}, {}", request.op, request.shape, types(&request.types)) }</option>
                    }
                    { for choices.iter().enumerate().map(option) }
                </Select>
            </label>
            <label class="explorer-field"><span>{ "Target" }</span>
                <Select label="Target" class="pill" value={request.target.clone()} on_choice={set(props, |request, name| request.target = name)}>
                    if !targets.contains(&request.target) {
                        { target_option(&request.target) }
                    }
                    { for targets.iter().map(target_option) }
                </Select>
            </label>
            <label class="explorer-field"><span>{ "C" }</span>
                { input("C", request.c.clone().unwrap_or_default(), set(props, |request, text: String| {
                    request.c = Some(text).filter(|text| !text.is_empty());
                })) }
            </label>
        </form>
    }
}

/// Formats types, as in `f16 * f16 + f32 into f32`.
fn types(types: &[String]) -> String {
    match types {
        [a, b, c, d] => format!("{a} * {b} + {c} into {d}"),
        other => other.join(" "),
    }
}

fn input(label: impl Into<AttrValue>, value: String, on_text: Callback<String>) -> Html {
    let onchange = Callback::from(move |event: Event| {
        let text = event.target_unchecked_into::<HtmlInputElement>().value();
        on_text.emit(text.trim().to_owned());
    });
    let label: AttrValue = label.into();
    html! { <input class="pill" aria-label={label} spellcheck="false" autocomplete="off" placeholder="0" {value} {onchange} /> }
}

/// Renders the row of A and the column of B, whose elements the user can edit.
fn operands(props: &Props<'_>) -> Html {
    let request = &props.page.request;
    let depth = depth_of(&request.shape);
    let element = |words: &[String], k: usize| words.get(k).cloned().unwrap_or_default();
    let row = |k: usize| {
        let a = set(props, move |request, text| {
            set_element(&mut request.a, k, text)
        });
        let b = set(props, move |request, text| {
            set_element(&mut request.b, k, text)
        });
        html! {
            <tr>
                <th scope="row">{ k }</th>
                <td>{ input(format!("A at k = {k}"), element(&request.a, k), a) }</td>
                <td>{ input(format!("B at k = {k}"), element(&request.b, k), b) }</td>
            </tr>
        }
    };
    html! {
        <section class="card" aria-label="Operands">
            <h2>{ "Row of A and column of B" }<small>{ "elements as numbers, or as bits such as 0x3c00" }</small></h2>
            <table class="mma-operands">
                <thead><tr><th scope="col">{ "k" }</th><th scope="col">{ "A" }</th><th scope="col">{ "B" }</th></tr></thead>
                <tbody>{ for (0..depth).map(row) }</tbody>
            </table>
        </section>
    }
}

fn explained(view: &Explained) -> Html {
    let n_blocks = view.steps.len();
    html! {
        <>
            <section class="card" aria-label="Result">
                <h2>{ "Comparison with IEEE 754" }</h2>
                <p class="mma-summary" aria-live="polite">{ &view.summary }</p>
                { results(view) }
            </section>
            { for view.steps.iter().enumerate().map(|(at, step)| step_card(step, at + 1, n_blocks)) }
        </>
    }
}

/// Renders the result of the Tensor Core and the results of other methods.
fn results(view: &Explained) -> Html {
    let exact = view.single_rounding_result.as_ref();
    let line = |name: Html, number: &NumberView, class: &'static str| {
        let verdict = exact.map(|exact| match exact.bits == number.bits {
            true => html! { <span class="same">{ "=" }</span> },
            false => html! { <span class="differs">{ "differs" }</span> },
        });
        html! {
            <tr {class}><th scope="row">{ name }</th><td>{ &number.text }</td><td><code>{ &number.bits }</code></td><td>{ verdict }</td></tr>
        }
    };
    let own = view.title.rsplit(' ').next().unwrap_or_default();
    let others = view.generations.iter().map(|generation| {
        let names = generation.targets.join(", ");
        line(html! { { names } }, &generation.result, "")
    });
    html! {
        <div class="mma-results" tabindex="0" role="group" aria-label="Results"><table>
            <thead><tr><th scope="col">{ "computed by" }</th><th scope="col">{ "value" }</th><th scope="col">{ "bits" }</th><th scope="col">{ "vs. correctly rounded" }</th></tr></thead>
            <tbody>
                { line(html! { <>{ "Tensor Core of " }{ own }</> }, &view.result, "own") }
                if let Some(exact) = exact {
                    { line(html! { { "correctly rounded sum" } }, exact, "") }
                }
                { line(html! { { "sequential f32 FMA" } }, &view.chain, "") }
                if let Some(sum) = &view.exact {
                    <tr><th scope="row">{ "exact sum" }</th><td colspan="3">{ sum }</td></tr>
                }
            </tbody>
            <tbody>
                <tr><th scope="colgroup" colspan="4" class="group">{ "other generations" }</th></tr>
                { for others }
            </tbody>
        </table></div>
    }
}

fn step_card(step: &MmaStepView, number: usize, n_steps: usize) -> Html {
    let title = format!("Step {number} of {n_steps}");
    match step {
        MmaStepView::Block(view) => html! {
            <section class="card" aria-label={title}>
                <h2>{ format!("Accumulation of products {}", view.products) }<small>{ block_facts(view) }</small></h2>
                { block(view) }
            </section>
        },
        MmaStepView::Operation(view) => html! {
            <section class="card" aria-label={title}>
                <h2>{ "Final operation" }</h2>
                <p>{ &view.text }{ ": " }{ number_html(&view.result) }</p>
            </section>
        },
    }
}

fn block_facts(view: &AccumulationBlockView) -> String {
    let unit = view.exponent - i32::from(view.kept_bits);
    match view.special {
        Some(_) => String::new(),
        None => format!(
            "terms aligned to 2^{} with {} fraction bits (least significant bit: 2^{unit})",
            view.exponent, view.kept_bits
        ),
    }
}

fn number_html(number: &NumberView) -> Html {
    html! { <><b>{ &number.text }</b>{ " " }<code>{ &number.bits }</code></> }
}

fn block(view: &AccumulationBlockView) -> Html {
    if let Some(special) = &view.special {
        return html! { <p>{ format!("Special value: {special}. ") }{ number_html(&view.result) }</p> };
    }
    let rows = bit_rows(view);
    let (sum, terms) = match rows.split_last() {
        Some((sum, terms)) if !terms.is_empty() => (sum, terms),
        _ => {
            return html! { <p>{ "All terms are zero, so the accumulator is unchanged. " }{ number_html(&view.result) }</p> };
        }
    };
    html! {
        <div class="mma-terms" tabindex="0" role="group" aria-label="Terms, bit by bit"><table>
            <thead><tr>
                <th scope="col">{ "term" }</th><th scope="col">{ "exact value" }</th>
                <th scope="col">{ "kept bits" }</th><th scope="col" class="truncated">{ "truncated" }</th>
            </tr></thead>
            <tbody>{ for terms.iter().map(bit_row) }</tbody>
            <tfoot>
                { bit_row(sum) }
                <tr class="result">
                    <th scope="row">{ "result" }</th>
                    <td colspan="3">{ number_html(&view.result) }{ if view.is_cut { ", rounded toward zero to the result type" } else { "" } }</td>
                </tr>
            </tfoot>
        </table></div>
    }
}

fn bit_row(row: &BitRow) -> Html {
    let loses = row.cut.contains('1');
    html! {
        <tr class={classes!(loses.then_some("loses"))}>
            <th scope="row">{ &row.name }</th>
            <td>{ &row.value }</td>
            <td class="bits">
                <span class="sign">{ if row.is_negative { "−" } else { "\u{a0}" } }</span>
                <span class="zeros">{ &row.zeros }</span><span class="retained">{ &row.kept }</span>
            </td>
            <td class="bits truncated">{ &row.cut }{ if row.goes_on { "…" } else { "" } }</td>
        </tr>
    }
}
