//! Class `Session` of the native module: a launch that Python steps forward and back.

use crate::errors::{request_error, to_python};
use crate::execution::{CallLimits, STEPS_PER_SLICE, detached, in_background};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpgrid_view::analysis::run_timeline::chrome_trace::chrome_trace;
use warpgrid_view::analysis::schedules::ScheduleOptions;
use warpgrid_view::model::TimelineOptions;
use warpgrid_view::{RequestError, Session};

/// Launch that can be stepped forward and back.
#[pyclass(frozen, module = "warpgrid._native", name = "Session")]
pub(crate) struct NativeSession {
    inner: Arc<Mutex<Session>>,
}

impl NativeSession {
    pub(crate) fn new(session: Session) -> NativeSession {
        NativeSession {
            inner: Arc::new(Mutex::new(session)),
        }
    }

    /// Executes a request that returns in a few milliseconds.
    fn request<T: Send>(
        &self,
        py: Python<'_>,
        request: impl FnOnce(&mut Session) -> T + Send,
    ) -> PyResult<T> {
        detached(py, || request(&mut locked(&self.inner)))
    }

    /// Executes a request in another thread, so that a signal handler can end the call.
    fn long_request<T: Send + 'static>(
        &self,
        py: Python<'_>,
        request: impl FnOnce(&mut Session) -> T + Send + 'static,
    ) -> PyResult<T> {
        let limits = CallLimits::starting_now(py, u64::MAX, None)?;
        let session = Arc::clone(&self.inner);
        in_background(py, &limits, move || request(&mut locked(&session)))
    }

    fn fallible<T: Send + 'static>(
        &self,
        py: Python<'_>,
        request: impl FnOnce(&mut Session) -> Result<T, RequestError> + Send + 'static,
    ) -> PyResult<T> {
        let result = self.long_request(py, request)?;
        result.map_err(|error| request_error(py, &error))
    }
}

/// Locks a session. A session remains usable after a panic of an earlier request.
fn locked(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl NativeSession {
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<u64> {
        self.request(py, |session| session.position())
    }

    #[getter]
    fn length(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.request(py, |session| session.length())
    }

    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        self.request(py, |session| session.is_finished())
    }

    fn step(&self, py: Python<'_>) -> PyResult<bool> {
        self.request(py, Session::step)
    }

    fn back(&self, py: Python<'_>) -> PyResult<bool> {
        self.request(py, Session::step_back)
    }

    fn seek(&self, py: Python<'_>, position: u64) -> PyResult<()> {
        while !self.request(py, |session| session.seek_within(position, STEPS_PER_SLICE))? {
            py.check_signals()?;
        }
        Ok(())
    }

    fn run(&self, py: Python<'_>, max_steps: u64) -> PyResult<bool> {
        let mut left = max_steps;
        loop {
            let steps = left.min(STEPS_PER_SLICE);
            let is_finished = self.request(py, |session| session.run(steps))?;
            left -= steps;
            if is_finished || left == 0 {
                return Ok(is_finished);
            }
            py.check_signals()?;
        }
    }

    fn memory_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.request(py, |session| session.memory_names())
    }

    fn memory<'py>(&self, py: Python<'py>, name: String) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.fallible(py, move |session| {
            session.bytes_of(&name).map(<[u8]>::to_vec)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn fault<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.request(py, |session| session.fault())?)
    }

    fn causes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.long_request(py, Session::causes)?)
    }

    fn hang<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.long_request(py, Session::hang)?)
    }

    fn races<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.long_request(py, Session::races)?)
    }

    fn schedules<'py>(&self, py: Python<'py>, max_steps: u64) -> PyResult<Bound<'py, PyAny>> {
        let options = ScheduleOptions {
            max_steps: Some(max_steps as f64),
        };
        let report = self.fallible(py, move |session| session.schedules(options))?;
        to_python(py, &report)
    }

    fn traffic<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let traffic = self.long_request(py, |session| {
            session.count_traffic(u64::MAX);
            session.traffic()
        })?;
        to_python(py, &traffic)
    }

    fn conflicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.long_request(py, Session::conflicts)?)
    }

    fn layouts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.long_request(py, Session::layouts)?)
    }

    fn timeline<'py>(
        &self,
        py: Python<'py>,
        first: Option<u64>,
        end: Option<u64>,
        columns: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = TimelineOptions {
            from: first.map(|step| step as f64),
            to: end.map(|step| step as f64),
            columns: columns.map(f64::from),
            ..TimelineOptions::default()
        };
        let timeline = self.fallible(py, move |session| session.timeline(options))?;
        to_python(py, &timeline)
    }

    fn chrome_trace(&self, py: Python<'_>) -> PyResult<String> {
        let timeline = self.fallible(py, |session| session.timeline(TimelineOptions::default()))?;
        Ok(chrome_trace(&timeline))
    }

    fn events<'py>(&self, py: Python<'py>, first: u64, end: u64) -> PyResult<Bound<'py, PyAny>> {
        to_python(
            py,
            &self.long_request(py, move |session| session.events(first, end))?,
        )
    }

    fn lanes<'py>(&self, py: Python<'py>, block: u64, warp: u32) -> PyResult<Bound<'py, PyAny>> {
        to_python(
            py,
            &self.request(py, move |session| session.lanes(block, warp))?,
        )
    }

    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.request(py, |session| session.notes())
    }
}
