//! Tabs of the header, which select the debugger or a view that replaces it.

use super::compare::open_examples;
use super::litmus::first_test;
use super::{Dispatch, dispatching};
use crate::compare::counterpart_of;
use crate::editor;
use crate::layout_explorer::LayoutQuery;
use crate::model::{Action, CompareAction, LayoutExplorerAction, LitmusAction, Stage};
use warpgrid_view::memory_model::litmus::ExtractionRequest;
use yew::prelude::*;

/// Renders the tabs. `target` is the target for which the source is checked, which the Layout Explorer also shows.
pub(crate) fn stage_tabs(
    current: Stage,
    example: Option<usize>,
    target: Option<&str>,
    dispatch: &Dispatch,
) -> Html {
    let tab = |stage: Stage,
               label: &'static str,
               title: &'static str,
               open: Callback<MouseEvent>| {
        let is_current = stage == current;
        html! {
            <button class="text-button" {title} aria-current={is_current.then_some("page")} onclick={(!is_current).then_some(open)}>{ label }</button>
        }
    };
    let layouts = LayoutQuery::of_target(target);
    html! {
        <nav class="stage-tabs" aria-label="Stage">
            { tab(Stage::Run, "Run", "Run the kernel and show the memory that it writes", dispatching(dispatch, Action::ShowKernel)) }
            { tab(Stage::Compare, "Compare", "Compare this kernel with another version, such as its SASS", compare(example, dispatch)) }
            { tab(Stage::Layouts, "Layouts", "Matrix fragments, shared-memory descriptors and CuTe layouts", dispatching(dispatch, Action::Matrix(LayoutExplorerAction::Open(layouts)))) }
            { tab(Stage::MemoryModel, "Memory model", "Enumerate the outcomes that the PTX memory model allows for a litmus test or for the selected lines", memory_model(dispatch)) }
        </nav>
    }
}

/// Opens the comparison view. An example is compared with the other source of its kernel. Any other source is compared with a second source
/// that the user selects.
fn compare(example: Option<usize>, dispatch: &Dispatch) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    let pair = example.and_then(counterpart_of);
    Callback::from(move |_| match pair {
        Some(pair) => open_examples(&dispatch, pair),
        None => dispatch.dispatch(Action::Beside(CompareAction::Open)),
    })
}

/// Opens the litmus test view with the selected lines, or with a built-in test.
fn memory_model(dispatch: &Dispatch) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| {
        let action = match editor::selected_lines() {
            Some(lines) => LitmusAction::ExtractFromKernel(ExtractionRequest {
                lines,
                ..ExtractionRequest::default()
            }),
            None => LitmusAction::Open(first_test()),
        };
        dispatch.dispatch(Action::Outcomes(action));
    })
}
