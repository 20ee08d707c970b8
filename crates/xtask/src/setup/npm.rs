//! Installs the npm packages wasm-opt, esbuild, CodeMirror and Playwright in the versions of the lock file.

use super::rust::cache;
use crate::shell::{self, Result};
use std::path::{Path, PathBuf};

/// Oldest supported major version of Node. Older releases cannot run the wasm modules or the tests.
const OLDEST_NODE: u32 = 20;

/// Installs the locked packages if these packages are not installed, and returns the directory of their commands.
pub(crate) fn packages() -> Result<PathBuf> {
    let root = shell::root();
    let modules = root.join("node_modules");
    let lock = std::fs::read_to_string(root.join("package-lock.json"))
        .map_err(|error| format!("package-lock.json: {error}"))?;
    // The stamp is a copy of the lock file from which the packages have been installed.
    let stamp = modules.join(".installed-lock.json");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(modules.join(".bin"));
    }
    node()?;
    let mut command = shell::command("npm");
    command.args(["ci", "--no-audit", "--no-fund", "--loglevel=http"]);
    // The tests use the browser of the system, so that only packages of the registry are downloaded.
    command.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    shell::step("installing npm packages", &mut command)?;
    std::fs::write(&stamp, lock).map_err(|error| format!("{}: {error}", stamp.display()))?;
    Ok(modules.join(".bin"))
}

/// Installs packages that are not development dependencies of the repository in a directory of the cache, unless exactly these packages are
/// already installed. Returns this directory.
pub(crate) fn in_cache(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = cache().join(name);
    let requested = packages.join("\n");
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == requested) {
        return Ok(folder);
    }
    let write = |file: &Path, text: &str| {
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
    };
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    write(&folder.join("package.json"), "{ \"private\": true }\n")?;
    let mut npm = shell::command("npm");
    npm.current_dir(&folder);
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]);
    shell::step(&format!("installing {name}"), npm.args(packages))?;
    write(&stamp, &requested)?;
    Ok(folder)
}

/// Checks whether a sufficiently recent Node is installed.
pub(crate) fn node() -> Result<()> {
    let answer = shell::capture_stdout(shell::command("node").arg("--version")).unwrap_or_default();
    let major: Option<u32> = answer
        .trim()
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|m| m.parse().ok());
    match major {
        Some(major) if major >= OLDEST_NODE => Ok(()),
        Some(major) => Err(format!(
            "Node {major} is too old: install Node {OLDEST_NODE} or later (https://nodejs.org)"
        )),
        None => Err(format!(
            "Node is not installed: install Node {OLDEST_NODE} or later, with npm (https://nodejs.org)"
        )),
    }
}
