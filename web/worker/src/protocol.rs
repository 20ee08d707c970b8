//! The protocol between the page and its workers: numbered requests, and responses that name the launch they belong to.
//!
//! Messages are serialized to bytes, so that a large frame is transferred instead of copied cell by cell into objects.

use crate::traffic::TrafficWords;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use warpgrid_view::analysis::cell_history::CellPlace;
use warpgrid_view::analysis::comparison::{BesideFrame, BesideReport};
use warpgrid_view::analysis::mma_explanation::{ProductChoice, ProductRequest, ProductView};
use warpgrid_view::analysis::schedule_seeds::SeedReport;
use warpgrid_view::compiled_file::FileView;
use warpgrid_view::layouts::fragment::{FragmentPicture, FragmentRequest};
use warpgrid_view::layouts::inspector::picture::has_picture;
use warpgrid_view::layouts::inspector::{AccessLayout, ConflictReport, Cured};
use warpgrid_view::layouts::tensor::LayoutPicture;
use warpgrid_view::memory_export::MemoryForm;
use warpgrid_view::memory_model::concurrency::{HangView, RaceReport};
use warpgrid_view::memory_model::litmus::{CutRequest, LitmusError, LitmusRepairs, LitmusView};
use warpgrid_view::model::{
    CellHistory, DiagnosticView, Frame, FrameRequest, GridRequest, StoreView,
};
use warpgrid_view::session::memory_search::FoundCell;
use warpgrid_view::session::start::{StartEdit, StartPlace};
use warpgrid_view::session::until::{Direction, Reached, Until, UntilError};
use warpgrid_view::source::editor_assist::{CompletionView, HoverView, SignatureText};
use warpgrid_view::{CheckOptions, CheckReport, Front, MemoryId, is_wrapped};

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
    Product(ProductRequest),
    /// Compares two sources, in the worker that supports both languages.
    Beside(BesideRequest),
    /// Analyzes a launch for data races and hangs, in the worker that is loaded later.
    Order(Box<OrderRequest>),
    /// Rewrites the source of a launch to remove its bank conflicts in shared memory, in the same worker.
    Cure(Box<OrderRequest>),
    /// Enumerates the outcomes of a litmus test or searches for fixes, in the same worker. Cancels a running search.
    Litmus(LitmusRequest),
    /// Reads a compiled file, in the same worker.
    File(FileRequest),
    /// An editor request or a file export.
    Ask(Question),
    /// Checks and launches a source, runs it for a limited time and moves to a position.
    Launch {
        source: String,
        target: Option<String>,
        ptx_version: Option<String>,
        /// The kernel. Defaults to the kernel named in the source, also if the source has no kernel of this name.
        entry: Option<String>,
        /// Seed of the scheduler. Defaults to the seed in the source.
        seed: Option<u64>,
        goal: Goal,
        look: FrameRequest,
    },
    /// Moves to a position. Cancels the pending move.
    Move { goal: Goal, look: FrameRequest },
    /// Runs until a condition is met. Cancels the pending move.
    Until {
        until: Until,
        direction: Direction,
        look: FrameRequest,
    },
    /// Requests the frame of the same position with other visible rows.
    Look(FrameRequest),
    /// Counts the traffic of all steps, without a limit.
    CountTraffic,
    /// Requests the stores just before each of these positions. The response covers as many as one slice allows.
    Writers(Vec<u64>),
    /// Requests every store to a cell in the executed part of the run. Cancels a previous search.
    History(CellPlace),
    /// Requests the source edit that changes an initial value of the launch.
    EditStart { place: StartPlace, value: String },
    /// Finds the next cell after another one by value, address or name.
    Find {
        text: String,
        after: Option<FoundCell>,
    },
    /// Cancels the pending move.
    Stop,
    /// Releases the session and its memory, because another worker runs the source now.
    Rest,
}

impl RequestBody {
    /// Returns the worker that handles the request, by the language of a contained source, or `None` for the worker that has the run.
    pub fn core(&self) -> Option<Core> {
        match self {
            RequestBody::Check { source, .. } | RequestBody::Launch { source, .. } => {
                Some(Core::of_source(source))
            }
            RequestBody::Ask(question) => question.core(),
            RequestBody::Beside(_)
            | RequestBody::Order(_)
            | RequestBody::Cure(_)
            | RequestBody::Litmus(_)
            | RequestBody::File(_) => Some(Core::Both),
            RequestBody::Fragments { request, .. } => of_lens(request),
            RequestBody::Reference
            | RequestBody::Product(_)
            | RequestBody::Move { .. }
            | RequestBody::Until { .. }
            | RequestBody::Look(_)
            | RequestBody::CountTraffic
            | RequestBody::Writers(_)
            | RequestBody::History(_)
            | RequestBody::EditStart { .. }
            | RequestBody::Find { .. }
            | RequestBody::Stop
            | RequestBody::Rest => None,
        }
    }
}

/// Returns the worker that draws layout diagrams if the request is for one.
fn of_lens(request: &FragmentRequest) -> Option<Core> {
    has_picture(&request.op).then_some(Core::Both)
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
    Cut(Box<OrderRequest>, CutRequest),
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
    Question(String),
    Failed(LitmusError),
}

/// A launch to analyze. The fields are those of [`RequestBody::Launch`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRequest {
    pub source: String,
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub seed: Option<u64>,
}

/// The kinds of workers, by the languages that they support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    Ptx,
    Sass,
    /// The worker that is loaded later: comparisons, layout diagrams, data races, hangs, litmus tests, source code with inline assembly,
    /// logs and compiled files.
    Both,
}

impl Core {
    /// Returns the worker for the language of a source.
    pub fn of_source(source: &str) -> Core {
        // Instructions embedded in other text are extracted only by the worker that is loaded later.
        if is_wrapped(source) {
            return Core::Both;
        }
        match Front::of_source(source) {
            Front::Ptx => Core::Ptx,
            Front::Sass => Core::Sass,
        }
    }

    /// Returns the name of the worker (see `start.js`).
    pub fn name(self) -> &'static str {
        match self {
            Core::Ptx => "ptx",
            Core::Sass => "sass",
            Core::Both => "both",
        }
    }
}

/// A request of the comparison of two sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BesideRequest {
    /// Runs both sources with one launch configuration, then moves to a position.
    Open(Box<BesideTexts>, BesideLook),
    /// Moves both runs to another position.
    Look(BesideLook),
    /// Drops both runs and their memory, because the view was closed.
    Close,
}

/// Two sources of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideTexts {
    pub source: String,
    /// Overrides for the first source, as for a launch.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub other: String,
}

/// A position and visible rows in a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideLook {
    /// Number of stores that each run has performed. The maximum is the end; when a comparison is opened, the maximum is the first
    /// difference, if there is one.
    pub position: u64,
    /// The first visible row of each memory, if it is not row 0.
    pub first_rows: Vec<(MemoryId, u64)>,
}

/// An editor request. Offsets count UTF-16 code units from the start of the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
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
    MemoryFile(GridRequest, MemoryForm),
}

impl Question {
    /// Returns the worker that answers, or `None` for the worker that has the run.
    fn core(&self) -> Option<Core> {
        match self {
            Question::FragmentSvg(request) | Question::FragmentTable(request) => of_lens(request),
            _ => self.source().map(Core::of_source),
        }
    }

    /// Returns the source that the request concerns.
    pub fn source(&self) -> Option<&str> {
        match self {
            Question::Tokens { source }
            | Question::Hover { source, .. }
            | Question::Complete { source, .. }
            | Question::Signature { source, .. }
            | Question::Format { source } => Some(source),
            Question::FragmentSvg(_) | Question::FragmentTable(_) | Question::MemoryFile(..) => {
                None
            }
        }
    }
}

/// The response to the [`Question`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Start, end and class of each token in turn. The class is an index into `TokenClass::ALL`.
    Tokens(Vec<u32>),
    Hover(Option<HoverView>),
    Complete(Vec<CompletionView>),
    Signature(Option<SignatureText>),
    Format(String),
    /// The contents of a file, or `None` if there is no such fragment.
    FragmentSvg(Option<String>),
    FragmentTable(Option<String>),
    /// The bytes of a file, or an error message.
    MemoryFile(Result<Vec<u8>, String>),
}

/// The target of a move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Goal {
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
    Land(u64),
    /// The position at which the condition of [`RequestBody::Until`] is met.
    Watched,
    /// The end of the run, within a time limit, to measure its length; then another position.
    Explore(Place),
}

/// The position to show after a run was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Place {
    End,
    Position(u64),
    /// After the store at this fraction of all stores.
    Share(f32),
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
    Beside(BesideAnswer),
    Litmus(LitmusAnswer),
    File(FileAnswer),
    /// The bytes of the reference file, an encoded [`Pages`](warpgrid_view::source::reference::Pages), or an error message.
    Reference(Result<Vec<u8>, String>),
    Answer(Answer),
    Launched(LaunchFacts),
    Refused(Refusal),
    /// Progress of a long run.
    Progress {
        position: u64,
    },
    Frame(Box<Frame>),
    Writers(Vec<(u64, Vec<StoreView>)>),
    /// The source edit, or an error message.
    EditStart(Result<StartEdit, String>),
    /// The cell that was found, or an error message.
    Found(Result<FoundCell, String>),
    /// The position that a conditional run has reached, followed by its frame, or an error in the condition.
    Until(Result<Reached, UntilError>),
    /// The stores to a cell.
    History(Box<CellHistory>),
    /// The memory traffic of the executed steps.
    Traffic(TrafficWords),
    /// The results of other schedules of the same run.
    Orders(SeedReport),
    /// The data races of the run, and the diagnosis of a hang.
    Order(Box<OrderAnswer>),
    /// The source without bank conflicts, or an error message.
    Cured(Result<Cured, String>),
}

/// The results of the analysis of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderAnswer {
    pub report: RaceReport,
    pub hang: Option<HangView>,
    /// Shared-memory accesses with bank conflicts and the layouts that remove them; global-memory accesses that transfer more bytes than
    /// needed.
    pub conflicts: ConflictReport,
    /// The layout of each access, by line.
    pub layouts: Vec<AccessLayout>,
    /// Bytes of data races and of uninitialized reads.
    pub marks: Vec<OrderMark>,
}

/// A byte range of a memory with a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderMark {
    pub memory: MemoryId,
    /// Offsets from the start of the memory.
    pub bytes: std::ops::Range<u64>,
    /// Lines of the source.
    pub lines: Vec<u32>,
    /// Short name of the finding.
    pub title: String,
    /// Whether the finding is less severe: both accesses store the same value, or the violated rule is commonly ignored.
    pub is_quiet: bool,
}

/// The response to a [`BesideRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BesideAnswer {
    /// Both sources have run.
    Opened(Box<BesideOpened>),
    /// A source was rejected: its index, 0 for the first, and the reason.
    Refused(usize, Refusal),
    Frame(Box<BesideFrame>),
}

/// The results of two runs, and their frame at the requested position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideOpened {
    pub report: BesideReport,
    /// The `//@` lines that would state the inferred launch configuration of both.
    pub guesses: Vec<String>,
    pub frame: BesideFrame,
}

/// The computation of an element by a Tensor Core, with the available alternatives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductAnswer {
    /// The steps of the computation, or an error message.
    pub view: Result<ProductView, String>,
    /// The matrix multiplications that the target supports.
    pub choices: Vec<ProductChoice>,
    pub targets: Vec<String>,
}

/// The configuration of a launch, including inferred values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchFacts {
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
    pub rounds_addresses: bool,
    /// The `//@` lines that would state the inferred values.
    pub guesses: Vec<String>,
}

/// The reason for which a launch was rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
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
    fn a_request_survives_the_crossing() {
        let request = Request {
            id: 1,
            launch: 1,
            body: RequestBody::Launch {
                source: "st.global.u32 [p], 1;".into(),
                target: Some("sm_90".into()),
                ptx_version: None,
                entry: None,
                seed: Some(4),
                goal: Goal::Explore(Place::Share(0.5)),
                look: FrameRequest::default(),
            },
        };
        assert_eq!(decode(&encode(&request)), Some(request));
    }

    #[test]
    fn an_explained_product_survives_the_crossing() {
        let request = ProductRequest {
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
    fn a_request_names_the_core_of_its_text() {
        let question = |source: &str| {
            RequestBody::Ask(Question::Format {
                source: source.to_owned(),
            })
        };
        assert_eq!(question("EXIT;").core(), Some(Core::Sass));
        assert_eq!(question("ret;").core(), Some(Core::Ptx));
        assert_eq!(RequestBody::Stop.core(), None);
        let beside = RequestBody::Beside(BesideRequest::Close);
        assert_eq!(beside.core(), Some(Core::Both));
    }

    #[test]
    fn other_bytes_are_no_message() {
        assert_eq!(decode::<Request>(&[0xff; 9]), None);
    }
}
