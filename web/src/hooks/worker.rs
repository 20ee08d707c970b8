//! Connection to the worker: sends the outbox, dispatches responses, and terminates a worker that does not respond to a stop request.

use crate::components::State;
use crate::model::Action;
use crate::protocol::WorkerKind;
use crate::worker_client::{RequestFn, WorkerClient, WorkerEvent};
use gloo_timers::callback::Timeout;
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Delay in milliseconds after a stop request, after which a worker that is still running is terminated.
const PATIENCE_MS: u32 = 1_500;

/// Connects the worker. Returns the function that sends editor requests, and a callback that supervises a stop request.
#[hook]
pub(crate) fn use_worker(state: &UseReducerHandle<State>) -> (RequestFn, Callback<()>) {
    let client = use_mut_ref(|| None::<Rc<WorkerClient>>);
    let still_busy = use_mut_ref(|| false);
    *still_busy.borrow_mut() = state.run.busy.is_some();
    let patience = use_mut_ref(|| None::<Timeout>);
    {
        let (client, dispatch) = (client.clone(), state.dispatcher());
        use_effect_with(state.next_request, {
            let state = state.clone();
            move |_| {
                let open = || {
                    Rc::new(WorkerClient::new(move |heard| {
                        dispatch.dispatch(match heard {
                            WorkerEvent::Response(response) => {
                                Action::ResponseReceived(response.into())
                            }
                            WorkerEvent::Died(WorkerKind::Extended, reason) => {
                                Action::ExtendedWorkerTerminated(reason)
                            }
                            WorkerEvent::Died(WorkerKind::Ptx | WorkerKind::Sass, reason) => {
                                Action::WorkerTerminated(reason)
                            }
                        });
                    }))
                };
                let line = client.borrow_mut().get_or_insert_with(open).clone();
                line.send(&state.outbox);
            }
        });
    }
    let ask = {
        let client = client.clone();
        use_memo((), move |()| -> RequestFn {
            Rc::new(move |question, read| match client.borrow().clone() {
                Some(client) => client.ask(question, read),
                None => Promise::resolve(&JsValue::NULL),
            })
        })
    };
    let dispatch = state.dispatcher();
    let restart = use_callback((), move |(), ()| {
        let (client, still_busy, dispatch) = (client.clone(), still_busy.clone(), dispatch.clone());
        let wait = Timeout::new(PATIENCE_MS, move || {
            if *still_busy.borrow() {
                let line = client.borrow().clone();
                line.inspect(|line| line.restart());
                dispatch.dispatch(Action::WorkerTerminated(
                    "the emulator did not respond, so the page terminated the emulator".into(),
                ));
            }
        });
        *patience.borrow_mut() = Some(wait);
    });
    (Rc::clone(&ask), restart)
}
