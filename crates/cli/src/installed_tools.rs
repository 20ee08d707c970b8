//! Programs and libraries of the CUDA toolkit that are installed on the host.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Searches a program on the path, in the CUDA toolkit and in the Python packages.
pub(crate) fn search(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(toolkits().map(|toolkit| toolkit.join("bin")))
        .chain(python_packages().map(|package| package.join("bin")))
        .map(|folder| folder.join(&file))
        .find(|program| program.is_file())
}

/// Returns the directories of the CUDA toolkits that the environment specifies.
pub(crate) fn toolkits() -> impl Iterator<Item = PathBuf> {
    let variables = ["CUDA_HOME", "CUDA_PATH"].into_iter();
    variables.filter_map(env::var_os).map(PathBuf::from)
}

/// Returns the directories of the packages of NVIDIA for Python, such as `site-packages/nvidia/cu13`.
pub(crate) fn python_packages() -> impl Iterator<Item = PathBuf> {
    let packages = Command::new("python3")
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_paths()['purelib'])",
        ])
        .output();
    let packages = packages.ok().filter(|output| output.status.success());
    let packages = packages
        .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("nvidia"));
    let entries = packages.and_then(|packages| std::fs::read_dir(packages).ok());
    let entries = entries.into_iter().flatten().filter_map(Result::ok);
    let mut packages: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // The newest package comes first: `cu13` precedes `cuda_nvrtc`, which contains release 12.
    packages.sort();
    packages.into_iter()
}
