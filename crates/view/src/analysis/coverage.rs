//! Line coverage of a run. The module takes a session whose run has finished, executes the run again, and returns the source lines with
//! instructions that no warp has reached.

use crate::analysis::MAX_REPEATED_STEPS;
use crate::session::Session;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use warpgrid_emulator::{Agent, EventMask, MachineStatus, Observer, StepEvent};
use warpgrid_program::{Function, FunctionId, Program, StepGrouping};

/// Consecutive lines of the source, both of which are included in the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LineRange {
    /// First line, counted from 1.
    pub first: u32,
    pub last: u32,
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

/// Observer that collects the instructions that a run reaches.
struct ReachedInstructions(BTreeSet<(FunctionId, u32)>);

impl Observer for ReachedInstructions {
    fn interest(&self) -> EventMask {
        EventMask::STEPS
    }

    fn step(&mut self, event: &StepEvent) {
        if matches!(event.agent, Agent::Warp { .. }) {
            self.0.insert((event.function, event.instruction));
        }
    }
}

impl Session {
    /// Returns the lines that a finished run has not reached, although control flow could reach them, in ascending order. The list is empty
    /// if the run has not finished normally, because a fault or hang explains the remaining lines.
    pub(crate) fn unreached_lines(&self) -> Vec<LineRange> {
        if self.timeline.machine().status() != MachineStatus::Finished
            || self.position() > MAX_REPEATED_STEPS
        {
            return Vec::new();
        }
        let Ok(mut again) = self.restart_without_last_writers() else {
            return Vec::new();
        };
        let mut reached = ReachedInstructions(BTreeSet::new());
        again
            .timeline
            .run_observed(MAX_REPEATED_STEPS, &mut reached);
        self.lines_without(&reached.0)
    }

    fn lines_without(&self, reached: &BTreeSet<(FunctionId, u32)>) -> Vec<LineRange> {
        let called: BTreeSet<FunctionId> = reached.iter().map(|(function, _)| *function).collect();
        // Whether the run has reached an instruction of the line.
        let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
        for id in called {
            let Some(function) = self.program.functions.get(id.0 as usize) else {
                continue;
            };
            // The event of a step names only the last instruction of the step.
            let ends_step = |index: &u32| {
                let instruction = function.instructions.get(*index as usize);
                instruction.is_some_and(|own| own.step != StepGrouping::WithNext)
            };
            let instructions = reachable_instructions(&self.program, function);
            for index in instructions.into_iter().filter(ends_step) {
                let line = self.range_of(id, index).line;
                *lines.entry(line).or_default() |= reached.contains(&(id, index));
            }
        }
        let mut ranges: Vec<LineRange> = Vec::new();
        let mut is_open = false;
        for (line, is_reached) in lines.into_iter().filter(|(line, _)| *line > 0) {
            match ranges.last_mut().filter(|_| is_open && !is_reached) {
                Some(range) => range.last = line,
                None if is_reached => {}
                None => ranges.push(LineRange {
                    first: line,
                    last: line,
                }),
            }
            is_open = !is_reached;
        }
        ranges
    }

    /// Returns the note about the lines that the run has not reached, if inferred values of the launch may be the reason.
    pub(crate) fn unreached_note(&self, unreached: &[LineRange]) -> Option<String> {
        let values = self.inferred_values();
        if unreached.is_empty() || values.is_empty() {
            return None;
        }
        let ranges: Vec<String> = unreached.iter().map(LineRange::to_string).collect();
        let noun = match unreached {
            [range] if range.first == range.last => "line",
            _ => "lines",
        };
        Some(format!(
            "the run with the inferred {} does not reach {noun} {}",
            values.join(" and "),
            ranges.join(", ")
        ))
    }

    /// Checks whether a part of the launch configuration or a scalar is inferred.
    pub(crate) fn infers_values(&self) -> bool {
        self.inferred_launch().is_some() || !self.inferred_scalars.is_empty()
    }

    /// Returns the inferred scalars and the inferred launch: `n = 0`, `//@ launch grid=1 block=32`.
    fn inferred_values(&self) -> Vec<String> {
        let launch = self.inferred_launch().map(|launch| format!("`{launch}`"));
        let scalars = self
            .inferred_scalars
            .iter()
            .map(|scalar| format!("`{scalar}`"));
        scalars.chain(launch).collect()
    }
}

/// Returns the indices of the instructions that control flow can reach from the entry of a function. Compilers append instructions after
/// the last exit that no control flow reaches.
fn reachable_instructions(program: &Program, function: &Function) -> Vec<u32> {
    let blocks = program.basic_blocks(function);
    let mut is_reachable = vec![false; blocks.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        if let Some(flag) = is_reachable.get_mut(index)
            && !std::mem::replace(flag, true)
            && let Some(block) = blocks.get(index)
        {
            open.extend(&block.successors);
        }
    }
    let own = blocks
        .iter()
        .zip(&is_reachable)
        .filter(|(_, is_reachable)| **is_reachable);
    own.flat_map(|(block, _)| block.range.clone().map(|index| index as u32))
        .collect()
}
