//! Execution of long calls: releases the interpreter lock, checks for signals and deadlines, and converts panics to exceptions.

use crate::errors::{ErrorClass, attribute};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use warpgrid_view::{Session, counted};

/// Number of steps between two checks for signals. The interpreter executes these steps in a few milliseconds.
pub(crate) const STEPS_PER_SLICE: u64 = 20_000;

/// Interval between two checks for signals during a call in another thread.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Limits of a run, with the time at which the run was started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLimits {
    pub(crate) max_steps: u64,
    deadline: Option<Instant>,
    seconds: f64,
}

impl CallLimits {
    /// Creates the limits of a call that starts now. An infinite number of seconds means no deadline.
    pub(crate) fn starting_now(
        py: Python<'_>,
        max_steps: u64,
        seconds: Option<f64>,
    ) -> PyResult<CallLimits> {
        let seconds = seconds.unwrap_or(f64::INFINITY);
        if seconds.is_nan() || seconds < 0.0 {
            let message = format!("found the timeout {seconds}, expected a nonnegative number");
            return Err(ErrorClass::Argument.error(py, &message));
        }
        let duration = Duration::try_from_secs_f64(seconds).ok();
        Ok(CallLimits {
            max_steps,
            deadline: duration.and_then(|duration| Instant::now().checked_add(duration)),
            seconds,
        })
    }

    fn check_deadline(&self, py: Python<'_>) -> PyResult<()> {
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                let message = format!("the run did not finish within {} s", self.seconds);
                Err(ErrorClass::Limit.error(py, &message))
            }
            _ => Ok(()),
        }
    }
}

/// Executes a function without the interpreter lock. A panic of the function becomes an exception.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let result =
        py.detach(|| catch_unwind(AssertUnwindSafe(work)).map_err(|payload| panic_text(&*payload)));
    result.map_err(|message| internal_error(py, &message))
}

fn internal_error(py: Python<'_>, message: &str) -> PyErr {
    let message = format!("internal error of the emulator: {message}");
    ErrorClass::Internal.error(py, &message)
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "panic without a message".to_owned())
}

/// Executes a function in another thread, so that a signal handler or a deadline can end the call. An interrupted function continues up to
/// its own step limit, and its result is discarded.
pub(crate) fn in_background<T: Send + 'static>(
    py: Python<'_>,
    limits: &CallLimits,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = sync_channel(1);
    let spawned = thread::Builder::new()
        .name("warpgrid".to_owned())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // The receiver no longer exists after an interruption.
            let _ = sender.send(result.map_err(|payload| panic_text(&*payload)));
        });
    if let Err(error) = spawned {
        return Err(internal_error(py, &error.to_string()));
    }
    loop {
        let waiting = &mut receiver;
        let received = py.detach(move || waiting.recv_timeout(POLL_INTERVAL));
        match received {
            Ok(result) => return result.map_err(|message| internal_error(py, &message)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(internal_error(py, "the thread ended without a result"));
            }
        }
        py.check_signals()?;
        limits.check_deadline(py)?;
    }
}

/// Runs a session to its end. Fails at the step limit, at the deadline, or if a signal handler raises an exception.
pub(crate) fn run_to_end(
    py: Python<'_>,
    session: &mut Session,
    limits: &CallLimits,
) -> PyResult<()> {
    loop {
        let left = limits.max_steps.saturating_sub(session.position());
        if left == 0 {
            let steps = counted(session.position(), "step");
            let message = format!("the run reached the step limit after {steps}");
            let attributes = [("steps", attribute(&session.position()))];
            return Err(ErrorClass::Limit.with(py, &message, &attributes));
        }
        if detached(py, || session.run(left.min(STEPS_PER_SLICE)))? {
            return Ok(());
        }
        py.check_signals()?;
        limits.check_deadline(py)?;
    }
}
