//! How far a run goes where the host names no limit, and numbers as hosts without 64-bit integers have them.

use crate::model::request::{RunOptions, SessionRunOptions};
use crate::request_error::Failure;
use crate::session::memory_grid::MAX_COLUMNS;

/// Steps of one call from a program, which may have a person waiting for its window.
pub const STEPS_OF_A_CALL: u64 = 100_000_000;
/// Steps of one command, which a person can stop.
pub const STEPS_OF_A_COMMAND: u64 = 2_000_000_000;

/// Reads a count or a place in a run: numbers of JavaScript are exact up to 2^53. Fails where it is negative or has a fraction.
pub fn whole(value: f64, what: &str) -> Result<u64, Failure> {
    if value >= 0.0 && value.fract() == 0.0 {
        return Ok(value as u64);
    }
    let why = format!("found {value}, expected a nonnegative integer");
    Err(Failure::unreadable(what, &why))
}

/// Reads a limit of steps: [`STEPS_OF_A_CALL`] when absent, no limit when infinite.
pub(crate) fn steps(max_steps: Option<f64>) -> Result<u64, Failure> {
    match max_steps {
        Some(f64::INFINITY) => Ok(u64::MAX),
        Some(steps) => whole(steps, "maxSteps"),
        None => Ok(STEPS_OF_A_CALL),
    }
}

impl RunOptions {
    /// Steps that the run may take.
    pub fn steps(self) -> Result<u64, Failure> {
        steps(self.max_steps)
    }
}

impl SessionRunOptions {
    /// Steps that the run may take.
    pub fn steps(self) -> Result<u64, Failure> {
        steps(self.max_steps)
    }
}

/// Refuses a width that no grid has; `what` names the argument.
pub(crate) fn check_columns(columns: Option<u32>, what: &str) -> Result<(), Failure> {
    if columns.is_none_or(|columns| (1..=MAX_COLUMNS).contains(&columns)) {
        return Ok(());
    }
    let why = format!("the number of columns is out of range, expected 1 to {MAX_COLUMNS} columns");
    Err(Failure::unreadable(what, &why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_whole_number_none_or_infinite() {
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
