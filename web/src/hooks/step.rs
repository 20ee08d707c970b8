//! The step that a tab shows, so that the page is at the same place after it is loaded again.

use crate::components::State;
use crate::storage;
use yew::prelude::*;

/// Keeps the step whenever the run has stopped at another one.
#[hook]
pub(crate) fn use_step_of_tab(state: &UseReducerHandle<State>) {
    let frame = state.run.frame.as_ref();
    let shown = (!state.playing).then(|| frame.map(|frame| frame.position));
    use_effect_with(shown, |shown| {
        if let Some(step) = shown {
            storage::set_step_of_tab(*step);
        }
    });
}
