//! Enumeration of candidate executions. Input: an event graph. Output: one call for each reads-from relation in which
//! every read takes a write with its value.

use crate::explore::cells::Cells;
use crate::explore::graph::{Event, Graph};
use crate::explore::one_place::TakenFrom;
use crate::explore::relation::members;

/// Element of the reads-from relation: a read of a cell, and the write that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadFrom {
    pub(crate) reader: usize,
    pub(crate) cell: usize,
    pub(crate) writer: usize,
}

/// Control of the enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Continue.
    On,
    /// Skip the remaining executions of this fence order.
    NextOrder,
    /// Pause; the enumeration is resumed later.
    Pause,
    /// Stop.
    Stop,
}

/// A read of a cell, and all writes with its value.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    reader: usize,
    cell: usize,
    writers: Vec<usize>,
}

impl Graph<'_> {
    /// Returns the value that an event writes into a cell.
    pub(crate) fn written(&self, cells: &Cells, writer: usize, cell: usize) -> Option<u64> {
        let event = self.events.get(writer)?;
        match event.step {
            None => cells.list.get(cell).map(|cell| cell.init),
            Some(step) => step.writes.get(cell.checked_sub(event.cells.0)?).copied(),
        }
    }

    /// Returns the possible writes of each read, or `None` if a read has no write with its value.
    pub(crate) fn choices(&self, cells: &Cells) -> Option<Vec<Choice>> {
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
                choices.push(Choice {
                    reader,
                    cell,
                    writers,
                });
            }
        }
        Some(choices)
    }
}

impl Graph<'_> {
    /// Returns the reads-from relation that corresponds to known sources of the events.
    pub(crate) fn reads_of(&self, taken: &TakenFrom) -> Option<Vec<ReadFrom>> {
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
                    reads.push(ReadFrom {
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

/// Visitor of the enumeration. `is_hopeless` receives partial relations and can prune them, `try_whole` receives
/// complete ones.
pub(crate) trait Trial {
    fn is_hopeless(&mut self, reads: &[ReadFrom]) -> bool;
    fn try_whole(&mut self, reads: &[ReadFrom]) -> Flow;
}

/// Resume position of a paused enumeration: the indices of the choices of the next candidate.
pub(crate) type Place = Vec<usize>;

/// Enumerates all combinations of choices from a resume position. Reads with a single choice come first. If the visitor
/// pauses, the returned position is that of the candidate that was not tried.
pub(crate) fn for_each(
    mut choices: Vec<Choice>,
    trial: &mut dyn Trial,
    start: &[usize],
) -> (Flow, Place) {
    choices.sort_by_key(|choice| choice.writers.len());
    let mut walk = Walk {
        taken: Vec::new(),
        place: Vec::new(),
        trial,
    };
    let flow = walk.choose(&choices, start);
    (flow, walk.place)
}

struct Walk<'a> {
    taken: Vec<ReadFrom>,
    place: Place,
    trial: &'a mut dyn Trial,
}

impl Walk<'_> {
    fn choose(&mut self, choices: &[Choice], start: &[usize]) -> Flow {
        let Some((first, rest)) = choices.split_first() else {
            return self.trial.try_whole(&self.taken);
        };
        let is_open = rest.last().is_some_and(|choice| choice.writers.len() > 1);
        let (from, start) = match start.split_first() {
            Some((from, start)) => (*from, start),
            None => (0, start),
        };
        for (number, writer) in first.writers.iter().enumerate().skip(from) {
            self.taken.push(ReadFrom {
                reader: first.reader,
                cell: first.cell,
                writer: *writer,
            });
            self.place.push(number);
            let is_hopeless =
                is_open && first.writers.len() > 1 && self.trial.is_hopeless(&self.taken);
            let start = if number == from { start } else { &[] };
            let flow = match is_hopeless {
                true => Flow::On,
                false => self.choose(rest, start),
            };
            self.taken.pop();
            if flow == Flow::Pause {
                return flow;
            }
            self.place.pop();
            if flow == Flow::Stop {
                return flow;
            }
        }
        Flow::On
    }
}
