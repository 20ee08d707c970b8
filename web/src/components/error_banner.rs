//! Banner for errors of the page itself: the error, and its consequences for the source.

use super::{Dispatch, dispatching};
use crate::model::{Action, PageError};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) trouble: PageError,
    /// Whether the worker has ever responded.
    pub(crate) started: bool,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn ErrorBanner(props: &Props) -> Html {
    html! {
        <div class="banner" role="alert">
            { words(props) }
            if let PageError::EmulatorStopped(_) = &props.trouble {
                <button onclick={dispatching(&props.dispatch, Action::Relaunch)}>{ "Try again" }</button>
            }
            <button onclick={dispatching(&props.dispatch, Action::DismissTrouble)}>{ "Dismiss" }</button>
        </div>
    }
}

fn words(props: &Props) -> Html {
    match &props.trouble {
        PageError::EmulatorStopped(why) if !props.started => html! {
            <div>
                <b>{ "Failed to load the emulator. " }</b>
                { "The network, a content filter or an incomplete deployment may block the WebAssembly module that checks and runs kernels. Your source is saved." }
                <p><small>{ why }</small></p>
            </div>
        },
        PageError::EmulatorStopped(why) => html! {
            <div>
                <b>{ "The emulator has stopped: " }</b>{ why }
                <p>{ "Your source is saved. Edit the source or select Try again to restart the emulator." }</p>
            </div>
        },
        PageError::SaveFailed(why) | PageError::OpenFailed(why) => html! { <div>{ why }</div> },
        PageError::ExampleLoadFailed(why) => {
            html! { <div><b>{ "Failed to load the example: " }</b>{ why }</div> }
        }
    }
}
