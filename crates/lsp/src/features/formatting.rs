//! Formatting of documents that consist of instructions. Host languages have their own formatters.

use crate::document::{DocumentKind, Snapshot};
use gen_lsp_types::{Position, Range, TextEdit};
use warpgrid_program::Span;
use warpgrid_view::Language;

/// Formats a document. The edits replace only the lines that differ.
pub(crate) fn document(snapshot: &Snapshot) -> Vec<TextEdit> {
    edits(snapshot)
        .into_iter()
        .map(|edit| edit.text_edit(snapshot))
        .collect()
}

/// Formats the lines of a range.
pub(crate) fn range(snapshot: &Snapshot, range: Range) -> Vec<TextEdit> {
    let first = range.start.line;
    let last = match range.end.character {
        0 => range.end.line.saturating_sub(1).max(first),
        _ => range.end.line,
    };
    let within = edits(snapshot)
        .into_iter()
        .filter(|edit| first <= edit.first_line && edit.first_line + edit.n_lines <= last + 1);
    within.map(|edit| edit.text_edit(snapshot)).collect()
}

/// Formats the line of a statement or block after the user has typed its last character.
pub(crate) fn on_type(snapshot: &Snapshot, position: Position) -> Vec<TextEdit> {
    let line = Position::new(position.line, u32::MAX);
    range(snapshot, Range::new(Position::new(position.line, 0), line))
}

/// Replacement of consecutive lines.
struct LineEdit {
    first_line: u32,
    n_lines: u32,
    text: String,
}

impl LineEdit {
    fn text_edit(self, snapshot: &Snapshot) -> TextEdit {
        let start = snapshot.text.line_start(self.first_line);
        let end = snapshot.text.line_start(self.first_line + self.n_lines);
        TextEdit::new(snapshot.range(Span::new(start, end)), self.text)
    }
}

/// Returns the replacements that format a document. Lines that occur in both texts in the same order are kept.
fn edits(snapshot: &Snapshot) -> Vec<LineEdit> {
    let DocumentKind::Instructions(language) = snapshot.kind else {
        return Vec::new();
    };
    if snapshot.is_too_large() {
        return Vec::new();
    }
    let source = snapshot.source();
    let formatted = Language::instructions(language).format(source);
    line_edits(source, &formatted)
}

/// Returns the replacements of lines that convert `old` to `new`. The function aligns lines with equal tokens, ignoring blanks: the formatter
/// changes only blanks and line breaks.
fn line_edits(old: &str, new: &str) -> Vec<LineEdit> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut edits = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let (first, first_new) = (i, j);
        // Extend both sides until they contain the same characters other than blanks.
        let (mut n_old, mut n_new) = (0, 0);
        loop {
            if n_old <= n_new && i < old.len() {
                n_old += n_characters(old[i]);
                i += 1;
            } else if j < new.len() {
                n_new += n_characters(new[j]);
                j += 1;
            } else if i < old.len() {
                n_old += n_characters(old[i]);
                i += 1;
            }
            let is_aligned = n_old == n_new && (j > first_new || n_old == 0);
            if is_aligned || (i == old.len() && j == new.len()) {
                break;
            }
        }
        // Empty lines that the formatter removed or added belong to the preceding text.
        let text: String = new[first_new..j].concat();
        if old[first..i].concat() != text {
            edits.push(LineEdit {
                first_line: first as u32,
                n_lines: (i - first) as u32,
                text,
            });
        }
    }
    edits
}

fn n_characters(line: &str) -> usize {
    line.chars().filter(|c| !c.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(old: &str, new: &str) -> String {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut result = String::new();
        let mut next = 0;
        for edit in line_edits(old, new) {
            result.push_str(&lines[next..edit.first_line as usize].concat());
            result.push_str(&edit.text);
            next = (edit.first_line + edit.n_lines) as usize;
        }
        result + &lines[next..].concat()
    }

    #[test]
    fn line_edits_produce_formatted_text() {
        let cases = [
            ("a;b;\nc ;\n", "a;\nb;\nc;\n"),
            ("a;\n\n\nb;\n", "a;\n\nb;\n"),
            ("x\n\ny", "x\ny\n"),
            ("", ""),
            ("a\nb\n", "a\nb\n"),
            ("a\n b\n c\n", "a\n    b\n    c\n"),
        ];
        for (old, new) in cases {
            assert_eq!(applied(old, new), new, "{old:?}");
        }
        assert_eq!(line_edits("a\n b\nc\n", "a\n  b\nc\n").len(), 1);
    }
}
