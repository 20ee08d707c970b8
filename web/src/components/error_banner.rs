//! Banner for an error of the page itself, which shows the error and its consequences for the source.

use super::{Dispatch, dispatching};
use crate::model::{Action, PageError};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) trouble: PageError,
    /// Whether the worker has sent any response since the page was loaded.
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
        PageError::EmulatorStopped(reason) if !props.started => html! {
            <div>
                <b>{ "Failed to load the emulator. " }</b>
                { "The network, a content filter or an incomplete deployment may block the WebAssembly module that checks and runs kernels. Your source is saved." }
                <p><small>{ reason }</small></p>
            </div>
        },
        PageError::EmulatorStopped(reason) => html! {
            <div>
                <b>{ "The emulator has stopped: " }</b>{ reason }
                <p>{ "Your source is saved. Edit the source or select Try again to restart the emulator." }</p>
            </div>
        },
        PageError::SaveFailed(reason) | PageError::OpenFailed(reason) => {
            html! { <div>{ reason }</div> }
        }
        PageError::ExampleLoadFailed(reason) => {
            html! { <div><b>{ "Failed to load the example: " }</b>{ reason }</div> }
        }
    }
}
