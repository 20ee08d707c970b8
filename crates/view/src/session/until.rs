//! Running until something happens: a cell changes, a line is reached, a lane meets a condition. In: what is waited for; out: the run is there,
//! and a sentence says why. Forwards step by step; backwards through windows of the past, the nearest first.

pub mod condition;
pub(crate) mod stop_search;

pub use crate::session::until::stop_search::Watch;

use crate::analysis::cell_history::CellPlace;
use crate::expression::lexer::SyntaxError;
use serde::{Deserialize, Serialize};

/// What a run is to stop at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Until {
    /// These bytes hold other values than before the step.
    Changes(CellPlace),
    /// The next step is at one of these lines of the text, or at the first instruction after it.
    Lines(Vec<u32>),
    /// A lane meets a condition that it did not meet before the step: see [`condition`].
    Meets(String),
}

/// Which way a run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    #[default]
    Forward,
    Back,
}

/// Result of `Session.runUntil`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reached {
    /// Whether the condition was met. Otherwise the run is at its end, at its start, or at the step limit.
    pub is_reached: bool,
    pub position: u64,
    /// Description of the match, or of its absence: `lane 3 of warp 0, block 0: %r5 is 7`.
    pub text: String,
}

/// Why nothing can be waited for, and where in the condition that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntilError {
    pub message: String,
    /// Start and end in the text of the condition, in UTF-16 units; both 0 where it is about no text.
    pub at: (u32, u32),
}

impl UntilError {
    /// Locates a syntax error in UTF-16 units. An empty range becomes one unit.
    fn at(text: &str, error: SyntaxError) -> UntilError {
        let count = |to: usize| text.get(..to).map_or(0, |part| part.encode_utf16().count()) as u32;
        let (start, end) = (count(error.range.start), count(error.range.end));
        UntilError {
            message: error.message,
            at: (start, end.max(start + 1)),
        }
    }

    fn new(message: impl Into<String>) -> UntilError {
        UntilError {
            message: message.into(),
            at: (0, 0),
        }
    }
}
