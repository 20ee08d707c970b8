//! Input files of commands that accept directories.

use crate::output::about;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the error for a directory that contains nothing to check or cannot be read.
pub(crate) fn nothing_in(folder: &Path, endings: &[&str]) -> io::Error {
    let reason = match std::fs::read_dir(folder) {
        Err(error) => return about(folder, error),
        Ok(_) => format!(
            "the directory contains no file with the extension .{}",
            endings.join(", .")
        ),
    };
    about(folder, io::Error::new(io::ErrorKind::NotFound, reason))
}

/// Input file, or directory without input files.
pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    /// Whether the user named the file itself rather than its directory.
    pub(crate) is_named: bool,
}

/// Lists the files. A directory is replaced by the files with one of the extensions in it and in its subdirectories, in the order of their names.
pub(crate) fn list(paths: &[PathBuf], endings: &[&str]) -> Vec<InputFile> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => {
                let before = files.len();
                list_folder(path, endings, &mut files);
                // A user who names a directory expects that it contains input files, so an empty directory is reported.
                if files.len() == before {
                    files.push(InputFile {
                        path: path.clone(),
                        is_named: true,
                    });
                }
            }
            false => files.push(InputFile {
                path: path.clone(),
                is_named: true,
            }),
        }
    }
    files
}

/// Adds the input files in a directory, except those in hidden directories, in `node_modules` and in symbolic links to directories. An
/// unreadable directory is added to the list itself, so that the later attempt to read it reports the error.
fn list_folder(folder: &Path, endings: &[&str], files: &mut Vec<InputFile>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        files.push(InputFile {
            path: folder.to_owned(),
            is_named: false,
        });
        return;
    };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_cached_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name();
        let is_hidden = name.to_string_lossy().starts_with('.') || name == "node_modules";
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let ending = path.extension().and_then(|ending| ending.to_str());
        if is_folder && !is_hidden {
            list_folder(&path, endings, files);
        } else if !is_folder
            && path.is_file()
            && ending.is_some_and(|ending| endings.contains(&ending))
        {
            files.push(InputFile {
                path,
                is_named: false,
            });
        }
    }
}
