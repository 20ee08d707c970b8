//! Creation of sessions from scenarios.

use crate::analysis::traffic::counter::TrafficCounter;
use crate::model::inline_asm_block::PartView;
use crate::model::text::{DiagnosticView, Severity};
use crate::request_error::Failure;
use crate::session::{Last, Session};
use crate::source::check::{CheckOptions, Places};
use crate::source::language::Language;
use std::sync::Arc;
use warpgrid_emulator::{Decoded, Timeline, TimelineLimits};
use warpgrid_launch::catalogue::{NO_KERNEL, NO_SUCH_KERNEL, Problem};
use warpgrid_launch::prepare::{Prepared, Writers, prepare, prepare_again};
use warpgrid_launch::reading::named_variables;
use warpgrid_launch::scenario::{Parameter, Scenario};
use warpgrid_program::{Diagnostic, Program, Span};

impl Language {
    /// Checks and launches a scenario in this language, regardless of its `front`. No step is executed.
    pub fn session(self, mut scenario: Scenario, writers: Writers) -> Result<Session, Failure> {
        let options = CheckOptions {
            front: scenario.front,
            target: scenario.target.clone(),
            ptx_version: scenario.ptx_version.clone(),
        };
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
        let whole = Places::new(scenario.source.clone());
        let mut annotations = checked.annotations;
        if !parts.is_empty() {
            // `entry` names an asm block, not the kernel that is generated from the asm block.
            annotations.scenario.entry = None;
            // An annotation applies only to an asm block with this operand.
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
        let places = Places::of_part(scenario.source.clone(), checked.origin);
        let prepared = prepare(scenario, annotations, &program, &mark, writers);
        let prepared =
            prepared.map_err(|problem| refused(problem, &diagnostics, &whole, &facts))?;
        let mut session = Session::of(self, prepared, program, places, diagnostics);
        session.mark = mark;
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

/// Returns an error if the source has no asm block with this name.
fn check_part_name(name: Option<&String>, parts: &[PartView]) -> Result<(), Failure> {
    let Some(name) = name.filter(|name| parts.iter().all(|part| part.name != **name)) else {
        return Ok(());
    };
    let names: Vec<String> = parts
        .iter()
        .map(|part| format!("`{}`", part.name))
        .collect();
    Err(Failure {
        code: NO_SUCH_KERNEL.to_owned(),
        message: format!(
            "the source has no asm block `{name}`, expected one of {}",
            names.join(", ")
        ),
        diagnostics: Vec::new(),
    })
}

/// Returns the error for a rejected source. The message is that of the first error.
fn rejected(diagnostics: Vec<DiagnosticView>) -> Failure {
    let first = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.severity == Severity::Error);
    let (code, message) = first.map_or((NO_KERNEL, "the source has no kernel"), |first| {
        (first.code.as_str(), first.message.as_str())
    });
    Failure {
        code: code.to_owned(),
        message: message.to_owned(),
        diagnostics: diagnostics.clone(),
    }
}

/// Returns the error for an impossible launch, reported at the `//@` line that specifies the fact, if there is one.
fn refused(
    problem: Problem,
    diagnostics: &[DiagnosticView],
    places: &Places,
    facts: &[(String, Span)],
) -> Failure {
    let mut diagnostics = diagnostics.to_vec();
    let place = facts.iter().find(|(key, _)| *key == problem.about);
    diagnostics.extend(place.map(|(_, span)| {
        places.diagnostic(&Diagnostic::error(
            problem.code,
            *span,
            problem.message.clone(),
        ))
    }));
    Failure {
        code: problem.code.to_owned(),
        message: problem.message,
        diagnostics,
    }
}
impl Session {
    /// Checks and launches a scenario without executing a step. The session tracks the last writer of every byte, so that grids can show
    /// lanes. [`Session::untracked`] omits the tracking.
    pub fn new(scenario: Scenario) -> Result<Session, Failure> {
        Language::from(scenario.front).session(scenario, Writers::Tracked)
    }

    /// Creates a session that provides only final memory, without last-writer tracking, at full speed.
    pub fn untracked(scenario: Scenario) -> Result<Session, Failure> {
        Language::from(scenario.front).session(scenario, Writers::Untracked)
    }

    /// Creates a session of the same launch at its start, without last-writer tracking.
    pub fn unwatched(&self) -> Result<Session, Failure> {
        let again = self
            .restart()
            .with_seed(self.scenario.seed.unwrap_or_default())?;
        Ok(Session {
            scenario: self.scenario.clone(),
            guesses: self.guesses.clone(),
            infers_launch: self.infers_launch,
            diagnostics: self.diagnostics.clone(),
            mark: self.mark.clone(),
            parts: self.parts.clone(),
            ..again
        })
    }

    fn of(
        language: Language,
        prepared: Prepared,
        program: Arc<Program>,
        places: Places,
        diagnostics: Vec<DiagnosticView>,
    ) -> Session {
        Session {
            counter: TrafficCounter::new(program.target.memory),
            guesses: prepared.guesses,
            infers_launch: prepared.infers_launch,
            scenario: prepared.scenario,
            language,
            named: named_variables(&program),
            program,
            places,
            timeline: Timeline::new(prepared.machine, TimelineLimits::default()),
            buffers: prepared.buffers,
            diagnostics,
            last: Last::default(),
            causes: None,
            parts: Vec::new(),
            mark: String::new(),
        }
    }

    /// Returns the data to repeat the launch of this session.
    pub(crate) fn restart(&self) -> Restart {
        Restart {
            language: self.language,
            scenario: self.scenario.clone(),
            program: Arc::clone(&self.program),
            places: self.places.clone(),
            decoded: self.timeline.machine().decoded(),
            is_part: !self.parts.is_empty(),
        }
    }
}

/// Checked, inferred and decoded launch that can be repeated with another scheduler seed.
pub(crate) struct Restart {
    language: Language,
    scenario: Scenario,
    program: Arc<Program>,
    places: Places,
    decoded: Decoded,
    /// Whether the program is an asm block of the source, which `entry` names.
    is_part: bool,
}

impl Restart {
    /// Creates a session of the launch at its start, without last-writer tracking.
    pub(crate) fn with_seed(&self, seed: u64) -> Result<Session, Failure> {
        let scenario = Scenario {
            seed: Some(seed),
            entry: self.scenario.entry.clone().filter(|_| !self.is_part),
            ..self.scenario.clone()
        };
        let prepared = prepare_again(scenario, &self.program, Writers::Untracked, &self.decoded);
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
