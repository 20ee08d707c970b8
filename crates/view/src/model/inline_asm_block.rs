//! Inline assembly blocks of a host source, with their operands.

use crate::source::check::SourceMap;
use serde::{Deserialize, Serialize};
use warpgrid_program::EmbeddedSnippet;
pub use warpgrid_program::SnippetOperand;

/// Inline assembly block in host source code, as hosts display it. Lines and columns refer to the host source code and start at 1. Columns
/// count UTF-16 units, and the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InlineAsmView {
    /// Name of the enclosing function, followed by a number if the function contains several asm blocks. The field `entry` of a scenario
    /// selects the asm block by this name.
    pub name: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Instructions of the asm block, in the form in which the checker and the emulator process them. Operand names replace operand
    /// numbers.
    pub text: String,
    /// Whether the checker found no error in the asm block.
    pub accept: bool,
    /// Target for which the checker checks the asm block.
    pub target: Option<String>,
    /// PTX version for which the checker checks the asm block.
    pub ptx_version: Option<String>,
    pub operands: Vec<SnippetOperand>,
    /// Transformations that a compiler may apply to the asm statement, and the qualifiers that the statement requires.
    pub note: Option<String>,
}

impl InlineAsmView {
    pub(crate) fn of(part: EmbeddedSnippet, places: &SourceMap) -> InlineAsmView {
        let range = places.range(part.span);
        InlineAsmView {
            name: part.name,
            line: range.line,
            column: range.column,
            end_line: range.end_line,
            end_column: range.end_column,
            text: part.text,
            accept: part.accept,
            target: part.target.map(str::to_owned),
            ptx_version: part.version.map(|version| version.to_string()),
            operands: part.operands,
            note: part.note,
        }
    }
}
