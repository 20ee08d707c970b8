//! A person's journeys: Playwright drives Chromium through the release site, and through a page that has
//! nothing but the npm package.

use super::{suite, tally};
use crate::package;
use crate::setup::{browser, documents, npm};
use crate::shell::{self, Result};
use crate::site;
use tally::Tally;

pub(super) fn run() -> Result<Tally> {
    package::built()?;
    site::release()?;
    build_documents()?;
    let bin = npm::packages()?;
    let found = browser::find_or_install()?;
    let mut command = shell::command(bin.join("playwright"));
    command.args([
        "test",
        "--config",
        "e2e/playwright.config.ts",
        "--reporter=list",
    ]);
    command.env("CHROMIUM", &found.chromium);
    suite("journeys in Chromium", &mut command, tally::of_playwright)
}

/// Builds the small documents of `docs/hosts`, each by its real tool.
fn build_documents() -> Result<()> {
    for tool in documents::tools() {
        let (variable, place) = &tool.place;
        let mut command = shell::command("node");
        command.env(variable, place);
        command.args(["docs/hosts/build.mjs", tool.name]);
        command.arg(shell::root().join("target/hosts").join(tool.name));
        shell::step(
            &format!("building a document with {}", tool.name),
            &mut command,
        )?;
    }
    Ok(())
}
