//! Banner for errors of the page itself: the error, and its consequences for the source.

use super::{Dispatch, say};
use crate::model::{Action, Trouble};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) trouble: Trouble,
    /// Whether the worker has ever responded.
    pub(crate) started: bool,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Banner(props: &Props) -> Html {
    html! {
        <div class="banner" role="alert">
            { words(props) }
            if let Trouble::Core(_) = &props.trouble {
                <button onclick={say(&props.dispatch, Action::Relaunch)}>{ "Try again" }</button>
            }
            <button onclick={say(&props.dispatch, Action::DismissTrouble)}>{ "Dismiss" }</button>
        </div>
    }
}

fn words(props: &Props) -> Html {
    match &props.trouble {
        Trouble::Core(why) if !props.started => html! {
            <div>
                <b>{ "Failed to load the emulator. " }</b>
                { "The network, a content filter or an incomplete deployment may block the WebAssembly module that checks and runs kernels. Your source is saved." }
                <p><small>{ why }</small></p>
            </div>
        },
        Trouble::Core(why) => html! {
            <div>
                <b>{ "The emulator has stopped: " }</b>{ why }
                <p>{ "Your source is saved. Edit the source or select Try again to restart the emulator." }</p>
            </div>
        },
        Trouble::Keep(why) | Trouble::Open(why) => html! { <div>{ why }</div> },
        Trouble::Example(why) => {
            html! { <div><b>{ "Failed to load the example: " }</b>{ why }</div> }
        }
    }
}
