//! A launch run to its end by translated code, as JSON: which engine ran and how fast, whether what the text promises holds, and the first elements of
//! each buffer. In: a session; out: the answer, or why it is left to the interpreter.

use crate::json::{list, object, text, texts};
use warpgrid_view::api::ReportRequest;
use warpgrid_view::model::GridRequest;
use warpgrid_view::translated::Limits;
use warpgrid_view::{MemoryId, Session};
use warpgrid_webassembly::Host;

/// Steps that a run may have.
const LIMITS: Limits = Limits {
    max_steps: 4_000_000_000,
    least_pace: None,
};

/// Elements of each buffer that are shown.
const MAX_ELEMENTS: u32 = 32;

/// Buffers that are shown.
const MAX_BUFFERS: usize = 12;

thread_local! {
    /// What runs translated kernels.
    static HOST: Host = Host::default();
}

pub(super) fn answer(session: &Session) -> Result<String, String> {
    let mut end = session.unwatched().map_err(|failure| failure.message)?;
    let took = HOST.with(|host| end.run_translated(host, LIMITS));
    let took = took.map_err(|why| end.why_interpreted(&why))?;
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
        ("steps", report.steps.to_string()),
        ("stores", report.stores.to_string()),
        ("promises", end.has_promise().to_string()),
        ("differences", texts(&report.differences)),
        ("buffers", list(buffers.into_iter())),
    ]))
}

/// The first elements of a buffer, and how many there are.
fn buffer(end: &mut Session, name: &str) -> Option<String> {
    let grid = end.grid(&GridRequest {
        memory: MemoryId::Buffer(name.to_owned()),
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
