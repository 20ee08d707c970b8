//! What fills the page: the kernel with its memories, or one of the views that take their place.

use super::{Action, Model, beside};
use crate::beside::BesidePage;
use crate::matrix::MatrixPage;
use crate::outcomes::OutcomesPage;
use crate::product::ProductPage;
use crate::protocol::{BesideRequest, RequestBody};

/// What fills the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Screen {
    /// The editor and the memories.
    #[default]
    Kernel,
    /// The matrix view.
    Matrix(MatrixPage),
    /// The view of a product.
    Product(ProductPage),
    /// The view of two texts.
    Beside(BesidePage),
    /// The view of every outcome of a few threads.
    Outcomes(OutcomesPage),
}

impl Screen {
    /// The matrix view, where it is open.
    pub fn matrix(&self) -> Option<&MatrixPage> {
        match self {
            Screen::Matrix(page) => Some(page),
            Screen::Kernel | Screen::Product(_) | Screen::Beside(_) | Screen::Outcomes(_) => None,
        }
    }

    pub(super) fn matrix_mut(&mut self) -> Option<&mut MatrixPage> {
        match self {
            Screen::Matrix(page) => Some(page),
            Screen::Kernel | Screen::Product(_) | Screen::Beside(_) | Screen::Outcomes(_) => None,
        }
    }

    /// The view of a product, where it is open.
    pub fn product(&self) -> Option<&ProductPage> {
        match self {
            Screen::Product(page) => Some(page),
            Screen::Kernel | Screen::Matrix(_) | Screen::Beside(_) | Screen::Outcomes(_) => None,
        }
    }

    pub(super) fn product_mut(&mut self) -> Option<&mut ProductPage> {
        match self {
            Screen::Product(page) => Some(page),
            Screen::Kernel | Screen::Matrix(_) | Screen::Beside(_) | Screen::Outcomes(_) => None,
        }
    }

    /// The view of two texts, where it is open.
    pub fn beside(&self) -> Option<&BesidePage> {
        match self {
            Screen::Beside(page) => Some(page),
            Screen::Kernel | Screen::Matrix(_) | Screen::Product(_) | Screen::Outcomes(_) => None,
        }
    }

    pub(super) fn beside_mut(&mut self) -> Option<&mut BesidePage> {
        match self {
            Screen::Beside(page) => Some(page),
            Screen::Kernel | Screen::Matrix(_) | Screen::Product(_) | Screen::Outcomes(_) => None,
        }
    }

    /// The view of outcomes, where it is open.
    pub fn outcomes(&self) -> Option<&OutcomesPage> {
        match self {
            Screen::Outcomes(page) => Some(page),
            Screen::Kernel | Screen::Matrix(_) | Screen::Product(_) | Screen::Beside(_) => None,
        }
    }

    pub(super) fn outcomes_mut(&mut self) -> Option<&mut OutcomesPage> {
        match self {
            Screen::Outcomes(page) => Some(page),
            Screen::Kernel | Screen::Matrix(_) | Screen::Product(_) | Screen::Beside(_) => None,
        }
    }

    /// Whether the kernel is out of sight.
    pub fn covers_kernel(&self) -> bool {
        !matches!(self, Screen::Kernel)
    }
}

impl Model {
    /// Shows another screen and returns the one before. The core drops both runs when the view of two texts is left, and a search when
    /// that of outcomes is.
    pub(super) fn show_screen(&mut self, screen: Screen) -> Screen {
        let before = std::mem::replace(&mut self.screen, screen);
        // A core that was asked nothing has not started.
        let had_pair = before.beside().is_some_and(|page| page.asked > 0);
        let had_search = before.outcomes().is_some_and(|page| page.asked > 0);
        let is_left = had_pair && self.screen.beside().is_none()
            || had_search && self.screen.outcomes().is_none();
        if is_left {
            self.send(RequestBody::Beside(BesideRequest::Close));
        }
        before
    }
}

/// The keys and buttons of the transport while another screen is shown: two texts move together, elsewhere it is out of sight.
pub(super) fn use_transport(model: &mut Model, action: Action) {
    match (&model.screen, action) {
        (Screen::Beside(_), Action::Move(goal)) => beside::go(model, goal),
        (_, Action::Stop) => {
            model.show_screen(Screen::Kernel);
        }
        _ => {}
    }
}
