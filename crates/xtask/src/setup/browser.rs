//! Finds the browsers of the tests on the search path, or installs the browsers from Debian packages. The tests use Chromium with its
//! driver, and Firefox.

use crate::shell::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Paths of a browser and its driver.
#[derive(Debug)]
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
    /// Headless build of the browser, which opens a page in half the time. Some systems do not provide this build.
    pub(crate) headless: Option<PathBuf>,
    pub(crate) driver: PathBuf,
}

impl Browser {
    /// Returns the path of the browser that runs the end-to-end tests.
    pub(crate) fn of_journeys(&self) -> &Path {
        self.headless.as_ref().unwrap_or(&self.chromium)
    }
}

const CHROMIUM: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
const HEADLESS: &str = "chromium-headless-shell";
const FIREFOX: &[&str] = &["firefox-esr", "firefox"];
const DRIVER: &[&str] = &["chromedriver", "chromium.chromedriver"];
const DEBIAN: &[&str] = &["chromium", "chromium-driver", "fonts-dejavu-core"];

/// Returns the browser. If the browser is missing and `apt-get` is available, the function installs the browser.
pub(crate) fn find_or_install() -> Result<Browser> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    update()?.ok_or_else(missing)?;
    install("installing Chromium and its driver", DEBIAN)?;
    let known = shell::capture_stdout(shell::command("apt-cache").args(["show", HEADLESS]));
    if known.is_some() {
        install("installing headless Chromium", &[HEADLESS])?;
    }
    find().ok_or_else(missing)
}

/// Returns the path of Firefox, from `$FIREFOX` or the search path. If Firefox is missing and `apt-get` is available, the function installs
/// Firefox.
pub(crate) fn firefox() -> Result<PathBuf> {
    let find = || locate("FIREFOX", FIREFOX);
    if let Some(found) = find() {
        return Ok(found);
    }
    let missing = || {
        "skipping the tests in Firefox, because Firefox was not found: install Firefox, or set $FIREFOX".to_string()
    };
    update()?.ok_or_else(missing)?;
    install("installing Firefox", &["firefox-esr"])?;
    find().ok_or_else(missing)
}

/// Searches for the browser. The variables `$CHROMIUM` and `$CHROMEDRIVER` take precedence over the search path.
fn find() -> Option<Browser> {
    let is_named = std::env::var_os("CHROMIUM").is_some();
    Some(Browser {
        chromium: locate("CHROMIUM", CHROMIUM)?,
        headless: shell::find_on_path(HEADLESS).filter(|_| !is_named),
        driver: locate("CHROMEDRIVER", DRIVER)?,
    })
}

fn locate(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let named = std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|file| file.is_file());
    named.or_else(|| names.iter().find_map(|name| shell::find_on_path(name)))
}

/// Runs `apt-get update`. Returns `None` if this system does not permit the installation of packages.
fn update() -> Result<Option<()>> {
    let Some(mut command) = apt_get() else {
        return Ok(None);
    };
    shell::step("updating the package lists", command.arg("update"))?;
    Ok(Some(()))
}

fn install(title: &str, packages: &[&str]) -> Result<()> {
    let mut command = apt_get().ok_or("`apt-get` is not available")?;
    command
        .args(["install", "--yes", "--no-install-recommends"])
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

fn missing() -> String {
    "the browser tests require Chromium and its driver: install both programs (Debian: `apt-get install chromium \
     chromium-driver`; Fedora: `dnf install chromium chromedriver`; macOS: `brew install --cask \
     google-chrome chromedriver`), or set $CHROMIUM and $CHROMEDRIVER to the paths of both programs"
        .to_string()
}
