//! Details of the fault that stopped a run.

use super::race_card::{hang_details, hang_line_buttons};
use super::step_summary::{capitalize, inline_code};
use super::{Dispatch, FrameRef, dispatching};
use crate::editor;
use crate::model::Action;
use crate::protocol::MoveTarget;
use warpgrid_view::memory_model::concurrency::HangView;
use warpgrid_view::model::CauseView;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
    /// Diagnosis of a hang, if it is known. The card shows the diagnosis above the fault.
    pub(crate) hang: Option<HangView>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn FaultCard(props: &Props) -> Html {
    let Some(fault) = &props.frame.fault else {
        return Html::default();
    };
    let range = fault.range;
    let go = Callback::from(move |_: MouseEvent| editor::go_to(range));
    html! {
        <section class="card fault" role="alert" aria-label="Fault">
            <h2>
                { "Execution stopped" }
                <small>{ fault.kind.name().replace('_', " ") }</small>
                if let Some(hang) = &props.hang {
                    { hang_line_buttons(hang) }
                } else {
                    <button class="line-link" onclick={go}>{ format!("line {}", range.line) }</button>
                }
            </h2>
            if let Some(hang) = &props.hang {
                { hang_details(hang) }
                <p class="muted">{ inline_code(&capitalize(&fault.message)) }</p>
            } else {
                <p>{ inline_code(&capitalize(&fault.message)) }</p>
            }
            if let Some(help) = &fault.help {
                <p class="muted">{ inline_code(&capitalize(help)) }</p>
            }
            if !props.frame.causes.is_empty() {
                <h3>{ "Related events" }</h3>
                <ul class="finding-list">{ for props.frame.causes.iter().map(|cause| cause_item(cause, &props.dispatch)) }</ul>
            }
        </section>
    }
}

/// Renders an event that preceded the fault, with its line and a button that moves the run to the step after the event.
fn cause_item(cause: &CauseView, dispatch: &Dispatch) -> Html {
    let range = cause.range;
    let go = Callback::from(move |_: MouseEvent| editor::go_to(range));
    let seek = dispatching(dispatch, Action::Move(MoveTarget::Position(cause.step + 1)));
    html! {
        <li>
            <button class="line-link" onclick={go}>{ format!("line {}", range.line) }</button>
            { " " }{ inline_code(&cause.text) }{ " " }
            <button class="mini" title="Go to step" onclick={seek}>{ format!("step {}", cause.step + 1) }</button>
        </li>
    }
}
