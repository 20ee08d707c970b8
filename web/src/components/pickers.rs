//! Menus, in particular for the target and the version with which the source is checked.

use super::Dispatch;
use crate::model::Action;
use warpgrid_view::source::check::{targets, versions};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct SelectProps {
    pub(crate) label: AttrValue,
    pub(crate) class: Classes,
    /// Value that the menu shows, regardless of earlier selections in the DOM element.
    pub(crate) value: AttrValue,
    pub(crate) on_choice: Callback<String>,
    /// Value of the menu entry that performs an action instead of selecting a value.
    #[prop_or_default]
    pub(crate) action: Option<AttrValue>,
    /// Position of the menu among the controls between which arrow keys move.
    #[prop_or_default]
    pub(crate) stop: Option<AttrValue>,
    #[prop_or_default]
    pub(crate) tabindex: Option<AttrValue>,
    pub(crate) children: Html,
}

/// A `<select>` element that always shows its value property.
#[component]
pub(crate) fn Select(props: &SelectProps) -> Html {
    let select = use_node_ref();
    {
        let select = select.clone();
        use_effect_with(
            (props.value.clone(), props.children.clone()),
            move |(value, _)| {
                if let Some(select) = select.cast::<HtmlSelectElement>() {
                    select.set_value(value);
                }
            },
        );
    }
    let (on_choice, value) = (props.on_choice.clone(), props.value.clone());
    let action = props.action.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            let choice = select.value();
            if action.as_deref() == Some(&*choice) {
                select.set_value(&value);
            }
            on_choice.emit(choice);
        }
    });
    html! {
        <select ref={select} class={props.class.clone()} aria-label={props.label.clone()} title={props.label.clone()}
            data-stop={props.stop.clone()} tabindex={props.tabindex.clone()} {onchange}>
            { props.children.clone() }
        </select>
    }
}

/// Renders the menu of targets. `stated` is the target that the source specifies, if it specifies one.
pub(crate) fn target_picker(
    chosen: Option<&str>,
    stated: Option<&str>,
    dispatch: &Dispatch,
) -> Html {
    let stated = stated.unwrap_or("target");
    let dispatch = dispatch.clone();
    let on_choice = Callback::from(move |name: String| {
        dispatch.dispatch(Action::SetTarget(
            Some(name).filter(|name| !name.is_empty()),
        ));
    });
    let names: Vec<String> = targets().into_iter().map(str::to_owned).collect();
    picker("Target", "", stated, chosen, &names, on_choice)
}

/// Renders the menu of versions. `stated` is the version that the source specifies, if it specifies one.
pub(crate) fn version_picker(
    chosen: Option<&str>,
    stated: Option<&str>,
    dispatch: &Dispatch,
) -> Html {
    let stated = stated.unwrap_or("version");
    let dispatch = dispatch.clone();
    let on_choice = Callback::from(move |name: String| {
        dispatch.dispatch(Action::SetVersion(
            Some(name).filter(|name| !name.is_empty()),
        ));
    });
    picker(
        "PTX version",
        "PTX ",
        stated,
        chosen,
        &versions(),
        on_choice,
    )
}

fn picker(
    label: &'static str,
    prefix: &str,
    stated: &str,
    chosen: Option<&str>,
    names: &[String],
    on_choice: Callback<String>,
) -> Html {
    let option = |name: &String| html! { <option value={name.clone()}>{ format!("{prefix}{name}") }</option> };
    let class = classes!("pill", chosen.is_some().then_some("overridden"));
    html! {
        <Select {label} {class} value={chosen.unwrap_or("").to_owned()} {on_choice}>
            <optgroup label="From source"><option value="">{ format!("{prefix}{stated}") }</option></optgroup>
            <optgroup label="Override">{ for names.iter().rev().map(option) }</optgroup>
        </Select>
    }
}
