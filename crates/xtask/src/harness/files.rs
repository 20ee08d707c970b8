//! Files of the commands that ask an installed assembler: a temporary folder, and texts that are written.

use std::path::{Path, PathBuf};

/// A temporary folder, which goes with its value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder of a command and this process.
    pub(crate) fn new(command: &str) -> Result<Folder, String> {
        let name = format!("warpgrid-{command}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Folder(folder))
    }

    /// The file of a module.
    pub(crate) fn file(&self, number: usize) -> PathBuf {
        self.0.join(format!("{number}.ptx"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The folder is temporary: what remains does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes a text, and makes the folder that it lies in.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
