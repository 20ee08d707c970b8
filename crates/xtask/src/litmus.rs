//! `cargo xtask litmus`: compares the state-space explorer and seeded runs with the litmus tests of the memory model. The explorer must
//! report exactly the outcomes and races of the model, and the weakest repairs; runs with many seeds must not produce any other outcome.
//! Without the full collection next to the repository, the command uses the sample in the repository.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Full collection, relative to the repository root.
const COLLECTION: &str = "../shared/litmus/litmus.jsonl";
/// Default number of seeds per test.
const SEEDS: &str = "1000";

/// Runs the command. Returns false if an outcome is forbidden by the model or if an allowed outcome is missing.
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
    shell::run_interactive(&mut test)
}
