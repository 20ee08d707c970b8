//! The protocol between the page and its workers: numbered requests, and responses that name the launch they belong to.
//!
//! Messages are serialized to bytes, so that a large frame is transferred instead of copied cell by cell into objects.

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

/// A message from the page to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// ID of the request; IDs ascend.
    pub id: u32,
    /// The launch that the request concerns. Responses for an older launch are dropped.
    pub launch: u32,
    pub body: RequestBody,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// Checks a source. The response has the same revision.
    Check {
        revision: u32,
        source: String,
        options: CheckOptions,
    },
    /// Requests the complete reference, which the worker fetches.
    Reference,
    /// Requests the closest match for a fragment layout, on the target of the request and on a second target for comparison.
    Fragments {
        request: FragmentRequest,
        base_bytes: u64,
        beside: Option<String>,
    },
    /// Explains how a Tensor Core computes an element.
    Product(MmaRequest),
    /// Compares two sources, in the worker that supports both languages.
    Beside(CompareRequest),
    /// Analyzes a launch for data races and hangs, in the worker that is loaded later.
    Analyze(Box<AnalysisRequest>),
    /// Rewrites the source of a launch to remove its bank conflicts in shared memory, in the same worker.
    RewriteBankConflicts(Box<AnalysisRequest>),
    /// Enumerates the outcomes of a litmus test or searches for fixes, in the same worker. Cancels a running search.
    Litmus(LitmusRequest),
    /// Reads a compiled file, in the same worker.
    File(FileRequest),
    /// An editor request or a file export.
    Editor(EditorRequest),
    /// Checks and launches a source, runs it for a limited time and moves to a position.
    Launch {
        source: String,
        target: Option<String>,
        ptx_version: Option<String>,
        /// The kernel. Defaults to the kernel named in the source, also if the source has no kernel of this name.
        entry: Option<String>,
        /// Seed of the scheduler. Defaults to the seed in the source.
        seed: Option<u64>,
        goal: MoveTarget,
        look: FrameRequest,
    },
    /// Moves to a position. Cancels the pending move.
    Move {
        goal: MoveTarget,
        look: FrameRequest,
    },
    /// Runs until a condition is met. Cancels the pending move.
    Until {
        until: StopCondition,
        direction: Direction,
        look: FrameRequest,
    },
    /// Requests the frame of the same position with other visible rows.
    RefreshFrame(FrameRequest),
    /// Counts the traffic of all steps, without a limit.
    CountTraffic,
    /// Requests the stores just before each of these positions. The response covers as many as one slice allows.
    Writers(Vec<u64>),
    /// Requests every store to a cell in the executed part of the run. Cancels a previous search.
    History(CellLocation),
    /// Requests the source edit that changes an initial value of the launch.
    EditInitialValue {
        place: InitialValueTarget,
        value: String,
    },
    /// Finds the next cell after another one by value, address or name.
    Find {
        text: String,
        after: Option<CellMatch>,
    },
    /// Cancels the pending move.
    Stop,
    /// Releases the session and its memory, because another worker runs the source now.
    ReleaseSession,
}

impl RequestBody {
    /// Returns the worker that handles the request, by the language of a contained source, or `None` for the worker that has the run.
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

/// Returns the worker that draws layout diagrams if the request is for one.
fn of_lens(request: &FragmentRequest) -> Option<WorkerKind> {
    has_picture(&request.op).then_some(WorkerKind::Extended)
}

/// A request that concerns a compiled file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileRequest {
    /// Opens and lists a file, which stays open.
    Open(Vec<u8>),
    /// Requests a code object of the open file as text.
    Text(usize),
    /// Closes the file.
    Close,
}

/// The response to a [`FileRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAnswer {
    Opened(FileView),
    Text(String),
    /// Error message.
    Refused(String),
    Closed,
}

/// A request that concerns the text of a litmus test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LitmusRequest {
    /// Enumerates every outcome.
    Explore(String),
    /// Searches for the weakest changes that forbid an outcome, or all outcomes that are not sequentially consistent.
    Repair { text: String, bad: Option<Vec<u64>> },
    /// Extracts a litmus test from lines of a kernel.
    Cut(Box<AnalysisRequest>, ExtractionRequest),
    /// Cancels the running search.
    Stop,
}

/// The response to a [`LitmusRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LitmusAnswer {
    Outcomes(Box<LitmusView>),
    /// The fixes, and the fixed text for each.
    Repairs {
        repairs: LitmusRepairs,
        texts: Vec<String>,
    },
    /// The text of an extracted test.
    ExtractedTest(String),
    Failed(LitmusError),
}

/// A launch to analyze. The fields are those of [`RequestBody::Launch`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysisRequest {
    pub source: String,
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub seed: Option<u64>,
}

/// The kinds of workers, by the languages that they support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerKind {
    Ptx,
    Sass,
    /// The worker that is loaded later: comparisons, layout diagrams, data races, hangs, litmus tests, source code with inline assembly,
    /// logs and compiled files.
    Extended,
}

impl WorkerKind {
    /// Returns the worker for the language of a source.
    pub fn of_source(source: &str) -> WorkerKind {
        // Instructions embedded in other text are extracted only by the worker that is loaded later.
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

/// A request of the comparison of two sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareRequest {
    /// Runs both sources with one launch configuration, then moves to a position.
    Open(Box<CompareSources>, ComparePosition),
    /// Moves both runs to another position.
    Look(ComparePosition),
    /// Drops both runs and their memory, because the view was closed.
    Close,
}

/// Two sources of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSources {
    pub source: String,
    /// Overrides for the first source, as for a launch.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub other: String,
}

/// A position and visible rows in a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparePosition {
    /// Number of stores that each run has performed. The maximum is the end; when a comparison is opened, the maximum is the first
    /// difference, if there is one.
    pub position: u64,
    /// The first visible row of each memory, if it is not row 0.
    pub first_rows: Vec<(MemoryKey, u64)>,
}

/// An editor request. Offsets count UTF-16 code units from the start of the source.
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
    /// A fragment layout as an SVG image.
    FragmentSvg(FragmentRequest),
    /// A fragment layout as a text table.
    FragmentTable(FragmentRequest),
    /// A memory of the run as a file.
    MemoryFile(GridRequest, ExportFormat),
}

impl EditorRequest {
    /// Returns the worker that answers, or `None` for the worker that has the run.
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

/// The response to the [`Question`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EditorResponse {
    /// Start, end and class of each token in turn. The class is an index into `TokenClass::ALL`.
    Tokens(Vec<u32>),
    Hover(Option<HoverView>),
    Complete(Vec<CompletionView>),
    Signature(Option<SignatureHelp>),
    Format(String),
    /// The contents of a file, or `None` if there is no such fragment.
    FragmentSvg(Option<String>),
    FragmentTable(Option<String>),
    /// The bytes of a file, or an error message.
    MemoryFile(Result<Vec<u8>, String>),
}

/// The target of a move.
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
    /// The position at which the condition of [`RequestBody::StopCondition`] is met.
    StopCondition,
    /// The end of the run, within a time limit, to measure its length; then another position.
    MeasureLength(PositionAfterMeasure),
}

/// The position to show after a run was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PositionAfterMeasure {
    End,
    Position(u64),
    /// After the store at this fraction of all stores.
    StoreFraction(f32),
}

/// A message from a worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// ID of the request.
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
    /// The layout of a tensor instruction, if a request for fragments names one.
    Layout(Box<LayoutPicture>),
    Product(Box<ProductAnswer>),
    Beside(CompareResponse),
    Litmus(LitmusAnswer),
    File(FileAnswer),
    /// The bytes of the reference file, an encoded [`Pages`](warpgrid_view::source::reference::Pages), or an error message.
    Reference(Result<Vec<u8>, String>),
    Answer(EditorResponse),
    Launched(LaunchConfiguration),
    LaunchFailed(LaunchRejection),
    /// Progress of a long run.
    Progress {
        position: u64,
    },
    Frame(Box<SessionFrame>),
    Writers(Vec<(u64, Vec<StoreView>)>),
    /// The source edit, or an error message.
    EditInitialValue(Result<LaunchEdit, String>),
    /// The cell that was found, or an error message.
    Found(Result<CellMatch, String>),
    /// The position that a conditional run has reached, followed by its frame, or an error in the condition.
    Until(Result<StopResult, StopConditionError>),
    /// The stores to a cell.
    History(Box<CellHistory>),
    /// The memory traffic of the executed steps.
    Traffic(TrafficWords),
    /// The results of other schedules of the same run.
    ScheduleReport(SeedReport),
    /// The data races of the run, and the diagnosis of a hang.
    Analysis(Box<AnalysisResults>),
    /// The source without bank conflicts, or an error message.
    ConflictRewrite(Result<BankConflictFix, String>),
}

/// The results of the analysis of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisResults {
    pub report: RaceReport,
    pub hang: Option<HangView>,
    /// Shared-memory accesses with bank conflicts and the layouts that remove them; global-memory accesses that transfer more bytes than
    /// needed.
    pub conflicts: ConflictReport,
    /// The layout of each access, by line.
    pub layouts: Vec<InferredAccessLayout>,
    /// Bytes of data races and of uninitialized reads.
    pub marks: Vec<RaceMarker>,
}

/// A byte range of a memory with a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceMarker {
    pub memory: MemoryKey,
    /// Offsets from the start of the memory.
    pub bytes: std::ops::Range<u64>,
    /// Lines of the source.
    pub lines: Vec<u32>,
    /// Short name of the finding.
    pub title: String,
    /// Whether the finding is less severe: both accesses store the same value, or the violated rule is commonly ignored.
    pub is_quiet: bool,
}

/// The response to a [`CompareRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CompareResponse {
    /// Both sources have run.
    Opened(Box<CompareOpened>),
    /// A source was rejected: its index, 0 for the first, and the reason.
    Refused(usize, LaunchRejection),
    Frame(Box<ComparisonFrame>),
}

/// The results of two runs, and their frame at the requested position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareOpened {
    pub report: ComparisonReport,
    /// The `//@` lines that would state the inferred launch configuration of both.
    pub guesses: Vec<String>,
    pub frame: ComparisonFrame,
}

/// The computation of an element by a Tensor Core, with the available alternatives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductAnswer {
    /// The steps of the computation, or an error message.
    pub view: Result<MmaExplanation, String>,
    /// The matrix multiplications that the target supports.
    pub choices: Vec<MmaChoice>,
    pub targets: Vec<String>,
}

/// The configuration of a launch, including inferred values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchConfiguration {
    pub entry: Option<String>,
    /// Every kernel of the module, in source order.
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
    /// Whether misaligned addresses are rounded down. Otherwise a misaligned access faults.
    pub truncates_misaligned_addresses: bool,
    /// The `//@` lines that would state the inferred values.
    pub guesses: Vec<String>,
}

/// The reason for which a launch was rejected.
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
