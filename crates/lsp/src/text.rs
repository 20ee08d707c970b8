//! Text of a document: conversion between byte offsets and positions of the protocol, and incremental changes.

use gen_lsp_types::{Position, Range, TextDocumentContentChangeEvent};
use warpgrid_program::Span;

/// Unit of the columns of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
}

/// Text with the start offset of each line. Lines end with `\n`, `\r\n` or `\r`, as the protocol specifies.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    text: String,
    line_starts: Vec<u32>,
    encoding: Encoding,
}

impl Text {
    pub(crate) fn new(text: String, encoding: Encoding) -> Text {
        Text {
            line_starts: line_starts(&text),
            text,
            encoding,
        }
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the position of a byte offset. An offset beyond the end of the text is clamped.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let offset = self.text.floor_char_boundary(offset as usize) as u32;
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let start = self.line_starts[line];
        let character = match self.encoding {
            Encoding::Utf8 => offset - start,
            Encoding::Utf16 => {
                let before = &self.text[start as usize..offset as usize];
                before.encode_utf16().count() as u32
            }
        };
        Position::new(line as u32, character)
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// Returns the byte offset of a position. A position beyond the end of its line is clamped to the end of the line.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        self.offset_in(position, self.encoding)
    }

    /// Returns the byte offset of a position whose column has the given unit.
    pub(crate) fn offset_in(&self, position: Position, encoding: Encoding) -> u32 {
        let Some(start) = self.line_starts.get(position.line as usize) else {
            return self.text.len() as u32;
        };
        let line = self.line(position.line);
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= position.character {
                return start + at as u32;
            }
            units += match encoding {
                Encoding::Utf8 => character.len_utf8() as u32,
                Encoding::Utf16 => character.len_utf16() as u32,
            };
        }
        start + line.len() as u32
    }

    pub(crate) fn span(&self, range: Range) -> Span {
        let start = self.offset(range.start);
        Span::new(start, self.offset(range.end).max(start))
    }

    /// Returns the number of lines, at least 1.
    pub(crate) fn n_lines(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// Returns the text of a line (counted from 0) without its line ending.
    pub(crate) fn line(&self, line: u32) -> &str {
        let Some(start) = self.line_starts.get(line as usize) else {
            return "";
        };
        let next = self.line_starts.get(line as usize + 1);
        let end = next.map_or(self.text.len(), |next| *next as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns the byte offset of the start of a line (counted from 0), or the length of the text.
    pub(crate) fn line_start(&self, line: u32) -> u32 {
        let start = self.line_starts.get(line as usize);
        start.copied().unwrap_or(self.text.len() as u32)
    }

    /// Returns the position of the end of a line (counted from 0).
    pub(crate) fn end_of_line(&self, line: u32) -> Position {
        self.position(self.line_start(line) + self.line(line).len() as u32)
    }

    /// Returns the text after the changes of one notification.
    pub(crate) fn changed(&self, changes: Vec<TextDocumentContentChangeEvent>) -> Text {
        let mut text = self.clone();
        for change in changes {
            let new = match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(change) => {
                    let span = text.span(change.range);
                    let mut new = text.text;
                    new.replace_range(span.start as usize..span.end as usize, &change.text);
                    new
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change) => {
                    change.text
                }
            };
            text = Text::new(new, self.encoding);
        }
        text
    }
}

/// Returns the start offsets of the lines of a text.
fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let is_end =
        |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    let mut starts = vec![0];
    starts.extend(
        (0..bytes.len())
            .filter(|at| is_end(*at))
            .map(|at| at as u32 + 1),
    );
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_encoding() {
        let text = "a\u{1f600}b\r\nc\rd";
        let utf16 = Text::new(text.to_owned(), Encoding::Utf16);
        let utf8 = Text::new(text.to_owned(), Encoding::Utf8);
        assert_eq!(utf16.position(5), Position::new(0, 3));
        assert_eq!(utf8.position(5), Position::new(0, 5));
        assert_eq!(utf16.offset(Position::new(0, 3)), 5);
        assert_eq!(utf8.offset(Position::new(0, 5)), 5);
        assert_eq!(utf16.offset(Position::new(0, 99)), 6);
        assert_eq!(utf16.position(8), Position::new(1, 0));
        assert_eq!(utf16.position(10), Position::new(2, 0));
        assert_eq!(utf16.offset(Position::new(9, 0)), text.len() as u32);
    }
}
