//! Active view of the page: the debugger that shows the kernel, or a view that replaces the debugger.

use super::{Action, Model, compare};
use crate::compare::CompareState;
use crate::layout_explorer::LayoutExplorerState;
use crate::litmus::LitmusState;
use crate::mma_arithmetic::MmaArithmeticState;
use crate::protocol::{CompareRequest, RequestBody};

/// View that the page currently shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ActiveView {
    /// The debugger, with the editor and the memories.
    #[default]
    Kernel,
    /// The Layout Explorer.
    Matrix(LayoutExplorerState),
    /// The Tensor Core arithmetic view.
    Product(MmaArithmeticState),
    /// The comparison view.
    Beside(CompareState),
    /// The litmus test view.
    Outcomes(LitmusState),
}

/// Tab of the header to which a view belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Run,
    Compare,
    Layouts,
    MemoryModel,
}

impl ActiveView {
    /// Returns the tab to which the view belongs.
    pub fn stage(&self) -> Stage {
        match self {
            ActiveView::Kernel => Stage::Run,
            ActiveView::Beside(_) => Stage::Compare,
            ActiveView::Matrix(_) | ActiveView::Product(_) => Stage::Layouts,
            ActiveView::Outcomes(_) => Stage::MemoryModel,
        }
    }

    /// Returns the state of the Layout Explorer if it is open.
    pub fn matrix(&self) -> Option<&LayoutExplorerState> {
        match self {
            ActiveView::Matrix(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Product(_)
            | ActiveView::Beside(_)
            | ActiveView::Outcomes(_) => None,
        }
    }

    pub(super) fn matrix_mut(&mut self) -> Option<&mut LayoutExplorerState> {
        match self {
            ActiveView::Matrix(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Product(_)
            | ActiveView::Beside(_)
            | ActiveView::Outcomes(_) => None,
        }
    }

    /// Returns the state of the Tensor Core arithmetic view if it is open.
    pub fn product(&self) -> Option<&MmaArithmeticState> {
        match self {
            ActiveView::Product(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Matrix(_)
            | ActiveView::Beside(_)
            | ActiveView::Outcomes(_) => None,
        }
    }

    pub(super) fn product_mut(&mut self) -> Option<&mut MmaArithmeticState> {
        match self {
            ActiveView::Product(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Matrix(_)
            | ActiveView::Beside(_)
            | ActiveView::Outcomes(_) => None,
        }
    }

    /// Returns the state of the comparison view if it is open.
    pub fn beside(&self) -> Option<&CompareState> {
        match self {
            ActiveView::Beside(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Matrix(_)
            | ActiveView::Product(_)
            | ActiveView::Outcomes(_) => None,
        }
    }

    pub(super) fn beside_mut(&mut self) -> Option<&mut CompareState> {
        match self {
            ActiveView::Beside(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Matrix(_)
            | ActiveView::Product(_)
            | ActiveView::Outcomes(_) => None,
        }
    }

    /// Returns the state of the litmus test view if it is open.
    pub fn outcomes(&self) -> Option<&LitmusState> {
        match self {
            ActiveView::Outcomes(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Matrix(_)
            | ActiveView::Product(_)
            | ActiveView::Beside(_) => None,
        }
    }

    pub(super) fn outcomes_mut(&mut self) -> Option<&mut LitmusState> {
        match self {
            ActiveView::Outcomes(page) => Some(page),
            ActiveView::Kernel
            | ActiveView::Matrix(_)
            | ActiveView::Product(_)
            | ActiveView::Beside(_) => None,
        }
    }

    /// Checks whether the view replaces the debugger.
    pub fn hides_debugger(&self) -> bool {
        !matches!(self, ActiveView::Kernel)
    }
}

impl Model {
    /// Changes the active view, and returns the previous view. When the comparison view or the litmus test view is left, the worker
    /// discards its runs or its search.
    pub(super) fn show_screen(&mut self, screen: ActiveView) -> ActiveView {
        let before = std::mem::replace(&mut self.screen, screen);
        // If no request has been sent, the worker has no runs to discard.
        let had_pair = before.beside().is_some_and(|page| page.asked > 0);
        let had_search = before.outcomes().is_some_and(|page| page.asked > 0);
        let is_left = had_pair && self.screen.beside().is_none()
            || had_search && self.screen.outcomes().is_none();
        if is_left {
            self.send(RequestBody::Beside(CompareRequest::Close));
        }
        before
    }
}

/// Handles the keys and buttons of the transport controls in other views. In the comparison view, both runs move together. The stop action
/// closes the view.
pub(super) fn use_transport(model: &mut Model, action: Action) {
    match (&model.screen, action) {
        (ActiveView::Beside(_), Action::Move(goal)) => compare::go(model, goal),
        (_, Action::Stop) => {
            model.show_screen(ActiveView::Kernel);
        }
        _ => {}
    }
}
