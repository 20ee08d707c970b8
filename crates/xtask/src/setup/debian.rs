//! Installs Debian packages, if `apt-get` is available.

use crate::shell::{self, Result};
use std::path::PathBuf;
use std::process::Command;

/// Returns the path of a program on the search path. If the program is missing, the function installs its package.
pub(crate) fn program(name: &str, package: &str) -> Result<PathBuf> {
    if let Some(found) = shell::find_on_path(name) {
        return Ok(found);
    }
    let missing = || format!("`{name}` was not found: install the package `{package}`");
    update()?.ok_or_else(missing)?;
    install(&format!("installing {package}"), &[package])?;
    shell::find_on_path(name).ok_or_else(missing)
}

/// Installs a package if the directory `folder` contains no entry whose name starts with `prefix`.
pub(crate) fn library(folder: &str, prefix: &str, package: &str) -> Result<()> {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    if entries.any(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        return Ok(());
    }
    let missing = || format!("`{prefix}` was not found: install the package `{package}`");
    update()?.ok_or_else(missing)?;
    install(&format!("installing {package}"), &[package])
}

/// Runs `apt-get update`. Returns `None` if this system does not permit the installation of packages.
pub(super) fn update() -> Result<Option<()>> {
    let Some(mut command) = apt_get() else {
        return Ok(None);
    };
    shell::step("updating the package lists", command.arg("update"))?;
    Ok(Some(()))
}

pub(super) fn install(title: &str, packages: &[&str]) -> Result<()> {
    let mut command = apt_get().ok_or("`apt-get` is not available")?;
    command
        // The installation of a package must not remove another package.
        .args(["install", "--yes", "--no-install-recommends", "--no-remove"])
        .args(packages);
    shell::step(title, &mut command).map(drop)
}

/// Returns an `apt-get` command with the privileges for the installation of packages.
fn apt_get() -> Option<Command> {
    shell::find_on_path("apt-get")?;
    let user = shell::capture_stdout(shell::command("id").arg("-u")).unwrap_or_default();
    let mut command = if user.trim() == "0" {
        shell::command("apt-get")
    } else if shell::find_on_path("sudo").is_some() {
        let mut command = shell::command("sudo");
        command.args([
            "--non-interactive",
            "--preserve-env=DEBIAN_FRONTEND",
            "apt-get",
        ]);
        command
    } else {
        return None;
    };
    command.env("DEBIAN_FRONTEND", "noninteractive");
    Some(command)
}
