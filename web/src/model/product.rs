//! Actions of the Tensor Core arithmetic view.

use super::{Model, Screen};
use crate::product::ProductPage;
use crate::protocol::{ProductAnswer, RequestBody};
use std::rc::Rc;
use warpgrid_view::analysis::mma_explanation::ProductRequest;

/// An action of the Tensor Core arithmetic view.
#[derive(Clone, Debug, PartialEq)]
pub enum ProductAction {
    /// Opens the view or changes its request.
    Open(ProductRequest),
    Close,
}

/// Applies an action to the state.
pub(super) fn act(model: &mut Model, action: ProductAction) {
    match action {
        ProductAction::Open(request) => open(model, request),
        ProductAction::Close => {
            model.show_screen(Screen::Kernel);
        }
    }
}

/// Opens the view. The current result stays visible until the response arrives.
fn open(model: &mut Model, request: ProductRequest) {
    let asked = model.next_request;
    model.send(RequestBody::Product(request.clone()));
    let answer = match model.show_screen(Screen::Kernel) {
        Screen::Product(page) => page.answer,
        Screen::Kernel | Screen::Matrix(_) | Screen::Beside(_) | Screen::Outcomes(_) => None,
    };
    model.show_screen(Screen::Product(ProductPage {
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
    use crate::model::{Action, MatrixAction, reduce};
    use crate::product::first_product;
    use crate::protocol::{Goal, Response, ResponseBody};

    fn answer() -> ProductAnswer {
        ProductAnswer {
            view: Err("no such product".into()),
            choices: Vec::new(),
            targets: Vec::new(),
        }
    }

    #[test]
    fn an_answer_to_an_older_product_is_dropped() {
        let open = || Action::Product(ProductAction::Open(first_product(None)));
        let model = reduce(Model::new("", None), open());
        let first = model.screen.product().map_or(0, |page| page.asked);
        let model = reduce(model, open());
        let heard = |id| {
            let body = ResponseBody::Product(Box::new(answer()));
            Action::Heard(Response::new(id, 0, body).into())
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
    fn fragments_and_products_take_turns_and_escape_closes() {
        let model = reduce(
            Model::new("", None),
            Action::Product(ProductAction::Open(first_product(None))),
        );
        let n_sent = model.outbox.len();
        let model = reduce(model, Action::Move(Goal::End));
        assert_eq!(model.outbox.len(), n_sent);
        let model = reduce(
            model,
            Action::Matrix(MatrixAction::Open(Default::default())),
        );
        assert_eq!(model.screen.product(), None);
        let model = reduce(
            model,
            Action::Product(ProductAction::Open(first_product(None))),
        );
        assert_eq!(model.screen.matrix(), None);
        assert_eq!(reduce(model, Action::Stop).screen, Screen::Kernel);
    }
}
