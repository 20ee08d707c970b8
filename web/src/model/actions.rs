//! Actions of the page, and the state transition of each action.

use super::history::ask_history;
use super::responses::{SharedResponse, handle_response};
use super::{
    ActiveView, CompareAction, FileAction, Focus, GridViewOptions, InitialPosition,
    InitialValueState, LayoutExplorerAction, LitmusAction, MmaArithmeticAction, Model, Overlay,
    PageError, PendingMove, RewriteState, RunUntilAction, SavedKernel, ThemeChoice, WriteHistory,
    Zoom, ZoomStep, active_view,
};
use super::{compare, file, initial_value, layout_explorer, litmus, mma_arithmetic, run_until};
use crate::examples::{self, EXAMPLES};
use crate::protocol::{AnalysisRequest, MoveTarget, PositionAfterMeasure, RequestBody, WorkerKind};
use crate::reference::ReferenceTopic;
use crate::share::SharedView;
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::model::RunStatus;
use warpgrid_view::session::launch_edit::InitialValueTarget;
use warpgrid_view::session::memory_search::CellMatch;
use warpgrid_view::value::ElementType;
use warpgrid_worker::prerecorded::EXAMPLE_STORE_FRACTION;

/// Number of rows that are requested for a newly opened memory. Afterwards, the grid requests the visible rows.
const FIRST_ROWS: u32 = 18;
/// Maximum number of steps in one request for stores.
const MAX_ASKED_STEPS: usize = 64;
/// Approximate number of timer ticks in which a playback shows a large number of stores.
const PLAY_TICKS: u64 = 200;

/// An event that changes the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Edited {
        text: Rc<str>,
        /// Whether the text replaces a different source, of which only a small part remains.
        replaces_source: bool,
    },
    /// An example was selected and its source is loading.
    AwaitExample(usize),
    /// The source of the example has loaded.
    ShowExample(usize, Rc<str>),
    /// The source of the example could not be loaded, with the reason.
    ExampleFailed(String),
    /// A file was opened, with its source and view state.
    OpenShared(Rc<str>, Box<SharedView>),
    /// A link or a file could not be opened, with the reason.
    OpenFailed(String),
    /// The list of saved kernels has changed. Contains the ID of the kernel in the editor.
    ListTexts {
        saved_kernels: Rc<[SavedKernel]>,
        current_kernel_id: Option<String>,
    },
    /// A kernel could not be saved, with the reason. The reason is empty once saving succeeds again.
    KeepFailed(String),
    SetTarget(Option<String>),
    SetVersion(Option<String>),
    /// Removes the overrides of version and target.
    ClearOverrides,
    /// Runs another kernel of the module.
    PickKernel(String),
    /// The pause in typing has been long enough to check a long source.
    CheckDue,
    /// The accepted source has been unchanged for long enough to be run.
    LaunchDue,
    Move(MoveTarget),
    TogglePlay,
    /// A timer tick of the playback.
    Tick,
    Stop,
    Window {
        memory: MemoryKey,
        first_row: u64,
        n_rows: u32,
    },
    SetType(MemoryKey, Option<ElementType>),
    SetColumns(MemoryKey, Option<u32>),
    SetOverlay(MemoryKey, Overlay),
    /// Changes the zoom level, and keeps an element in view.
    Zoom(MemoryKey, ZoomStep, Option<u64>),
    ToggleTable(MemoryKey),
    ToggleFold(MemoryKey),
    /// Opens the card of a memory whose grid is not shown.
    OpenMemory(MemoryKey),
    ShowWarp(Option<(u64, u32)>),
    /// Moves to a position at which a block of the grid executes, and shows its first warp.
    GoToBlock(u64),
    Hover(Option<Focus>),
    Pin(Option<Focus>),
    /// Pins the target of a tour and scrolls to it.
    PinAndReveal(Option<Focus>),
    /// Searches for a value, an address or a name, starting after the pinned cell.
    Find(String),
    SetHexRegisters(bool),
    /// Counts the memory traffic of a run that is too long for automatic counting.
    CountTraffic,
    /// Runs the same source with another scheduler seed.
    SetSeed(u64),
    ResponseReceived(SharedResponse),
    WorkerTerminated(String),
    /// Requests a rewrite of the source without bank conflicts.
    RewriteBankConflicts,
    /// The worker for analyses, which is loaded after the first grid, has stopped, with the reason.
    ExtendedWorkerTerminated(String),
    Relaunch,
    DismissTrouble,
    SetHelp(bool),
    /// Requests the reference pages without opening one.
    LoadReference,
    /// Opens or closes a reference page.
    SetReference(Option<ReferenceTopic>),
    /// Shows the debugger instead of a view that replaces it.
    ShowKernel,
    /// An action of the Layout Explorer.
    Matrix(LayoutExplorerAction),
    /// An action of the Tensor Core arithmetic view.
    Product(MmaArithmeticAction),
    /// An action of the litmus test view.
    Outcomes(LitmusAction),
    /// An action of the comparison view.
    Beside(CompareAction),
    /// Changes an initial value of the launch.
    EditInitialValue(InitialValueTarget, String),
    /// Starts a conditional run or changes the breakpoints.
    Until(RunUntilAction),
    /// An action of a compiled file.
    File(FileAction),
    SetTheme(ThemeChoice),
}

/// Returns the state of the page after an action.
pub fn reduce(mut model: Model, action: Action) -> Model {
    match action {
        Action::Move(_) | Action::TogglePlay | Action::Stop if model.screen.hides_debugger() => {
            active_view::use_transport(&mut model, action);
        }
        Action::Beside(action) => compare::act(&mut model, action),
        Action::EditInitialValue(place, value) => initial_value::ask(&mut model, place, value),
        Action::Until(action) => run_until::act(&mut model, action),
        Action::File(action) => file::act(&mut model, action),
        Action::ShowKernel => {
            model.show_screen(ActiveView::Kernel);
        }
        Action::Matrix(action) => layout_explorer::act(&mut model, action),
        Action::Outcomes(action) => litmus::act(&mut model, action),
        Action::Product(action) => mma_arithmetic::act(&mut model, action),
        Action::Edited { text, .. } if model.text == text => {}
        Action::Edited {
            text,
            replaces_source: is_another,
        } => {
            // A different source is shown at its first store instead of the previous position, and is checked for its own target.
            if is_another || is_replaced(&model.text, &text) {
                model.fresh = Some(InitialPosition::Text);
                reset_view_options(&mut model);
            }
            edited(&mut model, text);
        }
        Action::AwaitExample(index) => model.awaited = Some(index),
        Action::ShowExample(index, text) => {
            // The user may have selected another source while the example was loading.
            if model.awaited == Some(index) {
                show_example(&mut model, index, text);
            }
        }
        Action::ExampleFailed(reason) => {
            model.awaited = None;
            model.trouble = Some(PageError::ExampleLoadFailed(reason));
        }
        Action::OpenShared(text, linked) => open_shared(&mut model, text, *linked),
        Action::OpenFailed(reason) => model.trouble = Some(PageError::OpenFailed(reason)),
        Action::ListTexts {
            saved_kernels: texts,
            current_kernel_id: own,
        } => (model.saved_kernels, model.current_kernel_id) = (texts, own),
        Action::KeepFailed(reason) => keep_failed(&mut model, reason),
        Action::SetTarget(target) => {
            model.target = target;
            model.text_changed();
        }
        Action::SetVersion(version) => {
            model.ptx_version = version;
            model.text_changed();
        }
        Action::ClearOverrides => {
            if model.target.take().is_some() | model.ptx_version.take().is_some() {
                model.text_changed();
            }
        }
        Action::PickKernel(name) => pick_kernel(&mut model, name),
        Action::CheckDue => model.ask_check(),
        Action::LaunchDue => launch(&mut model),
        Action::Move(goal) => {
            model.playing = false;
            if let MoveTarget::CompleteOperation(_) = goal {
                // Results that belong to later steps are no longer valid.
                model.run.history = WriteHistory::default();
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
                refresh_frame(&mut model);
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
            refresh_frame(&mut model);
        }
        Action::OpenMemory(memory) => change_view(&mut model, memory, |choice| {
            (choice.folded, choice.n_rows) = (false, FIRST_ROWS);
        }),
        Action::GoToBlock(block) => {
            model.playing = false;
            model.warp = Some((block, 0));
            model.go(MoveTarget::Block(block));
        }
        Action::Hover(focus) => {
            model.writer_retries = 0;
            request_writers(&mut model, focus.as_ref());
            model.hover = focus;
        }
        Action::Pin(focus) => {
            request_writers(&mut model, focus.as_ref());
            model.pinned = if model.pinned == focus { None } else { focus };
            ask_history(&mut model);
        }
        Action::PinAndReveal(focus) => show(&mut model, focus),
        Action::Find(text) => find(&mut model, text),
        Action::SetHexRegisters(hex) => model.hex_registers = hex,
        Action::CountTraffic => model.send(RequestBody::CountTraffic),
        Action::SetSeed(seed) => set_seed(&mut model, seed),
        Action::ResponseReceived(letter) => {
            if let Some(response) = letter.take() {
                handle_response(&mut model, response);
            }
        }
        Action::WorkerTerminated(reason) => worker_died(&mut model, reason),
        Action::RewriteBankConflicts => request_rewrite(&mut model),
        // The kernel also runs without the worker for analyses. Only analyses such as data races are missing.
        Action::ExtendedWorkerTerminated(reason)
            if model.screen.hides_debugger()
                || WorkerKind::of_source(&model.text) == WorkerKind::Extended =>
        {
            worker_died(&mut model, reason);
        }
        Action::ExtendedWorkerTerminated(_) => {}
        Action::Relaunch => {
            model.trouble = None;
            model.ask_check();
        }
        Action::DismissTrouble => model.trouble = None,
        Action::SetHelp(open) => model.help = open,
        Action::LoadReference => load_reference(&mut model),
        Action::SetReference(subject) => open_reference(&mut model, subject),
        Action::SetTheme(theme) => model.theme = theme,
    }
    model
}

fn pick_kernel(model: &mut Model, name: String) {
    model.entry = Some(name);
    model.inferred_annotations = Rc::from("");
    model.fresh = Some(InitialPosition::Text);
    model.views.clear();
    (model.warp, model.pinned) = (None, None);
    launch(model);
}

/// Runs the source with another scheduler seed. The results of all schedules remain visible during the launch.
fn set_seed(model: &mut Model, seed: u64) {
    let orders = model.run.schedules.clone();
    model.seed = Some(seed);
    model.playing = false;
    launch_at(model, PositionAfterMeasure::End);
    model.run.schedules = orders;
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

fn worker_died(model: &mut Model, reason: String) {
    model.trouble = Some(PageError::EmulatorStopped(reason));
    model.playing = false;
    model.run.busy = None;
    model.run.launch += 1;
    model.run.launched_revision = 0;
    model.run.is_launching = false;
}

fn open_reference(model: &mut Model, subject: Option<ReferenceTopic>) {
    if subject.is_some() {
        load_reference(model);
    }
    model.reference = subject;
}

fn load_reference(model: &mut Model) {
    if model.library.is_none() {
        model.no_library = None;
        model.send(RequestBody::Reference);
    }
}

fn view_of(model: &mut Model, memory: MemoryKey) -> &mut GridViewOptions {
    model.views.entry(memory).or_default()
}

fn keep_failed(model: &mut Model, reason: String) {
    match (&model.trouble, reason.is_empty()) {
        // The error that the worker has stopped is more severe, and is therefore kept.
        (Some(PageError::EmulatorStopped(_)), _) | (None, true) => {}
        (Some(PageError::SaveFailed(_)), true) => model.trouble = None,
        (Some(PageError::ExampleLoadFailed(_) | PageError::OpenFailed(_)), true) => {}
        (_, false) => model.trouble = Some(PageError::SaveFailed(reason)),
    }
}

fn edited(model: &mut Model, text: Rc<str>) {
    model.text = text;
    model.awaited = None;
    model.text_changed();
    model.playing = false;
    model.seed = None;
    model.inferred_annotations = Rc::from("");
    if !model.start.is_applied(&model.text) {
        model.start = InitialValueState::default();
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
pub(super) fn clear_previous_results(model: &mut Model) {
    if model.fresh == Some(InitialPosition::Text) {
        (model.run.frame, model.run.facts) = (None, None);
    }
}

/// Resets the view options that were selected for the previous source.
fn reset_view_options(model: &mut Model) {
    model.views.clear();
    (model.warp, model.hover, model.pinned) = (None, None, None);
    (model.target, model.ptx_version, model.entry) = (None, None, None);
    model.inferred_annotations = Rc::from("");
    model.seed = None;
}

/// Checks whether the common prefix and suffix of two texts amount to less than half of the text.
fn is_replaced(before: &str, after: &str) -> bool {
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
    model.fresh = Some(InitialPosition::Example);
    model.playing = false;
    reset_view_options(model);
    model.text_changed();
}

fn open_shared(model: &mut Model, text: Rc<str>, linked: SharedView) {
    model.show_screen(ActiveView::Kernel);
    model.awaited = None;
    model.example = examples::with_source(&text);
    model.text = text;
    model.fresh = Some(InitialPosition::Text);
    model.playing = false;
    reset_view_options(model);
    model.text_changed();
    model.apply_shared_view(linked);
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
        (_, Some(InitialPosition::Example)) => {
            PositionAfterMeasure::StoreFraction(EXAMPLE_STORE_FRACTION)
        }
        (_, Some(InitialPosition::Text)) => PositionAfterMeasure::StoreFraction(0.0),
        (_, Some(InitialPosition::Step(step))) => PositionAfterMeasure::Position(step),
        (Some(frame), None) if frame.status == RunStatus::Running => {
            PositionAfterMeasure::Position(frame.position)
        }
        _ => PositionAfterMeasure::End,
    };
    launch_at(model, place);
}

/// Launches the source and moves the run to a position.
fn launch_at(model: &mut Model, place: PositionAfterMeasure) {
    model.run.launch += 1;
    model.run.launched_revision = model.revision;
    model.run.is_launching = true;
    model.until.answer = None;
    retain_previous_analysis(model);
    (model.run.traffic, model.run.schedules) = (None, None);
    (model.run.analysis, model.run.analysis_requested) = (None, false);
    model.run.text = Rc::clone(&model.text);
    model.run.cure = RewriteState::NotRequested;
    model.run.history = WriteHistory::default();
    model.known_stores.clear();
    let id = model.next_request;
    model.send(RequestBody::Launch {
        source: model.annotated_source(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
        entry: model.entry.clone(),
        seed: model.seed,
        goal: MoveTarget::MeasureLength(place),
        look: model.frame_request(),
    });
    model.run.busy = Some(PendingMove { id, position: None });
}

/// Keeps the findings of the previous launch visible while a changed version of the same source is analyzed.
fn retain_previous_analysis(model: &mut Model) {
    if model.fresh.is_some() {
        model.run.previous_analysis = None;
    } else if model.run.analysis.is_some() || model.run.schedules.is_some() {
        model.run.previous_analysis = Some(Rc::new(model.run.findings()));
    }
}

/// Requests the analysis once the length of the run is known, because the worker for it is loaded after the first grid.
pub(super) fn request_analysis(model: &mut Model) {
    let length = model.run.frame.as_ref().and_then(|frame| frame.length);
    let is_due = length.is_some_and(|length| length <= warpgrid_worker::analysis::MAX_STEPS);
    if length.is_some() && !is_due {
        model.run.previous_analysis = None;
    }
    if !is_due || model.run.analysis_requested || model.is_stale() {
        return;
    }
    model.run.analysis_requested = true;
    let request = order_request(model);
    model.send(RequestBody::Analyze(request));
}

/// Requests a rewrite of the source without bank conflicts.
fn request_rewrite(model: &mut Model) {
    if model.is_stale() {
        return;
    }
    model.run.cure = RewriteState::Pending;
    let request = order_request(model);
    model.send(RequestBody::RewriteBankConflicts(request));
}

pub(super) fn order_request(model: &Model) -> Box<AnalysisRequest> {
    Box::new(AnalysisRequest {
        source: model.annotated_source(),
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
        model.go(MoveTarget::Start);
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
    model.go(MoveTarget::Stores(
        u32::try_from(n_stores).unwrap_or(u32::MAX),
    ));
}

fn change_view(model: &mut Model, memory: MemoryKey, change: impl FnOnce(&mut GridViewOptions)) {
    change(model.views.entry(memory).or_default());
    model.hover = None;
    if matches!(model.pinned, Some(Focus::Cell { .. })) {
        model.pinned = None;
    }
    refresh_frame(model);
}

/// Changes the size of the cells. The anchor element remains in view. The anchor is the given element, otherwise the hovered, the pinned or
/// the first visible element.
fn zoom(model: &mut Model, memory: MemoryKey, step: ZoomStep, element: Option<u64>) {
    let focused = match model.focus() {
        Some(Focus::Cell { memory: of, index }) if *of == memory => Some(*index),
        _ => None,
    };
    let grids = model.run.frame.iter().flat_map(|frame| &frame.grids);
    let grid = grids.clone().find(|grid| grid.memory.id == memory);
    let first = grid.map(|grid| grid.first_row * u64::from(grid.columns));
    let choice = view_of(model, memory);
    choice.zoom = choice.zoom.after(step);
    choice.scroll_to_element = element.or(focused).or(first);
}

/// Pins a focus. If the focus is a cell, scrolls to the cell.
pub(super) fn show(model: &mut Model, focus: Option<Focus>) {
    if let Some(Focus::Cell { memory, index }) = &focus {
        let index = *index;
        change_view(model, memory.clone(), |choice| {
            (choice.ty, choice.folded, choice.scroll_to_element) = (None, false, Some(index));
            // The cell must be large enough to show its value.
            if choice.zoom.pixels().is_some() {
                choice.zoom = Zoom::Fit;
            }
        });
    }
    request_writers(model, focus.as_ref());
    model.pinned = focus;
    ask_history(model);
}

fn find(model: &mut Model, text: String) {
    if model.run.frame.is_none() || model.is_stale() {
        return;
    }
    let after = match &model.pinned {
        Some(Focus::Cell { memory, index }) => Some(CellMatch {
            memory: memory.clone(),
            index: *index,
        }),
        _ => None,
    };
    model.send(RequestBody::Find { text, after });
}

fn refresh_frame(model: &mut Model) {
    if model.run.frame.is_some() {
        let look = model.frame_request();
        model.send(RequestBody::RefreshFrame(look));
    }
}

/// Requests the stores to the focused cell, or to every visible cell if a line has the focus. Each step is requested only once.
pub(super) fn request_writers(model: &mut Model, focus: Option<&Focus>) {
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
