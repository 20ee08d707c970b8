//! Connections between the page and its workers: sends requests, routes responses, and starts a new worker when a worker has stopped. Each
//! source language has a separate worker, which starts with the first source in that language. The worker for comparisons supports both
//! languages.

use crate::protocol::{
    EditorRequest, EditorResponse, Request, RequestBody, Response, ResponseBody, WorkerKind,
    decode, encode,
};
use js_sys::{Array, Function, Promise, Uint8Array};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// Returns the worker of a kind (see `web/editor/worker-registry.js`). The first worker starts while the page is loading, and the
    /// messages that it has sent before this call are replayed.
    #[wasm_bindgen(catch, js_namespace = warpgridWorkers)]
    fn worker(core: &str, on_message: &Function, on_error: &Function) -> Result<Worker, JsValue>;
}

/// Event that a worker causes.
#[derive(Clone, Debug)]
pub enum WorkerEvent {
    Response(Response),
    /// The worker stopped for this reason. The next request starts a new worker.
    Died(WorkerKind, String),
}

/// Function that sends an editor request. The second argument converts the response. The returned promise resolves to the converted
/// response, or to null if the worker stops before it responds.
pub type RequestFn = Rc<dyn Fn(EditorRequest, DecodeFn) -> Promise>;
/// Function that converts a response for JavaScript.
pub type DecodeFn = fn(EditorResponse) -> JsValue;

/// Connections to the workers, with at most one worker of each kind.
pub struct WorkerClient {
    lines: RefCell<Vec<WorkerConnection>>,
    ear: Rc<ResponseRouter>,
    /// Kind of the worker that executes the run.
    launched: Cell<WorkerKind>,
    last_sent: Cell<u32>,
    last_asked: Cell<u32>,
}

struct WorkerConnection {
    core: WorkerKind,
    worker: Worker,
    is_dead: Rc<Cell<bool>>,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(String)>,
}

/// Routes the messages of the workers.
struct ResponseRouter {
    heard: Box<dyn Fn(WorkerEvent)>,
    /// Editor requests for which no response has arrived.
    asked: RefCell<Vec<PendingRequest>>,
}

struct PendingRequest {
    id: u32,
    core: WorkerKind,
    resolve: Function,
    read: DecodeFn,
}

impl WorkerClient {
    /// Creates a client that reports the events of the workers.
    pub fn new(heard: impl Fn(WorkerEvent) + 'static) -> WorkerClient {
        WorkerClient {
            lines: RefCell::default(),
            ear: Rc::new(ResponseRouter {
                heard: Box::new(heard),
                asked: RefCell::default(),
            }),
            launched: Cell::new(WorkerKind::Ptx),
            last_sent: Cell::new(0),
            last_asked: Cell::new(0),
        }
    }

    /// Terminates the worker that executes the run. The next request for a worker of this kind starts a new worker.
    pub fn restart(&self) {
        let core = self.launched.get();
        self.close(core);
        self.ear.cancel_pending(core);
    }

    /// Sends the requests in the outbox that have not been sent yet.
    pub fn send(&self, outbox: &[Request]) {
        for request in outbox {
            if request.id > self.last_sent.get() {
                self.last_sent.set(request.id);
                self.post(request);
            }
        }
    }

    /// Sends an editor request (see [`RequestFn`]).
    pub fn ask(&self, question: EditorRequest, read: DecodeFn) -> Promise {
        let id = self.last_asked.get() + 1;
        self.last_asked.set(id);
        let body = RequestBody::Editor(question);
        let core = self.worker_for(&body);
        let promise = Promise::new(&mut |resolve, _| {
            let asked = PendingRequest {
                id,
                core,
                resolve,
                read,
            };
            self.ear.asked.borrow_mut().push(asked);
        });
        let launch = 0;
        self.post(&Request { id, launch, body });
        promise
    }

    /// Returns the kind of worker that handles a request: the worker for the language of the source in the request, otherwise the worker
    /// that executes the run.
    fn worker_for(&self, body: &RequestBody) -> WorkerKind {
        body.core().unwrap_or(self.launched.get())
    }

    fn post(&self, request: &Request) {
        let core = self.worker_for(&request.body);
        if let RequestBody::Launch { .. } = request.body {
            let before = self.launched.replace(core);
            if before != core && self.is_open(before) {
                let body = RequestBody::ReleaseSession;
                self.transmit(before, &Request { body, ..*request });
            }
        }
        if !self.is_open(core) {
            self.close(core);
            match WorkerConnection::open(core, &self.ear) {
                Ok(line) => self.lines.borrow_mut().push(line),
                Err(_) => self
                    .ear
                    .died(core, "this browser blocks web workers".into()),
            }
        }
        self.transmit(core, request);
    }

    fn is_open(&self, core: WorkerKind) -> bool {
        let lines = self.lines.borrow();
        lines
            .iter()
            .any(|line| line.core == core && !line.is_dead.get())
    }

    fn close(&self, core: WorkerKind) {
        self.lines.borrow_mut().retain(|line| {
            if line.core == core {
                line.worker.terminate();
            }
            line.core != core
        });
    }

    fn transmit(&self, core: WorkerKind, request: &Request) {
        for line in &*self.lines.borrow() {
            if line.core == core {
                let bytes = Uint8Array::from(&encode(request)[..]);
                let moved = Array::of1(&bytes.buffer());
                let _ = line.worker.post_message_with_transfer(&bytes, &moved);
            }
        }
    }
}

impl WorkerConnection {
    fn open(core: WorkerKind, ear: &Rc<ResponseRouter>) -> Result<WorkerConnection, JsValue> {
        let is_dead = Rc::new(Cell::new(false));
        let (listening, dying) = (Rc::clone(ear), Rc::clone(&is_dead));
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(reason) = event.data().as_string() {
                dying.set(true);
                listening.died(core, reason);
            } else if let Ok(bytes) = event.data().dyn_into::<Uint8Array>()
                && let Some(response) = decode(&bytes.to_vec())
            {
                listening.hear(response);
            }
        });
        let (listening, dying) = (Rc::clone(ear), Rc::clone(&is_dead));
        let on_error = Closure::<dyn Fn(String)>::new(move |reason: String| {
            if !dying.replace(true) {
                listening.died(core, reason);
            }
        });
        let worker = worker(
            core.name(),
            on_message.as_ref().unchecked_ref(),
            on_error.as_ref().unchecked_ref(),
        )?;
        Ok(WorkerConnection {
            core,
            worker,
            is_dead,
            _on_message: on_message,
            _on_error: on_error,
        })
    }
}

impl ResponseRouter {
    fn hear(&self, response: Response) {
        let ResponseBody::Answer(answer) = response.body else {
            return (self.heard)(WorkerEvent::Response(response));
        };
        let asked = self.take(|asked| asked.id == response.id).pop();
        if let Some(PendingRequest { resolve, read, .. }) = asked {
            let _ = resolve.call1(&JsValue::NULL, &read(answer));
        }
    }

    fn died(&self, core: WorkerKind, reason: String) {
        self.cancel_pending(core);
        (self.heard)(WorkerEvent::Died(core, reason));
    }

    /// Resolves the pending editor requests of a worker to null.
    fn cancel_pending(&self, core: WorkerKind) {
        for asked in self.take(|asked| asked.core == core) {
            let _ = asked.resolve.call1(&JsValue::NULL, &JsValue::NULL);
        }
    }

    /// Removes and returns the pending editor requests for which a predicate is true.
    fn take(&self, is_meant: impl Fn(&PendingRequest) -> bool) -> Vec<PendingRequest> {
        let mut asked = self.asked.borrow_mut();
        asked.extract_if(.., |asked| is_meant(asked)).collect()
    }
}
