//! Error of a request to this crate, in the format that all hosts share.

use crate::diagnostics::{NO_RESULT, UNREADABLE_ARGUMENT, unreadable_argument};
use crate::layouts::fragment::request::FragmentRequestError;
use crate::memory_model::litmus::test_module::LitmusError;
use crate::model::text::DiagnosticView;
use serde::Serialize;
use std::fmt;

/// Error of a request of a host. It consists of a diagnostic code, a message, and diagnostics if the error concerns a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestError {
    pub code: String,
    pub message: String,
    pub diagnostics: Vec<DiagnosticView>,
}

impl RequestError {
    /// Creates an error that has no source position.
    pub fn new(code: &str, message: impl Into<String>) -> RequestError {
        RequestError {
            code: code.to_owned(),
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// Creates an error for an argument with an invalid structure. `what` names the argument, and `reason` describes the actual and the
    /// expected structure.
    pub fn invalid_argument(what: &str, reason: &str) -> RequestError {
        RequestError::new(UNREADABLE_ARGUMENT, unreadable_argument(what, reason))
    }

    /// Creates an error for a valid request without a result, such as the rewrite of a kernel without bank conflicts.
    pub(crate) fn no_result(message: impl Into<String>) -> RequestError {
        RequestError::new(NO_RESULT, message)
    }

    /// Creates an error for a well-formed request that cannot be fulfilled.
    pub fn unsupported(message: impl Into<String>) -> RequestError {
        RequestError::new(UNREADABLE_ARGUMENT, message)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RequestError {}

impl From<FragmentRequestError> for RequestError {
    fn from(refusal: FragmentRequestError) -> RequestError {
        RequestError::unsupported(refusal.message)
    }
}

impl From<LitmusError> for RequestError {
    fn from(error: LitmusError) -> RequestError {
        RequestError::unsupported(error.to_string())
    }
}
