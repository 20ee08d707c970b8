//! What the worker does while no move is under way: counts the traffic of the run, and tries it in other orders. In: a
//! session that rests; out: messages to the page.

use crate::protocol::ResponseBody;
use crate::traffic::words;
use warpgrid_view::analysis::cell_history::{CellPlace, HistorySearch};
use warpgrid_view::analysis::schedule_seeds::SeedSearch;
use warpgrid_view::{Parameter, Session};

/// Milliseconds that a slice aims at.
const SLICE_MS: f64 = 8.0;
/// Steps up to which traffic is counted unasked.
const MAX_COUNTED: u64 = 2_000_000;
/// Steps that are counted before the clock is looked at.
const COUNTED_AT_ONCE: u64 = 2_000;
/// Steps that are looked through for a cell before the clock is looked at.
const LOOKED_THROUGH_AT_ONCE: u64 = 4_000;
/// Steps that all orders together may take.
const ORDER_STEPS: u64 = 1_000_000;
/// Steps of an order before the clock is looked at.
const ORDER_STEPS_AT_ONCE: u64 = 20_000;
/// Orders that are tried at most, and those that say too little.
const MOST_ORDERS: u64 = 64;
const FEWEST_ORDERS: u64 = 8;
/// Larger texts and launches take too long to open for each order.
const MAX_TEXT: usize = 200_000;
const MAX_ELEMENTS: u64 = 1 << 22;

/// Work that waits until nothing else is to be done.
#[derive(Default)]
pub(crate) struct Background {
    /// Steps that are to be counted at most.
    most_counted: u64,
    counts: bool,
    /// The stores to a cell, which somebody waits for.
    history: Option<HistorySearch>,
    orders: Option<SeedSearch>,
    /// The orders of the launch were tried, or are too many.
    is_ordered: bool,
}

impl Background {
    pub(crate) fn has_work(&self) -> bool {
        self.counts || self.history.is_some() || self.orders.is_some()
    }

    /// Counts every step, since a person asked for it.
    pub(crate) fn count_all(&mut self) {
        self.most_counted = u64::MAX;
        self.counts = true;
    }

    /// Looks for the stores to a cell, since a person asked for it.
    pub(crate) fn look_for(&mut self, place: &CellPlace, session: &mut Session) {
        self.history = session.search_history(place);
    }

    /// The steps to come have become others.
    pub(crate) fn forget_history(&mut self) {
        self.history = None;
    }

    /// A move has come to its end: sees what there is to do.
    pub(crate) fn plan(&mut self, session: &Session) {
        let most = self.most_counted.max(MAX_COUNTED);
        self.counts |= session.traffic_counted() < session.steps_seen().min(most);
        self.most_counted = most;
        if let (false, Some(length)) = (self.is_ordered, session.length()) {
            self.is_ordered = true;
            let n = (ORDER_STEPS / length.max(1)).min(MOST_ORDERS);
            if n >= FEWEST_ORDERS && is_small(session) {
                let scenario = session.scenario().clone();
                let most = length.saturating_mul(16).max(100_000);
                self.orders = Some(SeedSearch::new(scenario, 0..n, most));
            }
        }
    }

    /// Does one slice; what is done is a message.
    pub(crate) fn work(
        &mut self,
        session: &mut Session,
        clock: impl Fn() -> f64,
    ) -> Option<ResponseBody> {
        let begun = clock();
        let is_over = || clock() - begun >= SLICE_MS;
        while let Some(search) = &mut self.history {
            if session.continue_history(search, LOOKED_THROUGH_AT_ONCE) {
                let found = session.history_found(search);
                self.history = None;
                return Some(ResponseBody::History(Box::new(found)));
            }
            if is_over() {
                return None;
            }
        }
        while self.counts {
            let left = self.most_counted.saturating_sub(session.traffic_counted());
            if session.count_traffic(COUNTED_AT_ONCE.min(left)) || left == 0 {
                self.counts = false;
                return Some(ResponseBody::Traffic(words(&session.traffic())));
            }
            if is_over() {
                return None;
            }
        }
        while let Some(search) = &mut self.orders {
            match search.work(ORDER_STEPS_AT_ONCE) {
                Ok(false) => {}
                Ok(true) => {
                    let report = self.orders.take()?.report().ok()?;
                    return Some(ResponseBody::Orders(report));
                }
                // What runs in one order is not refused in another.
                Err(_) => self.orders = None,
            }
            if is_over() {
                return None;
            }
        }
        None
    }
}

/// Whether a launch opens quickly.
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
