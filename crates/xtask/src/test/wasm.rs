//! Runs the tests of the JavaScript API, compiled to wasm, in Node and in headless Chromium.

use super::{suite, test_counts};
use crate::setup::{browser, npm, rust};
use crate::shell::{self, Result};
use std::path::Path;
use std::process::Command;
use test_counts::TestCounts;

pub(super) fn run() -> Result<TestCounts> {
    rust::wasm_target()?;
    let runner = rust::wasm_bindgen()?.join("wasm-bindgen-test-runner");
    rust::clean_up();
    npm::node()?;
    let found = browser::find_or_install()?;
    let mut node_tests = tests("node", &runner);
    let mut total = suite("wasm tests in Node", &mut node_tests, test_counts::of_rust)?;
    let mut browser_tests = tests("browser", &runner);
    browser_tests.env("CHROMEDRIVER", found.driver);
    browser_tests.env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    total += suite(
        "wasm tests in Chromium",
        &mut browser_tests,
        test_counts::of_rust,
    )?;
    Ok(total)
}

/// Returns the command that runs one test file of `crates/wasm`. `wasm-pack test` runs the same tests, but compiles all crates twice: for
/// the command `cargo build --tests` and for the command `cargo test`. CONTRIBUTING.md documents `wasm-pack test` for single tests.
fn tests(file: &str, runner: &Path) -> Command {
    let mut command = shell::cargo();
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    command.args(["test", "--locked", "--package", "warpgrid-wasm"]);
    command.args(["--target", rust::WASM, "--profile", "wasm-dev"]);
    command.args(["--test", file]);
    command
}
