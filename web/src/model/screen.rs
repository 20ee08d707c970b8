//! The active view of the page: the debugger with the kernel, or a view that replaces it.

use super::{Action, Model, beside};
use crate::beside::BesidePage;
use crate::matrix::MatrixPage;
use crate::outcomes::OutcomesPage;
use crate::product::ProductPage;
use crate::protocol::{BesideRequest, RequestBody};

/// The active view.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Screen {
    /// The editor and the memories.
    #[default]
    Kernel,
    /// The Layout Explorer.
    Matrix(MatrixPage),
    /// The Tensor Core arithmetic view.
    Product(ProductPage),
    /// The comparison view.
    Beside(BesidePage),
    /// The litmus test view.
    Outcomes(OutcomesPage),
}

impl Screen {
    /// Returns the state of the Layout Explorer if it is open.
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

    /// Returns the state of the Tensor Core arithmetic view if it is open.
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

    /// Returns the state of the comparison view if it is open.
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

    /// Returns the state of the litmus test view if it is open.
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

    /// Checks whether the view hides the kernel.
    pub fn covers_kernel(&self) -> bool {
        !matches!(self, Screen::Kernel)
    }
}

impl Model {
    /// Changes the active view and returns the previous one. When the comparison or litmus test view is left, the worker drops its runs and
    /// its search.
    pub(super) fn show_screen(&mut self, screen: Screen) -> Screen {
        let before = std::mem::replace(&mut self.screen, screen);
        // A worker that received no request has not been started.
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

/// Handles the keys and buttons of the transport in other views: both runs of a comparison move together, and the stop action closes the
/// view.
pub(super) fn use_transport(model: &mut Model, action: Action) {
    match (&model.screen, action) {
        (Screen::Beside(_), Action::Move(goal)) => beside::go(model, goal),
        (_, Action::Stop) => {
            model.show_screen(Screen::Kernel);
        }
        _ => {}
    }
}
