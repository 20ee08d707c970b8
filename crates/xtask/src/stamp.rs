//! Skips build steps whose inputs and outputs have not changed since the last run, so that a repeated `cargo xtask test` only tests.
//!
//! The stamp of a step is a file with two hashes: one of the sources of the repository, and one of the files that the step wrote.
//! Contents are hashed, not times, because a checkout changes times and some steps write equal files again.

use crate::shell::{self, Result};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Files and folders of the repository that no build reads.
const IGNORED: &[&str] = &[
    ".git",
    "dist",
    "e2e",
    "node_modules",
    "pkg",
    "shared",
    "target",
    "test-results",
];

/// Runs `build` and returns its output folders, unless the sources, `setting` and the output folders are those of the last
/// successful run. `name` names the stamp and appears in the progress line; `setting` is what the step depends on beside the sources.
pub(crate) fn build_if_changed(
    name: &str,
    setting: &str,
    outputs: &[PathBuf],
    build: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let file = shell::root()
        .join("target/stamps")
        .join(name.replace([' ', '/'], "-"));
    let sources = hash_of(&shell::root(), setting)?;
    let stamp = || -> Result<String> {
        let mut stamp = format!("{sources:016x}\n");
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

/// Hashes the names and contents of all files below a folder.
fn hash_of(folder: &Path, setting: &str) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    setting.hash(&mut hasher);
    let mut files = Vec::new();
    add_files(folder, &mut files)?;
    files.sort();
    for file in files {
        let contents =
            std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        file.strip_prefix(folder).unwrap_or(&file).hash(&mut hasher);
        contents.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let error = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let kind = entry.file_type().map_err(error)?;
        let is_ignored = IGNORED.iter().any(|name| entry.file_name() == *name);
        if kind.is_dir() && !is_ignored {
            add_files(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn step_runs_again_only_after_a_change() {
        let output = shell::root().join("target/stamps/test-output");
        let _ = std::fs::remove_dir_all(&output);
        let n_runs = Cell::new(0);
        let run = |setting: &str| {
            let outputs = [output.clone()];
            build_if_changed("stamp test", setting, &outputs, || {
                n_runs.set(n_runs.get() + 1);
                std::fs::create_dir_all(&output).map_err(|error| error.to_string())?;
                shell::write(&output.join("file"), "contents")
            })
            .expect("a step that succeeds");
            n_runs.get()
        };
        assert_eq!(run("a"), 1);
        assert_eq!(run("a"), 1);
        assert_eq!(run("b"), 2, "another setting");
        shell::write(&output.join("file"), "changed").expect("a writable folder");
        assert_eq!(run("b"), 3, "a changed output");
        std::fs::remove_dir_all(&output).expect("an existing folder");
        assert_eq!(run("b"), 4, "a missing output");
    }
}
