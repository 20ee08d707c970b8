//! Tests of the state after sequences of actions.

use super::*;
use crate::model::{fixture, place_of};
use crate::protocol::{LaunchRejection, Response, ResponseBody, encode};
use warpgrid_view::model::{CellHistory, SessionFrame};
use warpgrid_view::session::launch_edit::{InitialValueTarget, LaunchEdit};
use warpgrid_view::session::stop_conditions::{
    Direction, StopCondition, StopConditionError, StopResult,
};
use warpgrid_view::source::reference::ReferencePages;
use warpgrid_view::{CheckOptions, CheckReport};
use warpgrid_worker::prerecorded::{FIRST_EXAMPLE, requests};

fn after(model: Model, actions: impl IntoIterator<Item = Action>) -> Model {
    actions.into_iter().fold(model, reduce)
}

/// Handles the worker's response to the newest request.
fn answered(model: Model, body: ResponseBody) -> Model {
    let (id, launch) = (model.next_request - 1, model.run.launch);
    reduce(
        model,
        Action::ResponseReceived(Response::new(id, launch, body).into()),
    )
}

fn rejected(model: Model, revision: u32) -> Model {
    let report = CheckReport::default();
    answered(model, ResponseBody::Checked { revision, report })
}

fn accepted(model: Model) -> Model {
    let revision = model.revision;
    let report = CheckReport {
        accept: true,
        ..CheckReport::default()
    };
    answered(model, ResponseBody::Checked { revision, report })
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

/// Returns a change of the source by typing.
fn typed(text: &str) -> Action {
    Action::Edited {
        text: text.into(),
        replaces_source: false,
    }
}

fn pasted(text: &str) -> Action {
    Action::Edited {
        text: text.into(),
        replaces_source: true,
    }
}

fn last_sent(model: &Model) -> Option<&RequestBody> {
    model.outbox.last().map(|request| &request.body)
}

fn last_goal(model: &Model) -> Option<MoveTarget> {
    match last_sent(model) {
        Some(RequestBody::Launch { goal, .. }) => Some(*goal),
        _ => None,
    }
}

#[test]
fn source_is_checked_on_page_load() {
    let model = Model::new("text", None);
    assert!(!model.is_report_current());
    assert!(
        matches!(last_sent(&model), Some(RequestBody::Check { revision: 1, source, .. }) if source == "text")
    );
    assert!(accepted(model).is_report_current());
}

#[test]
fn check_result_for_older_revision_is_dropped() {
    let model = after(Model::new("text", None), [typed("other")]);
    let late = rejected(model.clone(), 1);
    assert_eq!(late, model);
    assert_eq!(last_goal(&after(late, [Action::LaunchDue])), None);
}

#[test]
fn long_source_check_is_debounced() {
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
fn outbox_has_at_most_one_check_launch_and_analysis() {
    let edits = (0..9).map(|n| typed(&format!("text {n}")));
    let model = accepted(after(running(), edits));
    let model = after(model, [Action::LaunchDue]);
    assert_eq!(model.outbox.len(), 3);
}

#[test]
fn example_starts_at_fraction_of_stores() {
    let model = after(accepted(Model::new("text", Some(0))), [Action::LaunchDue]);
    assert_eq!(
        last_goal(&model),
        Some(MoveTarget::MeasureLength(
            PositionAfterMeasure::StoreFraction(EXAMPLE_STORE_FRACTION)
        ))
    );
}

#[test]
fn first_visit_sends_prerecorded_requests() {
    let mut first = Model::new(FIRST_EXAMPLE, examples::with_source(FIRST_EXAMPLE));
    first.apply_shared_view(SharedView::default());
    assert_eq!(first.example, Some(0));
    let [_, check, launch] = requests();
    assert_eq!(first.outbox, std::slice::from_ref(&check));
    let model = after(accepted(first), [Action::LaunchDue]);
    assert_eq!(model.outbox, [check, launch]);
}

#[test]
fn other_source_starts_at_first_store() {
    let model = launched();
    assert_eq!(
        last_goal(&model),
        Some(MoveTarget::MeasureLength(
            PositionAfterMeasure::StoreFraction(0.0)
        ))
    );
    assert!(model.is_stale());
    assert!(!framed(model).is_stale());
}

#[test]
fn previous_analysis_persists_until_edited_source_is_analyzed() {
    let found = |model| answered(model, ResponseBody::Analysis(Box::default()));
    let change = |model, action| after(accepted(reduce(model, action)), [Action::LaunchDue]);
    let changed = framed(change(found(running()), typed("texts")));
    assert_eq!(changed.run.analysis, None);
    let before = changed
        .run
        .previous_analysis
        .clone()
        .expect("what was found before");
    assert_eq!(&*before.text, "text");
    assert!(before.order.is_some());
    let model = found(changed);
    assert_eq!(
        (
            model.run.previous_analysis.clone(),
            model.run.analysis.is_some()
        ),
        (None, true)
    );
    assert_eq!(change(model, pasted("other")).run.previous_analysis, None);
}

#[test]
fn rejected_source_marks_last_run_stale() {
    let model = after(running(), [typed("texts")]);
    let revision = model.revision;
    let model = after(rejected(model, revision), [Action::LaunchDue]);
    assert!(model.is_stale());
    assert!(model.run.frame.is_some());
    assert!(matches!(last_sent(&model), Some(RequestBody::Check { .. })));
}

#[test]
fn picked_kernel_is_launched_and_cleared_by_new_source() {
    let model = after(running(), [Action::PickKernel("second".into())]);
    assert!(
        matches!(last_sent(&model), Some(RequestBody::Launch { entry: Some(name), .. }) if name == "second")
    );
    let model = after(model, [typed("another kernel")]);
    assert_eq!(model.entry, None);
}

#[test]
fn replaced_source_starts_at_first_store() {
    for paste in [typed("another kernel"), pasted("texts")] {
        let model = after(accepted(after(running(), [paste])), [Action::LaunchDue]);
        assert_eq!(
            last_goal(&model),
            Some(MoveTarget::MeasureLength(
                PositionAfterMeasure::StoreFraction(0.0)
            ))
        );
    }
}

#[test]
fn linked_source_starts_at_linked_step() {
    let mut model = accepted(Model::new("text", Some(0)));
    model.fresh = Some(InitialPosition::Step(7));
    let model = after(model, [Action::LaunchDue]);
    assert_eq!(
        last_goal(&model),
        Some(MoveTarget::MeasureLength(PositionAfterMeasure::Position(7)))
    );
}

#[test]
fn rejected_paste_clears_frame_of_previous_source() {
    let rejected = |model: Model| {
        let revision = model.revision;
        rejected(model, revision)
    };
    let edited = rejected(after(running(), [typed("texts")]));
    assert!(edited.run.frame.is_some());
    let pasted_over = rejected(after(running(), [pasted("texts")]));
    assert_eq!(
        (&pasted_over.run.frame, &pasted_over.run.facts),
        (&None, &None)
    );
    let refusal = LaunchRejection {
        code: "W0711".into(),
        message: "the module has no kernel to launch".into(),
        diagnostics: Vec::new(),
    };
    let launched = after(
        accepted(after(running(), [pasted("texts")])),
        [Action::LaunchDue],
    );
    let refused = answered(launched, ResponseBody::LaunchFailed(refusal));
    assert!(refused.run.frame.is_none() && refused.run.refusal.is_some());
}

#[test]
fn late_frame_of_previous_run_keeps_pasted_source_fresh() {
    let model = framed(after(running(), [pasted("texts")]));
    let model = after(accepted(model), [typed("textss")]);
    let model = after(accepted(model), [Action::LaunchDue]);
    assert_eq!(
        last_goal(&model),
        Some(MoveTarget::MeasureLength(
            PositionAfterMeasure::StoreFraction(0.0)
        ))
    );
    assert_eq!(framed(model).fresh, None);
}

#[test]
fn empty_source_has_no_run() {
    let model = after(running(), [typed(" \n")]);
    assert_eq!(
        (model.run.frame.clone(), model.run.facts.clone()),
        (None, None)
    );
    assert_eq!(after(model.clone(), [Action::Move(MoveTarget::End)]), model);
}

#[test]
fn pasted_source_resets_target_override() {
    let chosen = after(running(), [Action::SetTarget(Some("sm_60".into()))]);
    let edited = after(chosen.clone(), [typed("texts")]);
    assert_eq!(edited.target.as_deref(), Some("sm_60"));
    let replaced = after(chosen, [pasted("texts")]);
    assert_eq!(replaced.check_options(), CheckOptions::default());
}

#[test]
fn clear_overrides_resets_target_and_rechecks() {
    let model = after(running(), [Action::SetTarget(Some("sm_60".into()))]);
    let revision = model.revision;
    let model = after(model, [Action::ClearOverrides]);
    assert_eq!((model.target.clone(), model.revision), (None, revision + 1));
    assert!(matches!(last_sent(&model), Some(RequestBody::Check { .. })));
    assert_eq!(after(model.clone(), [Action::ClearOverrides]), model);
}

#[test]
fn go_to_block_selects_first_warp() {
    let model = after(running(), [Action::GoToBlock(610)]);
    assert_eq!(model.warp, Some((610, 0)));
    let Some(RequestBody::Move { goal, look }) = last_sent(&model) else {
        panic!("a move is sent")
    };
    assert_eq!((*goal, look.warp), (MoveTarget::Block(610), Some((610, 0))));
}

#[test]
fn save_failure_is_reported_until_save_succeeds() {
    let failed = after(running(), [Action::KeepFailed("it is full".into())]);
    assert_eq!(
        failed.trouble,
        Some(PageError::SaveFailed("it is full".into()))
    );
    let verdict = accepted(failed.clone());
    assert_eq!(verdict.trouble, failed.trouble);
    assert_eq!(
        after(failed, [Action::KeepFailed(String::new())]).trouble,
        None
    );
}

#[test]
fn edit_preserves_position() {
    let model = after(running(), [typed("texts")]);
    let model = after(accepted(model), [Action::LaunchDue]);
    assert_eq!(
        last_goal(&model),
        Some(MoveTarget::MeasureLength(PositionAfterMeasure::Position(3)))
    );
}

#[test]
fn responses_for_older_launch_are_dropped() {
    let model = running();
    let refusal = LaunchRejection {
        code: "W0001".into(),
        message: "no".into(),
        diagnostics: Vec::new(),
    };
    let old = Response::new(1, model.run.launch - 1, ResponseBody::LaunchFailed(refusal));
    assert_eq!(
        after(model.clone(), [Action::ResponseReceived(old.into())]),
        model
    );
}

#[test]
fn moves_are_ignored_without_run() {
    let model = Model::new("text", None);
    assert_eq!(after(model.clone(), [Action::Move(MoveTarget::End)]), model);
    let model = after(running(), [Action::Move(MoveTarget::End)]);
    assert!(matches!(last_sent(&model), Some(RequestBody::Move { .. })));
    assert!(model.run.busy.is_some());
}

#[test]
fn playback_stops_at_end_of_run() {
    let model = after(running(), [Action::TogglePlay, Action::Tick]);
    assert!(model.playing);
    let mut frame = fixture::frame();
    frame.status = RunStatus::Finished;
    let model = answered(model, ResponseBody::Frame(Box::new(frame)));
    assert!(!after(model, [Action::Tick]).playing);
}

#[test]
fn stop_is_sent_to_worker_only_while_busy() {
    let model = after(running(), [Action::Pin(Some(Focus::Lane(3)))]);
    let n_sent = model.outbox.len();
    let model = after(model, [Action::Stop]);
    assert_eq!((model.outbox.len(), model.pinned.clone()), (n_sent, None));
    let model = after(model, [Action::Move(MoveTarget::End), Action::Stop]);
    assert_eq!(last_sent(&model), Some(&RequestBody::Stop));
}

#[test]
fn unknown_writer_is_requested_once() {
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
fn reference_opens_at_topic_and_is_fetched_once() {
    let page = Some(ReferenceTopic::Code("W0001".into()));
    let opened = after(running(), [Action::SetReference(page.clone())]);
    assert_eq!(opened.reference, page);
    assert_eq!(last_sent(&opened), Some(&RequestBody::Reference));
    let (forms, codes, terms) = (Vec::new(), Vec::new(), Vec::new());
    let file = encode(&ReferencePages {
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
fn failed_reference_fetch_is_retried() {
    let open = Action::SetReference(Some(ReferenceTopic::Start));
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
fn terminated_worker_keeps_source_and_reports_reason() {
    let quiet = after(
        running(),
        [Action::ExtendedWorkerTerminated("it is not there".into())],
    );
    assert_eq!(quiet.trouble, None);
    let model = after(
        running(),
        [Action::WorkerTerminated("the core stopped".into())],
    );
    assert_eq!(&*model.text, "text");
    assert!(model.is_stale());
    assert_eq!(
        model.trouble,
        Some(PageError::EmulatorStopped("the core stopped".into()))
    );
    // A retry begins with the check.
    let model = after(model, [Action::Relaunch]);
    assert!(matches!(last_sent(&model), Some(RequestBody::Check { .. })));
}

#[test]
fn example_is_shown_after_source_loads() {
    let picked = after(running(), [Action::AwaitExample(4)]);
    assert!(picked.is_stale());
    let late = Action::ShowExample(3, "late".into());
    assert_eq!(after(picked.clone(), [late]), picked);
    let shown = after(picked.clone(), [Action::ShowExample(4, "texts".into())]);
    assert_eq!((&*shown.text, shown.example), ("texts", Some(4)));
    // Typing while the example loads keeps the typed text.
    let kept = after(
        picked.clone(),
        [typed("own"), Action::ShowExample(4, "texts".into())],
    );
    assert_eq!((&*kept.text, kept.example), ("own", None));
    let failed = after(
        picked,
        [Action::ExampleFailed("the server answered 404".into())],
    );
    assert!(!failed.is_stale() && failed.trouble.is_some());
}

fn pin(index: u64) -> Action {
    Action::Pin(Some(Focus::Cell {
        memory: "out".into(),
        index,
    }))
}

/// Returns a response to the last request for a write history.
fn history_of(model: &Model, n_before: u64) -> ResponseBody {
    let Some(RequestBody::History(place)) = last_sent(model) else {
        panic!("{:?}", last_sent(model))
    };
    ResponseBody::History(Box::new(CellHistory {
        memory: place.memory.clone(),
        offset: place.offset,
        n_bytes: place.n_bytes,
        ty: place.ty,
        initial: "0".into(),
        position: 3,
        n_before,
        n_after: 0,
        steps: 5,
        writes: Vec::new(),
    }))
}

#[test]
fn pinned_cell_history_is_requested_once_unless_truncated() {
    let model = after(running(), [pin(1)]);
    assert!(
        matches!(last_sent(&model), Some(RequestBody::History(place)) if (place.offset, place.n_bytes) == (4, 4))
    );
    let complete_history = history_of(&model, 0);
    let known = answered(model.clone(), complete_history);
    let place = place_of(&known, known.pinned.as_ref().unwrap()).unwrap();
    assert!(known.run.history.of(&place).is_some());
    let sent = known.next_request;
    let elsewhere = |model: Model, position| {
        let frame = SessionFrame {
            position,
            ..fixture::frame()
        };
        answered(model, ResponseBody::Frame(Box::new(frame)))
    };
    assert_eq!(elsewhere(known, 4).next_request, sent);
    // A truncated list is requested again at another position.
    let cut = history_of(&model, 900);
    let again = elsewhere(answered(model, cut), 4);
    assert!(matches!(last_sent(&again), Some(RequestBody::History(_))));
    // A new launch resets the history.
    let fresh = after(again, [Action::LaunchDue]);
    assert_eq!(fresh.run.history, WriteHistory::default());
}

#[test]
fn run_until_moves_and_reports_outcome() {
    let breaks = Action::Until(RunUntilAction::SetBreakpoints([8].into()));
    let go = Action::Until(RunUntilAction::GoToBreakpoint(Direction::Reverse));
    let quiet = after(running(), [go.clone()]);
    assert!(!matches!(
        last_sent(&quiet),
        Some(RequestBody::Until { .. })
    ));
    let model = after(running(), [breaks, go]);
    assert!(matches!(
        last_sent(&model),
        Some(RequestBody::Until { until: StopCondition::LineReached(lines), direction: Direction::Reverse, .. }) if lines == &[8]
    ));
    assert!(model.run.busy.is_some());
    let reached = StopResult {
        is_reached: true,
        position: 3,
        text: "line 8 comes next".into(),
    };
    let said = answered(model.clone(), ResponseBody::Until(Ok(reached)));
    assert!(said.run.busy.is_some());
    let there = framed(said);
    assert!(there.run.busy.is_none());
    assert!(there.until.message_at(3).is_some() && there.until.message_at(4).is_none());
    // No frame follows an error in the condition.
    let wrong = StopConditionError {
        message: "no register".into(),
        at: (0, 1),
    };
    let refused = answered(model, ResponseBody::Until(Err(wrong)));
    assert!(refused.run.busy.is_none() && refused.until.message_at(9).is_some());
}

#[test]
fn initial_value_edit_is_requested_and_cleared_by_source_change() {
    let place = InitialValueTarget::Scalar("n".into());
    let change = || Action::EditInitialValue(InitialValueTarget::Scalar("n".into()), "7".into());
    let model = after(running(), [change()]);
    assert!(
        matches!(last_sent(&model), Some(RequestBody::EditInitialValue { value, .. }) if value == "7")
    );
    let edit = LaunchEdit {
        edits: Vec::new(),
        line: "//@ scalar n: s32 = 7".into(),
    };
    let done = answered(model.clone(), ResponseBody::EditInitialValue(Ok(edit)));
    assert_eq!(done.start.line(&place), Some("//@ scalar n: s32 = 7"));
    // The source first contains the line, and later does not.
    let applied = after(done, [typed("//@ scalar n: s32 = 7\nret;")]);
    assert!(applied.start.line(&place).is_some());
    assert_eq!(
        after(applied, [typed("ret;")]).start,
        InitialValueState::default()
    );
    let reason = ResponseBody::EditInitialValue(Err("no line states it".into()));
    let refused = answered(model, reason);
    assert_eq!(refused.start.error(&place), Some("no line states it"));
    // Annotations that a link adds are not part of the source.
    let mut linked = running();
    linked.inferred_annotations = "//@ scalar n: s32 = 3".into();
    let sent = linked.next_request;
    let linked = after(linked, [change()]);
    assert_eq!(linked.next_request, sent);
    assert!(linked.start.error(&place).is_some());
}
