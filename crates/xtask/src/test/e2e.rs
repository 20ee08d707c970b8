//! Runs the end-to-end tests. Playwright runs Chromium on the release site, and on a page that uses only the npm package. Firefox also
//! opens both.

use super::{suite, test_counts};
use crate::setup::{browser, consumer_projects, doc_tools, npm};
use crate::shell::{self, Result};
use crate::site;
use crate::stamp::build_if_changed;
use crate::{package, random_kernels, sizes};
use test_counts::TestCounts;

pub(super) fn run() -> Result<TestCounts> {
    package::built()?;
    let site = site::released()?;
    build_documents()?;
    build_consumers()?;
    let bin = npm::packages()?;
    let found = browser::find_or_install()?;
    let mut command = shell::command(bin.join("playwright"));
    command.args([
        "test",
        "--config",
        "e2e/playwright.config.ts",
        "--reporter=list",
    ]);
    command.env("CHROMIUM", found.of_journeys());
    let kernels = random_kernels::write()?;
    command.env(random_kernels::VARIABLE, &kernels);
    let mut total = suite(
        "end-to-end tests in Chromium",
        &mut command,
        test_counts::of_playwright,
    )?;
    if let Err(reason) = sizes::check_limits(&site) {
        eprintln!("  {reason}");
        total.failed += 1;
    }
    match browser::firefox() {
        Ok(firefox) => {
            let mut command = shell::command("node");
            command.args(["--test", "--test-reporter=tap", "e2e/firefox.test.mjs"]);
            command.env("FIREFOX", firefox);
            command.env(random_kernels::VARIABLE, kernels);
            total += suite(
                "page and package in Firefox",
                &mut command,
                test_counts::of_node,
            )?;
        }
        Err(reason) => {
            eprintln!("  {reason}");
            total.skipped += 1;
        }
    }
    Ok(total)
}

/// Builds each example document of `docs/hosts` with its documentation tool.
fn build_documents() -> Result<()> {
    for tool in doc_tools::tools() {
        let (variable, place) = &tool.place;
        let output = shell::root().join("target/hosts").join(tool.name);
        let mut command = shell::command("node");
        command.env(variable, place);
        command.args(["docs/hosts/build.mjs", tool.name]);
        command.arg(&output);
        let name = format!("document of {}", tool.name);
        build_if_changed(&name, &[output], || {
            let title = format!("building a document with {}", tool.name);
            shell::step(&title, &mut command).map(drop)
        })?;
    }
    Ok(())
}

/// Builds the pages of the consumer projects from the packed package. Each project uses its own bundler.
fn build_consumers() -> Result<()> {
    let (pages, tools) = consumer_projects::pages();
    for page in pages {
        let mut command = shell::command("node");
        if let Some(tools) = &tools {
            command.env("CONSUMER_TOOLS", tools);
        }
        command.args(["crates/wasm/consumers/build.mjs", page]);
        let output = shell::root().join("target/consumers").join(page);
        command.arg(&output);
        build_if_changed(&format!("page {page}"), &[output], || {
            let title = format!("building a page with the npm package: {page}");
            shell::step(&title, &mut command).map(drop)
        })?;
    }
    Ok(())
}
