//! Functions of the native module that need no launch: checks, explanations, formatting, compiled files and elementwise kernels.

use crate::errors::{request_error, to_python};
use crate::execution::detached;
use crate::module::language_of;
use pyo3::prelude::*;
use warpgrid_view::source::elementwise;
use warpgrid_view::source::elementwise::ElementwiseAssembly;
use warpgrid_view::{CheckOptions, api};

/// Checks a source.
#[pyfunction]
pub(crate) fn check<'py>(
    py: Python<'py>,
    source: String,
    target: Option<String>,
    ptx_version: Option<String>,
    language: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = CheckOptions {
        language: language_of(py, &source, language)?,
        target,
        ptx_version,
    };
    let report = detached(py, || warpgrid_view::check(&source, &options))?;
    to_python(py, &report)
}

/// Explains a diagnostic code, an instruction, a special register or a term.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, subject: &str) -> PyResult<Option<String>> {
    detached(py, || warpgrid_view::explain(subject))
}

/// Formats a source.
#[pyfunction]
pub(crate) fn format_source(py: Python<'_>, source: &str) -> PyResult<String> {
    detached(py, || warpgrid_view::format(source))
}

/// Lists the code objects of a compiled file.
#[pyfunction]
pub(crate) fn open_file<'py>(py: Python<'py>, contents: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let file = detached(py, || api::open_file(contents))?;
    to_python(py, &file.map_err(|error| request_error(py, &error))?)
}

/// Returns a code object of a compiled file as text.
#[pyfunction]
pub(crate) fn file_text(py: Python<'_>, contents: &[u8], program: u64) -> PyResult<String> {
    let text = detached(py, || api::file_text(contents, program))?;
    text.map_err(|error| request_error(py, &error))
}

/// Creates the module of a kernel that executes inline assembly for each element of its arrays.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "the Python part of the package passes all options of the call"
)]
pub(crate) fn elementwise_module<'py>(
    py: Python<'py>,
    assembly: String,
    constraints: String,
    input_bytes: Vec<u32>,
    output_bytes: Vec<u32>,
    pack: u32,
    target: Option<String>,
    ptx_version: Option<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let assembly = ElementwiseAssembly {
        assembly,
        constraints,
        input_bytes,
        output_bytes,
        pack,
    };
    let options = CheckOptions {
        target,
        ptx_version,
        ..CheckOptions::default()
    };
    let module = detached(py, || elementwise::elementwise_module(&assembly, &options))?;
    to_python(py, &module.map_err(|error| request_error(py, &error))?)
}
