//! Input field for the initial value of a cell, a parameter or a register. The entered value is written to a line of the source.

use super::Dispatch;
use super::step_summary::{capitalize, inline_code};
use crate::model::{Action, InitialValueState};
use warpgrid_view::session::launch_edit::InitialValueTarget;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// Label text in front of the field.
    pub(crate) label: AttrValue,
    /// Name of the field for screen readers.
    pub(crate) name: AttrValue,
    pub(crate) place: InitialValueTarget,
    /// Current initial value. `None` after a change, until the worker has sent the new value.
    pub(crate) value: Option<AttrValue>,
    /// State of the last change of an initial value.
    pub(crate) start: InitialValueState,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn InitialValueForm(props: &Props) -> Html {
    let field = use_node_ref();
    // Text that the user has entered remains in the field until it is submitted. The field is unchanged if its value equals its default
    // value.
    {
        let field = field.clone();
        use_effect_with(props.value.clone(), move |value| {
            let field = field.cast::<HtmlInputElement>();
            if let (Some(field), Some(value)) = (field, value)
                && field.value() == field.default_value()
            {
                field.set_default_value(value);
                field.set_value(value);
            }
        });
    }
    let onsubmit = {
        let (field, place, dispatch) = (field.clone(), props.place.clone(), props.dispatch.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(field) = field.cast::<HtmlInputElement>() {
                let text = field.value();
                field.set_default_value(&text);
                dispatch.dispatch(Action::EditInitialValue(place.clone(), text));
            }
        })
    };
    let reason = props.start.error(&props.place);
    html! {
        <form class="initial-value-form" {onsubmit}>
            <label><span>{ &props.label }</span>
                <input type="text" ref={field} aria-label={props.name.clone()} spellcheck="false" autocomplete="off" autocapitalize="off"
                    aria-invalid={reason.is_some().to_string()} />
            </label>
            <button class="mini" title="Update the annotation in the source and rerun the kernel (Enter)">{ "Set" }</button>
            if let Some(reason) = reason {
                <p class="form-error" role="alert">{ inline_code(&capitalize(reason)) }{ "." }</p>
            } else if let Some(line) = props.start.line(&props.place) {
                <p class="muted">{ "Updated annotation: " }<code>{ line.trim() }</code></p>
            }
        </form>
    }
}
