//! Runs the tests of all crates, compiled for the host.

use super::{suite, test_counts};
use crate::shell::{self, Result};
use std::process::Command;
use test_counts::TestCounts;

/// Environment variable that contains the seed of the property tests as a number.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Runs the tests with a fixed seed of the property tests, so that a failure results from the change and not from a new random input.
/// `cargo test` selects a new seed in each run. The variable `PROPTEST_RNG_SEED` overrides the fixed seed.
pub(super) fn run() -> Result<TestCounts> {
    let mut command = test_all_crates();
    if std::env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
    suite("native tests", &mut command, test_counts::of_rust)
}

/// Returns the command that tests all crates, including xtask with all its features.
pub(crate) fn test_all_crates() -> Command {
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
