//! Session that combines the interpreter and JIT code. If a host requests no intermediate state, JIT code can execute the run to its end. A
//! JIT run provides only the final memory contents and the number of executed lane-instructions. For all other requests, the interpreter
//! executes the run to the same position.

use crate::memory_export::ExportFormat;
use crate::model::request::{EngineView, GridOptions};
use crate::request_error::RequestError;
use crate::session::Session;

/// Session of a host that the interpreter or JIT code executes. Queries for intermediate state use the interpreter.
pub struct HybridSession {
    /// Session with last-writer tracking. If `end` is set, the position of this session is before the end of the run.
    session: Session,
    /// Session of the same launch at its end, without last-writer tracking. The field is `None` if no JIT run has executed the launch.
    end: Option<Box<Session>>,
    /// Whether a host has requested intermediate state, so that the interpreter must execute the run.
    needs_tracking: bool,
    /// Engine that executed the last run.
    engine: Option<EngineView>,
}

impl HybridSession {
    /// Creates a hybrid session from a session at its start.
    pub fn new(session: Session) -> HybridSession {
        HybridSession {
            session,
            end: None,
            needs_tracking: false,
            engine: None,
        }
    }

    /// Returns the session for requests that a JIT run can also answer: the memory, the number of executed lane-instructions, the status
    /// and the fault.
    pub fn final_session(&self) -> &Session {
        self.end.as_deref().unwrap_or(&self.session)
    }

    /// Returns the session of [`HybridSession::final_session`] as a mutable reference, for methods that cache their results.
    pub fn ended_mut(&mut self) -> &mut Session {
        self.end.as_deref_mut().unwrap_or(&mut self.session)
    }

    /// Returns the session for all requests, including requests for last writers, steps and seeks. After a JIT run, the interpreter first
    /// executes the run to its end.
    pub fn tracked_session(&mut self) -> &mut Session {
        self.needs_tracking = true;
        if let Some(end) = self.end.take() {
            if let Some(counts) = end.step_counts() {
                self.session.timeline.set_length(counts.steps);
            }
            self.session.seek(end.position());
        }
        &mut self.session
    }

    /// Returns the session for requests for step counts. After a JIT run in which a warp diverged, the interpreter first executes the run
    /// to its end.
    pub fn counted(&mut self) -> &Session {
        match self.final_session().step_counts() {
            Some(_) => self.final_session(),
            None => self.tracked_session(),
        }
    }

    /// Returns the session for properties of the scenario, which do not change during the run.
    pub fn launch(&self) -> &Session {
        &self.session
    }

    /// Returns the engine that executed the last run, with its throughput.
    pub fn engine(&self) -> Option<&EngineView> {
        self.engine.as_ref()
    }

    /// Exports a memory as a file, see [`Session::file_named`]. A table of values does not contain last writers, so the final state of a
    /// JIT run is sufficient for a table.
    pub fn file_named(
        &mut self,
        name: &str,
        form: &str,
        options: GridOptions,
    ) -> Result<Vec<u8>, RequestError> {
        let session = match ExportFormat::from_name(form).is_some_and(ExportFormat::shows_writers) {
            true => self.tracked_session(),
            false => self.ended_mut(),
        };
        session.file_named(name, form, options)
    }

    /// Executes one step. Returns `false` if the run is at its end.
    pub fn step(&mut self) -> bool {
        self.end.is_none() && self.tracked_session().step()
    }

    /// Runs forward at most `max_steps` steps with the interpreter. Returns whether the run is complete.
    pub fn run(&mut self, max_steps: u64) -> bool {
        self.end.is_some() || self.session.run(max_steps)
    }
}

#[cfg(feature = "translate")]
mod translating {
    use super::HybridSession;
    use crate::api::report::{ReportRequest, RunReport};
    use crate::model::request::{EngineChoice, EngineKind, EngineView};
    use crate::session::Session;
    use crate::session::distributed_run::{DistributedRun, FallbackReason, WorkerPolicy};
    use crate::session::translated_run::{
        TranslatedRunStats, million_a_second, milliseconds, speed_text,
    };
    use std::ops::Range;
    use std::time::Duration;
    use warpgrid_translate::{Engine, RunLimits};

    impl HybridSession {
        /// Runs forward at most `max_steps` steps, with JIT code if `choice` permits it and compilation is likely to be worthwhile. Returns
        /// whether the run is complete.
        pub fn run_with_engine<E: Engine>(
            &mut self,
            engine: &E,
            max_steps: u64,
            choice: EngineChoice,
        ) -> bool {
            // Ignore the result, because a policy with a single host does not distribute blocks to other hosts.
            let _ = self.begin_with_engine(engine, max_steps, choice, WorkerPolicy::among(1));
            self.final_session().is_finished()
        }

        /// Runs the session with the rules of [`HybridSession::run_with_engine`], but can also distribute the blocks of a long run to other
        /// hosts. In this case, returns the distributed run and the block ranges for the other hosts. When the other hosts have finished,
        /// [`HybridSession::finish`] sets the final state.
        pub fn begin_with_engine<E: Engine>(
            &mut self,
            engine: &E,
            max_steps: u64,
            choice: EngineChoice,
            sharing: WorkerPolicy,
        ) -> Option<(DistributedRun<E>, Vec<Range<u64>>)> {
            if self.final_session().is_finished() {
                return None;
            }
            let started = E::now();
            let (from, before) = (self.session.position(), self.session.lane_instructions());
            let least_pace = match choice {
                EngineChoice::Interpreter => None,
                EngineChoice::Auto => self.min_speed_if_worthwhile::<E>(max_steps).map(Some),
                EngineChoice::Translated => Some(None),
            };
            let done = self.session.position() - from;
            let left = max_steps - done.min(max_steps);
            let reason = match least_pace {
                None => None,
                Some(least_pace) => {
                    let limits = RunLimits {
                        max_steps: max_steps.saturating_add(from),
                        min_steps_per_second: least_pace,
                    };
                    match self.begin_translated(engine, limits, sharing) {
                        Ok((run, shares)) if shares.is_empty() => {
                            self.finish::<E>(run.finish(), limits.max_steps);
                            return None;
                        }
                        Ok(shared) => return Some(shared),
                        Err(reason) => Some(reason.0),
                    }
                }
            };
            self.interpret::<E>(left, (started, before), reason);
            None
        }

        /// Sets the final state of a distributed run, or continues with the interpreter up to `max_position` if the run failed.
        pub fn finish<E: Engine>(
            &mut self,
            end: Result<(Session, TranslatedRunStats), FallbackReason>,
            max_position: u64,
        ) {
            match end {
                Ok((end, took)) => {
                    self.engine = Some(EngineView::from(&took));
                    self.end = Some(Box::new(end));
                }
                Err(reason) => {
                    let left = max_position.saturating_sub(self.session.position());
                    let begun = (E::now(), self.session.lane_instructions());
                    self.interpret::<E>(left, begun, Some(reason.0));
                }
            }
        }

        fn interpret<E: Engine>(
            &mut self,
            max_steps: u64,
            (started, before): (Duration, u64),
            reason: Option<String>,
        ) {
            self.session.run(max_steps);
            let took = E::now().saturating_sub(started);
            let executed = self.session.lane_instructions() - before;
            self.engine = Some(interpreted(executed, took, reason));
        }

        /// Runs the session to its end and returns its report (see [`crate::session::Session::report`]). JIT code executes the run if
        /// `choice` permits it.
        pub fn report_with_engine<E: Engine>(
            &mut self,
            engine: &E,
            request: &ReportRequest,
            choice: EngineChoice,
        ) -> RunReport {
            if request.races || request.traffic || request.layouts {
                return self.tracked_session().report(request);
            }
            let left = request
                .max_steps
                .saturating_sub(self.final_session().position());
            self.run_with_engine(engine, left, choice);
            self.ended_mut().report(request)
        }

        /// Returns the minimum throughput that JIT code must reach, in lane-instructions per second, or `None` if JIT compilation is not
        /// worthwhile. JIT compilation is worthwhile if the run is long and starts at position 0, and if no observer is active.
        fn min_speed_if_worthwhile<E: Engine>(&mut self, max_steps: u64) -> Option<f64> {
            if self.needs_tracking || self.session.position() > 0 {
                return None;
            }
            let first = self.session.run_first_steps(max_steps, E::now)?;
            let session = &self.session;
            let pays = !session.run_exceeds(max_steps) && session.is_worth_translating(first.took);
            pays.then_some(first.speed)
        }

        fn begin_translated<E: Engine>(
            &self,
            engine: &E,
            limits: RunLimits,
            sharing: WorkerPolicy,
        ) -> Result<(DistributedRun<E>, Vec<Range<u64>>), FallbackReason> {
            let again = self.session.restart_without_last_writers();
            let again = again.map_err(|failure| FallbackReason(failure.message))?;
            let mut run = DistributedRun::new(again, engine, limits)?;
            let shares = run.begin(engine, sharing)?;
            Ok((run, shares))
        }
    }

    fn interpreted(lane_instructions: u64, took: Duration, reason: Option<String>) -> EngineView {
        let rate = million_a_second(lane_instructions, took);
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        EngineView {
            name: EngineKind::Interpreter,
            words: format!(
                "interpreted in {}{reason}: {}",
                milliseconds(took),
                speed_text(rate)
            ),
            rate,
        }
    }

    impl From<&TranslatedRunStats> for EngineView {
        fn from(took: &TranslatedRunStats) -> EngineView {
            EngineView {
                name: EngineKind::Translated,
                words: took.to_string(),
                rate: took.rate(),
            }
        }
    }
}
