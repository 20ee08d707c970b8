//! Candidate executions: each read takes each write that has its value. In: a graph; out: one call for each way to say so.

use crate::explore::cells::Cells;
use crate::explore::graph::{Event, Graph};
use crate::explore::one_place::TakenFrom;
use crate::explore::relation::members;

/// A read, cell by cell, and the write that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadFrom {
    pub(crate) reader: usize,
    pub(crate) cell: usize,
    pub(crate) writer: usize,
}

/// Whether to look at more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on.
    On,
    /// This order of fences has shown what it can: try the next one.
    NextOrder,
    /// Go on later.
    Pause,
    /// Enough has been seen.
    Stop,
}

/// A read of a cell, and all writes that it could take.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    reader: usize,
    cell: usize,
    writers: Vec<usize>,
}

impl Graph<'_> {
    /// The value that an event writes into a cell.
    pub(crate) fn written(&self, cells: &Cells, writer: usize, cell: usize) -> Option<u64> {
        let event = self.events.get(writer)?;
        match event.step {
            None => cells.list.get(cell).map(|cell| cell.init),
            Some(step) => step.writes.get(cell.checked_sub(event.cells.0)?).copied(),
        }
    }

    /// Every read with the writes that have its value; none where some read has no such write.
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
    /// What reads take, where it is known for each event of each thread.
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

/// Who hears of candidates: of a part of the reads first, to say whether that is worth going on with, then of all.
pub(crate) trait Trial {
    fn is_hopeless(&mut self, reads: &[ReadFrom]) -> bool;
    fn try_whole(&mut self, reads: &[ReadFrom]) -> Flow;
}

/// A walk through candidates that was paused: the numbers of the choices of the one that comes next.
pub(crate) type Place = Vec<usize>;

/// Goes through every combination of choices, from a place on. Reads that have no choice come first. Where the trial pauses, the place is that
/// of the candidate which was not tried.
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
