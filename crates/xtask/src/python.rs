//! Builds the Python package: an installation for the tests, and the wheel of a release.

use crate::setup::rust::cache;
use crate::shell::{self, Result, StepLabel};
use std::path::{Path, PathBuf};

/// Build tool of the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// Message for a machine without Python.
pub(crate) const MISSING: &str =
    "cannot find Python 3.11 or later: install it, or set the variable `PYTHON` to its path";

/// Packages of the Python registry that some tests need.
const TEST_PACKAGES: &[&str] = &["numpy", "pytest"];

/// Directory of the Python sources of the package.
const SOURCES: &str = "crates/python/python/warpgrid";

/// Returns the first Python interpreter that the package supports.
pub(crate) fn interpreter() -> Option<PathBuf> {
    let stated = std::env::var_os("PYTHON").map(PathBuf::from);
    let usual = [
        "python3",
        "python",
        "python3.13",
        "python3.12",
        "python3.11",
    ];
    let candidates = stated.into_iter().chain(usual.map(PathBuf::from));
    let version = "import sys; print(sys.version_info >= (3, 11))";
    candidates.into_iter().find(|python| {
        let found = shell::capture_stdout(shell::command(python).args(["-c", version]));
        found.is_some_and(|found| found.trim() == "True")
    })
}

/// Builds the package in the development profile, and installs it in a virtual environment with the packages of the tests. Returns the
/// interpreter of the environment, which also contains the packages of the machine.
pub(crate) fn install(interpreter: &Path) -> Result<PathBuf> {
    let mut build = shell::cargo();
    // With the packages, targets and features of the native tests, cargo reuses all crates that the native tests have compiled.
    build.args(["build", "--workspace", "--lib", "--tests"]);
    build.args(["--features", "xtask/core"]);
    let title = StepLabel::lasting(
        "compiling the Python package",
        "about 10 min without a cache",
    );
    shell::step(title, &mut build)?;
    let root = shell::root();
    let environment = root.join("target/python");
    let (folder, program) = match cfg!(windows) {
        true => ("Scripts", "python.exe"),
        false => ("bin", "python"),
    };
    let installed = environment.join(folder).join(program);
    let mut create = shell::command(interpreter);
    create
        .args([
            "-m",
            "venv",
            "--clear",
            "--without-pip",
            "--system-site-packages",
        ])
        .arg(&environment);
    shell::step("creating a virtual environment", &mut create)?;
    let mut packages = shell::command(interpreter);
    packages
        .args(["-m", "pip", "--disable-pip-version-check", "--python"])
        .arg(&installed)
        .args(["install", "--quiet"])
        .args(TEST_PACKAGES);
    if let Err(error) = shell::step("installing NumPy and pytest", &mut packages) {
        eprintln!("  skipping the tests that need NumPy or pytest: {error}");
    }
    let packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = shell::capture_stdout(shell::command(&installed).args(["-c", packages]));
    let packages = packages.ok_or("the virtual environment has no directory for packages")?;
    let package = PathBuf::from(packages.trim()).join("warpgrid");
    std::fs::create_dir_all(&package).map_err(|error| format!("{}: {error}", package.display()))?;
    for file in shell::files_below(&root.join(SOURCES), &["__pycache__"])? {
        copy(&file, &package)?;
    }
    let library = format!(
        "{}warpgrid_python{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let extension = match cfg!(windows) {
        true => "_native.pyd",
        false => "_native.abi3.so",
    };
    let library = root.join("target/debug").join(library);
    copy_to(&library, &package.join(extension))?;
    Ok(installed)
}

fn copy(file: &Path, folder: &Path) -> Result<()> {
    copy_to(file, &folder.join(file.file_name().unwrap_or_default()))
}

fn copy_to(from: &Path, to: &Path) -> Result<()> {
    let copied = std::fs::copy(from, to).map(drop);
    copied.map_err(|error| format!("{}: {error}", from.display()))
}

/// Builds the wheel of a release. Returns its path.
pub(crate) fn wheel() -> Result<PathBuf> {
    let interpreter = interpreter().ok_or(MISSING)?;
    let folder = shell::root().join("target/wheels");
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut command = shell::command(maturin(&interpreter)?);
    command
        .args([
            "build",
            "--locked",
            "--manifest-path",
            "crates/python/Cargo.toml",
        ])
        .arg("--interpreter")
        .arg(&interpreter)
        .arg("--out")
        .arg(&folder);
    let title = StepLabel::lasting("building the Python wheel", "about 8 min");
    shell::step(title, &mut command)?;
    let mut files = shell::files_below(&folder, &[])?;
    files
        .pop()
        .ok_or_else(|| "maturin built no wheel".to_owned())
}

/// Returns the path of maturin, which is installed in the cache directory if it is missing.
fn maturin(interpreter: &Path) -> Result<PathBuf> {
    let folder = cache().join(MATURIN.replace("==", "-"));
    let command = folder.join("bin/maturin");
    if !command.is_file() {
        let mut create = shell::command(interpreter);
        shell::step(
            "creating a directory for maturin",
            create.args(["-m", "venv"]).arg(&folder),
        )?;
        let mut pip = shell::command(folder.join("bin/pip"));
        shell::step(
            "installing maturin",
            pip.args(["install", "--quiet", MATURIN]),
        )?;
    }
    Ok(command)
}
