//! Test cases as files: checks and runs each file of a directory as its first line requests, and compares the results with the expected
//! results in the file, or updates them with `UPDATE_EXPECT=1`. README.md describes the format.

mod expectations;
mod results;

use expectations::CaseText;
use std::path::{Path, PathBuf};

/// Results that a case compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Check,
    Run,
    Race,
    Hang,
    Conflict,
    Layout,
    Schedules,
}

impl Kind {
    const NAMES: [(&str, Kind); 7] = [
        ("check", Kind::Check),
        ("run", Kind::Run),
        ("race", Kind::Race),
        ("hang", Kind::Hang),
        ("conflict", Kind::Conflict),
        ("layout", Kind::Layout),
        ("schedules", Kind::Schedules),
    ];

    fn from_name(name: &str) -> Option<Kind> {
        let mut names = Kind::NAMES.iter();
        names
            .find(|(known, _)| *known == name)
            .map(|(_, kind)| *kind)
    }
}

/// Tests all files below `folder`, and returns their number.
///
/// # Panics
///
/// If a result of a file differs from the file and `UPDATE_EXPECT` is not set, if the final memory differs from `//@ expect`, if a file names
/// an unknown kind, or if the folder contains no file.
pub fn test_folder(folder: &Path) -> usize {
    let mut paths = Vec::new();
    collect_files(folder, &mut paths);
    assert!(!paths.is_empty(), "{} contains no case", folder.display());
    let mut failures = Vec::new();
    for path in &paths {
        if let Err(message) = test_file(path) {
            let name = path.strip_prefix(folder).unwrap_or(path).display();
            failures.push(format!("{name}: {message}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    paths.len()
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => collect_files(&path, files),
            false => files.push(path),
        }
    }
}

/// Compares the results of one file with the results that the file states.
fn test_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let case = CaseText::parse(&text, extension.unwrap_or_default())?;
    let actual = case.with_results(&results::of_case(&case)?);
    if actual == text {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(path, actual).map_err(|error| error.to_string());
    }
    Err(first_difference(&text, &actual))
}

/// Returns the first line in which two texts differ, in both versions.
fn first_difference(expected: &str, actual: &str) -> String {
    let n_common = expected
        .lines()
        .zip(actual.lines())
        .take_while(|(expected, actual)| expected == actual)
        .count();
    let line = |text: &str| {
        text.lines()
            .nth(n_common)
            .unwrap_or("(end of file)")
            .to_owned()
    };
    format!(
        "line {}\n  expected: {}\n  actual:   {}",
        n_common + 1,
        line(expected),
        line(actual)
    )
}
