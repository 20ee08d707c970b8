//! The page's end of the line to the worker: starts it, queues until it is ready, starts another when it dies.

use crate::protocol::{Request, Response, ResponseBody, decode, encode};
use js_sys::{Array, Object, Reflect, Uint8Array};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

#[wasm_bindgen]
extern "C" {
    /// Where the page's JavaScript came from: the worker's start lies beside it.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static MODULE_URL: String;
}

/// What the line tells.
#[derive(Clone, Debug)]
pub enum Heard {
    Response(Response),
    /// The worker is gone, and why; the next request starts a new one.
    Died(String),
}

/// A line to one worker at a time.
pub struct Client {
    line: RefCell<Option<Line>>,
    heard: Rc<dyn Fn(Heard)>,
    last_sent: Cell<u32>,
}

struct Line {
    worker: Worker,
    state: Rc<RefCell<LineState>>,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(ErrorEvent)>,
}

#[derive(Default)]
struct LineState {
    ready: bool,
    dead: bool,
    queue: Vec<Uint8Array>,
}

impl Client {
    /// A line that tells what it hears; the worker starts at once.
    pub fn new(heard: impl Fn(Heard) + 'static) -> Client {
        let client = Client {
            line: RefCell::new(None),
            heard: Rc::new(heard),
            last_sent: Cell::new(0),
        };
        client.restart();
        client
    }

    /// Ends the worker, whatever it does, and starts another.
    pub fn restart(&self) {
        if let Some(line) = self.line.borrow_mut().take() {
            line.worker.terminate();
        }
        match Line::open(&self.heard) {
            Ok(line) => *self.line.borrow_mut() = Some(line),
            Err(_) => (self.heard)(Heard::Died(
                "this browser does not let the page start a worker".into(),
            )),
        }
    }

    /// Sends what was not sent before.
    pub fn send(&self, outbox: &[Request]) {
        let is_dead = |line: &Line| line.state.borrow().dead;
        if self.line.borrow().as_ref().is_none_or(is_dead) {
            self.restart();
        }
        for request in outbox {
            if request.id > self.last_sent.get() {
                self.last_sent.set(request.id);
                if let Some(line) = &*self.line.borrow() {
                    line.post(Uint8Array::from(&encode(request)[..]));
                }
            }
        }
    }
}

impl Line {
    fn open(heard: &Rc<dyn Fn(Heard)>) -> Result<Line, JsValue> {
        let url = MODULE_URL.with(Clone::clone);
        let start = web_sys::Url::new_with_base("worker.js", &url)?.href();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&start, &options)?;
        let state = Rc::new(RefCell::new(LineState::default()));
        let on_message = Line::on_message(&worker, &state, heard);
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let (tell, dying) = (Rc::clone(heard), Rc::clone(&state));
        let on_error = Closure::<dyn Fn(ErrorEvent)>::new(move |event: ErrorEvent| {
            event.prevent_default();
            if !std::mem::replace(&mut dying.borrow_mut().dead, true) {
                tell(Heard::Died(event.message()));
            }
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let first = Object::new();
        Reflect::set(&first, &"glue".into(), &url.into())?;
        Reflect::set(&first, &"module".into(), &wasm_bindgen::module())?;
        worker.post_message(&first)?;
        Ok(Line {
            worker,
            state,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    fn on_message(
        worker: &Worker,
        state: &Rc<RefCell<LineState>>,
        heard: &Rc<dyn Fn(Heard)>,
    ) -> Closure<dyn Fn(MessageEvent)> {
        let (worker, state, heard) = (worker.clone(), Rc::clone(state), Rc::clone(heard));
        Closure::new(move |event: MessageEvent| {
            if let Some(why) = event.data().as_string() {
                state.borrow_mut().dead = true;
                return heard(Heard::Died(why));
            }
            let Ok(bytes) = event.data().dyn_into::<Uint8Array>() else {
                return;
            };
            let Some(response) = decode::<Response>(&bytes.to_vec()) else {
                return;
            };
            if response.body == ResponseBody::Ready {
                let queue = std::mem::take(&mut state.borrow_mut().queue);
                state.borrow_mut().ready = true;
                queue.iter().for_each(|bytes| post_moved(&worker, bytes));
            }
            heard(Heard::Response(response));
        })
    }

    fn post(&self, bytes: Uint8Array) {
        if self.state.borrow().ready {
            post_moved(&self.worker, &bytes);
        } else {
            self.state.borrow_mut().queue.push(bytes);
        }
    }
}

fn post_moved(worker: &Worker, bytes: &Uint8Array) {
    let moved = Array::of1(&bytes.buffer());
    let _ = worker.post_message_with_transfer(bytes, &moved);
}
