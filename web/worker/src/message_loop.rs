//! Message loop of the worker: decodes requests, schedules slices and posts responses. A [`RequestHandler`] handles the requests.

use crate::protocol::{Request, RequestBody, Response, ResponseBody, decode, encode};
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

#[wasm_bindgen]
extern "C" {
    /// Fetches the reference file next to the worker modules (see `start.js`). The promise resolves to the bytes of the file or to an error
    /// message.
    #[wasm_bindgen(js_name = fetchReference)]
    fn fetch_reference() -> Promise;
}

/// Request handler of a worker: receives requests, executes slices of work, and returns responses.
pub trait RequestHandler: Default + 'static {
    /// Handles a request and returns the responses that are available immediately.
    fn receive(&mut self, request: Request, clock: impl Fn() -> f64) -> Vec<Response>;
    /// Whether the handler supports requests that are strings.
    const HANDLES_TEXT_REQUESTS: bool = false;
    /// Handles a string request for puzzles, tours, watched values or JIT runs. `_sent` contains the values that were transferred with the
    /// request.
    fn handle_text_request(&mut self, _question: &str, _sent: &[JsValue]) -> Option<Answered> {
        None
    }
    /// Checks whether [`RequestHandler::run_slice`] has work to do.
    fn is_busy(&self) -> bool;
    /// Executes one slice of work. Returns a response if the slice has produced one.
    fn run_slice(&mut self, clock: impl Fn() -> f64) -> Option<Response>;
}

/// Response to a string request.
pub struct Answered {
    /// JSON text.
    pub words: String,
    /// Partition of a run that is sent with the JSON text. The buffer of its `memory` is transferred.
    pub part: Option<Object>,
}

impl From<String> for Answered {
    fn from(words: String) -> Answered {
        Answered { words, part: None }
    }
}

/// Installs the message handlers for the lifetime of the worker.
pub fn run_message_loop<W: RequestHandler>() {
    let Ok(channel) = MessageChannel::new() else {
        return;
    };
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let worker = Rc::new(Worker {
        work: RefCell::<W>::default(),
        scope,
        self_port: channel.port2(),
    });
    let listener = Rc::clone(&worker);
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let data = match event.data().dyn_into::<Uint8Array>() {
            Ok(bytes) => bytes,
            Err(data) if W::HANDLES_TEXT_REQUESTS => return listener.on_text_message(&data),
            Err(_) => return,
        };
        if let Some(request) = decode::<Request>(&data.to_vec()) {
            match request.body {
                RequestBody::Reference => listener.send_reference(request.id, request.launch),
                _ => listener.receive(request),
            }
        }
    });
    worker
        .scope
        .set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let slicer = Rc::clone(&worker);
    let on_slice = Closure::<dyn Fn()>::new(move || slicer.slice());
    channel
        .port1()
        .set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
    on_slice.forget();
}

struct Worker<W> {
    work: RefCell<W>,
    scope: DedicatedWorkerGlobalScope,
    /// Port for messages to the worker itself, which allow requests to be handled between two slices without the delay of a timer.
    self_port: MessagePort,
}

impl<W: RequestHandler> Worker<W> {
    fn receive(&self, request: Request) {
        let was_busy = self.work.borrow().is_busy();
        let responses = self.work.borrow_mut().receive(request, || self.now());
        for response in &responses {
            self.post(response);
        }
        if !was_busy {
            self.schedule_next_slice();
        }
    }

    /// Handles a string request, or an array of a string request and the values that were transferred with it.
    fn on_text_message(&self, data: &JsValue) {
        match (data.as_string(), data.dyn_ref::<Array>()) {
            (Some(question), _) => self.learn(&question, &[]),
            (None, Some(all)) => {
                let question = all.get(0).as_string().unwrap_or_default();
                self.learn(&question, &Vec::from_iter(all.iter().skip(1)));
            }
            (None, None) => {}
        }
    }

    fn learn(&self, question: &str, sent: &[JsValue]) {
        let Some(Answered { words, part }) =
            self.work.borrow_mut().handle_text_request(question, sent)
        else {
            return;
        };
        let words = JsValue::from_str(&words);
        let _ = match part {
            None => self.scope.post_message(&words),
            Some(part) => {
                let memory = Reflect::get(&part, &"memory".into());
                let memory = memory.and_then(|bytes| Reflect::get(&bytes, &"buffer".into()));
                let moved: Array = memory.into_iter().collect();
                let both = Array::of2(&words, &part);
                self.scope.post_message_with_transfer(&both, &moved)
            }
        };
    }

    fn send_reference(self: &Rc<Self>, id: u32, launch: u32) {
        let worker = Rc::clone(self);
        let on_fetched = Closure::once(move |found: JsValue| {
            let bytes = match found.dyn_into::<Uint8Array>() {
                Ok(bytes) => Ok(bytes.to_vec()),
                Err(reason) => Err(reason.as_string().unwrap_or_default()),
            };
            worker.post(&Response::new(id, launch, ResponseBody::Reference(bytes)));
        });
        let _ = fetch_reference().then(&on_fetched);
        on_fetched.forget();
    }

    fn slice(&self) {
        let response = self.work.borrow_mut().run_slice(|| self.now());
        if let Some(response) = &response {
            self.post(response);
        }
        self.schedule_next_slice();
    }

    fn schedule_next_slice(&self) {
        if self.work.borrow().is_busy() {
            let _ = self.self_port.post_message(&JsValue::NULL);
        }
    }

    fn post(&self, response: &Response) {
        let bytes = Uint8Array::from(&encode(response)[..]);
        let moved = Array::of1(&bytes.buffer());
        let _ = self.scope.post_message_with_transfer(&bytes, &moved);
    }

    fn now(&self) -> f64 {
        self.scope
            .performance()
            .map_or(0.0, |performance| performance.now())
    }
}
