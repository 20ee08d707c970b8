//! Card of the data races and hangs in a run: the conflicting accesses, the missing synchronization, and the fix.

use super::line_button::line_button;
use super::step_summary::{capitalize, inline_code};
use super::{Dispatch, dispatching};
use crate::editor;
use crate::model::{Action, LitmusAction};
use crate::protocol::AnalysisResults;
use warpgrid_view::memory_model::concurrency::{
    HangView, HangWait, RaceConfidence, RaceView, RepairEdit, RepairOp, UninitializedReadView,
    fix_of,
};
use warpgrid_view::memory_model::litmus::ExtractionRequest;
use warpgrid_view::model::SessionFrame;
use yew::prelude::*;

/// Maximum number of data races that are shown.
const MAX_RACES: usize = 12;

/// Returns the card of data races and hangs. A hang that has caused a fault is described by the fault card instead.
pub(crate) fn race_card(
    found: &AnalysisResults,
    frame: &SessionFrame,
    dispatch: &Dispatch,
) -> Html {
    let AnalysisResults { report, hang, .. } = found;
    let n_more = report.races.len().saturating_sub(MAX_RACES);
    html! {
        <>
            if let Some(hang) = hang.as_ref().filter(|_| frame.fault.is_none()) {
                { hang_card(hang) }
            }
            if !report.unwritten.is_empty() {
                <section class="card uninitialized" aria-label="Uninitialized reads">
                    <div class="head"><h2>{ "Uninitialized reads" }</h2></div>
                    <ul class="finding-list">{ for report.unwritten.iter().take(MAX_RACES).map(unwritten_item) }</ul>
                </section>
            }
            if !report.races.is_empty() {
                <section class="card races" aria-label="Data races">
                    <div class="head">
                        <h2>{ title(&report.races) }</h2>
                        <small>{ "according to the PTX memory model, independent of the schedule of this run" }</small>
                    </div>
                    <ul class="finding-list">{ for report.races.iter().take(MAX_RACES).map(|race| race_item(race, dispatch)) }</ul>
                    if n_more > 0 {
                        <p class="muted">{ format!("and {n_more} more") }</p>
                    }
                    { repair(&report.races) }
                </section>
            }
        </>
    }
}

fn title(races: &[RaceView]) -> String {
    match races.len() {
        1 => "Data race".to_owned(),
        n => format!("{n} data races"),
    }
}

fn unwritten_item(read: &UninitializedReadView) -> Html {
    // The line is removed from the sentence, because it is shown as a button in front of it.
    let said = read
        .message
        .split_once(": ")
        .map_or(&*read.message, |(_, said)| said);
    html! { <li>{ for read.reader.line.map(line_button) }{ " " }{ inline_code(&capitalize(said)) }{ "." }</li> }
}

fn race_item(race: &RaceView, dispatch: &Dispatch) -> Html {
    let quiet = race.same_value || race.confidence != RaceConfidence::Certain;
    let note = match (race.confidence, race.same_value) {
        (RaceConfidence::ModelOnly, _) => {
            "The memory model requires this ordering, but code without the fence often works in practice."
        }
        (RaceConfidence::OutsideModel, _) => {
            "A rule of the PTX ISA manual outside of the memory model requires this ordering."
        }
        (RaceConfidence::Certain, true) => "Both accesses write the same value.",
        (RaceConfidence::Certain, false) => "",
    };
    html! {
        <li class={classes!(quiet.then_some("muted"))}>
            { for race.first.line.map(line_button) }{ " " }{ for race.second.line.map(line_button) }{ " " }
            { inline_code(&capitalize(&race.message)) }{ ". " }{ note }{ " " }{ for ExtractionRequest::from_race(race).map(|cut| outcomes(cut, dispatch)) }
        </li>
    }
}

/// Renders the button that opens the litmus test view with the lines and threads of a data race.
fn outcomes(cut: ExtractionRequest, dispatch: &Dispatch) -> Html {
    let ask = dispatching::<MouseEvent>(
        dispatch,
        Action::Outcomes(LitmusAction::ExtractFromKernel(cut)),
    );
    html! { <button class="line-link" title="Enumerate the outcomes that the PTX memory model allows for the lines and threads of this data race" onclick={ask}>{ "Litmus test" }</button> }
}

/// Renders the weakest known fix, with a button that applies it.
fn repair(races: &[RaceView]) -> Html {
    let edits = races.first().map_or(&[][..], |race| &race.repair);
    let Some(fix) = fix_of(edits) else {
        return Html::default();
    };
    let apply = Callback::from(move |_: MouseEvent| editor::apply(&fix));
    html! {
        <div class="code-fix">
            <p>{ "A run with the following fix has no data race at these lines, and no weaker fix was found:" }</p>
            <ul>{ for edits.iter().map(edit_item) }</ul>
            <button class="action-button" onclick={apply}>{ "Apply fix" }</button>
        </div>
    }
}

fn edit_item(edit: &RepairEdit) -> Html {
    let place = match edit.op {
        RepairOp::InsertBefore => format!("insert before line {}: ", edit.line),
        RepairOp::InsertAfter => format!("insert after line {}: ", edit.line),
        RepairOp::Replace => format!("replace line {} with ", edit.line),
        RepairOp::Delete => format!("delete line {}", edit.line),
    };
    html! { <li>{ place }if !edit.text.is_empty() { <code>{ &edit.text }</code> }</li> }
}

fn hang_card(hang: &HangView) -> Html {
    html! {
        <section class="card fault" role="alert" aria-label="Hang">
            <h2>{ "Kernel hangs" }{ hang_line_buttons(hang) }</h2>
            { hang_details(hang) }
        </section>
    }
}

/// Renders buttons for the source line at which the root cause of a hang waits, and for the source line at fault.
pub(super) fn hang_line_buttons(hang: &HangView) -> Html {
    html! { <>{ line_button(hang.line) }{ for hang.line_at_fault.map(line_button) }</> }
}

/// Renders the diagnosis of a hang and its waiting threads.
pub(super) fn hang_details(hang: &HangView) -> Html {
    html! {
        <>
            <p>{ inline_code(&capitalize(&hang.message)) }{ "." }</p>
            if hang.waits.len() > 1 {
                <h3>{ "Waiting threads" }</h3>
                <ul class="finding-list">{ for hang.waits.iter().take(MAX_RACES).map(wait_item) }</ul>
            }
        </>
    }
}

fn wait_item(wait: &HangWait) -> Html {
    let [x, y, z] = wait.block;
    let block = match (y, z) {
        (0, 0) => x.to_string(),
        _ => format!("({x}, {y}, {z})"),
    };
    html! { <li>{ for wait.line.map(line_button) }{ format!(" threads {} of block {block}", wait.threads) }</li> }
}
