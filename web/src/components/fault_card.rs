//! Why a run stopped.

use super::FrameRef;
use super::phrases::prose;
use crate::editor;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) frame: FrameRef,
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
                { "The launch stopped" }
                <small>{ fault.kind.name().replace('_', " ") }</small>
                <button class="place" onclick={go}>{ format!("line {}", range.line) }</button>
            </h2>
            <p>{ prose(&fault.message) }</p>
            if let Some(help) = &fault.help {
                <p class="quiet">{ prose(help) }</p>
            }
        </section>
    }
}
