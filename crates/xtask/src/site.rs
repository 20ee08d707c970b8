//! The playground: sources go in, a page comes out as a release has it, laid into `dist/`. While one works on it, `serve.rs` builds it.

use crate::address::Address;
use crate::arguments::Arguments;
use crate::setup::{npm, rust};
use crate::shell::{self, Result};
use crate::stamp::build_if_changed;
use crate::{package, rooms, sizes};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where the page's bundled JavaScript lies between the hook and Trunk.
const BUNDLE: &str = "target/bundle";

/// Serves the page as a release has it, and builds it again on every change, until interrupted.
pub(crate) fn serve_release(port: u16) -> Result<bool> {
    let mut trunk = trunk()?;
    // A folder of its own: `dist/` holds the release site, which the journeys look at.
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
    shell::hand_over(&mut trunk)
}

/// `cargo xtask build`: the release site in `dist/`, and what its files and the rooms of the core weigh.
pub(crate) fn build(arguments: &mut Arguments) -> Result<bool> {
    arguments.done()?;
    let site = released()?;
    println!("{}", sizes::report(&site)?);
    println!("{}", surround(&site)?);
    println!("{}", rooms::report()?);
    Ok(true)
}

/// The release site of the present sources, which whoever asks first builds; its folder.
pub(crate) fn released() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(release).clone()
}

/// Builds the release site unless the sources are unchanged; its folder.
fn release() -> Result<PathBuf> {
    let site = shell::root().join("dist");
    let outputs = std::slice::from_ref(&site);
    build_if_changed("release site", outputs, || write_site(&site))?;
    Ok(site)
}

/// Builds the release site, and fails if a file exceeds its size budget.
fn write_site(site: &Path) -> Result<()> {
    let mut trunk = trunk()?;
    shell::step(
        "building the release site",
        trunk.args(["build", "--release"]),
    )?;
    sizes::guard(site)?;
    surround(site)?;
    Ok(())
}

/// Lays into the site what is around the playground: the widget, which it serves to other pages, and the pages of examples, reference and
/// documents; the sizes and hashes of the widget.
fn surround(site: &Path) -> Result<String> {
    let package = package::built()?;
    let sizes = package::widget(&package, Some(&site.join("widget")))?;
    let mut command = shell::command("node");
    command.arg("web/site/build.mjs").arg(site).arg(&package);
    Address::of_project()?.lend(&mut command);
    let pages = shell::step("writing the static pages", &mut command)?;
    Ok(sizes + &pages.transcript)
}

/// Trunk with all it needs on its search path.
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
    // Trunk takes any value of this variable for its own switch, and refuses what is not a boolean.
    command.env_remove("NO_COLOR");
    Ok(command)
}

fn keep_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
