//! The tests of every room, compiled for the machine they run on.

use super::{suite, tally};
use crate::shell::{self, Result};
use tally::Tally;

pub(super) fn run() -> Result<Tally> {
    let mut command = shell::cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]);
    suite("native tests", &mut command, tally::of_rust)
}
