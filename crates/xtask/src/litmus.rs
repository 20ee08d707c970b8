//! `cargo xtask litmus`: holds the explorer and the runs against the litmus tests of the memory model. The explorer must name exactly the
//! outcomes and races that the model has, and the weakest repairs; runs with many seeds must end with nothing else. Without the whole
//! collection beside the project, the project's own copies.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// The whole collection, from the root of the project.
const COLLECTION: &str = "../shared/litmus/litmus.jsonl";
/// Seeds per test unless another number is asked for.
const SEEDS: &str = "1000";

/// Runs the command; false when an outcome is one that the model does not allow, or one is missing.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let seeds = arguments.option("--seeds")?;
    arguments.done()?;
    let mut test = shell::cargo();
    test.args([
        "test",
        "--package",
        "warpgrid-view",
        "--package",
        "warpgrid-order",
        "--test",
        "all",
    ]);
    test.args(["--", "--nocapture", "litmus::", "explorer::"]);
    test.env("LITMUS_SEEDS", seeds.as_deref().unwrap_or(SEEDS));
    let collection = shell::root().join(COLLECTION);
    if collection.exists() {
        test.env("LITMUS", collection);
    }
    shell::hand_over(&mut test)
}
