//! Why a request has no answer, in the one form that every host has it.

use crate::diagnostics::{UNREADABLE_ARGUMENT, unreadable_argument};
use crate::layouts::fragment::request::FragmentRefusal;
use crate::memory_model::litmus::test_module::LitmusError;
use crate::model::text::DiagnosticView;
use serde::Serialize;
use std::fmt;

/// Why there is no answer: a code of the reference, a sentence, and the diagnostics of the source where it is about one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

impl Failure {
    /// A failure that is about no source.
    pub fn new(code: &str, message: impl Into<String>) -> Failure {
        Failure {
            code: code.to_owned(),
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// An argument that has another shape than its type says; `what` names it, `why` says what was found and expected.
    pub fn unreadable(what: &str, why: &str) -> Failure {
        Failure::new(UNREADABLE_ARGUMENT, unreadable_argument(what, why))
    }

    /// A request that is well formed, and whose answer does not exist.
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
