//! Memory traffic of a run. An observer counts the traffic while the session replays its past steps or executes new steps.

pub(crate) mod access;
pub(crate) mod counter;

use crate::analysis::traffic::counter::TrafficCounter;
use crate::model::traffic::{LineTraffic, SourceTraffic, Traffic, TrafficView};
use crate::session::Session;
use std::collections::BTreeMap;
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::FunctionId;

impl Session {
    /// Executes at most `max_steps` steps, as [`Session::run`] does, and counts their memory traffic in the same pass. A single pass is the
    /// fastest way to count the traffic of a whole run.
    pub fn run_counted(&mut self, max_steps: u64) -> bool {
        self.count_traffic(u64::MAX);
        let mut counter = self.take_counter();
        let end = self.position().saturating_add(max_steps);
        self.timeline.run_observed(end, &mut counter);
        counter.counted = counter.counted.max(self.position());
        self.counter = counter;
        self.is_finished()
    }

    /// Returns the number of steps, from the start of the run, whose traffic the session has counted.
    pub fn traffic_counted(&self) -> u64 {
        self.counter.counted
    }

    /// Returns the number of steps, from the start of the run, that the session has executed. The number does not decrease when the session
    /// steps back.
    pub fn steps_seen(&self) -> u64 {
        self.timeline.ticks().known_to.max(self.position())
    }

    /// Counts the traffic of at most `budget` more executed steps. Returns whether the counts include the traffic of all executed steps.
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

    /// Returns the traffic of the counted steps per source line, see [`Session::count_traffic`].
    pub fn traffic(&self) -> TrafficView {
        let mut lines: BTreeMap<u32, LineTraffic> = BTreeMap::new();
        let mut sources: BTreeMap<(String, u32), Traffic> = BTreeMap::new();
        let mut total = Traffic::default();
        for ((function, instruction), found) in &self.counter.found {
            total.add(found);
            let place = (FunctionId(*function), *instruction);
            let line = self.range_of(place.0, place.1).line;
            let source = self.source_of(place.0, place.1);
            if let Some(position) = source.first() {
                let key = (position.file.clone(), position.line);
                sources.entry(key).or_default().add(found);
            }
            let entry = lines.entry(line).or_insert_with(|| LineTraffic {
                line,
                source,
                opcode: self
                    .reader(place.0, place.1)
                    .map_or("", InstructionView::opcode)
                    .to_owned(),
                traffic: Traffic::default(),
            });
            entry.traffic.add(found);
        }
        TrafficView {
            steps: self.counter.counted,
            total,
            lines: lines.into_values().collect(),
            sources: sources
                .into_iter()
                .map(|((file, line), traffic)| SourceTraffic {
                    file,
                    line,
                    traffic,
                })
                .collect(),
        }
    }

    /// Discards the traffic counts if they include steps after `position`, because an external change has invalidated these steps.
    pub(crate) fn forget_traffic_after(&mut self, position: u64) {
        if self.counter.counted > position {
            self.counter = TrafficCounter::new(self.memory_shape());
        }
    }
}
