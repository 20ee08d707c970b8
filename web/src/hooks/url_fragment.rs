//! Synchronization of the URL fragment with the page: opens the linked view, and updates the fragment when the state of the view changes.

use crate::compare::CompareLink;
use crate::components::{State, open_example, open_examples};
use crate::model::{
    Action, ActiveView, CompareAction, LayoutExplorerAction, LitmusAction, MmaArithmeticAction,
};
use crate::{compare, layout_explorer, litmus, mma_arithmetic};
use gloo_events::EventListener;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Prefix of a link to an example. The pages of the website contain such links.
const EXAMPLE: &str = "#example=";

/// Observes the URL fragment for the lifetime of the page.
#[hook]
pub(crate) fn use_url_fragment(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let follow = move || {
            let hash = hash().unwrap_or_default();
            if let Some(choice) = layout_explorer::read_link(&hash) {
                dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Open(choice)));
            } else if let Some(request) = mma_arithmetic::read_link(&hash) {
                dispatch.dispatch(Action::Product(MmaArithmeticAction::Open(request)));
            } else if let Some(text) = litmus::read_link(&hash) {
                dispatch.dispatch(Action::Outcomes(LitmusAction::Open(text.into())));
            } else if let Some(id) = hash.strip_prefix(EXAMPLE) {
                open_example(&dispatch, id);
            } else if let Some(link) = compare::read_link(&hash) {
                match link {
                    CompareLink::Own => dispatch.dispatch(Action::Beside(CompareAction::Open)),
                    CompareLink::Examples(pair) => open_examples(&dispatch, pair),
                    CompareLink::Unknown(id) => {
                        let reason = format!("unknown comparison “{id}” in the link");
                        dispatch.dispatch(Action::ExampleFailed(reason));
                    }
                }
            }
        };
        follow();
        let listener = web_sys::window()
            .map(|window| EventListener::new(&window, "hashchange", move |_| follow()));
        move || drop(listener)
    });
    let link = match &state.screen {
        ActiveView::Kernel => None,
        ActiveView::Matrix(page) => Some(layout_explorer::write_link(&page.choice)),
        ActiveView::Product(page) => Some(mma_arithmetic::write_link(&page.request)),
        ActiveView::Beside(page) => Some(compare::write_link(page)),
        ActiveView::Outcomes(page) => Some(litmus::write_link(&page.text)),
    };
    let was_open = use_mut_ref(|| false);
    use_effect_with(link, move |link| match link {
        // A link that contains both sources is more specific, so it is not replaced.
        Some(link) if link.starts_with(compare::START) && is_shared() => {}
        Some(link) => {
            was_open.replace(true);
            show(link);
        }
        // Fragments that the page did not set remain unchanged.
        None if was_open.replace(false) => show("#"),
        None => {}
    });
}

/// Checks whether the URL is a link that contains sources, which starts with the version of the link format.
fn is_shared() -> bool {
    let hash = hash().unwrap_or_default();
    let rest = hash.strip_prefix('#').unwrap_or_default();
    rest.starts_with(|first: char| first.is_ascii_digit())
}

fn hash() -> Option<String> {
    web_sys::window()?.location().hash().ok()
}

/// Replaces the URL fragment without a history entry and without an event.
fn show(link: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(link));
    }
}
