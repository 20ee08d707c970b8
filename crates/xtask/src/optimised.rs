//! The commands that call the rooms themselves: they run in a second build of this package, optimised
//! and with the feature `core`, so that the plain one compiles in seconds.

use crate::arguments::Arguments;
use crate::shell::{self, Result};

/// Builds that second `xtask` and hands the command over to it.
#[cfg(not(feature = "core"))]
pub(crate) fn conformance(arguments: Arguments) -> Result<bool> {
    let mut build = shell::cargo();
    build.args([
        "build",
        "--package",
        "xtask",
        "--bin",
        "xtask",
        "--features",
        "core",
        "--release",
    ]);
    build.args(["--message-format", "json-render-diagnostics"]);
    let outcome = shell::step("compiling the rooms, optimised", &mut build)?;
    let program =
        crate::package::artefact(&outcome.transcript, "/xtask").ok_or("cargo made no xtask")?;
    shell::hand_over(
        shell::command(program)
            .arg("conformance")
            .args(arguments.rest()),
    )
}
