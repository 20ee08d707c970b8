//! Builds the release version of the playground site in `dist/`. `serve.rs` builds the page for development.

use crate::arguments::Arguments;
use crate::project_urls::ProjectUrls;
use crate::setup::{npm, rust};
use crate::shell::{self, Result};
use crate::stamp::build_if_changed;
use crate::{crate_sizes, package, sizes};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Directory of the bundled JavaScript that the build hook passes to Trunk.
const BUNDLE: &str = "target/bundle";

/// Serves the release build of the page. The function rebuilds the page after every change until the user interrupts the command.
pub(crate) fn serve_release(port: u16) -> Result<bool> {
    let mut trunk = trunk()?;
    // The build uses a separate directory, because `dist/` contains the release site that the end-to-end tests read.
    trunk.args([
        "serve",
        "--release",
        "--dist",
        "target/serve-release",
        "--port",
        &port.to_string(),
    ]);
    println!(
        "  building the site takes several minutes; the site is then served at http://127.0.0.1:{port} (Ctrl-C to stop)"
    );
    shell::run_interactive(&mut trunk)
}

/// Implements `cargo xtask build`, which builds the release site in `dist/` and prints the sizes of its files and of the crates in the
/// cores.
pub(crate) fn build(arguments: &mut Arguments) -> Result<bool> {
    arguments.done()?;
    let site = released()?;
    println!("{}", sizes::report(&site)?);
    println!("{}", surround(&site)?);
    println!("{}", crate_sizes::report()?);
    sizes::check_limits(&site)?;
    Ok(true)
}

/// Builds the release site of the current sources on the first call, and returns the directory of the site.
pub(crate) fn released() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(release).clone()
}

/// Builds the release site if the sources have changed, and returns the directory of the site.
fn release() -> Result<PathBuf> {
    let site = shell::root().join("dist");
    let outputs = std::slice::from_ref(&site);
    build_if_changed("release site", outputs, || write_site(&site))?;
    Ok(site)
}

/// Builds the release site.
fn write_site(site: &Path) -> Result<()> {
    let mut trunk = trunk()?;
    shell::step(
        "building the release site",
        trunk.args(["build", "--release"]),
    )?;
    surround(site)?;
    Ok(())
}

/// Adds the remaining parts of the site: the widget, which the site also serves to other pages, and the pages of examples, reference and
/// documentation. Returns the sizes and hashes of the widget files.
fn surround(site: &Path) -> Result<String> {
    let package = package::built()?;
    let sizes = package::widget(&package, Some(&site.join("widget")))?;
    let mut command = shell::command("node");
    command.arg("web/site/build.mjs").arg(site).arg(&package);
    ProjectUrls::of_project()?.lend(&mut command);
    let pages = shell::step("writing the static pages", &mut command)?;
    Ok(sizes + &pages.transcript)
}

/// Creates a Trunk command whose search path contains all required tools.
fn trunk() -> Result<Command> {
    rust::wasm_target()?;
    let wasm_bindgen = rust::wasm_bindgen()?;
    let trunk = rust::trunk()?;
    rust::clean_up();
    let npm = npm::packages()?;
    keep_folder(&shell::root().join(BUNDLE))?;
    let mut command = shell::command(trunk.join("trunk"));
    command.env("PATH", shell::path_with(&[trunk, wasm_bindgen, npm]));
    rust::leave_out_folders(&mut command);
    // Trunk parses the value of `NO_COLOR` as the value of its option `--no-color`, and rejects values that are not booleans.
    command.env_remove("NO_COLOR");
    Ok(command)
}

fn keep_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
