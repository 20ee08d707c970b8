//! The step of the run in a browser tab, which is restored after a reload.

use crate::components::State;
use crate::storage;
use yew::prelude::*;

/// Saves the step whenever the position of a paused run changes.
#[hook]
pub(crate) fn use_persisted_step(state: &UseReducerHandle<State>) {
    let frame = state.run.frame.as_ref();
    let shown = (!state.playing).then(|| frame.map(|frame| frame.position));
    use_effect_with(shown, |shown| {
        if let Some(step) = shown {
            storage::set_step_of_tab(*step);
        }
    });
}
