//! Tests of all crates, compiled for the host.

use super::{suite, test_counts};
use crate::shell::{self, Result};
use std::process::Command;
use test_counts::TestCounts;

/// Environment variable with the seed of property tests, a number.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Runs the tests with a fixed seed of the property tests, so that a failure is caused by the change and not by chance. `cargo test`
/// chooses a new seed each time; `PROPTEST_RNG_SEED` overrides the fixed seed.
pub(super) fn run() -> Result<TestCounts> {
    let mut command = every_room();
    if std::env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
    suite("native tests", &mut command, test_counts::of_rust)
}

/// Returns the command that tests all crates, and xtask with all its features.
pub(crate) fn every_room() -> Command {
    let mut command = shell::cargo();
    command.args([
        "test",
        "--workspace",
        "--features",
        "xtask/core",
        "--no-fail-fast",
    ]);
    command
}
