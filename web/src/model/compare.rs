//! Actions of the comparison view.

use super::{ActiveView, Model};
use crate::compare::CompareState;
use crate::protocol::{CompareRequest, CompareResponse, CompareSources, MoveTarget, RequestBody};
use std::rc::Rc;
use warpgrid_view::MemoryKey;

/// An action of the comparison view.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Opens the view to select a second source.
    Open,
    /// Opens the view with an example, whose source replaces the source in the editor, and with another source of the same kernel.
    OpenExample(usize, [Rc<str>; 2]),
    /// Compares the source in the editor with this source.
    SetOther(Rc<str>),
    /// Opens the form for the second source.
    EditSecondSource,
    /// Moves both runs to the position after a number of stores.
    Go(u64),
    /// Selects a line of each source.
    SelectLines([Option<u32>; 2]),
    /// Sets the first visible row of a memory.
    Window(MemoryKey, u64),
}

/// Applies an action of the comparison view to the state.
pub(super) fn act(model: &mut Model, action: CompareAction) {
    match action {
        CompareAction::Open => open(model),
        CompareAction::OpenExample(index, [own, other]) => {
            if model.example != Some(index) {
                super::actions::show_example(model, index, own);
            }
            open(model);
            run(model, other, u64::MAX);
        }
        CompareAction::SetOther(other) => run(model, other, u64::MAX),
        CompareAction::EditSecondSource => {
            if let Some(page) = model.screen.beside_mut() {
                page.is_editing_second_source = true;
            }
        }
        CompareAction::Go(position) => look(model, |page| {
            page.look.position = position;
            page.selected_lines = [None; 2];
        }),
        CompareAction::SelectLines(lines) => {
            if let Some(page) = model.screen.beside_mut() {
                page.selected_lines = lines;
            }
        }
        CompareAction::Window(memory, row) => look(model, |page| {
            page.look.first_rows.retain(|(of, _)| *of != memory);
            page.look.first_rows.push((memory, row));
        }),
    }
}

fn open(model: &mut Model) {
    model.playing = false;
    let page = CompareState::of(Rc::clone(&model.text));
    model.show_screen(ActiveView::Beside(page));
}

/// Opens the view with a second source, at the position after a number of stores.
pub(super) fn open_at(model: &mut Model, other: Rc<str>, position: u64) {
    open(model);
    run(model, other, position);
}

/// Runs both sources, and moves to the position after a number of stores.
fn run(model: &mut Model, other: Rc<str>, position: u64) {
    let source = Rc::clone(&model.text);
    let asked = model.next_request;
    let before = model.screen.beside().cloned();
    let page = before.unwrap_or_else(|| CompareState::of(Rc::clone(&source)));
    let page = CompareState {
        other: Rc::clone(&other),
        source: Rc::clone(&source),
        is_editing_second_source: false,
        opened: None,
        frame: None,
        selected_lines: [None; 2],
        refusal: None,
        asked,
        ..page
    };
    let texts = CompareSources {
        source: model.annotated_source(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
        entry: model.entry.clone(),
        other: other.to_string(),
    };
    let mut look = page.look.clone();
    look.position = position;
    let request = CompareRequest::Open(Box::new(texts), look.clone());
    model.send(RequestBody::Beside(request));
    model.show_screen(ActiveView::Beside(CompareState { look, ..page }));
}

/// Changes the position or the visible rows. The current frame remains visible until the response arrives.
fn look(model: &mut Model, change: impl FnOnce(&mut CompareState)) {
    let asked = model.next_request;
    let Some(page) = model.screen.beside_mut() else {
        return;
    };
    change(page);
    if let Some(opened) = &page.opened {
        page.look.position = page.look.position.min(opened.frame.length);
        page.asked = asked;
        let request = CompareRequest::Look(page.look.clone());
        model.send(RequestBody::Beside(request));
    }
}

/// Handles the keys and buttons of the transport controls in this view.
pub(super) fn go(model: &mut Model, goal: MoveTarget) {
    let Some(page) = model.screen.beside() else {
        return;
    };
    let position = page.look.position;
    let to = match goal {
        MoveTarget::Start => 0,
        MoveTarget::End => u64::MAX,
        MoveTarget::Stores(n) => position.saturating_add(n.into()),
        MoveTarget::StepForward => position.saturating_add(1),
        MoveTarget::StoreBack | MoveTarget::StepBack => position.saturating_sub(1),
        MoveTarget::Position(_)
        | MoveTarget::Block(_)
        | MoveTarget::CompleteOperation(_)
        | MoveTarget::StopCondition
        | MoveTarget::MeasureLength(_) => {
            return;
        }
    };
    act(model, CompareAction::Go(to));
}

/// Handles a response of the worker. Responses to older requests are dropped.
pub(super) fn show(model: &mut Model, id: u32, answer: CompareResponse) {
    let Some(page) = model.screen.beside_mut().filter(|page| page.asked == id) else {
        return;
    };
    match answer {
        CompareResponse::Opened(opened) => {
            page.look.position = opened.frame.position;
            page.frame = Some(Rc::new(opened.frame.clone()));
            page.opened = Some(Rc::new(*opened));
        }
        CompareResponse::Refused(side, refusal) => {
            page.refusal = Some((side, Rc::new(refusal)));
        }
        CompareResponse::Frame(frame) => page.frame = Some(Rc::new(*frame)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, reduce};
    use crate::protocol::{LaunchRejection, Response, ResponseBody};

    fn act_on(model: Model, action: CompareAction) -> Model {
        reduce(model, Action::Beside(action))
    }

    fn example() -> Model {
        let texts = ["ret;", "EXIT;"].map(Rc::from);
        act_on(Model::new("", None), CompareAction::OpenExample(3, texts))
    }

    fn opened(model: Model, n_stores: u64) -> Model {
        let id = model.screen.beside().map_or(0, |page| page.asked);
        let mut body = crate::model::fixture::beside();
        (body.frame.position, body.frame.length) = (n_stores, n_stores);
        let body = ResponseBody::Beside(CompareResponse::Opened(Box::new(body)));
        reduce(
            model,
            Action::ResponseReceived(Response::new(id, 0, body).into()),
        )
    }

    #[test]
    fn example_opens_comparison_with_counterpart_at_end() {
        let model = example();
        let page = model.screen.beside().expect("the view is open");
        assert_eq!(
            (&*page.other, page.is_editing_second_source),
            ("EXIT;", false)
        );
        assert_eq!((&*model.text, model.example), ("ret;", Some(3)));
        let model = opened(model, 5);
        assert_eq!(
            model.screen.beside().map(|page| page.look.position),
            Some(5)
        );
    }

    #[test]
    fn moves_step_by_store_and_clamp_to_run() {
        let mut model = opened(example(), 5);
        for (goal, position) in [
            (MoveTarget::StoreBack, 4),
            (MoveTarget::Stores(1), 5),
            (MoveTarget::Stores(1), 5),
            (MoveTarget::Start, 0),
            (MoveTarget::StepBack, 0),
            (MoveTarget::End, 5),
        ] {
            model = reduce(model, Action::Move(goal));
            let page = model.screen.beside().expect("the view is open");
            assert_eq!(page.look.position, position, "{goal:?}");
            let last = model.outbox.last().map(|request| &request.body);
            let look = CompareRequest::Look(page.look.clone());
            assert_eq!(last, Some(&RequestBody::Beside(look)));
        }
        let model = reduce(model, Action::Stop);
        assert_eq!(model.screen, ActiveView::Kernel);
    }

    #[test]
    fn selected_lines_last_until_next_move() {
        let lines = [Some(3), Some(9)];
        let model = opened(example(), 5);
        let model = act_on(model, CompareAction::SelectLines(lines));
        let selected = |model: &Model| model.screen.beside().map(|page| page.selected_lines);
        assert_eq!(selected(&model), Some(lines));
        let model = act_on(model, CompareAction::Go(2));
        assert_eq!(selected(&model), Some([None; 2]));
    }

    #[test]
    fn rejected_second_source_is_reported_and_editable() {
        let model = act_on(Model::new("ret;", None), CompareAction::Open);
        assert!(
            model
                .screen
                .beside()
                .is_some_and(|page| page.is_editing_second_source)
        );
        let model = act_on(model, CompareAction::SetOther("NOP ;".into()));
        let id = model.screen.beside().map_or(0, |page| page.asked);
        let refusal = LaunchRejection {
            code: "W0001".into(),
            message: "no".into(),
            diagnostics: Vec::new(),
        };
        let answer = |id| {
            let body = ResponseBody::Beside(CompareResponse::Refused(1, refusal.clone()));
            Action::ResponseReceived(Response::new(id, 0, body).into())
        };
        let late = reduce(model.clone(), answer(id + 7));
        assert_eq!(
            late.screen.beside().and_then(|page| page.refusal.clone()),
            None
        );
        let model = reduce(model, answer(id));
        let page = model.screen.beside().expect("the view is open");
        assert_eq!(page.refusal.as_ref().map(|(side, _)| *side), Some(1));
        let model = act_on(model, CompareAction::EditSecondSource);
        assert!(
            model
                .screen
                .beside()
                .is_some_and(|page| page.is_editing_second_source)
        );
        let model = reduce(model, Action::ShowKernel);
        let last = model.outbox.last().map(|request| &request.body);
        assert_eq!(last, Some(&RequestBody::Beside(CompareRequest::Close)));
    }

    #[test]
    fn closing_view_without_request_restores_model() {
        let before = Model::new("ret;", None);
        let model = reduce(
            act_on(before.clone(), CompareAction::Open),
            Action::ShowKernel,
        );
        assert_eq!(model, before);
    }
}
