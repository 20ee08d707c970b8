//! The actions of the page.

use super::heard::{Letter, heard};
use super::history::ask_history;
use super::{
    BesideAction, Busy, Cure, FileAction, Focus, Fresh, GridChoice, History, MatrixAction, Model,
    OutcomesAction, Overlay, OwnText, ProductAction, Screen, StartPage, ThemeChoice, Trouble,
    UntilAction, Zoom, ZoomStep, screen,
};
use super::{beside, file, matrix, outcomes, product, start, until};
use crate::examples::{self, EXAMPLES};
use crate::protocol::{Core, Goal, OrderRequest, Place, RequestBody};
use crate::reference::Subject;
use crate::share::Linked;
use std::rc::Rc;
use warpgrid_view::MemoryId;
use warpgrid_view::model::RunStatus;
use warpgrid_view::session::memory_search::FoundCell;
use warpgrid_view::session::start::StartPlace;
use warpgrid_view::value::ElementType;
use warpgrid_worker::first::SHARE_OF_EXAMPLE;

/// Number of rows requested for a newly opened memory. Its grid then requests the visible rows.
const FIRST_ROWS: u32 = 18;
/// Maximum number of steps in one request for stores.
const MAX_ASKED_STEPS: usize = 64;
/// Approximate number of timer ticks that the playback of a large number of stores takes.
const PLAY_TICKS: u64 = 200;

/// An event that changes the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Edited {
        text: Rc<str>,
        /// Whether the text replaces a different source, of which little is left.
        is_another: bool,
    },
    /// An example was selected and its source is loading.
    AwaitExample(usize),
    /// The source of the example has loaded.
    ShowExample(usize, Rc<str>),
    /// The example could not be loaded, with the reason.
    ExampleFailed(String),
    /// A file was opened, with its source and view state.
    OpenShared(Rc<str>, Box<Linked>),
    /// A link or a file could not be opened, with the reason.
    OpenFailed(String),
    /// The saved kernels of the user, and the ID of the one in the editor.
    ListTexts {
        texts: Rc<[OwnText]>,
        own: Option<String>,
    },
    /// A kernel could not be saved, with the reason. The reason is empty once saving succeeds again.
    KeepFailed(String),
    SetTarget(Option<String>),
    SetVersion(Option<String>),
    /// Removes the overrides of version and target.
    TakeBackOverrides,
    /// Runs another kernel of the module.
    PickKernel(String),
    /// The pause in typing is long enough to check a long source.
    CheckDue,
    /// An accepted source has been unchanged for long enough to be run.
    LaunchDue,
    Move(Goal),
    TogglePlay,
    /// A timer tick of the playback.
    Tick,
    Stop,
    Window {
        memory: MemoryId,
        first_row: u64,
        n_rows: u32,
    },
    SetType(MemoryId, Option<ElementType>),
    SetColumns(MemoryId, Option<u32>),
    SetOverlay(MemoryId, Overlay),
    /// Zooms in or out, keeping an element in view.
    Zoom(MemoryId, ZoomStep, Option<u64>),
    ToggleTable(MemoryId),
    ToggleFold(MemoryId),
    /// Opens the card of a memory without a grid.
    OpenMemory(MemoryId),
    ShowWarp(Option<(u64, u32)>),
    /// Moves to a position at which a block of the grid executes, and shows its first warp.
    GoToBlock(u64),
    Hover(Option<Focus>),
    Pin(Option<Focus>),
    /// Pins the target of a tour and scrolls to it.
    Show(Option<Focus>),
    /// Searches for a value, an address or a name, starting after the pinned cell.
    Find(String),
    SetHexRegisters(bool),
    /// Counts the traffic of a run that is too long for automatic counting.
    CountTraffic,
    /// Runs the same source with another scheduler seed.
    SetSeed(u64),
    Heard(Letter),
    WorkerDied(String),
    /// Requests the source without bank conflicts.
    Cure,
    /// The worker that is loaded after the first grid stopped, with the reason.
    LaterCoreDied(String),
    Relaunch,
    DismissTrouble,
    SetHelp(bool),
    /// Opens or closes a reference page.
    SetReference(Option<Subject>),
    /// An action of the Layout Explorer.
    Matrix(MatrixAction),
    /// An action of the Tensor Core arithmetic view.
    Product(ProductAction),
    /// An action of the litmus test view.
    Outcomes(OutcomesAction),
    /// An action of the comparison view.
    Beside(BesideAction),
    /// Changes an initial value of the launch.
    EditStart(StartPlace, String),
    /// Starts a conditional run or changes the breakpoints.
    Until(UntilAction),
    /// An action of a compiled file.
    File(FileAction),
    SetTheme(ThemeChoice),
}

/// Returns the state after an action.
pub fn reduce(mut model: Model, action: Action) -> Model {
    match action {
        Action::Move(_) | Action::TogglePlay | Action::Stop if model.screen.covers_kernel() => {
            screen::use_transport(&mut model, action);
        }
        Action::Beside(action) => beside::act(&mut model, action),
        Action::EditStart(place, value) => start::ask(&mut model, place, value),
        Action::Until(action) => until::act(&mut model, action),
        Action::File(action) => file::act(&mut model, action),
        Action::Matrix(action) => matrix::act(&mut model, action),
        Action::Outcomes(action) => outcomes::act(&mut model, action),
        Action::Product(action) => product::act(&mut model, action),
        Action::Edited { text, .. } if model.text == text => {}
        Action::Edited { text, is_another } => {
            // A different source is shown at its first store instead of the previous position, and for its own target.
            if is_another || is_mostly_another(&model.text, &text) {
                model.fresh = Some(Fresh::Text);
                forget_views(&mut model);
            }
            edited(&mut model, text);
        }
        Action::AwaitExample(index) => model.awaited = Some(index),
        Action::ShowExample(index, text) => {
            // Another source may have been selected while the example was loading.
            if model.awaited == Some(index) {
                show_example(&mut model, index, text);
            }
        }
        Action::ExampleFailed(why) => {
            model.awaited = None;
            model.trouble = Some(Trouble::Example(why));
        }
        Action::OpenShared(text, linked) => open_shared(&mut model, text, *linked),
        Action::OpenFailed(why) => model.trouble = Some(Trouble::Open(why)),
        Action::ListTexts { texts, own } => (model.texts, model.own) = (texts, own),
        Action::KeepFailed(why) => keep_failed(&mut model, why),
        Action::SetTarget(target) => {
            model.target = target;
            model.text_changed();
        }
        Action::SetVersion(version) => {
            model.ptx_version = version;
            model.text_changed();
        }
        Action::TakeBackOverrides => {
            if model.target.take().is_some() | model.ptx_version.take().is_some() {
                model.text_changed();
            }
        }
        Action::PickKernel(name) => pick_kernel(&mut model, name),
        Action::CheckDue => model.ask_check(),
        Action::LaunchDue => launch(&mut model),
        Action::Move(goal) => {
            model.playing = false;
            if let Goal::Land(_) = goal {
                // The results for later steps are invalid now.
                model.run.history = History::default();
            }
            model.go(goal);
        }
        Action::TogglePlay => toggle_play(&mut model),
        Action::Tick => tick(&mut model),
        Action::Stop => stop(&mut model),
        Action::Window {
            memory,
            first_row,
            n_rows,
        } => {
            let choice = view_of(&mut model, memory);
            if (choice.first_row, choice.n_rows) != (first_row, n_rows) {
                (choice.first_row, choice.n_rows) = (first_row, n_rows);
                look_again(&mut model);
            }
        }
        Action::SetType(memory, ty) => change_view(&mut model, memory, |choice| {
            (choice.ty, choice.first_row) = (ty, 0);
        }),
        Action::SetColumns(memory, columns) => change_view(&mut model, memory, |choice| {
            (choice.columns, choice.first_row) = (columns, 0);
        }),
        Action::SetOverlay(memory, overlay) => view_of(&mut model, memory).overlay = overlay,
        Action::Zoom(memory, step, element) => zoom(&mut model, memory, step, element),
        Action::ToggleTable(memory) => {
            let choice = view_of(&mut model, memory);
            choice.table = !choice.table;
        }
        Action::ToggleFold(memory) => {
            let choice = view_of(&mut model, memory);
            choice.folded = !choice.folded;
        }
        Action::ShowWarp(warp) => {
            model.warp = warp;
            look_again(&mut model);
        }
        Action::OpenMemory(memory) => change_view(&mut model, memory, |choice| {
            (choice.folded, choice.n_rows) = (false, FIRST_ROWS);
        }),
        Action::GoToBlock(block) => {
            model.playing = false;
            model.warp = Some((block, 0));
            model.go(Goal::Block(block));
        }
        Action::Hover(focus) => {
            model.asked_again = 0;
            ask_writer(&mut model, focus.as_ref());
            model.hover = focus;
        }
        Action::Pin(focus) => {
            ask_writer(&mut model, focus.as_ref());
            model.pinned = if model.pinned == focus { None } else { focus };
            ask_history(&mut model);
        }
        Action::Show(focus) => show(&mut model, focus),
        Action::Find(text) => find(&mut model, text),
        Action::SetHexRegisters(hex) => model.hex_registers = hex,
        Action::CountTraffic => model.send(RequestBody::CountTraffic),
        Action::SetSeed(seed) => set_seed(&mut model, seed),
        Action::Heard(letter) => {
            if let Some(response) = letter.open() {
                heard(&mut model, response);
            }
        }
        Action::WorkerDied(why) => worker_died(&mut model, why),
        Action::Cure => ask_cure(&mut model),
        // The kernel runs without this worker; only the analysis, such as data races, is missing.
        Action::LaterCoreDied(why)
            if model.screen.covers_kernel() || Core::of_source(&model.text) == Core::Both =>
        {
            worker_died(&mut model, why);
        }
        Action::LaterCoreDied(_) => {}
        Action::Relaunch => {
            model.trouble = None;
            model.ask_check();
        }
        Action::DismissTrouble => model.trouble = None,
        Action::SetHelp(open) => model.help = open,
        Action::SetReference(subject) => open_reference(&mut model, subject),
        Action::SetTheme(theme) => model.theme = theme,
    }
    model
}

fn pick_kernel(model: &mut Model, name: String) {
    model.entry = Some(name);
    model.guessed = Rc::from("");
    model.fresh = Some(Fresh::Text);
    model.views.clear();
    (model.warp, model.pinned) = (None, None);
    launch(model);
}

/// Runs the source with another seed. The results of all schedules stay visible during the launch.
fn set_seed(model: &mut Model, seed: u64) {
    let orders = model.run.orders.clone();
    model.seed = Some(seed);
    model.playing = false;
    launch_at(model, Place::End);
    model.run.orders = orders;
}

fn stop(model: &mut Model) {
    let was_idle = !model.playing && model.run.busy.is_none();
    model.playing = false;
    if was_idle {
        model.pinned = None;
    } else {
        model.send(RequestBody::Stop);
    }
}

fn worker_died(model: &mut Model, why: String) {
    model.trouble = Some(Trouble::Core(why));
    model.playing = false;
    model.run.busy = None;
    model.run.launch += 1;
    model.run.launched_revision = 0;
    model.run.waiting_for_launch = false;
}

fn open_reference(model: &mut Model, subject: Option<Subject>) {
    if subject.is_some() && model.library.is_none() {
        model.no_library = None;
        model.send(RequestBody::Reference);
    }
    model.reference = subject;
}

fn view_of(model: &mut Model, memory: MemoryId) -> &mut GridChoice {
    model.views.entry(memory).or_default()
}

fn keep_failed(model: &mut Model, why: String) {
    match (&model.trouble, why.is_empty()) {
        // A stopped worker is the more severe error.
        (Some(Trouble::Core(_)), _) | (None, true) => {}
        (Some(Trouble::Keep(_)), true) => model.trouble = None,
        (Some(Trouble::Example(_) | Trouble::Open(_)), true) => {}
        (_, false) => model.trouble = Some(Trouble::Keep(why)),
    }
}

fn edited(model: &mut Model, text: Rc<str>) {
    model.text = text;
    model.awaited = None;
    model.text_changed();
    model.playing = false;
    model.seed = None;
    model.guessed = Rc::from("");
    if !model.start.is_applied(&model.text) {
        model.start = StartPage::default();
    }
    model.hover = None;
    if model.text.trim().is_empty() {
        // An empty source has no run.
        (model.run.frame, model.run.facts, model.run.refusal) = (None, None, None);
    }
    let example = model.example.and_then(|index| EXAMPLES.get(index));
    if example.is_none_or(|example| !example.is_text(&model.text)) {
        model.example = None;
    }
}

/// Removes the frame if a newly inserted source cannot run, because the memory contents belong to the previous source.
pub(super) fn leave_other_text(model: &mut Model) {
    if model.fresh == Some(Fresh::Text) {
        (model.run.frame, model.run.facts) = (None, None);
    }
}

/// Resets the choices that were made for the previous source.
fn forget_views(model: &mut Model) {
    model.views.clear();
    (model.warp, model.hover, model.pinned) = (None, None, None);
    (model.target, model.ptx_version, model.entry) = (None, None, None);
    model.guessed = Rc::from("");
    model.seed = None;
}

/// Checks whether the unchanged start and end of a text amount to less than half of it.
fn is_mostly_another(before: &str, after: &str) -> bool {
    let same = |a: &mut dyn Iterator<Item = u8>, b: &mut dyn Iterator<Item = u8>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let start = same(&mut before.bytes(), &mut after.bytes());
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let end = same(
        &mut before[start..].iter().rev().copied(),
        &mut after[start..].iter().rev().copied(),
    );
    (start + end) * 2 < before.len().max(after.len())
}

pub(super) fn show_example(model: &mut Model, index: usize, text: Rc<str>) {
    model.awaited = None;
    model.text = text;
    model.example = Some(index);
    model.fresh = Some(Fresh::Example);
    model.playing = false;
    forget_views(model);
    model.text_changed();
}

fn open_shared(model: &mut Model, text: Rc<str>, linked: Linked) {
    model.show_screen(Screen::Kernel);
    model.awaited = None;
    model.example = examples::with_source(&text);
    model.text = text;
    model.fresh = Some(Fresh::Text);
    model.playing = false;
    forget_views(model);
    model.text_changed();
    model.follow_link(linked);
}

fn launch(model: &mut Model) {
    if !model.is_report_current() {
        return;
    }
    if !model.can_run() {
        model.run.busy = None;
        model.playing = false;
        return;
    }
    let place = match (&model.run.frame, model.fresh) {
        (_, Some(Fresh::Example)) => Place::Share(SHARE_OF_EXAMPLE),
        (_, Some(Fresh::Text)) => Place::Share(0.0),
        (_, Some(Fresh::At(step))) => Place::Position(step),
        (Some(frame), None) if frame.status == RunStatus::Running => {
            Place::Position(frame.position)
        }
        _ => Place::End,
    };
    launch_at(model, place);
}

/// Launches the source and moves to a place.
fn launch_at(model: &mut Model, place: Place) {
    model.run.launch += 1;
    model.run.launched_revision = model.revision;
    model.run.waiting_for_launch = true;
    model.until.answer = None;
    keep_findings(model);
    (model.run.traffic, model.run.orders) = (None, None);
    (model.run.order, model.run.order_asked) = (None, false);
    model.run.text = Rc::clone(&model.text);
    model.run.cure = Cure::Unasked;
    model.run.history = History::default();
    model.known_stores.clear();
    let id = model.next_request;
    model.send(RequestBody::Launch {
        source: model.stated(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
        entry: model.entry.clone(),
        seed: model.seed,
        goal: Goal::Explore(place),
        look: model.look(),
    });
    model.run.busy = Some(Busy { id, position: None });
}

/// Keeps the findings of the previous launch visible while a changed version of the same source is analyzed.
fn keep_findings(model: &mut Model) {
    if model.fresh.is_some() {
        model.run.before = None;
    } else if model.run.order.is_some() || model.run.orders.is_some() {
        model.run.before = Some(Rc::new(model.run.findings()));
    }
}

/// Requests the analysis once the length of the run is known, because the worker for it is loaded after the first grid.
pub(super) fn ask_order(model: &mut Model) {
    let length = model.run.frame.as_ref().and_then(|frame| frame.length);
    let is_due = length.is_some_and(|length| length <= warpgrid_worker::order::MAX_STEPS);
    if length.is_some() && !is_due {
        model.run.before = None;
    }
    if !is_due || model.run.order_asked || model.is_stale() {
        return;
    }
    model.run.order_asked = true;
    let request = order_request(model);
    model.send(RequestBody::Order(request));
}

/// Requests the source without bank conflicts.
fn ask_cure(model: &mut Model) {
    if model.is_stale() {
        return;
    }
    model.run.cure = Cure::Asked;
    let request = order_request(model);
    model.send(RequestBody::Cure(request));
}

pub(super) fn order_request(model: &Model) -> Box<OrderRequest> {
    Box::new(OrderRequest {
        source: model.stated(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
        entry: model.entry.clone(),
        seed: model.seed,
    })
}

fn toggle_play(model: &mut Model) {
    if model.playing {
        model.playing = false;
        return;
    }
    let Some(frame) = &model.run.frame else {
        return;
    };
    if model.is_stale() {
        return;
    }
    let at_end = frame.status != RunStatus::Running;
    model.playing = true;
    if at_end {
        model.go(Goal::Start);
    }
}

fn tick(model: &mut Model) {
    let Some(frame) = model.run.frame.clone() else {
        return;
    };
    if !model.playing || model.run.busy.is_some() {
        return;
    }
    if frame.status != RunStatus::Running {
        model.playing = false;
        return;
    }
    let n_stores = (frame.stores_known / PLAY_TICKS).max(1);
    model.go(Goal::Stores(u32::try_from(n_stores).unwrap_or(u32::MAX)));
}

fn change_view(model: &mut Model, memory: MemoryId, change: impl FnOnce(&mut GridChoice)) {
    change(model.views.entry(memory).or_default());
    model.hover = None;
    if matches!(model.pinned, Some(Focus::Cell { .. })) {
        model.pinned = None;
    }
    look_again(model);
}

/// Changes the size of the cells. The anchor element stays in view: the given one, or else the hovered, the pinned, or the first visible
/// one.
fn zoom(model: &mut Model, memory: MemoryId, step: ZoomStep, element: Option<u64>) {
    let focused = match model.focus() {
        Some(Focus::Cell { memory: of, index }) if *of == memory => Some(*index),
        _ => None,
    };
    let grids = model.run.frame.iter().flat_map(|frame| &frame.grids);
    let grid = grids.clone().find(|grid| grid.memory.id == memory);
    let first = grid.map(|grid| grid.first_row * u64::from(grid.columns));
    let choice = view_of(model, memory);
    choice.zoom = choice.zoom.after(step);
    choice.reveal = element.or(focused).or(first);
}

/// Pins a focus, and scrolls to it if it is a cell.
pub(super) fn show(model: &mut Model, focus: Option<Focus>) {
    if let Some(Focus::Cell { memory, index }) = &focus {
        let index = *index;
        change_view(model, memory.clone(), |choice| {
            (choice.ty, choice.folded, choice.reveal) = (None, false, Some(index));
            // The cell has to be large enough to show its value.
            if choice.zoom.pixels().is_some() {
                choice.zoom = Zoom::Fit;
            }
        });
    }
    ask_writer(model, focus.as_ref());
    model.pinned = focus;
    ask_history(model);
}

fn find(model: &mut Model, text: String) {
    if model.run.frame.is_none() || model.is_stale() {
        return;
    }
    let after = match &model.pinned {
        Some(Focus::Cell { memory, index }) => Some(FoundCell {
            memory: memory.clone(),
            index: *index,
        }),
        _ => None,
    };
    model.send(RequestBody::Find { text, after });
}

fn look_again(model: &mut Model) {
    if model.run.frame.is_some() {
        let look = model.look();
        model.send(RequestBody::Look(look));
    }
}

/// Requests the stores to a cell, or to every visible cell if a line has the focus. Each step is requested once.
pub(super) fn ask_writer(model: &mut Model, focus: Option<&Focus>) {
    if model.is_stale() {
        return;
    }
    let mut steps: Vec<u64> = match focus {
        Some(Focus::Cell { memory, index }) => {
            let cell = model.cell(memory, *index);
            cell.and_then(|(_, cell)| cell.step).into_iter().collect()
        }
        Some(Focus::Line(_)) => {
            let grids = model.run.frame.iter().flat_map(|frame| &frame.grids);
            let cells = grids.flat_map(|grid| &grid.cells);
            cells.filter_map(|cell| cell.step).collect()
        }
        _ => return,
    };
    steps.sort_by_cached_key(|step| *step);
    steps.dedup();
    steps.retain(|step| model.stores_of(*step).is_none());
    steps.truncate(MAX_ASKED_STEPS);
    if !steps.is_empty() {
        model.send(RequestBody::Writers(steps));
    }
}

#[cfg(test)]
mod tests;
