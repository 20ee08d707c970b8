//! Timeline of a run: an observer records the states of warps, the phases of barriers and the asynchronous operations while the session
//! executes its steps. A host displays a range of the recorded timeline ([`Session::timeline`]), or writes it as a Chrome trace
//! ([`chrome_trace`](chrome_trace::chrome_trace)).

pub mod chrome_trace;
pub(crate) mod descriptions;
pub(crate) mod problem_marks;
pub(crate) mod recorder;
pub(crate) mod records;
pub(crate) mod window;

use crate::analysis::run_timeline::recorder::{TimelineRecorder, WatchedAccess};
use crate::analysis::run_timeline::records::{LinkRecord, PointRecord, TrackId};
use crate::analysis::run_timeline::window::{TimelineRange, track_order};
use crate::api::limits::whole;
use crate::model::timeline::{MarkKind, TimelineOptions, TimelineView};
use crate::request_error::RequestError;
use crate::session::Session;
use warpgrid_emulator::Observer;
use warpgrid_order::races::{Race, RaceCounterpart};

/// Maximum number of steps of a run whose timeline shows data races, because race detection executes the steps once more.
pub const MAX_STEPS_WITH_RACES: u64 = 100_000;

/// Recorded timeline of the executed steps of a session.
pub(crate) struct RunTimeline {
    recorder: TimelineRecorder,
    /// Tracks in the order of display.
    order: Vec<TrackId>,
    problems: Vec<ProblemMark>,
    races: Vec<LinkRecord>,
    is_complete: bool,
    /// Number of executed steps of the session at the time of the recording.
    seen: u64,
}

/// Mark of a data race, a hang or a fault.
pub(crate) struct ProblemMark {
    pub(crate) kind: MarkKind,
    pub(crate) at: PointRecord,
    pub(crate) text: String,
    pub(crate) line: Option<u32>,
}

impl Session {
    /// Runs the launch from its start like [`Session::run`], and records the timeline in the same pass, so that [`Session::timeline`]
    /// executes no step again.
    pub fn run_for_timeline(&mut self, max_steps: u64) {
        self.seek(0);
        let mut recorder = self.timeline_recorder(Vec::new());
        self.timeline.run_observed(max_steps, &mut recorder);
        self.finish_recording(recorder);
    }

    /// Checks whether the session has recorded the timeline of all executed steps.
    pub fn has_timeline(&self) -> bool {
        let seen = self.steps_seen();
        self.recorded
            .as_ref()
            .is_some_and(|recorded| recorded.seen == seen)
    }

    /// Returns a range of the timeline of the executed steps. The first call after a step executes the steps again to record them.
    ///
    /// # Errors
    ///
    /// Returns an error if an option is not a nonnegative integer, or if the range is empty.
    pub fn timeline(&mut self, options: TimelineOptions) -> Result<TimelineView, RequestError> {
        if !self.has_timeline() {
            let recorder = self.record_again(Vec::new());
            self.finish_recording(recorder);
        }
        let Some(recorded) = self.recorded.take() else {
            return Ok(TimelineView::default());
        };
        let range = TimelineRange::of(options, recorded.recorder.steps);
        let view = range.map(|range| self.timeline_view(&recorded, &range));
        self.recorded = Some(recorded);
        view
    }

    fn timeline_recorder(&self, watched: Vec<WatchedAccess>) -> TimelineRecorder {
        TimelineRecorder::new(self.program.clone(), self.shape(), watched)
    }

    fn record_again(&mut self, watched: Vec<WatchedAccess>) -> TimelineRecorder {
        let mut recorder = self.timeline_recorder(watched);
        let seen = self.steps_seen();
        self.timeline
            .replay(0, seen, &mut recorder as &mut dyn Observer);
        recorder
    }

    /// Adds the data races, the hang and the fault to a recording, and stores it in the session.
    fn finish_recording(&mut self, mut recorder: TimelineRecorder) {
        let seen = self.steps_seen();
        let position = self.position();
        // The hang and the fault are properties of the state after the last executed step.
        self.seek(seen);
        let mut races = Vec::new();
        if recorder.steps <= MAX_STEPS_WITH_RACES {
            let (report, found) = self.races_of_executed_steps();
            let watched: Vec<WatchedAccess> = found.iter().map(watched_access).collect();
            if !watched.is_empty() {
                recorder = self.record_again(watched);
                races = report.races.into_iter().zip(found).collect();
            }
        }
        let is_complete = self.is_finished() && !recorder.is_full;
        let hang = self.hang().filter(|_| is_complete);
        recorder.finish(hang.is_some());
        let mut recorded = RunTimeline {
            order: track_order(&recorder.tracks),
            recorder,
            problems: Vec::new(),
            races: Vec::new(),
            is_complete,
            seen,
        };
        self.mark_races(&mut recorded, &races);
        match hang {
            Some(hang) => self.mark_hang(&mut recorded, &hang),
            None if is_complete => self.mark_fault(&mut recorded),
            None => {}
        }
        self.recorded = Some(recorded);
        self.seek(position);
    }
}

fn watched_access(race: &Race) -> WatchedAccess {
    WatchedAccess {
        side: race.first,
        address: race.address,
        n_bytes: race.n_bytes,
        before: match race.second {
            RaceCounterpart::Access(_) => race.step,
            // The block may start before the access that it races with.
            RaceCounterpart::Life(_) => u64::MAX,
        },
        step: None,
    }
}

impl TimelineRange {
    /// Returns the range of a request for a timeline with the given number of recorded steps.
    fn of(options: TimelineOptions, steps: u64) -> Result<TimelineRange, RequestError> {
        let number = |value: Option<f64>, name: &str| match value {
            Some(value) => whole(value, name).map(Some),
            None => Ok(None),
        };
        let from = number(options.from, "from")?.unwrap_or(0);
        let to = number(options.to, "to")?.unwrap_or(steps).max(1);
        if from >= to {
            let reason =
                format!("found the range {from}..{to}, expected a range with at least one step");
            return Err(RequestError::invalid_argument("to", &reason));
        }
        Ok(TimelineRange {
            from,
            to,
            columns: number(options.columns, "columns")?,
            block: number(options.block, "block")?,
        })
    }
}
