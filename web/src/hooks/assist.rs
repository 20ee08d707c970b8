//! Lets the editor ask the core, for the target and version that are chosen at that time.

use crate::assist;
use crate::components::State;
use warpgrid_view::CheckOptions;
use yew::prelude::*;

/// Answers for the life of the page.
#[hook]
pub(crate) fn use_assist(state: &UseReducerHandle<State>) {
    let options = use_mut_ref(CheckOptions::default);
    {
        let options = options.clone();
        let chosen = (state.target.clone(), state.ptx_version.clone());
        use_effect_with(chosen, move |(target, ptx_version)| {
            *options.borrow_mut() = CheckOptions {
                target: target.clone(),
                ptx_version: ptx_version.clone(),
                ..CheckOptions::default()
            };
        });
    }
    use_effect_with((), move |()| {
        assist::serve(move || options.borrow().clone());
    });
}
