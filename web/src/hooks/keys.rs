//! Keyboard shortcuts of the transport controls, which are active unless a text field or a list has the focus.

use crate::components::State;
use crate::editor;
use crate::model::{Action, RunUntilAction};
use crate::protocol::MoveTarget;
use gloo_events::{EventListener, EventListenerOptions};
use warpgrid_view::session::stop_conditions::Direction;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

/// Handles keyboard shortcuts for the lifetime of the page.
#[hook]
pub(crate) fn use_keys(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let listener = web_sys::window().map(|window| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                    return;
                };
                if is_share(event) {
                    event.prevent_default();
                    editor::press_share();
                } else if let Some(action) = action(event) {
                    event.prevent_default();
                    dispatch.dispatch(action);
                }
            })
        });
        move || drop(listener)
    });
}

/// Checks whether a key opens the sharing panel. Opening the panel is not an action, because it does not change the model.
fn is_share(event: &KeyboardEvent) -> bool {
    matches!(&*event.key(), "s" | "S") && focused(event).is_some()
}

/// Returns the focused element. Returns `None` if the element handles keys itself or a modifier key is pressed.
fn focused(event: &KeyboardEvent) -> Option<Element> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let takes_keys = "input, select, textarea, [contenteditable=true], dialog[open] *, summary";
    let is_free = target.closest(takes_keys).ok().flatten().is_none();
    is_free.then_some(target)
}

fn action(event: &KeyboardEvent) -> Option<Action> {
    let target = focused(event)?;
    let on_button = target.closest("button").ok().flatten().is_some();
    match (event.key().as_str(), event.shift_key()) {
        ("ArrowRight", false) => Some(Action::Move(MoveTarget::Stores(1))),
        ("ArrowRight", true) => Some(Action::Move(MoveTarget::StepForward)),
        ("ArrowLeft", false) => Some(Action::Move(MoveTarget::StoreBack)),
        ("ArrowLeft", true) => Some(Action::Move(MoveTarget::StepBack)),
        ("Home", _) => Some(Action::Move(MoveTarget::Start)),
        ("End", _) => Some(Action::Move(MoveTarget::End)),
        (" ", _) if !on_button => Some(Action::TogglePlay),
        ("Escape", _) => Some(Action::Stop),
        ("b" | "B", is_back) => {
            let direction = if is_back {
                Direction::Reverse
            } else {
                Direction::Forward
            };
            Some(Action::Until(RunUntilAction::GoToBreakpoint(direction)))
        }
        ("?", _) => Some(Action::SetHelp(true)),
        _ => None,
    }
}
