//! The npm package as its users get it, in Node.

use super::{suite, tally};
use crate::package;
use crate::shell::{self, Result};
use tally::Tally;

pub(super) fn run() -> Result<Tally> {
    package::built()?;
    let mut command = shell::command("node");
    command.args([
        "--test",
        "--test-reporter=tap",
        "crates/wasm/npm/package.test.mjs",
        "web/widget/record.test.mjs",
    ]);
    suite("npm package in Node", &mut command, tally::of_node)
}
