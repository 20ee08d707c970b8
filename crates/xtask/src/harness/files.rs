//! Files for the commands that invoke an installed assembler: a temporary directory, and a function that writes files.

use std::path::{Path, PathBuf};

/// Temporary directory that is removed on drop.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    /// Creates a directory that is named after a command and this process.
    pub(crate) fn new(command: &str) -> Result<TempDir, String> {
        let name = format!("warpgrid-{command}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(TempDir(folder))
    }

    /// Returns the path of a module.
    pub(crate) fn file(&self, number: usize) -> PathBuf {
        self.0.join(format!("{number}.ptx"))
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // The directory is temporary, so a failed removal is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes a file and creates its directory.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
