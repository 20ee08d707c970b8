//! What a step says beside itself: a store in the other language, and how the encoding schedules it.

use warpgrid_view::model::StepView;
use yew::prelude::*;

/// The lines below a sentence.
pub(crate) fn step_notes(step: &StepView) -> Html {
    html! {
        <>
            if let Some(other) = &step.counterpart {
                <small class="aside" title={other.about.replace('`', "")}>
                    { format!("In {}, approximately: ", other.language) }<code>{ &other.text }</code>
                </small>
            }
            if let Some(schedule) = &step.schedule {
                <small class="aside" title="Decoded from the encoding beside the instruction; it has no effect on results">
                    { format!("Its encoding says: {schedule}.") }
                </small>
            }
        </>
    }
}
