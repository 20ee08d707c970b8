//! Actions of the litmus test view.

use super::actions::order_request;
use super::{ActiveView, Model};
use crate::litmus::{LitmusState, RepairState, first_choice};
use crate::protocol::{LitmusAnswer, LitmusRequest, RequestBody};
use std::rc::Rc;
use warpgrid_view::memory_model::litmus::{ExtractionRequest, LitmusError};

/// An action of the litmus test view.
#[derive(Clone, Debug, PartialEq)]
pub enum LitmusAction {
    /// Opens the view with a litmus test, or replaces the litmus test.
    Open(Rc<str>),
    /// Shows the execution graph of an outcome.
    Choose(usize),
    /// Searches for the weakest fixes of the litmus test.
    Repair,
    /// Opens the view with a test that is extracted from lines of the kernel.
    ExtractFromKernel(ExtractionRequest),
    /// Cancels the running search.
    Stop,
}

/// Applies an action of the litmus test view to the state.
pub(super) fn act(model: &mut Model, action: LitmusAction) {
    match action {
        LitmusAction::Open(text) => open(model, text),
        LitmusAction::Choose(number) => {
            if let Some(page) = model.screen.outcomes_mut() {
                page.chosen = number;
            }
        }
        LitmusAction::Repair => repair(model),
        LitmusAction::ExtractFromKernel(cut) => ask_cut(model, cut),
        LitmusAction::Stop => stop(model),
    }
}

/// Opens the view. The current results remain visible until the response arrives.
fn open(model: &mut Model, text: Rc<str>) {
    model.playing = false;
    let mut page = match &model.screen {
        ActiveView::Outcomes(page) => page.clone(),
        _ => LitmusState::new(Rc::clone(&text)),
    };
    page.asked = model.next_request;
    page.repairs = RepairState::Unasked;
    page.text = Rc::clone(&text);
    model.send(RequestBody::Litmus(LitmusRequest::Explore(
        text.to_string(),
    )));
    model.show_screen(ActiveView::Outcomes(page));
}

/// Requests the litmus test of the selected lines, for which the worker runs the kernel up to these lines.
fn ask_cut(model: &mut Model, cut: ExtractionRequest) {
    let launch = order_request(model);
    model.playing = false;
    let mut page = LitmusState::new("".into());
    page.asked = model.next_request;
    model.send(RequestBody::Litmus(LitmusRequest::Cut(launch, cut)));
    model.show_screen(ActiveView::Outcomes(page));
}

fn stop(model: &mut Model) {
    let Some(page) = model.screen.outcomes_mut().filter(|page| page.asked != 0) else {
        return;
    };
    page.asked = 0;
    if page.repairs == RepairState::Asked {
        page.repairs = RepairState::Unasked;
    } else {
        page.answer = None;
        page.error = Some(Rc::new(LitmusError {
            message: "the enumeration was cancelled before all executions were enumerated".into(),
            ..LitmusError::default()
        }));
    }
    model.send(RequestBody::Litmus(LitmusRequest::Stop));
}

fn repair(model: &mut Model) {
    let asked = model.next_request;
    let Some(page) = model.screen.outcomes_mut() else {
        return;
    };
    page.asked = asked;
    page.repairs = RepairState::Asked;
    let text = page.text.to_string();
    model.send(RequestBody::Litmus(LitmusRequest::Repair {
        text,
        bad: None,
    }));
}

/// Handles a response of the worker. Responses to older requests are dropped.
pub(super) fn show(model: &mut Model, id: u32, answer: LitmusAnswer) {
    let Some(page) = model.screen.outcomes_mut().filter(|page| page.asked == id) else {
        return;
    };
    page.asked = 0;
    match answer {
        LitmusAnswer::ExtractedTest(text) => open(model, text.into()),
        LitmusAnswer::Outcomes(found) => {
            page.chosen = first_choice(&found);
            page.answer = Some(Rc::from(found));
            page.error = None;
        }
        LitmusAnswer::Repairs { repairs, texts } => {
            page.repairs = RepairState::Repairs(Rc::new((repairs, texts)));
        }
        LitmusAnswer::Failed(error) => {
            page.answer = None;
            page.repairs = RepairState::Unasked;
            page.error = Some(Rc::new(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, reduce};
    use crate::protocol::{Response, ResponseBody};

    fn heard(id: u32, answer: LitmusAnswer) -> Action {
        Action::ResponseReceived(Response::new(id, 0, ResponseBody::Litmus(answer)).into())
    }

    #[test]
    fn response_to_older_test_is_dropped_and_escape_closes_view() {
        let open = |text: &str| Action::Outcomes(LitmusAction::Open(text.into()));
        let model = reduce(Model::new("", None), open("one"));
        let first = model.screen.outcomes().map_or(0, |page| page.asked);
        let model = reduce(model, open("two"));
        let second = model.screen.outcomes().map_or(0, |page| page.asked);
        let answer = || LitmusAnswer::Outcomes(Box::default());
        let model = reduce(model, heard(first, answer()));
        assert_eq!(
            model.screen.outcomes().and_then(|page| page.answer.clone()),
            None
        );
        let model = reduce(model, heard(second, answer()));
        assert!(
            model
                .screen
                .outcomes()
                .is_some_and(|page| page.answer.is_some())
        );
        let model = reduce(model, open("three"));
        let third = model.screen.outcomes().map_or(0, |page| page.asked);
        let failed = heard(third, LitmusAnswer::Failed(LitmusError::default()));
        let model = reduce(model, failed);
        assert!(
            model
                .screen
                .outcomes()
                .is_some_and(|page| page.error.is_some())
        );
        assert_eq!(reduce(model, Action::Stop).screen, ActiveView::Kernel);
    }

    #[test]
    fn kernel_lines_become_test_and_exploration_can_be_stopped() {
        let cut = Action::Outcomes(LitmusAction::ExtractFromKernel(ExtractionRequest::default()));
        let model = reduce(Model::new("", None), cut);
        let asked = model.screen.outcomes().map_or(0, |page| page.asked);
        let model = reduce(
            model,
            heard(asked, LitmusAnswer::ExtractedTest("two".into())),
        );
        let page = model.screen.outcomes().expect("the view");
        assert_eq!((&*page.text, page.asked != 0), ("two", true));
        let stop = Action::Outcomes(LitmusAction::Stop);
        let model = reduce(model, stop);
        let page = model.screen.outcomes().expect("the view");
        assert_eq!((page.asked, page.error.is_some()), (0, true));
    }
}
