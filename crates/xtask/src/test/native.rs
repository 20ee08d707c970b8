//! The tests of every room, compiled for the machine they run on.

use super::{suite, tally};
use crate::shell::{self, Result};
use std::process::Command;
use tally::Tally;

pub(super) fn run() -> Result<Tally> {
    suite("native tests", &mut every_room(), tally::of_rust)
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
