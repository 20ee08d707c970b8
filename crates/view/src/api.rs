//! The requests that hosts make, one function each: plain arguments with their defaults in, plain data or one [`Failure`] out.
//!
//! The npm package and the command call these, and so can any other host: arguments are checked, missing ones filled in, and refusals
//! worded here alone. A [`Session`] is the one answer that lives on; its calls with plain arguments are in `session`.
//!
//! - `final_values`: registers of a snippet and changed memory at the end of a run.
//! - `limits`: how far a run goes, and numbers as JavaScript has them.
//! - `session`: the calls of a session by the names of memories.
//! - `report`: a run to its end, compared with what its scenario promises.
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
pub use crate::api::values::Values;

use crate::analysis::comparison;
use crate::analysis::comparison::{BesideError, BesideReport};
use crate::analysis::mma_explanation;
use crate::analysis::mma_explanation::{ProductRequest, ProductView};
use crate::compiled_file::FileView;
#[cfg(feature = "paste")]
use crate::compiled_file::open::CompiledFile;
use crate::layouts::fragment;
use crate::layouts::fragment::FragmentView;
use crate::layouts::fragment::request::FragmentRequest;
use crate::layouts::inspector;
use crate::layouts::inspector::bank_conflict_fix::Cured;
use crate::layouts::inspector::element_map::Map;
use crate::layouts::inspector::picture_url::{PictureForm, drawn};
use crate::layouts::tensor;
use crate::layouts::tensor::LayoutView;
use crate::memory_model::litmus;
use crate::memory_model::litmus::extraction::CutRequest;
use crate::memory_model::litmus::repairs::LitmusRepairs;
use crate::memory_model::litmus::results_view::LitmusView;
use crate::request_error::Failure;
use crate::session::Session;
use warpgrid_launch::Scenario;

/// Which lane and register holds which element of a matrix. Fails where there is no such fragment; the message says what exists instead.
pub fn fragment(request: &FragmentRequest) -> Result<FragmentView, Failure> {
    Ok(fragment::fragment(request)?)
}

/// Where the elements of a tensor instruction lie. Fails where there is no such layout; the message says what exists instead.
pub fn layout(request: &FragmentRequest) -> Result<LayoutView, Failure> {
    Ok(tensor::layout(request)?)
}

/// A layout that is written, the tile of a descriptor, or two instructions in a row. Fails with the place of a mistake.
pub fn lens(request: &FragmentRequest) -> Result<LayoutView, Failure> {
    Ok(inspector::picture::layout(request)?)
}

/// Any of [`fragment`], [`layout`] and [`lens`], by the operation that is asked for.
pub fn map(request: &FragmentRequest) -> Result<Map, Failure> {
    Ok(Map::new(request)?)
}

/// The picture of an address of the matrix view or of the lens, or of its words one a line. `form` is `svg`, `text` or `link`.
pub fn picture(query: &str, form: &str) -> Result<String, Failure> {
    let Some(form) = PictureForm::from_name(form) else {
        let why = format!("found `{form}`, expected `svg`, `text` or `link`");
        return Err(Failure::unreadable("form", &why));
    };
    Ok(drawn(query, form)?)
}

/// How a tensor core computes one element of a matrix product. Fails where there is no such product.
pub fn product(request: &ProductRequest) -> Result<ProductView, Failure> {
    mma_explanation::product(request).map_err(Failure::refused)
}

/// Runs both texts of a scenario with one launch, each for at most `max_steps` steps. Fails where the scenario has no second text, or one
/// of them cannot run.
pub fn compare(scenario: Scenario, max_steps: u64) -> Result<BesideReport, Failure> {
    if scenario.beside.is_none() {
        return Err(Failure::unreadable(
            "scenario",
            "the field `beside` contains no source",
        ));
    }
    let report = comparison::compare(scenario, max_steps);
    report.map_err(|BesideError { error, .. }| error)
}

/// Rewrites the text of a scenario so that its accesses to shared memory have no bank conflicts, and proves it by running both texts. Fails
/// where the scenario cannot run, or nothing is cured.
pub fn cure(scenario: &Scenario, max_steps: u64) -> Result<Cured, Failure> {
    inspector::cure(scenario, max_steps)
}

/// Every outcome that the memory model allows for a litmus test, given as a text. Fails where the text is wrong, or its search too large.
pub fn explore_litmus(source: &str) -> Result<LitmusView, Failure> {
    Ok(litmus::explore(&litmus::read_text(source)?)?)
}

/// The weakest changes of a litmus test that forbid its bad outcomes. Fails as [`explore_litmus`] does.
pub fn repair_litmus(source: &str) -> Result<LitmusRepairs, Failure> {
    let test = litmus::read_text(source)?;
    let view = litmus::explore(&test)?;
    Ok(litmus::repairs(&test, &view)?)
}

/// The litmus test that lines of a kernel ask, as a text. The kernel runs to its lines for at most `max_steps` steps. Fails where the scenario
/// cannot run, or the lines make no test.
pub fn cut_litmus(scenario: Scenario, cut: &CutRequest, max_steps: u64) -> Result<String, Failure> {
    let mut session = Session::untracked(scenario)?;
    Ok(litmus::write_text(&session.litmus_test(cut, max_steps)?))
}

/// Checks and launches a scenario. Keeps for every byte who wrote it last.
pub fn open(scenario: Scenario) -> Result<Session, Failure> {
    Session::new(scenario)
}

/// What a file of a compiler holds. Fails where it is none; the message says what it is instead.
#[cfg(feature = "paste")]
pub fn open_file(bytes: &[u8]) -> Result<FileView, Failure> {
    Ok(compiled(bytes)?.view())
}

/// A program of a file of a compiler as a text, by its number from 0. Fails where there is no such program.
#[cfg(feature = "paste")]
pub fn file_text(bytes: &[u8], program: u64) -> Result<String, Failure> {
    let file = compiled(bytes)?;
    let text = usize::try_from(program)
        .ok()
        .and_then(|program| file.text(program));
    text.ok_or_else(|| {
        let n = file.view().programs.len();
        let why = format!("found the code object index {program}, expected an index below {n}");
        Failure::unreadable("program", &why)
    })
}

#[cfg(feature = "paste")]
fn compiled(bytes: &[u8]) -> Result<CompiledFile, Failure> {
    CompiledFile::open(bytes).map_err(|why| Failure::unreadable("file", &why))
}
