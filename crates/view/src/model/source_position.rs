//! Data type for positions in the language from which a compiler generated a kernel.

use serde::{Deserialize, Serialize};

/// Position in the source file from which a compiler generated an instruction: file, line, column and inlined function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourcePosition {
    /// Name of the file as the compiler recorded it.
    pub file: String,
    /// Line number in the file, starting at 1.
    pub line: u32,
    /// Column number, starting at 1. The field is absent if the compiler recorded no column.
    pub column: Option<u32>,
    /// Inlined function that contains the position. The field is absent if the position is in the kernel or function itself.
    pub function: Option<String>,
}

impl SourcePosition {
    /// Formats the position as its file name without directories and its line: `saxpy.cu:7`.
    pub fn short(&self) -> String {
        format!("{}:{}", base_name(&self.file), self.line)
    }
}

/// Returns the last component of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
