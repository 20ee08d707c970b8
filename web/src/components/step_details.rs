//! Details of a step: the store in the notation of the other source language, and the scheduling bits of the instruction encoding.

use warpgrid_view::model::StepView;
use yew::prelude::*;

/// Renders the lines of details below the step summary.
pub(crate) fn step_details(step: &StepView) -> Html {
    html! {
        <>
            if let Some(other) = &step.counterpart {
                <small class="aside" title={other.about.replace('`', "")}>
                    { format!("Equivalent {} (approximate): ", other.language) }<code>{ &other.text }</code>
                </small>
            }
            if let Some(schedule) = &step.schedule {
                <small class="aside" title="Scheduling control bits from the instruction encoding (control bits do not affect results)">
                    { format!("Scheduling: {schedule}.") }
                </small>
            }
        </>
    }
}
