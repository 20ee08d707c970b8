//! Conversion of byte offsets in a document to lines and columns.

use std::ops::Range;
use warpgrid_view::model::SourceRange;

/// Document with the byte offset of each line.
#[derive(Debug)]
pub(super) struct LineIndex<'a> {
    pub(super) document: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(document: &'a str) -> LineIndex<'a> {
        let after_ends = document.match_indices('\n').map(|(at, _)| at + 1);
        LineIndex {
            document,
            starts: std::iter::once(0).chain(after_ends).collect(),
        }
    }

    /// Returns the number of the line that contains byte `at`, starting at 1, and the byte offset of the start of this line.
    pub(super) fn line(&self, at: usize) -> (u32, usize) {
        let number = self.starts.partition_point(|start| *start <= at);
        let begin = self.starts.get(number.saturating_sub(1));
        (number as u32, begin.copied().unwrap_or(0))
    }

    /// Converts a byte range to lines and columns. Columns are counted in UTF-16 units.
    pub(super) fn range(&self, bytes: Range<usize>) -> SourceRange {
        let place = |at: usize| {
            let (line, begin) = self.line(at);
            let before = self.document.get(begin..at).unwrap_or("");
            (line, before.encode_utf16().count() as u32 + 1)
        };
        let ((line, column), (end_line, end_column)) = (place(bytes.start), place(bytes.end));
        SourceRange {
            line,
            column,
            end_line,
            end_column,
        }
    }
}
