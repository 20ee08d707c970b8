//! Comparison of two sources of a kernel in a worker: executes both sources in slices, then returns the frames of both runs at requested
//! positions.

use crate::analysis;
use crate::layout_requests;
use crate::litmus;
use crate::message_loop::RequestHandler;
use crate::protocol::{
    CompareOpened, ComparePosition, CompareRequest, CompareResponse, CompareSources,
    LaunchRejection, LitmusAnswer, Request, RequestBody, Response, ResponseBody,
};
use warpgrid_view::analysis::comparison::{ComparisonError, PairedRun};
use warpgrid_view::scenario::ComparisonKernel as Other;
use warpgrid_view::{Scenario, SourceLanguage};

/// Target duration of a slice, in milliseconds.
const SLICE_BUDGET_MS: f64 = 8.0;
/// Number of steps that are executed between two reads of the clock.
const STEPS_AT_ONCE: u64 = 5_000;
/// Maximum number of steps that are executed for each source.
const MAX_STEPS: u64 = 3_000_000;
/// Number of rows per memory that a frame contains.
const ROWS: u32 = 16;

/// Pair of sources that is being compared.
#[derive(Default)]
pub struct ComparisonRunner {
    pair: Option<PairedRun>,
    /// Request that is answered once both sources have run.
    opening: Option<PendingComparison>,
    /// Running search of a litmus test, with the ID of the request.
    litmus: Option<(u32, litmus::Search)>,
}

struct PendingComparison {
    id: u32,
    launch: u32,
    /// Position that is shown once both sources have run.
    look: ComparePosition,
}

impl RequestHandler for ComparisonRunner {
    fn receive(&mut self, request: Request, _clock: impl Fn() -> f64) -> Vec<Response> {
        let Request { id, launch, body } = request;
        let request = match body {
            RequestBody::Beside(request) => request,
            RequestBody::Analyze(request) => {
                let answer = analysis::answer(*request).map(|body| Response::new(id, launch, body));
                return answer.into_iter().collect();
            }
            RequestBody::RewriteBankConflicts(request) => {
                return vec![Response::new(id, launch, analysis::cure(*request))];
            }
            RequestBody::Litmus(request) => {
                self.litmus = None;
                return match litmus::start(request) {
                    Ok(litmus::Started::Search(search)) => {
                        self.litmus = Some((id, search));
                        Vec::new()
                    }
                    Ok(litmus::Started::Answer(answer)) => vec![litmus_answer(id, answer)],
                    Ok(litmus::Started::Nothing) => Vec::new(),
                    Err(error) => vec![litmus_answer(id, LitmusAnswer::Failed(error))],
                };
            }
            body => {
                let answer =
                    layout_requests::answer(&body).map(|answer| Response::new(id, launch, answer));
                return answer.into_iter().collect();
            }
        };
        let answer = match request {
            CompareRequest::Open(texts, look) => {
                self.open(*texts, PendingComparison { id, launch, look })
            }
            CompareRequest::Look(look) => self.look(&look),
            CompareRequest::Close => {
                *self = ComparisonRunner::default();
                None
            }
        };
        let response = |answer| Response::new(id, launch, ResponseBody::Beside(answer));
        answer.map(response).into_iter().collect()
    }

    fn is_busy(&self) -> bool {
        self.opening.is_some() || self.litmus.is_some()
    }

    fn run_slice(&mut self, clock: impl Fn() -> f64) -> Option<Response> {
        if let Some((id, search)) = &mut self.litmus {
            let id = *id;
            return match search.work(clock)? {
                Ok(()) => {
                    let (_, search) = self.litmus.take()?;
                    Some(litmus_answer(id, search.finish()))
                }
                Err(error) => {
                    self.litmus = None;
                    Some(litmus_answer(id, LitmusAnswer::Failed(error)))
                }
            };
        }
        let pair = self.pair.as_mut()?;
        let begun = clock();
        while !pair.advance(STEPS_AT_ONCE) {
            if clock() - begun >= SLICE_BUDGET_MS {
                return None;
            }
        }
        let PendingComparison { id, launch, look } = self.opening.take()?;
        let report = pair.report();
        // Without a requested position, the comparison starts at the first difference.
        let position = match look.position {
            u64::MAX => pair.first_divergence(&report).unwrap_or(u64::MAX),
            position => position,
        };
        let opened = CompareOpened {
            guesses: pair.guesses().to_vec(),
            frame: pair.frame(position, &look.first_rows, ROWS),
            report,
        };
        let answer = CompareResponse::Opened(Box::new(opened));
        Some(Response::new(id, launch, ResponseBody::Beside(answer)))
    }
}

/// Returns the response for a litmus test, which does not belong to a launch.
fn litmus_answer(id: u32, answer: LitmusAnswer) -> Response {
    Response::new(id, 0, ResponseBody::Litmus(answer))
}

impl ComparisonRunner {
    /// Launches both sources. Returns a response immediately if one of the sources is rejected.
    fn open(
        &mut self,
        texts: CompareSources,
        opening: PendingComparison,
    ) -> Option<CompareResponse> {
        // The previous pair is dropped first in order to free its memory.
        *self = ComparisonRunner::default();
        let scenario = Scenario {
            front: SourceLanguage::of_source(&texts.source),
            source: texts.source,
            target: texts.target,
            ptx_version: texts.ptx_version,
            entry: texts.entry,
            beside: Some(Other {
                source: texts.other,
                ..Other::default()
            }),
            ..Scenario::default()
        };
        match PairedRun::new(scenario, MAX_STEPS) {
            Ok(pair) => {
                (self.pair, self.opening) = (Some(pair), Some(opening));
                None
            }
            Err(ComparisonError { side, error }) => {
                let refusal = LaunchRejection {
                    code: error.code,
                    message: error.message,
                    diagnostics: error.diagnostics,
                };
                Some(CompareResponse::Refused(side, refusal))
            }
        }
    }

    /// Returns the frames of both runs at a position.
    fn look(&mut self, look: &ComparePosition) -> Option<CompareResponse> {
        let pair = self.pair.as_mut().filter(|_| self.opening.is_none())?;
        let frame = pair.frame(look.position, &look.first_rows, ROWS);
        Some(CompareResponse::Frame(Box::new(frame)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{decode, encode};

    fn receive(core: &mut ComparisonRunner, request: CompareRequest) -> Vec<CompareResponse> {
        let request = Request {
            id: 7,
            launch: 1,
            body: RequestBody::Beside(request),
        };
        let responses = core.receive(request, || 0.0).into_iter();
        responses.map(answer_of).collect()
    }

    fn answer_of(response: Response) -> CompareResponse {
        assert_eq!(decode(&encode(&response)).as_ref(), Some(&response));
        let ResponseBody::Beside(answer) = response.body else {
            panic!("{response:?}")
        };
        answer
    }

    fn open(other: String) -> CompareRequest {
        let texts = CompareSources {
            source: text(7),
            other,
            ..CompareSources::default()
        };
        CompareRequest::Open(Box::new(texts), ComparePosition::default())
    }

    fn text(value: u32) -> String {
        format!(
            "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], {value};\n"
        )
    }

    #[test]
    fn two_kernels_are_run_and_compared() {
        let mut core = ComparisonRunner::default();
        assert_eq!(receive(&mut core, open(text(8))), vec![]);
        assert!(core.is_busy());
        let response = core.run_slice(|| 0.0).expect("a run of a few steps ends");
        assert_eq!((response.id, response.launch), (7, 1));
        let CompareResponse::Opened(opened) = answer_of(response) else {
            panic!("both run")
        };
        assert!(!opened.report.equal && opened.frame.length == 2);
        assert!(!core.is_busy());
        let look = ComparePosition {
            position: 1,
            ..ComparePosition::default()
        };
        let frames = receive(&mut core, CompareRequest::Look(look.clone()));
        assert!(
            matches!(&frames[..], [CompareResponse::Frame(frame)] if frame.grids[0].n_differing == 32)
        );
        assert_eq!(receive(&mut core, CompareRequest::Close), vec![]);
        assert_eq!(receive(&mut core, CompareRequest::Look(look)), vec![]);
    }

    #[test]
    fn comparison_opens_at_first_divergence() {
        let position = |other: String| {
            let CompareRequest::Open(texts, _) = open(other) else {
                panic!("it opens")
            };
            let look = ComparePosition {
                position: u64::MAX,
                ..ComparePosition::default()
            };
            let mut core = ComparisonRunner::default();
            receive(&mut core, CompareRequest::Open(texts, look));
            let response = core.run_slice(|| 0.0).expect("a run of a few steps ends");
            let CompareResponse::Opened(opened) = answer_of(response) else {
                panic!("both run")
            };
            (opened.frame.position, opened.frame.length)
        };
        assert_eq!(position(text(7)), (2, 2));
        assert_eq!(position(text(8)), (1, 2));
    }

    #[test]
    fn rejected_kernel_is_identified() {
        let refused = receive(
            &mut ComparisonRunner::default(),
            open("st.shred.u32 [p], 7;".into()),
        );
        assert!(matches!(refused[..], [CompareResponse::Refused(1, _)]));
    }
}
