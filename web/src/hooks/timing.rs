//! What waits: the verdict on a long text, the launch after typing, the ticks of a playback.

use crate::components::State;
use crate::model::Action;
use gloo_timers::callback::{Interval, Timeout};
use std::rc::Rc;
use warpgrid_view::{CheckOptions, Front, check};
use yew::prelude::*;

/// A text of so many bytes is judged at once, a longer one after a pause.
const EAGER_BYTES: usize = 300_000;
const PAUSE_MS: u32 = 300;
/// Typing rests for so long before the kernel is launched again.
const REST_MS: u32 = 150;
/// Between two stores of a playback.
const TICK_MS: u32 = 110;

/// Judges each text, then launches it when it has rested.
#[hook]
pub(crate) fn use_check(state: &UseReducerHandle<State>) {
    let dispatch = state.dispatcher();
    let options = CheckOptions {
        front: Front::Ptx,
        target: state.target.clone(),
        ptx_version: state.ptx_version.clone(),
    };
    let text = state.text.clone();
    use_effect_with(state.revision, move |_| {
        let wait = if text.len() <= EAGER_BYTES {
            0
        } else {
            PAUSE_MS
        };
        let judge = move || dispatch.dispatch(Action::Checked(Rc::new(check(&text, &options))));
        let timeout = if wait == 0 {
            judge();
            None
        } else {
            Some(Timeout::new(wait, judge))
        };
        move || drop(timeout)
    });
    let dispatch = state.dispatcher();
    let rest = if state.fresh { 0 } else { REST_MS };
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
