//! Something went wrong in the page itself: what, and what becomes of the text.

use super::{Dispatch, say};
use crate::model::{Action, Trouble};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) trouble: Trouble,
    /// Whether the core has ever answered.
    pub(crate) started: bool,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Banner(props: &Props) -> Html {
    html! {
        <div class="banner" role="alert">
            { words(&props.trouble, props.started) }
            if let Trouble::Core(_) = &props.trouble {
                <button onclick={say(&props.dispatch, Action::Relaunch)}>{ "Try again" }</button>
            }
            <button onclick={say(&props.dispatch, Action::DismissTrouble)}>{ "Dismiss" }</button>
        </div>
    }
}

fn words(trouble: &Trouble, started: bool) -> Html {
    match trouble {
        Trouble::Core(why) if !started => html! {
            <div>
                <b>{ "The core could not be loaded. " }</b>
                { "This file checks and runs texts. The network, a filter or an incomplete copy of the site may block it. The text is kept." }
                <p><small>{ why }</small></p>
            </div>
        },
        Trouble::Core(why) => html! {
            <div>
                <b>{ "The core has stopped: " }</b>{ why }
                <p>{ "The text is kept. With the next change, or another try, a new core starts." }</p>
            </div>
        },
        Trouble::Keep(why) | Trouble::Open(why) => html! { <div>{ why }</div> },
        Trouble::Example(why) => {
            html! { <div><b>{ "The example could not be loaded: " }</b>{ why }</div> }
        }
    }
}
