//! Sends the outbox, hears the answers, ends a worker that does not listen.

use crate::client::{Client, Heard};
use crate::components::State;
use crate::model::Action;
use gloo_timers::callback::Timeout;
use std::rc::Rc;
use yew::prelude::*;

/// A worker that still runs so long after a stop is ended by force.
const PATIENCE_MS: u32 = 1_500;

/// The line to the worker; the callback watches a stop.
#[hook]
pub(crate) fn use_worker(state: &UseReducerHandle<State>) -> Callback<()> {
    let client = use_mut_ref(|| None::<Rc<Client>>);
    let still_busy = use_mut_ref(|| false);
    *still_busy.borrow_mut() = state.run.busy.is_some();
    let patience = use_mut_ref(|| None::<Timeout>);
    {
        let (client, dispatch) = (client.clone(), state.dispatcher());
        use_effect_with(state.next_request, {
            let state = state.clone();
            move |_| {
                let open = || {
                    Rc::new(Client::new(move |heard| {
                        dispatch.dispatch(match heard {
                            Heard::Response(response) => Action::Heard(response),
                            Heard::Died(why) => Action::WorkerDied(why),
                        });
                    }))
                };
                let line = client.borrow_mut().get_or_insert_with(open).clone();
                line.send(&state.outbox);
            }
        });
    }
    let dispatch = state.dispatcher();
    use_callback((), move |(), ()| {
        let (client, still_busy, dispatch) = (client.clone(), still_busy.clone(), dispatch.clone());
        let wait = Timeout::new(PATIENCE_MS, move || {
            if *still_busy.borrow() {
                let line = client.borrow().clone();
                line.inspect(|line| line.restart());
                dispatch.dispatch(Action::WorkerDied(
                    "it did not answer and was stopped".into(),
                ));
            }
        });
        *patience.borrow_mut() = Some(wait);
    })
}
