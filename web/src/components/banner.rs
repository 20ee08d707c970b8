//! Something went wrong in the page itself: what, and that the text is safe.

use super::{Dispatch, say};
use crate::model::Action;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) text: AttrValue,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Banner(props: &Props) -> Html {
    html! {
        <div class="banner" role="alert">
            <div>
                <b>{ "The core has stopped: " }</b>{ &props.text }
                <p>{ "The text is kept. With the next change, or another try, a new core starts." }</p>
            </div>
            <button onclick={say(&props.dispatch, Action::Relaunch)}>{ "Try again" }</button>
            <button onclick={say(&props.dispatch, Action::DismissTrouble)}>{ "Dismiss" }</button>
        </div>
    }
}
