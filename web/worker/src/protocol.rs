//! Protocol between the page and its workers: numbered requests, and responses that contain the launch to which they belong.
//!
//! Messages are serialized to bytes, so that a large frame is transferred instead of being copied cell by cell into objects.

use crate::traffic::TrafficWords;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::analysis::comparison::{ComparisonFrame, ComparisonReport};
use warpgrid_view::analysis::mma_explanation::{MmaChoice, MmaExplanation, MmaRequest};
use warpgrid_view::analysis::schedule_seeds::SeedReport;
use warpgrid_view::compiled_file::FileView;
use warpgrid_view::layouts::fragment::{FragmentPicture, FragmentRequest};
use warpgrid_view::layouts::inspector::picture::has_picture;
use warpgrid_view::layouts::inspector::{BankConflictFix, ConflictReport, InferredAccessLayout};
use warpgrid_view::layouts::tensor::LayoutPicture;
use warpgrid_view::memory_export::ExportFormat;
use warpgrid_view::memory_model::concurrency::{HangView, RaceReport};
use warpgrid_view::memory_model::litmus::{
    ExtractionRequest, LitmusError, LitmusRepairs, LitmusView,
};
use warpgrid_view::model::{
    CellHistory, DiagnosticView, FrameRequest, GridRequest, SessionFrame, StoreView,
};
use warpgrid_view::session::launch_edit::{InitialValueTarget, LaunchEdit};
use warpgrid_view::session::memory_search::CellMatch;
use warpgrid_view::session::stop_conditions::{
    Direction, StopCondition, StopConditionError, StopResult,
};
use warpgrid_view::source::editor_assist::{CompletionView, HoverView, SignatureHelp};
use warpgrid_view::{CheckOptions, CheckReport, MemoryKey, SourceLanguage, is_wrapped};

/// Message from the page to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// ID of the request. IDs are ascending.
    pub id: u32,
    /// Launch that the request concerns. Responses for an older launch are dropped.
    pub launch: u32,
    pub body: RequestBody,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// Checks a source. The response contains the same revision.
    Check {
        revision: u32,
        source: String,
        options: CheckOptions,
    },
    /// Requests the complete reference, which the worker fetches.
    Reference,
    /// Requests a fragment layout, or the closest match, on the target of the request and on a second target for comparison.
    Fragments {
        request: FragmentRequest,
        base_bytes: u64,
        beside: Option<String>,
    },
    /// Explains how a Tensor Core computes an element of D.
    Product(MmaRequest),
    /// Compares two sources. Handled by the worker that supports both languages.
    Beside(CompareRequest),
    /// Analyzes a launch for data races and hangs. Handled by the worker that is loaded later.
    Analyze(Box<AnalysisRequest>),
    /// Rewrites the source of a launch without bank conflicts in shared memory. Handled by the worker that is loaded later.
    RewriteBankConflicts(Box<AnalysisRequest>),
    /// Enumerates the outcomes of a litmus test, or searches for fixes. Cancels a running search. Handled by the worker that is loaded
    /// later.
    Litmus(LitmusRequest),
    /// Reads a compiled file. Handled by the worker that is loaded later.
    File(FileRequest),
    /// An editor request or a file export.
    Editor(EditorRequest),
    /// Checks and launches a source, runs it for a limited time, and moves to a position.
    Launch {
        source: String,
        target: Option<String>,
        ptx_version: Option<String>,
        /// Kernel to launch. Defaults to the kernel named in the source, also if the source contains no kernel with this name.
        entry: Option<String>,
        /// Seed of the scheduler. Defaults to the seed in the source.
        seed: Option<u64>,
        goal: MoveTarget,
        look: FrameRequest,
    },
    /// Moves the run to a position. Cancels the pending move.
    Move {
        goal: MoveTarget,
        look: FrameRequest,
    },
    /// Runs until a condition holds. Cancels the pending move.
    Until {
        until: StopCondition,
        direction: Direction,
        look: FrameRequest,
    },
    /// Requests the frame of the current position with other visible rows.
    RefreshFrame(FrameRequest),
    /// Counts the memory traffic of all steps, without a limit.
    CountTraffic,
    /// Requests the stores directly before each of the given positions. The response covers as many positions as fit into one slice.
    Writers(Vec<u64>),
    /// Requests all stores to a cell in the executed part of the run. Cancels a previous search.
    History(CellLocation),
    /// Requests the source edit that changes an initial value of the launch.
    EditInitialValue {
        place: InitialValueTarget,
        value: String,
    },
    /// Finds the next cell after a given cell by value, address or name.
    Find {
        text: String,
        after: Option<CellMatch>,
    },
    /// Cancels the pending move.
    Stop,
    /// Releases the session and its memory, because another worker executes the source now.
    ReleaseSession,
}

impl RequestBody {
    /// Returns the kind of worker that handles the request, which depends on the language of the source in the request. Returns `None` for
    /// the worker that executes the run.
    pub fn core(&self) -> Option<WorkerKind> {
        match self {
            RequestBody::Check { source, .. } | RequestBody::Launch { source, .. } => {
                Some(WorkerKind::of_source(source))
            }
            RequestBody::Editor(question) => question.core(),
            RequestBody::Beside(_)
            | RequestBody::Analyze(_)
            | RequestBody::RewriteBankConflicts(_)
            | RequestBody::Litmus(_)
            | RequestBody::File(_) => Some(WorkerKind::Extended),
            RequestBody::Fragments { request, .. } => of_lens(request),
            RequestBody::Reference
            | RequestBody::Product(_)
            | RequestBody::Move { .. }
            | RequestBody::Until { .. }
            | RequestBody::RefreshFrame(_)
            | RequestBody::CountTraffic
            | RequestBody::Writers(_)
            | RequestBody::History(_)
            | RequestBody::EditInitialValue { .. }
            | RequestBody::Find { .. }
            | RequestBody::Stop
            | RequestBody::ReleaseSession => None,
        }
    }
}

/// Returns the worker that computes layout diagrams, if the request is for a layout diagram.
fn of_lens(request: &FragmentRequest) -> Option<WorkerKind> {
    has_picture(&request.op).then_some(WorkerKind::Extended)
}

/// Request that concerns a compiled file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileRequest {
    /// Opens a file and lists its code objects. The file remains open.
    Open(Vec<u8>),
    /// Requests a code object of the open file as text.
    Text(usize),
    /// Closes the file.
    Close,
}

/// Response to a [`FileRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAnswer {
    Opened(FileView),
    Text(String),
    /// Error message.
    Refused(String),
    Closed,
}

/// Request that concerns the text of a litmus test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LitmusRequest {
    /// Enumerates all outcomes of the litmus test.
    Explore(String),
    /// Searches for the weakest changes that forbid an outcome, or that forbid all outcomes that are not sequentially consistent.
    Repair { text: String, bad: Option<Vec<u64>> },
    /// Extracts a litmus test from lines of a kernel.
    Cut(Box<AnalysisRequest>, ExtractionRequest),
    /// Cancels the running search.
    Stop,
}

/// Response to a [`LitmusRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LitmusAnswer {
    Outcomes(Box<LitmusView>),
    /// The fixes of the litmus test, and the fixed text for each of them.
    Repairs {
        repairs: LitmusRepairs,
        texts: Vec<String>,
    },
    /// The text of an extracted test.
    ExtractedTest(String),
    Failed(LitmusError),
}

/// Launch that is to be analyzed. The fields correspond to the fields of [`RequestBody::Launch`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysisRequest {
    pub source: String,
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub seed: Option<u64>,
}

/// Kinds of workers, which differ in the languages that they support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerKind {
    Ptx,
    Sass,
    /// Worker that is loaded later. Handles comparisons, layout diagrams, data races, hangs, litmus tests, source code with inline
    /// assembly, logs and compiled files.
    Extended,
}

impl WorkerKind {
    /// Returns the kind of worker for the language of a source.
    pub fn of_source(source: &str) -> WorkerKind {
        // Only the worker that is loaded later extracts instructions that are embedded in other text.
        if is_wrapped(source) {
            return WorkerKind::Extended;
        }
        match SourceLanguage::of_source(source) {
            SourceLanguage::Ptx => WorkerKind::Ptx,
            SourceLanguage::Sass => WorkerKind::Sass,
        }
    }

    /// Returns the name of the worker (see `start.js`).
    pub fn name(self) -> &'static str {
        match self {
            WorkerKind::Ptx => "ptx",
            WorkerKind::Sass => "sass",
            WorkerKind::Extended => "extended",
        }
    }
}

/// Request that concerns the comparison of two sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareRequest {
    /// Executes both sources with the same launch configuration, then moves both runs to a position.
    Open(Box<CompareSources>, ComparePosition),
    /// Moves both runs to another position.
    Look(ComparePosition),
    /// Discards both runs and their memory, because the view was closed.
    Close,
}

/// Two sources of a kernel that are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSources {
    pub source: String,
    /// Overrides of the directives in the first source, as in a launch.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub other: String,
}

/// Position and visible rows in a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparePosition {
    /// Number of stores that each run has performed. The maximum value denotes the end. When a comparison is opened, the maximum value
    /// denotes the first difference, if there is one.
    pub position: u64,
    /// First visible row of each memory in which it is not row 0.
    pub first_rows: Vec<(MemoryKey, u64)>,
}

/// Editor request. Offsets count UTF-16 code units from the start of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EditorRequest {
    Tokens {
        source: String,
    },
    Hover {
        source: String,
        options: CheckOptions,
        at: u32,
    },
    Complete {
        source: String,
        options: CheckOptions,
        at: u32,
    },
    Signature {
        source: String,
        options: CheckOptions,
        at: u32,
    },
    Format {
        source: String,
    },
    /// Requests a fragment layout as an SVG image.
    FragmentSvg(FragmentRequest),
    /// Requests a fragment layout as a text table.
    FragmentTable(FragmentRequest),
    /// Requests a memory of the run as a file.
    MemoryFile(GridRequest, ExportFormat),
}

impl EditorRequest {
    /// Returns the kind of worker that handles the request, or `None` for the worker that executes the run.
    fn core(&self) -> Option<WorkerKind> {
        match self {
            EditorRequest::FragmentSvg(request) | EditorRequest::FragmentTable(request) => {
                of_lens(request)
            }
            _ => self.source().map(WorkerKind::of_source),
        }
    }

    /// Returns the source that the request concerns.
    pub fn source(&self) -> Option<&str> {
        match self {
            EditorRequest::Tokens { source }
            | EditorRequest::Hover { source, .. }
            | EditorRequest::Complete { source, .. }
            | EditorRequest::Signature { source, .. }
            | EditorRequest::Format { source } => Some(source),
            EditorRequest::FragmentSvg(_)
            | EditorRequest::FragmentTable(_)
            | EditorRequest::MemoryFile(..) => None,
        }
    }
}

/// Response to the [`EditorRequest`] variant with the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EditorResponse {
    /// Start, end and class of each token in turn. The class is an index into `TokenClass::ALL`.
    Tokens(Vec<u32>),
    Hover(Option<HoverView>),
    Complete(Vec<CompletionView>),
    Signature(Option<SignatureHelp>),
    Format(String),
    /// Contents of the SVG file, or `None` if the fragment does not exist.
    FragmentSvg(Option<String>),
    FragmentTable(Option<String>),
    /// Contents of the exported file, or an error message.
    MemoryFile(Result<Vec<u8>, String>),
}

/// Target of a move of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MoveTarget {
    Start,
    End,
    /// The position after this number of steps, or the end.
    Position(u64),
    StepForward,
    StepBack,
    /// The position after this number of further stores.
    Stores(u32),
    StoreBack,
    /// A position at which the block with this linear index executes.
    Block(u64),
    /// The completion of a pending asynchronous operation.
    CompleteOperation(u64),
    /// The position at which the condition of [`RequestBody::Until`] holds.
    StopCondition,
    /// The end of the run, within a time limit, in order to measure its length, and then another position.
    MeasureLength(PositionAfterMeasure),
}

/// Position to which a run moves after its length has been measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PositionAfterMeasure {
    End,
    Position(u64),
    /// The position after the store at this fraction of all stores.
    StoreFraction(f32),
}

/// Message from a worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// ID of the request to which the message responds.
    pub id: u32,
    pub launch: u32,
    pub body: ResponseBody,
}

impl Response {
    pub fn new(id: u32, launch: u32, body: ResponseBody) -> Response {
        Response { id, launch, body }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ResponseBody {
    Checked {
        revision: u32,
        report: CheckReport,
    },
    Fragments(Vec<FragmentPicture>),
    /// Layout of a tensor instruction, in response to a request for fragments that names such an instruction.
    Layout(Box<LayoutPicture>),
    Product(Box<ProductAnswer>),
    Beside(CompareResponse),
    Litmus(LitmusAnswer),
    File(FileAnswer),
    /// Contents of the reference file, which are encoded [`ReferencePages`](warpgrid_view::source::reference::ReferencePages), or an error
    /// message.
    Reference(Result<Vec<u8>, String>),
    Answer(EditorResponse),
    Launched(LaunchConfiguration),
    LaunchFailed(LaunchRejection),
    /// Progress of a move that takes a long time.
    Progress {
        position: u64,
    },
    Frame(Box<SessionFrame>),
    Writers(Vec<(u64, Vec<StoreView>)>),
    /// Edit of the source that changes an initial value, or an error message.
    EditInitialValue(Result<LaunchEdit, String>),
    /// Cell that was found, or an error message.
    Found(Result<CellMatch, String>),
    /// Position that a conditional run has reached, followed by its frame, or an error in the condition.
    Until(Result<StopResult, StopConditionError>),
    /// Stores to a cell, which is its write history.
    History(Box<CellHistory>),
    /// Memory traffic of the executed steps.
    Traffic(TrafficWords),
    /// Results of other schedules of the same run.
    ScheduleReport(SeedReport),
    /// Data races of the run, and the diagnosis of a hang.
    Analysis(Box<AnalysisResults>),
    /// Source without bank conflicts, or an error message.
    ConflictRewrite(Result<BankConflictFix, String>),
}

/// Results of the analysis of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisResults {
    pub report: RaceReport,
    pub hang: Option<HangView>,
    /// Accesses to shared memory with bank conflicts, with the layouts that remove the conflicts, and accesses to global memory that
    /// transfer more bytes than necessary.
    pub conflicts: ConflictReport,
    /// Inferred layout of each access, by line.
    pub layouts: Vec<InferredAccessLayout>,
    /// Byte ranges of data races and uninitialized reads.
    pub marks: Vec<RaceMarker>,
}

/// Byte range of a memory with a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceMarker {
    pub memory: MemoryKey,
    /// Offsets of the range from the start of the memory.
    pub bytes: std::ops::Range<u64>,
    /// Source lines of the accesses that cause the finding.
    pub lines: Vec<u32>,
    /// Short name of the finding.
    pub title: String,
    /// Whether the finding is less severe, because both accesses store the same value or the violated rule is commonly ignored.
    pub is_quiet: bool,
}

/// Response to a [`CompareRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CompareResponse {
    /// Both sources have run.
    Opened(Box<CompareOpened>),
    /// A source was rejected. The fields are the index of the source, 0 for the first source, and the reason.
    Refused(usize, LaunchRejection),
    Frame(Box<ComparisonFrame>),
}

/// Results of two runs, and their frames at the requested position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareOpened {
    pub report: ComparisonReport,
    /// `//@` lines that specify the inferred launch configuration of both sources.
    pub guesses: Vec<String>,
    pub frame: ComparisonFrame,
}

/// Computation of an element by a Tensor Core, with the available alternatives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductAnswer {
    /// Steps of the computation, or an error message.
    pub view: Result<MmaExplanation, String>,
    /// Matrix multiplications that the target supports.
    pub choices: Vec<MmaChoice>,
    pub targets: Vec<String>,
}

/// Configuration of a launch, including inferred values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchConfiguration {
    pub entry: Option<String>,
    /// All kernels of the module, in source order.
    pub kernels: Vec<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    pub dynamic_shared: u64,
    pub seed: u64,
    /// One entry per parameter, as in `x: f32[256]`.
    pub params: Vec<String>,
    /// One entry per initialized register, as in `R2 = lane * 4`.
    pub registers: Vec<String>,
    /// Whether misaligned addresses are rounded down. Otherwise, a misaligned access faults.
    pub truncates_misaligned_addresses: bool,
    /// `//@` lines that specify the inferred values.
    pub guesses: Vec<String>,
}

/// Reason why a launch was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchRejection {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

/// Serializes a message.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// Deserializes a message. Returns `None` for invalid bytes.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_round_trips() {
        let request = Request {
            id: 1,
            launch: 1,
            body: RequestBody::Launch {
                source: "st.global.u32 [p], 1;".into(),
                target: Some("sm_90".into()),
                ptx_version: None,
                entry: None,
                seed: Some(4),
                goal: MoveTarget::MeasureLength(PositionAfterMeasure::StoreFraction(0.5)),
                look: FrameRequest::default(),
            },
        };
        assert_eq!(decode(&encode(&request)), Some(request));
    }

    #[test]
    fn mma_explanation_response_round_trips() {
        let request = MmaRequest {
            op: "mma".into(),
            shape: "m16n8k16".into(),
            types: ["f16", "f16", "f32", "f32"].map(str::to_owned).into(),
            target: "sm_80".into(),
            a: vec!["1.5".into()],
            b: vec!["2".into()],
            c: None,
        };
        let view = warpgrid_view::analysis::mma_explanation::product(&request);
        assert!(view.is_ok());
        let body = ResponseBody::Product(Box::new(ProductAnswer {
            view,
            choices: warpgrid_view::analysis::mma_explanation::choices("sm_80"),
            targets: warpgrid_view::analysis::mma_explanation::targets(),
        }));
        let response = Response::new(1, 1, body);
        assert_eq!(decode(&encode(&response)), Some(response));
    }

    #[test]
    fn request_selects_worker_by_source_language() {
        let question = |source: &str| {
            RequestBody::Editor(EditorRequest::Format {
                source: source.to_owned(),
            })
        };
        assert_eq!(question("EXIT;").core(), Some(WorkerKind::Sass));
        assert_eq!(question("ret;").core(), Some(WorkerKind::Ptx));
        assert_eq!(RequestBody::Stop.core(), None);
        let beside = RequestBody::Beside(CompareRequest::Close);
        assert_eq!(beside.core(), Some(WorkerKind::Extended));
    }

    #[test]
    fn malformed_bytes_do_not_decode() {
        assert_eq!(decode::<Request>(&[0xff; 9]), None);
    }
}
