//! Actions of the Layout Explorer.

use super::{Model, Screen};
use crate::matrix::{CellLabels, MatrixChoice, MatrixFocus, MatrixPage};
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::layouts::fragment::FragmentPicture;
use warpgrid_view::layouts::tensor::LayoutPicture;

/// An action of the Layout Explorer.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixAction {
    /// Opens the view or changes its query.
    Open(MatrixChoice),
    Close,
    SetLabels(CellLabels),
    Hover(Option<MatrixFocus>),
    Pin(Option<MatrixFocus>),
}

/// Applies an action to the state.
pub(super) fn act(model: &mut Model, action: MatrixAction) {
    match action {
        MatrixAction::Open(choice) => open(model, choice),
        MatrixAction::Close => {
            model.show_screen(Screen::Kernel);
        }
        MatrixAction::SetLabels(labels) => {
            if let Some(page) = model.screen.matrix_mut() {
                page.labels = labels;
            }
        }
        MatrixAction::Hover(focus) => {
            if let Some(page) = model.screen.matrix_mut() {
                page.hover = focus;
            }
        }
        MatrixAction::Pin(focus) => {
            if let Some(page) = model.screen.matrix_mut() {
                page.pinned = if page.pinned == focus { None } else { focus };
            }
        }
    }
}

/// Opens the view. The current diagrams stay visible until the response arrives.
fn open(model: &mut Model, choice: MatrixChoice) {
    let asked = model.next_request;
    model.send(RequestBody::Fragments {
        request: choice.request.clone(),
        base_bytes: choice.base_bytes,
        beside: choice.beside.clone(),
    });
    let page = match model.show_screen(Screen::Kernel) {
        Screen::Matrix(page) => MatrixPage { choice, ..page },
        Screen::Kernel | Screen::Product(_) | Screen::Beside(_) | Screen::Outcomes(_) => {
            MatrixPage::new(choice)
        }
    };
    model.show_screen(Screen::Matrix(MatrixPage { asked, ..page }));
}

/// Handles a layout response of the worker. Responses to older requests are dropped.
pub(super) fn show_layout(model: &mut Model, id: u32, picture: LayoutPicture) {
    let Some(page) = model.screen.matrix_mut().filter(|page| page.asked == id) else {
        return;
    };
    page.choice.request = picture.request.clone();
    (page.hover, page.pinned) = (None, None);
    page.pictures = Rc::default();
    page.layout = Some(Rc::new(picture));
}

/// Handles a fragment response of the worker. Responses to older requests are dropped.
pub(super) fn show(model: &mut Model, id: u32, pictures: Vec<FragmentPicture>) {
    let Some(page) = model.screen.matrix_mut().filter(|page| page.asked == id) else {
        return;
    };
    if let Some(picture) = pictures.first() {
        page.choice.request = picture.request.clone();
    }
    // Cell indices depend on the shape, so pinned cells are released.
    (page.hover, page.pinned) = (
        None,
        page.pinned
            .filter(|pin| !matches!(pin, MatrixFocus::Cell { .. })),
    );
    page.pictures = Rc::new(pictures);
    page.layout = None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::fixture;
    use crate::model::{Action, reduce};
    use crate::protocol::{Goal, Response, ResponseBody};

    fn opened() -> Model {
        let choice = MatrixChoice::default();
        reduce(
            Model::new("", None),
            Action::Matrix(MatrixAction::Open(choice)),
        )
    }

    fn answered(model: Model, id: u32) -> Model {
        let body = ResponseBody::Fragments(vec![fixture::store_d()]);
        reduce(model, Action::Heard(Response::new(id, 0, body).into()))
    }

    #[test]
    fn what_was_left_out_is_filled_in_by_the_core() {
        let model = opened();
        let asked = model.screen.matrix().map_or(0, |page| page.asked);
        let page = answered(model, asked)
            .screen
            .matrix()
            .cloned()
            .expect("the view is open");
        assert_eq!(page.choice.request.op, "store.d");
        assert_eq!(page.pictures.len(), 1);
    }

    #[test]
    fn an_answer_to_an_older_choice_is_dropped() {
        let model = opened();
        let asked = model.screen.matrix().map_or(0, |page| page.asked);
        let again = reduce(
            model,
            Action::Matrix(MatrixAction::Open(MatrixChoice::default())),
        );
        let page = answered(again, asked)
            .screen
            .matrix()
            .cloned()
            .expect("the view is open");
        assert_eq!(page.pictures.len(), 0);
    }

    #[test]
    fn the_keys_of_the_transport_rest_and_escape_closes() {
        let mut model = opened();
        let n_sent = model.outbox.len();
        model = reduce(model, Action::Move(Goal::End));
        model = reduce(model, Action::TogglePlay);
        assert_eq!((model.outbox.len(), model.playing), (n_sent, false));
        model = reduce(model, Action::Stop);
        assert_eq!(model.screen, Screen::Kernel);
    }
}
