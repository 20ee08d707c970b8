//! Running until something happens: what was asked, the breakpoints, and what came of it.

use super::{Busy, Model};
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::session::until::{Direction, Reached, Until, UntilError};

/// What the page knows of runs until something happens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntilPage {
    /// Lines with a breakpoint, ascending.
    pub breaks: Rc<[u32]>,
    /// What came of the last one.
    pub answer: Option<Rc<Result<Reached, UntilError>>>,
}

impl UntilPage {
    /// What is said at a position: where the last run came to, or why nothing can be waited for.
    pub fn said_at(&self, position: u64) -> Option<&Result<Reached, UntilError>> {
        let answer = self.answer.as_deref()?;
        let is_here = match answer {
            Ok(reached) => reached.position == position,
            Err(_) => true,
        };
        is_here.then_some(answer)
    }
}

/// Something happened.
#[derive(Clone, Debug, PartialEq)]
pub enum UntilAction {
    /// The breakpoints are others.
    SetBreaks(Rc<[u32]>),
    Go(Until, Direction),
    /// To a breakpoint, if there are any.
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

/// What came of it.
pub(super) fn heard(model: &mut Model, id: u32, answer: Result<Reached, UntilError>) {
    // Where there is nothing to wait for, no frame follows.
    if answer.is_err() && model.run.busy.is_some_and(|busy| busy.id == id) {
        model.run.busy = None;
    }
    model.until.answer = Some(Rc::new(answer));
}
