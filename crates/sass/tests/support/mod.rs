//! Test data files.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the listings in `tests/data`, by name.
pub(crate) fn listings() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of listings")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sass"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 8, "the listings are missing");
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a listing");
            (path, text)
        })
        .collect()
}
