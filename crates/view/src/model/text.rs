//! Data types for source texts that hosts display: ranges, diagnostics with their fixes, and tokens for syntax highlighting.

use serde::{Deserialize, Serialize};
use warpgrid_program::{Edit, Fix, LineIndex, Span};
pub use warpgrid_program::{SemanticTokenKind, Severity};

/// Range in a source text, as hosts display it. Lines and columns start at 1, columns count UTF-16 units, and the end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SourceRange {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// Replacement of a range of the source with a text, as part of a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EditView {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
}

impl EditView {
    /// Applies all given edits to a source, and returns the resulting source. The edits must not overlap.
    pub fn apply_all<'e>(source: &str, edits: impl Iterator<Item = &'e EditView>) -> String {
        let lines = LineIndex::new(source);
        let offset = |line: u32, column: u32| {
            let start = lines
                .line_start(line)
                .map_or(source.len(), |start| start as usize);
            let mut units = column - column.min(1);
            let rest = source.get(start..).unwrap_or("").chars();
            let before = rest.take_while(|c| {
                let is_before = units > 0;
                units = units.saturating_sub(c.len_utf16() as u32);
                is_before
            });
            start + before.map(char::len_utf8).sum::<usize>()
        };
        let edits = edits.map(|edit| Edit {
            span: Span::new(
                offset(edit.line, edit.column) as u32,
                offset(edit.end_line, edit.end_column) as u32,
            ),
            text: edit.text.clone(),
        });
        Fix::of(edits.collect()).apply(source)
    }
}

/// Fix of a diagnostic, which consists of edits that hosts can apply to the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FixView {
    pub title: String,
    /// Whether the fix changes the version or target of the source. If an option overrides the version or the target, hosts hide this fix.
    pub is_header: bool,
    pub edits: Vec<EditView>,
}

/// Line that a fix removes from the source or inserts into the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLine {
    pub is_inserted: bool,
    /// Number of the line before (removed line) or after (inserted line) the edit, starting at 1.
    pub line: u32,
    pub text: String,
}

impl FixView {
    /// Returns the lines that each edit of the fix removes and inserts. An edit that deletes a whole line leaves a blank line, which is not
    /// listed as an inserted line.
    pub fn changed_lines(&self, source: &str) -> Vec<ChangedLine> {
        let edits = self.edits.iter();
        edits
            .flat_map(|edit| {
                let edited = EditView::apply_all(source, std::iter::once(edit));
                let before: Vec<&str> = source.split('\n').collect();
                let after: Vec<&str> = edited.split('\n').collect();
                let equal = before.iter().zip(&after).take_while(|(a, b)| a == b);
                let start = equal.count();
                let (removed, inserted) = (&before[start..], &after[start..]);
                let equal = removed.iter().rev().zip(inserted.iter().rev());
                let end = equal.take_while(|(a, b)| a == b).count();
                let removed = &removed[..removed.len() - end];
                let inserted = &inserted[..inserted.len() - end];
                let is_deleted = !removed.is_empty() && inserted.iter().all(|text| text.is_empty());
                let inserted = if is_deleted { &[] } else { inserted };
                let lines = |is_inserted: bool, texts: &[&str]| {
                    let lines = (start as u32 + 1..).zip(texts);
                    let lines = lines.map(|(line, text)| ChangedLine {
                        is_inserted,
                        line,
                        text: (*text).to_owned(),
                    });
                    lines.collect::<Vec<ChangedLine>>()
                };
                [lines(false, removed), lines(true, inserted)].concat()
            })
            .collect()
    }
}

/// Source range that is related to a diagnostic, with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LabelView {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
}

/// Diagnostic in the form that the command-line program, the npm package and the page display. Lines and columns start at 1. Columns count
/// UTF-16 units, and the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DiagnosticView {
    pub code: String,
    pub severity: Severity,
    pub message: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub help: Option<String>,
    /// Required PTX version or target, such as "since PTX 8.8, on `sm_100` and later". The field is present if the version or the target is
    /// the reason for the diagnostic.
    pub needs: Option<String>,
    /// Source ranges that are related to the diagnostic, with messages.
    pub labels: Vec<LabelView>,
    /// Preferred fix of the diagnostic. The field is absent if the diagnostic has no fix.
    pub fix: Option<FixView>,
    /// Alternative fixes that the user can choose.
    pub other_fixes: Vec<FixView>,
}

impl DiagnosticView {
    /// Creates a diagnostic that has no labels and no fixes.
    pub fn new(
        code: &str,
        severity: Severity,
        message: String,
        range: SourceRange,
    ) -> DiagnosticView {
        DiagnosticView {
            code: code.to_owned(),
            severity,
            message,
            line: range.line,
            column: range.column,
            end_line: range.end_line,
            end_column: range.end_column,
            help: None,
            needs: None,
            labels: Vec::new(),
            fix: None,
            other_fixes: Vec::new(),
        }
    }

    /// Returns all fixes of the diagnostic, the preferred fix first.
    pub fn fixes(&self) -> impl Iterator<Item = &FixView> {
        self.fix.iter().chain(&self.other_fixes)
    }
}

macro_rules! has_range {
    ($($view:ty)*) => {
        $(impl $view {
            /// Returns the range of the diagnostic in the source.
            pub const fn range(&self) -> SourceRange {
                SourceRange {
                    line: self.line,
                    column: self.column,
                    end_line: self.end_line,
                    end_column: self.end_column,
                }
            }
        })*
    };
}
has_range!(DiagnosticView LabelView EditView);

/// Token of the source with its kind, for syntax highlighting. Offsets count UTF-16 units from the start of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TokenView {
    pub start: u32,
    pub end: u32,
    pub class: SemanticTokenKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "first\nsecond\nthird\n";

    /// Returns the changed lines of a fix with the given edits, such as `-2 second`.
    fn changed(edits: &[([u32; 4], &str)]) -> Vec<String> {
        let edit = |(range, text): &([u32; 4], &str)| {
            let [line, column, end_line, end_column] = *range;
            EditView {
                line,
                column,
                end_line,
                end_column,
                text: (*text).to_owned(),
            }
        };
        let fix = FixView {
            title: String::new(),
            is_header: false,
            edits: edits.iter().map(edit).collect(),
        };
        let lines = fix.changed_lines(SOURCE).into_iter();
        lines
            .map(|line| {
                let sign = if line.is_inserted { '+' } else { '-' };
                format!("{sign}{} {}", line.line, line.text)
            })
            .collect()
    }

    #[test]
    fn inserted_line_precedes_the_line_of_its_position() {
        assert_eq!(
            changed(&[([2, 1, 2, 1], "bar.sync 0;\n")]),
            ["+2 bar.sync 0;"]
        );
    }

    #[test]
    fn changed_line_is_removed_and_inserted() {
        assert_eq!(
            changed(&[([2, 1, 2, 4], "SEC")]),
            ["-2 second", "+2 SECond"]
        );
    }

    #[test]
    fn deleted_line_has_no_replacement() {
        assert_eq!(changed(&[([2, 1, 3, 1], "")]), ["-2 second"]);
        assert_eq!(changed(&[([2, 1, 2, 7], "")]), ["-2 second"]);
    }

    #[test]
    fn each_edit_has_its_own_lines() {
        assert_eq!(
            changed(&[([1, 1, 1, 6], "1st"), ([3, 1, 3, 6], "3rd")]),
            ["-1 first", "+1 1st", "-3 third", "+3 3rd"]
        );
    }
}
