//! Background work of the worker while no move is pending: counts the memory traffic of a run, searches the write history of a cell, and
//! executes the launch with other scheduler seeds. Input: an idle session. Output: response bodies for the page.

use crate::protocol::ResponseBody;
use crate::traffic::words;
use warpgrid_view::analysis::cell_history::{CellLocation, HistorySearch};
use warpgrid_view::analysis::schedule_seeds::SeedSearch;
use warpgrid_view::{Parameter, Session};

/// Target duration of a slice of background work, in milliseconds.
const SLICE_BUDGET_MS: f64 = 8.0;
/// Maximum number of steps whose memory traffic is counted without a request of the user.
const MAX_COUNTED: u64 = 2_000_000;
/// Number of steps that are counted between two reads of the clock.
const COUNTED_AT_ONCE: u64 = 2_000;
/// Number of steps in which stores to a cell are searched between two reads of the clock.
const SEARCH_CHUNK_STEPS: u64 = 4_000;
/// Total number of steps that all schedules together may execute.
const ORDER_STEPS: u64 = 1_000_000;
/// Number of steps of a schedule that are executed between two reads of the clock.
const ORDER_STEPS_AT_ONCE: u64 = 20_000;
/// Maximum number of schedules.
const MAX_SCHEDULES: u64 = 64;
/// Number of schedules below which the result is not informative.
const MIN_SCHEDULES: u64 = 8;
/// Maximum size in bytes of the source. Opening a larger launch once per schedule would take too long.
const MAX_TEXT: usize = 200_000;
/// Maximum number of elements in all buffers of a launch that is opened once per schedule.
const MAX_ELEMENTS: u64 = 1 << 22;

/// Work that is executed only while the worker has no pending request.
#[derive(Default)]
pub(crate) struct Background {
    /// Maximum number of steps whose memory traffic is counted.
    max_counted: u64,
    is_counting_traffic: bool,
    /// The pending search for the stores to a cell.
    history: Option<HistorySearch>,
    orders: Option<SeedSearch>,
    /// Whether the worker has already decided whether to execute other schedules of the launch.
    schedules_planned: bool,
}

impl Background {
    pub(crate) fn has_work(&self) -> bool {
        self.is_counting_traffic || self.history.is_some() || self.orders.is_some()
    }

    /// Counts every step, because the user requested it.
    pub(crate) fn count_all(&mut self) {
        self.max_counted = u64::MAX;
        self.is_counting_traffic = true;
    }

    /// Starts a search for the stores to a cell, because the user requested it.
    pub(crate) fn look_for(&mut self, place: &CellLocation, session: &mut Session) {
        self.history = session.search_history(place);
    }

    /// Discards the history search, because the later steps of the run have changed.
    pub(crate) fn forget_history(&mut self) {
        self.history = None;
    }

    /// Plans the background work after a move has completed.
    pub(crate) fn plan_background_work(&mut self, session: &Session) {
        let most = self.max_counted.max(MAX_COUNTED);
        self.is_counting_traffic |= session.traffic_counted() < session.steps_seen().min(most);
        self.max_counted = most;
        if let (false, Some(length)) = (self.schedules_planned, session.length()) {
            self.schedules_planned = true;
            let n = (ORDER_STEPS / length.max(1)).min(MAX_SCHEDULES);
            if n >= MIN_SCHEDULES && is_small(session) {
                let scenario = session.scenario().clone();
                let most = length.saturating_mul(16).max(100_000);
                self.orders = Some(SeedSearch::new(scenario, 0..n, most));
            }
        }
    }

    /// Executes one slice of background work. Returns a response body when a task is finished.
    pub(crate) fn work(
        &mut self,
        session: &mut Session,
        clock: impl Fn() -> f64,
    ) -> Option<ResponseBody> {
        let begun = clock();
        let is_over = || clock() - begun >= SLICE_BUDGET_MS;
        while let Some(search) = &mut self.history {
            if session.continue_history(search, SEARCH_CHUNK_STEPS) {
                let found = session.history_found(search);
                self.history = None;
                return Some(ResponseBody::History(Box::new(found)));
            }
            if is_over() {
                return None;
            }
        }
        while self.is_counting_traffic {
            let left = self.max_counted.saturating_sub(session.traffic_counted());
            if session.count_traffic(COUNTED_AT_ONCE.min(left)) || left == 0 {
                self.is_counting_traffic = false;
                return Some(ResponseBody::Traffic(words(&session.traffic())));
            }
            if is_over() {
                return None;
            }
        }
        while let Some(search) = &mut self.orders {
            match search.advance(ORDER_STEPS_AT_ONCE) {
                Ok(false) => {}
                Ok(true) => {
                    let report = self.orders.take()?.report().ok()?;
                    return Some(ResponseBody::ScheduleReport(report));
                }
                // A launch that is accepted with one seed is accepted with any seed.
                Err(_) => self.orders = None,
            }
            if is_over() {
                return None;
            }
        }
        None
    }
}

/// Checks whether a launch is small enough to be opened quickly.
pub(crate) fn is_small(session: &Session) -> bool {
    let scenario = session.scenario();
    let elements = scenario.params.iter().map(|parameter| match parameter {
        Parameter::Buffer(buffer) => buffer.len,
        Parameter::Scalar { .. }
        | Parameter::Struct { .. }
        | Parameter::Alias { .. }
        | Parameter::Tensormap(_)
        | Parameter::Texture(_)
        | Parameter::Surface(_)
        | Parameter::Multimem { .. } => 0,
    });
    scenario.source.len() <= MAX_TEXT && elements.sum::<u64>() <= MAX_ELEMENTS
}
