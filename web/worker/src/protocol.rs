//! What the page and its worker say to each other: numbered requests, and answers that name the text they belong to.
//!
//! Messages cross as bytes, so that a large frame is moved, not copied cell by cell into objects.

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

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Ascending.
    pub id: u32,
    /// Which launch the request is about; an answer to an older one is dropped.
    pub launch: u32,
    pub body: RequestBody,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// Checks a text; the answer names the same revision.
    Check {
        revision: u32,
        source: String,
        options: CheckOptions,
    },
    /// The reference, whole: the worker fetches it.
    Reference,
    /// Fragments, nearest to what is asked for: on the target of the request, and on another beside it.
    Fragments {
        request: FragmentRequest,
        base_bytes: u64,
        beside: Option<String>,
    },
    /// How a tensor core computes an element.
    Product(ProductRequest),
    /// For the core that has both languages.
    Beside(BesideRequest),
    /// Looks for data races of a launch, and why it never ends. For the core that is loaded later.
    Order(Box<OrderRequest>),
    /// Changes the text of a launch so that its shared memory has no bank conflicts. For the same core.
    Cure(Box<OrderRequest>),
    /// Every outcome of a few threads, or repairs. For the same core; a search that is under way is given up.
    Litmus(LitmusRequest),
    /// A file of a compiler. For the same core.
    File(FileRequest),
    /// A question of the editor, or for a file.
    Ask(Question),
    /// Checks and launches a text, runs it for a while and goes to a place.
    Launch {
        source: String,
        target: Option<String>,
        ptx_version: Option<String>,
        /// The kernel; the one that the text says when absent, or when the text has no such kernel.
        entry: Option<String>,
        /// Turns the scheduler; the seed that the text says when absent.
        seed: Option<u64>,
        goal: Goal,
        look: FrameRequest,
    },
    /// Goes somewhere; a move that is under way is given up.
    Move { goal: Goal, look: FrameRequest },
    /// Goes on until something happens; a move that is under way is given up.
    Until {
        until: Until,
        direction: Direction,
        look: FrameRequest,
    },
    /// The same position, other windows.
    Look(FrameRequest),
    /// Counts the traffic of all steps, however many they are.
    CountTraffic,
    /// What was stored just before each of these positions; as many as a slice allows are answered.
    Writers(Vec<u64>),
    /// Every store that wrote a cell, as far as the run was seen; another one that is looked for is given up.
    History(CellPlace),
    /// The edit of the text after which the launch starts with another value there.
    EditStart { place: StartPlace, value: String },
    /// The next cell, after another one, with a value, an address or a name.
    Find {
        text: String,
        after: Option<FoundCell>,
    },
    /// Stay where the run is now.
    Stop,
    /// Another core runs the text now: the run is dropped, with its memory.
    Rest,
}

impl RequestBody {
    /// The core that answers: the one for the language of the text in the request. Absent where the request has no text.
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

/// The core that has the layout lens, for what the lens draws.
fn of_lens(request: &FragmentRequest) -> Option<Core> {
    has_picture(&request.op).then_some(Core::Both)
}

/// What is asked about a file of a compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileRequest {
    /// Looks into it; it stays open.
    Open(Vec<u8>),
    /// A program of the open file as a text.
    Text(usize),
    /// It is not needed any more.
    Close,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAnswer {
    Opened(FileView),
    Text(String),
    /// Why there is none.
    Refused(String),
    Closed,
}

/// What is asked about a litmus test, as a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LitmusRequest {
    /// Every outcome.
    Explore(String),
    /// The weakest changes that forbid an outcome, or all that no interleaving reaches.
    Repair { text: String, bad: Option<Vec<u64>> },
    /// The question that lines of a kernel ask.
    Cut(Box<OrderRequest>, CutRequest),
    /// Gives up what is under way.
    Stop,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LitmusAnswer {
    Outcomes(Box<LitmusView>),
    /// The repairs, and the text with each.
    Repairs {
        repairs: LitmusRepairs,
        texts: Vec<String>,
    },
    /// The text of a test.
    Question(String),
    Failed(LitmusError),
}

/// A launch whose order is looked at: the fields are those of [`RequestBody::Launch`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRequest {
    pub source: String,
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub seed: Option<u64>,
}

/// The cores, by the languages that they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    Ptx,
    Sass,
    /// For what is loaded later: two texts side by side, the layout lens, data races, hangs and outcomes, source code with inline assembly, logs
    /// and files of compilers.
    Both,
}

impl Core {
    /// The core for the language of a text.
    pub fn of_source(source: &str) -> Core {
        // What is around instructions is read by the core that is loaded later.
        if is_wrapped(source) {
            return Core::Both;
        }
        match Front::of_source(source) {
            Front::Ptx => Core::Ptx,
            Front::Sass => Core::Sass,
        }
    }

    /// What its worker is named by (see `start.js`).
    pub fn name(self) -> &'static str {
        match self {
            Core::Ptx => "ptx",
            Core::Sass => "sass",
            Core::Both => "both",
        }
    }
}

/// What is asked about two texts of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BesideRequest {
    /// Runs both with one launch, then goes to a place.
    Open(Box<BesideTexts>, BesideLook),
    /// Goes elsewhere in both.
    Look(BesideLook),
    /// The view is closed: both runs are dropped, with their memory.
    Close,
}

/// Two texts of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideTexts {
    pub source: String,
    /// Those of the first text, as for a launch.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    pub entry: Option<String>,
    pub other: String,
}

/// Where to look at two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideLook {
    /// Stores that each has done; at most is the end, and when two texts are opened the place where they part, if they do.
    pub position: u64,
    /// The row that a memory is shown from, where it is not the first.
    pub first_rows: Vec<(MemoryId, u64)>,
}

/// What the editor asks; places count UTF-16 units from the start of the source.
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
    /// A fragment as a drawing.
    FragmentSvg(FragmentRequest),
    /// A fragment as a text table.
    FragmentTable(FragmentRequest),
    /// A memory of the run as a file.
    MemoryFile(GridRequest, MemoryForm),
}

impl Question {
    /// The core that answers; absent where it is the one that has the run.
    fn core(&self) -> Option<Core> {
        match self {
            Question::FragmentSvg(request) | Question::FragmentTable(request) => of_lens(request),
            _ => self.source().map(Core::of_source),
        }
    }

    /// The text that the question is about.
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

/// The answer to the [`Question`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Start, end and class of one token after another; the class is its number in `TokenClass::ALL`.
    Tokens(Vec<u32>),
    Hover(Option<HoverView>),
    Complete(Vec<CompletionView>),
    Signature(Option<SignatureText>),
    Format(String),
    /// The text of a file; absent when there is no such fragment.
    FragmentSvg(Option<String>),
    FragmentTable(Option<String>),
    /// The bytes of a file, or why there are none.
    MemoryFile(Result<Vec<u8>, String>),
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Goal {
    Start,
    End,
    /// After this many steps, or the end.
    Position(u64),
    StepForward,
    StepBack,
    /// After this many more stores.
    Stores(u32),
    StoreBack,
    /// To a block of the grid, by linear index: where it runs.
    Block(u64),
    /// Lets an operation in flight land.
    Land(u64),
    /// To where the run is watched for something: [`RequestBody::Until`].
    Watched,
    /// Runs to the end to learn the length, for a limited time; then goes to a place.
    Explore(Place),
}

/// Where to go after a run was explored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Place {
    End,
    Position(u64),
    /// After the store at this share of all stores.
    Share(f32),
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The request that is answered.
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
    /// Where elements of a tensor instruction lie, when the request for fragments names one.
    Layout(Box<LayoutPicture>),
    Product(Box<ProductAnswer>),
    Beside(BesideAnswer),
    Litmus(LitmusAnswer),
    File(FileAnswer),
    /// The file with the reference: [`Pages`](warpgrid_view::source::reference::Pages), encoded; or why there is none.
    Reference(Result<Vec<u8>, String>),
    Answer(Answer),
    Launched(LaunchFacts),
    Refused(Refusal),
    /// A long run is under way.
    Progress {
        position: u64,
    },
    Frame(Box<Frame>),
    Writers(Vec<(u64, Vec<StoreView>)>),
    /// The edit of the text, or why there is none.
    EditStart(Result<StartEdit, String>),
    /// Where it is, or why it is nowhere.
    Found(Result<FoundCell, String>),
    /// Where a run until something has come to; its frame follows. Or why it cannot be waited for.
    Until(Result<Reached, UntilError>),
    /// The stores that wrote a cell.
    History(Box<CellHistory>),
    /// What the steps that were seen cost.
    Traffic(TrafficWords),
    /// What other orders of the same run end with.
    Orders(SeedReport),
    /// Data races of the run, and why it never ends.
    Order(Box<OrderAnswer>),
    /// The text without bank conflicts, or why there is none.
    Cured(Result<Cured, String>),
}

/// What was found of the order of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderAnswer {
    pub report: RaceReport,
    pub hang: Option<HangView>,
    /// Accesses to shared memory with bank conflicts, and what frees their buffers; accesses to global memory that move more than they need.
    pub conflicts: ConflictReport,
    /// The layout of each access, by line.
    pub layouts: Vec<AccessLayout>,
    /// Bytes that accesses of a race both touch, and those that are read though nothing has written them.
    pub marks: Vec<OrderMark>,
}

/// Bytes of a memory that something is to be said of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderMark {
    pub memory: MemoryId,
    /// From the start of the memory.
    pub bytes: std::ops::Range<u64>,
    /// Lines of the text.
    pub lines: Vec<u32>,
    /// What it is, in a few words.
    pub title: String,
    /// Whether it matters less: the same value, or a rule that much code leaves out.
    pub is_quiet: bool,
}

/// What is answered about two texts of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BesideAnswer {
    /// Both have run.
    Opened(Box<BesideOpened>),
    /// One of them does not run: 0 for the first.
    Refused(usize, Refusal),
    Frame(Box<BesideFrame>),
}

/// How two texts end, and where they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideOpened {
    pub report: BesideReport,
    /// The `//@` lines that would state what was guessed of the launch of both.
    pub guesses: Vec<String>,
    pub frame: BesideFrame,
}

/// How a tensor core computes an element, and what else could be computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductAnswer {
    /// The steps, or why there are none.
    pub view: Result<ProductView, String>,
    /// The products that the target has.
    pub choices: Vec<ProductChoice>,
    pub targets: Vec<String>,
}

/// What was launched, with what was guessed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchFacts {
    pub entry: Option<String>,
    /// Every kernel of the module, in order.
    pub kernels: Vec<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    pub dynamic_shared: u64,
    pub seed: u64,
    /// `x: f32[256]`, one per parameter.
    pub params: Vec<String>,
    /// `R2 = lane * 4`, one for each that is stated.
    pub registers: Vec<String>,
    /// Misaligned addresses are rounded down; otherwise a run stops at them.
    pub rounds_addresses: bool,
    /// The `//@` lines that would state what was guessed.
    pub guesses: Vec<String>,
}

/// Why nothing runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

/// A message as bytes.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// A message from bytes; absent when they are none.
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
