//! What may follow the rest of the page a moment later.

use gloo_timers::callback::Timeout;
use yew::prelude::*;

/// How long a value must stay as it is, milliseconds: longer than from one frame to the next while a run is played or a key is held.
const REST_MS: u32 = 60;

/// The value as it was when it last rested, and whether that is the present one.
#[hook]
pub(crate) fn use_rested<T: Clone + PartialEq + 'static>(value: &T) -> (T, bool) {
    let rested = use_state_eq(|| value.clone());
    {
        let rested = rested.clone();
        use_effect_with(value.clone(), move |value| {
            let value = value.clone();
            let wait = Timeout::new(REST_MS, move || rested.set(value));
            // A value that changes again starts the wait anew.
            move || drop(wait)
        });
    }
    let is_present = *rested == *value;
    ((*rested).clone(), is_present)
}
