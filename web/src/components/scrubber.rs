//! Timeline of the run with a tick for each store, and a handle at the current position.

use super::{Dispatch, FrameRef};
use crate::format::{count, decimal};
use crate::model::Action;
use crate::protocol::MoveTarget;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Maximum number of ticks on the timeline that a user can distinguish.
const MAX_TICKS: usize = 240;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: Option<FrameRef>,
    pub(crate) length: u64,
    pub(crate) disabled: bool,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Scrubber(props: &Props) -> Html {
    let input = use_node_ref();
    let position = props.frame.as_ref().map_or(0, |frame| frame.position);
    let length = props.length.max(1);
    {
        let input = input.clone();
        use_effect_with((position, length), move |(position, length)| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.set_max(&length.to_string());
                input.set_value(&position.to_string());
            }
        });
    }
    let oninput = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: InputEvent| {
            let value = event
                .target_dyn_into::<HtmlInputElement>()
                .map(|input| input.value_as_number());
            if let Some(value) = value.filter(|value| value.is_finite()) {
                dispatch.dispatch(Action::Move(MoveTarget::Position(value as u64)));
            }
        })
    };
    let share = |step: u64| step as f64 / length as f64 * 100.0;
    let ticks = props
        .frame
        .as_ref()
        .map_or(&[][..], |frame| &frame.store_steps[..]);
    let every = ticks.len().div_ceil(MAX_TICKS).max(1);
    let tick = |step: &u64| {
        let done = *step <= position;
        html! { <rect x={format!("{}%", decimal(share(*step)))} y="9" width="1.6" height="12" class={classes!(done.then_some("done"))} /> }
    };
    let text = format!("step {} of {}", count(position), count(props.length));
    html! {
        <div class="time" style={format!("--at: {}%", decimal(share(position).min(100.0)))}>
            <svg class="ticks" aria-hidden="true">{ for ticks.iter().step_by(every).map(tick) }</svg>
            <input ref={input} type="range" min="0" step="1" aria-label="Playback position" aria-valuetext={text}
                disabled={props.disabled} {oninput} />
        </div>
    }
}
