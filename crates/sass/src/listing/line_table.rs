//! Line table of a listing: comments that `nvdisasm -g` and `-gi` print before the instructions of a source line.
//!
//! ```text
//! //## File "/src/k.cu", line 2 inlined at "/src/k.cu", line 10
//! //## File "/src/k.cu", line 10
//! ```
//! The comments of one instruction lead from the innermost inlined function to its callers.

use crate::syntax::Tree;
use warpgrid_program::{InlinedCall, LineTable, LineTableRow, SourceLocation, Span};

/// Name that `nvdisasm -gp` prints in place of a file: the lines are those of the PTX module.
const PTX_FILE: &str = ".nv_debug_ptx_txt";

/// Builds the line table of a listing. Lines of the PTX module are not source lines, so they are skipped.
pub(crate) fn build(tree: &Tree, source: &str) -> LineTable {
    let mut table = LineTable::default();
    let mut callees: Vec<LineComment<'_>> = Vec::new();
    for span in &tree.comments {
        let Some(comment) = LineComment::parse(*span, source) else {
            continue;
        };
        let is_inlined = comment.is_inlined;
        if comment.file != PTX_FILE {
            callees.push(comment);
        }
        if !is_inlined {
            add_rows(&mut table, &mut callees);
        }
    }
    add_rows(&mut table, &mut callees);
    table
}

/// Adds the rows of one instruction, outermost call site first.
fn add_rows(table: &mut LineTable, frames: &mut Vec<LineComment<'_>>) {
    let Some(offset) = frames.last().map(|comment| comment.end) else {
        return;
    };
    let mut call_site = None;
    for comment in frames.drain(..).rev() {
        let location = SourceLocation {
            file: table.file_index(comment.file),
            line: comment.line,
            column: 0,
        };
        table.rows.push(LineTableRow {
            offset,
            location,
            inlined: call_site.map(|call_site| InlinedCall {
                callee: None,
                call_site,
            }),
        });
        call_site = Some(table.rows.len() as u32 - 1);
    }
}

/// Comment with a source location.
struct LineComment<'s> {
    /// End offset of the comment.
    end: u32,
    file: &'s str,
    line: u32,
    /// Whether the next comment states the call site.
    is_inlined: bool,
}

impl<'s> LineComment<'s> {
    /// Parses `//## File "name", line 12`, optionally with `inlined at`.
    fn parse(span: Span, source: &'s str) -> Option<LineComment<'s>> {
        let text = span.text(source).strip_prefix("//## File \"")?;
        let (file, rest) = text.split_once("\", line ")?;
        let (line, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(LineComment {
            end: span.end,
            file,
            line: line.trim_end().parse().ok()?,
            is_inlined: rest.starts_with("inlined at"),
        })
    }
}
