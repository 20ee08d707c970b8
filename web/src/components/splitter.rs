//! Splitter between the source and the memories, which can be moved with the pointer or the keyboard.

use crate::format::decimal;
use crate::{editor, storage};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

const FIRST: f64 = 37.0;
const MIN_SHARE: f64 = 20.0;
const MAX_SHARE: f64 = 70.0;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Callback that receives the width of the source in percent.
    pub(crate) on_change: Callback<f64>,
}

#[component]
pub(crate) fn Splitter(props: &Props) -> Html {
    let share = use_state(|| FIRST);
    let dragging = use_mut_ref(|| false);
    let line = use_node_ref();
    let set = {
        let (share, on_change) = (share.clone(), props.on_change.clone());
        move |percent: f64| {
            let percent = percent.clamp(MIN_SHARE, MAX_SHARE);
            share.set(percent);
            on_change.emit(percent);
            storage::set("split", &decimal(percent));
        }
    };
    use_initial_share(&share, &props.on_change, set.clone());
    let onpointerdown = {
        let (dragging, line) = (dragging.clone(), line.clone());
        Callback::from(move |event: PointerEvent| {
            *dragging.borrow_mut() = true;
            if let Some(line) = line.cast::<Element>() {
                let _ = line.set_pointer_capture(event.pointer_id());
            }
        })
    };
    let onpointermove = {
        let (dragging, line, set) = (dragging.clone(), line.clone(), set.clone());
        Callback::from(move |event: PointerEvent| {
            let width = line
                .cast::<HtmlElement>()
                .and_then(|line| line.parent_element())
                .map(|main| main.client_width());
            if let Some(width) = width.filter(|width| *dragging.borrow() && *width > 0) {
                set(f64::from(event.client_x()) / f64::from(width) * 100.0);
            }
        })
    };
    let onpointerup = {
        let dragging = dragging.clone();
        Callback::from(move |_: PointerEvent| *dragging.borrow_mut() = false)
    };
    let onkeydown = {
        let share = share.clone();
        Callback::from(move |event: KeyboardEvent| {
            let change = match event.key().as_str() {
                "ArrowLeft" => -2.0,
                "ArrowRight" => 2.0,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            set(*share + change);
        })
    };
    html! {
        <div ref={line} class="splitter" role="separator" tabindex="0" aria-orientation="vertical"
            aria-label="Resize source pane" aria-valuenow={decimal(share.round())} aria-valuemin="20" aria-valuemax="70"
            {onpointerdown} {onpointermove} {onpointerup} {onkeydown}></div>
    }
}

/// Restores the width in the link, or otherwise the last width that the user selected.
#[hook]
fn use_initial_share(
    share: &UseStateHandle<f64>,
    on_change: &Callback<f64>,
    set: impl Fn(f64) + 'static,
) {
    let (share, on_change) = (share.clone(), on_change.clone());
    use_effect_with((), move |()| {
        if let Some(linked) = editor::linked_fact("share") {
            // A width from a link is not saved, because the user did not select it.
            let linked = js_sys::Number::parse_float(&linked);
            share.set(linked);
            on_change.emit(linked);
            return;
        }
        // The number is parsed in JavaScript, because the float parser of the standard library adds a table of 10 KB.
        let stored_width = storage::get("split").map(|text| js_sys::Number::parse_float(&text));
        if let Some(stored_width) = stored_width.filter(|percent| percent.is_finite()) {
            set(stored_width);
        }
    });
}
