//! What can happen to the page.

use super::{Busy, Focus, GridChoice, MAX_KNOWN_STORES, Model, Overlay, ThemeChoice};
use crate::examples::EXAMPLES;
use crate::protocol::{Goal, Place, RequestBody, Response, ResponseBody};
use crate::reference::Subject;
use std::rc::Rc;
use warpgrid_view::CheckReport;
use warpgrid_view::model::RunStatus;

/// The store at this share of a fresh example is where its grids tell most: some cells are written, some wait.
const FRESH_SHARE: f32 = 0.62;
/// How often one focus asks on.
const MAX_ASKED_AGAIN: u8 = 24;
/// Steps that one request asks about.
const MAX_ASKED_STEPS: usize = 64;
/// A playback of very many stores takes about so many ticks.
const PLAY_TICKS: u64 = 200;

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Edited(Rc<str>),
    PickExample(usize),
    SetTarget(Option<String>),
    SetVersion(Option<String>),
    Checked(Rc<CheckReport>),
    /// The text has rested long enough.
    LaunchDue,
    Move(Goal),
    TogglePlay,
    /// The clock of the playback.
    Tick,
    Stop,
    Window {
        memory: String,
        first_row: u64,
        n_rows: u32,
    },
    SetType(String, Option<String>),
    SetColumns(String, Option<u32>),
    SetOverlay(String, Overlay),
    ToggleTable(String),
    ToggleFold(String),
    ShowWarp(Option<(u64, u32)>),
    Hover(Option<Focus>),
    Pin(Option<Focus>),
    SetHexRegisters(bool),
    Heard(Response),
    WorkerDied(String),
    Relaunch,
    DismissTrouble,
    SetHelp(bool),
    /// Opens a page of the reference, or closes it.
    SetReference(Option<Subject>),
    SetTheme(ThemeChoice),
}

/// The page after something happened.
pub fn reduce(mut model: Model, action: Action) -> Model {
    match action {
        Action::Edited(text) => edited(&mut model, text),
        Action::PickExample(index) => pick_example(&mut model, index),
        Action::SetTarget(target) => {
            model.target = target;
            model.revision += 1;
        }
        Action::SetVersion(version) => {
            model.ptx_version = version;
            model.revision += 1;
        }
        Action::Checked(report) => {
            model.report = report;
            model.checked += 1;
        }
        Action::LaunchDue => launch(&mut model),
        Action::Move(goal) => {
            model.playing = false;
            model.go(goal);
        }
        Action::TogglePlay => toggle_play(&mut model),
        Action::Tick => tick(&mut model),
        Action::Stop => {
            let was_idle = !model.playing && model.run.busy.is_none();
            model.playing = false;
            if was_idle {
                model.pinned = None;
            } else {
                model.send(RequestBody::Stop);
            }
        }
        Action::Window {
            memory,
            first_row,
            n_rows,
        } => {
            let choice = model.views.entry(memory).or_default();
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
        Action::SetOverlay(memory, overlay) => {
            model.views.entry(memory).or_default().overlay = overlay
        }
        Action::ToggleTable(memory) => {
            let choice = model.views.entry(memory).or_default();
            choice.table = !choice.table;
        }
        Action::ToggleFold(memory) => {
            let choice = model.views.entry(memory).or_default();
            choice.folded = !choice.folded;
        }
        Action::ShowWarp(warp) => {
            model.warp = warp;
            look_again(&mut model);
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
        Action::Heard(response) => heard(&mut model, response),
        Action::WorkerDied(why) => {
            model.trouble = Some(why);
            model.playing = false;
            model.run.busy = None;
            model.run.launch += 1;
            model.run.launched_revision = 0;
            model.run.waiting_for_launch = false;
        }
        Action::Relaunch => {
            model.trouble = None;
            launch(&mut model);
        }
        Action::DismissTrouble => model.trouble = None,
        Action::SetHelp(open) => model.help = open,
        Action::SetReference(subject) => model.reference = subject,
        Action::SetTheme(theme) => model.theme = theme,
    }
    model
}

fn edited(model: &mut Model, text: Rc<str>) {
    if model.text == text {
        return;
    }
    model.text = text;
    model.revision += 1;
    model.playing = false;
    model.fresh = false;
    model.hover = None;
    if model
        .example
        .and_then(|index| EXAMPLES.get(index))
        .is_none_or(|example| *example.source != *model.text)
    {
        model.example = None;
    }
}

fn pick_example(model: &mut Model, index: usize) {
    let Some(example) = EXAMPLES.get(index) else {
        return;
    };
    model.text = example.source.into();
    model.revision += 1;
    model.example = Some(index);
    model.fresh = true;
    model.playing = false;
    model.views.clear();
    model.warp = None;
    (model.hover, model.pinned) = (None, None);
    (model.target, model.ptx_version) = (None, None);
}

fn launch(model: &mut Model) {
    if !model.report.accept {
        model.run.busy = None;
        model.playing = false;
        return;
    }
    let place = match &model.run.frame {
        _ if model.fresh => Place::Share(FRESH_SHARE),
        Some(frame) if frame.status == RunStatus::Running => Place::Position(frame.position),
        _ => Place::End,
    };
    model.run.launch += 1;
    model.run.launched_revision = model.revision;
    model.run.waiting_for_launch = true;
    model.known_stores.clear();
    let id = model.next_request;
    model.send(RequestBody::Launch {
        source: model.text.to_string(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
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

fn change_view(model: &mut Model, memory: String, change: impl FnOnce(&mut GridChoice)) {
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
    if response.launch != model.run.launch {
        return;
    }
    let is_newest = model.run.busy.is_none_or(|busy| response.id >= busy.id);
    match response.body {
        ResponseBody::Ready => {}
        ResponseBody::Launched(facts) => {
            model.run.facts = Some(Rc::new(facts));
            model.run.refusal = None;
        }
        ResponseBody::Refused(refusal) => {
            model.run.refusal = Some(Rc::new(refusal));
            model.run.busy = None;
            model.run.launched_revision = 0;
            model.run.waiting_for_launch = false;
            model.playing = false;
        }
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
            model.fresh = false;
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
    use crate::protocol::Refusal;

    fn after(model: Model, actions: impl IntoIterator<Item = Action>) -> Model {
        actions.into_iter().fold(model, reduce)
    }

    fn accepted() -> Action {
        Action::Checked(Rc::new(CheckReport {
            accept: true,
            diagnostics: Vec::new(),
        }))
    }

    fn frame_for(model: &Model) -> Action {
        Action::Heard(Response {
            id: model.next_request - 1,
            launch: model.run.launch,
            body: ResponseBody::Frame(Box::new(fixture::frame())),
        })
    }

    fn running() -> Model {
        let model = after(Model::new("text", None), [accepted(), Action::LaunchDue]);
        let frame = frame_for(&model);
        after(model, [frame])
    }

    #[test]
    fn a_fresh_text_is_launched_and_shown_on_the_way() {
        let model = after(Model::new("text", None), [accepted(), Action::LaunchDue]);
        let RequestBody::Launch { goal, .. } = &model.outbox[0].body else {
            panic!("a launch comes first")
        };
        assert_eq!(*goal, Goal::Explore(Place::Share(FRESH_SHARE)));
        assert!(model.is_stale());
        let frame = frame_for(&model);
        assert!(!after(model, [frame]).is_stale());
    }

    #[test]
    fn a_wrong_text_keeps_the_last_run_but_stale() {
        let wrong = Action::Checked(Rc::new(CheckReport::default()));
        let model = after(
            running(),
            [Action::Edited("st.shred".into()), wrong, Action::LaunchDue],
        );
        assert!(model.is_stale());
        assert!(model.run.frame.is_some());
        assert_eq!(model.outbox.len(), 1);
    }

    #[test]
    fn an_edit_keeps_the_position() {
        let model = after(
            running(),
            [
                Action::Edited("other".into()),
                accepted(),
                Action::LaunchDue,
            ],
        );
        let Some(RequestBody::Launch { goal, .. }) =
            model.outbox.last().map(|request| &request.body)
        else {
            panic!("a launch comes last")
        };
        assert_eq!(*goal, Goal::Explore(Place::Position(3)));
    }

    #[test]
    fn answers_about_an_older_launch_are_dropped() {
        let model = running();
        let old = Action::Heard(Response {
            id: 1,
            launch: model.run.launch - 1,
            body: ResponseBody::Refused(Refusal {
                code: "W0001".into(),
                message: "no".into(),
                diagnostics: Vec::new(),
            }),
        });
        assert_eq!(after(model.clone(), [old]), model);
    }

    #[test]
    fn moves_wait_for_a_run_of_the_present_text() {
        let model = after(Model::new("text", None), [Action::Move(Goal::End)]);
        assert_eq!(model.outbox, vec![]);
        let model = after(running(), [Action::Move(Goal::End)]);
        assert_eq!(model.outbox.len(), 2);
        assert!(model.run.busy.is_some());
    }

    #[test]
    fn playing_ends_at_the_end() {
        let model = after(running(), [Action::TogglePlay, Action::Tick]);
        assert!(model.playing);
        let mut frame = fixture::frame();
        frame.status = RunStatus::Finished;
        let end = Action::Heard(Response {
            id: model.next_request - 1,
            launch: model.run.launch,
            body: ResponseBody::Frame(Box::new(frame)),
        });
        assert!(!after(model, [end, Action::Tick]).playing);
    }

    #[test]
    fn a_stop_reaches_the_worker_only_while_something_runs() {
        let model = after(running(), [Action::Pin(Some(Focus::Lane(3)))]);
        let n_sent = model.outbox.len();
        let model = after(model, [Action::Stop]);
        assert_eq!((model.outbox.len(), model.pinned.clone()), (n_sent, None));
        let model = after(model, [Action::Move(Goal::End), Action::Stop]);
        assert_eq!(
            model.outbox.last().map(|request| &request.body),
            Some(&RequestBody::Stop)
        );
    }

    #[test]
    fn an_unknown_writer_is_asked_for_once() {
        let cell = Some(Focus::Cell {
            memory: "out".into(),
            index: 0,
        });
        let model = after(running(), [Action::Hover(cell.clone())]);
        assert_eq!(
            model.outbox.last().map(|request| &request.body),
            Some(&RequestBody::Writers(vec![2]))
        );
        let answer = Action::Heard(Response {
            id: 9,
            launch: model.run.launch,
            body: ResponseBody::Writers(vec![(2, Vec::new())]),
        });
        let n_sent = model.outbox.len();
        let model = after(model, [answer, Action::Hover(None), Action::Hover(cell)]);
        assert_eq!(model.outbox.len(), n_sent);
    }

    #[test]
    fn the_reference_opens_at_a_page_and_leaves_the_run_alone() {
        let page = Some(Subject::Code("W0001".into()));
        let opened = after(running(), [Action::SetReference(page.clone())]);
        assert_eq!(opened.reference, page);
        assert_eq!(opened.outbox, running().outbox);
        assert_eq!(after(opened, [Action::SetReference(None)]), running());
    }

    #[test]
    fn a_dead_worker_leaves_the_text_and_says_why() {
        let model = after(running(), [Action::WorkerDied("the core stopped".into())]);
        assert_eq!(&*model.text, "text");
        assert!(model.is_stale());
        assert_eq!(model.trouble.as_deref(), Some("the core stopped"));
    }
}
