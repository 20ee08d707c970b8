//! PTX files in the folders of the workspace.

use crate::document::{DocumentKind, MAX_BYTES};
use crate::text::{Encoding, Text};
use crate::workspace::{GlobalSymbol, WorkspaceFiles, symbols_of};
use gen_lsp_types::Uri;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use warpgrid_view::{CheckOptions, Language};

/// Maximum number of directory entries that a search visits.
const MAX_ENTRIES: usize = 200_000;

/// Maximum number of files whose symbols are known.
const MAX_FILES: usize = 10_000;

/// Maximum total size of these files in bytes.
const MAX_TOTAL: u64 = 256 << 20;

/// Files of the host. The symbols are determined when a request needs them, and discarded when a file changes.
#[derive(Debug, Default)]
pub(crate) struct DiskFiles {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    roots: Vec<PathBuf>,
    symbols: Option<Arc<Vec<GlobalSymbol>>>,
}

impl WorkspaceFiles for DiskFiles {
    fn global_symbols(&self) -> Arc<Vec<GlobalSymbol>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &state.symbols {
            return known.clone();
        }
        let found = Arc::new(symbols_in(&state.roots));
        state.symbols = Some(found.clone());
        found
    }

    fn set_roots(&self, roots: Vec<Uri>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.roots = roots.iter().filter_map(path_of).collect();
        state.symbols = None;
    }

    fn forget(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.symbols = None;
    }
}

/// Returns the symbols of the PTX files in folders, up to the limits of this module.
fn symbols_in(roots: &[PathBuf]) -> Vec<GlobalSymbol> {
    let mut symbols = Vec::new();
    let mut n_bytes = 0;
    for path in ptx_files(roots) {
        let size = std::fs::metadata(&path).map_or(0, |found| found.len());
        n_bytes += size;
        if n_bytes > MAX_TOTAL || size > MAX_BYTES as u64 {
            break;
        }
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let source = String::from_utf8_lossy(&bytes).into_owned();
        let uri = uri_of(&path);
        if let DocumentKind::Instructions(language) = DocumentKind::of("", &uri, &source) {
            let document =
                Language::instructions(language).open(source.as_str(), &CheckOptions::default());
            let text = Text::new(source.clone(), Encoding::Utf16);
            symbols.extend(symbols_of(&document, &text, &uri));
        }
    }
    symbols
}

/// Returns the PTX files in folders in a fixed order. Hidden folders and folders of packages are not searched.
fn ptx_files(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = roots.to_vec();
    let mut files = Vec::new();
    let mut n_entries = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut paths: Vec<(PathBuf, std::fs::FileType)> = entries
            .flatten()
            .filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)))
            .collect();
        n_entries += paths.len();
        paths.sort_by(|a, b| a.0.cmp(&b.0));
        for (path, kind) in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_skipped = name.starts_with('.') || name == "node_modules" || name == "target";
            if kind.is_dir() && !is_skipped {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|own| own == "ptx") {
                files.push(path);
            }
        }
        if n_entries > MAX_ENTRIES || files.len() >= MAX_FILES {
            break;
        }
    }
    files.truncate(MAX_FILES);
    files
}

/// Returns the path of a `file` URI.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    let path = uri.0.strip_prefix("file://")?;
    let decoded = percent_decoded(path)?;
    // `/C:/folder` is a path on Windows.
    let is_drive = decoded.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(match is_drive && cfg!(windows) {
        true => &decoded[1..],
        false => decoded.as_str(),
    }))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Returns the `file` URI of a path.
fn uri_of(path: &Path) -> Uri {
    let text = path.to_string_lossy().replace('\\', "/");
    let encoded = crate::features::links::encoded_path(&text);
    Uri(match encoded.starts_with('/') {
        true => format!("file://{encoded}"),
        false => format!("file:///{encoded}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_are_inverse() {
        for path in ["/kernels/a b/k.ptx", "/ü/%41.ptx"] {
            let uri = uri_of(Path::new(path));
            assert_eq!(path_of(&uri), Some(PathBuf::from(path)), "{uri:?}");
        }
        assert_eq!(path_of(&Uri("untitled:1".to_owned())), None);
        assert_eq!(path_of(&Uri("file:///%zz".to_owned())), None);
    }
}
