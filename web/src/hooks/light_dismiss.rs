//! Closing of popovers with Escape or a click outside of the popover.

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{HtmlDetailsElement, HtmlElement, KeyboardEvent, Node};
use yew::prelude::*;

/// Closes a `<details>` popover on Escape or on a pointer press outside of it.
#[hook]
pub(crate) fn use_light_dismiss(panel: &NodeRef) {
    let panel = panel.clone();
    use_effect_with((), move |()| {
        let open = move || {
            let panel = panel.cast::<HtmlDetailsElement>();
            panel.filter(HtmlDetailsElement::open)
        };
        let listeners = web_sys::window().map(|window| {
            let pressed = {
                let open = open.clone();
                EventListener::new(&window, "pointerdown", move |event| {
                    let target = event
                        .target()
                        .and_then(|target| target.dyn_into::<Node>().ok());
                    if let Some(panel) = open().filter(|panel| !panel.contains(target.as_ref())) {
                        panel.set_open(false);
                    }
                })
            };
            let options = EventListenerOptions::enable_prevent_default();
            let escaped =
                EventListener::new_with_options(&window, "keydown", options, move |event| {
                    let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
                    let Some(panel) = open().filter(|_| key.as_deref() == Some("Escape")) else {
                        return;
                    };
                    event.prevent_default();
                    panel.set_open(false);
                    let summary = panel.query_selector("summary").ok().flatten();
                    if let Some(summary) =
                        summary.and_then(|summary| summary.dyn_into::<HtmlElement>().ok())
                    {
                        // If the focus cannot be moved, the popover is nevertheless closed.
                        let _ = summary.focus();
                    }
                });
            (pressed, escaped)
        });
        move || drop(listeners)
    });
}
