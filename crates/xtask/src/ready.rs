//! `cargo xtask ready`: rewrites the generated files and goldens, which must not change, then runs what CI runs.

use crate::address;
use crate::arguments::Arguments;
use crate::shell::{self, Result};
use crate::test;

pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    regenerate()?;
    test::run(arguments)
}

/// Rewrites every generated file and golden; none may change by that.
fn regenerate() -> Result<()> {
    let before = work_tree()?;
    address::write_readme()?;
    let mut bless = test::every_room();
    shell::observe("regenerating", bless.env("UPDATE_EXPECT", "1"))?;
    if work_tree()? == before {
        return Ok(());
    }
    shell::hand_over(shell::command("git").args(["--no-pager", "diff", "--stat"]))?;
    Err(
        "generated files were out of date and have been regenerated: review `git diff` and commit them"
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
        .ok_or_else(|| "`git` failed".to_string())
}
