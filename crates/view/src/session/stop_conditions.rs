//! Execution of a run until a stop condition holds: a cell changes, the run reaches a line, or a lane satisfies a condition on a register.
//! The session stops at the position at which the condition holds, and describes the match. A forward run evaluates the condition after
//! each step. A backward search replays windows of past steps, starting with the latest window.

pub mod condition;
pub(crate) mod stop_search;

pub use crate::session::stop_conditions::stop_search::StopSearch;

use crate::analysis::cell_history::CellLocation;
use crate::expression::lexer::SyntaxError;
use serde::{Deserialize, Serialize};

/// Stop condition of a run, as the user specifies it: a change of a cell, a line or a register condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopCondition {
    /// The last step changed the value of this cell.
    DataChange(CellLocation),
    /// The next step executes one of these source lines. A line without an instruction refers to the first instruction after the line.
    LineReached(Vec<u32>),
    /// A lane satisfies a condition after the step that it did not satisfy before the step, see [`condition`].
    Predicate(String),
}

/// Direction in which a `StopSearch` searches for a match of a stop condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    #[default]
    Forward,
    Reverse,
}

/// Result of `Session.runUntil`, which states whether and where the stop condition holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct StopResult {
    /// Whether the run stopped because the condition holds. If the value is false, the run is at its end, at its start, or at the step
    /// limit.
    pub is_reached: bool,
    pub position: u64,
    /// Description of the match, or a message that the run found no match: `lane 3 of warp 0, block 0: %r5 is 7`.
    pub text: String,
}

/// Error in the text of a stop condition, with its position in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopConditionError {
    pub message: String,
    /// Start and end of the error in the text of the condition, in UTF-16 units. Start and end are 0 if the error has no position.
    pub at: (u32, u32),
}

impl StopConditionError {
    /// Returns the position of a syntax error in UTF-16 units. If the range is empty, the function extends it to one unit.
    fn at(text: &str, error: SyntaxError) -> StopConditionError {
        let count = |to: usize| text.get(..to).map_or(0, |part| part.encode_utf16().count()) as u32;
        let (start, end) = (count(error.range.start), count(error.range.end));
        StopConditionError {
            message: error.message,
            at: (start, end.max(start + 1)),
        }
    }

    fn new(message: impl Into<String>) -> StopConditionError {
        StopConditionError {
            message: message.into(),
            at: (0, 0),
        }
    }
}
