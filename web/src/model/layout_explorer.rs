//! Actions of the Layout Explorer.

use super::{ActiveView, Model};
use crate::layout_explorer::{CellLabels, LayoutExplorerState, LayoutFocus, LayoutQuery};
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::layouts::fragment::FragmentPicture;
use warpgrid_view::layouts::tensor::LayoutPicture;

/// An action of the Layout Explorer.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutExplorerAction {
    /// Opens the view, or changes the query of the view.
    Open(LayoutQuery),
    SetLabels(CellLabels),
    Hover(Option<LayoutFocus>),
    Pin(Option<LayoutFocus>),
}

/// Applies an action of the Layout Explorer to the state.
pub(super) fn act(model: &mut Model, action: LayoutExplorerAction) {
    match action {
        LayoutExplorerAction::Open(choice) => open(model, choice),
        LayoutExplorerAction::SetLabels(labels) => {
            if let Some(page) = model.screen.matrix_mut() {
                page.labels = labels;
            }
        }
        LayoutExplorerAction::Hover(focus) => {
            if let Some(page) = model.screen.matrix_mut() {
                page.hover = focus;
            }
        }
        LayoutExplorerAction::Pin(focus) => {
            if let Some(page) = model.screen.matrix_mut() {
                page.pinned = if page.pinned == focus { None } else { focus };
            }
        }
    }
}

/// Opens the view. The current diagrams remain visible until the response arrives.
fn open(model: &mut Model, choice: LayoutQuery) {
    let asked = model.next_request;
    model.send(RequestBody::Fragments {
        request: choice.request.clone(),
        base_bytes: choice.base_bytes,
        beside: choice.beside.clone(),
    });
    let page = match model.show_screen(ActiveView::Kernel) {
        ActiveView::Matrix(page) => LayoutExplorerState { choice, ..page },
        ActiveView::Kernel
        | ActiveView::Product(_)
        | ActiveView::Beside(_)
        | ActiveView::Outcomes(_) => LayoutExplorerState::new(choice),
    };
    model.show_screen(ActiveView::Matrix(LayoutExplorerState { asked, ..page }));
}

/// Handles a layout response of the worker. Responses to older requests are dropped.
pub(super) fn show_layout(model: &mut Model, id: u32, picture: LayoutPicture) {
    let Some(page) = model.screen.matrix_mut().filter(|page| page.asked == id) else {
        return;
    };
    page.choice.complete(&picture.request);
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
        page.choice.complete(&picture.request);
    }
    // Pinned cells are released, because cell indices depend on the shape.
    (page.hover, page.pinned) = (
        None,
        page.pinned
            .filter(|pin| !matches!(pin, LayoutFocus::Cell { .. })),
    );
    page.pictures = Rc::new(pictures);
    page.layout = None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout_explorer::{fixture, read_link};
    use crate::model::{Action, reduce};
    use crate::protocol::{MoveTarget, Response, ResponseBody};

    fn opened() -> Model {
        let choice = LayoutQuery::default();
        reduce(
            Model::new("", None),
            Action::Matrix(LayoutExplorerAction::Open(choice)),
        )
    }

    fn answered(model: Model, id: u32) -> Model {
        let body = ResponseBody::Fragments(vec![fixture::store_d()]);
        reduce(
            model,
            Action::ResponseReceived(Response::new(id, 0, body).into()),
        )
    }

    #[test]
    fn missing_parameters_are_completed_by_response() {
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
    fn values_of_a_link_that_the_response_replaces_are_reported() {
        let open = |link: &str| {
            let choice = LayoutQuery {
                is_unanswered_link: true,
                ..read_link(link).expect("a link")
            };
            reduce(
                Model::new("", None),
                Action::Matrix(LayoutExplorerAction::Open(choice)),
            )
        };
        let unknown = |link: &str| {
            let model = open(link);
            let asked = model.screen.matrix().map_or(0, |page| page.asked);
            let model = answered(model, asked);
            model
                .screen
                .matrix()
                .map(|page| page.choice.unknown_parameters.clone())
        };
        assert_eq!(
            unknown("#layouts?op=store.z&shape=m99&target=sm_80a"),
            Some(vec!["op=store.z".to_owned(), "shape=m99".to_owned()])
        );
        assert_eq!(unknown("#layouts?op=store.d&type=f32"), Some(vec![]));
    }

    #[test]
    fn response_to_older_query_is_dropped() {
        let model = opened();
        let asked = model.screen.matrix().map_or(0, |page| page.asked);
        let again = reduce(
            model,
            Action::Matrix(LayoutExplorerAction::Open(LayoutQuery::default())),
        );
        let page = answered(again, asked)
            .screen
            .matrix()
            .cloned()
            .expect("the view is open");
        assert_eq!(page.pictures.len(), 0);
    }

    #[test]
    fn transport_keys_are_inactive_and_escape_closes_view() {
        let mut model = opened();
        let n_sent = model.outbox.len();
        model = reduce(model, Action::Move(MoveTarget::End));
        model = reduce(model, Action::TogglePlay);
        assert_eq!((model.outbox.len(), model.playing), (n_sent, false));
        model = reduce(model, Action::Stop);
        assert_eq!(model.screen, ActiveView::Kernel);
    }
}
