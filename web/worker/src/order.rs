//! Data races and hangs of a launch, found in a worker of their own: the launch is run once more, from its start, with a detector. Only the core that is
//! loaded after the first grid has it, so that no visitor waits for it. In: what the page launched; out: what was found, or nothing where the run is too long.

use crate::background::is_small;
use crate::protocol::{OrderAnswer, OrderRequest, ResponseBody};
use crate::runner::launched;
use warpgrid_view::{Front, Scenario};

/// Steps of a run up to which it is looked through.
pub const MAX_STEPS: u64 = 100_000;

/// The answer; `None` for a launch that is refused, large or long.
pub(crate) fn answer(request: OrderRequest) -> Option<ResponseBody> {
    let scenario = Scenario {
        front: Front::of_source(&request.source),
        source: request.source,
        target: request.target,
        ptx_version: request.ptx_version,
        entry: request.entry,
        ..Scenario::default()
    };
    let mut session = launched(scenario, request.seed).ok()?;
    if !is_small(&session) {
        return None;
    }
    let report = session.run_for_races(MAX_STEPS);
    if !session.is_over() {
        return None;
    }
    let hang = session.hang();
    Some(ResponseBody::Order(Box::new(OrderAnswer { report, hang })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Core, RequestBody, Response, decode, encode};

    fn request(source: &str) -> OrderRequest {
        OrderRequest {
            source: source.to_owned(),
            ..OrderRequest::default()
        }
    }

    #[test]
    fn a_race_is_found_and_crosses_to_the_page() {
        let source = "//@ launch grid=1 block=64\n//@ buffer p: u32[32] = 0\n\
            .reg .b32 %w;\nmov.u32 %w, %warpid;\nst.global.u32 [p], %w;\n";
        let body = answer(request(source)).expect("an answer");
        let response = Response::new(1, 1, body);
        assert_eq!(decode(&encode(&response)), Some(response.clone()));
        let ResponseBody::Order(found) = response.body else {
            panic!("the answer is about something else")
        };
        assert_eq!(found.report.races[0].first.line, Some(5));
        assert_eq!(found.hang, None);
    }

    #[test]
    fn a_refused_text_and_an_endless_run_have_no_answer() {
        assert_eq!(answer(request("st.shred [p], 1;")), None);
        let endless = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nL:\nadd.u32 %r1, %r1, 1;\nst.global.u32 [p], %r1;\nbra L;\n";
        assert_eq!(answer(request(endless)), None);
    }

    #[test]
    fn the_core_that_is_loaded_later_answers() {
        let body = RequestBody::Order(Box::new(request("ret;")));
        assert_eq!(body.core(), Some(Core::Both));
    }
}
