//! Creation of sessions from scenarios, and of further sessions that repeat the same launch.

use crate::analysis::traffic::counter::TrafficCounter;
use crate::model::inline_asm_block::InlineAsmView;
use crate::model::text::{DiagnosticView, Severity};
use crate::request_error::RequestError;
use crate::session::{LastStepCache, Session};
use crate::source::check::{CheckOptions, SourceMap};
use crate::source::language::Language;
use std::sync::Arc;
use warpgrid_emulator::WriterTracking;
use warpgrid_emulator::{DecodedLaunch, Timeline, TimelineLimits};
use warpgrid_launch::Schedule;
use warpgrid_launch::diagnostics::{LaunchDiagnostic, NO_KERNEL, NO_SUCH_KERNEL};
use warpgrid_launch::instruction_summary::named_variables;
use warpgrid_launch::prepare::{PreparedLaunch, prepare, rebuild_machine};
use warpgrid_launch::scenario::{Parameter, Scenario};
use warpgrid_program::{Diagnostic, Program, Span};

impl Language {
    /// Checks a scenario in this language, regardless of its `front` field, and launches it without executing a step.
    pub fn session(
        self,
        mut scenario: Scenario,
        writers: WriterTracking,
    ) -> Result<Session, RequestError> {
        let options = CheckOptions::of_scenario(&scenario);
        let checked = self.checked(&scenario.source, &options, scenario.entry.as_deref());
        let parts = checked.report.parts;
        if !parts.is_empty() {
            let stated = checked.annotations.scenario.entry.as_ref();
            check_part_name(scenario.entry.take().as_ref().or(stated), &parts)?;
        }
        let diagnostics = checked.report.diagnostics;
        let Some(program) = checked.program else {
            return Err(rejected(diagnostics));
        };
        let program = Arc::new(program);
        let facts = checked.annotations.places.clone();
        let mark = format!("{}@", checked.mark);
        let source_map = SourceMap::new(scenario.source.clone());
        let mut annotations = checked.annotations;
        if !parts.is_empty() {
            // Remove the field `entry`, because it names the asm block and not the kernel that the front end generates from the block.
            annotations.scenario.entry = None;
            // Remove annotations for operands that the asm block does not have.
            let named = parameter_names(&program);
            let is_register = |name: &str| {
                let mut kernels = program.entries();
                kernels.any(|(_, kernel)| kernel.registers.names().any(|own| own == name))
            };
            let is_own = |fact: &Parameter| {
                let is_scalar = matches!(fact, Parameter::Scalar { .. });
                named.iter().any(|name| name == fact.name())
                    || is_scalar && is_register(fact.name())
            };
            annotations.scenario.params.retain(is_own);
        }
        let places = SourceMap::of_part(scenario.source.clone(), checked.origin);
        let prepared = prepare(scenario, annotations, &program, &mark, writers, None);
        let prepared =
            prepared.map_err(|problem| refused(problem, &diagnostics, &source_map, &facts))?;
        let mut session = Session::of(self, prepared, program, places, diagnostics);
        session.comment_marker = mark;
        if !parts.is_empty() {
            (session.parts, session.scenario.entry) = (parts, checked.part);
        }
        Ok(session)
    }
}

/// Returns the parameter names of the kernels of a program.
fn parameter_names(program: &Program) -> Vec<String> {
    let kernels = program.entries();
    let names = kernels.flat_map(|(_, function)| {
        function
            .parameters
            .iter()
            .filter_map(|parameter| match parameter {
                warpgrid_program::Parameter::Variable(index) => {
                    let variable = function.variables.get(*index as usize)?;
                    Some(variable.name.clone())
                }
                warpgrid_program::Parameter::Register(_) => None,
            })
    });
    names.collect()
}

/// Returns an error if the source contains no asm block with this name.
fn check_part_name(name: Option<&String>, parts: &[InlineAsmView]) -> Result<(), RequestError> {
    let Some(name) = name.filter(|name| parts.iter().all(|part| part.name != **name)) else {
        return Ok(());
    };
    let names: Vec<String> = parts
        .iter()
        .map(|part| format!("`{}`", part.name))
        .collect();
    Err(RequestError {
        code: NO_SUCH_KERNEL.to_owned(),
        message: format!(
            "the source has no asm block `{name}`, expected one of {}",
            names.join(", ")
        ),
        diagnostics: Vec::new(),
    })
}

/// Returns the error for a source that the checker rejected. Its message is the message of the first diagnostic that is an error.
pub(crate) fn rejected(diagnostics: Vec<DiagnosticView>) -> RequestError {
    let first = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity == Severity::Error);
    let (code, message) = first.map_or((NO_KERNEL, "the source has no kernel"), |first| {
        (first.code.as_str(), first.message.as_str())
    });
    RequestError {
        code: code.to_owned(),
        message: message.to_owned(),
        diagnostics: diagnostics.clone(),
    }
}

/// Returns the error for an impossible launch. If a `//@` line specifies the invalid parameter, the error refers to this line.
pub(crate) fn refused(
    problem: LaunchDiagnostic,
    diagnostics: &[DiagnosticView],
    places: &SourceMap,
    facts: &[(String, Span)],
) -> RequestError {
    let mut diagnostics = diagnostics.to_vec();
    let place = facts.iter().find(|(key, _)| *key == problem.about);
    diagnostics.extend(place.map(|(_, span)| {
        places.diagnostic(&Diagnostic::error(
            problem.code,
            *span,
            problem.message.clone(),
        ))
    }));
    RequestError {
        code: problem.code.to_owned(),
        message: problem.message,
        diagnostics,
    }
}
impl Session {
    /// Checks and launches a scenario without executing a step. The session tracks the last writer of every byte, so that grids can show
    /// lanes. Use [`Session::new_without_last_writers`] if this tracking is not necessary.
    pub fn new(scenario: Scenario) -> Result<Session, RequestError> {
        Language::from(scenario.front).session(scenario, WriterTracking::LastWriter)
    }

    /// Creates a session without last-writer tracking. This session runs at full speed, but provides only the final memory contents.
    pub fn new_without_last_writers(scenario: Scenario) -> Result<Session, RequestError> {
        Language::from(scenario.front).session(scenario, WriterTracking::Off)
    }

    /// Creates a session of the same launch at its start. The session does not track last writers.
    pub fn restart_without_last_writers(&self) -> Result<Session, RequestError> {
        self.restart_with(WriterTracking::Off)
    }

    /// Creates a session of the same launch at its start. The session tracks last writers.
    pub(crate) fn restart_with_last_writers(&self) -> Result<Session, RequestError> {
        self.restart_with(WriterTracking::LastWriter)
    }

    fn restart_with(&self, writers: WriterTracking) -> Result<Session, RequestError> {
        let again = self.restart().launch(self.scenario.clone(), writers)?;
        Ok(Session {
            scenario: self.scenario.clone(),
            inferred_annotations: self.inferred_annotations.clone(),
            infers_launch: self.infers_launch,
            inferred_scalars: self.inferred_scalars.clone(),
            diagnostics: self.diagnostics.clone(),
            comment_marker: self.comment_marker.clone(),
            parts: self.parts.clone(),
            ..again
        })
    }

    pub(crate) fn of(
        language: Language,
        prepared: PreparedLaunch,
        program: Arc<Program>,
        places: SourceMap,
        diagnostics: Vec<DiagnosticView>,
    ) -> Session {
        Session {
            counter: TrafficCounter::new(program.target.memory),
            inferred_annotations: prepared.guesses,
            infers_launch: prepared.infers_launch,
            inferred_scalars: prepared.inferred_scalars,
            scenario: prepared.scenario,
            language,
            named: named_variables(&program),
            program,
            places,
            timeline: Timeline::new(prepared.machine, TimelineLimits::default()),
            buffers: prepared.buffers,
            diagnostics,
            last: LastStepCache::default(),
            recorded: None,
            causes: None,
            parts: Vec::new(),
            comment_marker: String::new(),
        }
    }

    /// Returns the data that is necessary to repeat the launch of this session.
    pub(crate) fn restart(&self) -> LaunchTemplate {
        LaunchTemplate {
            language: self.language,
            scenario: self.scenario.clone(),
            program: Arc::clone(&self.program),
            places: self.places.clone(),
            decoded: self.timeline.machine().decoded(),
            is_part: !self.parts.is_empty(),
        }
    }
}

/// Checked, inferred and decoded launch, which can be repeated with another scheduler seed.
pub(crate) struct LaunchTemplate {
    language: Language,
    scenario: Scenario,
    program: Arc<Program>,
    places: SourceMap,
    decoded: DecodedLaunch,
    /// Whether the program is an asm block of the source. The field `entry` of the scenario names this block.
    is_part: bool,
}

impl LaunchTemplate {
    /// Creates a session of the launch at its start, with the given scheduler seed and without last-writer tracking.
    pub(crate) fn with_seed(&self, seed: u64) -> Result<Session, RequestError> {
        let scenario = Scenario {
            seed: Some(seed),
            ..self.scenario.clone()
        };
        self.launch(scenario, WriterTracking::Off)
    }

    /// Creates a session of the launch at its start, whose run starts with the given schedule.
    pub(crate) fn with_schedule(
        &self,
        schedule: Schedule,
        writers: WriterTracking,
    ) -> Result<Session, RequestError> {
        let scenario = Scenario {
            schedule: Some(schedule),
            ..self.scenario.clone()
        };
        self.launch(scenario, writers)
    }

    fn launch(&self, scenario: Scenario, writers: WriterTracking) -> Result<Session, RequestError> {
        let scenario = Scenario {
            entry: scenario.entry.filter(|_| !self.is_part),
            ..scenario
        };
        let prepared = rebuild_machine(scenario, &self.program, writers, &self.decoded);
        let prepared = prepared.map_err(|problem| refused(problem, &[], &self.places, &[]))?;
        let program = Arc::clone(&self.program);
        let places = self.places.clone();
        Ok(Session::of(
            self.language,
            prepared,
            program,
            places,
            Vec::new(),
        ))
    }
}
