//! Recording of the requests of a first visit and their responses, which is created while the site is built. `start.js` replays the
//! recording before the worker module is loaded, so that the first grid does not wait for the worker. Input: the first example. Output: the
//! contents of `prerecorded.bin`.

use crate::message_loop::RequestHandler;
use crate::protocol::{
    EditorRequest, MoveTarget, PositionAfterMeasure, Request, RequestBody, Response, encode,
};
use crate::runner::SessionRunner;
use warpgrid_view::CheckOptions;
use warpgrid_view::model::FrameRequest;

/// Initial source of the editor (`web/bundle.mjs`).
pub const FIRST_EXAMPLE: &str = include_str!("../../../public/examples/row-and-column-stores.ptx");
/// Fraction of all stores after which a newly opened example is shown, so that some cells are written and other cells are not.
pub const EXAMPLE_STORE_FRACTION: f32 = 0.62;

/// Returns the requests of a first visit as the page sends them: the tokens for the editor, the check, and the launch.
pub fn requests() -> [Request; 3] {
    let source = || FIRST_EXAMPLE.to_owned();
    let tokens = EditorRequest::Tokens { source: source() };
    let check = RequestBody::Check {
        revision: 1,
        source: source(),
        options: CheckOptions::default(),
    };
    let launch = RequestBody::Launch {
        source: source(),
        target: None,
        ptx_version: None,
        entry: None,
        seed: None,
        goal: MoveTarget::MeasureLength(PositionAfterMeasure::StoreFraction(
            EXAMPLE_STORE_FRACTION,
        )),
        look: FrameRequest::default(),
    };
    [
        (1, 0, RequestBody::Editor(tokens)),
        (1, 0, check),
        (2, 1, launch),
    ]
    .map(|(id, launch, body)| Request { id, launch, body })
}

/// Returns the recording. For each request, it contains the length and the bytes of the request, the number of responses, and the length
/// and the bytes of each response. Lengths and counts are little-endian 32-bit words.
pub fn recording() -> Vec<u8> {
    let mut runner = SessionRunner::default();
    let mut bytes = Vec::new();
    for request in requests() {
        write(&mut bytes, &encode(&request));
        let answers = answers(&mut runner, request);
        write_count(&mut bytes, answers.len());
        for answer in &answers {
            write(&mut bytes, &encode(answer));
        }
    }
    bytes
}

/// Returns the responses to a request. For a launch, the responses end with its first frame.
fn answers(runner: &mut SessionRunner, request: Request) -> Vec<Response> {
    // The clock does not advance, so that no slice is interrupted.
    let clock = || 0.0;
    let is_launch = matches!(request.body, RequestBody::Launch { .. });
    let mut answers = runner.receive(request, clock);
    while is_launch && answers.len() < 2 && runner.is_busy() {
        answers.extend(runner.run_slice(clock));
    }
    answers
}

fn write(bytes: &mut Vec<u8>, block: &[u8]) {
    write_count(bytes, block.len());
    bytes.extend_from_slice(block);
}

fn write_count(bytes: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&count.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{EditorResponse, ResponseBody, decode};

    /// Reads a block with its length, and advances `bytes` past the block.
    fn read<'b>(bytes: &mut &'b [u8]) -> &'b [u8] {
        let n = read_count(bytes);
        let (block, rest) = bytes.split_at(n);
        *bytes = rest;
        block
    }

    fn read_count(bytes: &mut &[u8]) -> usize {
        let (count, rest) = bytes.split_first_chunk().expect("a count");
        *bytes = rest;
        u32::from_le_bytes(*count) as usize
    }

    #[test]
    fn recording_contains_each_request_and_ends_with_frame() {
        let recording = recording();
        let mut rest = &recording[..];
        let mut bodies = Vec::new();
        for request in requests() {
            assert_eq!(read(&mut rest), encode(&request));
            for _ in 0..read_count(&mut rest) {
                let answer: Response = decode(read(&mut rest)).expect("an answer");
                assert_eq!((answer.id, answer.launch), (request.id, request.launch));
                bodies.push(answer.body);
            }
        }
        assert!(rest.is_empty());
        let [
            ResponseBody::Answer(EditorResponse::Tokens(tokens)),
            ResponseBody::Checked { report, .. },
            ResponseBody::Launched(_),
            ResponseBody::Frame(frame),
        ] = &bodies[..]
        else {
            panic!("{bodies:?}");
        };
        assert!(tokens.len() > 100);
        assert!(report.accept, "{report:?}");
        assert!(frame.length.is_some_and(|length| frame.position < length));
    }
}
