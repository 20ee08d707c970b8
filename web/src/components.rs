//! The components of the page, one file per component. Components only render the state.

mod app;
mod banner;
mod beside;
mod blocks_card;
mod cell_card;
mod cell_history;
mod conflicts_card;
mod diagnostics;
mod editor_pane;
mod fault_card;
mod filled_panel;
mod filled_place;
mod fragment_card;
mod grid_canvas;
mod grid_table;
mod header;
mod help;
mod launch_panel;
mod layouts_card;
mod line_button;
mod matrix;
mod mbarrier_card;
mod memories;
mod memory_card;
mod memory_files;
mod order_card;
mod orders_card;
mod outcomes;
mod outcomes_graph;
mod parts;
mod pending_card;
mod phrases;
mod pickers;
mod product;
mod programs;
mod reference;
mod reference_pages;
mod registers_card;
mod scrubber;
mod splitter;
mod start_form;
mod step_notes;
mod tensor_card;
mod text_picker;
mod traffic_card;
mod transport;
mod until_card;
mod warp_card;

pub(crate) use beside::open_examples;
pub(crate) use text_picker::open_example;

use crate::model::{Action, Model, reduce};
use std::ops::Deref;
use std::rc::Rc;
use warpgrid_view::model::SessionFrame;
use yew::prelude::*;

/// The model as a Yew reducer.
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

/// The dispatcher of actions.
pub type Dispatch = UseReducerDispatcher<State>;

/// A frame as a component property, with the launch that it belongs to. Two values are equal if they point to the same frame.
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
