//! Runs the tests of the packed npm package in Node, and the tests of the editor packages.

use super::{editors, suite, test_counts};
use crate::setup::consumer_projects;
use crate::shell::{self, Result};
use crate::{package, random_kernels, release};
use test_counts::TestCounts;

pub(super) fn run() -> Result<TestCounts> {
    package::built()?;
    let mut total = packed();
    let mut command = shell::command("node");
    command.args([
        "--test",
        "--test-reporter=tap",
        "crates/wasm/npm/package.test.mjs",
        "crates/wasm/consumers/consumers.test.mjs",
        "web/editor/kernel-name.test.mjs",
        "web/editor/share-link.test.mjs",
        "web/external/external.test.mjs",
        "web/inspector/buffer-import.test.mjs",
        "web/serve.test.mjs",
        "web/widget/record.test.mjs",
        "web/widget/annotate.test.mjs",
    ]);
    command.env(random_kernels::VARIABLE, random_kernels::write()?);
    match consumer_projects::folder() {
        Ok(folder) => drop(command.env("CONSUMER_TOOLS", folder)),
        Err(reason) => eprintln!("  skipping the type check: {reason}"),
    }
    total += suite("npm package in Node", &mut command, test_counts::of_node)?;
    total += editors::grammars()?;
    Ok(total)
}

/// Packages the crates and the npm package in the same way as a release. Each package counts as one test result.
fn packed() -> TestCounts {
    let mut total = TestCounts::default();
    for tried in [release::try_crates(false), release::try_package()] {
        total += TestCounts::from(tried);
    }
    total
}
