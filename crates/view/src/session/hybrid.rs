//! A session of a host. Calls of the host go in; answers come out. If the host requests no intermediate state, translated code may
//! execute the run to its end. Memory and executed lane-instructions are then known. For every other question, the interpreter executes the run to the same position.

use crate::memory_export::MemoryForm;
use crate::model::request::{EngineView, GridOptions};
use crate::request_error::Failure;
use crate::session::Session;

/// A session, and its end where translated code has found it.
pub struct HeldSession {
    /// Keeps last writers; at the end, too, unless `end` is there.
    session: Session,
    /// The same launch at its end, without last writers.
    end: Option<Box<Session>>,
    /// Whether a host has asked for what lies on the way.
    is_watched: bool,
    /// Which engine ran last.
    engine: Option<EngineView>,
}

impl HeldSession {
    /// Holds a session that has not run.
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

    /// As [`HeldSession::ended`], for calls that remember what they found.
    pub fn ended_mut(&mut self) -> &mut Session {
        self.end.as_deref_mut().unwrap_or(&mut self.session)
    }

    /// The session for everything: last writers, steps, moves. After a translated run the interpreter runs to its end first.
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

    /// What the scenario says, which does not change with the run.
    pub fn launch(&self) -> &Session {
        &self.session
    }

    /// Which engine ran last, and how fast.
    pub fn engine(&self) -> Option<&EngineView> {
        self.engine.as_ref()
    }

    /// A memory as a file: see [`Session::file_named`]. Tables of values need no last writers.
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

    /// One step forward; false at the end.
    pub fn step(&mut self) -> bool {
        self.end.is_none() && self.watched().step()
    }

    /// Runs forward at most `max_steps` by the interpreter; true when the run is over.
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
        /// Runs forward at most `max_steps`, by translated code where the choice allows it and it is likely to pay; true when the run
        /// is over.
        pub fn run_by<E: Engine>(
            &mut self,
            engine: &E,
            max_steps: u64,
            choice: EngineChoice,
        ) -> bool {
            // One host leaves nothing to others.
            let _ = self.begin_by(engine, max_steps, choice, Sharing::among(1));
            self.ended().is_over()
        }

        /// As [`HeldSession::run_by`], but that a long run may leave blocks to other hosts: the run then, and their shares. When they have run,
        /// [`HeldSession::finish`] takes the end.
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

        /// Takes the end of a run, or goes on with the interpreter up to `max_position` where there is none.
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

        /// As [`crate::session::Session::report`], with the run to the end by translated code where the choice allows it.
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
