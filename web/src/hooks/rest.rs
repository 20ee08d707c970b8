//! What may follow the rest of the page a moment later.

use gloo_timers::callback::Timeout;
use yew::prelude::*;

/// When a value is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follows {
    /// With the rest of the page.
    AtOnce,
    /// Once it has stayed as it is for longer than from one step to the next while a run is played or a key is held.
    AtRest,
    /// Once the rest of the page has been painted.
    NextFrame,
}

impl Follows {
    const fn wait_ms(self) -> u32 {
        match self {
            Follows::AtOnce => 0,
            Follows::AtRest => 150,
            Follows::NextFrame => 20,
        }
    }
}

/// The value as it was when it was last followed, and whether that is the present one.
#[hook]
pub(crate) fn use_followed<T: Clone + PartialEq + 'static>(
    value: &T,
    follows: Follows,
) -> (T, bool) {
    let followed = use_state_eq(|| value.clone());
    let latest = use_mut_ref(|| value.clone());
    latest.replace(value.clone());
    let is_present = follows == Follows::AtOnce || *followed == *value;
    {
        let followed = followed.clone();
        // A value that changes again starts a wait for rest anew. One that was followed, and is not the present one any more, starts any wait.
        let restarts = (follows == Follows::AtRest).then(|| value.clone());
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
