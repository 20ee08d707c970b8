//! Sites at which a repair can edit a thread, and the levels of each site: stronger memory orderings of an instruction,
//! or fences of increasing strength.

use crate::explore::event::{EventKind, MemoryOrdering, Proxy};
use crate::explore::minimal_repairs::{RepairKind, RepairStep};
use crate::explore::query::LitmusQuery;
use crate::explore::traces::ThreadTraces;
use crate::scope::{ThreadLocation, includes};
use std::collections::BTreeMap;
use warpgrid_isa::{AsyncOp, MbarrierOp, MemoryOp, Operation, Scope, Sem, SyncOp};
use warpgrid_program::Instruction;

/// Index of a thread, and index of an instruction in its function.
type ThreadInstruction = (usize, u32);

/// Kind of edit that is possible at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepairSiteKind {
    /// Edit of the memory ordering of an instruction.
    Words,
    /// Insertion of a fence before the instruction.
    Fence,
    /// Insertion of a proxy fence before the instruction.
    ProxyFence,
}

/// Site at which a repair can edit a thread, with the possible levels of the edit. Level 0 is the unmodified source, and the last level is
/// stronger than all other levels.
#[derive(Clone, Debug)]
pub(crate) struct RepairSite {
    pub(crate) place: ThreadInstruction,
    pub(crate) kind: RepairSiteKind,
    levels: Vec<StrengthLevel>,
}

/// Level of a repair site: a memory ordering and the width of its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StrengthLevel {
    words: MemoryOrdering,
    /// Number of pairs of test threads that are within the scope of the memory ordering.
    width: usize,
}

impl RepairSite {
    pub(crate) fn n_levels(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn top(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    pub(crate) fn words(&self, level: usize) -> Option<MemoryOrdering> {
        self.levels.get(level).map(|level| level.words)
    }

    pub(crate) fn is_below(&self, low: usize, high: usize) -> bool {
        if low == high || low == 0 {
            return true;
        }
        match (self.levels.get(low), self.levels.get(high)) {
            (Some(low), Some(high)) => {
                high.words != low.words
                    && is_weaker(low.words.sem, high.words.sem)
                    && low.width <= high.width
                    && self.levels.first() != Some(high)
            }
            _ => false,
        }
    }

    /// Returns the number of levels of the site that are weaker than the given level, by which sets of edits are ordered.
    pub(crate) fn rank(&self, level: usize) -> usize {
        (0..self.levels.len())
            .filter(|low| self.is_below(*low, level))
            .count()
    }

    /// Returns the edit that corresponds to a level, or `None` for the unmodified source.
    pub(crate) fn change(&self, level: usize) -> Option<RepairStep> {
        let words = self.words(level).filter(|_| level > 0)?;
        Some(RepairStep {
            thread: self.place.0,
            instruction: self.place.1,
            repair: match self.kind {
                RepairSiteKind::Words => RepairKind::Strengthen(words),
                RepairSiteKind::Fence => RepairKind::Fence(words),
                RepairSiteKind::ProxyFence => RepairKind::ProxyFence,
            },
        })
    }
}

/// Checks whether the memory ordering `low` is at most as strong as the memory ordering `high`.
fn is_weaker(low: Sem, high: Sem) -> bool {
    let strength = |sem: Sem| match sem {
        Sem::Weak => 0,
        Sem::Volatile | Sem::Relaxed => 1,
        Sem::Acquire | Sem::Release => 2,
        Sem::AcqRel => 3,
        Sem::Sc => 4,
    };
    low == high || strength(low) < strength(high)
}

/// Class of an instruction, which determines the stronger memory orderings that the instruction allows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InstructionClass {
    Load,
    Store,
    Atomic,
    Reduction,
    Arrival,
    Test,
    Fence,
    ClusterArrival,
    /// Bulk copy, which accesses memory through the async proxy.
    BulkCopy,
    /// Memory access that belongs to no other class.
    Access,
    /// Barrier that belongs to no other class.
    Barrier,
    Other,
}

fn kind_of(operation: Operation) -> InstructionClass {
    match operation {
        Operation::Memory(op) => match op {
            MemoryOp::Load => InstructionClass::Load,
            MemoryOp::Store => InstructionClass::Store,
            MemoryOp::Atomic => InstructionClass::Atomic,
            MemoryOp::Reduction => InstructionClass::Reduction,
            MemoryOp::StoreBulk => InstructionClass::Access,
        },
        Operation::Mbarrier(op) => match op {
            MbarrierOp::Arrive | MbarrierOp::ArriveDrop => InstructionClass::Arrival,
            MbarrierOp::TestWait | MbarrierOp::TryWait => InstructionClass::Test,
            MbarrierOp::Init
            | MbarrierOp::Inval
            | MbarrierOp::ExpectTx
            | MbarrierOp::CompleteTx
            | MbarrierOp::PendingCount
            | MbarrierOp::CheckLayout => InstructionClass::Access,
        },
        Operation::Sync(op) => match op {
            SyncOp::Fence | SyncOp::Membar => InstructionClass::Fence,
            SyncOp::ClusterArrive => InstructionClass::ClusterArrival,
            SyncOp::Bar | SyncOp::Barrier | SyncOp::WarpBarrier | SyncOp::ClusterWait => {
                InstructionClass::Barrier
            }
        },
        Operation::Async(op) => match op {
            AsyncOp::BulkCopy | AsyncOp::BulkReduction => InstructionClass::BulkCopy,
            AsyncOp::Store | AsyncOp::Reduction | AsyncOp::Copy => InstructionClass::Access,
            AsyncOp::CopyCommit
            | AsyncOp::CopyWait
            | AsyncOp::CopyWaitAll
            | AsyncOp::CopyArrive
            | AsyncOp::BulkCommit
            | AsyncOp::BulkWait => InstructionClass::Other,
        },
        Operation::Arithmetic(_)
        | Operation::Carry(_)
        | Operation::Video(..)
        | Operation::Compare(_)
        | Operation::Move(_)
        | Operation::Matrix(_)
        | Operation::Control(_)
        | Operation::Warp(_)
        | Operation::Hint(_)
        | Operation::Unit(_)
        | Operation::Machine(_)
        | Operation::Unknown => InstructionClass::Other,
    }
}

/// Returns the memory orderings that are stronger than the ordering `sem` of an instruction, in the order of increasing
/// strength.
fn stronger_orders(kind: InstructionClass, sem: Sem) -> &'static [Sem] {
    match (kind, sem) {
        (InstructionClass::Load, Sem::Weak) => &[Sem::Relaxed, Sem::Acquire],
        (InstructionClass::Load, Sem::Volatile | Sem::Relaxed) => &[Sem::Acquire],
        (InstructionClass::Store, Sem::Weak) => &[Sem::Relaxed, Sem::Release],
        (InstructionClass::Store, Sem::Volatile | Sem::Relaxed) => &[Sem::Release],
        (InstructionClass::Atomic, Sem::Relaxed) => &[Sem::Acquire, Sem::Release, Sem::AcqRel],
        (InstructionClass::Atomic, Sem::Acquire | Sem::Release) => &[Sem::AcqRel],
        (
            InstructionClass::Reduction
            | InstructionClass::Arrival
            | InstructionClass::ClusterArrival,
            Sem::Relaxed,
        ) => &[Sem::Release],
        (InstructionClass::Test, Sem::Relaxed) => &[Sem::Acquire],
        (InstructionClass::Fence, Sem::Acquire | Sem::Release) => &[Sem::AcqRel, Sem::Sc],
        (InstructionClass::Fence, Sem::AcqRel) => &[Sem::Sc],
        _ => &[],
    }
}

/// Returns one scope for each distinct set of thread pairs that a scope includes, with the number of these pairs.
fn scopes_of(question: &LitmusQuery) -> Vec<(Scope, usize)> {
    let mut scopes: Vec<(Scope, usize)> = Vec::new();
    for scope in [Scope::Cta, Scope::Cluster, Scope::Gpu] {
        let width = width_of(question, scope);
        let last = scopes.last().map_or(0, |(_, width)| *width);
        if width > last {
            scopes.push((scope, width));
        }
    }
    scopes
}

fn width_of(question: &LitmusQuery, scope: Scope) -> usize {
    let homes: Vec<ThreadLocation> = question
        .threads
        .iter()
        .map(|thread| ThreadLocation {
            block: thread.block_index,
            cluster: thread.cluster_index,
        })
        .collect();
    let pairs = homes.iter().enumerate().flat_map(|(n, own)| {
        let others = homes
            .iter()
            .enumerate()
            .filter(move |(other, _)| *other != n);
        others.map(move |(_, other)| (*own, *other))
    });
    pairs
        .filter(|(own, other)| includes(scope, *own, *other))
        .count()
}

/// Checks whether some thread of the test uses the async proxy.
fn has_async_proxy(question: &LitmusQuery) -> bool {
    let functions = question.threads.iter();
    let mut functions =
        functions.filter_map(|t| question.program.functions.get(t.function.0 as usize));
    functions.any(|function| {
        let mut operation = function
            .instructions
            .iter()
            .filter_map(|i| question.program.opcode(i));
        operation.any(|action| kind_of(action.operation) == InstructionClass::BulkCopy)
    })
}

/// Returns the instructions of a thread before which a fence can be inserted: accesses that follow another access
/// without an intermediate fence or barrier. If copies of the thread use the async proxy, a fence can also be inserted
/// before barriers.
pub(crate) fn places_of(question: &LitmusQuery, thread: usize) -> Vec<bool> {
    let has_copies = has_async_proxy(question);
    let spec = question.threads.get(thread);
    let function = spec.and_then(|t| question.program.functions.get(t.function.0 as usize));
    let instructions = function.map_or(&[][..], |function| &function.instructions);
    let mut follows = false;
    let mut last_call = None;
    let place = |(number, instruction): (usize, &Instruction)| {
        let kind = part_of(question, instruction);
        let is_access = kind == FenceRole::Access || has_copies && kind == FenceRole::Barrier;
        match kind {
            FenceRole::Other => false,
            FenceRole::Fence | FenceRole::Barrier if !is_access => {
                follows = false;
                false
            }
            _ => {
                // Insert a fence before a call, not into the called function, because fixes do not modify called functions.
                let call = spec.and_then(|spec| spec.call_of(number));
                let is_within = call.is_some() && call == last_call;
                last_call = call;
                std::mem::replace(&mut follows, true) && !is_within
            }
        }
    };
    instructions.iter().enumerate().map(place).collect()
}

/// Role of an instruction in the search for sites of fences.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceRole {
    Access,
    Fence,
    Barrier,
    Other,
}

fn part_of(question: &LitmusQuery, instruction: &Instruction) -> FenceRole {
    let Some(action) = question.program.opcode(instruction) else {
        return FenceRole::Other;
    };
    match kind_of(action.operation) {
        InstructionClass::Load
        | InstructionClass::Store
        | InstructionClass::Atomic
        | InstructionClass::Reduction
        | InstructionClass::Arrival
        | InstructionClass::Test
        | InstructionClass::BulkCopy
        | InstructionClass::Access => FenceRole::Access,
        InstructionClass::Fence if is_acquire_or_release_only(action.modifiers.sem) => {
            FenceRole::Other
        }
        InstructionClass::Fence => FenceRole::Fence,
        InstructionClass::Barrier | InstructionClass::ClusterArrival => FenceRole::Barrier,
        InstructionClass::Other => FenceRole::Other,
    }
}

/// Checks whether a fence has only acquire semantics or only release semantics, so that an additional `acq_rel` fence
/// has an effect.
fn is_acquire_or_release_only(sem: Option<Sem>) -> bool {
    matches!(sem, Some(Sem::Acquire | Sem::Release))
}

/// Returns the sites of all threads, thread by thread.
pub(crate) fn sites_of(
    question: &LitmusQuery,
    traces: &ThreadTraces,
    places: &[Vec<bool>],
) -> Vec<RepairSite> {
    let has_copies = has_async_proxy(question);
    let scopes = scopes_of(question);
    let words = words_of(traces);
    let mut sites = Vec::new();
    for (thread, places) in places.iter().enumerate() {
        let spec = question.threads.get(thread);
        let function = spec.and_then(|t| question.program.functions.get(t.function.0 as usize));
        let instructions = function.map_or(&[][..], |function| &function.instructions);
        for (number, instruction) in instructions.iter().enumerate() {
            let place = (thread, number as u32);
            if places.get(number) == Some(&true) {
                sites.extend(fence_site(place, &scopes));
                if has_copies {
                    sites.push(proxy_site(place));
                }
            }
            let operation = question
                .program
                .opcode(instruction)
                .map(|action| action.operation);
            let is_called = spec.is_some_and(|spec| spec.call_of(number).is_some());
            if let (Some(operation), Some(words), false) = (operation, words.get(&place), is_called)
            {
                sites.extend(words_site(question, place, operation, *words, &scopes));
            }
        }
    }
    sites
}

/// Returns the memory orderings of the instructions that some trace executes.
fn words_of(traces: &ThreadTraces) -> BTreeMap<ThreadInstruction, MemoryOrdering> {
    let mut words = BTreeMap::new();
    for (thread, all) in traces.threads.iter().enumerate() {
        for step in all.iter().flat_map(|trace| &trace.steps) {
            let has_words = match step.kind {
                EventKind::Read | EventKind::Write | EventKind::Atomic | EventKind::Fence => true,
                EventKind::Arrive => step
                    .barrier
                    .is_some_and(|b| matches!(b, crate::explore::event::BarrierId::Cluster { .. })),
                EventKind::Init
                | EventKind::ProxyFence
                | EventKind::Leave
                | EventKind::GroupWait => false,
            };
            let is_plain =
                !step.overrides_ordering && !step.is_fence_slot && step.proxy == Proxy::Generic;
            if has_words && is_plain {
                words.insert((thread, step.instruction), step.words);
            }
        }
    }
    words
}

fn fence_site(place: ThreadInstruction, scopes: &[(Scope, usize)]) -> Option<RepairSite> {
    let none = StrengthLevel {
        words: MemoryOrdering::WEAK,
        width: 0,
    };
    let mut levels = vec![none];
    for sem in [Sem::AcqRel, Sem::Sc] {
        levels.extend(scopes.iter().map(|(scope, width)| StrengthLevel {
            words: MemoryOrdering::new(sem, *scope),
            width: *width,
        }));
    }
    (levels.len() > 1).then_some(RepairSite {
        place,
        kind: RepairSiteKind::Fence,
        levels,
    })
}

fn proxy_site(place: ThreadInstruction) -> RepairSite {
    let level = |sem: Sem| StrengthLevel {
        words: MemoryOrdering::new(sem, Scope::Cta),
        width: 0,
    };
    RepairSite {
        place,
        kind: RepairSiteKind::ProxyFence,
        levels: vec![level(Sem::Weak), level(Sem::Relaxed)],
    }
}

fn words_site(
    question: &LitmusQuery,
    place: ThreadInstruction,
    operation: Operation,
    words: MemoryOrdering,
    scopes: &[(Scope, usize)],
) -> Option<RepairSite> {
    let width = match words.sem {
        Sem::Weak => 0,
        _ => width_of(question, words.scope),
    };
    let kind = kind_of(operation);
    let own = StrengthLevel { words, width };
    let mut levels = vec![own];
    // An arrival at the cluster barrier has no scope operand, so only its memory ordering can be strengthened.
    if kind == InstructionClass::ClusterArrival {
        let sems = stronger_orders(kind, words.sem).iter();
        levels.extend(sems.map(|sem| StrengthLevel {
            words: MemoryOrdering::new(*sem, words.scope),
            width,
        }));
    } else {
        let sems = [words.sem]
            .into_iter()
            .chain(stronger_orders(kind, words.sem).iter().copied());
        for sem in sems.filter(|sem| *sem != Sem::Weak) {
            let present = (words.sem != Sem::Weak).then_some((words.scope, width));
            let wider = scopes.iter().copied().filter(|(_, wider)| *wider > width);
            for (scope, width) in present.into_iter().chain(wider) {
                // Volatile accesses have system scope, so only their memory ordering can be strengthened.
                let level = StrengthLevel {
                    words: MemoryOrdering::new(sem, scope),
                    width,
                };
                if level.words != words {
                    levels.push(level);
                }
            }
        }
    }
    (levels.len() > 1).then_some(RepairSite {
        place,
        kind: RepairSiteKind::Words,
        levels,
    })
}
