//! Actions of the comparison view.

use super::{Model, Screen};
use crate::beside::BesidePage;
use crate::protocol::{BesideAnswer, BesideRequest, BesideTexts, Goal, RequestBody};
use std::rc::Rc;
use warpgrid_view::MemoryId;

/// An action of the comparison view.
#[derive(Clone, Debug, PartialEq)]
pub enum BesideAction {
    /// Opens the view to select a second source.
    Open,
    /// Opens the view with an example, whose source replaces that of the editor, and another source of the same kernel.
    OpenExample(usize, [Rc<str>; 2]),
    /// Compares the source of the editor with this one.
    SetOther(Rc<str>),
    /// Opens the form for the second source.
    Choose,
    /// Moves to a number of stores.
    Go(u64),
    /// Sets the first visible row of a memory.
    Window(MemoryId, u64),
    Close,
}

/// Applies an action to the state.
pub(super) fn act(model: &mut Model, action: BesideAction) {
    match action {
        BesideAction::Open => open(model),
        BesideAction::OpenExample(index, [own, other]) => {
            if model.example != Some(index) {
                super::actions::show_example(model, index, own);
            }
            open(model);
            run(model, other, u64::MAX);
        }
        BesideAction::SetOther(other) => run(model, other, u64::MAX),
        BesideAction::Choose => {
            if let Some(page) = model.screen.beside_mut() {
                page.choosing = true;
            }
        }
        BesideAction::Go(position) => look(model, |page| page.look.position = position),
        BesideAction::Window(memory, row) => look(model, |page| {
            page.look.first_rows.retain(|(of, _)| *of != memory);
            page.look.first_rows.push((memory, row));
        }),
        BesideAction::Close => {
            model.show_screen(Screen::Kernel);
        }
    }
}

fn open(model: &mut Model) {
    model.playing = false;
    let page = BesidePage::of(Rc::clone(&model.text));
    model.show_screen(Screen::Beside(page));
}

/// Opens the view with a second source at a number of stores.
pub(super) fn open_at(model: &mut Model, other: Rc<str>, position: u64) {
    open(model);
    run(model, other, position);
}

/// Runs both sources and moves to a number of stores.
fn run(model: &mut Model, other: Rc<str>, position: u64) {
    let source = Rc::clone(&model.text);
    let asked = model.next_request;
    let before = model.screen.beside().cloned();
    let page = before.unwrap_or_else(|| BesidePage::of(Rc::clone(&source)));
    let page = BesidePage {
        other: Rc::clone(&other),
        source: Rc::clone(&source),
        choosing: false,
        opened: None,
        frame: None,
        refusal: None,
        asked,
        ..page
    };
    let texts = BesideTexts {
        source: model.stated(),
        target: model.target.clone(),
        ptx_version: model.ptx_version.clone(),
        entry: model.entry.clone(),
        other: other.to_string(),
    };
    let mut look = page.look.clone();
    look.position = position;
    let request = BesideRequest::Open(Box::new(texts), look.clone());
    model.send(RequestBody::Beside(request));
    model.show_screen(Screen::Beside(BesidePage { look, ..page }));
}

/// Changes the position or the visible rows. The current frame stays visible until the response arrives.
fn look(model: &mut Model, change: impl FnOnce(&mut BesidePage)) {
    let asked = model.next_request;
    let Some(page) = model.screen.beside_mut() else {
        return;
    };
    change(page);
    if let Some(opened) = &page.opened {
        page.look.position = page.look.position.min(opened.frame.length);
        page.asked = asked;
        let request = BesideRequest::Look(page.look.clone());
        model.send(RequestBody::Beside(request));
    }
}

/// Handles the keys and buttons of the transport in this view.
pub(super) fn go(model: &mut Model, goal: Goal) {
    let Some(page) = model.screen.beside() else {
        return;
    };
    let position = page.look.position;
    let to = match goal {
        Goal::Start => 0,
        Goal::End => u64::MAX,
        Goal::Stores(n) => position.saturating_add(n.into()),
        Goal::StepForward => position.saturating_add(1),
        Goal::StoreBack | Goal::StepBack => position.saturating_sub(1),
        Goal::Position(_) | Goal::Block(_) | Goal::Land(_) | Goal::Watched | Goal::Explore(_) => {
            return;
        }
    };
    act(model, BesideAction::Go(to));
}

/// Handles a response of the worker. Responses to older requests are dropped.
pub(super) fn show(model: &mut Model, id: u32, answer: BesideAnswer) {
    let Some(page) = model.screen.beside_mut().filter(|page| page.asked == id) else {
        return;
    };
    match answer {
        BesideAnswer::Opened(opened) => {
            page.look.position = opened.frame.position;
            page.frame = Some(Rc::new(opened.frame.clone()));
            page.opened = Some(Rc::new(*opened));
        }
        BesideAnswer::Refused(side, refusal) => {
            page.refusal = Some((side, Rc::new(refusal)));
        }
        BesideAnswer::Frame(frame) => page.frame = Some(Rc::new(*frame)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, reduce};
    use crate::protocol::{Refusal, Response, ResponseBody};

    fn act_on(model: Model, action: BesideAction) -> Model {
        reduce(model, Action::Beside(action))
    }

    fn example() -> Model {
        let texts = ["ret;", "EXIT;"].map(Rc::from);
        act_on(Model::new("", None), BesideAction::OpenExample(3, texts))
    }

    fn opened(model: Model, n_stores: u64) -> Model {
        let id = model.screen.beside().map_or(0, |page| page.asked);
        let mut body = crate::model::fixture::beside();
        (body.frame.position, body.frame.length) = (n_stores, n_stores);
        let body = ResponseBody::Beside(BesideAnswer::Opened(Box::new(body)));
        reduce(model, Action::Heard(Response::new(id, 0, body).into()))
    }

    #[test]
    fn an_example_opens_beside_its_partner_at_the_end() {
        let model = example();
        let page = model.screen.beside().expect("the view is open");
        assert_eq!((&*page.other, page.choosing), ("EXIT;", false));
        assert_eq!((&*model.text, model.example), ("ret;", Some(3)));
        let model = opened(model, 5);
        assert_eq!(
            model.screen.beside().map(|page| page.look.position),
            Some(5)
        );
    }

    #[test]
    fn keys_go_from_store_to_store_and_stay_within_the_run() {
        let mut model = opened(example(), 5);
        for (goal, position) in [
            (Goal::StoreBack, 4),
            (Goal::Stores(1), 5),
            (Goal::Stores(1), 5),
            (Goal::Start, 0),
            (Goal::StepBack, 0),
            (Goal::End, 5),
        ] {
            model = reduce(model, Action::Move(goal));
            let page = model.screen.beside().expect("the view is open");
            assert_eq!(page.look.position, position, "{goal:?}");
            let last = model.outbox.last().map(|request| &request.body);
            let look = BesideRequest::Look(page.look.clone());
            assert_eq!(last, Some(&RequestBody::Beside(look)));
        }
        let model = reduce(model, Action::Stop);
        assert_eq!(model.screen, Screen::Kernel);
    }

    #[test]
    fn a_text_that_does_not_run_is_said_and_can_be_changed() {
        let model = act_on(Model::new("ret;", None), BesideAction::Open);
        assert!(model.screen.beside().is_some_and(|page| page.choosing));
        let model = act_on(model, BesideAction::SetOther("NOP ;".into()));
        let id = model.screen.beside().map_or(0, |page| page.asked);
        let refusal = Refusal {
            code: "W0001".into(),
            message: "no".into(),
            diagnostics: Vec::new(),
        };
        let answer = |id| {
            let body = ResponseBody::Beside(BesideAnswer::Refused(1, refusal.clone()));
            Action::Heard(Response::new(id, 0, body).into())
        };
        let late = reduce(model.clone(), answer(id + 7));
        assert_eq!(
            late.screen.beside().and_then(|page| page.refusal.clone()),
            None
        );
        let model = reduce(model, answer(id));
        let page = model.screen.beside().expect("the view is open");
        assert_eq!(page.refusal.as_ref().map(|(side, _)| *side), Some(1));
        let model = act_on(model, BesideAction::Choose);
        assert!(model.screen.beside().is_some_and(|page| page.choosing));
        let model = act_on(model, BesideAction::Close);
        let last = model.outbox.last().map(|request| &request.body);
        assert_eq!(last, Some(&RequestBody::Beside(BesideRequest::Close)));
    }

    #[test]
    fn a_view_that_asked_nothing_starts_no_core() {
        let before = Model::new("ret;", None);
        let model = act_on(
            act_on(before.clone(), BesideAction::Open),
            BesideAction::Close,
        );
        assert_eq!(model, before);
    }
}
