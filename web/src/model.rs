//! The state of the page and the one function that changes it.
//!
//! [`reduce`] is pure: what must happen outside (a message to the worker) is left in [`Model::outbox`].

mod actions;
mod beside;
mod file;
pub mod fixture;
mod heard;
mod history;
mod matrix;
mod outcomes;
mod product;
mod run;
mod screen;
mod start;
mod until;
mod zoom;

pub use actions::{Action, reduce};
pub use beside::BesideAction;
pub use file::{ChosenProgram, FileAction, OpenedFile};
pub use history::place_of;
pub use matrix::MatrixAction;
pub use outcomes::OutcomesAction;
pub use product::ProductAction;
pub use run::{Busy, Cure, Findings, History, Run};
pub use screen::Screen;
pub use start::StartPage;
pub use until::{UntilAction, UntilPage};
pub use zoom::{Zoom, ZoomStep};

use crate::protocol::{Goal, Request, RequestBody};
use crate::reference::{Library, Subject};
use crate::share::Linked;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::rc::Rc;
use warpgrid_view::model::{Cell, Frame, FrameRequest, Grid, GridRequest, MemoryView, StoreView};
use warpgrid_view::value::ElementType;
use warpgrid_view::{CheckOptions, CheckReport, Front, MemoryId};

/// Answers that are kept of what earlier steps stored.
const MAX_KNOWN_STORES: usize = 512;
/// Requests that the outbox holds; they are sent after each change.
const MAX_OUTBOX: usize = 64;
/// Texts up to this many bytes are checked immediately, longer ones after a pause in typing.
const EAGER_BYTES: usize = 300_000;

/// Everything the page shows follows from this.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub text: Rc<str>,
    /// The language that it shows.
    pub front: Front,
    /// Counts the edits.
    pub revision: u32,
    /// The example that the text came from, until it is edited.
    pub example: Option<usize>,
    /// The example that was picked, until its text has arrived.
    pub awaited: Option<usize>,
    /// The person's own texts, the newest first.
    pub texts: Rc<[OwnText]>,
    /// Which of them is in the editor.
    pub own: Option<String>,
    /// The text was picked or pasted and has not been shown yet.
    pub fresh: Option<Fresh>,
    /// Override `.target` and `.version` of the module.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    /// The kernel that was picked; the one that the text says when absent.
    pub entry: Option<String>,
    /// The order that was picked; the one that the text says when absent.
    pub seed: Option<u64>,
    /// The `//@` lines of what was guessed of the launch when a link was made; empty when it is guessed here.
    pub guessed: Rc<str>,
    pub report: Rc<CheckReport>,
    /// The revision that the report is about.
    pub report_revision: u32,
    /// Counts the verdicts; a launch follows each.
    pub checked: u32,
    pub run: Run,
    pub until: UntilPage,
    pub start: StartPage,
    pub playing: bool,
    pub views: BTreeMap<MemoryId, GridChoice>,
    /// The warp to show; that of the last step when absent.
    pub warp: Option<(u64, u32)>,
    pub hover: Option<Focus>,
    pub pinned: Option<Focus>,
    pub known_stores: BTreeMap<u64, Rc<Vec<StoreView>>>,
    /// How often the present focus asked on for stores.
    pub asked_again: u8,
    pub hex_registers: bool,
    pub help: bool,
    /// The page of the reference that is open.
    pub reference: Option<Subject>,
    /// The pages of the reference, once they were asked for.
    pub library: Option<Rc<Library>>,
    pub screen: Screen,
    /// The file of a compiler that is open, and the program of it that was chosen last.
    pub file: Option<OpenedFile>,
    pub chosen: Option<ChosenProgram>,
    /// Why the reference could not be fetched.
    pub no_library: Option<String>,
    /// Something went wrong in the page itself.
    pub trouble: Option<Trouble>,
    pub theme: ThemeChoice,
    pub outbox: Vec<Request>,
    pub next_request: u32,
}

/// A text of the person's, as the list of texts has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnText {
    pub id: String,
    pub label: String,
}

/// Where a text is shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// At its most telling place.
    Example,
    /// After its first store.
    Text,
    /// Where the link that brought it says.
    At(u64),
}

/// What went wrong in the page itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The core has stopped, and why.
    Core(String),
    /// The text cannot be kept, and why.
    Keep(String),
    /// An example could not be loaded, and why.
    Example(String),
    /// A link or a file is not opened, and why.
    Open(String),
}

/// How a memory is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridChoice {
    pub ty: Option<ElementType>,
    pub columns: Option<u32>,
    pub overlay: Overlay,
    pub zoom: Zoom,
    pub table: bool,
    pub folded: bool,
    /// A cell that is brought into sight when the grid is shown first.
    pub reveal: Option<u64>,
    pub first_row: u64,
    pub n_rows: u32,
}

/// What the cells show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    #[default]
    Value,
    Lane,
    Age,
}

/// What the pointer or the keyboard is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Focus {
    /// An element of a memory in the grid's present type.
    Cell {
        memory: MemoryId,
        index: u64,
    },
    Lane(u8),
    Line(u32),
    Register(String),
    /// An element of a matrix of the last step: operand, and cell in it.
    Element {
        operand: usize,
        cell: usize,
    },
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    System,
    Light,
    Dark,
}

impl Model {
    /// The page as it opens.
    pub fn new(text: &str, example: Option<usize>) -> Model {
        let mut model = Model {
            text: text.into(),
            front: Front::Ptx,
            revision: 0,
            example,
            awaited: None,
            texts: Rc::from([]),
            own: None,
            fresh: Some(match example {
                Some(_) => Fresh::Example,
                None => Fresh::Text,
            }),
            target: None,
            ptx_version: None,
            entry: None,
            seed: None,
            guessed: Rc::from(""),
            report: Rc::default(),
            report_revision: 0,
            checked: 0,
            run: Run::default(),
            until: UntilPage::default(),
            start: StartPage::default(),
            playing: false,
            views: BTreeMap::new(),
            warp: None,
            hover: None,
            pinned: None,
            known_stores: BTreeMap::new(),
            asked_again: 0,
            hex_registers: false,
            help: false,
            reference: None,
            library: None,
            screen: Screen::Kernel,
            file: None,
            chosen: None,
            no_library: None,
            trouble: None,
            theme: ThemeChoice::System,
            outbox: Vec::new(),
            next_request: 1,
        };
        model.text_changed();
        model
    }

    /// Shows the text as the link says that brought it.
    pub fn follow_link(&mut self, linked: Linked) {
        if let Some(step) = linked.step {
            self.fresh = Some(Fresh::At(step));
        }
        let is_overridden = linked.target.is_some() || linked.ptx_version.is_some();
        (self.target, self.ptx_version) = (linked.target, linked.ptx_version);
        (self.entry, self.seed) = (linked.entry, linked.seed);
        self.guessed = linked.guessed.unwrap_or_default().into();
        (self.pinned, self.warp) = (linked.pin, linked.warp);
        self.hex_registers = linked.hex_registers;
        self.views.clear();
        for (memory, choice) in linked.grids {
            self.views.insert(memory, choice);
        }
        // The verdict that was asked for is about what the text states.
        if is_overridden {
            self.text_changed();
        }
        if let Some((other, stores)) = linked.beside {
            beside::open_at(self, other, stores);
        }
    }

    /// The text with all that is stated of its launch: after it, where no line moves.
    pub(crate) fn stated(&self) -> String {
        match self.guessed.is_empty() {
            true => self.text.to_string(),
            false => [&*self.text, &*self.guessed].join("\n"),
        }
    }

    /// What the text is checked for instead of what it states.
    pub fn check_options(&self) -> CheckOptions {
        CheckOptions {
            front: Front::Ptx,
            target: self.target.clone(),
            ptx_version: self.ptx_version.clone(),
        }
    }

    /// Whether the text is so long that it is checked only after a pause in typing.
    pub fn is_long(&self) -> bool {
        self.text.len() > EAGER_BYTES
    }

    /// Whether the text has something to run: all of it is accepted, or one of its blocks of inline assembly is.
    pub fn can_run(&self) -> bool {
        let parts = &self.report.parts;
        let is_meant = |name: &String| self.entry.as_ref().is_none_or(|entry| entry == name);
        self.report.accept || parts.iter().any(|part| part.accept && is_meant(&part.name))
    }

    /// Whether the report is about the present text.
    pub fn is_report_current(&self) -> bool {
        self.report_revision == self.revision
    }

    /// What the links follow: the pointer before the pin.
    pub fn focus(&self) -> Option<&Focus> {
        self.hover.as_ref().or(self.pinned.as_ref())
    }

    /// Whether the frame belongs to an older text, or the text is about to make way for an example.
    pub fn is_stale(&self) -> bool {
        self.run.launched_revision != self.revision
            || self.run.waiting_for_launch
            || self.awaited.is_some()
    }

    /// What the page shows of a position.
    pub fn look(&self) -> FrameRequest {
        let frames = self.run.frame.iter();
        let memories = frames.flat_map(|frame| {
            let shown = |memory: &&MemoryView| frame.shows(&memory.id);
            let shown = frame.memories.iter().filter(shown);
            shown.map(move |memory| (&**frame, memory))
        });
        let grids = memories
            .filter_map(|(frame, memory)| {
                let choice = self.views.get(&memory.id)?;
                Some(GridRequest {
                    memory: memory.id.clone(),
                    ty: choice.ty,
                    columns: choice.columns.or(frame.columns_of(&memory.id)),
                    first_row: choice.first_row,
                    n_rows: (choice.n_rows > 0).then_some(choice.n_rows),
                })
            })
            .collect();
        FrameRequest {
            grids,
            warp: self.warp,
        }
    }

    /// The cell of a focus, when it is in the present window.
    pub fn cell(&self, memory: &MemoryId, index: u64) -> Option<(&Grid, &Cell)> {
        let frame = self.run.frame.as_deref()?;
        cell_of(frame, memory, index)
    }

    /// What was stored just before a position, as far as it was asked for.
    pub fn stores_of(&self, step: u64) -> Option<&[StoreView]> {
        if let Some(stores) = self.known_stores.get(&step) {
            return Some(stores);
        }
        let store = self.run.frame.as_deref()?.store.as_ref()?;
        (store.step + 1 == step).then(|| std::slice::from_ref(store))
    }

    /// The text is another one, or is read for another machine.
    fn text_changed(&mut self) {
        self.front = Front::of_source(&self.text);
        self.revision += 1;
        if !self.is_long() {
            self.ask_check();
        }
    }

    fn ask_check(&mut self) {
        self.send(RequestBody::Check {
            revision: self.revision,
            source: self.text.to_string(),
            options: self.check_options(),
        });
    }

    fn send(&mut self, body: RequestBody) {
        // Only the newest text is worth checking or running, and the outbox holds no other.
        if matches!(
            body,
            RequestBody::Check { .. } | RequestBody::Launch { .. } | RequestBody::Order(_)
        ) {
            let kind = discriminant(&body);
            self.outbox
                .retain(|request| discriminant(&request.body) != kind);
        }
        let id = self.next_request;
        self.next_request += 1;
        let request = Request {
            id,
            launch: self.run.launch,
            body,
        };
        self.outbox.push(request);
        if self.outbox.len() > MAX_OUTBOX {
            self.outbox.remove(0);
        }
    }

    fn go(&mut self, goal: Goal) {
        if self.run.frame.is_none() || self.is_stale() {
            return;
        }
        let id = self.next_request;
        self.send(RequestBody::Move {
            goal,
            look: self.look(),
        });
        self.run.busy = Some(Busy { id, position: None });
    }
}

/// The cell with this element index in a frame.
pub fn cell_of<'a>(
    frame: &'a Frame,
    memory: &MemoryId,
    index: u64,
) -> Option<(&'a Grid, &'a Cell)> {
    let grid = frame.grids.iter().find(|grid| grid.memory.id == *memory)?;
    let first = grid.first_row * u64::from(grid.columns);
    let at = index.checked_sub(first)?;
    let cell = grid.cells.get(usize::try_from(at).ok()?)?;
    Some((grid, cell))
}
