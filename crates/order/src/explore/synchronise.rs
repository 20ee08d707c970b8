//! Fences, barriers and mbarriers of a thread.

use crate::explore::memory::words_of;
use crate::explore::path::{At, Halt, Path, Walker, Ways};
use crate::explore::step::{Barrier, Covers, Entry, Learns, NodeKind, Step, Words};
use std::ops::Range;
use warpgrid_emulator::MbarrierState;
use warpgrid_isa::{Flag, MbarrierOp, Proxy, Scope, Sem, StateSpace, SyncOp};

/// Transition of the state of an mbarrier; `None` for undefined behavior.
pub(crate) type Change<'a> = &'a dyn Fn(&mut MbarrierState) -> Option<()>;

impl Walker<'_> {
    pub(crate) fn sync(&self, path: Path, at: &At<'_>, op: SyncOp) -> Ways {
        match op {
            SyncOp::Fence => self.fence(path, at, Sem::AcqRel),
            SyncOp::Membar => self.fence(path, at, Sem::Sc),
            SyncOp::Bar | SyncOp::Barrier => self.barrier(path, at),
            SyncOp::WarpBarrier => self.warp_barrier(path, at),
            SyncOp::ClusterArrive => {
                let sem = at.words.sem.unwrap_or(Sem::Release);
                let barrier = self.cluster_barrier();
                Ok(vec![self.meet(path, at, NodeKind::Arrive, barrier, sem)])
            }
            SyncOp::ClusterWait => {
                let sem = at.words.sem.unwrap_or(Sem::Acquire);
                let barrier = self.cluster_barrier();
                Ok(vec![self.meet(path, at, NodeKind::Leave, barrier, sem)])
            }
        }
    }

    /// Adds the fence sites for a memory fence and for a proxy fence.
    pub(crate) fn add_place(&self, path: &mut Path) {
        for kind in [NodeKind::ProxyFence, NodeKind::Fence] {
            path.instance += 1;
            let mut step = Step::new(kind, path.place(), path.instance);
            step.is_open_place = true;
            step.fence_of_proxies = (kind == NodeKind::ProxyFence).then_some(Covers::All);
            path.push(step);
        }
    }

    /// Executes a fence. `default` is the memory ordering of an instruction without a qualifier.
    fn fence(&self, mut path: Path, at: &At<'_>, default: Sem) -> Ways {
        if at.words.has(Flag::MbarrierInit) {
            return Ok(vec![path]);
        }
        let (number, instance) = (at.number, path.instance);
        match at.words.proxy {
            None => {}
            Some(Proxy::Async | Proxy::AsyncGeneric) => {
                let mut step = Step::new(NodeKind::ProxyFence, number, instance);
                step.fence_of_proxies = Some(match at.words.space {
                    None | Some(StateSpace::Generic) => Covers::All,
                    Some(StateSpace::Global) => Covers::Global,
                    Some(_) => Covers::Shared,
                });
                path.push(step);
                if at.words.sem.is_none() {
                    return Ok(vec![path]);
                }
            }
            Some(_) => {
                return Err(self.no_place(&path, "the proxy fence refers to a proxy that no access of the litmus test uses: remove the fence, or use `fence.proxy.async`").into());
            }
        }
        let mut step = Step::new(NodeKind::Fence, number, instance + 1);
        path.instance += 1;
        step.words = words_of(at, default);
        path.push(step);
        Ok(vec![path])
    }

    fn barrier(&self, mut path: Path, at: &At<'_>) -> Ways {
        if at.words.has(Flag::Red) {
            return Err(self.refuse(&path, "bar.red").into());
        }
        let id = self.value(&mut path, at, 0)?;
        let given = self.operands(at).get(1);
        let given = given.and_then(|operand| path.value_of(&operand.value));
        let barrier = Barrier::Block {
            block: self.thread.block_index,
            id,
        };
        let count = given.map(|n| n as u32);
        let mut step = Step::new(NodeKind::Arrive, at.number, path.instance);
        step.words = Words::new(Sem::Release, Scope::Cta);
        step.barrier = Some(barrier);
        step.count = count;
        path.push(step);
        if !at.words.has(Flag::Arrive) {
            path.instance += 1;
            let step = self.leave(&path, at, barrier);
            path.push(step);
        }
        Ok(vec![path])
    }

    fn leave(&self, path: &Path, at: &At<'_>, barrier: Barrier) -> Step {
        let mut step = Step::new(NodeKind::Leave, at.number, path.instance);
        step.words = Words::new(Sem::Acquire, Scope::Cta);
        step.barrier = Some(barrier);
        step
    }

    fn warp_barrier(&self, mut path: Path, at: &At<'_>) -> Ways {
        let mask = self.value(&mut path, at, 0)? as u32;
        let barrier = Barrier::Warp {
            block: self.thread.block_index,
            warp: self.thread.thread / 32,
            mask,
        };
        let path = self.meet(path, at, NodeKind::Arrive, barrier, Sem::Release);
        let mut path = path;
        path.instance += 1;
        Ok(vec![self.meet(
            path,
            at,
            NodeKind::Leave,
            barrier,
            Sem::Acquire,
        )])
    }

    fn cluster_barrier(&self) -> Barrier {
        Barrier::Cluster {
            cluster: self.thread.cluster_index,
        }
    }

    fn meet(
        &self,
        mut path: Path,
        at: &At<'_>,
        kind: NodeKind,
        barrier: Barrier,
        sem: Sem,
    ) -> Path {
        let mut step = Step::new(kind, at.number, path.instance);
        step.words = Words::new(sem, Scope::Cluster);
        step.barrier = Some(barrier);
        path.push(step);
        path
    }

    pub(crate) fn mbarrier(&self, mut path: Path, at: &At<'_>, op: MbarrierOp) -> Ways {
        let number = |path: &mut Path, index: usize| match self.operands(at).get(index) {
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
                let action = self.question.program.action(at.instruction);
                let opcode = action.map_or("mbarrier", |action| &action.opcode);
                Err(self.refuse(&path, opcode).into())
            }
        }
    }

    /// Returns the cell of an mbarrier.
    fn object(&self, path: &mut Path, at: &At<'_>, index: usize) -> Result<Range<usize>, Halt> {
        let address = self.address(path, at, index)?;
        self.cells_at(path, address, 8)
    }

    fn init(&self, mut path: Path, at: &At<'_>) -> Ways {
        let cells = self.object(&mut path, at, 0)?;
        let count = self.value(&mut path, at, 1)? as u32;
        let object = MbarrierState::new(count).map_err(|_| {
            self.no_place(
                &path,
                "the mbarrier has an expected arrival count of 0, expected at least 1",
            )
        })?;
        let mut step = Step::new(NodeKind::Write, at.number, path.instance);
        step.writes = self.cells.split(cells.clone(), object.word());
        step.cells = cells;
        path.push(step);
        Ok(vec![path])
    }

    pub(crate) fn change(
        &self,
        mut path: Path,
        at: &At<'_>,
        index: usize,
        words: Words,
        change: Change<'_>,
    ) -> Ways {
        let cells = self.object(&mut path, at, index)?;
        let target = match index {
            1 => self.targets(at, 0).first().copied().flatten(),
            _ => None,
        };
        let mut ways = Vec::new();
        for reads in self.choices(&cells) {
            let old = self.cells.join(cells.clone(), &reads);
            // Arrivals with undefined behavior produce no execution.
            let Some(new) = changed(old, change) else {
                continue;
            };
            let mut way = path.clone();
            let mut step = Step::new(NodeKind::Atomic, at.number, way.instance);
            step.words = words;
            step.writes = self.cells.split(cells.clone(), new);
            step.cells = cells.clone();
            step.reads = reads;
            step.learns = match target {
                Some(_) => Learns::Yes,
                None => Learns::No,
            };
            let event = way.push(step);
            if let Some(register) = target {
                way.take(register, old, event);
            }
            ways.push(way);
        }
        Ok(ways)
    }

    /// Executes a test of an mbarrier. A test that returns false acquires nothing.
    fn test(&self, mut path: Path, at: &At<'_>) -> Ways {
        let cells = self.object(&mut path, at, 1)?;
        let asked = self.value(&mut path, at, 2)?;
        let parity = match at.words.has(Flag::Parity) {
            true => asked & 1 != 0,
            false => MbarrierState::read(asked).is_some_and(|state| state.parity),
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
            let mut step = Step::new(NodeKind::Read, at.number, way.instance);
            step.words = words;
            if !passes {
                step.words.sem = Sem::Relaxed;
                step.own_words = true;
            }
            step.cells = cells.clone();
            step.reads = reads;
            let event = way.push(step);
            if let Some(register) = target {
                way.take(register, u64::from(passes), event);
            }
            ways.push(way);
        }
        Ok(ways)
    }
}

/// Update of an mbarrier by the completion of an asynchronous operation.
pub(crate) struct ObjectChange<'a> {
    pub(crate) cells: Range<usize>,
    pub(crate) change: Change<'a>,
    /// Scope of the release.
    pub(crate) scope: Scope,
    /// Completed events that precede the update.
    pub(crate) after: Vec<usize>,
    pub(crate) fence: Option<Covers>,
}

impl Walker<'_> {
    /// Returns the paths on which a completion updates an mbarrier, one for each state that it can have. Impossible
    /// states produce no execution.
    pub(crate) fn change_on_completion(
        &self,
        path: &Path,
        at: &At<'_>,
        object: &ObjectChange<'_>,
    ) -> Vec<Path> {
        let cells = &object.cells;
        let ways = self.choices(cells).into_iter().filter_map(|reads| {
            let old = self.cells.join(cells.clone(), &reads);
            let new = changed(old, object.change)?;
            let mut way = path.clone();
            let mut step = Step::new(NodeKind::Atomic, at.number, way.instance);
            step.words = Words::new(Sem::Release, object.scope);
            step.own_words = true;
            step.writes = self.cells.split(cells.clone(), new);
            step.cells = cells.clone();
            step.reads = reads;
            step.learns = Learns::No;
            step.entry = Entry::Completed;
            step.after = object.after.clone();
            step.fence_of_proxies = object.fence;
            way.push(step);
            Some(way)
        });
        ways.collect()
    }
}

/// Returns the state of an mbarrier after a transition.
fn changed(old: u64, change: Change<'_>) -> Option<u64> {
    let mut object = MbarrierState::read(old)?;
    change(&mut object)?;
    Some(object.word())
}

fn words_of_object(at: &At<'_>, without: Sem) -> Words {
    Words::new(
        at.words.sem.unwrap_or(without),
        at.words.scope.unwrap_or(Scope::Cta),
    )
}
