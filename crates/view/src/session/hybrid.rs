//! Session of a host that combines the interpreter and JIT code. If the host requests no intermediate state, JIT code may execute the run
//! to its end, which provides memory and executed lane-instructions. For all other requests, the interpreter executes the run to the same
//! position.

use crate::memory_export::MemoryForm;
use crate::model::request::{EngineView, GridOptions};
use crate::request_error::Failure;
use crate::session::Session;

/// Session with an optional final state from a JIT run.
pub struct HeldSession {
    /// Session with last-writer tracking, at the end of the run unless `end` is set.
    session: Session,
    /// Session of the same launch at its end, without last-writer tracking.
    end: Option<Box<Session>>,
    /// Whether a host has requested intermediate state.
    is_watched: bool,
    /// Engine of the last run.
    engine: Option<EngineView>,
}

impl HeldSession {
    /// Creates a hybrid session from a session at its start.
    pub fn new(session: Session) -> HeldSession {
        HeldSession {
            session,
            end: None,
            is_watched: false,
            engine: None,
        }
    }

    /// Returns the session for results that a translated run also has: memory, executed lane-instructions, status and fault.
    pub fn ended(&self) -> &Session {
        self.end.as_deref().unwrap_or(&self.session)
    }

    /// Like [`HeldSession::ended`], for methods that cache their results.
    pub fn ended_mut(&mut self) -> &mut Session {
        self.end.as_deref_mut().unwrap_or(&mut self.session)
    }

    /// Returns the session for all requests, including last writers, steps and seeks. After a JIT run, the interpreter first executes the
    /// run to its end.
    pub fn watched(&mut self) -> &mut Session {
        self.is_watched = true;
        if let Some(end) = self.end.take() {
            if let Some(counts) = end.step_counts() {
                self.session.timeline.learn_length(counts.steps);
            }
            self.session.seek(end.position());
        }
        &mut self.session
    }

    /// Returns the session for numbers of steps. After a translated run in which a warp diverged, the interpreter first executes the run to its end.
    pub fn counted(&mut self) -> &Session {
        match self.ended().step_counts() {
            Some(_) => self.ended(),
            None => self.watched(),
        }
    }

    /// Returns the session for properties of the scenario, which do not change during the run.
    pub fn launch(&self) -> &Session {
        &self.session
    }

    /// Returns the engine of the last run with its throughput.
    pub fn engine(&self) -> Option<&EngineView> {
        self.engine.as_ref()
    }

    /// Exports a memory as a file, see [`Session::file_named`]. Tables of values need no last writers.
    pub fn file_named(
        &mut self,
        name: &str,
        form: &str,
        options: GridOptions,
    ) -> Result<Vec<u8>, Failure> {
        let session = match MemoryForm::from_name(form).is_some_and(MemoryForm::shows_writers) {
            true => self.watched(),
            false => self.ended_mut(),
        };
        session.file_named(name, form, options)
    }

    /// Executes one step. Returns false at the end.
    pub fn step(&mut self) -> bool {
        self.end.is_none() && self.watched().step()
    }

    /// Runs forward at most `max_steps` steps with the interpreter. Returns whether the run is complete.
    pub fn run(&mut self, max_steps: u64) -> bool {
        self.end.is_some() || self.session.run(max_steps)
    }
}

#[cfg(feature = "translate")]
mod translating {
    use super::HeldSession;
    use crate::api::report::{ReportRequest, RunReport};
    use crate::model::request::{EngineChoice, EngineName, EngineView};
    use crate::session::Session;
    use crate::session::distributed_run::{SharedRun, Sharing, Untranslated};
    use crate::session::translated::{Translated, million_a_second, milliseconds, pace};
    use std::ops::Range;
    use std::time::Duration;
    use warpgrid_translate::{Engine, Limits};

    impl HeldSession {
        /// Runs forward at most `max_steps` steps, with JIT code if `choice` permits it and compilation is likely to be worthwhile. Returns
        /// whether the run is complete.
        pub fn run_by<E: Engine>(
            &mut self,
            engine: &E,
            max_steps: u64,
            choice: EngineChoice,
        ) -> bool {
            // A single host does not distribute blocks.
            let _ = self.begin_by(engine, max_steps, choice, Sharing::among(1));
            self.ended().is_over()
        }

        /// Like [`HeldSession::run_by`], except that a long run may distribute blocks to other hosts. In this case, returns the run and the
        /// block ranges. When the other hosts have finished, [`HeldSession::finish`] sets the final state.
        pub fn begin_by<E: Engine>(
            &mut self,
            engine: &E,
            max_steps: u64,
            choice: EngineChoice,
            sharing: Sharing,
        ) -> Option<(SharedRun<E>, Vec<Range<u64>>)> {
            if self.ended().is_over() {
                return None;
            }
            let started = E::now();
            let (from, before) = (self.session.position(), self.session.lane_instructions());
            let least_pace = match choice {
                EngineChoice::Interpreter => None,
                EngineChoice::Auto => self.pace_where_it_pays::<E>(max_steps).map(Some),
                EngineChoice::Translated => Some(None),
            };
            let done = self.session.position() - from;
            let left = max_steps - done.min(max_steps);
            let why = match least_pace {
                None => None,
                Some(least_pace) => {
                    let limits = Limits {
                        max_steps: max_steps.saturating_add(from),
                        least_pace,
                    };
                    match self.begin_translated(engine, limits, sharing) {
                        Ok((run, shares)) if shares.is_empty() => {
                            self.finish::<E>(run.finish(), limits.max_steps);
                            return None;
                        }
                        Ok(shared) => return Some(shared),
                        Err(why) => Some(why.0),
                    }
                }
            };
            self.interpret::<E>(left, (started, before), why);
            None
        }

        /// Sets the final state of a distributed run, or continues with the interpreter up to `max_position` if the run failed.
        pub fn finish<E: Engine>(
            &mut self,
            end: Result<(Session, Translated), Untranslated>,
            max_position: u64,
        ) {
            match end {
                Ok((end, took)) => {
                    self.engine = Some(EngineView::from(&took));
                    self.end = Some(Box::new(end));
                }
                Err(why) => {
                    let left = max_position.saturating_sub(self.session.position());
                    let begun = (E::now(), self.session.lane_instructions());
                    self.interpret::<E>(left, begun, Some(why.0));
                }
            }
        }

        fn interpret<E: Engine>(
            &mut self,
            max_steps: u64,
            (started, before): (Duration, u64),
            why: Option<String>,
        ) {
            self.session.run(max_steps);
            let took = E::now().saturating_sub(started);
            let executed = self.session.lane_instructions() - before;
            self.engine = Some(interpreted(executed, took, why));
        }

        /// Like [`crate::session::Session::report`], except that JIT code executes the run if `choice` permits it.
        pub fn report_by<E: Engine>(
            &mut self,
            engine: &E,
            request: &ReportRequest,
            choice: EngineChoice,
        ) -> RunReport {
            if request.races || request.traffic || request.layouts {
                return self.watched().report(request);
            }
            let left = request.max_steps.saturating_sub(self.ended().position());
            self.run_by(engine, left, choice);
            self.ended_mut().report(request)
        }

        /// Returns the minimum throughput of translated code in lane-instructions per second, if translation is worthwhile: the run is long and starts at position 0,
        /// and no observer is active.
        fn pace_where_it_pays<E: Engine>(&mut self, max_steps: u64) -> Option<f64> {
            if self.is_watched || self.session.position() > 0 {
                return None;
            }
            let first = self.session.run_first_steps(max_steps, E::now)?;
            let session = &self.session;
            let pays = !session.ends_beyond(max_steps) && session.is_worth_translating(first.took);
            pays.then_some(first.pace)
        }

        fn begin_translated<E: Engine>(
            &self,
            engine: &E,
            limits: Limits,
            sharing: Sharing,
        ) -> Result<(SharedRun<E>, Vec<Range<u64>>), Untranslated> {
            let again = self.session.unwatched();
            let again = again.map_err(|failure| Untranslated(failure.message))?;
            let mut run = SharedRun::new(again, engine, limits)?;
            let shares = run.begin(engine, sharing)?;
            Ok((run, shares))
        }
    }

    fn interpreted(lane_instructions: u64, took: Duration, why: Option<String>) -> EngineView {
        let rate = million_a_second(lane_instructions, took);
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        EngineView {
            name: EngineName::Interpreter,
            words: format!("interpreted in {}{why}: {}", milliseconds(took), pace(rate)),
            rate,
        }
    }

    impl From<&Translated> for EngineView {
        fn from(took: &Translated) -> EngineView {
            EngineView {
                name: EngineName::Translated,
                words: took.to_string(),
                rate: took.rate(),
            }
        }
    }
}
