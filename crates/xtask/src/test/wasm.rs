//! The tests of the JavaScript boundary, compiled to wasm: once in Node, once in headless Chromium.

use super::{suite, tally};
use crate::setup::{browser, npm, rust};
use crate::shell::{self, Result};
use std::process::Command;
use tally::Tally;

pub(super) fn run() -> Result<Tally> {
    rust::wasm_target()?;
    let runner = rust::wasm_bindgen()?.join("wasm-bindgen-test-runner");
    rust::clean_up();
    npm::node()?;
    let found = browser::find_or_install()?;
    let tests = |file: &str| {
        let mut command: Command = shell::cargo();
        command.args([
            "test",
            "--package",
            "warpgrid-wasm",
            "--target",
            rust::WASM,
            "--test",
            file,
        ]);
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", &runner);
        command
    };
    let mut total = suite("wasm tests in Node", &mut tests("node"), tally::of_rust)?;
    let mut browser_tests = tests("browser");
    browser_tests
        .env("CHROMEDRIVER", &found.driver)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    total += suite("wasm tests in Chromium", &mut browser_tests, tally::of_rust)?;
    Ok(total)
}
