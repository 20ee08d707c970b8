//! Controls of the Layout Explorer that select the operation, shape, type, target, layout, stride and base.

use crate::components::pickers::Select;
use crate::components::{Dispatch, dispatching};
use crate::layout_explorer::{LayoutQuery, questions};
use crate::mma_arithmetic::first_product;
use crate::model::{Action, LayoutExplorerAction, MmaArithmeticAction};
use warpgrid_view::layouts::fragment::FragmentChoices;
use warpgrid_view::layouts::inspector::picture::has_picture;
use warpgrid_view::layouts::tensor::has_layout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Renders the controls of a fragment.
pub(super) fn controls(
    choice: &LayoutQuery,
    choices: &FragmentChoices,
    dispatch: &Dispatch,
) -> Html {
    let LayoutQuery {
        request,
        base_bytes,
        beside,
        ..
    } = choice;
    let layout = request.layout.clone().unwrap_or_default();
    let stride = request
        .stride
        .map_or_else(String::new, |stride| stride.to_string());
    let stay = |event: SubmitEvent| event.prevent_default();
    html! {
        <form class="card explorer-controls" aria-label="Fragment layout" onsubmit={stay}>
            { navigation("Fragment layout", choice, dispatch) }
            { picker("Operation", &request.op, &choices.ops, set(choice, dispatch, set_operation)) }
            { picker("Shape", &request.shape, &choices.shapes, set(choice, dispatch, |choice, name| choice.request.shape = name)) }
            { picker("Type", &request.ty, &choices.types, set(choice, dispatch, |choice, name| choice.request.ty = name)) }
            { picker("Target", &request.target, &choices.targets, set(choice, dispatch, |choice, name| choice.request.target = name)) }
            { beside_picker(beside.as_deref(), &choices.targets, set(choice, dispatch, |choice, name: String| {
                choice.beside = Some(name).filter(|name| !name.is_empty());
            })) }
            { picker("Layout", &layout, &choices.layouts, set(choice, dispatch, |choice, name| choice.request.layout = Some(name))) }
            { number("Stride", "Leading dimension in elements. Leave the field empty for a packed matrix", stride,
                set(choice, dispatch, |choice, value: Option<u64>| {
                    let bounded = value.map(|value| value.min(LayoutQuery::MAX_STRIDE.into()));
                    choice.request.stride = bounded.and_then(|value| u32::try_from(value).ok());
                })) }
            { number("Base", "Byte offset of the matrix from a 256-byte boundary", base_bytes.to_string(),
                set(choice, dispatch, |choice, value: Option<u64>| {
                    choice.base_bytes = value.unwrap_or(0).min(LayoutQuery::MAX_BASE);
                })) }
        </form>
    }
}

/// Renders the title of the card and the buttons that leave the view.
pub(super) fn navigation(title: &'static str, choice: &LayoutQuery, dispatch: &Dispatch) -> Html {
    let target = Some(choice.request.target.as_str()).filter(|target| !target.is_empty());
    let product = MmaArithmeticAction::Open(first_product(target));
    let products = dispatching::<MouseEvent>(dispatch, Action::Product(product));
    html! {
        <>
        <div class="explorer-title">
            <h2>{ title }</h2>
            <button type="button" class="pill back" onclick={products} title="Show how a Tensor Core accumulates the products of one element">{ "Tensor Core arithmetic" }</button>
        </div>
        <div class="explorer-field full-width">{ questions_picker() }</div>
        </>
    }
}

/// Renders the menu of common questions, which link to their answers.
fn questions_picker() -> Html {
    let follow = Callback::from(|link: String| {
        let location = web_sys::window().map(|window| window.location());
        if let Some(location) = location.filter(|_| !link.is_empty()) {
            // If the navigation fails, the page remains unchanged.
            let _ = location.set_hash(&link);
        }
    });
    html! {
        <Select label="Questions" class="pill" value="" on_choice={follow}>
            <option value="">{ "Common questions…" }</option>
            { for questions().map(|question| html! { <option value={question.link}>{ question.text }</option> }) }
        </Select>
    }
}

/// Changes the operation. If the operation changes between a fragment and a layout, the other parameters are cleared, because they have
/// different meanings.
pub(super) fn set_operation(choice: &mut LayoutQuery, name: String) {
    let request = &mut choice.request;
    let has_words = |op: &str| has_layout(op) || has_picture(op);
    if has_words(&name) || has_words(&request.op) {
        request.shape.clear();
        request.ty.clear();
        request.with.clear();
    }
    request.op = name;
}

/// Returns a callback that opens the view with one parameter changed.
pub(super) fn set<T: 'static>(
    choice: &LayoutQuery,
    dispatch: &Dispatch,
    change: impl Fn(&mut LayoutQuery, T) + 'static,
) -> Callback<T> {
    let (choice, dispatch) = (choice.clone(), dispatch.clone());
    Callback::from(move |value| {
        let mut choice = choice.clone();
        // The change replaces the unknown parameters of the link.
        choice.unknown_parameters.clear();
        choice.is_unanswered_link = false;
        change(&mut choice, value);
        dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Open(choice)));
    })
}

pub(super) fn picker(
    label: impl Into<AttrValue>,
    value: &str,
    names: &[String],
    on_choice: Callback<String>,
) -> Html {
    let label: AttrValue = label.into();
    let option = |name: &String| html! { <option value={name.clone()}>{ name }</option> };
    html! {
        <label class="explorer-field"><span>{ label.clone() }</span>
            <Select {label} class="pill" value={value.to_owned()} {on_choice}>{ for names.iter().map(option) }</Select>
        </label>
    }
}

fn beside_picker(beside: Option<&str>, targets: &[String], on_choice: Callback<String>) -> Html {
    let option = |name: &String| html! { <option value={name.clone()}>{ name }</option> };
    html! {
        <label class="explorer-field"><span>{ "Compare with" }</span>
            <Select label="Compare with" class="pill" value={beside.unwrap_or("").to_owned()} {on_choice}>
                <option value="">{ "None" }</option>
                { for targets.iter().map(option) }
            </Select>
        </label>
    }
}

fn number(
    label: &'static str,
    title: &'static str,
    value: String,
    on_number: Callback<Option<u64>>,
) -> Html {
    let oninput = Callback::from(move |event: InputEvent| {
        let text = event.target_unchecked_into::<HtmlInputElement>().value();
        on_number.emit(text.trim().parse().ok());
    });
    html! {
        <label class="explorer-field" {title}><span>{ label }</span>
            <input class="pill" type="number" min="0" aria-label={label} placeholder="default" {value} {oninput} />
        </label>
    }
}
