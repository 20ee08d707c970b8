//! Provides files for the commands that invoke an installed assembler: a temporary directory, and a function that writes files.

use std::path::{Path, PathBuf};

/// Temporary directory, which is removed on drop.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    /// Creates a temporary directory whose name contains the command name and the process ID.
    pub(crate) fn new(command: &str) -> Result<TempDir, String> {
        let name = format!("warpgrid-{command}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(TempDir(folder))
    }

    /// Returns the path of the module with this number.
    pub(crate) fn file(&self, number: usize) -> PathBuf {
        self.0.join(format!("{number}.ptx"))
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A failed removal of a temporary directory is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes a file, and creates its directory if the directory does not exist.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
