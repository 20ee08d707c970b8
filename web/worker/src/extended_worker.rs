//! Request handler of the worker module that is loaded later. [`ComparisonRunner`] handles comparisons, analyses and litmus tests,
//! `layout_requests` diagrams, a separate [`SessionRunner`] runs of source code with inline assembly, `OpenFile` compiled files, and
//! `Inspector` and `learn` string requests.

use crate::compare::ComparisonRunner;
use crate::file::OpenFile;
use crate::inspector::Inspector;
use crate::layout_requests;
use crate::learn;
use crate::message_loop::{Answered, RequestHandler};
use crate::protocol::{Request, RequestBody, Response, ResponseBody};
use crate::runner::SessionRunner;
use wasm_bindgen::JsValue;

/// State of all request handlers in the module.
#[derive(Default)]
pub struct ExtendedWorker {
    beside: ComparisonRunner,
    runner: SessionRunner,
    file: OpenFile,
    inspect: Inspector,
}

impl RequestHandler for ExtendedWorker {
    fn receive(&mut self, request: Request, clock: impl Fn() -> f64) -> Vec<Response> {
        let Request { id, launch, body } = request;
        match body {
            RequestBody::File(request) => {
                let answer = self.file.answer(request);
                vec![Response::new(id, launch, ResponseBody::File(answer))]
            }
            RequestBody::Beside(_)
            | RequestBody::Analyze(_)
            | RequestBody::RewriteBankConflicts(_)
            | RequestBody::Litmus(_) => self.beside.receive(Request { id, launch, body }, clock),
            body => match layout_requests::answer(&body) {
                Some(answer) => vec![Response::new(id, launch, answer)],
                None => self.runner.receive(Request { id, launch, body }, clock),
            },
        }
    }

    const HANDLES_TEXT_REQUESTS: bool = true;

    fn handle_text_request(&mut self, question: &str, sent: &[JsValue]) -> Option<Answered> {
        let answer = self.inspect.answer(question, sent);
        answer.or_else(|| learn::answer(question).map(Answered::from))
    }

    fn is_busy(&self) -> bool {
        self.beside.is_busy() || self.runner.is_busy()
    }

    fn run_slice(&mut self, clock: impl Fn() -> f64) -> Option<Response> {
        // The run takes precedence, because the user waits for it.
        match self.runner.is_busy() {
            true => self.runner.run_slice(clock),
            false => self.beside.run_slice(clock),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{MoveTarget, PositionAfterMeasure, WorkerKind};
    use warpgrid_view::model::FrameRequest;

    #[test]
    fn extended_worker_launches_inline_assembly_source() {
        let source =
            "void f() { asm volatile(\"st.global.u32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }";
        let mut core = ExtendedWorker::default();
        let launch = RequestBody::Launch {
            source: source.to_owned(),
            target: None,
            ptx_version: None,
            entry: None,
            seed: None,
            goal: MoveTarget::MeasureLength(PositionAfterMeasure::End),
            look: FrameRequest::default(),
        };
        assert_eq!(launch.core(), Some(WorkerKind::Extended));
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
        let frame = core.run_slice(|| 0.0).expect("a run of one step ends");
        assert!(matches!(frame.body, ResponseBody::Frame(_)));
    }
}
