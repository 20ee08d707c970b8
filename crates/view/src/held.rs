//! A session that a program holds. In: calls of a host; out: the session's answers. While nothing on the way is asked for, translated code may
//! take the run to its end: memory, steps and stores are known then, and what else is asked, the interpreter finds by running to the same place.

use crate::failure::Failure;
use crate::model::{EngineView, GridOptions};
use crate::picture::MemoryForm;
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

    /// The session for what a translated run leaves as well: memory, steps and stores, whether it is over, its length, its fault.
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
            self.session.timeline.learn_length(end.position());
            self.session.seek(end.position());
        }
        &mut self.session
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
    use crate::api::{ReportRequest, RunReport};
    use crate::model::{EngineChoice, EngineName, EngineView};
    use crate::translated::{FIRST_STEPS, Translated, million_a_second, milliseconds, pace};
    use std::time::Duration;
    use warpgrid_emulator::plain::LANES;
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
            if self.ended().is_over() {
                return true;
            }
            let started = E::now();
            let from = self.session.position();
            let why = match choice {
                EngineChoice::Interpreter => None,
                EngineChoice::Auto => self.try_where_it_pays(engine, max_steps),
                EngineChoice::Translated => self.try_translated(engine, max_steps, None),
            };
            if self.end.is_some() {
                return true;
            }
            let done = self.session.position() - from;
            self.session.run(max_steps - done.min(max_steps));
            let took = E::now().saturating_sub(started);
            let steps = self.session.position() - from;
            self.engine = Some(interpreted(steps, took, why));
            self.session.is_over()
        }

        /// As [`crate::Session::report`], with the run to the end by translated code where the choice allows it.
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

        /// Translates a run from its start that no observer watches, if it is long. Why it was refused, if it was.
        fn try_where_it_pays<E: Engine>(&mut self, engine: &E, max_steps: u64) -> Option<String> {
            if self.is_watched || self.session.position() > 0 || max_steps <= FIRST_STEPS {
                return None;
            }
            let first = self.session.run_first_steps(E::now)?;
            if self.session.ends_beyond(max_steps) || !self.session.is_worth_translating(first.took)
            {
                return None;
            }
            self.try_translated(engine, max_steps, Some(first.pace))
        }

        /// Runs the launch from its start to its end; why it was refused, if it was.
        fn try_translated<E: Engine>(
            &mut self,
            engine: &E,
            max_steps: u64,
            least_pace: Option<f64>,
        ) -> Option<String> {
            let mut end = match self.session.unwatched() {
                Ok(end) => end,
                Err(failure) => return Some(failure.message),
            };
            let limits = Limits {
                max_steps: max_steps.saturating_add(self.session.position()),
                least_pace,
            };
            match end.run_translated(engine, limits) {
                Ok(took) => {
                    self.engine = Some(EngineView::from(&took));
                    self.end = Some(Box::new(end));
                    None
                }
                Err(why) => Some(end.why_interpreted(&why)),
            }
        }
    }

    fn interpreted(steps: u64, took: Duration, why: Option<String>) -> EngineView {
        let rate = million_a_second(steps * LANES as u64, took);
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
