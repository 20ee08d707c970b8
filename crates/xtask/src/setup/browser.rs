//! Finds the browsers of the tests on the search path, or installs the browsers from Debian packages. The tests use Chromium with its
//! driver, and Firefox.

use super::debian;
use crate::shell::{self, Result};
use std::path::{Path, PathBuf};

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

/// Returns the browser. If the browser or its headless build is missing and `apt-get` is available, the function installs it.
pub(crate) fn find_or_install() -> Result<Browser> {
    if find().is_none() {
        debian::update()?.ok_or_else(missing)?;
        debian::install("installing Chromium and its driver", DEBIAN)?;
    }
    let found = find().ok_or_else(missing)?;
    if found.headless.is_some() || is_named() {
        return Ok(found);
    }
    // The headless build is optional, because it only shortens the tests.
    if let Err(message) = install_headless() {
        eprintln!(
            "  the tests run in the complete browser, because the headless build was not installed: {message}"
        );
    }
    find().ok_or_else(missing)
}

/// Installs the headless build of Chromium if the distribution provides it as a package.
fn install_headless() -> Result<()> {
    let is_known =
        || shell::capture_stdout(shell::command("apt-cache").args(["show", HEADLESS])).is_some();
    if shell::find_on_path("apt-cache").is_none() || !is_known() && debian::update()?.is_none() {
        return Ok(());
    }
    if is_known() {
        debian::install("installing headless Chromium", &[HEADLESS])?;
    }
    Ok(())
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
    debian::update()?.ok_or_else(missing)?;
    debian::install("installing Firefox", &["firefox-esr"])?;
    find().ok_or_else(missing)
}

/// Searches for the browser. The variables `$CHROMIUM` and `$CHROMEDRIVER` take precedence over the search path.
fn find() -> Option<Browser> {
    Some(Browser {
        chromium: locate("CHROMIUM", CHROMIUM)?,
        headless: shell::find_on_path(HEADLESS).filter(|_| !is_named()),
        driver: locate("CHROMEDRIVER", DRIVER)?,
    })
}

/// Returns whether a variable selects the browser.
fn is_named() -> bool {
    std::env::var_os("CHROMIUM").is_some()
}

fn locate(variable: &str, names: &[&str]) -> Option<PathBuf> {
    let named = std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|file| file.is_file());
    named.or_else(|| names.iter().find_map(|name| shell::find_on_path(name)))
}

fn missing() -> String {
    "the browser tests require Chromium and its driver: install both programs (Debian: `apt-get install chromium \
     chromium-driver`; Fedora: `dnf install chromium chromedriver`; macOS: `brew install --cask \
     google-chrome chromedriver`), or set $CHROMIUM and $CHROMEDRIVER to the paths of both programs"
        .to_string()
}
