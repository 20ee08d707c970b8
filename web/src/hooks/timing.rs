//! Timers: the check of a long text, the launch after typing, the ticks of a playback.

use crate::components::State;
use crate::model::Action;
use gloo_timers::callback::{Interval, Timeout};
use yew::prelude::*;

/// Milliseconds without typing before a long text is checked.
const PAUSE_MS: u32 = 300;
/// Typing rests for so long before the kernel is launched again.
const REST_MS: u32 = 150;
/// Between two stores of a playback.
const TICK_MS: u32 = 110;

/// Checks a long text after a pause in typing, and launches an accepted one.
#[hook]
pub(crate) fn use_check(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    let is_long = state.is_long();
    use_effect_with(state.revision, move |_| {
        let timeout =
            is_long.then(|| Timeout::new(PAUSE_MS, move || dispatch.dispatch(Action::CheckDue)));
        move || drop(timeout)
    });
    let dispatch = state.dispatcher();
    let rest = if state.fresh.is_some() { 0 } else { REST_MS };
    use_effect_with(state.checked, move |checked| {
        let timeout = (*checked > 0)
            .then(|| Timeout::new(rest, move || dispatch.dispatch(Action::LaunchDue)));
        move || drop(timeout)
    });
}

/// Ticks while playing.
#[hook]
pub(crate) fn use_playback(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with(state.playing, move |playing| {
        let interval =
            playing.then(|| Interval::new(TICK_MS, move || dispatch.dispatch(Action::Tick)));
        move || drop(interval)
    });
}
