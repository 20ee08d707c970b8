//! `cargo xtask layouts`: two algebras of layouts that others wrote are asked, one case after the other. A Python that has both goes in
//! (packages `tensor-layouts`, and `nvidia-cutlass`, which brings `pycute`); how many cases all agree on comes out.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Runs the command; false when an answer differs from what both say, and from the definition of the operation.
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
    shell::hand_over(&mut test)
}
