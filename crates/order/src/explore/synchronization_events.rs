//! Events of the fences, barriers and mbarrier operations of a thread.

use crate::explore::event::{
    BarrierId, EventKind, FenceCoverage, MemoryOrdering, OrderingRole, ReturnsValue, TraceEvent,
};
use crate::explore::memory_events::words_of;
use crate::explore::thread_path::{
    CurrentInstruction, PathExit, PathExplorer, Successors, ThreadPath,
};
use std::ops::Range;
use warpgrid_emulator::MbarrierState;
use warpgrid_isa::{Flag, MbarrierOp, Proxy, Scope, Sem, StateSpace, SyncOp};

/// Function that changes the state of an mbarrier. The function returns `None` if the behavior of the operation is undefined.
pub(crate) type MbarrierUpdate<'a> = &'a dyn Fn(&mut MbarrierState) -> Option<()>;

impl PathExplorer<'_> {
    pub(crate) fn sync(
        &self,
        path: ThreadPath,
        at: &CurrentInstruction<'_>,
        op: SyncOp,
    ) -> Successors {
        match op {
            SyncOp::Fence => self.fence(path, at, Sem::AcqRel),
            SyncOp::Membar => self.fence(path, at, Sem::Sc),
            SyncOp::Bar | SyncOp::Barrier => self.barrier(path, at),
            SyncOp::WarpBarrier => self.warp_barrier(path, at),
            SyncOp::ClusterArrive => {
                let sem = at.words.sem.unwrap_or(Sem::Release);
                let barrier = self.cluster_barrier();
                Ok(vec![self.rendezvous(
                    path,
                    at,
                    EventKind::Arrive,
                    barrier,
                    sem,
                )])
            }
            SyncOp::ClusterWait => {
                let sem = at.words.sem.unwrap_or(Sem::Acquire);
                let barrier = self.cluster_barrier();
                Ok(vec![self.rendezvous(
                    path,
                    at,
                    EventKind::Leave,
                    barrier,
                    sem,
                )])
            }
        }
    }

    /// Appends two events to a path: the sites at which a memory fence and a proxy fence can be inserted.
    pub(crate) fn add_fence_slot(&self, path: &mut ThreadPath) {
        for kind in [EventKind::ProxyFence, EventKind::Fence] {
            path.instance += 1;
            let mut step = TraceEvent::new(kind, path.place(), path.instance);
            step.is_fence_slot = true;
            step.fence_of_proxies = (kind == EventKind::ProxyFence).then_some(FenceCoverage::All);
            path.push_event(step);
        }
    }

    /// Executes a fence. `default` is the memory ordering of a fence without an ordering qualifier.
    fn fence(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>, default: Sem) -> Successors {
        if at.words.has(Flag::MbarrierInit) {
            return Ok(vec![path]);
        }
        let (number, instance) = (at.number, path.instance);
        match at.words.proxy {
            None => {}
            Some(Proxy::Async | Proxy::AsyncGeneric) => {
                let mut step = TraceEvent::new(EventKind::ProxyFence, number, instance);
                step.fence_of_proxies = Some(match at.words.space {
                    None | Some(StateSpace::Generic) => FenceCoverage::All,
                    Some(StateSpace::Global) => FenceCoverage::Global,
                    Some(_) => FenceCoverage::Shared,
                });
                path.push_event(step);
                if at.words.sem.is_none() {
                    return Ok(vec![path]);
                }
            }
            Some(_) => {
                return Err(self.unsupported_error(&path, "the proxy fence refers to a proxy that no access of the litmus test uses: remove the fence, or use `fence.proxy.async`").into());
            }
        }
        let mut step = TraceEvent::new(EventKind::Fence, number, instance + 1);
        path.instance += 1;
        step.words = words_of(at, default);
        path.push_event(step);
        Ok(vec![path])
    }

    fn barrier(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        if at.words.has(Flag::Red) {
            return Err(self.refuse(&path, "bar.red").into());
        }
        let id = self.value(&mut path, at, 0)?;
        let given = self.operands(at).get(1);
        let given = given.and_then(|operand| path.value_of(&operand.value));
        let barrier = BarrierId::Block {
            block: self.thread.block_index,
            id,
        };
        let count = given.map(|n| n as u32);
        let mut step = TraceEvent::new(EventKind::Arrive, at.number, path.instance);
        step.words = MemoryOrdering::new(Sem::Release, Scope::Cta);
        step.barrier = Some(barrier);
        step.count = count;
        path.push_event(step);
        if !at.words.has(Flag::Arrive) {
            path.instance += 1;
            let step = self.leave(&path, at, barrier);
            path.push_event(step);
        }
        Ok(vec![path])
    }

    fn leave(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
        barrier: BarrierId,
    ) -> TraceEvent {
        let mut step = TraceEvent::new(EventKind::Leave, at.number, path.instance);
        step.words = MemoryOrdering::new(Sem::Acquire, Scope::Cta);
        step.barrier = Some(barrier);
        step
    }

    fn warp_barrier(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let mask = self.value(&mut path, at, 0)? as u32;
        let barrier = BarrierId::Warp {
            block: self.thread.block_index,
            warp: self.thread.thread / 32,
            mask,
        };
        let path = self.rendezvous(path, at, EventKind::Arrive, barrier, Sem::Release);
        let mut path = path;
        path.instance += 1;
        Ok(vec![self.rendezvous(
            path,
            at,
            EventKind::Leave,
            barrier,
            Sem::Acquire,
        )])
    }

    fn cluster_barrier(&self) -> BarrierId {
        BarrierId::Cluster {
            cluster: self.thread.cluster_index,
        }
    }

    fn rendezvous(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        kind: EventKind,
        barrier: BarrierId,
        sem: Sem,
    ) -> ThreadPath {
        let mut step = TraceEvent::new(kind, at.number, path.instance);
        step.words = MemoryOrdering::new(sem, Scope::Cluster);
        step.barrier = Some(barrier);
        path.push_event(step);
        path
    }

    pub(crate) fn mbarrier(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        op: MbarrierOp,
    ) -> Successors {
        let number = |path: &mut ThreadPath, index: usize| match self.operands(at).get(index) {
            Some(operand) => path.value_of(&operand.value).map(|n| n as u32),
            None => None,
        };
        match op {
            MbarrierOp::Init => self.init(path, at),
            MbarrierOp::Arrive | MbarrierOp::ArriveDrop => {
                let expects = at.words.has(Flag::ExpectTx);
                let given = number(&mut path, 2);
                let drops = op == MbarrierOp::ArriveDrop;
                let change = move |object: &mut MbarrierState| {
                    let (bytes, count) = match expects {
                        true => (given.unwrap_or(0), 1),
                        false => (0, given.unwrap_or(1)),
                    };
                    object.expect(bytes).ok()?;
                    if drops {
                        object.drop_expected(count).ok()?;
                    }
                    object.arrive(count).ok().map(|_| ())
                };
                let words = words_of_object(at, Sem::Release);
                self.change(path, at, 1, words, &change)
            }
            MbarrierOp::ExpectTx => {
                let bytes = number(&mut path, 1).unwrap_or(0);
                let change = move |object: &mut MbarrierState| object.expect(bytes).ok();
                let words = words_of_object(at, Sem::Relaxed);
                self.change(path, at, 0, words, &change)
            }
            MbarrierOp::CompleteTx => {
                let bytes = number(&mut path, 1).unwrap_or(0);
                let change =
                    move |object: &mut MbarrierState| object.complete(bytes).ok().map(|_| ());
                let words = words_of_object(at, Sem::Relaxed);
                self.change(path, at, 0, words, &change)
            }
            MbarrierOp::TestWait | MbarrierOp::TryWait => self.test(path, at),
            MbarrierOp::Inval | MbarrierOp::PendingCount | MbarrierOp::CheckLayout => {
                let action = self.question.program.opcode(at.instruction);
                let opcode = action.map_or("mbarrier", |action| &action.opcode);
                Err(self.refuse(&path, opcode).into())
            }
        }
    }

    /// Returns the cell that contains an mbarrier object.
    fn object(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Result<Range<usize>, PathExit> {
        let address = self.address(path, at, index)?;
        self.cells_at(path, address, 8)
    }

    fn init(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let cells = self.object(&mut path, at, 0)?;
        let count = self.value(&mut path, at, 1)? as u32;
        let object = MbarrierState::new(count).map_err(|_| {
            self.unsupported_error(
                &path,
                "the mbarrier has an expected arrival count of 0, expected at least 1",
            )
        })?;
        let mut step = TraceEvent::new(EventKind::Write, at.number, path.instance);
        step.writes = self.cells.split(cells.clone(), object.word());
        step.cells = cells;
        path.push_event(step);
        Ok(vec![path])
    }

    pub(crate) fn change(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
        words: MemoryOrdering,
        change: MbarrierUpdate<'_>,
    ) -> Successors {
        let cells = self.object(&mut path, at, index)?;
        let target = match index {
            1 => self.targets(at, 0).first().copied().flatten(),
            _ => None,
        };
        let mut ways = Vec::new();
        for reads in self.choices(&cells) {
            let old = self.cells.join(cells.clone(), &reads);
            // An arrival with undefined behavior produces no execution.
            let Some(new) = changed(old, change) else {
                continue;
            };
            let mut way = path.clone();
            let mut step = TraceEvent::new(EventKind::Atomic, at.number, way.instance);
            step.words = words;
            step.writes = self.cells.split(cells.clone(), new);
            step.cells = cells.clone();
            step.reads = reads;
            step.learns = match target {
                Some(_) => ReturnsValue::Yes,
                None => ReturnsValue::No,
            };
            let event = way.push_event(step);
            if let Some(register) = target {
                way.write_destination(register, old, event);
            }
            ways.push(way);
        }
        Ok(ways)
    }

    /// Executes a test of an mbarrier. A test that returns false has no acquire semantics.
    fn test(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let cells = self.object(&mut path, at, 1)?;
        let operand = self.value(&mut path, at, 2)?;
        let parity = match at.words.has(Flag::Parity) {
            true => operand & 1 != 0,
            false => MbarrierState::read(operand).is_some_and(|state| state.parity),
        };
        let target = self.targets(at, 0).first().copied().flatten();
        let words = words_of_object(at, Sem::Acquire);
        let mut ways = Vec::new();
        for reads in self.choices(&cells) {
            let word = self.cells.join(cells.clone(), &reads);
            let Some(object) = MbarrierState::read(word) else {
                continue;
            };
            let passes = object.is_complete(parity);
            let mut way = path.clone();
            let mut step = TraceEvent::new(EventKind::Read, at.number, way.instance);
            step.words = words;
            if !passes {
                step.words.sem = Sem::Relaxed;
                step.overrides_ordering = true;
            }
            step.cells = cells.clone();
            step.reads = reads;
            let event = way.push_event(step);
            if let Some(register) = target {
                way.write_destination(register, u64::from(passes), event);
            }
            ways.push(way);
        }
        Ok(ways)
    }
}

/// Update of an mbarrier that the completion of an asynchronous operation performs.
pub(crate) struct CompletionUpdate<'a> {
    pub(crate) cells: Range<usize>,
    pub(crate) change: MbarrierUpdate<'a>,
    /// Scope of the release operation of the completion.
    pub(crate) scope: Scope,
    /// Events of the completed operation, which precede the update of the mbarrier.
    pub(crate) after: Vec<usize>,
    pub(crate) fence: Option<FenceCoverage>,
}

impl PathExplorer<'_> {
    /// Returns the successor paths of a completion that updates an mbarrier, with one path for each possible state of the mbarrier. A state
    /// in which the update has undefined behavior produces no successor path.
    pub(crate) fn change_on_completion(
        &self,
        path: &ThreadPath,
        at: &CurrentInstruction<'_>,
        object: &CompletionUpdate<'_>,
    ) -> Vec<ThreadPath> {
        let cells = &object.cells;
        let ways = self.choices(cells).into_iter().filter_map(|reads| {
            let old = self.cells.join(cells.clone(), &reads);
            let new = changed(old, object.change)?;
            let mut way = path.clone();
            let mut step = TraceEvent::new(EventKind::Atomic, at.number, way.instance);
            step.words = MemoryOrdering::new(Sem::Release, object.scope);
            step.overrides_ordering = true;
            step.writes = self.cells.split(cells.clone(), new);
            step.cells = cells.clone();
            step.reads = reads;
            step.learns = ReturnsValue::No;
            step.entry = OrderingRole::Completed;
            step.after = object.after.clone();
            step.fence_of_proxies = object.fence;
            way.push_event(step);
            Some(way)
        });
        ways.collect()
    }
}

/// Returns the state of an mbarrier after a transition.
fn changed(old: u64, change: MbarrierUpdate<'_>) -> Option<u64> {
    let mut object = MbarrierState::read(old)?;
    change(&mut object)?;
    Some(object.word())
}

fn words_of_object(at: &CurrentInstruction<'_>, without: Sem) -> MemoryOrdering {
    MemoryOrdering::new(
        at.words.sem.unwrap_or(without),
        at.words.scope.unwrap_or(Scope::Cta),
    )
}
