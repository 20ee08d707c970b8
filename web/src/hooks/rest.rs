//! What may follow the rest of the page a moment later.

use gloo_timers::callback::Timeout;
use yew::prelude::*;

/// Longer than from one step to the next while a run is played or a key is held, milliseconds.
pub(crate) const REST_MS: u32 = 150;
/// Longer than from one frame of the screen to the next, so that the rest of the page has been painted.
pub(crate) const FRAME_MS: u32 = 20;

/// The value as it was when it last stayed as it was for some milliseconds, and whether that is the present one.
#[hook]
pub(crate) fn use_rested<T: Clone + PartialEq + 'static>(value: &T, rest_ms: u32) -> (T, bool) {
    let rested = use_state_eq(|| value.clone());
    {
        let rested = rested.clone();
        use_effect_with(value.clone(), move |value| {
            let value = value.clone();
            let wait = Timeout::new(rest_ms, move || rested.set(value));
            // A value that changes again starts the wait anew.
            move || drop(wait)
        });
    }
    let is_present = *rested == *value;
    ((*rested).clone(), is_present)
}
