//! Implements `cargo xtask order`, which runs kernels with races or hangs and their corrected versions, and reports the number of exact
//! diagnoses.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Default number of seeds per kernel.
const SEEDS: &str = "4";

/// Runs `cargo xtask order`. Returns false if a diagnosis differs from the expected diagnosis.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let seeds = arguments.option("--seeds")?;
    let only = arguments.option("--only")?;
    arguments.done()?;
    let mut test = shell::cargo();
    test.args(["test", "--package", "warpgrid-order", "--test", "all"]);
    test.args(["--", "--nocapture", "kernels::", "own::"]);
    test.env("ORDER_SEEDS", seeds.as_deref().unwrap_or(SEEDS));
    test.env("ORDER_ONLY", only.unwrap_or_default());
    shell::run_interactive(&mut test)
}
