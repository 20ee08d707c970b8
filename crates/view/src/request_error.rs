//! Error of a request, in the common format of all hosts.

use crate::diagnostics::{UNREADABLE_ARGUMENT, unreadable_argument};
use crate::layouts::fragment::request::FragmentRefusal;
use crate::memory_model::litmus::test_module::LitmusError;
use crate::model::text::DiagnosticView;
use serde::Serialize;
use std::fmt;

/// Error of a request: a code of the reference, a message, and diagnostics if the error concerns a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

impl Failure {
    /// Creates an error without a source position.
    pub fn new(code: &str, message: impl Into<String>) -> Failure {
        Failure {
            code: code.to_owned(),
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// Creates an error for an argument with an invalid structure. `what` names the argument, and `why` describes the actual and the
    /// expected structure.
    pub fn unreadable(what: &str, why: &str) -> Failure {
        Failure::new(UNREADABLE_ARGUMENT, unreadable_argument(what, why))
    }

    /// Creates an error for a well-formed request without a result.
    pub fn refused(message: impl Into<String>) -> Failure {
        Failure::new(UNREADABLE_ARGUMENT, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<FragmentRefusal> for Failure {
    fn from(refusal: FragmentRefusal) -> Failure {
        Failure::refused(refusal.message)
    }
}

impl From<LitmusError> for Failure {
    fn from(error: LitmusError) -> Failure {
        Failure::refused(error.to_string())
    }
}
