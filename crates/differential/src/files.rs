//! Provides files for the commands that invoke an installed assembler: a temporary directory, and a function that writes files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Temporary directory, which is removed on drop.
pub struct TempDir(PathBuf);

impl TempDir {
    /// Creates a temporary directory whose name contains the command name, the process ID and a number.
    pub fn new(command: &str) -> Result<TempDir, String> {
        static N_DIRECTORIES: AtomicU64 = AtomicU64::new(0);
        let number = N_DIRECTORIES.fetch_add(1, Ordering::Relaxed);
        let name = format!("warpgrid-{command}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(TempDir(folder))
    }

    /// Returns the path of the module with this number.
    pub fn file(&self, number: usize) -> PathBuf {
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
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
