//! Skips a build step if its inputs and outputs have not changed since the last run, so that a repeated `cargo xtask test` only runs tests.
//!
//! The stamp of a step is a file with a hash of the inputs and a hash of each output directory. The inputs are the sources of the
//! repository, the URLs of the project and the compiler version. The hashes cover contents instead of modification times, because a
//! checkout changes the modification times of unchanged files.

use crate::project_urls::ProjectUrls;
use crate::shell::{self, Result};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of files and directories that are not inputs of a build.
const IGNORED: &[&str] = &[
    ".git",
    "dist",
    "e2e",
    "node_modules",
    "pkg",
    "target",
    "test-results",
];

/// Runs `build`, unless the inputs and the output directories are unchanged since the last successful run. `name` identifies the stamp and
/// appears in the progress line.
pub(crate) fn build_if_changed(
    name: &str,
    outputs: &[PathBuf],
    build: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let file = shell::root()
        .join("target/stamps")
        .join(name.replace([' ', '/'], "-"));
    let inputs = hash_of_inputs()?;
    let stamp = || -> Result<String> {
        let mut stamp = format!("{inputs:016x}\n");
        for output in outputs {
            stamp += &format!("{:016x}\n", hash_of(output, "")?);
        }
        Ok(stamp)
    };
    let exist = outputs.iter().all(|output| output.is_dir());
    if exist && std::fs::read_to_string(&file).ok() == Some(stamp()?) {
        eprintln!("  {name} is up to date");
        return Ok(());
    }
    build()?;
    let folder = file.parent().unwrap_or(&file);
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    shell::write(&file, &stamp()?)
}

fn hash_of_inputs() -> Result<u64> {
    let version = Command::new("rustc").arg("--version").output();
    let version = version.map_err(|error| format!("rustc: {error}"))?.stdout;
    let settings = format!(
        "{}{}",
        ProjectUrls::of_project()?.manifest(),
        String::from_utf8_lossy(&version)
    );
    hash_of(&shell::root(), &settings)
}

/// Returns a hash of the settings, and of the names and contents of all files below a directory.
fn hash_of(folder: &Path, settings: &str) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    settings.hash(&mut hasher);
    let mut files = shell::files_below(folder, IGNORED)?;
    files.sort();
    for file in files {
        let contents =
            std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        file.strip_prefix(folder).unwrap_or(&file).hash(&mut hasher);
        contents.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn step_reruns_only_if_output_changed_or_is_missing() {
        let output = shell::root().join("target/stamps/test-output");
        let _ = std::fs::remove_dir_all(&output);
        let n_runs = Cell::new(0);
        let run = || {
            let outputs = [output.clone()];
            build_if_changed("stamp test", &outputs, || {
                n_runs.set(n_runs.get() + 1);
                std::fs::create_dir_all(&output).map_err(|error| error.to_string())?;
                shell::write(&output.join("file"), "contents")
            })
            .expect("a step that succeeds");
            n_runs.get()
        };
        assert_eq!(run(), 1);
        assert_eq!(run(), 1);
        shell::write(&output.join("file"), "changed").expect("a writable folder");
        assert_eq!(run(), 2, "a changed output");
        std::fs::remove_dir_all(&output).expect("an existing folder");
        assert_eq!(run(), 3, "a missing output");
    }

    #[test]
    fn hash_depends_on_settings_file_names_and_contents() {
        let folder = shell::root().join("target/stamps/test-input");
        let hash_with = |settings: &str, name: &str, contents: &str| {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).expect("a writable folder");
            shell::write(&folder.join(name), contents).expect("a writable folder");
            hash_of(&folder, settings).expect("a readable folder")
        };
        let hash = hash_with("a", "file", "contents");
        assert_eq!(hash_with("a", "file", "contents"), hash);
        assert_ne!(hash_with("b", "file", "contents"), hash);
        assert_ne!(hash_with("a", "other", "contents"), hash);
        assert_ne!(hash_with("a", "file", "other"), hash);
        assert_eq!(
            hash_with("a", "dist", "contents"),
            hash_with("a", "pkg", "")
        );
    }
}
