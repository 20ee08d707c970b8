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
