//! The tests of every room, compiled for the machine they run on.

use super::{suite, tally};
use crate::shell::{self, Result};
use std::process::Command;
use tally::Tally;

/// Where property tests find their seed, a number.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Runs them with one seed of the property tests, so that a change is refused for what it does and not by chance. `cargo test`
/// draws a new seed each time, and `PROPTEST_RNG_SEED` chooses another one here.
pub(super) fn run() -> Result<Tally> {
    let mut command = every_room();
    if std::env::var_os(SEED).is_none() {
        command.env(SEED, "1");
    }
    suite("native tests", &mut command, tally::of_rust)
}

/// The tests of all rooms, and of the tools with all their parts.
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
