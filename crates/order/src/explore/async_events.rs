//! Events of asynchronous stores and copies of a thread, of their completion mechanisms, and of waits for groups of
//! copies.

use crate::explore::event::{EventKind, FenceCoverage, OrderingRole, Proxy, TraceEvent};
use crate::explore::memory_events::bit_of;
use crate::explore::synchronization_events::CompletionUpdate;
use crate::explore::thread_path::{
    CurrentInstruction, PathExit, PathExplorer, Successors, ThreadPath,
};
use std::ops::Range;
use warpgrid_emulator::MbarrierState;
use warpgrid_isa::{AsyncOp, Completion, Flag, ScalarType, Scope, StateSpace};
use warpgrid_program::OperandValue;

/// Kind of an asynchronous copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AsyncCopyKind {
    /// `cp.async.bulk`, which accesses memory through the async proxy.
    Bulk,
    /// `cp.async`, which accesses memory through the generic proxy.
    Plain,
}

/// Operands of an asynchronous copy instruction: destination, source, size and mbarrier.
struct AsyncCopy {
    to: u64,
    from: u64,
    n_bytes: u64,
    kind: AsyncCopyKind,
    /// Index of the mbarrier operand, or `None` for a copy without an mbarrier.
    object: Option<usize>,
}

impl PathExplorer<'_> {
    pub(crate) fn start_async(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        op: AsyncOp,
    ) -> Successors {
        match op {
            AsyncOp::Store => self.async_store(path, at),
            AsyncOp::Copy => {
                let copy = self.copy_of(&mut path, at, AsyncCopyKind::Plain)?;
                self.copy(path, at, &copy)
            }
            AsyncOp::BulkCopy => {
                let copy = self.copy_of(&mut path, at, AsyncCopyKind::Bulk)?;
                self.copy(path, at, &copy)
            }
            AsyncOp::BulkCommit => {
                let open = std::mem::take(&mut path.bulk.open);
                path.bulk.made.push(open);
                Ok(vec![path])
            }
            AsyncOp::CopyCommit => {
                let open = std::mem::take(&mut path.copies.open);
                path.copies.made.push(open);
                Ok(vec![path])
            }
            AsyncOp::BulkWait => {
                let latest = self.value(&mut path, at, 0)? as usize;
                Ok(vec![self.wait(path, at, AsyncCopyKind::Bulk, latest)])
            }
            AsyncOp::CopyWait => {
                let latest = self.value(&mut path, at, 0)? as usize;
                Ok(vec![self.wait(path, at, AsyncCopyKind::Plain, latest)])
            }
            AsyncOp::CopyWaitAll => {
                let open = std::mem::take(&mut path.copies.open);
                path.copies.made.push(open);
                Ok(vec![self.wait(path, at, AsyncCopyKind::Plain, 0)])
            }
            AsyncOp::Reduction => self.async_reduction(path, at),
            AsyncOp::CopyArrive => self.arrive_after_copies(path, at),
            AsyncOp::BulkReduction => self.bulk_reduction(path, at),
        }
    }

    /// Executes `st.async`, a weak store that completes asynchronously and signals its completion on an mbarrier.
    fn async_store(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let address = self.address(&mut path, at, 0)?;
        let values = self.values(&mut path, at, 1)?;
        let ty = at.words.ty.unwrap_or(ScalarType::B32);
        let size = u64::from(ty.width_bytes());
        let object = self.operands(at).get(2).map(|operand| &operand.value);
        if !matches!(object, Some(OperandValue::Address(_))) || size > 8 {
            return Err(self.unsupported_error(&path, "no thread can wait for the completion of an `st.async` without an mbarrier: use the form with `.mbarrier::complete_tx::bytes`").into());
        }
        let mut written = Vec::new();
        for (element, value) in values.iter().enumerate() {
            let cells = self.cells_at(&path, address + size * element as u64, size)?;
            let mut step = started(EventKind::Write, at, &path, Proxy::Generic);
            step.writes = self.cells.split(cells.clone(), *value);
            step.cells = cells;
            written.push(path.push_event(step));
        }
        let bytes = size * values.len() as u64;
        self.complete(
            path,
            at,
            2,
            CompletedCopies {
                events: written,
                bytes,
                fence: None,
            },
        )
    }

    /// Returns the operands of an asynchronous copy instruction.
    fn copy_of(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        kind: AsyncCopyKind,
    ) -> Result<AsyncCopy, PathExit> {
        let words = at.words;
        let is_plain = !words.has(Flag::Multicast)
            && !words.has(Flag::CpMask)
            && !words.has(Flag::IgnoreOob)
            && !words.has(Flag::ZeroFill);
        let reads_less = kind == AsyncCopyKind::Plain
            && !matches!(
                self.operands(at).get(3).map(|operand| &operand.value),
                None | Some(OperandValue::Absent)
            );
        if !is_plain || reads_less {
            return Err(self
                .unsupported_error(
                    path,
                    "partial and multicast copies are not supported in litmus tests: use one complete copy per destination",
                )
                .into());
        }
        let counts = words.completion == Some(Completion::MbarrierCompleteTxBytes);
        // With the state space `.shared::cta`, two additional operands, which specify numbers of ignored bytes, precede the mbarrier.
        let object = match words.space {
            Some(StateSpace::Shared) => 5,
            _ => 3,
        };
        Ok(AsyncCopy {
            to: self.address(path, at, 0)?,
            from: self.address(path, at, 1)?,
            n_bytes: self.value(path, at, 2)?,
            kind,
            object: (counts && kind == AsyncCopyKind::Bulk).then_some(object),
        })
    }

    fn copy(&self, path: ThreadPath, at: &CurrentInstruction<'_>, copy: &AsyncCopy) -> Successors {
        let limit = self.question.limits.paths_per_thread;
        let from = self.cells_at(&path, copy.from, copy.n_bytes)?;
        let to = self.cells_at(&path, copy.to, copy.n_bytes)?;
        self.match_cuts(copy, &from, &to)?;
        self.match_cuts(
            &AsyncCopy {
                to: copy.from,
                from: copy.to,
                ..*copy
            },
            &to,
            &from,
        )?;
        let n: usize = from.clone().map(|cell| self.values_of(cell)).product();
        if n > limit {
            return Err(self.path_limit_error());
        }
        let mut ways = Vec::new();
        for reads in self.choices(&from) {
            let mut way = path.clone();
            let events = copy_cells(&mut way, at, copy.kind, &from, &to, &reads);
            match (copy.object, copy.kind) {
                (Some(object), _) => {
                    let landed = CompletedCopies {
                        events,
                        bytes: copy.n_bytes,
                        fence: Some(FenceCoverage::All),
                    };
                    ways.extend(self.complete(way, at, object, landed)?);
                }
                (None, AsyncCopyKind::Bulk) => {
                    way.bulk.open.extend(events);
                    ways.push(way);
                }
                (None, AsyncCopyKind::Plain) => {
                    way.copies.open.extend(events);
                    ways.push(way);
                }
            }
        }
        Ok(ways)
    }

    /// Requests the split of a memory cell if the source and the destination of a copy have cell boundaries at different offsets.
    fn match_cuts(
        &self,
        copy: &AsyncCopy,
        from: &Range<usize>,
        to: &Range<usize>,
    ) -> Result<(), PathExit> {
        let starts = |cells: &Range<usize>, base: u64| -> Vec<u64> {
            let cells = self.cells.list.get(cells.clone()).unwrap_or(&[]);
            cells.iter().map(|cell| cell.start - base).collect()
        };
        let destination_starts = starts(to, copy.to);
        let missing = starts(from, copy.from)
            .into_iter()
            .find(|at| !destination_starts.contains(at));
        missing.map_or(Ok(()), |at| Err(PathExit::Cut(copy.to + at)))
    }

    /// Completes copies on an mbarrier: decreases the tx-count of the mbarrier by the number of copied bytes.
    pub(crate) fn complete(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        object: usize,
        landed: CompletedCopies,
    ) -> Successors {
        let address = self.address(&mut path, at, object)?;
        let cells = self.cells_at(&path, address, 8)?;
        let bytes = landed.bytes as u32;
        let change = |object: &mut MbarrierState| object.complete(bytes).ok().map(|_| ());
        let object = CompletionUpdate {
            cells,
            change: &change,
            scope: Scope::Cluster,
            after: landed.events,
            fence: landed.fence,
        };
        Ok(self.change_on_completion(&path, at, &object))
    }

    /// Waits for all groups of copies except the `latest` most recent groups. With `.read`, the thread waits only for
    /// the reads of these copies.
    fn wait(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        kind: AsyncCopyKind,
        latest: usize,
    ) -> ThreadPath {
        let groups = match kind {
            AsyncCopyKind::Bulk => &path.bulk.made,
            AsyncCopyKind::Plain => &path.copies.made,
        };
        let n = groups.len().saturating_sub(latest);
        let events: Vec<usize> = groups.iter().take(n).flatten().copied().collect();
        let reads = at.words.has(Flag::Read);
        let is_awaited = |event: &usize| {
            let step = path.steps.get(*event);
            step.is_some_and(|step| !reads || step.kind == EventKind::Read)
        };
        let mut step = TraceEvent::new(EventKind::GroupWait, at.number, path.instance);
        step.after = events.iter().copied().filter(is_awaited).collect();
        step.fence_of_proxies = match kind {
            AsyncCopyKind::Bulk => Some(FenceCoverage::All),
            AsyncCopyKind::Plain => None,
        };
        if !step.after.is_empty() {
            path.push_event(step);
        }
        path
    }
}

/// Copies whose completion updates the same mbarrier.
pub(crate) struct CompletedCopies {
    pub(crate) events: Vec<usize>,
    pub(crate) bytes: u64,
    pub(crate) fence: Option<FenceCoverage>,
}

pub(crate) fn started(
    kind: EventKind,
    at: &CurrentInstruction<'_>,
    path: &ThreadPath,
    proxy: Proxy,
) -> TraceEvent {
    let mut step = TraceEvent::new(kind, at.number, path.instance);
    step.entry = OrderingRole::Started;
    step.proxy = proxy;
    step.overrides_ordering = true;
    step
}

/// Adds a read event and a write event to the path for each memory cell that a copy transfers.
fn copy_cells(
    way: &mut ThreadPath,
    at: &CurrentInstruction<'_>,
    kind: AsyncCopyKind,
    from: &Range<usize>,
    to: &Range<usize>,
    reads: &[u64],
) -> Vec<usize> {
    let proxy = match kind {
        AsyncCopyKind::Bulk => Proxy::Async,
        AsyncCopyKind::Plain => Proxy::Generic,
    };
    let mut events = Vec::new();
    let depends = way.depends;
    for ((from, to), value) in from.clone().zip(to.clone()).zip(reads) {
        let mut read = started(EventKind::Read, at, way, proxy);
        read.cells = from..from + 1;
        read.reads = vec![*value];
        let read = way.push_event(read);
        let mut write = started(EventKind::Write, at, way, proxy);
        write.cells = to..to + 1;
        write.writes = vec![*value];
        way.depends = depends | bit_of(read);
        let write = way.push_event(write);
        way.depends = depends;
        events.extend([read, write]);
    }
    events
}
