//! Why there is no layout: a sentence, and the place in the text where there is one.

use std::fmt;
use std::ops::Range;

/// Why a text is no layout, or an operation has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    pub message: String,
    /// Bytes of the text.
    pub at: Option<Range<usize>>,
}

impl LayoutError {
    /// Of a place in a text.
    pub(crate) fn at(at: Range<usize>, message: impl Into<String>) -> LayoutError {
        LayoutError {
            message: message.into(),
            at: Some(at),
        }
    }

    /// Of an operation.
    pub(crate) fn of(message: impl Into<String>) -> LayoutError {
        LayoutError {
            message: message.into(),
            at: None,
        }
    }

    /// The same at a place, where it has none.
    pub(crate) fn or_at(self, at: Range<usize>) -> LayoutError {
        LayoutError {
            at: self.at.or(Some(at)),
            ..self
        }
    }

    /// The sentence with the column of `text`, from 1, and what is there.
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
