//! Diagnostics: stable code, spans, message, help, and fixes that can be applied automatically.

use crate::span::Span;
use warpgrid_isa::{TargetRequirement, Version};

/// Codes of the diagnostics which state that further diagnostics are omitted: for syntax errors and for semantic errors. All
/// front ends that omit diagnostics use these codes.
pub const TRUNCATION_CODES: [&str; 2] = ["W0002", "W0139"];

/// Code of the diagnostic for a source in a language that no front end supports.
pub const OTHER_LANGUAGE: &str = "W0009";

/// Code of the diagnostic for a source that consists of one constant.
pub const BARE_CONSTANT: &str = "W0050";

/// Code of the note that lists the inferred declarations of a snippet, each in backticks.
pub const INFERRED: &str = "W0140";

/// Code of the diagnostic for a source without statements.
pub const EMPTY: &str = "W0143";

/// Code of the note that states the version and the target for which a snippet was checked.
pub const SELECTED_TARGET: &str = "W0148";

/// Severity of a diagnostic. Only an error rejects the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Severity {
    Error,
    Warning,
    /// Information that may be useful, such as an inferred declaration.
    Information,
}

impl Severity {
    /// Returns `error`, `warning` or `information`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
        }
    }
}

/// Secondary span of a diagnostic with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// Version and targets that would make the source legal.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Requirement {
    pub version: Option<Version>,
    /// Target to write into the source: the lowest suitable target that is not lower than the present one, such as `sm_90`.
    pub target: Option<&'static str>,
    /// All suitable targets.
    pub targets: TargetRequirement,
}

/// Replacement of the text at `span` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// Source change that resolves the diagnostic. The edits do not overlap, and are sorted by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Label of the button: "replace `.shred` by `.shared`".
    pub title: String,
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Creates a fix without a title from edits in any order.
    pub fn of(mut edits: Vec<Edit>) -> Fix {
        edits.sort_by_key(|edit| edit.span);
        Fix {
            title: String::new(),
            edits,
        }
    }

    /// Returns the source after the edits. Edits outside the source are ignored.
    pub fn apply(&self, source: &str) -> String {
        let mut text = source.to_owned();
        for edit in self.edits.iter().rev() {
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            if text.get(start..end).is_some() {
                text.replace_range(start..end, &edit.text);
            }
        }
        text
    }
}

/// Error, warning or note about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code: `W0123`.
    pub code: &'static str,
    pub severity: Severity,
    /// Message: a self-contained phrase in lower case, without a full stop, with values in backticks.
    pub message: String,
    /// Primary span: the offending token.
    pub span: Span,
    /// Secondary spans, such as the conflicting token.
    pub labels: Vec<Label>,
    /// Suggested action or permitted alternatives.
    pub help: Option<String>,
    pub needs: Requirement,
    /// Fixes, best first. The user chooses among several fixes.
    pub fixes: Vec<Fix>,
    /// Whether the reference assembler reports an error instead of this warning. Snippets may contain such notation, because
    /// manuals print it.
    pub is_tolerated: bool,
}

impl Diagnostic {
    /// Creates an error with a primary span and a message.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            needs: Requirement::default(),
            fixes: Vec::new(),
            is_tolerated: false,
        }
    }

    /// Creates a warning with a primary span and a message.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// Adds a labelled secondary span.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a fix that consists of one edit.
    #[must_use]
    pub fn fix(
        mut self,
        title: impl Into<String>,
        span: Span,
        text: impl Into<String>,
    ) -> Diagnostic {
        self.fixes.push(Fix {
            title: title.into(),
            edits: vec![Edit {
                span,
                text: text.into(),
            }],
        });
        self
    }
}
