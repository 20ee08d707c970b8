//! Candidate executions: each read takes each write that has its value. In: a graph; out: one call for each way to say so.

use super::cells::Cells;
use super::graph::Graph;
use super::relation::members;

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

/// Who hears of candidates: of a part of the reads first, to say whether that is worth going on with, then of all.
pub(crate) trait Trial {
    fn is_hopeless(&mut self, reads: &[ReadFrom]) -> bool;
    fn try_whole(&mut self, reads: &[ReadFrom]) -> Flow;
}

/// Goes through every combination of choices. Reads that have no choice come first.
pub(crate) fn for_each(mut choices: Vec<Choice>, trial: &mut dyn Trial) -> Flow {
    choices.sort_by_key(|choice| choice.writers.len());
    let mut taken = Vec::new();
    choose(&choices, &mut taken, trial)
}

fn choose(choices: &[Choice], taken: &mut Vec<ReadFrom>, trial: &mut dyn Trial) -> Flow {
    let Some((first, rest)) = choices.split_first() else {
        return trial.try_whole(taken);
    };
    let is_open = rest.last().is_some_and(|choice| choice.writers.len() > 1);
    for writer in &first.writers {
        taken.push(ReadFrom {
            reader: first.reader,
            cell: first.cell,
            writer: *writer,
        });
        let is_hopeless = is_open && first.writers.len() > 1 && trial.is_hopeless(taken);
        let flow = match is_hopeless {
            true => Flow::On,
            false => choose(rest, taken, trial),
        };
        taken.pop();
        if flow == Flow::Stop {
            return Flow::Stop;
        }
    }
    Flow::On
}
