//! Checks the formatting and runs the lints. Each check produces one test result.

use super::test_counts::TestCounts;
use crate::setup::rust;
use crate::shell::{self, Result};
use std::process::Command;

pub(super) fn run() -> Result<TestCounts> {
    rust::wasm_target()?;
    let mut format = shell::cargo();
    format.args(["fmt", "--all", "--check"]);
    let mut native = clippy(&[
        "--workspace",
        "--all-targets",
        "--features",
        "xtask/core,xtask/bind",
    ]);
    let mut wasm = clippy(&[
        "--package",
        "warpgrid-wasm",
        "--package",
        "warpgrid-pack",
        "--package",
        "warpgrid-web",
        "--package",
        "warpgrid-worker",
        "--features",
        "warpgrid-worker/reference",
        "--target",
        rust::WASM,
    ]);
    let mut total = TestCounts::default();
    for (title, command) in [
        ("format", &mut format),
        ("lints, native", &mut native),
        ("lints, wasm", &mut wasm),
    ] {
        total += one(title, command);
    }
    Ok(total)
}

fn clippy(what: &[&str]) -> Command {
    let mut command = shell::cargo();
    command
        .arg("clippy")
        .args(what)
        .args(["--", "--deny", "warnings"]);
    command
}

/// Runs one check. If the check fails, the step prints the failure, and the other checks still run.
fn one(title: &str, command: &mut Command) -> TestCounts {
    match shell::step(title, command) {
        Ok(_) => TestCounts {
            passed: 1,
            ..TestCounts::default()
        },
        Err(message) => {
            eprintln!("  {title}: {message}");
            TestCounts::broken()
        }
    }
}
