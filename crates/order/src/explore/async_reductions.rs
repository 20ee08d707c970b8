//! Events of asynchronous read-modify-write operations: asynchronous reductions, and arrivals at mbarriers after the completion of copies.

use crate::explore::async_events::{CompletedCopies, started};
use crate::explore::event::{
    EventKind, FenceCoverage, MemoryOrdering, Proxy, ReturnsValue, TraceEvent,
};
use crate::explore::memory_events::bit_of;
use crate::explore::synchronization_events::CompletionUpdate;
use crate::explore::thread_path::{
    CurrentInstruction, PathExit, PathExplorer, Successors, ThreadPath,
};
use std::ops::Range;
use warpgrid_emulator::{MbarrierState, atomic_result};
use warpgrid_isa::{AtomicOp, Completion, Flag, ScalarType, Scope, Sem, StateSpace};
use warpgrid_program::OperandValue;

/// Update that an asynchronous reduction performs on one element.
struct ReductionUpdate {
    cells: Range<usize>,
    ty: ScalarType,
    op: AtomicOp,
    operand: u64,
    words: MemoryOrdering,
    proxy: Proxy,
}

impl PathExplorer<'_> {
    /// Executes `red.async`, a relaxed reduction that completes asynchronously and signals its completion on an
    /// mbarrier.
    pub(crate) fn async_reduction(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
    ) -> Successors {
        let address = self.address(&mut path, at, 0)?;
        let values = self.values(&mut path, at, 1)?;
        let ty = at.words.ty.unwrap_or(ScalarType::B32);
        let size = u64::from(ty.width_bytes());
        let op = self.operation(&path, at)?;
        let object = self.operands(at).get(2).map(|operand| &operand.value);
        if !matches!(object, Some(OperandValue::Address(_))) || size > 8 {
            return Err(self.unsupported_error(&path, "no thread can wait for the completion of a `red.async` without an mbarrier: use the form with `.mbarrier::complete_tx::bytes`").into());
        }
        let mut ways = vec![(path, Vec::new())];
        for (element, operand) in values.iter().enumerate() {
            let mut longer = Vec::new();
            for (way, events) in ways {
                let start = address.wrapping_add(size * element as u64);
                let change = ReductionUpdate {
                    cells: self.cells_at(&way, start, size)?,
                    ty,
                    op,
                    operand: *operand,
                    words: MemoryOrdering::new(
                        Sem::Relaxed,
                        at.words.scope.unwrap_or(Scope::Cluster),
                    ),
                    proxy: Proxy::Generic,
                };
                longer.extend(self.apply_on_completion(&way, &events, at, &change));
            }
            ways = longer;
        }
        let bytes = size * values.len() as u64;
        let mut done = Vec::new();
        for (way, events) in ways {
            let landed = CompletedCopies {
                events,
                bytes,
                fence: None,
            };
            done.extend(self.complete(way, at, 2, landed)?);
        }
        Ok(done)
    }

    fn operation(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
    ) -> Result<AtomicOp, PathExit> {
        let op = at.words.atomic;
        op.ok_or_else(|| {
            self.unsupported_error(path, "the reduction instruction has no operation")
                .into()
        })
    }

    /// Returns the successor paths of an asynchronous reduction of one element, with one path for each possible old
    /// value of the element.
    fn apply_on_completion(
        &self,
        path: &ThreadPath,
        events: &[usize],
        at: &CurrentInstruction<'_>,
        change: &ReductionUpdate,
    ) -> Vec<(ThreadPath, Vec<usize>)> {
        let choices = self.choices(&change.cells).into_iter();
        let way = |reads: Vec<u64>| {
            let old = self.cells.join(change.cells.clone(), &reads);
            let new = atomic_result(change.op, change.ty, old, [change.operand, 0]);
            let mut way = path.clone();
            let mut step = started(EventKind::Atomic, at, &way, change.proxy);
            step.words = change.words;
            step.learns = ReturnsValue::No;
            step.writes = self.cells.split(change.cells.clone(), new);
            step.cells = change.cells.clone();
            step.reads = reads;
            let event = way.push_event(step);
            let events = events.iter().copied().chain([event]);
            (way, events.collect())
        };
        choices.map(way).collect()
    }

    /// Executes `cp.reduce.async.bulk`, which reads the source and updates the destination through the async proxy. The
    /// reduction of each element is a relaxed operation at `gpu` scope.
    pub(crate) fn bulk_reduction(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
    ) -> Successors {
        let to = self.address(&mut path, at, 0)?;
        let from = self.address(&mut path, at, 1)?;
        let n_bytes = self.value(&mut path, at, 2)?;
        let ty = at.words.ty.unwrap_or(ScalarType::B32);
        let size = u64::from(ty.width_bytes());
        let op = self.operation(&path, at)?;
        let limit = self.question.limits.events_per_thread as u64;
        if n_bytes / size.max(1) > limit {
            return Err(self.unsupported_error(&path, &format!("the reduction has a size of {n_bytes} bytes, expected at most {limit} elements: reduce the size")).into());
        }
        let counts = at.words.completion == Some(Completion::MbarrierCompleteTxBytes);
        let depends = path.depends;
        let mut ways = vec![(path, Vec::new())];
        for element in 0..n_bytes / size.max(1) {
            let mut longer = Vec::new();
            for (way, events) in ways {
                let source = self.cells_at(&way, from.wrapping_add(size * element), size)?;
                let cells = self.cells_at(&way, to.wrapping_add(size * element), size)?;
                for reads in self.choices(&source) {
                    let mut way = way.clone();
                    let mut read = started(EventKind::Read, at, &way, Proxy::Async);
                    let operand = self.cells.join(source.clone(), &reads);
                    read.cells = source.clone();
                    read.reads = reads;
                    let read = way.push_event(read);
                    way.depends = depends | bit_of(read);
                    let events: Vec<usize> = events.iter().copied().chain([read]).collect();
                    let change = ReductionUpdate {
                        cells: cells.clone(),
                        ty,
                        op,
                        operand,
                        words: MemoryOrdering::new(Sem::Relaxed, Scope::Gpu),
                        proxy: Proxy::Async,
                    };
                    longer.extend(self.apply_on_completion(&way, &events, at, &change));
                }
            }
            ways = longer;
            if ways.len() > self.question.limits.paths_per_thread {
                return Err(self.path_limit_error());
            }
        }
        let mut done = Vec::new();
        for (mut way, events) in ways {
            way.depends = depends;
            match counts {
                true => {
                    let landed = CompletedCopies {
                        events,
                        bytes: n_bytes,
                        fence: Some(FenceCoverage::All),
                    };
                    done.extend(self.complete(way, at, 3, landed)?);
                }
                false => {
                    way.bulk.open.extend(events);
                    done.push(way);
                }
            }
        }
        Ok(done)
    }

    /// Executes `cp.async.mbarrier.arrive`: arrives after the completion of all copies that the thread has started.
    /// Without `.noinc`, the phase expects one additional arrival.
    pub(crate) fn arrive_after_copies(
        &self,
        path: ThreadPath,
        at: &CurrentInstruction<'_>,
    ) -> Successors {
        let counts_itself = !at.words.has(Flag::Noinc);
        let plain = MemoryOrdering::new(Sem::Relaxed, Scope::Cta);
        let more = |object: &mut MbarrierState| {
            object.pending = object.pending.checked_add(1)?;
            Some(())
        };
        let ways = match counts_itself {
            true => self.change(path, at, 0, plain, &more)?,
            false => vec![path],
        };
        let mut done = Vec::new();
        for mut way in ways {
            let address = self.address(&mut way, at, 0)?;
            let cells = self.cells_at(&way, address, 8)?;
            let copies: Vec<usize> = way
                .copies
                .made
                .iter()
                .flatten()
                .chain(&way.copies.open)
                .copied()
                .collect();
            let object = CompletionUpdate {
                cells,
                change: &|object| object.arrive(1).ok().map(|_| ()),
                scope: Scope::Cta,
                after: copies,
                fence: None,
            };
            done.extend(self.change_on_completion(&way, at, &object));
        }
        Ok(done)
    }

    /// Executes `st.bulk`, which stores zeros to each cell of the destination through the generic proxy.
    pub(crate) fn store_zeros(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
    ) -> Successors {
        let address = self.address(&mut path, at, 0)?;
        let n_bytes = self.value(&mut path, at, 1)?;
        let cells = self.cells_at(&path, address, n_bytes)?;
        for cell in cells {
            let mut step = TraceEvent::new(EventKind::Write, at.number, path.instance);
            step.writes = vec![0];
            step.cells = cell..cell + 1;
            path.push_event(step);
        }
        Ok(vec![path])
    }

    /// Checks whether the memory of a state space is accessible to several threads.
    pub(crate) fn is_shared_space(space: StateSpace) -> bool {
        match space {
            StateSpace::Generic
            | StateSpace::Global
            | StateSpace::Shared
            | StateSpace::SharedCluster => true,
            StateSpace::Const
            | StateSpace::Local
            | StateSpace::ParamEntry
            | StateSpace::ParamFunc => false,
        }
    }
}
