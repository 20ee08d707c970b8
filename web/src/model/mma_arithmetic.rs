//! Actions of the Tensor Core arithmetic view.

use super::{ActiveView, Model};
use crate::mma_arithmetic::MmaArithmeticState;
use crate::protocol::{ProductAnswer, RequestBody};
use std::rc::Rc;
use warpgrid_view::analysis::mma_explanation::MmaRequest;

/// An action of the Tensor Core arithmetic view.
#[derive(Clone, Debug, PartialEq)]
pub enum MmaArithmeticAction {
    /// Opens the view, or changes the request of the view.
    Open(MmaRequest),
}

/// Applies an action of the Tensor Core arithmetic view to the state.
pub(super) fn act(model: &mut Model, action: MmaArithmeticAction) {
    match action {
        MmaArithmeticAction::Open(request) => open(model, request),
    }
}

/// Opens the view. The current result remains visible until the response arrives.
fn open(model: &mut Model, request: MmaRequest) {
    let asked = model.next_request;
    model.send(RequestBody::Product(request.clone()));
    let answer = match model.show_screen(ActiveView::Kernel) {
        ActiveView::Product(page) => page.answer,
        ActiveView::Kernel
        | ActiveView::Matrix(_)
        | ActiveView::Beside(_)
        | ActiveView::Outcomes(_) => None,
    };
    model.show_screen(ActiveView::Product(MmaArithmeticState {
        request,
        answer,
        asked,
    }));
}

/// Handles a response of the worker. Responses to older requests are dropped.
pub(super) fn show(model: &mut Model, id: u32, answer: ProductAnswer) {
    if let Some(page) = model.screen.product_mut().filter(|page| page.asked == id) {
        page.answer = Some(Rc::new(answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mma_arithmetic::first_product;
    use crate::model::{Action, LayoutExplorerAction, reduce};
    use crate::protocol::{MoveTarget, Response, ResponseBody};

    fn answer() -> ProductAnswer {
        ProductAnswer {
            view: Err("no such product".into()),
            choices: Vec::new(),
            targets: Vec::new(),
        }
    }

    #[test]
    fn response_to_older_request_is_dropped() {
        let open = || Action::Product(MmaArithmeticAction::Open(first_product(None)));
        let model = reduce(Model::new("", None), open());
        let first = model.screen.product().map_or(0, |page| page.asked);
        let model = reduce(model, open());
        let heard = |id| {
            let body = ResponseBody::Product(Box::new(answer()));
            Action::ResponseReceived(Response::new(id, 0, body).into())
        };
        let model = reduce(model, heard(first));
        let second = model.screen.product().map_or(0, |page| page.asked);
        assert_eq!(
            model.screen.product().and_then(|page| page.answer.clone()),
            None
        );
        let model = reduce(model, heard(second));
        let page = model.screen.product().cloned().expect("the view is open");
        assert_eq!(page.answer.as_deref(), Some(&answer()));
    }

    #[test]
    fn layout_and_mma_views_replace_each_other_and_escape_closes() {
        let model = reduce(
            Model::new("", None),
            Action::Product(MmaArithmeticAction::Open(first_product(None))),
        );
        let n_sent = model.outbox.len();
        let model = reduce(model, Action::Move(MoveTarget::End));
        assert_eq!(model.outbox.len(), n_sent);
        let model = reduce(
            model,
            Action::Matrix(LayoutExplorerAction::Open(Default::default())),
        );
        assert_eq!(model.screen.product(), None);
        let model = reduce(
            model,
            Action::Product(MmaArithmeticAction::Open(first_product(None))),
        );
        assert_eq!(model.screen.matrix(), None);
        assert_eq!(reduce(model, Action::Stop).screen, ActiveView::Kernel);
    }
}
