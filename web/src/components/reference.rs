//! Reference view, which contains a searchable list of pages and the selected page.

use super::reference_pages::{code_page, form_page, term_page};
use super::step_summary::inline_code;
use super::{Dispatch, dispatching};
use crate::model::Action;
use crate::reference::{ReferenceIndex, ReferenceTopic, SearchResult};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlElement, HtmlInputElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) subject: Option<ReferenceTopic>,
    /// Reference index. `None` until the worker has sent it.
    pub(crate) library: Option<Rc<ReferenceIndex>>,
    /// Reason why the reference could not be loaded.
    pub(crate) no_library: Option<String>,
    pub(crate) dispatch: Dispatch,
}

#[component]
pub(crate) fn Reference(props: &Props) -> Html {
    let dialog = use_node_ref();
    let page = use_node_ref();
    let query = use_state(String::new);
    let is_open = props.subject.is_some();
    {
        let dialog = dialog.clone();
        use_effect_with(is_open, move |is_open| match is_open {
            true => open(&dialog),
            false => close(&dialog),
        });
    }
    {
        let page = page.clone();
        use_effect_with(props.subject.clone(), move |_| {
            if let Some(page) = page.cast::<Element>() {
                page.set_scroll_top(0);
            }
        });
    }
    let close = dispatching::<Event>(&props.dispatch, Action::SetReference(None));
    let library = props.library.as_deref().filter(|_| is_open);
    let type_query = {
        let query = query.clone();
        Callback::from(move |event: InputEvent| {
            query.set(event.target_unchecked_into::<HtmlInputElement>().value())
        })
    };
    let found = library.map_or_else(Vec::new, |library| library.search(&query));
    let pick_first = pick_first(&found, &props.dispatch);
    html! {
        <dialog ref={dialog} class="reference" aria-labelledby="reference-title" onclose={close} onkeydown={walk()}>
            <div class="reference-head">
                <h2 id="reference-title">{ "Reference" }</h2>
                <input type="search" aria-label="Search the reference" placeholder="Search instructions, modifiers, diagnostics, registers and terms"
                    value={(*query).clone()} oninput={type_query} onkeydown={pick_first} autocomplete="off" spellcheck="false" />
                <form method="dialog"><button class="pill">{ "Close" }</button></form>
            </div>
            <div class="reference-body">
                <nav aria-label="Pages">
                    if library.is_some() {
                        { list(&found, props) }
                    }
                </nav>
                <article ref={page} tabindex="0" aria-label="Page">
                    if let Some(library) = library {
                        { picked(library, props.subject.as_ref()) }
                    } else if let Some(reason) = &props.no_library {
                        <p role="alert">{ format!("Failed to load the reference: {reason}. Close and reopen this dialog to try again.") }</p>
                    } else {
                        <p class="muted">{ "Loading the reference…" }</p>
                    }
                </article>
            </div>
        </dialog>
    }
}

fn open(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<HtmlDialogElement>()
        && !dialog.open()
    {
        drop(dialog.show_modal());
    }
}

fn close(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<HtmlDialogElement>()
        && dialog.open()
    {
        dialog.close();
    }
}

fn list(found: &[SearchResult], props: &Props) -> Html {
    let of = |kind: fn(&ReferenceTopic) -> bool| -> Vec<&SearchResult> {
        found.iter().filter(|entry| kind(&entry.subject)).collect()
    };
    let forms = of(|subject| matches!(subject, ReferenceTopic::Form(_)));
    let codes = of(|subject| matches!(subject, ReferenceTopic::Code(_)));
    let terms = of(|subject| matches!(subject, ReferenceTopic::Term(_)));
    html! {
        <>
            { group("Instructions", &forms, props) }
            { group("Diagnostics", &codes, props) }
            { group("Special registers and terms", &terms, props) }
            if found.is_empty() {
                <p class="muted" role="note">{ "No results." }</p>
            }
        </>
    }
}

fn group(title: &'static str, entries: &[&SearchResult], props: &Props) -> Html {
    if entries.is_empty() {
        return Html::default();
    }
    html! {
        <section aria-label={title}>
            <h3>{ title }<small>{ entries.len() }</small></h3>
            <ul>{ for entries.iter().map(|entry| line(entry, props)) }</ul>
        </section>
    }
}

fn line(entry: &SearchResult, props: &Props) -> Html {
    let is_current = props.subject.as_ref() == Some(&entry.subject);
    let pick = dispatching::<MouseEvent>(
        &props.dispatch,
        Action::SetReference(Some(entry.subject.clone())),
    );
    html! {
        <li>
            <button class="reference-line" aria-current={is_current.then_some("page")} onclick={pick}>
                <b>{ &entry.title }</b><span>{ inline_code(&entry.help) }</span>
            </button>
        </li>
    }
}

fn picked(library: &ReferenceIndex, subject: Option<&ReferenceTopic>) -> Html {
    let page = match subject {
        Some(ReferenceTopic::Form(index)) => library.forms.get(*index).map(form_page),
        Some(ReferenceTopic::Code(code)) => library.code(code).map(code_page),
        Some(ReferenceTopic::Term(index)) => library.terms.get(*index).map(term_page),
        Some(ReferenceTopic::Start) | None => None,
    };
    page.unwrap_or_else(|| {
        let (n_forms, n_codes) = (library.forms.len(), library.codes.len());
        html! {
            <p class="muted">
                { format!("The reference contains {n_forms} instruction forms and {n_codes} diagnostics. Select an entry, or search the reference.") }
            </p>
        }
    })
}

/// Returns the keyboard handler of the search field: Enter opens the first result.
fn pick_first(found: &[SearchResult], dispatch: &Dispatch) -> Callback<KeyboardEvent> {
    let dispatch = dispatch.clone();
    // The list shows instruction forms before all other pages, whereas `found` starts with pages whose titles match the query.
    let first = found.first();
    let first = first.map(|entry| Rc::new(entry.subject.clone()));
    Callback::from(move |event: KeyboardEvent| {
        if let (Some(first), "Enter") = (&first, event.key().as_str()) {
            event.prevent_default();
            dispatch.dispatch(Action::SetReference(Some((**first).clone())));
        }
    })
}

/// Returns the keyboard handler: arrow keys move the focus from the search field to the list, and between the entries of the list.
fn walk() -> Callback<KeyboardEvent> {
    Callback::from(|event: KeyboardEvent| {
        if step(&event).is_some() {
            event.prevent_default();
        }
    })
}

fn step(event: &KeyboardEvent) -> Option<()> {
    let key = event.key();
    if !matches!(key.as_str(), "ArrowDown" | "ArrowUp") {
        return None;
    }
    let dialog = event.current_target()?.dyn_into::<Element>().ok()?;
    let from = event.target()?.dyn_into::<Element>().ok()?;
    let on_search = from.closest("input").ok()?.is_some();
    if !on_search && from.closest("nav").ok()?.is_none() {
        return None;
    }
    let lines = dialog.get_elements_by_class_name("reference-line");
    let focused_index = (0..lines.length()).find(|index| {
        lines
            .item(*index)
            .is_some_and(|line| line.is_same_node(Some(from.as_ref())))
    });
    let next = match (focused_index, key == "ArrowDown") {
        (None, true) => Some(0),
        (None, false) => return None,
        (Some(index), true) => Some(index + 1),
        (Some(index), false) => index.checked_sub(1),
    };
    let target: HtmlElement = match next {
        Some(index) => lines.item(index)?.dyn_into().ok()?,
        None => dialog.query_selector("input").ok()??.dyn_into().ok()?,
    };
    target.focus().ok()
}
