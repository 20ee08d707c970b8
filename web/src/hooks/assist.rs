//! Connects the editor requests to the worker, with the target and version that are selected at the time of each request.

use crate::assist;
use crate::components::State;
use crate::worker_client::RequestFn;
use std::rc::Rc;
use warpgrid_view::CheckOptions;
use yew::prelude::*;

/// Connects the editor for the lifetime of the page.
#[hook]
pub(crate) fn use_assist(state: &UseReducerHandle<State>, ask: &RequestFn) {
    let options = use_mut_ref(CheckOptions::default);
    {
        let options = options.clone();
        use_effect_with(state.check_options(), move |chosen| {
            options.replace(chosen.clone());
        });
    }
    let ask = Rc::clone(ask);
    use_effect_with((), move |()| {
        assist::connect(ask, move || options.borrow().clone());
    });
}
