//! Implements `cargo xtask layouts`, the differential test of the layout algebra against two reference implementations. The test requires a
//! Python interpreter with the packages `tensor-layouts` and `nvidia-cutlass`, which provides `pycute`. The command reports the number of
//! cases on which all implementations agree.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Runs `cargo xtask layouts`. Returns false if a result differs from both reference implementations and from the definition of the
/// operation.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let python = arguments.option("--python")?;
    arguments.done()?;
    let python = python.ok_or(
        "specify a Python interpreter that has both layout algebras with `--python PROGRAM`",
    )?;
    let mut test = shell::cargo();
    test.args([
        "test",
        "--package",
        "warpgrid-layout",
        "--test",
        "agreement",
    ]);
    test.args(["--", "--nocapture"]);
    test.env("LAYOUTS_PYTHON", python);
    shell::run_interactive(&mut test)
}
