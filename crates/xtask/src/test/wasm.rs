//! Tests of the JavaScript API, compiled to wasm: once in Node, once in headless Chromium.

use super::{suite, test_counts};
use crate::setup::{browser, npm, rust};
use crate::shell::{self, Result};
use std::process::Command;
use test_counts::TestCounts;

pub(super) fn run() -> Result<TestCounts> {
    rust::wasm_target()?;
    let (wasm_pack, wasm_bindgen) = (rust::wasm_pack()?, rust::wasm_bindgen()?);
    rust::clean_up();
    npm::node()?;
    let found = browser::find_or_install()?;
    // CONTRIBUTING.md documents the same commands.
    let tests = |place: &[&str], file: &str| {
        let mut command: Command = shell::command(wasm_pack.join("wasm-pack"));
        command.env(
            "PATH",
            shell::path_with(std::slice::from_ref(&wasm_bindgen)),
        );
        command.args(["test", "--mode", "no-install"]).args(place);
        command.args(["crates/wasm", "--locked", "--test", file]);
        command
    };
    let mut node_tests = tests(&["--node"], "node");
    let mut total = suite("wasm tests in Node", &mut node_tests, test_counts::of_rust)?;
    let driver = found.driver.display().to_string();
    let mut browser_tests = tests(
        &["--headless", "--chrome", "--chromedriver", &driver],
        "browser",
    );
    browser_tests.env("WASM_BINDGEN_TEST_TIMEOUT", "180");
    total += suite(
        "wasm tests in Chromium",
        &mut browser_tests,
        test_counts::of_rust,
    )?;
    Ok(total)
}
