//! Checked module whose kernels a host launches repeatedly with buffers in memory. A launch neither checks the source again nor decodes a
//! kernel again.

use crate::analysis::findings::{AnalysisOptions, AnalysisReport};
use crate::api;
use crate::model::text::DiagnosticView;
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::create::{refused, rejected};
use crate::source::check::{CheckOptions, SourceMap};
use crate::source::language::Language;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use warpgrid_emulator::{DecodedLaunch, WriterTracking};
use warpgrid_launch::prepare::{kernel_variables, prepare};
use warpgrid_launch::value::ElementType;
use warpgrid_launch::{Annotations, Scenario};
use warpgrid_program::{Function, Program, Variable};

/// Checked module with the signatures of its kernels, which several threads can launch at the same time.
pub struct LoadedModule {
    language: Language,
    /// Source with its target, its version and its source files. The other fields have their default values.
    source: Scenario,
    program: Arc<Program>,
    source_map: SourceMap,
    diagnostics: Vec<DiagnosticView>,
    /// Start of a launch annotation in the language of the source.
    annotation_mark: String,
    /// Code of the last launch of each kernel, by the name of the kernel.
    decoded: Mutex<BTreeMap<String, DecodedLaunch>>,
}

/// Kernel of a [`LoadedModule`]: its name, its parameters and its launch directives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelSignature {
    pub name: String,
    pub parameters: Vec<KernelParameter>,
    /// Block size that the directive `.reqntid` requires.
    pub required_block: Option<[u32; 3]>,
    /// Cluster size that the directive `.reqnctapercluster` requires.
    pub required_cluster: Option<[u32; 3]>,
}

/// Parameter of a [`KernelSignature`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelParameter {
    pub name: String,
    /// Type of the parameter, or of the elements of an array, in the notation of scenarios.
    #[serde(rename = "type")]
    pub ty: &'static str,
    pub size_bytes: u64,
    pub align_bytes: u32,
    /// Whether the parameter is a structure, which PTX declares as an array.
    pub is_structure: bool,
}

impl LoadedModule {
    /// Checks the source of a scenario. The function uses only the fields of the scenario that describe the source: the language, the target,
    /// the PTX version and the source files.
    pub fn new(scenario: Scenario) -> Result<LoadedModule, RequestError> {
        let language = Language::from(scenario.front);
        let options = CheckOptions::of_scenario(&scenario);
        let checked = language.checked(&scenario.source, &options, None);
        let diagnostics = checked.report.diagnostics;
        let Some(program) = checked.program else {
            return Err(rejected(diagnostics));
        };
        if checked.origin.is_some() {
            let reason = "found a source with inline assembly, expected a module";
            return Err(RequestError::invalid_argument("source", reason));
        }
        let sources = match scenario.sources.is_empty() {
            true => checked.annotations.scenario.sources,
            false => scenario.sources,
        };
        Ok(LoadedModule {
            language,
            program: Arc::new(program),
            source_map: SourceMap::new(scenario.source.clone()),
            source: Scenario {
                name: scenario.name,
                source: scenario.source,
                front: scenario.front,
                target: scenario.target,
                ptx_version: scenario.ptx_version,
                sources,
                ..Scenario::default()
            },
            diagnostics,
            annotation_mark: format!("{}@", checked.mark),
            decoded: Mutex::default(),
        })
    }

    /// Returns the checked source.
    pub fn source(&self) -> &str {
        &self.source.source
    }

    /// Returns the warnings and notes of the checker.
    pub fn diagnostics(&self) -> &[DiagnosticView] {
        &self.diagnostics
    }

    /// Returns the name of the target for which the module was checked.
    pub fn target_name(&self) -> &'static str {
        self.program.target.name
    }

    /// Returns the signatures of the kernels in the order of the source.
    pub fn kernels(&self) -> Vec<KernelSignature> {
        let kernels = self.program.entries();
        kernels.map(|(_, kernel)| signature(kernel)).collect()
    }

    /// Launches the kernel `entry` of a scenario without executing a step. The function replaces the source of the scenario by the source of
    /// the module. The launch annotations of the source have no effect, because the host specifies the launch.
    pub fn launch(
        &self,
        scenario: Scenario,
        writers: WriterTracking,
    ) -> Result<Session, RequestError> {
        let scenario = self.with_source(scenario);
        let entry = scenario.entry.clone().unwrap_or_default();
        // A lock that another thread holds does not delay the launch. A process that was forked while a thread held the lock cannot wait for
        // this thread.
        let decoded = self.decoded.try_lock().ok();
        let decoded = decoded.and_then(|decoded| decoded.get(&entry).cloned());
        let prepared = prepare(
            scenario,
            Annotations::default(),
            &self.program,
            &self.annotation_mark,
            writers,
            decoded.as_ref(),
        );
        let prepared = prepared.map_err(|problem| refused(problem, &[], &self.source_map, &[]))?;
        if decoded.is_none()
            && let Ok(mut decoded) = self.decoded.try_lock()
        {
            decoded.insert(entry, prepared.machine.decoded());
        }
        let mut session = Session::of(
            self.language,
            prepared,
            Arc::clone(&self.program),
            self.source_map.clone(),
            self.diagnostics.clone(),
        );
        session.comment_marker.clone_from(&self.annotation_mark);
        Ok(session)
    }

    /// Analyzes the launch that a scenario describes, see [`api::analyze`]. If the scenario has no kernel, the function analyzes all kernels
    /// with the launch annotations of the source. The function replaces the source of the scenario by the source of the module.
    pub fn analyze(
        &self,
        scenario: Scenario,
        options: AnalysisOptions,
    ) -> Result<AnalysisReport, RequestError> {
        api::analyze(&self.with_source(scenario), options)
    }

    /// Returns the scenario with the source of the module.
    fn with_source(&self, scenario: Scenario) -> Scenario {
        let own = self.source.clone();
        Scenario {
            name: own.name,
            source: own.source,
            front: own.front,
            target: own.target,
            ptx_version: own.ptx_version,
            sources: own.sources,
            ..scenario
        }
    }
}

fn signature(kernel: &Function) -> KernelSignature {
    KernelSignature {
        name: kernel.name.clone(),
        parameters: kernel_variables(kernel).map(parameter).collect(),
        required_block: kernel.bounds.required_threads,
        required_cluster: kernel.bounds.required_cluster,
    }
}

fn parameter(variable: &Variable) -> KernelParameter {
    let element = ElementType::from_name(variable.ty.name());
    let element_bytes = element.map_or(1, |element| element.width_bytes() as u64);
    KernelParameter {
        name: variable.name.clone(),
        ty: element.map_or("b8", ElementType::name),
        size_bytes: variable.size_bytes,
        align_bytes: variable.align_bytes,
        is_structure: variable.size_bytes != element_bytes,
    }
}
