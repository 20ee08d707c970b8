//! What the launch starts with, changed in place: the question to the core, and its answer, which becomes an edit of the text.

use super::Model;
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::session::start::{StartEdit, StartPlace};

/// What the page knows of a change that was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartPage {
    /// What was asked last.
    pub asked: Option<StartPlace>,
    /// The edit, until the text has it; or why there is none.
    pub answer: Option<Rc<Result<StartEdit, String>>>,
}

impl StartPage {
    /// Whether a text has the line that was asked for.
    pub(super) fn is_applied(&self, text: &str) -> bool {
        let edit = self
            .answer
            .as_deref()
            .and_then(|answer| answer.as_ref().ok());
        edit.is_some_and(|edit| text.lines().any(|line| line == edit.line))
    }

    /// The line of the text that states what was changed there last.
    pub fn line(&self, place: &StartPlace) -> Option<&str> {
        let edit = self.answer.as_deref()?.as_ref().ok()?;
        (self.asked.as_ref() == Some(place)).then_some(&*edit.line)
    }

    /// Why a place cannot be changed as it was asked for.
    pub fn why(&self, place: &StartPlace) -> Option<&str> {
        let why = self.answer.as_deref()?.as_ref().err()?;
        (self.asked.as_ref() == Some(place)).then_some(why)
    }
}

/// Asks for the edit of the text after which the launch starts with another value.
pub(super) fn ask(model: &mut Model, place: StartPlace, value: String) {
    if model.run.frame.is_none() || model.is_stale() {
        return;
    }
    model.start = StartPage {
        asked: Some(place.clone()),
        answer: None,
    };
    // What a link states beside the text is no line of it.
    if !model.guessed.is_empty() {
        let why = "the launch configuration is inferred: first select Insert annotations in the launch menu";
        model.start.answer = Some(Rc::new(Err(why.to_owned())));
        return;
    }
    model.send(RequestBody::EditStart { place, value });
}
