//! Components of the page, one file per component. Components render the state and dispatch actions, but contain no logic.

mod accessible_grid;
mod app;
mod asm_blocks;
mod async_operations_card;
mod blocks_card;
mod cell_card;
mod cell_history;
mod code_objects;
mod compare;
mod conflicts_card;
mod diagnostics;
mod editor_pane;
mod error_banner;
mod execution_graph;
mod fault_card;
mod fragment_card;
mod grid_canvas;
mod header;
mod help;
mod initial_value_form;
mod inspector_tabs;
mod js_popover;
mod js_slot;
mod launch_panel;
mod layout_explorer;
mod layouts_card;
mod line_button;
mod litmus;
mod mbarrier_card;
mod memories;
mod memory_card;
mod memory_export;
mod memory_thumbnail;
mod memory_traffic_card;
mod mma_arithmetic;
mod pickers;
mod race_card;
mod reference;
mod reference_pages;
mod register_stage;
mod registers_card;
mod run_until_card;
mod schedule_card;
mod scrubber;
mod splitter;
mod stage_tabs;
mod step_details;
mod step_summary;
mod tensor_card;
mod text_picker;
mod transport;
mod warp_card;

pub(crate) use compare::open_examples;
pub(crate) use text_picker::open_example;

use crate::model::{Action, Model, reduce};
use std::ops::Deref;
use std::rc::Rc;
use warpgrid_view::model::SessionFrame;
use yew::prelude::*;

/// Model of the page as a Yew reducer.
#[derive(Clone, Debug, PartialEq)]
pub struct State(pub Model);

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(State(reduce(Rc::unwrap_or_clone(self).0, action)))
    }
}

impl Deref for State {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.0
    }
}

/// Dispatcher through which components send actions to the model.
pub type Dispatch = UseReducerDispatcher<State>;

/// Frame as a component property, with the number of the launch to which it belongs. Two values are equal if they point to the same frame.
#[derive(Clone, Debug)]
pub struct FrameRef(pub Rc<SessionFrame>, pub u32);

impl PartialEq for FrameRef {
    fn eq(&self, other: &FrameRef) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Deref for FrameRef {
    type Target = SessionFrame;

    fn deref(&self) -> &SessionFrame {
        &self.0
    }
}

/// Mounts the application into the static page.
pub fn mount() {
    let root = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id("app"));
    if let Some(root) = root {
        yew::Renderer::<app::App>::with_root(root).render();
    }
}

/// Returns a callback that dispatches an action.
pub(crate) fn dispatching<E>(dispatch: &Dispatch, action: Action) -> Callback<E> {
    let dispatch = dispatch.clone();
    Callback::from(move |_| dispatch.dispatch(action.clone()))
}
