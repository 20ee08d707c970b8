//! Diagnostics as data: a stable code, spans, the rule in words, and fixes that a machine can apply.

use crate::span::Span;
use warpgrid_isa::{TargetGate, Version};

/// The diagnostics that say that further ones are left out: of syntax, and of what the text means. Every front end that leaves some out
/// has them under these codes.
pub const CUT_SHORT: [&str; 2] = ["W0002", "W0139"];

/// The diagnostic of a text in a language that none of the front ends reads.
pub const OTHER_LANGUAGE: &str = "W0009";

/// The note of a snippet that says which declarations were inferred, each in backticks.
pub const INFERRED: &str = "W0140";

/// The diagnostic of a text without a statement.
pub const EMPTY: &str = "W0143";

/// The note of a snippet that says for which version and target it was checked.
pub const CHOSEN: &str = "W0148";

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
    /// Something a person may want to know, such as an inferred declaration.
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

/// A second place that matters, with what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// From when and where on the text would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Needs {
    pub version: Option<Version>,
    /// What to write: the lowest target from the present one on, such as `sm_90`.
    pub target: Option<&'static str>,
    /// Every target that would do.
    pub on: TargetGate,
}

/// Replace `span` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// A change that makes the diagnostic go away. Edits do not overlap and are sorted by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What a button says: "replace `.shred` by `.shared`".
    pub title: String,
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Creates a fix of edits in any order, without a title.
    pub fn of(mut edits: Vec<Edit>) -> Fix {
        edits.sort_by_key(|edit| edit.span);
        Fix {
            title: String::new(),
            edits,
        }
    }

    /// The source after the edits; edits that do not fit are left out.
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

/// One finding about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code: `W0123`.
    pub code: &'static str,
    pub severity: Severity,
    /// One phrase that is complete by itself: lower case, no full stop, values in backticks.
    pub message: String,
    /// The very token that is wrong.
    pub span: Span,
    /// Other places, such as the token it clashes with.
    pub labels: Vec<Label>,
    /// What to do or what is allowed instead.
    pub help: Option<String>,
    pub needs: Needs,
    /// Fixes, best first; a person chooses when there are several.
    pub fixes: Vec<Fix>,
    /// Whether the reference assembler rejects what is only a warning here, since manuals print it in snippets.
    pub is_tolerated: bool,
}

impl Diagnostic {
    /// An error with nothing but its place and its sentence.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            labels: Vec::new(),
            help: None,
            needs: Needs::default(),
            fixes: Vec::new(),
            is_tolerated: false,
        }
    }

    /// A warning with nothing but its place and its sentence.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// With a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// With what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// With a fix of one edit.
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
