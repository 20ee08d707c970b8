//! State of the run in the worker.

use crate::protocol::{AnalysisResults, LaunchConfiguration, LaunchRejection};
use std::rc::Rc;
use warpgrid_view::analysis::cell_history::CellLocation;
use warpgrid_view::analysis::schedule_seeds::SeedReport;
use warpgrid_view::layouts::inspector::BankConflictFix;
use warpgrid_view::model::{CellHistory, SessionFrame};
use warpgrid_worker::traffic::TrafficWords;

/// The last reported state of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Number of launches.
    pub launch: u32,
    /// The revision of the launched source.
    pub launched_revision: u32,
    /// Whether a launch was requested and its first frame has not arrived.
    pub is_launching: bool,
    pub facts: Option<Rc<LaunchConfiguration>>,
    pub frame: Option<Rc<SessionFrame>>,
    /// The launch that the frame belongs to.
    pub frame_launch: u32,
    pub refusal: Option<Rc<LaunchRejection>>,
    /// The memory traffic of the counted steps.
    pub traffic: Option<Rc<TrafficWords>>,
    /// The results of other schedules, once they have run.
    pub schedules: Option<Rc<SeedReport>>,
    /// The analysis results, such as data races and hangs, once available.
    pub analysis: Option<Rc<AnalysisResults>>,
    /// Whether the analysis was requested since the launch.
    pub analysis_requested: bool,
    /// The launched source.
    pub text: Rc<str>,
    /// The findings of the previous launch, until this one is analyzed.
    pub previous_analysis: Option<Rc<RunFindings>>,
    /// State of the request for a source without bank conflicts.
    pub cure: RewriteState,
    /// The stores to the pinned cell, once requested.
    pub history: WriteHistory,
    pub busy: Option<PendingMove>,
}

/// The findings of a launch, apart from its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFindings {
    pub text: Rc<str>,
    pub order: Option<Rc<AnalysisResults>>,
    pub orders: Option<Rc<SeedReport>>,
}

/// The write history of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteHistory {
    /// The last request: the cell, the number of executed steps, and the position.
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
    /// Not requested.
    #[default]
    NotRequested,
    /// Requested; the worker is searching.
    Pending,
    Found(Rc<BankConflictFix>),
    /// No such source, with the reason.
    Refused(Rc<str>),
}

/// A pending move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMove {
    pub id: u32,
    /// Position of the last progress message, which is sent only for long moves.
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

    /// Checks whether the pending move takes so long that the page offers to stop it.
    pub fn is_long(&self) -> bool {
        self.busy.is_some_and(|busy| busy.position.is_some())
    }

    /// Returns the number of executed steps, independently of the current position.
    pub fn executed_steps(&self) -> u64 {
        self.frame
            .as_ref()
            .map_or(0, |frame| frame.length.unwrap_or(frame.position))
    }

    /// Returns the end of the scrubber: the length of the run, or the highest known position.
    pub fn known_length(&self) -> u64 {
        let Some(frame) = &self.frame else { return 0 };
        let last_tick = frame.store_steps.last().copied().unwrap_or(0);
        frame
            .length
            .unwrap_or_else(|| frame.position.max(last_tick))
    }
}
