//! Enumeration of the candidate executions of an event graph. The enumeration calls a visitor for each reads-from relation in which every
//! read takes its value from a write of the same value.

use crate::explore::event_graph::{Event, EventGraph};
use crate::explore::memory_cells::CellPartition;
use crate::explore::relation::members;
use crate::explore::single_location::ReadSources;

/// Pair of the reads-from relation: a read of a cell, and the write from which the read takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadsFrom {
    pub(crate) reader: usize,
    pub(crate) cell: usize,
    pub(crate) writer: usize,
}

/// Decision of a visitor on how the enumeration continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchControl {
    /// Continue with the next candidate.
    Continue,
    /// Skip the remaining executions with the current fence order.
    SkipFenceOrder,
    /// Pause the enumeration, which can be resumed later.
    Pause,
    /// Stop the enumeration.
    Stop,
}

/// Read of a memory cell, with all writes from which the read can take its value. The enumeration chooses one of these writes.
#[derive(Clone, Debug)]
pub(crate) struct ReadChoice {
    reader: usize,
    cell: usize,
    writers: Vec<usize>,
}

impl EventGraph<'_> {
    /// Returns the value that an event writes into a cell.
    pub(crate) fn written(&self, cells: &CellPartition, writer: usize, cell: usize) -> Option<u64> {
        let event = self.events.get(writer)?;
        match event.step {
            None => cells.list.get(cell).map(|cell| cell.init),
            Some(step) => step.writes.get(cell.checked_sub(event.cells.0)?).copied(),
        }
    }

    /// Returns the writes from which each read can take its value, or `None` if a read has a value that no event writes.
    pub(crate) fn choices(&self, cells: &CellPartition) -> Option<Vec<ReadChoice>> {
        let mut choices = Vec::new();
        for reader in members(self.readers) {
            let event = self.events.get(reader)?;
            let values = &event.step?.reads;
            for (cell, value) in event.cells().zip(values) {
                let all = self.cell_writers.get(cell).copied().unwrap_or(0);
                let fits = |writer: &usize| {
                    *writer != reader && self.written(cells, *writer, cell) == Some(*value)
                };
                let writers: Vec<usize> = members(all).filter(fits).collect();
                if writers.is_empty() {
                    return None;
                }
                choices.push(ReadChoice {
                    reader,
                    cell,
                    writers,
                });
            }
        }
        Some(choices)
    }
}

impl EventGraph<'_> {
    /// Returns the reads-from relation that corresponds to the known sources of all reads.
    pub(crate) fn reads_of(&self, taken: &ReadSources) -> Option<Vec<ReadsFrom>> {
        let mut reads = Vec::new();
        for (thread, own) in taken.iter().enumerate() {
            for (local, from) in own.iter().enumerate() {
                let reader = self.event_of(thread, local)?;
                let event = self.events.get(reader)?;
                for cell in event.cells().filter(|_| event.reads()) {
                    let is_start =
                        |event: &Event<'_>| event.step.is_none() && event.cells.0 == cell;
                    let writer = match from {
                        Some((thread, local)) => self.event_of(*thread, *local)?,
                        None => self.events.iter().position(is_start)?,
                    };
                    reads.push(ReadsFrom {
                        reader,
                        cell,
                        writer,
                    });
                }
            }
        }
        Some(reads)
    }
}

/// Visitor of the enumeration. The method `is_hopeless` receives partial reads-from relations and can prune them. The method
/// `visit_candidate` receives complete reads-from relations.
pub(crate) trait CandidateVisitor {
    fn is_hopeless(&mut self, reads: &[ReadsFrom]) -> bool;
    fn visit_candidate(&mut self, reads: &[ReadsFrom]) -> SearchControl;
}

/// Position at which a paused enumeration resumes: the index of the chosen write of each read in the next candidate.
pub(crate) type SearchPosition = Vec<usize>;

/// Enumerates all combinations of choices, starting at a resume position. Reads with a single choice come first in the enumeration. If the
/// visitor pauses the enumeration, returns the position of the first candidate that the visitor has not examined.
pub(crate) fn for_each(
    mut choices: Vec<ReadChoice>,
    trial: &mut dyn CandidateVisitor,
    start: &[usize],
) -> (SearchControl, SearchPosition) {
    choices.sort_by_key(|choice| choice.writers.len());
    let mut walk = Enumeration {
        taken: Vec::new(),
        place: Vec::new(),
        trial,
    };
    let flow = walk.choose(&choices, start);
    (flow, walk.place)
}

struct Enumeration<'a> {
    taken: Vec<ReadsFrom>,
    place: SearchPosition,
    trial: &'a mut dyn CandidateVisitor,
}

impl Enumeration<'_> {
    fn choose(&mut self, choices: &[ReadChoice], start: &[usize]) -> SearchControl {
        let Some((first, rest)) = choices.split_first() else {
            return self.trial.visit_candidate(&self.taken);
        };
        let is_open = rest.last().is_some_and(|choice| choice.writers.len() > 1);
        let (from, start) = match start.split_first() {
            Some((from, start)) => (*from, start),
            None => (0, start),
        };
        for (number, writer) in first.writers.iter().enumerate().skip(from) {
            self.taken.push(ReadsFrom {
                reader: first.reader,
                cell: first.cell,
                writer: *writer,
            });
            self.place.push(number);
            let is_hopeless =
                is_open && first.writers.len() > 1 && self.trial.is_hopeless(&self.taken);
            let start = if number == from { start } else { &[] };
            let flow = match is_hopeless {
                true => SearchControl::Continue,
                false => self.choose(rest, start),
            };
            self.taken.pop();
            if flow == SearchControl::Pause {
                return flow;
            }
            self.place.pop();
            if flow == SearchControl::Stop {
                return flow;
            }
        }
        SearchControl::Continue
    }
}
