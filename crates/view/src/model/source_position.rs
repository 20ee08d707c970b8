//! Position in the language from which a compiler generated a kernel.

use serde::{Deserialize, Serialize};

/// Position in a source file of the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourcePosition {
    /// Name of the file as the compiler recorded it.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column, counted from 1. Absent if the compiler recorded no column.
    pub column: Option<u32>,
    /// Inlined function that contains the position. Absent for the kernel or function itself.
    pub function: Option<String>,
}

impl SourcePosition {
    /// Returns the position as file name without directories and line: `saxpy.cu:7`.
    pub fn short(&self) -> String {
        format!("{}:{}", base_name(&self.file), self.line)
    }
}

/// Returns the last component of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
