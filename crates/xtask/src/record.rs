//! Implements `cargo xtask record DIR PROGRAM …`, which runs a program on a machine without a GPU. The compiler of this program loads its
//! kernels through the CUDA driver API. An example is a Python script that uses Dr.Jit or GsTaichi. The command writes the PTX modules and
//! the launches with their parameters to the directory. The recording driver `driver/cuda.c` executes no kernel.

use crate::arguments::Arguments;
use crate::shell::{self, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Path of the driver source, relative to the repository root.
const SOURCE: &str = "crates/xtask/driver/cuda.c";
/// Name of the file that contains one line per launch.
const LAUNCHES: &str = "launches.jsonl";

/// Runs `cargo xtask record`. Returns false if the program fails.
pub(crate) fn run(mut arguments: Arguments) -> Result<bool> {
    let folder = arguments.command().ok_or("`record` requires a directory")?;
    let program = arguments.command().ok_or("`record` requires a program")?;
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let driver = build_driver()?;
    let mut command = Command::new(program);
    command.args(arguments.rest());
    set_environment(&mut command, &driver, &folder);
    let status = command.status().map_err(|error| error.to_string())?;
    let launches = fs::read_to_string(folder.join(LAUNCHES)).unwrap_or_default();
    let modules = fs::read_dir(&folder).map_err(|error| error.to_string())?;
    let n_modules = modules.flatten().filter(is_module).count();
    println!(
        "{}: {n_modules} modules, {} launches",
        folder.display(),
        launches.lines().count()
    );
    Ok(status.success())
}

fn is_module(entry: &fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with("module-")
}

/// Compiles the driver and returns the path of the library.
fn build_driver() -> Result<PathBuf> {
    let folder = shell::root().join("target/driver");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let library = folder.join("libcuda.so.1");
    let mut command = shell::command("cc");
    command.args(["-shared", "-fPIC", "-O1", "-o"]);
    command.arg(&library);
    command.args([SOURCE, "-ldl", "-lpthread"]);
    shell::step("building the recording driver", &mut command)?;
    let link = folder.join("libcuda.so");
    // An earlier build may have created a symbolic link to the library. Without the removal of this link, the copy would overwrite its own
    // source.
    let _ = fs::remove_file(&link);
    fs::copy(&library, &link).map_err(|error| format!("{}: {error}", link.display()))?;
    Ok(library)
}

/// Sets the environment variables through which a program finds the driver: the variable of the dynamic linker, and the variable that
/// Dr.Jit reads.
fn set_environment(command: &mut Command, driver: &Path, folder: &Path) {
    let mut path = driver.parent().unwrap_or(driver).as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_LIBRARY_PATH") {
        path.push(":");
        path.push(others);
    }
    command.env("LD_LIBRARY_PATH", path);
    command.env("DRJIT_LIBCUDA_PATH", driver);
    command.env("WARPGRID_DRIVER", driver);
    command.env("WARPGRID_RECORD", folder);
}
