//! Errors of layouts: a message, and the position in the text if the error has a position.

use std::fmt;
use std::ops::Range;

/// Error of the parser or of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    pub message: String,
    /// Byte range in the text.
    pub at: Option<Range<usize>>,
}

impl LayoutError {
    /// Creates an error at a position of a text.
    pub(crate) fn at(at: Range<usize>, message: impl Into<String>) -> LayoutError {
        LayoutError {
            message: message.into(),
            at: Some(at),
        }
    }

    /// Creates an error of an operation.
    pub(crate) fn of(message: impl Into<String>) -> LayoutError {
        LayoutError {
            message: message.into(),
            at: None,
        }
    }

    /// Adds a position to an error without a position.
    pub(crate) fn or_at(self, at: Range<usize>) -> LayoutError {
        LayoutError {
            at: self.at.or(Some(at)),
            ..self
        }
    }

    /// Returns the message with the column in `text`, starting at 1, and the text at this column.
    pub fn in_text(&self, text: &str) -> String {
        let Some(at) = &self.at else {
            return self.message.clone();
        };
        let before = text.get(..at.start).unwrap_or(text);
        let column = before.chars().count() + 1;
        match text.get(at.clone()).filter(|found| !found.is_empty()) {
            Some(found) => format!("column {column} (`{found}`): {}", self.message),
            None => format!("column {column}: {}", self.message),
        }
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LayoutError {}
