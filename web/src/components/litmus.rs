//! The litmus test view. The left column contains the test. The right column contains the allowed outcomes, the forbidden outcomes with
//! their reasons, the execution graph and the fixes.

use super::execution_graph::graph;
use super::pickers::Select;
use super::{Dispatch, dispatching};
use crate::format::plural;
use crate::litmus::{LitmusState, RepairState, SAMPLES};
use crate::model::{Action, LitmusAction};
use std::rc::Rc;
use warpgrid_view::memory_model::litmus::{
    ForbiddenView, LitmusEdit, LitmusEditOp, LitmusRepairs, LitmusView, OutcomeView, RaceFrequency,
};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// Maximum number of listed forbidden outcomes.
const MAX_FORBIDDEN: usize = 64;
/// Maximum number of listed fixes.
const MAX_REPAIRS: usize = 24;

/// Renders the litmus test view from the state of the model.
pub(crate) fn outcomes_view(page: &LitmusState, dispatch: &Dispatch) -> Html {
    html! {
        <section class="explorer litmus" aria-label="Litmus tests">
            <div class="explorer-side">{ test(page, dispatch) }</div>
            <div class="explorer-main">{ answer(page, dispatch) }</div>
        </section>
    }
}

fn open(dispatch: &Dispatch, text: &str) -> Callback<MouseEvent> {
    let action = Action::Outcomes(LitmusAction::Open(text.into()));
    dispatching::<MouseEvent>(dispatch, action)
}

fn test(page: &LitmusState, dispatch: &Dispatch) -> Html {
    let pick = {
        let dispatch = dispatch.clone();
        Callback::from(move |id: String| {
            if let Some(sample) = SAMPLES.iter().find(|sample| sample.id == id) {
                dispatch.dispatch(Action::Outcomes(LitmusAction::Open(sample.text.into())));
            }
        })
    };
    let edited = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            dispatch.dispatch(Action::Outcomes(LitmusAction::Open(text.into())));
        })
    };
    let known = SAMPLES.iter().find(|sample| sample.text == &*page.text);
    let rows = (page.text.lines().count() + 1).clamp(8, 40);
    html! {
        <section class="card explorer-controls" aria-label="Test">
            <div class="explorer-title">
                <h2>{ "Litmus tests" }</h2>
            </div>
            <label class="explorer-field full-width"><span>{ "Test" }</span>
                <Select label="Test" class="pill" value={known.map_or("", |sample| sample.id)} on_choice={pick}>
                    if known.is_none() {
                        <option value="">{ "custom" }</option>
                    }
                    { for SAMPLES.iter().map(|sample| html! { <option value={sample.id}>{ sample.title }</option> }) }
                </Select>
            </label>
            <textarea class="litmus-source" aria-label="Litmus test source" spellcheck="false" autocomplete="off" rows={rows.to_string()} value={page.text.to_string()} oninput={edited} />
            if let Some(error) = &page.error {
                <p class="hint bad" role="alert">{ error.to_string() }</p>
            }
            <p class="hint">{ super::step_summary::inline_code("A litmus test consists of PTX threads that share memory. `//@ thread block=1` starts a thread, `//@ location x: u32 = 0` declares a memory location, and `//@ observe 1:%r0 x[0]` lists the observed values.") }</p>
            <p class={classes!("hint", (page.asked == 0).then_some("invisible"))}>{ "Searching… " }{ stop(dispatch) }</p>
        </section>
    }
}

fn answer(page: &LitmusState, dispatch: &Dispatch) -> Html {
    let Some(found) = &page.answer else {
        return match page.error {
            Some(_) => Html::default(),
            None => {
                html! { <p class="placeholder">{ "Enumerating executions… " }{ stop(dispatch) }</p> }
            }
        };
    };
    html! {
        <>
            { outcomes(page, found, dispatch) }
            { execution(page) }
            { repairs(page, found, dispatch) }
        </>
    }
}

/// Renders the button that cancels the running search.
fn stop(dispatch: &Dispatch) -> Html {
    let stop = dispatching::<MouseEvent>(dispatch, Action::Outcomes(LitmusAction::Stop));
    html! { <button type="button" class="pill" onclick={stop}>{ "Stop" }</button> }
}

fn outcome_button(
    page: &LitmusState,
    number: usize,
    values: &[u64],
    class: &'static str,
    note: &str,
    dispatch: &Dispatch,
) -> Html {
    let pressed = number == page.chosen;
    let choose = Action::Outcomes(LitmusAction::Choose(number));
    html! {
        <button type="button" class={classes!("litmus-outcome", class, pressed.then_some("chosen"))} aria-pressed={pressed.to_string()}
            onclick={dispatching::<MouseEvent>(dispatch, choose)}>
            <code>{ words(values) }</code><small>{ note.to_owned() }</small>
        </button>
    }
}

const fn races(races: RaceFrequency) -> &'static str {
    match races {
        RaceFrequency::Never => "",
        RaceFrequency::Sometimes => "data race in some executions",
        RaceFrequency::Always => "data race",
    }
}

fn outcomes(page: &LitmusState, found: &LitmusView, dispatch: &Dispatch) -> Html {
    let allowed = found.outcomes.as_deref().unwrap_or(&[]);
    let one = |(number, outcome): (usize, &OutcomeView)| {
        let (class, odd) = match outcome.is_interleaving {
            true => ("sequentially-consistent", ""),
            false => ("not-sequentially-consistent", "not sequentially consistent"),
        };
        let note = [odd, races(outcome.races)];
        let note: Vec<&str> = note.into_iter().filter(|word| !word.is_empty()).collect();
        let note = note.join(", ");
        outcome_button(page, number, &outcome.values, class, &note, dispatch)
    };
    let not_allowed = |(at, outcome): (usize, &ForbiddenView)| {
        let number = allowed.len() + at;
        outcome_button(page, number, &outcome.values, "forbidden", "", dispatch)
    };
    let forbidden = found.forbidden.iter().take(MAX_FORBIDDEN).enumerate();
    let n_more =
        found.forbidden.len().saturating_sub(MAX_FORBIDDEN) + found.n_forbidden_omitted as usize;
    html! {
        <section class="card" aria-label="All outcomes">
            <h2>{ "Outcomes" }<small>{ found.observed.join(", ") }</small></h2>
            if found.outcomes.is_none() {
                <p class="hint bad">{ "Accesses with a data race overlap only partially, so the memory model gives no guarantees." }</p>
            } else if allowed.is_empty() {
                <p class="hint bad">{ "No execution terminates, because a thread waits for a value that no other thread writes." }</p>
            } else {
                <h3>{ "Allowed" }</h3>
                <div class="litmus-outcomes" role="group" aria-label="Allowed outcomes">{ for allowed.iter().enumerate().map(one) }</div>
            }
            if !found.forbidden.is_empty() {
                <h3>{ "Forbidden" }</h3>
                <div class="litmus-outcomes" role="group" aria-label="Forbidden outcomes">
                    { for forbidden.map(not_allowed) }
                </div>
                if n_more > 0 {
                    <p class="muted">{ format!("and {n_more} more") }</p>
                }
            }
            if !found.racy_lines.is_empty() {
                <h3>{ "Data races" }</h3>
                <ul class="litmus-fixes">{ for found.racy_lines.iter().map(race) }</ul>
            }
            if let Some(rounds) = found.truncated_after {
                <p class="hint">{ format!("All loops except polling loops are unrolled {rounds} times.") }</p>
            }
        </section>
    }
}

/// Renders a data race with the source lines of its two accesses, which are unordered in some allowed execution.
fn race([first, second]: &[[u32; 2]; 2]) -> Html {
    let side = |[thread, line]: &[u32; 2]| format!("line {line} (thread {thread})");
    html! { <li>{ side(first) }{ " and " }{ side(second) }</li> }
}

fn execution(page: &LitmusState) -> Html {
    let Some((drawn, reason)) = page.shown() else {
        return Html::default();
    };
    html! {
        <section class="card" aria-label="Execution">
            if let Some(reason) = reason {
                <h2>{ "Violated axiom" }</h2>
                <p class="litmus-explanation" aria-live="polite">{ super::step_summary::inline_code(&super::step_summary::capitalize(reason)) }{ "." }</p>
            } else {
                <h2>{ "Example execution" }</h2>
            }
            { graph(drawn) }
        </section>
    }
}

fn repairs(page: &LitmusState, found: &LitmusView, dispatch: &Dispatch) -> Html {
    let allowed = found.outcomes.as_deref().unwrap_or(&[]);
    if allowed.iter().all(|outcome| outcome.is_interleaving) {
        return Html::default();
    }
    let body = match &page.repairs {
        RepairState::Unasked => html! {
            <button type="button" class="pill" onclick={dispatching::<MouseEvent>(dispatch, Action::Outcomes(LitmusAction::Repair))}>{ "Find weakest fixes" }</button>
        },
        RepairState::Asked => {
            html! { <p class="placeholder">{ "Searching for fixes, weakest first…" }</p> }
        }
        RepairState::Repairs(found) => repair_list(&found.0, &found.1, dispatch),
    };
    html! {
        <section class="card" aria-label="Fixes">
            <h2>{ "Fixes" }<small>{ "edits that allow only sequentially consistent outcomes" }</small></h2>
            { body }
        </section>
    }
}

fn repair_list(repairs: &LitmusRepairs, texts: &[String], dispatch: &Dispatch) -> Html {
    let one = |(repair, text): (&Vec<LitmusEdit>, &String)| {
        html! {
            <li>
                <div>{ for repair.iter().map(edit) }</div>
                <button type="button" class="pill" onclick={open(dispatch, text)}>{ "Apply to test" }</button>
            </li>
        }
    };
    let n_more = repairs.repairs.len().saturating_sub(MAX_REPAIRS);
    html! {
        <>
            if repairs.repairs.is_empty() {
                <p>{ format!("No fix with at most {} allows only sequentially consistent outcomes.", plural(repairs.exhaustive_up_to as u64, "edit")) }</p>
            }
            <ul class="litmus-fixes">{ for repairs.repairs.iter().zip(texts).take(MAX_REPAIRS).map(one) }</ul>
            if n_more > 0 {
                <p class="muted">{ format!("and {n_more} more") }</p>
            }
            <p class="muted">{ format!("The search covered all combinations of up to {}. Every weaker combination still allows an undesired outcome.", plural(repairs.exhaustive_up_to as u64, "edit")) }</p>
        </>
    }
}

fn edit(edit: &LitmusEdit) -> Html {
    let place = format!("line {}", edit.shown_line);
    match edit.op {
        LitmusEditOp::Replace => {
            html! { <div>{ "replace " }{ place }{ " with " }<code>{ &edit.text }</code></div> }
        }
        LitmusEditOp::InsertBefore => {
            html! { <div>{ "insert before " }{ place }{ ": " }<code>{ &edit.text }</code></div> }
        }
    }
}

fn words(values: &[u64]) -> String {
    let words: Vec<String> = values.iter().map(u64::to_string).collect();
    words.join("  ")
}

/// Returns the litmus test that the view shows by default.
pub(crate) fn first_test() -> Rc<str> {
    SAMPLES.first().map_or("", |sample| sample.text).into()
}
