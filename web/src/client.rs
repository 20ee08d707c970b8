//! The page's end of the line to the worker: speaks, listens, starts another worker when one dies.

use crate::protocol::{
    Answer, Question, Request, RequestBody, Response, ResponseBody, decode, encode,
};
use js_sys::{Array, Function, Promise, Uint8Array};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// A worker with the core in it (see `web/editor/core.js`); the first one has been starting since the page began
    /// to load. What it has said already is said again.
    #[wasm_bindgen(catch, js_namespace = warpgridCore)]
    fn worker(on_message: &Function, on_error: &Function) -> Result<Worker, JsValue>;
}

/// What the worker sends.
#[derive(Clone, Debug)]
pub enum Heard {
    Response(Response),
    /// The worker is gone, and why; the next request starts a new one.
    Died(String),
}

/// How the editor asks: the answer comes as the second argument lays it out, or as null when the worker dies before.
pub type Ask = Rc<dyn Fn(Question, Read) -> Promise>;
/// Lays out an answer for JavaScript.
pub type Read = fn(Answer) -> JsValue;

/// A line to one worker at a time.
pub struct Client {
    line: RefCell<Option<Line>>,
    ear: Rc<Ear>,
    last_sent: Cell<u32>,
    last_asked: Cell<u32>,
}

struct Line {
    worker: Worker,
    is_dead: Rc<Cell<bool>>,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_error: Closure<dyn Fn(String)>,
}

/// Receives what the worker sends.
struct Ear {
    heard: Box<dyn Fn(Heard)>,
    /// Questions that wait for their answers.
    asked: RefCell<BTreeMap<u32, Asked>>,
}

struct Asked {
    resolve: Function,
    read: Read,
}

impl Client {
    /// A line that reports what it receives; the worker starts immediately.
    pub fn new(heard: impl Fn(Heard) + 'static) -> Client {
        let client = Client {
            line: RefCell::new(None),
            ear: Rc::new(Ear {
                heard: Box::new(heard),
                asked: RefCell::default(),
            }),
            last_sent: Cell::new(0),
            last_asked: Cell::new(0),
        };
        client.restart();
        client
    }

    /// Ends the worker, whatever it does, and starts another.
    pub fn restart(&self) {
        if let Some(line) = self.line.borrow_mut().take() {
            line.worker.terminate();
        }
        self.ear.give_up();
        match Line::open(&self.ear) {
            Ok(line) => *self.line.borrow_mut() = Some(line),
            Err(_) => self
                .ear
                .died("this browser does not let the page start a worker".into()),
        }
    }

    /// Sends what was not sent before.
    pub fn send(&self, outbox: &[Request]) {
        for request in outbox {
            if request.id > self.last_sent.get() {
                self.last_sent.set(request.id);
                self.post(request);
            }
        }
    }

    /// Asks for the editor (see [`Ask`]).
    pub fn ask(&self, question: Question, read: Read) -> Promise {
        let id = self.last_asked.get() + 1;
        self.last_asked.set(id);
        let promise = Promise::new(&mut |resolve, _| {
            self.ear
                .asked
                .borrow_mut()
                .insert(id, Asked { resolve, read });
        });
        self.post(&Request {
            id,
            launch: 0,
            body: RequestBody::Ask(question),
        });
        promise
    }

    fn post(&self, request: &Request) {
        let is_dead = |line: &Line| line.is_dead.get();
        if self.line.borrow().as_ref().is_none_or(is_dead) {
            self.restart();
        }
        if let Some(line) = &*self.line.borrow() {
            let bytes = Uint8Array::from(&encode(request)[..]);
            let moved = Array::of1(&bytes.buffer());
            let _ = line.worker.post_message_with_transfer(&bytes, &moved);
        }
    }
}

impl Line {
    fn open(ear: &Rc<Ear>) -> Result<Line, JsValue> {
        let is_dead = Rc::new(Cell::new(false));
        let (listening, dying) = (Rc::clone(ear), Rc::clone(&is_dead));
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(why) = event.data().as_string() {
                dying.set(true);
                listening.died(why);
            } else if let Ok(bytes) = event.data().dyn_into::<Uint8Array>()
                && let Some(response) = decode(&bytes.to_vec())
            {
                listening.hear(response);
            }
        });
        let (listening, dying) = (Rc::clone(ear), Rc::clone(&is_dead));
        let on_error = Closure::<dyn Fn(String)>::new(move |why: String| {
            if !dying.replace(true) {
                listening.died(why);
            }
        });
        let worker = worker(
            on_message.as_ref().unchecked_ref(),
            on_error.as_ref().unchecked_ref(),
        )?;
        Ok(Line {
            worker,
            is_dead,
            _on_message: on_message,
            _on_error: on_error,
        })
    }
}

impl Ear {
    fn hear(&self, response: Response) {
        let ResponseBody::Answer(answer) = response.body else {
            return (self.heard)(Heard::Response(response));
        };
        let asked = self.asked.borrow_mut().remove(&response.id);
        if let Some(Asked { resolve, read }) = asked {
            let _ = resolve.call1(&JsValue::NULL, &read(answer));
        }
    }

    fn died(&self, why: String) {
        self.give_up();
        (self.heard)(Heard::Died(why));
    }

    /// The core will not answer what was asked.
    fn give_up(&self) {
        for (_, asked) in std::mem::take(&mut *self.asked.borrow_mut()) {
            let _ = asked.resolve.call1(&JsValue::NULL, &JsValue::NULL);
        }
    }
}
