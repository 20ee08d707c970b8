//! Comparison of two sources of a kernel: shows the lines of both sources with the line of the current store, and one grid for each memory
//! of both runs.

mod first_difference;
mod grid;
mod source_input;
mod source_listing;

use super::step_details::step_details;
use super::step_summary::{capitalize, inline_code};
use super::{Dispatch, dispatching};
use crate::compare::{CompareState, ExamplePair};
use crate::format::count;
use crate::model::{Action, CompareAction};
use crate::protocol::CompareOpened;
use crate::saved_kernels;
use first_difference::first_difference;
use grid::grid;
use source_input::Choose;
use source_listing::SourceListing;
use std::rc::Rc;
use warpgrid_view::SourceLanguage;
use warpgrid_view::analysis::comparison::{ComparisonSide, ComparisonStep, ComparisonVerdict};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Opens the comparison of two examples once their sources have loaded.
pub(crate) fn open_examples(dispatch: &Dispatch, pair: ExamplePair) {
    let dispatch = dispatch.clone();
    saved_kernels::fetch(&pair, move |found| {
        dispatch.dispatch(match found.map(<[Rc<str>; 2]>::try_from) {
            Ok(Ok(texts)) => Action::Beside(CompareAction::OpenExample(pair[0], texts)),
            Ok(Err(_)) => return,
            Err(reason) => Action::ExampleFailed(reason),
        });
    });
}

/// Renders the comparison view, whose complete state is in the model.
pub(crate) fn compare_view(page: &CompareState, dispatch: &Dispatch) -> Html {
    let choose =
        dispatching::<MouseEvent>(dispatch, Action::Beside(CompareAction::EditSecondSource));
    html! {
        <section class="compare" aria-label="Compare kernels">
            <div class="card compare-head">
                <div class="explorer-title">
                    <h2>{ "Compare kernels" }</h2>
                    if !page.is_editing_second_source {
                        <button class="pill" onclick={choose}>{ "Change kernel B…" }</button>
                    }
                </div>
                { verdict(page, dispatch) }
                if let Some(opened) = &page.opened {
                    { transport(page, opened, dispatch) }
                }
            </div>
            { side(page, 0, dispatch) }
            { side(page, 1, dispatch) }
            <div class="compare-memory">
                if let Some(frame) = &page.frame {
                    { for frame.grids.iter().map(|of| grid(of, dispatch)) }
                }
            </div>
        </section>
    }
}

/// Renders whether the memories have the same contents at the end of both runs.
fn verdict(page: &CompareState, dispatch: &Dispatch) -> Html {
    if let Some((side, refusal)) = &page.refusal {
        let which = if *side == 0 { "Kernel A" } else { "Kernel B" };
        let line = refusal
            .diagnostics
            .first()
            .map_or(String::new(), |found| format!(" (line {})", found.line));
        return html! { <p class="hint bad" role="alert">{ format!("{which} cannot run: ") }{ inline_code(&refusal.message) }{ line }</p> };
    }
    let Some(opened) = &page.opened else {
        let words = match page.is_editing_second_source {
            true => {
                "Paste another version of the kernel as PTX, or as the output of cuobjdump or nvdisasm. Both versions run with the same launch configuration."
            }
            false => "Running both kernels…",
        };
        return html! { <p>{ words }</p> };
    };
    let report = &opened.report;
    let class = match report.verdict {
        ComparisonVerdict::Equal => "compare-verdict equal",
        ComparisonVerdict::Different => "compare-verdict different",
        ComparisonVerdict::NotComparable | ComparisonVerdict::Unfinished => "compare-verdict",
    };
    let alone = report.unmatched_memories.iter().flatten().count();
    html! {
        <>
            <p {class} aria-live="polite">{ inline_code(&capitalize(&report.summary)) }{ "." }
                { for report.notes.iter().map(|note| html! { <small>{ inline_code(&capitalize(note)) }{ "." }</small> }) }
                if alone > 0 {
                    <small>{ format!("The following variables exist in only one version and are not compared: {alone}.") }</small>
                }
                if !opened.guesses.is_empty() {
                    <small>{ format!("Inferred launch configuration: {}", opened.guesses.join("; ")) }</small>
                }
            </p>
            if let Some(found) = &report.first_difference {
                { first_difference(found, dispatch) }
            }
            if !report.differences.is_empty() {
                <div class="schedule-columns">{ for report.differences.iter().take(4).map(super::schedule_card::difference) }</div>
            }
        </>
    }
}

fn transport(page: &CompareState, opened: &Rc<CompareOpened>, dispatch: &Dispatch) -> Html {
    let (position, length) = (page.look.position, opened.frame.length);
    let go = |to: u64| dispatching::<MouseEvent>(dispatch, Action::Beside(CompareAction::Go(to)));
    let oninput = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: InputEvent| {
            let slider = event.target_unchecked_into::<HtmlInputElement>();
            let to = slider.value_as_number().max(0.0) as u64;
            dispatch.dispatch(Action::Beside(CompareAction::Go(to)));
        })
    };
    let place = match position {
        0 => "before the first store".to_owned(),
        _ if position == length => "at the end of both runs".to_owned(),
        n => format!("after store {} of each run", count(n)),
    };
    html! {
        <div class="compare-transport">
            <button class="pill" disabled={position == 0} onclick={go(0)} >{ "Start" }</button>
            <button class="pill" disabled={position == 0} onclick={go(position.saturating_sub(1))}>{ "← Store" }</button>
            <button class="pill" disabled={position == length} onclick={go(position + 1)}>{ "Store →" }</button>
            <button class="pill" disabled={position == length} onclick={go(u64::MAX)} >{ "End" }</button>
            <input type="range" min="0" max={length.to_string()} value={position.to_string()} aria-label="Store number" {oninput} />
            <span class="muted" aria-live="polite">{ place }</span>
        </div>
    }
}

/// Renders one of the two sources with its current line.
fn side(page: &CompareState, which: usize, dispatch: &Dispatch) -> Html {
    if which == 1 && page.is_editing_second_source {
        return html! { <Choose other={page.other.clone()} dispatch={dispatch.clone()} /> };
    }
    let text = if which == 0 {
        &page.source
    } else {
        &page.other
    };
    let step = page.frame.as_ref().map(|frame| &frame.sides[which]);
    let last = step.and_then(|step| step.last.as_ref());
    let facts = page
        .opened
        .as_ref()
        .map(|opened| &opened.report.sides[which]);
    let label = if which == 0 { "Kernel A" } else { "Kernel B" };
    html! {
        <section class="card compare-source" aria-label={label}>
            <h2>{ facts.map_or(label.to_owned(), name) }
                if let Some(step) = step {
                    <small>{ format!("{} of {} stores, step {}", count(step.stores), count(step.n_stores), count(step.position)) }</small>
                }
            </h2>
            { step.map(sentence) }
            <SourceListing text={text.clone()} line={page.selected_lines[which].or(last.map(|step| step.range.line))} />
        </section>
    }
}

/// Returns the name of one of the two sources, for example `PTX for sm_75`.
fn name(side: &ComparisonSide) -> String {
    let language = match side.front {
        SourceLanguage::Ptx => "PTX",
        SourceLanguage::Sass => "SASS",
    };
    format!("{language} for {}", side.target)
}

fn sentence(step: &ComparisonStep) -> Html {
    let phrases = step.sentence.iter().map(|phrase| match phrase.strong {
        true => html! { <b>{ inline_code(&phrase.text) }</b> },
        false => html! { <span>{ inline_code(&phrase.text) }</span> },
    });
    html! {
        <div class="compare-summary">
            <p>{ for phrases }</p>
            { step.last.as_ref().map(step_details) }
        </div>
    }
}
