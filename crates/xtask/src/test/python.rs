//! Runs the tests of the Python package, which is built in the development profile and installed in a virtual environment.

use super::{suite, test_counts};
use crate::python;
use crate::shell::{self, Result};
use test_counts::TestCounts;

/// Runs the tests and doctests of the package. Without Python, the suite counts as one skipped test.
pub(super) fn run() -> Result<TestCounts> {
    let Some(interpreter) = python::interpreter() else {
        eprintln!("  skipping the Python package: {}", python::MISSING);
        return Ok(TestCounts {
            skipped: 1,
            ..TestCounts::default()
        });
    };
    let installed = python::install(&interpreter)?;
    let mut command = shell::command(installed);
    // Warnings of the package, such as invalid escape sequences, are errors.
    command.args(["-X", "dev", "-W", "error", "crates/python/tests/run.py"]);
    suite("Python package", &mut command, test_counts::of_python)
}
