//! The commands that call the rooms themselves: they run in a second build of this package, optimised
//! and with the feature `core`, so that the plain one compiles in seconds.

use crate::arguments::Arguments;
use crate::package::artefact;
use crate::shell::{self, Result};

/// Builds a program of this package with all rooms in it, optimised, and hands the words over to it.
pub(crate) fn run(program: &str, arguments: Arguments) -> Result<bool> {
    let built = compile(&format!("compiling {program}"), program, &["--release"])?;
    shell::hand_over(shell::command(built).args(arguments.rest()))
}

/// Compiles such a program; the file.
pub(crate) fn compile(title: &str, program: &str, options: &[&str]) -> Result<std::path::PathBuf> {
    let mut command = shell::cargo();
    command.args([
        "build",
        "--package",
        "xtask",
        "--features",
        "core",
        "--bin",
        program,
    ]);
    command
        .args(options)
        .args(["--message-format", "json-render-diagnostics"]);
    let outcome = shell::step(title, &mut command)?;
    let endings = [format!("/{program}"), format!("/{program}.wasm")];
    let found = endings
        .iter()
        .find_map(|ending| artefact(&outcome.transcript, ending));
    found.ok_or_else(|| format!("cargo produced no {program}"))
}
