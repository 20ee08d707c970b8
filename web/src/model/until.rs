//! Conditional runs: the last result and the breakpoints.

use super::{Busy, Model};
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::session::until::{Direction, Reached, Until, UntilError};

/// State of conditional runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntilPage {
    /// Lines with a breakpoint, ascending.
    pub breaks: Rc<[u32]>,
    /// The result of the last conditional run.
    pub answer: Option<Rc<Result<Reached, UntilError>>>,
}

impl UntilPage {
    /// Returns the result to show at a position: the one reached by the last conditional run, or an error in its condition.
    pub fn said_at(&self, position: u64) -> Option<&Result<Reached, UntilError>> {
        let answer = self.answer.as_deref()?;
        let is_here = match answer {
            Ok(reached) => reached.position == position,
            Err(_) => true,
        };
        is_here.then_some(answer)
    }
}

/// An action of conditional runs.
#[derive(Clone, Debug, PartialEq)]
pub enum UntilAction {
    /// The set of breakpoints has changed.
    SetBreaks(Rc<[u32]>),
    Go(Until, Direction),
    /// Runs to a breakpoint, if there are any.
    GoToBreak(Direction),
}

pub(super) fn act(model: &mut Model, action: UntilAction) {
    match action {
        UntilAction::SetBreaks(lines) => model.until.breaks = lines,
        UntilAction::Go(until, direction) => go(model, until, direction),
        UntilAction::GoToBreak(direction) => {
            let lines = model.until.breaks.to_vec();
            if !lines.is_empty() {
                go(model, Until::Lines(lines), direction);
            }
        }
    }
}

fn go(model: &mut Model, until: Until, direction: Direction) {
    if model.run.frame.is_none() || model.is_stale() {
        return;
    }
    model.playing = false;
    model.until.answer = None;
    let id = model.next_request;
    model.send(RequestBody::Until {
        until,
        direction,
        look: model.look(),
    });
    model.run.busy = Some(Busy { id, position: None });
}

/// Handles the result of a conditional run.
pub(super) fn heard(model: &mut Model, id: u32, answer: Result<Reached, UntilError>) {
    // No frame follows an error in the condition.
    if answer.is_err() && model.run.busy.is_some_and(|busy| busy.id == id) {
        model.run.busy = None;
    }
    model.until.answer = Some(Rc::new(answer));
}
