//! Observer that collects the effects of a step for the trace, and forwards all events to the race detector.

use crate::hang::execution_trace::InstructionRef;
use crate::hang::program_queries::ProgramQuery;
use crate::races::detector::RaceDetector;
use crate::schedules::counter::{CounterLimits, CounterTable};
use crate::schedules::event::{EventEffect, Footprint, MbarrierAction, WORD, Word, WordAccess};
use crate::schedules::reordering::{FenceKind, StrongAccess};
use crate::schedules::spin::LiveRegisterTable;
use std::collections::HashSet;
use std::sync::Arc;
use warpgrid_emulator::{
    AccessAction, AccessEvent, CompletionMechanism, ContiguousAccess, EventMask, HalfWarpAccess,
    InFlightOperation, MbarrierOperation, MbarrierState, MemoryId, Observer, PerLaneAccess,
    SyncEvent, SyncKind, ends_phase,
};
use warpgrid_isa::{AtomicOp, MbarrierOp, Operation, ScalarType, Scope, Sem, SyncOp};
use warpgrid_program::Program;

/// Treatment of operations whose order affects neither their results nor the final contents of memory: reductions of integers with the same
/// operation, increments of counters, atomic operations that change nothing, and sequentially consistent fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOrder {
    /// These operations are independent. The race detector derives no happens-before relation from their order, so that the absence of
    /// data races holds for each order.
    Ignored,
    /// These operations depend on each other.
    Explored,
}

/// Effects of one step.
#[derive(Debug, Default)]
pub(crate) struct StepRecord {
    pub(crate) footprint: Footprint,
    /// Instruction that has the effects.
    pub(crate) at: Option<InstructionRef>,
    pub(crate) access: Option<StrongAccess>,
    pub(crate) fence: Option<FenceKind>,
    /// Whether the step stored to memory or issued an asynchronous operation.
    pub(crate) has_stored: bool,
    /// Increments of counters that the execution has performed.
    increments: HashSet<(Word, u32)>,
    /// Whether the execution contains an operation whose order the race detector may have ignored.
    pub(crate) has_ignored_order: bool,
    /// Barriers of blocks that the step completed, as the block and the number of the barrier.
    pub(crate) completed_barriers: Vec<(u64, u32)>,
    /// Cluster barriers that the step completed, as the first block of the cluster.
    pub(crate) completed_clusters: Vec<u64>,
}

impl StepRecord {
    pub(crate) fn clear(&mut self) {
        self.footprint.clear();
        self.completed_barriers.clear();
        self.completed_clusters.clear();
        self.at = None;
        self.access = None;
        self.fence = None;
        self.has_stored = false;
    }
}

/// Observer of one step. The record contains the effects of the step on which other agents can depend.
pub(crate) struct Recorder<'a> {
    pub(crate) detector: &'a mut RaceDetector,
    pub(crate) record: &'a mut StepRecord,
    pub(crate) program: &'a Arc<Program>,
    pub(crate) live: &'a mut LiveRegisterTable,
    pub(crate) atomics: AtomicOrder,
    pub(crate) counters: &'a CounterTable,
    /// Limits of the counters that the step may increment.
    pub(crate) limits: CounterLimits,
}

impl Recorder<'_> {
    fn query(&self) -> ProgramQuery<'_> {
        ProgramQuery(self.program)
    }

    /// Returns the number of the reduction that an instruction performs, if reductions with this number commute:
    /// integer operations whose result the program does not read.
    fn reduction(&mut self, event: &AccessEvent<'_>) -> Option<u32> {
        let at = (event.function, event.instruction);
        let modifiers = self.query().action(at)?.modifiers;
        let (operation, ty) = (modifiers.atomic?, modifiers.ty?);
        if !commutes(operation) || !(ty.is_integer() || is_bits(ty)) {
            return None;
        }
        let is_unused = match event.action {
            AccessAction::Reduction => true,
            AccessAction::Atomic => {
                let function = self.program.functions.get(at.0.0 as usize)?;
                let destinations = function.destinations(self.query().instruction(at)?);
                let live = self.live.after(at.0, at.1);
                destinations
                    .iter()
                    .all(|register| live.binary_search(register).is_err())
            }
            AccessAction::Load | AccessAction::Store => false,
        };
        is_unused.then_some((operation as u32) << 8 | ty as u32)
    }

    /// Adds the words of a strong access, and returns the action that the race detector observes.
    fn add_access(&mut self, event: &AccessEvent<'_>) -> AccessAction {
        let is_strong = event.sem != Sem::Weak || event.action.is_atomic();
        if !is_strong {
            return event.action;
        }
        let reduction = match self.atomics {
            AtomicOrder::Ignored => self.reduction(event),
            AtomicOrder::Explored => None,
        };
        let increment = match self.atomics {
            AtomicOrder::Ignored if reduction.is_none() => {
                self.counters.increment(event, &self.limits)
            }
            AtomicOrder::Ignored | AtomicOrder::Explored => None,
        };
        let mut words: Vec<(Word, bool)> = Vec::new();
        for piece in event.pieces {
            if !matches!(piece.memory, MemoryId::Global | MemoryId::Shared { .. }) {
                continue;
            }
            let is_changed = piece.written && event.before(piece) != event.bytes(piece);
            let end = piece
                .address
                .saturating_add(u64::from(piece.n_bytes).max(1));
            for index in piece.address / WORD..=(end - 1) / WORD {
                let word = Word {
                    memory: piece.memory,
                    index,
                };
                match words.iter_mut().rev().find(|(own, _)| *own == word) {
                    Some((_, changes)) => *changes |= is_changed,
                    None => words.push((word, is_changed)),
                }
            }
        }
        if words.is_empty() {
            return event.action;
        }
        let changes_nothing = event.action.is_atomic()
            && self.atomics == AtomicOrder::Ignored
            && words.iter().all(|(_, changes)| !changes);
        self.record.access = Some(StrongAccess {
            sem: event.sem,
            reads: event.action.reads(),
            writes: event.action.writes(),
            is_atomic: event.action.is_atomic(),
            covers_launch: self.covers_launch(event.scope),
        });
        self.record.at = Some((event.function, event.instruction));
        let number = reduction.or(increment.map(|increment| increment.number));
        let mut is_repeated = false;
        for (word, changes) in words {
            if let Some(increment) = increment {
                is_repeated |= !self.record.increments.insert((word, increment.number));
            }
            let access = match (event.action, number) {
                (AccessAction::Load, _) => WordAccess::Read,
                (AccessAction::Store, _) => WordAccess::Write,
                (_, Some(number)) => WordAccess::Reduction(number),
                // For example, a failed compare-and-swap.
                (AccessAction::Atomic, None) if changes_nothing => WordAccess::Read,
                (_, None) => WordAccess::Write,
            };
            self.record.footprint.push(EventEffect::Access {
                word,
                access,
                changes,
                is_stable: increment.is_none_or(|increment| increment.is_stable),
            });
        }
        let is_ignored = event.action.is_atomic() && self.atomics == AtomicOrder::Ignored;
        self.record.has_ignored_order |= is_ignored;
        match reduction {
            Some(_) => AccessAction::Reduction,
            // The increment commutes with the preceding increments, so it does not happen after them.
            None if is_repeated => AccessAction::Reduction,
            None if changes_nothing && event.action == AccessAction::Atomic => AccessAction::Load,
            None => event.action,
        }
    }

    fn add_completion(
        &mut self,
        event: &SyncEvent<'_>,
        pending: &InFlightOperation,
        signal: Option<[MbarrierState; 2]>,
    ) {
        let object = match pending.operation.completion {
            CompletionMechanism::Mbarrier { block, address, .. }
            | CompletionMechanism::Arrival { block, address, .. } => (block, address),
            CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => return,
        };
        let completes = signal.is_some_and(|[a, b]| ends_phase(Some(a), Some(b)));
        self.push(
            event,
            EventEffect::Mbarrier {
                object,
                action: MbarrierAction::Arrive,
                completes,
            },
        );
    }

    fn push(&mut self, event: &SyncEvent<'_>, effect: EventEffect) {
        self.record.at = Some((event.function, event.instruction));
        if !self.record.footprint.contains(&effect) {
            self.record.footprint.push(effect);
        }
    }

    fn add_sync(&mut self, event: &SyncEvent<'_>) {
        let at = (event.function, event.instruction);
        match event.what {
            SyncKind::BarrierArrived { id, waits } => self.push(
                event,
                EventEffect::BarrierArrival {
                    barrier: (event.block, id),
                    mode: waits,
                    completes: false,
                },
            ),
            SyncKind::BarrierCompleted { id } => {
                self.record.completed_barriers.push((event.block, id));
                for effect in &mut self.record.footprint {
                    if let EventEffect::BarrierArrival {
                        barrier, completes, ..
                    } = effect
                    {
                        *completes |= *barrier == (event.block, id);
                    }
                }
            }
            SyncKind::ClusterArrived => self.push(
                event,
                EventEffect::ClusterArrival {
                    cluster: self.cluster(event),
                    completes: false,
                },
            ),
            SyncKind::ClusterOpened => {
                let cluster = self.cluster(event);
                self.record.completed_clusters.push(cluster);
                for effect in &mut self.record.footprint {
                    if let EventEffect::ClusterArrival { completes, .. } = effect {
                        *completes = true;
                    }
                }
            }
            SyncKind::ClusterPassed => self.push(
                event,
                EventEffect::ClusterPassed {
                    cluster: self.cluster(event),
                },
            ),
            SyncKind::Mbarrier { act, touched } => {
                for touch in touched {
                    let action = match act {
                        MbarrierOperation::Init | MbarrierOperation::Invalidate => {
                            MbarrierAction::Reset
                        }
                        MbarrierOperation::Arrive
                        | MbarrierOperation::ArriveExpecting
                        | MbarrierOperation::Complete => MbarrierAction::Arrive,
                        MbarrierOperation::Expect => MbarrierAction::Expect,
                        MbarrierOperation::Test if touch.passed => MbarrierAction::Passed {
                            waits: self.waits(at),
                        },
                        MbarrierOperation::Test | MbarrierOperation::Query => {
                            MbarrierAction::Failed
                        }
                    };
                    self.push(
                        event,
                        EventEffect::Mbarrier {
                            object: (touch.block, touch.address),
                            action,
                            completes: touch.ends_phase(),
                        },
                    );
                }
            }
            SyncKind::Started(pending) => {
                self.record.has_stored = true;
                if matches!(
                    pending.operation.completion,
                    CompletionMechanism::Mbarrier { .. } | CompletionMechanism::Arrival { .. }
                ) {
                    self.push(
                        event,
                        EventEffect::Issue {
                            operation: pending.id.0,
                        },
                    );
                }
            }
            SyncKind::Completed { pending, signal } => self.add_completion(event, pending, signal),
            SyncKind::Fence => {
                let opcode = self.query().action(at);
                let is_membar =
                    opcode.is_some_and(|opcode| opcode.operation.sync() == Some(SyncOp::Membar));
                let sem = opcode.and_then(|opcode| opcode.modifiers.sem);
                let kind = match sem {
                    Some(Sem::Sc) => FenceKind::Sc,
                    None if is_membar => FenceKind::Sc,
                    _ => FenceKind::AcqRel,
                };
                if kind == FenceKind::Sc {
                    match self.atomics {
                        AtomicOrder::Ignored => self.record.has_ignored_order = true,
                        AtomicOrder::Explored => self.push(event, EventEffect::ScFence),
                    }
                }
                let scope = self
                    .query()
                    .action(at)
                    .and_then(|opcode| opcode.modifiers.scope);
                if self.covers_launch(scope) {
                    self.record.fence = Some(kind);
                }
            }
            SyncKind::WarpBarrierCompleted { .. }
            | SyncKind::Matrices { .. }
            | SyncKind::Committed(_)
            | SyncKind::Waited(_)
            | SyncKind::TensorMap { .. }
            | SyncKind::Exited => {}
        }
    }

    /// Checks whether a scope contains all threads of the launch. The default scope is the device.
    fn covers_launch(&self, scope: Option<Scope>) -> bool {
        let shape = &self.detector.shape;
        match scope {
            Some(Scope::Cta) => shape.n_blocks() == 1,
            Some(Scope::Cluster) => {
                let cluster: u64 = shape.cluster.iter().map(|n| u64::from(*n)).product();
                shape.n_blocks() == cluster
            }
            Some(Scope::Gpu | Scope::Sys) | None => true,
        }
    }

    /// Returns the first block of the cluster of an event, which identifies the cluster.
    fn cluster(&self, event: &SyncEvent<'_>) -> u64 {
        self.detector.shape.first_block_of_cluster(event.block)
    }

    /// Checks whether a test of an mbarrier waits for the phase.
    fn waits(&self, at: InstructionRef) -> bool {
        let operation = self.query().operation_of(at);
        operation.and_then(Operation::mbarrier) == Some(MbarrierOp::TryWait)
    }
}

const fn commutes(operation: AtomicOp) -> bool {
    matches!(
        operation,
        AtomicOp::Add
            | AtomicOp::Min
            | AtomicOp::Max
            | AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor
    )
}

const fn is_bits(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::B32 | ScalarType::B64)
}

impl Observer for Recorder<'_> {
    fn interest(&self) -> EventMask {
        self.detector.interest()
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let mut observed = *event;
        observed.action = self.add_access(event);
        self.detector.access(&observed);
    }

    fn row(&mut self, access: &ContiguousAccess) -> bool {
        access.access.sem == Sem::Weak && self.detector.row(access)
    }

    fn even(&mut self, access: &HalfWarpAccess) -> bool {
        access.access.sem == Sem::Weak && self.detector.even(access)
    }

    fn lanes(&mut self, access: &PerLaneAccess<'_>) -> bool {
        access.access.sem == Sem::Weak && self.detector.lanes(access)
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        self.detector.sync(event);
        self.add_sync(event);
    }

    fn store_step(&mut self, _step: u64) {
        self.record.has_stored = true;
    }
}
