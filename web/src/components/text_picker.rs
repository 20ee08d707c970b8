//! Menu of kernels, which contains the saved kernels of the user and the examples.

use super::Dispatch;
use super::pickers::Select;
use crate::compare::is_miscompile_listing;
use crate::examples::{EXAMPLES, Example};
use crate::model::{Action, SavedKernel};
use crate::saved_kernels;
use std::rc::Rc;
use yew::prelude::*;

/// Prefix of the menu values of saved kernels. No example ID has this prefix.
const OWN: &str = "own:";

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) example: Option<usize>,
    pub(crate) saved_kernels: Rc<[SavedKernel]>,
    /// ID of the saved kernel in the editor.
    pub(crate) current_kernel_id: Option<String>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn TextPicker(props: &Props) -> Html {
    let dispatch = props.dispatch.clone();
    let on_choice = Callback::from(move |value: String| {
        if let Some(id) = value.strip_prefix(OWN) {
            saved_kernels::open(id);
        } else if let Some(index) = EXAMPLES.iter().position(|example| example.id == value) {
            pick(&dispatch, index);
        }
    });
    let example = props.example.and_then(|index| EXAMPLES.get(index));
    let present = props
        .saved_kernels
        .iter()
        .find(|text| example.is_none() && props.current_kernel_id.as_ref() == Some(&text.id));
    let others = props
        .saved_kernels
        .iter()
        .filter(|text| present.is_none_or(|present| present.id != text.id));
    let mut groups: Vec<&str> = EXAMPLES.iter().map(|example| example.group).collect();
    groups.dedup();
    html! {
        <>
            <Select label="Example" class="pill examples" value={example.map_or("", |example| example.id)} {on_choice}>
                if example.is_none() || !props.saved_kernels.is_empty() {
                    <optgroup label="My kernels">
                        if example.is_none() {
                            <option value="">{ present.map_or("Untitled kernel", |text| &text.label) }</option>
                        }
                        { for others.map(own_option) }
                    </optgroup>
                }
                { for groups.into_iter().map(group) }
            </Select>
            if let Some(text) = present {
                <button class="icon" title="Delete kernel" aria-label="Delete kernel" onclick={delete(text, &props.dispatch)}>
                    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                        <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4" fill="none" stroke="currentColor"
                            stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round" />
                    </svg>
                </button>
            }
        </>
    }
}

fn own_option(text: &SavedKernel) -> Html {
    html! { <option value={format!("{OWN}{}", text.id)}>{ &text.label }</option> }
}

fn group(name: &str) -> Html {
    let within = EXAMPLES
        .iter()
        .filter(|example| example.group == name && !is_miscompile_listing(example.id));
    let option =
        |example: &Example| html! { <option value={example.id}>{ example.title }</option> };
    html! { <optgroup label={name.to_owned()}>{ for within.map(option) }</optgroup> }
}

/// Shows the example that a link names.
pub(crate) fn open_example(dispatch: &Dispatch, id: &str) {
    match EXAMPLES.iter().position(|example| example.id == id) {
        Some(index) => pick(dispatch, index),
        None => {
            let reason = format!("unknown example “{id}” in the link");
            dispatch.dispatch(Action::ExampleFailed(reason));
        }
    }
}

/// Shows an example once its source has loaded.
fn pick(dispatch: &Dispatch, index: usize) {
    dispatch.dispatch(Action::AwaitExample(index));
    let dispatch = dispatch.clone();
    saved_kernels::fetch(&[index], move |found| match found {
        Ok(texts) => {
            for text in texts {
                dispatch.dispatch(Action::ShowExample(index, text));
            }
        }
        Err(reason) => dispatch.dispatch(Action::ExampleFailed(reason)),
    });
}

/// Deletes a saved kernel permanently after a confirmation, then shows the first example.
fn delete(text: &SavedKernel, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let (id, dispatch) = (text.id.clone(), dispatch.clone());
    let question = format!("Delete “{}”? This cannot be undone.", text.label);
    Callback::from(move |_| {
        let agrees =
            web_sys::window().and_then(|window| window.confirm_with_message(&question).ok());
        if agrees == Some(true) {
            saved_kernels::remove(&id);
            pick(&dispatch, 0);
        }
    })
}
