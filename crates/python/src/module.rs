//! Class `Module` of the native module: a checked module whose kernels Python launches and analyzes.

use crate::arguments::CallArguments;
use crate::errors::{ErrorClass, attribute, request_error, to_python};
use crate::execution::{CallLimits, detached, in_background, run_to_end};
use crate::session::NativeSession;
use pyo3::prelude::*;
use std::sync::Arc;
use warpgrid_view::analysis::findings::AnalysisOptions;
use warpgrid_view::session::loaded_module::{KernelSignature, LoadedModule};
use warpgrid_view::{RequestError, Scenario, Session, SourceLanguage, WriterTracking};

/// Checked module.
#[pyclass(frozen, module = "warpgrid._native", name = "Module")]
pub(crate) struct NativeModule {
    inner: Arc<LoadedModule>,
    kernels: Vec<KernelSignature>,
}

/// Grid, block, cluster, size of the dynamic shared memory, and scheduler seed of a launch.
#[derive(FromPyObject)]
pub(crate) struct LaunchConfiguration([u32; 3], [u32; 3], Option<[u32; 3]>, u64, u64);

/// Numbers of steps, stores and lane-instructions of a run, and its notes.
type RunSummary = (u64, u64, u64, Vec<String>);

/// Returns the source language with this name, or the language of the source.
pub(crate) fn language_of(
    py: Python<'_>,
    source: &str,
    name: Option<&str>,
) -> PyResult<SourceLanguage> {
    match name {
        None => Ok(SourceLanguage::of_source(source)),
        Some("ptx") => Ok(SourceLanguage::Ptx),
        Some("sass") => Ok(SourceLanguage::Sass),
        Some(other) => {
            let message = format!("found the language `{other}`, expected `ptx` or `sass`");
            Err(ErrorClass::Argument.error(py, &message))
        }
    }
}

#[pymethods]
impl NativeModule {
    #[new]
    #[pyo3(signature = (source, name, target, ptx_version, language))]
    fn new(
        py: Python<'_>,
        source: String,
        name: String,
        target: Option<String>,
        ptx_version: Option<String>,
        language: Option<&str>,
    ) -> PyResult<NativeModule> {
        let scenario = Scenario {
            name,
            front: language_of(py, &source, language)?,
            source,
            target,
            ptx_version,
            ..Scenario::default()
        };
        let loaded = detached(py, || LoadedModule::new(scenario))?;
        let loaded = loaded.map_err(|error| source_error(py, &error))?;
        Ok(NativeModule {
            kernels: loaded.kernels(),
            inner: Arc::new(loaded),
        })
    }

    #[getter]
    fn source(&self) -> &str {
        self.inner.source()
    }

    #[getter]
    fn target(&self) -> &str {
        self.inner.target_name()
    }

    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.kernels)
    }

    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.inner.diagnostics())
    }

    /// Runs a kernel to its end, and copies the final memory to the array arguments.
    fn launch(
        &self,
        py: Python<'_>,
        kernel: usize,
        configuration: LaunchConfiguration,
        arguments: Vec<Bound<'_, PyAny>>,
        max_steps: u64,
        timeout: Option<f64>,
    ) -> PyResult<RunSummary> {
        let limits = CallLimits::starting_now(py, max_steps, timeout)?;
        let signature = self.signature(py, kernel)?;
        let call = CallArguments::new(py, &signature.parameters, &arguments)?;
        let scenario = scenario(signature, configuration, &call);
        let mut session = self.session_of(py, scenario, WriterTracking::Off)?;
        run_to_end(py, &mut session, &limits)?;
        call.write_back(py, &session)?;
        if session.fault().is_some() {
            return Err(fault_error(py, session, &limits));
        }
        Ok((
            session.position(),
            session.stores(),
            session.lane_instructions(),
            session.notes(),
        ))
    }

    /// Analyzes a launch without a change of the array arguments.
    #[expect(
        clippy::too_many_arguments,
        reason = "the Python part of the package passes all options of the call"
    )]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        kernel: usize,
        configuration: LaunchConfiguration,
        arguments: Vec<Bound<'py, PyAny>>,
        max_steps: u64,
        timeout: Option<f64>,
        seeds: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limits = CallLimits::starting_now(py, max_steps, timeout)?;
        let signature = self.signature(py, kernel)?;
        let call = CallArguments::new(py, &signature.parameters, &arguments)?;
        let scenario = scenario(signature, configuration, &call);
        self.analysis(py, scenario, &limits, seeds)
    }

    /// Analyzes all kernels with the launch annotations of the source and with inferred launches.
    fn analyze_all<'py>(
        &self,
        py: Python<'py>,
        max_steps: u64,
        timeout: Option<f64>,
        seeds: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limits = CallLimits::starting_now(py, max_steps, timeout)?;
        self.analysis(py, Scenario::default(), &limits, seeds)
    }

    /// Creates a session of a launch at its start, which tracks the last writer of each byte.
    fn session(
        &self,
        py: Python<'_>,
        kernel: usize,
        configuration: LaunchConfiguration,
        arguments: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<NativeSession> {
        let signature = self.signature(py, kernel)?;
        let call = CallArguments::new(py, &signature.parameters, &arguments)?;
        let scenario = scenario(signature, configuration, &call);
        let session = self.session_of(py, scenario, WriterTracking::LastWriter)?;
        Ok(NativeSession::new(session))
    }
}

impl NativeModule {
    fn signature(&self, py: Python<'_>, kernel: usize) -> PyResult<&KernelSignature> {
        let signature = self.kernels.get(kernel);
        signature.ok_or_else(|| ErrorClass::Argument.error(py, "the module has no such kernel"))
    }

    fn session_of(
        &self,
        py: Python<'_>,
        scenario: Scenario,
        writers: WriterTracking,
    ) -> PyResult<Session> {
        let session = detached(py, || self.inner.launch(scenario, writers))?;
        session.map_err(|error| request_error(py, &error))
    }

    fn analysis<'py>(
        &self,
        py: Python<'py>,
        scenario: Scenario,
        limits: &CallLimits,
        seeds: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = AnalysisOptions {
            max_steps: Some(limits.max_steps as f64),
            seeds: Some(seeds as f64),
        };
        let module = Arc::clone(&self.inner);
        let report = in_background(py, limits, move || module.analyze(scenario, options))?;
        to_python(py, &report.map_err(|error| request_error(py, &error))?)
    }
}

/// Creates the scenario of a launch without its source.
fn scenario(
    signature: &KernelSignature,
    configuration: LaunchConfiguration,
    call: &CallArguments,
) -> Scenario {
    let LaunchConfiguration(grid, block, cluster, dynamic_shared, seed) = configuration;
    Scenario {
        entry: Some(signature.name.clone()),
        grid: Some(grid),
        block: Some(block),
        cluster,
        dynamic_shared,
        seed: Some(seed),
        params: call.parameters.clone(),
        ..Scenario::default()
    }
}

/// Converts the error of a check to an exception. The source may be rejected without a diagnostic, for example because it has no kernel.
fn source_error(py: Python<'_>, error: &RequestError) -> PyErr {
    let attributes = [
        ("code", attribute(&error.code)),
        ("diagnostics", attribute(&error.diagnostics)),
    ];
    ErrorClass::Source.with(py, &error.message, &attributes)
}

/// Creates the exception of a run that a fault stopped, with the diagnosis of a hang and the causes of the fault.
fn fault_error(py: Python<'_>, mut session: Session, limits: &CallLimits) -> PyErr {
    let diagnosed = in_background(py, limits, move || {
        let hang = session.hang();
        (session.fault(), hang, session.causes())
    });
    let (fault, hang, causes) = match diagnosed {
        Ok(diagnosed) => diagnosed,
        Err(error) => return error,
    };
    let message = fault.as_ref().map_or("", |fault| fault.message.as_str());
    let class = match hang.is_some() {
        true => ErrorClass::Hang,
        false => ErrorClass::Fault,
    };
    let attributes = [
        ("fault", attribute(&fault)),
        ("hang", attribute(&hang)),
        ("causes", attribute(&causes)),
    ];
    class.with(py, message, &attributes)
}
