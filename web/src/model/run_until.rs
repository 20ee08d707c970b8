//! State of conditional runs: the result of the last conditional run, and the breakpoints.

use super::{Model, PendingMove};
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::session::stop_conditions::{
    Direction, StopCondition, StopConditionError, StopResult,
};

/// State of conditional runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunUntilState {
    /// Lines that have a breakpoint, in ascending order.
    pub breakpoints: Rc<[u32]>,
    /// The result of the last conditional run.
    pub answer: Option<Rc<Result<StopResult, StopConditionError>>>,
}

impl RunUntilState {
    /// Returns the result that is shown at a position: the result of the conditional run that stopped at the position, or an error in its
    /// condition.
    pub fn message_at(&self, position: u64) -> Option<&Result<StopResult, StopConditionError>> {
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
pub enum RunUntilAction {
    /// The set of breakpoints has changed.
    SetBreakpoints(Rc<[u32]>),
    Go(StopCondition, Direction),
    /// Runs to the next breakpoint in a direction, if there are breakpoints.
    GoToBreakpoint(Direction),
}

pub(super) fn act(model: &mut Model, action: RunUntilAction) {
    match action {
        RunUntilAction::SetBreakpoints(lines) => model.until.breakpoints = lines,
        RunUntilAction::Go(until, direction) => go(model, until, direction),
        RunUntilAction::GoToBreakpoint(direction) => {
            let lines = model.until.breakpoints.to_vec();
            if !lines.is_empty() {
                go(model, StopCondition::LineReached(lines), direction);
            }
        }
    }
}

fn go(model: &mut Model, until: StopCondition, direction: Direction) {
    if model.run.frame.is_none() || model.is_stale() {
        return;
    }
    model.playing = false;
    model.until.answer = None;
    let id = model.next_request;
    model.send(RequestBody::Until {
        until,
        direction,
        look: model.frame_request(),
    });
    model.run.busy = Some(PendingMove { id, position: None });
}

/// Handles the result of a conditional run.
pub(super) fn heard(model: &mut Model, id: u32, answer: Result<StopResult, StopConditionError>) {
    // If the condition is invalid, the worker sends no frame.
    if answer.is_err() && model.run.busy.is_some_and(|busy| busy.id == id) {
        model.run.busy = None;
    }
    model.until.answer = Some(Rc::new(answer));
}
