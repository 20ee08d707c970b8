//! Timers of the page: the delayed check of a long source, the launch after a pause in typing, and the ticks of a playback.

use crate::components::State;
use crate::model::Action;
use gloo_timers::callback::{Interval, Timeout};
use yew::prelude::*;

/// Pause in typing, in milliseconds, after which a long source is checked.
const PAUSE_MS: u32 = 300;
/// Pause in typing, in milliseconds, after which the kernel is launched again.
const REST_MS: u32 = 150;
/// Delay in milliseconds after which an outdated run is marked. If the new source runs within this delay, no part of the page changes
/// twice.
const MARK_MS: u32 = 250;
/// Interval between two stores of a playback, in milliseconds.
const TICK_MS: u32 = 110;

/// Checks a long source after a pause in typing, and launches a source that was accepted.
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

/// Returns whether the frame has belonged to an older version of the source for longer than the delay.
#[hook]
pub(crate) fn use_delayed_stale(state: &State) -> bool {
    let is_stale = state.is_stale();
    let is_late = use_state_eq(|| false);
    let mark = is_late.setter();
    use_effect_with(is_stale, move |is_stale| {
        let timeout = is_stale.then(|| {
            let mark = mark.clone();
            Timeout::new(MARK_MS, move || mark.set(true))
        });
        if !is_stale {
            mark.set(false);
        }
        move || drop(timeout)
    });
    *is_late && is_stale
}

/// Dispatches ticks during a playback.
#[hook]
pub(crate) fn use_playback(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    use_effect_with(state.playing, move |playing| {
        let interval =
            playing.then(|| Interval::new(TICK_MS, move || dispatch.dispatch(Action::Tick)));
        move || drop(interval)
    });
}
