//! The state of the page and the reducer that changes it.
//!
//! [`reduce`] is pure: side effects, such as a message to the worker, are queued in [`Model::outbox`].

mod actions;
mod active_view;
mod compare;
mod file;
pub mod fixture;
mod history;
mod initial_value;
mod layout_explorer;
mod litmus;
mod mma_arithmetic;
mod responses;
mod run;
mod run_until;
mod zoom;

pub use actions::{Action, reduce};
pub use active_view::{ActiveView, Stage};
pub use compare::CompareAction;
pub use file::{ChosenProgram, FileAction, OpenedFile};
pub use history::place_of;
pub use initial_value::InitialValueState;
pub use layout_explorer::LayoutExplorerAction;
pub use litmus::LitmusAction;
pub use mma_arithmetic::MmaArithmeticAction;
pub use run::{PendingMove, RewriteState, Run, RunFindings, WriteHistory};
pub use run_until::{RunUntilAction, RunUntilState};
pub use zoom::{Zoom, ZoomStep};

use crate::examples::EXAMPLES;
use crate::protocol::{MoveTarget, Request, RequestBody};
use crate::reference::{ReferenceIndex, ReferenceTopic};
use crate::share::SharedView;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::rc::Rc;
use warpgrid_view::model::{
    FrameRequest, GridCell, GridRequest, MemoryGrid, MemoryView, SessionFrame, StoreView,
};
use warpgrid_view::value::ElementType;
use warpgrid_view::{CheckOptions, CheckReport, MemoryKey, SourceLanguage};

/// Maximum number of positions for which stores are cached.
const MAX_KNOWN_STORES: usize = 512;
/// Maximum number of requests in the outbox, which is sent after each change.
const MAX_OUTBOX: usize = 64;
/// Maximum size in bytes of sources that are checked immediately. Longer sources are checked after a pause in typing.
const EAGER_BYTES: usize = 300_000;

/// State from which the whole page is rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub text: Rc<str>,
    /// Language in which the source is written, as detected by the page.
    pub front: SourceLanguage,
    /// Number of edits of the source.
    pub revision: u32,
    /// Index of the example from which the source was loaded. `None` after an edit.
    pub example: Option<usize>,
    /// Index of the selected example while its source is being loaded.
    pub awaited: Option<usize>,
    /// The saved kernels of the user, newest first.
    pub saved_kernels: Rc<[SavedKernel]>,
    /// ID of the saved kernel in the editor, if the editor contains a saved kernel.
    pub current_kernel_id: Option<String>,
    /// Position at which a newly selected or pasted source is shown first. `None` after the first frame.
    pub fresh: Option<InitialPosition>,
    /// Step that the page shows first if it opens the source without a link to a step. `None` if such a link or an earlier tab selected the
    /// first step.
    pub default_step: Option<u64>,
    /// Overrides of `.target` and `.version` of the module.
    pub target: Option<String>,
    pub ptx_version: Option<String>,
    /// The selected kernel. Defaults to the kernel named in the source.
    pub entry: Option<String>,
    /// The selected scheduler seed. Defaults to the seed in the source.
    pub seed: Option<u64>,
    /// `//@` lines of the launch configuration that was inferred when a link was created. Empty if the page infers the configuration
    /// itself.
    pub inferred_annotations: Rc<str>,
    pub report: Rc<CheckReport>,
    /// Revision of the source to which the check report belongs.
    pub report_revision: u32,
    /// Number of received check reports. Each report is followed by a launch.
    pub checked: u32,
    pub run: Run,
    pub until: RunUntilState,
    pub start: InitialValueState,
    pub playing: bool,
    pub views: BTreeMap<MemoryKey, GridViewOptions>,
    /// Warp that the page shows. Defaults to the warp of the last step.
    pub warp: Option<(u64, u32)>,
    pub hover: Option<Focus>,
    pub pinned: Option<Focus>,
    pub known_stores: BTreeMap<u64, Rc<Vec<StoreView>>>,
    /// Number of repeated requests for the stores to the focused cell.
    pub writer_retries: u8,
    pub hex_registers: bool,
    pub help: bool,
    /// The open reference page.
    pub reference: Option<ReferenceTopic>,
    /// Reference index. `None` until the worker has sent it.
    pub library: Option<Rc<ReferenceIndex>>,
    pub screen: ActiveView,
    /// Opened compiled file, and the code object that was last selected in it.
    pub file: Option<OpenedFile>,
    pub chosen: Option<ChosenProgram>,
    /// Reason why the reference could not be loaded.
    pub no_library: Option<String>,
    /// Error of the page itself, which the banner shows.
    pub trouble: Option<PageError>,
    pub theme: ThemeChoice,
    pub outbox: Vec<Request>,
    pub next_request: u32,
}

/// Saved kernel in the list of the kernel menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedKernel {
    pub id: String,
    pub label: String,
}

/// Position of the run at which a source is shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialPosition {
    /// The position after a fixed fraction of the stores, which is used for examples.
    Example,
    /// The position after the first store.
    Text,
    /// The step in the link that contained the source.
    Step(u64),
}

/// Error of the page itself, with its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError {
    /// The worker stopped.
    EmulatorStopped(String),
    /// The kernel could not be saved.
    SaveFailed(String),
    /// An example could not be loaded.
    ExampleLoadFailed(String),
    /// A link or a file could not be opened.
    OpenFailed(String),
}

/// View options of a memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridViewOptions {
    pub ty: Option<ElementType>,
    pub columns: Option<u32>,
    pub overlay: Overlay,
    pub zoom: Zoom,
    pub table: bool,
    pub folded: bool,
    /// Element to which the grid scrolls when it is rendered for the first time.
    pub scroll_to_element: Option<u64>,
    pub first_row: u64,
    pub n_rows: u32,
}

/// Contents of the cells of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    #[default]
    Value,
    Lane,
    LastStep,
}

/// Item that is selected by the pointer, the keyboard or a pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Element of a memory, in the current element type of the grid.
    Cell {
        memory: MemoryKey,
        index: u64,
    },
    Lane(u8),
    Line(u32),
    Register(String),
    /// Element of a matrix that the last step accessed: the index of the operand, and the index of the cell in the operand.
    Element {
        operand: usize,
        cell: usize,
    },
}

/// The color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    System,
    Light,
    Dark,
}

impl Model {
    /// Returns the initial state of the page.
    pub fn new(text: &str, example: Option<usize>) -> Model {
        let mut model = Model {
            text: text.into(),
            front: SourceLanguage::Ptx,
            revision: 0,
            example,
            awaited: None,
            saved_kernels: Rc::from([]),
            current_kernel_id: None,
            fresh: Some(match example {
                Some(_) => InitialPosition::Example,
                None => InitialPosition::Text,
            }),
            default_step: None,
            target: None,
            ptx_version: None,
            entry: None,
            seed: None,
            inferred_annotations: Rc::from(""),
            report: Rc::default(),
            report_revision: 0,
            checked: 0,
            run: Run::default(),
            until: RunUntilState::default(),
            start: InitialValueState::default(),
            playing: false,
            views: BTreeMap::new(),
            warp: None,
            hover: None,
            pinned: None,
            known_stores: BTreeMap::new(),
            writer_retries: 0,
            hex_registers: false,
            help: false,
            reference: None,
            library: None,
            screen: ActiveView::Kernel,
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

    /// Returns the identifier of the example in the editor. `None` after an edit.
    pub fn example_id(&self) -> Option<&'static str> {
        let example = self.example.and_then(|index| EXAMPLES.get(index));
        example.map(|example| example.id)
    }

    /// Applies the view state in a link to the source of the link.
    pub fn apply_shared_view(&mut self, linked: SharedView) {
        if let Some(step) = linked.step {
            self.fresh = Some(InitialPosition::Step(step));
        }
        let is_overridden = linked.target.is_some() || linked.ptx_version.is_some();
        (self.target, self.ptx_version) = (linked.target, linked.ptx_version);
        (self.entry, self.seed) = (linked.entry, linked.seed);
        self.inferred_annotations = linked.inferred_annotations.unwrap_or_default().into();
        (self.pinned, self.warp) = (linked.pin, linked.warp);
        self.hex_registers = linked.hex_registers;
        self.views.clear();
        for (memory, choice) in linked.grids {
            self.views.insert(memory, choice);
        }
        // The pending check uses the directives of the source. If the link overrides them, another check is necessary.
        if is_overridden {
            self.text_changed();
        }
        if let Some((other, stores)) = linked.beside {
            compare::open_at(self, other, stores);
        }
    }

    /// Returns the source followed by the inferred annotations. The annotations follow the source, so that line numbers do not change.
    pub(crate) fn annotated_source(&self) -> String {
        match self.inferred_annotations.is_empty() {
            true => self.text.to_string(),
            false => [&*self.text, &*self.inferred_annotations].join("\n"),
        }
    }

    /// Returns the overrides with which the source is checked.
    pub fn check_options(&self) -> CheckOptions {
        CheckOptions {
            language: SourceLanguage::Ptx,
            target: self.target.clone(),
            ptx_version: self.ptx_version.clone(),
        }
    }

    /// Checks whether the source is so long that it is checked only after a pause in typing.
    pub fn is_long(&self) -> bool {
        self.text.len() > EAGER_BYTES
    }

    /// Checks whether there is code that can run: the worker has accepted the whole source, or the selected block of inline assembly.
    pub fn can_run(&self) -> bool {
        let parts = &self.report.parts;
        let is_meant = |name: &String| self.entry.as_ref().is_none_or(|entry| entry == name);
        self.report.accept || parts.iter().any(|part| part.accept && is_meant(&part.name))
    }

    /// Checks whether the report belongs to the current source.
    pub fn is_report_current(&self) -> bool {
        self.report_revision == self.revision
    }

    /// Returns the focus that determines the linked highlights: the focus of the pointer, otherwise the pinned focus.
    pub fn focus(&self) -> Option<&Focus> {
        self.hover.as_ref().or(self.pinned.as_ref())
    }

    /// Checks whether the frame belongs to an older version of the source, or whether an example is about to replace the source.
    pub fn is_stale(&self) -> bool {
        self.run.launched_revision != self.revision
            || self.run.is_launching
            || self.awaited.is_some()
    }

    /// Returns the frame request for the visible rows of all memories.
    pub fn frame_request(&self) -> FrameRequest {
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

    /// Returns an element of a memory if it is in the rows of the current frame.
    pub fn cell(&self, memory: &MemoryKey, index: u64) -> Option<(&MemoryGrid, &GridCell)> {
        let frame = self.run.frame.as_deref()?;
        cell_of(frame, memory, index)
    }

    /// Returns the stores directly before a position, if they are cached.
    pub fn stores_of(&self, step: u64) -> Option<&[StoreView]> {
        if let Some(stores) = self.known_stores.get(&step) {
            return Some(stores);
        }
        let store = self.run.frame.as_deref()?.store.as_ref()?;
        (store.step + 1 == step).then(|| std::slice::from_ref(store))
    }

    /// Updates the state after the source or an override has changed.
    fn text_changed(&mut self) {
        self.front = SourceLanguage::of_source(&self.text);
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
        // Only the newest source must be checked and run, so the outbox contains at most one request of each of these kinds.
        if matches!(
            body,
            RequestBody::Check { .. } | RequestBody::Launch { .. } | RequestBody::Analyze(_)
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

    fn go(&mut self, goal: MoveTarget) {
        if self.run.frame.is_none() || self.is_stale() {
            return;
        }
        let id = self.next_request;
        self.send(RequestBody::Move {
            goal,
            look: self.frame_request(),
        });
        self.run.busy = Some(PendingMove { id, position: None });
    }
}

/// Returns the cell of an element in a frame.
pub fn cell_of<'a>(
    frame: &'a SessionFrame,
    memory: &MemoryKey,
    index: u64,
) -> Option<(&'a MemoryGrid, &'a GridCell)> {
    let grid = frame.grids.iter().find(|grid| grid.memory.id == *memory)?;
    let first = grid.first_row * u64::from(grid.columns);
    let at = index.checked_sub(first)?;
    let cell = grid.cells.get(usize::try_from(at).ok()?)?;
    Some((grid, cell))
}
