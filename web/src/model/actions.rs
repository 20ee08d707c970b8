//! What can happen to the page.

use super::{
    Busy, Focus, Fresh, GridChoice, MAX_KNOWN_STORES, MatrixAction, Model, Overlay, OwnText,
    ProductAction, ThemeChoice, Trouble,
};
use super::{matrix, product};
use crate::examples::EXAMPLES;
use crate::protocol::{Goal, Place, RequestBody, Response, ResponseBody, decode};
use crate::reference::{Library, Subject};
use std::rc::Rc;
use warpgrid_view::MemoryId;
use warpgrid_view::model::RunStatus;
use warpgrid_view::reference::Pages;
use warpgrid_view::value::ElementType;

/// A fresh example is shown after the store at this share of all: some cells are written, some are not yet.
const FRESH_SHARE: f32 = 0.62;
/// How often one focus asks on.
const MAX_ASKED_AGAIN: u8 = 24;
/// Rows of a memory that is opened; its grid asks for what it shows.
const FIRST_ROWS: u32 = 18;
/// Steps that one request asks about.
const MAX_ASKED_STEPS: usize = 64;
/// Ticks that the playback of very many stores takes, about.
const PLAY_TICKS: u64 = 200;

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Edited {
        text: Rc<str>,
        /// It takes the place of another text, of which little is left.
        is_another: bool,
    },
    PickExample(usize),
    /// The person's own texts, and which of them is in the editor.
    ListTexts {
        texts: Rc<[OwnText]>,
        own: Option<String>,
    },
    /// A text could not be kept, and why; an empty reason when it is kept again.
    KeepFailed(String),
    SetTarget(Option<String>),
    SetVersion(Option<String>),
    /// The text itself states its version and target again.
    TakeBackOverrides,
    /// Runs another kernel of the module.
    PickKernel(String),
    /// Typing paused long enough for a long text to be checked.
    CheckDue,
    /// An accepted text has rested long enough to be run.
    LaunchDue,
    Move(Goal),
    TogglePlay,
    /// The clock of the playback.
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
    ToggleTable(MemoryId),
    ToggleFold(MemoryId),
    /// Opens the card of a memory that is not laid out yet.
    OpenMemory(MemoryId),
    ShowWarp(Option<(u64, u32)>),
    /// Goes to where a block of the grid runs, and shows its first warp.
    GoToBlock(u64),
    Hover(Option<Focus>),
    Pin(Option<Focus>),
    SetHexRegisters(bool),
    /// Counts the traffic of a run that is too long to be counted unasked.
    CountTraffic,
    /// Runs the same text in another order.
    SetSeed(u64),
    Heard(Response),
    WorkerDied(String),
    Relaunch,
    DismissTrouble,
    SetHelp(bool),
    /// Opens a page of the reference, or closes it.
    SetReference(Option<Subject>),
    /// Something happened in the matrix view.
    Matrix(MatrixAction),
    /// Something happened in the view of a product.
    Product(ProductAction),
    SetTheme(ThemeChoice),
}

/// The page after something happened.
pub fn reduce(mut model: Model, action: Action) -> Model {
    match action {
        // The transport is out of sight.
        Action::Move(_) | Action::TogglePlay
            if model.matrix.is_some() || model.product.is_some() => {}
        Action::Stop if model.matrix.is_some() => matrix::act(&mut model, MatrixAction::Close),
        Action::Stop if model.product.is_some() => product::act(&mut model, ProductAction::Close),
        Action::Matrix(action) => matrix::act(&mut model, action),
        Action::Product(action) => product::act(&mut model, action),
        Action::Edited { text, is_another } => edited(&mut model, text, is_another),
        Action::PickExample(index) => pick_example(&mut model, index),
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
        }
        Action::SetHexRegisters(hex) => model.hex_registers = hex,
        Action::CountTraffic => model.send(RequestBody::CountTraffic),
        Action::SetSeed(seed) => set_seed(&mut model, seed),
        Action::Heard(response) => heard(&mut model, response),
        Action::WorkerDied(why) => worker_died(&mut model, why),
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
    model.fresh = Some(Fresh::Text);
    model.views.clear();
    (model.warp, model.pinned) = (None, None);
    launch(model);
}

/// The orders that were tried stay in sight while one of them is launched.
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
        // A core that has stopped weighs more.
        (Some(Trouble::Core(_)), _) | (None, true) => {}
        (Some(Trouble::Keep(_)), true) => model.trouble = None,
        (_, false) => model.trouble = Some(Trouble::Keep(why)),
    }
}

fn edited(model: &mut Model, text: Rc<str>, is_another: bool) {
    if model.text == text {
        return;
    }
    // Another text is shown from its first store on, not at the position of the one before, and for its own target.
    if is_another || is_mostly_another(&model.text, &text) {
        model.fresh = Some(Fresh::Text);
        forget_views(model);
    }
    model.text = text;
    model.text_changed();
    model.playing = false;
    model.seed = None;
    model.hover = None;
    if model.text.trim().is_empty() {
        // Nothing is left that the last run could belong to.
        (model.run.frame, model.run.facts, model.run.refusal) = (None, None, None);
    }
    if model
        .example
        .and_then(|index| EXAMPLES.get(index))
        .is_none_or(|example| *example.source != *model.text)
    {
        model.example = None;
    }
}

/// Where a text that took the place of another cannot run, what the other left in memory says nothing about it.
fn leave_other_text(model: &mut Model) {
    if model.fresh == Some(Fresh::Text) {
        (model.run.frame, model.run.facts) = (None, None);
    }
}

/// Forgets what was chosen for a text that is gone.
fn forget_views(model: &mut Model) {
    model.views.clear();
    (model.warp, model.hover, model.pinned) = (None, None, None);
    (model.target, model.ptx_version, model.entry) = (None, None, None);
    model.seed = None;
}

/// Whether less than half of a text is left of the other, at its start and its end.
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

fn pick_example(model: &mut Model, index: usize) {
    let Some(example) = EXAMPLES.get(index) else {
        return;
    };
    model.text = example.source.into();
    model.example = Some(index);
    model.fresh = Some(Fresh::Example);
    model.playing = false;
    forget_views(model);
    model.text_changed();
}

fn launch(model: &mut Model) {
    if !model.is_report_current() {
        return;
    }
    if !model.report.accept {
        model.run.busy = None;
        model.playing = false;
        return;
    }
    let place = match (&model.run.frame, model.fresh) {
        (_, Some(Fresh::Example)) => Place::Share(FRESH_SHARE),
        (_, Some(Fresh::Text)) => Place::Share(0.0),
        (_, Some(Fresh::At(step))) => Place::Position(step),
        (Some(frame), None) if frame.status == RunStatus::Running => {
            Place::Position(frame.position)
        }
        _ => Place::End,
    };
    launch_at(model, place);
}

/// Launches the text and goes to a place.
fn launch_at(model: &mut Model, place: Place) {
    model.run.launch += 1;
    model.run.launched_revision = model.revision;
    model.run.waiting_for_launch = true;
    (model.run.traffic, model.run.orders) = (None, None);
    model.known_stores.clear();
    let id = model.next_request;
    model.send(RequestBody::Launch {
        source: model.text.to_string(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
        entry: model.entry.clone(),
        seed: model.seed,
        goal: Goal::Explore(place),
        look: model.look(),
    });
    model.run.busy = Some(Busy { id, position: None });
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

fn look_again(model: &mut Model) {
    if model.run.frame.is_some() {
        let look = model.look();
        model.send(RequestBody::Look(look));
    }
}

/// Asks who wrote a cell, or every cell in sight when the focus is on a line; each step once.
fn ask_writer(model: &mut Model, focus: Option<&Focus>) {
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
    steps.sort_unstable();
    steps.dedup();
    steps.retain(|step| model.stores_of(*step).is_none());
    steps.truncate(MAX_ASKED_STEPS);
    if !steps.is_empty() {
        model.send(RequestBody::Writers(steps));
    }
}

fn heard(model: &mut Model, response: Response) {
    match response.body {
        ResponseBody::Checked { revision, report } if revision == model.revision => {
            model.report = Rc::new(report);
            model.report_revision = revision;
            model.checked += 1;
            if !model.report.accept {
                leave_other_text(model);
            }
            // The core is there again.
            if let Some(Trouble::Core(_)) = model.trouble {
                model.trouble = None;
            }
        }
        ResponseBody::Fragments(pictures) => matrix::show(model, response.id, pictures),
        ResponseBody::Product(answer) => product::show(model, response.id, *answer),
        ResponseBody::Reference(file) => match file.and_then(|bytes| read_pages(&bytes)) {
            Ok(pages) => model.library = Some(Rc::new(Library::new(pages))),
            Err(why) => model.no_library = Some(why),
        },
        _ => heard_of_run(model, response),
    }
}

/// The pages in the file of the reference.
fn read_pages(bytes: &[u8]) -> Result<Pages, String> {
    decode(bytes).ok_or_else(|| "the file is not one of this version".to_owned())
}

fn heard_of_run(model: &mut Model, response: Response) {
    if response.launch != model.run.launch {
        return;
    }
    let is_newest = model.run.busy.is_none_or(|busy| response.id >= busy.id);
    match response.body {
        // About an older text, or for the editor.
        ResponseBody::Checked { .. }
        | ResponseBody::Reference(_)
        | ResponseBody::Fragments(_)
        | ResponseBody::Product(_)
        | ResponseBody::Answer(_) => {}
        ResponseBody::Launched(facts) => {
            model.run.facts = Some(Rc::new(facts));
            model.run.refusal = None;
        }
        ResponseBody::Refused(refusal) => {
            model.run.refusal = Some(Rc::new(refusal));
            model.run.busy = None;
            leave_other_text(model);
            model.run.launched_revision = 0;
            model.run.waiting_for_launch = false;
            model.playing = false;
        }
        ResponseBody::Traffic(traffic) => model.run.traffic = Some(Rc::new(traffic)),
        ResponseBody::Orders(report) => model.run.orders = Some(Rc::new(report)),
        ResponseBody::Progress { position } => {
            if let Some(busy) = model
                .run
                .busy
                .as_mut()
                .filter(|busy| busy.id == response.id)
            {
                busy.position = Some(position);
            }
        }
        ResponseBody::Frame(frame) => {
            if is_newest {
                model.run.busy = None;
            }
            model.run.refusal = None;
            model.run.waiting_for_launch = false;
            model.run.frame = Some(Rc::new(*frame));
            model.run.frame_launch = response.launch;
            // A frame of the run before may still come after a text was pasted.
            if model.run.launched_revision == model.revision {
                model.fresh = None;
            }
        }
        ResponseBody::Writers(known) => {
            for (step, stores) in known {
                if model.known_stores.len() >= MAX_KNOWN_STORES {
                    model.known_stores.pop_first();
                }
                model.known_stores.insert(step, Rc::new(stores));
            }
            // A slice answers what it can; what is still open is asked again, but not for ever.
            if model.asked_again < MAX_ASKED_AGAIN {
                model.asked_again += 1;
                let focus = model.focus().cloned();
                ask_writer(model, focus.as_ref());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::protocol::{Refusal, encode};
    use warpgrid_view::{CheckOptions, CheckReport};

    fn after(model: Model, actions: impl IntoIterator<Item = Action>) -> Model {
        actions.into_iter().fold(model, reduce)
    }

    /// The worker's answer to the newest launch.
    fn answered(model: Model, body: ResponseBody) -> Model {
        let (id, launch) = (model.next_request - 1, model.run.launch);
        reduce(model, Action::Heard(Response::new(id, launch, body)))
    }

    fn reported(model: Model, revision: u32, accept: bool) -> Model {
        let report = CheckReport {
            accept,
            ..CheckReport::default()
        };
        answered(model, ResponseBody::Checked { revision, report })
    }

    fn accepted(model: Model) -> Model {
        let revision = model.revision;
        reported(model, revision, true)
    }

    fn framed(model: Model) -> Model {
        answered(model, ResponseBody::Frame(Box::new(fixture::frame())))
    }

    fn launched() -> Model {
        after(accepted(Model::new("text", None)), [Action::LaunchDue])
    }

    fn running() -> Model {
        framed(launched())
    }

    /// A change of the text by a person who types.
    fn typed(text: &str) -> Action {
        Action::Edited {
            text: text.into(),
            is_another: false,
        }
    }

    fn pasted(text: &str) -> Action {
        Action::Edited {
            text: text.into(),
            is_another: true,
        }
    }

    fn last_sent(model: &Model) -> Option<&RequestBody> {
        model.outbox.last().map(|request| &request.body)
    }

    fn last_goal(model: &Model) -> Option<Goal> {
        match last_sent(model) {
            Some(RequestBody::Launch { goal, .. }) => Some(*goal),
            _ => None,
        }
    }

    #[test]
    fn a_text_is_checked_as_the_page_opens() {
        let model = Model::new("text", None);
        assert!(!model.is_report_current());
        assert!(
            matches!(last_sent(&model), Some(RequestBody::Check { revision: 1, source, .. }) if source == "text")
        );
        assert!(accepted(model).is_report_current());
    }

    #[test]
    fn a_verdict_on_an_older_text_is_dropped() {
        let model = after(Model::new("text", None), [typed("other")]);
        let late = reported(model.clone(), 1, false);
        assert_eq!(late, model);
        assert_eq!(last_goal(&after(late, [Action::LaunchDue])), None);
    }

    #[test]
    fn a_long_text_is_checked_after_a_pause() {
        let long = " ".repeat(400_000);
        let model = after(running(), [typed(&long)]);
        assert_eq!(last_sent(&model), last_sent(&running()));
        let model = after(model, [Action::CheckDue]);
        assert!(matches!(
            last_sent(&model),
            Some(RequestBody::Check { revision: 2, .. })
        ));
    }

    #[test]
    fn the_outbox_holds_one_text_to_check_and_one_to_run() {
        let edits = (0..9).map(|n| typed(&format!("text {n}")));
        let model = accepted(after(running(), edits));
        let model = after(model, [Action::LaunchDue]);
        assert_eq!(model.outbox.len(), 2);
    }

    #[test]
    fn an_example_is_launched_and_shown_on_the_way() {
        let model = after(accepted(Model::new("text", Some(0))), [Action::LaunchDue]);
        assert_eq!(
            last_goal(&model),
            Some(Goal::Explore(Place::Share(FRESH_SHARE)))
        );
    }

    #[test]
    fn another_text_is_launched_and_shown_from_its_first_store() {
        let model = launched();
        assert_eq!(last_goal(&model), Some(Goal::Explore(Place::Share(0.0))));
        assert!(model.is_stale());
        assert!(!framed(model).is_stale());
    }

    #[test]
    fn a_wrong_text_keeps_the_last_run_but_stale() {
        let model = after(running(), [typed("texts")]);
        let revision = model.revision;
        let model = after(reported(model, revision, false), [Action::LaunchDue]);
        assert!(model.is_stale());
        assert!(model.run.frame.is_some());
        assert!(matches!(last_sent(&model), Some(RequestBody::Check { .. })));
    }

    #[test]
    fn a_picked_kernel_is_launched_and_forgotten_with_its_text() {
        let model = after(running(), [Action::PickKernel("second".into())]);
        assert!(
            matches!(last_sent(&model), Some(RequestBody::Launch { entry: Some(name), .. }) if name == "second")
        );
        let model = after(model, [typed("another kernel")]);
        assert_eq!(model.entry, None);
    }

    #[test]
    fn a_pasted_text_starts_at_its_first_store_however_like_the_one_before() {
        for paste in [typed("another kernel"), pasted("texts")] {
            let model = after(accepted(after(running(), [paste])), [Action::LaunchDue]);
            assert_eq!(last_goal(&model), Some(Goal::Explore(Place::Share(0.0))));
        }
    }

    #[test]
    fn a_linked_text_is_shown_where_its_link_says() {
        let mut model = accepted(Model::new("text", Some(0)));
        model.fresh = Some(Fresh::At(7));
        let model = after(model, [Action::LaunchDue]);
        assert_eq!(last_goal(&model), Some(Goal::Explore(Place::Position(7))));
    }

    #[test]
    fn a_text_that_cannot_run_is_not_shown_with_the_memory_of_another() {
        let rejected = |model: Model| {
            let revision = model.revision;
            reported(model, revision, false)
        };
        let edited = rejected(after(running(), [typed("texts")]));
        assert!(edited.run.frame.is_some());
        let pasted_over = rejected(after(running(), [pasted("texts")]));
        assert_eq!(
            (&pasted_over.run.frame, &pasted_over.run.facts),
            (&None, &None)
        );
        let refusal = Refusal {
            code: "W0711".into(),
            message: "the module has no kernel to launch".into(),
            diagnostics: Vec::new(),
        };
        let launched = after(
            accepted(after(running(), [pasted("texts")])),
            [Action::LaunchDue],
        );
        let refused = answered(launched, ResponseBody::Refused(refusal));
        assert!(refused.run.frame.is_none() && refused.run.refusal.is_some());
    }

    #[test]
    fn a_late_frame_of_the_run_before_leaves_a_pasted_text_fresh() {
        let model = framed(after(running(), [pasted("texts")]));
        let model = after(accepted(model), [typed("textss")]);
        let model = after(accepted(model), [Action::LaunchDue]);
        assert_eq!(last_goal(&model), Some(Goal::Explore(Place::Share(0.0))));
        assert_eq!(framed(model).fresh, None);
    }

    #[test]
    fn an_empty_text_has_no_run() {
        let model = after(running(), [typed(" \n")]);
        assert_eq!(
            (model.run.frame.clone(), model.run.facts.clone()),
            (None, None)
        );
        assert_eq!(after(model.clone(), [Action::Move(Goal::End)]), model);
    }

    #[test]
    fn another_text_is_read_for_its_own_target() {
        let chosen = after(running(), [Action::SetTarget(Some("sm_60".into()))]);
        let edited = after(chosen.clone(), [typed("texts")]);
        assert_eq!(edited.target.as_deref(), Some("sm_60"));
        let replaced = after(chosen, [pasted("texts")]);
        assert_eq!(replaced.check_options(), CheckOptions::default());
    }

    #[test]
    fn a_fix_of_the_header_takes_the_override_back() {
        let model = after(running(), [Action::SetTarget(Some("sm_60".into()))]);
        let revision = model.revision;
        let model = after(model, [Action::TakeBackOverrides]);
        assert_eq!((model.target.clone(), model.revision), (None, revision + 1));
        assert!(matches!(last_sent(&model), Some(RequestBody::Check { .. })));
        assert_eq!(after(model.clone(), [Action::TakeBackOverrides]), model);
    }

    #[test]
    fn the_way_to_a_block_ends_at_its_first_warp() {
        let model = after(running(), [Action::GoToBlock(610)]);
        assert_eq!(model.warp, Some((610, 0)));
        let Some(RequestBody::Move { goal, look }) = last_sent(&model) else {
            panic!("a move is sent")
        };
        assert_eq!((*goal, look.warp), (Goal::Block(610), Some((610, 0))));
    }

    #[test]
    fn a_text_that_cannot_be_kept_is_reported_until_it_is() {
        let failed = after(running(), [Action::KeepFailed("it is full".into())]);
        assert_eq!(failed.trouble, Some(Trouble::Keep("it is full".into())));
        let verdict = accepted(failed.clone());
        assert_eq!(verdict.trouble, failed.trouble);
        assert_eq!(
            after(failed, [Action::KeepFailed(String::new())]).trouble,
            None
        );
    }

    #[test]
    fn an_edit_keeps_the_position() {
        let model = after(running(), [typed("texts")]);
        let model = after(accepted(model), [Action::LaunchDue]);
        assert_eq!(last_goal(&model), Some(Goal::Explore(Place::Position(3))));
    }

    #[test]
    fn answers_about_an_older_launch_are_dropped() {
        let model = running();
        let refusal = Refusal {
            code: "W0001".into(),
            message: "no".into(),
            diagnostics: Vec::new(),
        };
        let old = Response::new(1, model.run.launch - 1, ResponseBody::Refused(refusal));
        assert_eq!(after(model.clone(), [Action::Heard(old)]), model);
    }

    #[test]
    fn moves_wait_for_a_run_of_the_present_text() {
        let model = Model::new("text", None);
        assert_eq!(after(model.clone(), [Action::Move(Goal::End)]), model);
        let model = after(running(), [Action::Move(Goal::End)]);
        assert!(matches!(last_sent(&model), Some(RequestBody::Move { .. })));
        assert!(model.run.busy.is_some());
    }

    #[test]
    fn playing_ends_at_the_end() {
        let model = after(running(), [Action::TogglePlay, Action::Tick]);
        assert!(model.playing);
        let mut frame = fixture::frame();
        frame.status = RunStatus::Finished;
        let model = answered(model, ResponseBody::Frame(Box::new(frame)));
        assert!(!after(model, [Action::Tick]).playing);
    }

    #[test]
    fn a_stop_reaches_the_worker_only_while_something_runs() {
        let model = after(running(), [Action::Pin(Some(Focus::Lane(3)))]);
        let n_sent = model.outbox.len();
        let model = after(model, [Action::Stop]);
        assert_eq!((model.outbox.len(), model.pinned.clone()), (n_sent, None));
        let model = after(model, [Action::Move(Goal::End), Action::Stop]);
        assert_eq!(last_sent(&model), Some(&RequestBody::Stop));
    }

    #[test]
    fn an_unknown_writer_is_asked_for_once() {
        let cell = Some(Focus::Cell {
            memory: "out".into(),
            index: 0,
        });
        let model = after(running(), [Action::Hover(cell.clone())]);
        assert_eq!(last_sent(&model), Some(&RequestBody::Writers(vec![2])));
        let n_sent = model.outbox.len();
        let model = answered(model, ResponseBody::Writers(vec![(2, Vec::new())]));
        let model = after(model, [Action::Hover(None), Action::Hover(cell)]);
        assert_eq!(model.outbox.len(), n_sent);
    }

    #[test]
    fn the_reference_opens_at_a_page_and_is_fetched_once() {
        let page = Some(Subject::Code("W0001".into()));
        let opened = after(running(), [Action::SetReference(page.clone())]);
        assert_eq!(opened.reference, page);
        assert_eq!(last_sent(&opened), Some(&RequestBody::Reference));
        let (forms, codes, terms) = (Vec::new(), Vec::new(), Vec::new());
        let file = encode(&Pages {
            forms,
            codes,
            terms,
        });
        let read = answered(opened, ResponseBody::Reference(Ok(file)));
        let n_sent = read.outbox.len();
        let again = after(
            read,
            [Action::SetReference(None), Action::SetReference(page)],
        );
        assert_eq!(again.outbox.len(), n_sent);
        assert_eq!(again.run, running().run);
    }

    #[test]
    fn a_reference_that_cannot_be_fetched_is_asked_for_again() {
        let open = Action::SetReference(Some(Subject::Start));
        let opened = after(running(), [open.clone()]);
        let answer = ResponseBody::Reference(Err("the server answered 404".into()));
        let failed = answered(opened, answer);
        assert_eq!(
            failed.no_library.as_deref(),
            Some("the server answered 404")
        );
        let garbled = answered(failed, ResponseBody::Reference(Ok(vec![0xff; 9])));
        assert!(garbled.no_library.is_some() && garbled.library.is_none());
        let again = after(garbled, [Action::SetReference(None), open]);
        assert_eq!(last_sent(&again), Some(&RequestBody::Reference));
        assert_eq!(again.no_library, None);
    }

    #[test]
    fn a_dead_worker_leaves_the_text_and_says_why() {
        let model = after(running(), [Action::WorkerDied("the core stopped".into())]);
        assert_eq!(&*model.text, "text");
        assert!(model.is_stale());
        assert_eq!(
            model.trouble,
            Some(Trouble::Core("the core stopped".into()))
        );
        // Another try begins with the verdict.
        let model = after(model, [Action::Relaunch]);
        assert!(matches!(last_sent(&model), Some(RequestBody::Check { .. })));
    }
}
