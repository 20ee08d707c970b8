//! The request handler of the worker module that is loaded later. Comparisons, analyses and litmus tests go to [`Beside`], diagrams to
//! `lens`, runs of source code with inline assembly to a separate [`Runner`], compiled files to `OpenFile`, and string requests to
//! `Inspect` and `learn`.

use crate::beside::Beside;
use crate::file::OpenFile;
use crate::inspect::Inspect;
use crate::learn;
use crate::lens;
use crate::listen::{Answered, Work};
use crate::protocol::{Request, RequestBody, Response, ResponseBody};
use crate::runner::Runner;
use wasm_bindgen::JsValue;

/// The handlers of the module.
#[derive(Default)]
pub struct Later {
    beside: Beside,
    runner: Runner,
    file: OpenFile,
    inspect: Inspect,
}

impl Work for Later {
    fn receive(&mut self, request: Request, clock: impl Fn() -> f64) -> Vec<Response> {
        let Request { id, launch, body } = request;
        match body {
            RequestBody::File(request) => {
                let answer = self.file.answer(request);
                vec![Response::new(id, launch, ResponseBody::File(answer))]
            }
            RequestBody::Beside(_)
            | RequestBody::Order(_)
            | RequestBody::Cure(_)
            | RequestBody::Litmus(_) => self.beside.receive(Request { id, launch, body }, clock),
            body => match lens::answer(&body) {
                Some(answer) => vec![Response::new(id, launch, answer)],
                None => self.runner.receive(Request { id, launch, body }, clock),
            },
        }
    }

    const ANSWERS_TEXTS: bool = true;

    fn learn(&mut self, question: &str, sent: &[JsValue]) -> Option<Answered> {
        let answer = self.inspect.answer(question, sent);
        answer.or_else(|| learn::answer(question).map(Answered::from))
    }

    fn is_busy(&self) -> bool {
        self.beside.is_busy() || self.runner.is_busy()
    }

    fn work(&mut self, clock: impl Fn() -> f64) -> Option<Response> {
        // A run has priority, because the user waits for it.
        match self.runner.is_busy() {
            true => self.runner.work(clock),
            false => self.beside.work(clock),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Core, Goal, Place};
    use warpgrid_view::model::FrameRequest;

    #[test]
    fn source_code_with_inline_assembly_is_checked_and_run_here() {
        let source =
            "void f() { asm volatile(\"st.global.u32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }";
        let mut core = Later::default();
        let launch = RequestBody::Launch {
            source: source.to_owned(),
            target: None,
            ptx_version: None,
            entry: None,
            seed: None,
            goal: Goal::Explore(Place::End),
            look: FrameRequest::default(),
        };
        assert_eq!(launch.core(), Some(Core::Both));
        let request = Request {
            id: 1,
            launch: 1,
            body: launch,
        };
        let said = core.receive(request, || 0.0);
        assert!(
            matches!(&said[..], [Response { body: ResponseBody::Launched(facts), .. }] if facts.kernels == ["f"])
        );
        assert!(core.is_busy());
        let frame = core.work(|| 0.0).expect("a run of one step ends");
        assert!(matches!(frame.body, ResponseBody::Frame(_)));
    }
}
