//! Implements `cargo xtask ready`, which regenerates the generated and golden files and then runs the tests of CI. The regenerated files
//! must equal the committed files.

use crate::arguments::Arguments;
use crate::editors;
use crate::project_urls;
use crate::shell::{self, Result};
use crate::test;

pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    regenerate()?;
    test::run(arguments)
}

/// Regenerates all generated and golden files. Returns an error if any of these files changes.
fn regenerate() -> Result<()> {
    let before = work_tree()?;
    project_urls::write_readme()?;
    let mut bless = test::test_all_crates();
    shell::observe("regenerating", bless.env("UPDATE_EXPECT", "1"))?;
    // The grammar contains word lists that the previous step generates.
    editors::write_parser()?;
    if work_tree()? == before {
        return Ok(());
    }
    shell::run_interactive(shell::command("git").args(["--no-pager", "diff", "--stat"]))?;
    Err(
        "generated files were out of date and have been regenerated: review `git diff` and commit them"
            .to_string(),
    )
}

/// Returns the uncommitted changes of the working tree as text.
fn work_tree() -> Result<String> {
    let ask = |words: &[&str]| shell::capture_stdout(shell::command("git").args(words));
    let (status, diff) = (ask(&["status", "--porcelain"]), ask(&["diff"]));
    status
        .zip(diff)
        .map(|(status, diff)| status + &diff)
        .ok_or_else(|| "`git` failed".to_string())
}
