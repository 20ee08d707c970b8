//! The address of the page: fragments and products are opened by their links, and the link follows what is set.

use crate::components::State;
use crate::model::{Action, MatrixAction, ProductAction};
use crate::{matrix, product};
use gloo_events::EventListener;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Follows the address for the life of the page.
#[hook]
pub(crate) fn use_address(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let follow = move || {
            let hash = hash().unwrap_or_default();
            if let Some(choice) = matrix::read_link(&hash) {
                dispatch.dispatch(Action::Matrix(MatrixAction::Open(choice)));
            } else if let Some(request) = product::read_link(&hash) {
                dispatch.dispatch(Action::Product(ProductAction::Open(request)));
            }
        };
        follow();
        let listener = web_sys::window()
            .map(|window| EventListener::new(&window, "hashchange", move |_| follow()));
        move || drop(listener)
    });
    let link = match (&state.matrix, &state.product) {
        (Some(page), _) => Some(matrix::write_link(&page.choice)),
        (None, page) => page.as_ref().map(|page| product::write_link(&page.request)),
    };
    let was_open = use_mut_ref(|| false);
    use_effect_with(link, move |link| match link {
        Some(link) => {
            was_open.replace(true);
            show(link);
        }
        // A place in the address that is not ours stays.
        None if was_open.replace(false) => show("#"),
        None => {}
    });
}

fn hash() -> Option<String> {
    web_sys::window()?.location().hash().ok()
}

/// Replaces the address without a further entry in the history, and without an event.
fn show(link: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(link));
    }
}
