//! Functions that execute requests of hosts. Each function has plain arguments, and returns plain data or a [`RequestError`].
//!
//! All hosts, including the npm package and the command-line program, call these functions. The functions validate arguments, fill in
//! default values and format error messages. The only stateful result is a [`Session`], whose methods with plain arguments are in the
//! module `session`.
//!
//! - `final_values`: final register values of a snippet, and memory elements that a run has changed.
//! - `limits`: step limits, and the conversion of numbers from JavaScript.
//! - `session`: methods of a session that identify memories by name.
//! - `report`: a complete run, compared with the expectations of its scenario.
//! - `values`: elements of a memory in the notation of scenarios.

pub(crate) mod final_values;
pub(crate) mod limits;
pub(crate) mod report;
pub(crate) mod session;
pub mod unknown_fields;
pub(crate) mod values;

pub use crate::api::final_values::{ChangedMemory, ChangedRange, LaneGroup, RegisterResult};
pub use crate::api::limits::{STEPS_OF_A_CALL, STEPS_OF_A_COMMAND, whole};
pub use crate::api::report::{BufferDigest, FaultReport, ReportOptions, ReportRequest, RunReport};
pub use crate::api::values::BufferValues;

use crate::analysis::comparison;
use crate::analysis::comparison::{ComparisonError, ComparisonReport};
use crate::analysis::findings::{self, AnalysisOptions, AnalysisReport};
use crate::analysis::mma_explanation;
use crate::analysis::mma_explanation::{MmaExplanation, MmaRequest};
#[cfg(feature = "paste")]
use crate::compiled_file::FileView;
#[cfg(feature = "paste")]
use crate::compiled_file::open::CompiledFile;
use crate::layouts::fragment;
use crate::layouts::fragment::FragmentView;
use crate::layouts::fragment::request::FragmentRequest;
use crate::layouts::inspector;
use crate::layouts::inspector::bank_conflict_fix::BankConflictFix;
use crate::layouts::inspector::element_map::ElementMap;
use crate::layouts::inspector::picture_url::{PictureFormat, drawn};
use crate::layouts::tensor;
use crate::layouts::tensor::LayoutView;
use crate::memory_model::litmus;
use crate::memory_model::litmus::extraction::ExtractionRequest;
use crate::memory_model::litmus::repairs::LitmusRepairs;
use crate::memory_model::litmus::results_view::LitmusView;
use crate::request_error::RequestError;
use crate::session::Session;
use warpgrid_launch::Scenario;

/// Returns the mapping from lane and register to matrix element. If the requested fragment does not exist, the error message lists the
/// alternatives.
pub fn fragment(request: &FragmentRequest) -> Result<FragmentView, RequestError> {
    Ok(fragment::fragment(request)?)
}

/// Returns the locations of the elements of a tensor instruction. If the requested layout does not exist, the error message lists the
/// alternatives.
pub fn layout(request: &FragmentRequest) -> Result<LayoutView, RequestError> {
    Ok(tensor::layout(request)?)
}

/// Returns the diagram of a layout expression, of a descriptor tile, or of a pair of instructions. The error message contains the position
/// of a syntax error.
pub fn inspect_layout(request: &FragmentRequest) -> Result<LayoutView, RequestError> {
    Ok(inspector::picture::layout(request)?)
}

/// Calls [`fragment`], [`layout`] or [`inspect_layout`], depending on the operation that `request` names.
pub fn element_map(request: &FragmentRequest) -> Result<ElementMap, RequestError> {
    Ok(ElementMap::new(request)?)
}

/// Formats the diagram of a URL of the matrix view or the layout inspector, or of a list with one parameter per line. `form` is the output
/// format: `svg`, `text` or `link`.
pub fn render_diagram(query: &str, form: &str) -> Result<String, RequestError> {
    let Some(form) = PictureFormat::from_name(form) else {
        let reason = format!("found `{form}`, expected `svg`, `text` or `link`");
        return Err(RequestError::invalid_argument("form", &reason));
    };
    Ok(drawn(query, form)?)
}

/// Returns the steps by which a Tensor Core computes one result element of an MMA instruction. Fails if the MMA instruction does not exist.
pub fn product(request: &MmaRequest) -> Result<MmaExplanation, RequestError> {
    mma_explanation::product(request).map_err(RequestError::unsupported)
}

/// Runs both sources of a scenario with one launch, with at most `max_steps` steps each. Fails if the scenario has no second source, or if
/// a source cannot run.
pub fn compare(scenario: Scenario, max_steps: u64) -> Result<ComparisonReport, RequestError> {
    if scenario.beside.is_none() {
        return Err(RequestError::invalid_argument(
            "scenario",
            "the field `beside` contains no source",
        ));
    }
    let report = comparison::compare(scenario, max_steps);
    report.map_err(|ComparisonError { error, .. }| error)
}

/// Checks a source, and runs the selected kernel of the scenario, or all kernels if the scenario selects none. A rejected source is not an
/// error but a verdict of the report. Fails if an option is invalid.
pub fn analyze(
    scenario: &Scenario,
    options: AnalysisOptions,
) -> Result<AnalysisReport, RequestError> {
    Ok(findings::analyze(scenario, options.limits()?))
}

/// Rewrites the source of a scenario so that its accesses to shared memory have no bank conflicts, and verifies the result by running both
/// sources. Fails if the scenario cannot run, or if no layout change removes a bank conflict.
pub fn fix_bank_conflicts(
    scenario: &Scenario,
    max_steps: u64,
) -> Result<BankConflictFix, RequestError> {
    inspector::cure(scenario, max_steps)
}

/// Returns all outcomes of a litmus test that the memory model allows. Fails if the litmus test is invalid or its search space is too
/// large.
pub fn explore_litmus(source: &str) -> Result<LitmusView, RequestError> {
    Ok(litmus::explore(&litmus::read_text(source)?)?)
}

/// Returns the weakest repairs of a litmus test that forbid its bad outcomes. Fails under the same conditions as [`explore_litmus`].
pub fn repair_litmus(source: &str) -> Result<LitmusRepairs, RequestError> {
    let test = litmus::read_text(source)?;
    let view = litmus::explore(&test)?;
    Ok(litmus::repairs(&test, &view)?)
}

/// Extracts a litmus test from lines of a kernel as source text. The function runs the kernel for at most `max_steps` steps to reach these
/// lines. Fails if the scenario cannot run, or if no litmus test can be extracted from the lines.
pub fn extract_litmus_test(
    scenario: Scenario,
    cut: &ExtractionRequest,
    max_steps: u64,
) -> Result<String, RequestError> {
    let mut session = Session::new_without_last_writers(scenario)?;
    Ok(litmus::write_text(&session.litmus_test(cut, max_steps)?))
}

/// Checks and launches a scenario. The session tracks the last writer of every byte.
pub fn open(scenario: Scenario) -> Result<Session, RequestError> {
    Session::new(scenario)
}

/// Returns the contents of a compiled file. If the bytes are not a compiled file, the error message describes the actual format.
#[cfg(feature = "paste")]
pub fn open_file(bytes: &[u8]) -> Result<FileView, RequestError> {
    Ok(open_compiled(bytes)?.view())
}

/// Returns the source text of a code object in a compiled file, by the index of the code object, which starts at 0. Fails if the code
/// object does not exist.
#[cfg(feature = "paste")]
pub fn file_text(bytes: &[u8], program: u64) -> Result<String, RequestError> {
    let file = open_compiled(bytes)?;
    let text = usize::try_from(program)
        .ok()
        .and_then(|program| file.text(program));
    text.ok_or_else(|| {
        let n = file.view().programs.len();
        let reason = format!("found the code object index {program}, expected an index below {n}");
        RequestError::invalid_argument("program", &reason)
    })
}

#[cfg(feature = "paste")]
fn open_compiled(bytes: &[u8]) -> Result<CompiledFile, RequestError> {
    CompiledFile::open(bytes).map_err(|reason| RequestError::invalid_argument("file", &reason))
}
