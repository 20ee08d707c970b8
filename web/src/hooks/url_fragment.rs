//! Synchronization of the URL fragment and the session history with the page: opens the linked view, updates the fragment when the state
//! of the view changes, and adds a history entry for each view and each example that the user opens.

use crate::compare::CompareLink;
use crate::components::{State, open_example, open_examples};
use crate::examples::{EXAMPLES, linked_example};
use crate::layout_explorer::LayoutQuery;
use crate::model::{
    Action, ActiveView, CompareAction, LayoutExplorerAction, LitmusAction, MmaArithmeticAction,
    Stage,
};
use crate::{compare, layout_explorer, litmus, mma_arithmetic, saved_kernels};
use gloo_events::EventListener;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Observes the URL fragment for the lifetime of the page.
#[hook]
pub(crate) fn use_url_fragment(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let follow = move || {
            let hash = hash().unwrap_or_default();
            if let Some(choice) = layout_explorer::read_link(&hash) {
                let choice = LayoutQuery {
                    is_unanswered_link: true,
                    ..choice
                };
                dispatch.dispatch(Action::Matrix(LayoutExplorerAction::Open(choice)));
            } else if let Some(request) = mma_arithmetic::read_link(&hash) {
                dispatch.dispatch(Action::Product(MmaArithmeticAction::Open(request)));
            } else if let Some(link) = litmus::read_link(&hash) {
                if let Some(id) = link.unknown_id {
                    let reason = format!("unknown litmus test “{id}” in the link");
                    dispatch.dispatch(Action::ExampleFailed(reason));
                }
                dispatch.dispatch(Action::Outcomes(LitmusAction::Open(link.text.into())));
            } else if let Some(id) = linked_example(&hash) {
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
    use_history_entries(state);
}

/// Source that a history entry shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SourceEntry {
    Example(String),
    Kernel(String),
}

impl SourceEntry {
    const EXAMPLE: &str = "example:";
    const KERNEL: &str = "kernel:";

    fn of(state: &State) -> Option<SourceEntry> {
        match state.example.and_then(|index| EXAMPLES.get(index)) {
            Some(example) => Some(SourceEntry::Example(example.id.to_owned())),
            None => state.current_kernel_id.clone().map(SourceEntry::Kernel),
        }
    }

    /// Parses the state object of a history entry.
    fn parse(entry: &str) -> Option<SourceEntry> {
        let example = entry.strip_prefix(Self::EXAMPLE);
        let kernel = entry.strip_prefix(Self::KERNEL);
        let example = example.map(|id| SourceEntry::Example(id.to_owned()));
        example.or_else(|| kernel.map(|id| SourceEntry::Kernel(id.to_owned())))
    }

    /// Returns the state object of a history entry.
    fn serialize(&self) -> String {
        match self {
            SourceEntry::Example(id) => format!("{}{id}", Self::EXAMPLE),
            SourceEntry::Kernel(id) => format!("{}{id}", Self::KERNEL),
        }
    }
}

/// Updates the current history entry after each change, adds an entry when the user opens a view or an example, and restores the view and
/// the source of an entry to which the user returns.
#[hook]
fn use_history_entries(state: &UseReducerHandle<State>) {
    let link = match &state.screen {
        ActiveView::Kernel => None,
        ActiveView::Matrix(page) => Some(layout_explorer::write_link(&page.choice)),
        ActiveView::Product(page) => Some(mma_arithmetic::write_link(&page.request)),
        ActiveView::Beside(page) => Some(compare::write_link(page)),
        ActiveView::Outcomes(page) => Some(litmus::write_link(&page.text)),
    };
    let stage = state.screen.stage();
    let source = SourceEntry::of(state);
    // Stage and source of the current entry.
    let shown = use_mut_ref(|| (stage, source.clone()));
    // Source of the entry to which the user has returned, until the page shows the source.
    let restored = use_mut_ref(|| None::<SourceEntry>);
    {
        let (shown, restored) = (Rc::clone(&shown), Rc::clone(&restored));
        use_effect_with((link, stage, source), move |(link, stage, source)| {
            let (stage_before, source_before) = shown.replace((*stage, source.clone()));
            let is_other_source = source_before != *source;
            let is_restored = is_other_source && restored.take() == *source;
            // The source at the start of the page, a restored source and a linked example belong to the current entry.
            let opens_example = matches!(source, Some(SourceEntry::Example(_)))
                && is_other_source
                && source_before.is_some()
                && !is_restored
                && !is_example_link(source.as_ref());
            let is_other_stage = stage_before != *stage;
            let url = match link {
                // A link that contains both sources is more specific, so it is not replaced.
                Some(link) if link.starts_with(compare::START) && is_shared() => None,
                Some(link) => Some(&**link),
                None if is_other_stage || opens_example => Some("#"),
                // Fragments that the page did not set remain unchanged.
                None => None,
            };
            let opens_view = is_other_stage && url.is_some() && linked_stage() != *stage;
            write_entry(url, source.as_ref(), opens_view || opens_example);
        });
    }
    let dispatch = state.dispatcher();
    use_effect_with((), move |()| {
        let restore = move |entry: Option<String>| {
            if linked_stage() == Stage::Run {
                dispatch.dispatch(Action::ShowKernel);
            }
            let source = entry.as_deref().and_then(SourceEntry::parse);
            let Some(source) = source.filter(|source| shown.borrow().1.as_ref() != Some(source))
            else {
                return;
            };
            match &source {
                SourceEntry::Example(id) => open_example(&dispatch, id),
                SourceEntry::Kernel(id) => saved_kernels::open(id),
            }
            restored.replace(Some(source));
        };
        let listener = web_sys::window().map(|window| {
            let history = window.history();
            EventListener::new(&window, "popstate", move |_| {
                let entry = history
                    .as_ref()
                    .ok()
                    .and_then(|history| history.state().ok());
                restore(entry.and_then(|entry| entry.as_string()));
            })
        });
        move || drop(listener)
    });
}

/// Returns the tab of the view to which the URL fragment links.
fn linked_stage() -> Stage {
    let hash = hash().unwrap_or_default();
    let is_layout =
        layout_explorer::read_link(&hash).is_some() || mma_arithmetic::read_link(&hash).is_some();
    match () {
        () if is_layout => Stage::Layouts,
        () if litmus::read_link(&hash).is_some() => Stage::MemoryModel,
        () if compare::read_link(&hash).is_some() => Stage::Compare,
        () => Stage::Run,
    }
}

/// Checks whether the URL fragment links to the example that the page shows.
fn is_example_link(source: Option<&SourceEntry>) -> bool {
    let hash = hash().unwrap_or_default();
    let linked = linked_example(&hash);
    matches!((source, linked), (Some(SourceEntry::Example(id)), Some(linked)) if id == linked)
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

/// Adds a history entry or replaces the current entry without an event. `url` is the new URL fragment, if it changes.
fn write_entry(url: Option<&str>, source: Option<&SourceEntry>, adds_entry: bool) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    let Some(history) = history else { return };
    let state = source.map_or(JsValue::NULL, |source| source.serialize().into());
    // A browser limits the rate of such changes. The page remains usable without the entry.
    let _ = match adds_entry {
        true => history.push_state_with_url(&state, "", url),
        false => history.replace_state_with_url(&state, "", url),
    };
}
