//! Banner for an error of the page itself, which shows the error and its consequences for the source.

use super::{Dispatch, dispatching};
use crate::model::{Action, PageError};
use yew::prelude::*;

/// Renders the banner. `started` states whether the worker has sent any response since the page was loaded.
pub(crate) fn error_banner(trouble: &PageError, started: bool, dispatch: &Dispatch) -> Html {
    html! {
        <div class="banner" role="alert">
            { words(trouble, started) }
            if let PageError::EmulatorStopped(_) = trouble {
                <button onclick={dispatching(dispatch, Action::Relaunch)}>{ "Try again" }</button>
            }
            <button onclick={dispatching(dispatch, Action::DismissTrouble)}>{ "Dismiss" }</button>
        </div>
    }
}

fn words(trouble: &PageError, started: bool) -> Html {
    match trouble {
        PageError::EmulatorStopped(reason) if !started => html! {
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
