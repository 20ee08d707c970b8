//! From a scenario to a session at its start, or to the reason why there is none.

use super::{Last, Session};
use crate::check::{CheckOptions, Places};
use crate::failure::Failure;
use crate::language::Language;
use crate::model::{DiagnosticView, Severity};
use crate::traffic::TrafficCounter;
use std::sync::Arc;
use warpgrid_emulator::{Decoded, Timeline, TimelineLimits};
use warpgrid_launch::catalogue::{NO_KERNEL, Problem};
use warpgrid_launch::prepare::{Prepared, Writers, prepare, prepare_again};
use warpgrid_launch::reading::named_variables;
use warpgrid_launch::scenario::Scenario;
use warpgrid_program::{Diagnostic, Program, Span};

impl Language {
    /// Checks and launches a scenario in this language, whatever its `front` says; nothing has run yet.
    pub fn session(self, scenario: Scenario, writers: Writers) -> Result<Session, Failure> {
        let options = CheckOptions {
            front: scenario.front,
            target: scenario.target.clone(),
            ptx_version: scenario.ptx_version.clone(),
        };
        let checked = self.checked(&scenario.source, &options);
        let diagnostics = checked.report.diagnostics;
        let Some(program) = checked.program else {
            return Err(rejected(diagnostics));
        };
        let program = Arc::new(program);
        let places = Places::new(scenario.source.clone());
        let facts = checked.annotations.places.clone();
        let mark = self.fact_mark();
        let prepared = prepare(scenario, checked.annotations, &program, &mark, writers);
        let prepared =
            prepared.map_err(|problem| refused(problem, &diagnostics, &places, &facts))?;
        Ok(Session::of(self, prepared, program, places, diagnostics))
    }
}

/// The source is rejected: its first error is the reason.
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

/// The launch is impossible: reported at the line that states the fact, where there is one.
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
    /// Checks and launches; nothing has run yet. Keeps for every byte who wrote it last, so that grids
    /// can show lanes; [`Session::untracked`] does without.
    pub fn new(scenario: Scenario) -> Result<Session, Failure> {
        Language::from(scenario.front).session(scenario, Writers::Tracked)
    }

    /// A session for the memory after the run alone: no last writers, the full speed.
    pub fn untracked(scenario: Scenario) -> Result<Session, Failure> {
        Language::from(scenario.front).session(scenario, Writers::Untracked)
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
        }
    }

    /// What makes the launch of this session again.
    pub(crate) fn restart(&self) -> Restart {
        Restart {
            language: self.language,
            scenario: self.scenario.clone(),
            program: Arc::clone(&self.program),
            places: self.places.clone(),
            decoded: self.timeline.machine().decoded(),
        }
    }
}

/// A launch that has been checked, guessed and decoded, and can be made again with another seed.
pub(crate) struct Restart {
    language: Language,
    scenario: Scenario,
    program: Arc<Program>,
    places: Places,
    decoded: Decoded,
}

impl Restart {
    /// The launch at its start, without last writers.
    pub(crate) fn with_seed(&self, seed: u64) -> Result<Session, Failure> {
        let scenario = Scenario {
            seed: Some(seed),
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
