//! `cargo xtask ready`: what CI runs, in the order in which a mistake shows soonest.

use crate::arguments::Arguments;
use crate::setup::rust;
use crate::shell::{self, Result};
use crate::test;

pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    arguments.done()?;
    shell::step("format", shell::cargo().args(["fmt", "--all", "--check"]))?;
    let everything = ["--workspace", "--all-targets", "--features", "xtask/core"];
    lint("lints, native", &everything)?;
    rust::wasm_target()?;
    lint(
        "lints, wasm",
        &[
            "--package",
            "warpgrid-wasm",
            "--package",
            "warpgrid-web",
            "--package",
            "warpgrid-worker",
            "--target",
            rust::WASM,
        ],
    )?;
    regenerate()?;
    test::run(arguments)
}

fn lint(title: &str, what: &[&str]) -> Result<()> {
    let mut command = shell::cargo();
    command
        .arg("clippy")
        .args(what)
        .args(["--", "--deny", "warnings"]);
    shell::step(title, &mut command)?;
    Ok(())
}

/// Rewrites every generated file and golden; none may change by that.
fn regenerate() -> Result<()> {
    let before = work_tree()?;
    let mut bless = test::every_room();
    shell::observe("regenerating", bless.env("UPDATE_EXPECT", "1"))?;
    if work_tree()? == before {
        return Ok(());
    }
    shell::hand_over(shell::command("git").args(["--no-pager", "diff", "--stat"]))?;
    Err(
        "generated files were not up to date; they are now: read `git diff` and commit it"
            .to_string(),
    )
}

/// What differs from the last commit, as text to compare.
fn work_tree() -> Result<String> {
    let ask = |words: &[&str]| shell::ask(shell::command("git").args(words));
    let (status, diff) = (ask(&["status", "--porcelain"]), ask(&["diff"]));
    status
        .zip(diff)
        .map(|(status, diff)| status + &diff)
        .ok_or_else(|| "`git` does not answer".to_string())
}
