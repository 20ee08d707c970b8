//! Form for the second source, which the user pastes.

use super::open_examples;
use crate::compare::first_pair;
use crate::components::Dispatch;
use crate::model::{Action, CompareAction};
use std::rc::Rc;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) other: Rc<str>,
    pub(super) dispatch: Dispatch,
}

#[component]
pub(super) fn Choose(props: &Props) -> Html {
    let text = use_node_ref();
    let run = {
        let (text, dispatch) = (text.clone(), props.dispatch.clone());
        Callback::from(move |_: MouseEvent| {
            let Some(text) = text.cast::<HtmlTextAreaElement>() else {
                return;
            };
            let value = text.value();
            if value.trim().is_empty() {
                // If the text field cannot be focused, its placeholder still contains the instructions.
                text.focus().ok();
            } else {
                dispatch.dispatch(Action::Beside(CompareAction::SetOther(value.into())));
            }
        })
    };
    let example = first_pair().map(|pair| {
        let dispatch = props.dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| open_examples(&dispatch, pair));
        html! { <button class="pill" {onclick}>{ "Open an example" }</button> }
    });
    html! {
        <section class="card compare-source" aria-label="Kernel B">
            <h2>{ "Kernel B" }</h2>
            <textarea ref={text} spellcheck="false" aria-label="Source of kernel B" wrap="off"
                placeholder="Paste the source, for example\n/*0000*/  MOV R1, c[0x0][0x28] ;" value={props.other.to_string()} />
            <p class="compare-transport">
                <button class="main" onclick={run}>{ "Compare" }</button>
                { example }
            </p>
        </section>
    }
}
