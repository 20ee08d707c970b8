//! Default step limits, and the conversion of numbers from hosts that have no 64-bit integers.

use crate::model::request::{RunOptions, SessionRunOptions};
use crate::request_error::RequestError;
use crate::session::memory_grid::MAX_COLUMNS;

/// Default step limit of a function call. The limit is low, because the caller may block the user interface.
pub const STEPS_OF_A_CALL: u64 = 100_000_000;
/// Default step limit of a command. The limit is high, because the user can interrupt a command.
pub const STEPS_OF_A_COMMAND: u64 = 2_000_000_000;

/// Converts a count or position from JavaScript, whose integers are exact up to 2^53. Returns an error for a negative number or a fraction.
pub fn whole(value: f64, what: &str) -> Result<u64, RequestError> {
    if value >= 0.0 && value.fract() == 0.0 {
        return Ok(value as u64);
    }
    let reason = format!("found {value}, expected a nonnegative integer");
    Err(RequestError::invalid_argument(what, &reason))
}

/// Converts a step limit from JavaScript. If the limit is absent, the result is [`STEPS_OF_A_CALL`]. An infinite number represents an
/// unlimited run.
pub(crate) fn steps(max_steps: Option<f64>) -> Result<u64, RequestError> {
    match max_steps {
        Some(f64::INFINITY) => Ok(u64::MAX),
        Some(steps) => whole(steps, "maxSteps"),
        None => Ok(STEPS_OF_A_CALL),
    }
}

impl RunOptions {
    /// Returns the step limit that these options specify.
    pub fn steps(self) -> Result<u64, RequestError> {
        steps(self.max_steps)
    }
}

impl SessionRunOptions {
    /// Returns the step limit that these options specify.
    pub fn steps(self) -> Result<u64, RequestError> {
        steps(self.max_steps)
    }
}

/// Returns an error if the number of columns of a grid is invalid. `what` is the name of the argument in the error message.
pub(crate) fn check_columns(columns: Option<u32>, what: &str) -> Result<(), RequestError> {
    if columns.is_none_or(|columns| (1..=MAX_COLUMNS).contains(&columns)) {
        return Ok(());
    }
    let reason =
        format!("the number of columns is out of range, expected 1 to {MAX_COLUMNS} columns");
    Err(RequestError::invalid_argument(what, &reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_limit_accepts_nonnegative_integer_none_or_infinity() {
        assert_eq!(steps(None), Ok(STEPS_OF_A_CALL));
        assert_eq!(steps(Some(f64::INFINITY)), Ok(u64::MAX));
        assert_eq!(steps(Some(3.0)), Ok(3));
        for wrong in [-1.0, 0.5, f64::NAN] {
            let failure = steps(Some(wrong)).expect_err("no count");
            assert_eq!(failure.code, "W0901");
            assert!(failure.message.contains("expected a nonnegative integer"));
        }
    }
}
