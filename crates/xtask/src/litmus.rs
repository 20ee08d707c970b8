//! Implements `cargo xtask litmus`, which compares the state-space explorer and seeded runs with the litmus tests of the memory model. The
//! explorer must report exactly the outcomes and races of the model, and the weakest fixes. Runs with many seeds must not produce any other
//! outcome. If the full collection does not exist next to the repository, the command uses the sample in the repository.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Path of the full collection of litmus tests, relative to the repository root.
const COLLECTION: &str = "../shared/litmus/litmus.jsonl";
/// Default number of seeds per litmus test.
const SEEDS: &str = "1000";

/// Runs `cargo xtask litmus`. Returns false if the model forbids an observed outcome, or if the explorer omits an allowed outcome.
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
