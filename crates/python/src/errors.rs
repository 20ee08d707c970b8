//! Exceptions of the package. The classes are defined in Python (`warpgrid._errors`), so that they have documentation and attributes.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use warpgrid_view::RequestError;
use warpgrid_view::model::Severity;

/// Exception class in `warpgrid._errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    /// The checker rejects the source.
    Source,
    /// An argument or a launch parameter is invalid.
    Argument,
    /// A fault stopped the run.
    Fault,
    /// All threads wait.
    Hang,
    /// The run reached its step limit or its deadline.
    Limit,
    /// The emulator panicked.
    Internal,
}

impl ErrorClass {
    const fn name(self) -> &'static str {
        match self {
            ErrorClass::Source => "SourceError",
            ErrorClass::Argument => "ArgumentError",
            ErrorClass::Fault => "FaultError",
            ErrorClass::Hang => "HangError",
            ErrorClass::Limit => "LimitError",
            ErrorClass::Internal => "InternalError",
        }
    }

    /// Creates an exception with a message and further attributes.
    pub(crate) fn with(self, py: Python<'_>, message: &str, attributes: &Attributes<'_>) -> PyErr {
        match self.instance(py, message, attributes) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }

    /// Creates an exception with a message.
    pub(crate) fn error(self, py: Python<'_>, message: &str) -> PyErr {
        self.with(py, message, &[])
    }

    fn instance<'py>(
        self,
        py: Python<'py>,
        message: &str,
        attributes: &Attributes<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("warpgrid._errors")?.getattr(self.name())?;
        let keywords = PyDict::new(py);
        for (name, value) in attributes {
            keywords.set_item(name, json_value(py, value)?)?;
        }
        class.call((message,), Some(&keywords))
    }
}

/// Names and values of the attributes of an exception, which are serialized as JSON.
pub(crate) type Attributes<'a> = [(&'static str, serde_json::Value)];

/// Converts a serializable value to a Python value, in which objects are instances of `warpgrid.Record`.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    match serde_json::to_string(value) {
        Ok(text) => py
            .import("warpgrid._records")?
            .call_method1("loads", (text,)),
        Err(error) => Err(ErrorClass::Internal.error(py, &error.to_string())),
    }
}

fn json_value<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, value)
}

/// Serializes an attribute of an exception. Values of the JSON model are always serializable.
pub(crate) fn attribute(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Converts a failed request to an exception: a source error if the checker reported an error, and otherwise an argument error.
pub(crate) fn request_error(py: Python<'_>, error: &RequestError) -> PyErr {
    let mut diagnostics = error.diagnostics.iter();
    let class = match diagnostics.any(|found| found.severity == Severity::Error) {
        true => ErrorClass::Source,
        false => ErrorClass::Argument,
    };
    let attributes = [
        ("code", attribute(&error.code)),
        ("diagnostics", attribute(&error.diagnostics)),
    ];
    class.with(py, &error.message, &attributes)
}
