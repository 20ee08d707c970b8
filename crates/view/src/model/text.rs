//! What a host shows of a text: places, diagnostics with their fixes, coloured stretches.

use serde::{Deserialize, Serialize};

/// Lines and columns from 1, columns in UTF-16 units; the end is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SourceRange {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// One replacement of a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EditView {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
}

/// A change that a button applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FixView {
    pub title: String,
    /// Whether it changes the version or the target that the text states: an override hides that.
    pub is_header: bool,
    pub edits: Vec<EditView>,
}

/// A second place of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LabelView {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
}

/// How much a diagnostic weighs. Only an error rejects the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Information,
}

impl Severity {
    /// `error`, `warning` or `information`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
        }
    }
}

/// A diagnostic in the one form that the command line, JavaScript and the page share. Lines and columns count from 1,
/// columns in UTF-16 units; the end is exclusive.
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
    /// "since PTX 8.8, on `sm_100` and later", when a gate is the reason.
    pub needs: Option<String>,
    /// Other places that matter.
    pub labels: Vec<LabelView>,
    /// The best fix.
    pub fix: Option<FixView>,
    /// Further fixes, if a person has to choose.
    pub other_fixes: Vec<FixView>,
}

impl DiagnosticView {
    /// A diagnostic with nothing but its place and its sentence.
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

    /// The fixes, best first.
    pub fn fixes(&self) -> impl Iterator<Item = &FixView> {
        self.fix.iter().chain(&self.other_fixes)
    }
}

macro_rules! has_range {
    ($($view:ty)*) => {
        $(impl $view {
            /// The place in the source.
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

/// A coloured stretch of the source, for the editor. Offsets count UTF-16 units from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TokenView {
    pub start: u32,
    pub end: u32,
    pub class: TokenClass,
}

/// Classes of the highlighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum TokenClass {
    Comment,
    Directive,
    Opcode,
    Modifier,
    Type,
    Register,
    SpecialRegister,
    Number,
    String,
    Label,
    Name,
    Punctuation,
    /// What the language does not use.
    Error,
}

impl TokenClass {
    /// Every class, in the order of their numbers in a message, with its name for style sheets.
    pub const ALL: &'static [(TokenClass, &'static str)] = &[
        (TokenClass::Comment, "comment"),
        (TokenClass::Directive, "directive"),
        (TokenClass::Opcode, "opcode"),
        (TokenClass::Modifier, "modifier"),
        (TokenClass::Type, "type"),
        (TokenClass::Register, "register"),
        (TokenClass::SpecialRegister, "special-register"),
        (TokenClass::Number, "number"),
        (TokenClass::String, "string"),
        (TokenClass::Label, "label"),
        (TokenClass::Name, "name"),
        (TokenClass::Punctuation, "punctuation"),
        (TokenClass::Error, "error"),
    ];
}
