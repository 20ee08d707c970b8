//! The traffic of a run: the session runs its steps once more, or for the first time, with a counter beside it.

pub(crate) mod access;
pub(crate) mod counter;

use crate::analysis::traffic::counter::TrafficCounter;
use crate::model::traffic::{LineTraffic, Traffic, TrafficView};
use crate::session::Session;
use std::collections::BTreeMap;
use warpgrid_launch::reading::Reader;
use warpgrid_program::FunctionId;

impl Session {
    /// Runs forward as [`Session::run`] does, and counts the traffic on the way: the quickest way to the counts of a whole
    /// run.
    pub fn run_counted(&mut self, max_steps: u64) -> bool {
        self.count_traffic(u64::MAX);
        let mut counter = self.take_counter();
        let end = self.position().saturating_add(max_steps);
        self.timeline.run_observed(end, &mut counter);
        counter.counted = counter.counted.max(self.position());
        self.counter = counter;
        self.is_over()
    }

    /// Steps whose traffic is counted, from the start.
    pub fn traffic_counted(&self) -> u64 {
        self.counter.counted
    }

    /// Steps from the start that have been taken, however far the run has gone back since.
    pub fn steps_seen(&self) -> u64 {
        self.timeline.ticks().known_to.max(self.position())
    }

    /// Counts the traffic of at most `budget` more of the steps that have been taken; true when all of them are counted.
    pub fn count_traffic(&mut self, budget: u64) -> bool {
        let from = self.counter.counted;
        let seen = self.steps_seen();
        if from >= seen {
            return true;
        }
        let to = seen.min(from.saturating_add(budget));
        let mut counter = self.take_counter();
        self.timeline.replay(from, to, &mut counter);
        counter.counted = to;
        self.counter = counter;
        to == seen
    }

    fn take_counter(&mut self) -> TrafficCounter {
        let empty = TrafficCounter::new(self.memory_shape());
        std::mem::replace(&mut self.counter, empty)
    }

    /// What the steps that are counted cost, by line of the source: see [`Session::count_traffic`].
    pub fn traffic(&self) -> TrafficView {
        let mut lines: BTreeMap<u32, LineTraffic> = BTreeMap::new();
        let mut total = Traffic::default();
        for ((function, instruction), found) in &self.counter.found {
            total.add(found);
            let place = (FunctionId(*function), *instruction);
            let line = self.range_of(place.0, place.1).line;
            let entry = lines.entry(line).or_insert_with(|| LineTraffic {
                line,
                opcode: self
                    .reader(place.0, place.1)
                    .map_or("", Reader::opcode)
                    .to_owned(),
                traffic: Traffic::default(),
            });
            entry.traffic.add(found);
        }
        TrafficView {
            steps: self.counter.counted,
            total,
            lines: lines.into_values().collect(),
        }
    }

    /// Forgets what was counted of steps that have become others.
    pub(crate) fn forget_traffic_after(&mut self, position: u64) {
        if self.counter.counted > position {
            self.counter = TrafficCounter::new(self.memory_shape());
        }
    }
}
