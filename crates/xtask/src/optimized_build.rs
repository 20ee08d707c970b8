//! Runs the commands that call the emulator. The `harness` binary of this package contains these commands and is compiled with
//! optimizations and the feature `core`, so that `cargo xtask` itself compiles in seconds.

use crate::arguments::Arguments;
use crate::package::artefact;
use crate::shell::{self, Result};

/// Compiles the harness and runs one of its commands.
pub(crate) fn run(command: &str, arguments: Arguments) -> Result<bool> {
    let harness = compile("compiling the harness", &["--release"])?;
    let mut harness = shell::command(harness);
    shell::run_interactive(harness.arg(command).args(arguments.rest()))
}

/// Compiles the harness and returns the path of its executable.
pub(crate) fn compile(title: &str, options: &[&str]) -> Result<std::path::PathBuf> {
    let mut command = shell::cargo();
    command.args([
        "build",
        "--package",
        "xtask",
        "--features",
        "core",
        "--bin",
        "harness",
    ]);
    command
        .args(options)
        .args(["--message-format", "json-render-diagnostics"]);
    let outcome = shell::step(title, &mut command)?;
    let endings = ["/harness", "/harness.wasm"];
    let found = endings
        .iter()
        .find_map(|ending| artefact(&outcome.transcript, ending));
    found.ok_or_else(|| "cargo produced no harness".to_owned())
}
