//! Deferred updates, which let the page render important parts first.

use gloo_timers::callback::Timeout;
use yew::prelude::*;

/// Time at which the page adopts a changed value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeferUntil {
    /// At once, together with the update of all other parts of the page.
    AtOnce,
    /// When the value has not changed for longer than the interval between two steps of a playback or of a held key.
    AtRest,
    /// After all other parts of the page have been painted.
    NextFrame,
}

impl DeferUntil {
    const fn wait_ms(self) -> u32 {
        match self {
            DeferUntil::AtOnce => 0,
            DeferUntil::AtRest => 150,
            DeferUntil::NextFrame => 20,
        }
    }
}

/// Returns the last adopted value, and whether it equals the current value.
#[hook]
pub(crate) fn use_deferred<T: Clone + PartialEq + 'static>(
    value: &T,
    follows: DeferUntil,
) -> (T, bool) {
    let followed = use_state_eq(|| value.clone());
    let latest = use_mut_ref(|| value.clone());
    latest.replace(value.clone());
    let is_present = follows == DeferUntil::AtOnce || *followed == *value;
    {
        let followed = followed.clone();
        // A changed value restarts the delay of `AtRest`. For the other variants, the delay starts when the adopted value is no longer
        // current.
        let restarts = (follows == DeferUntil::AtRest).then(|| value.clone());
        let last = (*followed).clone();
        use_effect_with((is_present, restarts, last), move |(is_present, ..)| {
            let follow = move || followed.set(latest.borrow().clone());
            let wait = (!is_present).then(|| Timeout::new(follows.wait_ms(), follow));
            move || drop(wait)
        });
    }
    match is_present {
        true => (value.clone(), true),
        false => ((*followed).clone(), false),
    }
}
