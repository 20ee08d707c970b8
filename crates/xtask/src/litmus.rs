//! `cargo xtask litmus`: runs the litmus tests of the memory model with many seeds, and says how many of them show more than
//! one outcome. Without the whole collection beside the project, the project's own sample.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// The whole collection, from the root of the project.
const COLLECTION: &str = "../shared/litmus/litmus.jsonl";
/// Seeds per test unless another number is asked for.
const SEEDS: &str = "1000";

/// Runs the command; false when an outcome is one that the model does not allow.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let seeds = arguments.option("--seeds")?;
    arguments.done()?;
    let mut test = shell::cargo();
    test.args(["test", "--package", "warpgrid-view", "--test", "litmus"]);
    test.args(["--", "--nocapture"]);
    test.env("LITMUS_SEEDS", seeds.as_deref().unwrap_or(SEEDS));
    let collection = shell::root().join(COLLECTION);
    if collection.exists() {
        test.env("LITMUS", collection);
    }
    shell::hand_over(&mut test)
}
