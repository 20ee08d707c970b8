//! State of the run in the worker.

use crate::protocol::{AnalysisResults, LaunchConfiguration, LaunchRejection};
use std::rc::Rc;
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::analysis::schedule_seeds::SeedReport;
use warpgrid_view::layouts::inspector::BankConflictFix;
use warpgrid_view::model::{CellHistory, SessionFrame};
use warpgrid_worker::traffic::TrafficWords;

/// Last state of the run that the worker has reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Number of launches so far.
    pub launch: u32,
    /// Revision of the source that was launched.
    pub launched_revision: u32,
    /// Whether a launch has been requested and its first frame has not arrived.
    pub is_launching: bool,
    pub facts: Option<Rc<LaunchConfiguration>>,
    pub frame: Option<Rc<SessionFrame>>,
    /// Launch to which the frame belongs.
    pub frame_launch: u32,
    pub refusal: Option<Rc<LaunchRejection>>,
    /// Memory traffic of the steps that have been counted.
    pub traffic: Option<Rc<TrafficWords>>,
    /// Results of other schedules. `None` until these schedules have run.
    pub schedules: Option<Rc<SeedReport>>,
    /// Analysis results, such as data races and hangs. `None` until the worker has sent them.
    pub analysis: Option<Rc<AnalysisResults>>,
    /// Whether the analysis was requested since the launch.
    pub analysis_requested: bool,
    /// Source that was launched.
    pub text: Rc<str>,
    /// Findings of the previous launch. `None` once the current launch has been analyzed.
    pub previous_analysis: Option<Rc<RunFindings>>,
    /// State of the request for a source without bank conflicts.
    pub cure: RewriteState,
    /// Stores to the pinned cell, if they have been requested.
    pub history: WriteHistory,
    pub busy: Option<PendingMove>,
}

/// Findings of a launch, without the contents of its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFindings {
    pub text: Rc<str>,
    pub order: Option<Rc<AnalysisResults>>,
    pub orders: Option<Rc<SeedReport>>,
}

/// The write history of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteHistory {
    /// Last request: the cell, the number of executed steps, and the position of the run.
    pub requested: Option<(CellLocation, u64, u64)>,
    pub found: Option<Rc<CellHistory>>,
}

impl WriteHistory {
    /// Returns the stores to a cell, if they are known.
    pub fn of(&self, place: &CellLocation) -> Option<&Rc<CellHistory>> {
        let found = self.found.as_ref()?;
        let is_same = (&found.memory, found.offset) == (&place.memory, place.offset)
            && (found.n_bytes, found.ty) == (place.n_bytes, place.ty);
        is_same.then_some(found)
    }
}

/// State of the request for a source without bank conflicts.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RewriteState {
    /// The source has not been requested.
    #[default]
    NotRequested,
    /// The source has been requested, and the worker is searching for it.
    Pending,
    Found(Rc<BankConflictFix>),
    /// There is no such source, with the reason.
    Refused(Rc<str>),
}

/// Requested move of the run that has not completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMove {
    pub id: u32,
    /// Position in the last progress message. Progress messages are sent only for long moves.
    pub position: Option<u64>,
}

impl Run {
    /// Returns the findings of this launch.
    pub fn findings(&self) -> RunFindings {
        RunFindings {
            text: Rc::clone(&self.text),
            order: self.analysis.clone(),
            orders: self.schedules.clone(),
        }
    }

    /// Checks whether the pending move has taken so long that the page offers to stop it.
    pub fn is_long(&self) -> bool {
        self.busy.is_some_and(|busy| busy.position.is_some())
    }

    /// Returns the number of executed steps, which does not depend on the current position.
    pub fn executed_steps(&self) -> u64 {
        self.frame
            .as_ref()
            .map_or(0, |frame| frame.length.unwrap_or(frame.position))
    }

    /// Returns the end of the timeline: the length of the run if it is known, otherwise the highest known position.
    pub fn known_length(&self) -> u64 {
        let Some(frame) = &self.frame else { return 0 };
        let last_tick = frame.store_steps.last().copied().unwrap_or(0);
        frame
            .length
            .unwrap_or_else(|| frame.position.max(last_tick))
    }
}
