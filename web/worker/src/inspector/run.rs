//! JIT run of a launch, whose result is returned as JSON: the engine and its speed, whether the expectations of the source hold, and the
//! first elements of each buffer. The blocks of a long run are distributed among several workers. Input: a session, a request, and the
//! partitions that other workers executed. Output: the result, or the reason why the interpreter must execute the launch.

use crate::json::{list, object, text, texts};
use crate::message_loop::Answered;
use std::ops::Range;
use warpgrid_view::api::ReportRequest;
use warpgrid_view::model::GridRequest;
use warpgrid_view::session::distributed_run::{DistributedRun, FallbackReason, WorkerPolicy};
use warpgrid_view::session::translated_run::RunLimits;
use warpgrid_view::{MemoryKey, Session};
use warpgrid_webassembly::{JsEngine, deserialize_partition, serialize_partition};
use wasm_bindgen::JsValue;

/// Limits of a JIT run.
const LIMITS: RunLimits = RunLimits {
    max_steps: 4_000_000_000,
    min_steps_per_second: None,
};

/// Maximum number of elements in the result for each buffer.
const MAX_ELEMENTS: u32 = 32;

/// Maximum number of buffers in the result.
const MAX_BUFFERS: usize = 12;

thread_local! {
    /// Engine that executes translated kernels.
    static HOST: JsEngine = JsEngine::default();
}

/// Request that concerns a JIT run.
pub(super) enum Question {
    /// `run N` executes the launch. If the run is long, blocks are assigned to `N - 1` other workers.
    Run(u64),
    /// `share FIRST-AND-END NOTED` executes a range of blocks for another worker.
    Share(Range<u64>, Vec<u32>),
    /// `go-on` executes the blocks that are not assigned to other workers.
    GoOn,
    /// `join` merges the partitions that other workers executed, which are transferred with the request.
    Join,
}

impl Question {
    /// Parses a request with its arguments. Returns `None` for an unknown command.
    pub(super) fn read(what: &str, facts: [&str; 3]) -> Option<Question> {
        let [first, second, _] = facts;
        Some(match what {
            "run" => Question::Run(first.parse().unwrap_or(1)),
            "go-on" => Question::GoOn,
            "join" => Question::Join,
            "share" => {
                let (start, end) = first.split_once(' ')?;
                let noted = second.split_whitespace().map(str::parse);
                let noted = noted.collect::<Result<_, _>>().ok()?;
                Question::Share(start.parse().ok()?..end.parse().ok()?, noted)
            }
            _ => return None,
        })
    }
}

/// Distributed run in progress. Its blocks are assigned to other workers, or were received from another worker.
#[derive(Default)]
pub(super) struct Running {
    shared: Option<DistributedRun<JsEngine>>,
}

impl Running {
    /// Discards the run.
    pub(super) fn close(&mut self) {
        self.shared = None;
    }

    pub(super) fn answer(
        &mut self,
        question: &Question,
        session: &Session,
        parts: &[JsValue],
    ) -> Result<Answered, String> {
        match question {
            Question::Run(n_workers) => {
                self.close();
                let mut run = begun(session)?;
                let sharing = WorkerPolicy::among(*n_workers);
                let shares = HOST.with(|host| run.begin(host, sharing)).map_err(said)?;
                if shares.is_empty() {
                    return Ok(finish(run)?.into());
                }
                let noted = numbers(run.tracked_ranges().iter());
                let shares = shares
                    .iter()
                    .map(|blocks| numbers([blocks.start, blocks.end].iter()));
                let shares = list(shares);
                self.shared = Some(run);
                Ok(object(&[("shares", shares), ("noted", noted)]).into())
            }
            Question::Share(blocks, noted) => {
                if self.shared.is_none() {
                    self.shared = Some(begun(session)?);
                }
                let run = self.shared()?;
                let part = HOST.with(|host| {
                    run.run_share(host, blocks.clone(), noted)
                        .map(serialize_partition)
                });
                Ok(Answered {
                    words: "null".to_owned(),
                    part: Some(part.map_err(said)??),
                })
            }
            Question::GoOn => {
                self.shared()?.run_local_blocks(None).map_err(said)?;
                Ok("null".to_owned().into())
            }
            Question::Join => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(deserialize_partition)
                    .collect::<Result<_, _>>()?;
                let run = self.shared()?;
                if !run.join(&parts).map_err(said)? {
                    let noted = numbers(run.tracked_ranges().iter());
                    return Ok(object(&[("noted", noted)]).into());
                }
                let run = self.shared.take();
                Ok(finish(run.ok_or_else(nothing)?)?.into())
            }
        }
    }

    fn shared(&mut self) -> Result<&mut DistributedRun<JsEngine>, String> {
        self.shared.as_mut().ok_or_else(nothing)
    }
}

fn nothing() -> String {
    "no kernel is loaded".to_owned()
}

fn said(reason: FallbackReason) -> String {
    reason.0
}

fn begun(session: &Session) -> Result<DistributedRun<JsEngine>, String> {
    let launch = session
        .restart_without_last_writers()
        .map_err(|failure| failure.message)?;
    HOST.with(|host| DistributedRun::new(launch, host, LIMITS))
        .map_err(said)
}

fn numbers<'n, N: ToString + 'n>(all: impl Iterator<Item = &'n N>) -> String {
    list(all.map(ToString::to_string))
}

fn number_or_null(number: Option<u64>) -> String {
    number.map_or("null".to_owned(), |number| number.to_string())
}

fn finish(run: DistributedRun<JsEngine>) -> Result<String, String> {
    let (mut end, took) = run.finish().map_err(said)?;
    let report = end.report(&ReportRequest {
        max_steps: LIMITS.max_steps,
        ..ReportRequest::default()
    });
    let names = end.buffers().into_iter().map(|buffer| buffer.name);
    let names: Vec<String> = names.take(MAX_BUFFERS).collect();
    let buffers = names.iter().filter_map(|name| buffer(&mut end, name));
    let buffers: Vec<String> = buffers.collect();
    Ok(object(&[
        ("words", text(&took.to_string())),
        ("steps", number_or_null(report.steps)),
        ("stores", number_or_null(report.stores)),
        ("laneInstructions", report.lane_instructions.to_string()),
        ("promises", end.has_expectation().to_string()),
        ("differences", texts(&report.differences)),
        ("buffers", list(buffers.into_iter())),
    ]))
}

/// Serializes the first elements of a buffer and its element count.
fn buffer(end: &mut Session, name: &str) -> Option<String> {
    let grid = end.grid(&GridRequest {
        memory: MemoryKey::Buffer(name.to_owned()),
        ty: None,
        columns: Some(MAX_ELEMENTS),
        first_row: 0,
        n_rows: Some(1),
    })?;
    let n = grid.memory.size_bytes / grid.ty.width_bytes() as u64;
    Some(object(&[
        ("name", text(name)),
        ("type", text(grid.ty.name())),
        ("n", n.to_string()),
        (
            "values",
            list(grid.cells.iter().map(|cell| text(&cell.text))),
        ),
    ]))
}
