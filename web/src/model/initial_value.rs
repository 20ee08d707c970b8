//! Editing of initial values: the request to the worker, and the response, which becomes an edit of the source.

use super::Model;
use crate::protocol::RequestBody;
use std::rc::Rc;
use warpgrid_view::session::launch_edit::{InitialValueTarget, LaunchEdit};

/// State of the last change of an initial value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialValueState {
    /// Initial value that the last request changes.
    pub asked: Option<InitialValueTarget>,
    /// Edit of the source, or an error message. `None` once the source contains the edit.
    pub answer: Option<Rc<Result<LaunchEdit, String>>>,
}

impl InitialValueState {
    /// Checks whether a source contains the line that was requested.
    pub(super) fn is_applied(&self, text: &str) -> bool {
        let edit = self
            .answer
            .as_deref()
            .and_then(|answer| answer.as_ref().ok());
        edit.is_some_and(|edit| text.lines().any(|line| line == edit.line))
    }

    /// Returns the annotation that the last edit of this initial value inserts.
    pub fn line(&self, place: &InitialValueTarget) -> Option<&str> {
        let edit = self.answer.as_deref()?.as_ref().ok()?;
        (self.asked.as_ref() == Some(place)).then_some(&*edit.line)
    }

    /// Returns the error message of the last edit of this initial value.
    pub fn error(&self, place: &InitialValueTarget) -> Option<&str> {
        let reason = self.answer.as_deref()?.as_ref().err()?;
        (self.asked.as_ref() == Some(place)).then_some(reason)
    }
}

/// Requests the source edit that changes an initial value of the launch.
pub(super) fn ask(model: &mut Model, place: InitialValueTarget, value: String) {
    if model.run.frame.is_none() || model.is_stale() {
        return;
    }
    model.start = InitialValueState {
        asked: Some(place.clone()),
        answer: None,
    };
    // Annotations that a link adds are not lines of the source, so that an edit cannot change them.
    if !model.inferred_annotations.is_empty() {
        let reason = "the launch configuration is inferred: first select Insert annotations in the launch menu";
        model.start.answer = Some(Rc::new(Err(reason.to_owned())));
        return;
    }
    model.send(RequestBody::EditInitialValue { place, value });
}
