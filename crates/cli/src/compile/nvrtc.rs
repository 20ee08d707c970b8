//! Compilation with NVRTC, the shared library of the CUDA toolkit that compiles device code. Python loads the library, because the
//! workspace contains no unsafe code, and because the packages of NVIDIA for Python are the usual source of the library.

use crate::installed_tools::{python_packages, toolkits};
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Program that compiles the CUDA C++ on standard input. Its arguments are the path of the library, the name of the source file and the
/// compiler options. The program writes the PTX to standard output, and the messages of the compiler to standard error.
const DRIVER: &str = include_str!("nvrtc.py");

/// Returns the path of the library: in the directories of `LD_LIBRARY_PATH`, in the CUDA toolkit, or in the Python packages.
pub(super) fn find() -> Option<PathBuf> {
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = |root: PathBuf| ["lib64", "lib", "bin"].map(|name| root.join(name));
    let mut folders = env::split_paths(&path)
        .chain(toolkits().flat_map(folders))
        .chain(python_packages().flat_map(folders));
    folders.find_map(|folder| library_in(&folder))
}

/// Returns the library in a directory: `libnvrtc.so.12` on Linux, `nvrtc64_120_0.dll` on Windows. The directory also contains variants
/// (`libnvrtc.alt.so.12`) and the library of built-in functions (`libnvrtc-builtins.so.12.9`).
fn library_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    let is_library = |name: &&OsString| {
        let name = name.to_string_lossy();
        let is_variant = name.contains("builtins") || name.contains(".alt.");
        let is_shared_library = name.starts_with("libnvrtc.so")
            || name.starts_with("nvrtc64_") && name.ends_with(".dll");
        is_shared_library && !is_variant
    };
    Some(folder.join(names.iter().find(is_library)?))
}

/// Compiles a file. The exit status is not 0 if the compiler rejects the file.
pub(super) fn compile(
    library: &Path,
    file: &Path,
    target: &str,
    arguments: &[String],
) -> io::Result<Output> {
    // NVRTC generates PTX for a virtual architecture.
    let architecture = target.replacen("sm_", "compute_", 1);
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let source = std::fs::read(file)?;
    let mut python = Command::new("python3")
        .args(["-c", DRIVER])
        .arg(library)
        .arg(file)
        .arg("-lineinfo")
        .arg(format!("--gpu-architecture={architecture}"))
        .arg(format!("--include-path={}", folder.display()))
        .args(include_options(library))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = python.stdin.take() {
        // If the program ends before it has read the source, its messages describe the reason.
        let _ = input.write_all(&source);
    }
    python.wait_with_output()
}

/// Returns options for the directories that contain the headers of the toolkit, such as `cuda_fp16.h` and `cuda/barrier`: the headers
/// next to the library precede those of other packages, which can have another release.
fn include_options(library: &Path) -> Vec<String> {
    let own = library.parent().and_then(Path::parent);
    let roots = own.map(Path::to_owned).into_iter().chain(toolkits());
    let folders = roots.chain(python_packages()).flat_map(|root| {
        let include = root.join("include");
        let libraries = include.join("cccl");
        [include, libraries]
    });
    let folders = folders.filter(|folder| folder.is_dir());
    folders
        .map(|folder| format!("--include-path={}", folder.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::library_in;

    #[test]
    fn library_is_found_among_its_variants() {
        let folder = std::env::temp_dir().join(format!("warpgrid-nvrtc-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let names = [
            "libnvrtc-builtins.so.12.9",
            "libnvrtc.alt.so.12",
            "libnvrtc.so.12",
        ];
        for name in names {
            std::fs::write(folder.join(name), "").expect("a file");
        }
        let found = library_in(&folder);
        std::fs::remove_dir_all(&folder).expect("removal");
        assert_eq!(found, Some(folder.join("libnvrtc.so.12")));
    }
}
