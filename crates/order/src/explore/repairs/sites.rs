//! Sites of possible edits in a thread, and their levels: stronger memory orderings of instructions, and inserted
//! fences.

use crate::explore::question::Question;
use crate::explore::repairs::{Change, Repair};
use crate::explore::step::{NodeKind, Proxy, Words};
use crate::explore::traces::Traces;
use crate::scope::{Home, takes_in};
use std::collections::BTreeMap;
use warpgrid_isa::{AsyncOp, Does, MbarrierOp, MemoryOp, Scope, Sem, SyncOp};
use warpgrid_program::Instruction;

/// A thread, and an instruction of its function.
type Place = (usize, u32);

/// Kind of edit that is possible at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteKind {
    /// Memory ordering of an instruction.
    Words,
    /// Fence before the instruction.
    Fence,
    /// Proxy fence before the instruction.
    ProxyFence,
}

/// Site of an edit. Level 0 is the unmodified source; the last level is stronger than all others.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) place: Place,
    pub(crate) kind: SiteKind,
    levels: Vec<Level>,
}

/// Level of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    words: Words,
    /// Number of pairs of test threads that the scope includes.
    width: usize,
}

impl Site {
    pub(crate) fn n_levels(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn top(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    pub(crate) fn words(&self, level: usize) -> Option<Words> {
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

    /// Returns the number of levels that are weaker than a level.
    pub(crate) fn rank(&self, level: usize) -> usize {
        (0..self.levels.len())
            .filter(|low| self.is_below(*low, level))
            .count()
    }

    /// Returns the edit of a level; `None` for the unmodified source.
    pub(crate) fn change(&self, level: usize) -> Option<Change> {
        let words = self.words(level).filter(|_| level > 0)?;
        Some(Change {
            thread: self.place.0,
            instruction: self.place.1,
            repair: match self.kind {
                SiteKind::Words => Repair::Strengthen(words),
                SiteKind::Fence => Repair::Fence(words),
                SiteKind::ProxyFence => Repair::ProxyFence,
            },
        })
    }
}

/// Checks whether a memory ordering is at most as strong as another one.
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

/// Class of an instruction with respect to stronger memory orderings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Atomic,
    Reduction,
    Arrival,
    Test,
    Fence,
    ClusterArrival,
    /// Copy through the async proxy.
    BulkCopy,
    /// Other access.
    Access,
    /// Other barrier.
    Barrier,
    Other,
}

fn kind_of(does: Does) -> Kind {
    match does {
        Does::Memory(op) => match op {
            MemoryOp::Load => Kind::Load,
            MemoryOp::Store => Kind::Store,
            MemoryOp::Atomic => Kind::Atomic,
            MemoryOp::Reduction => Kind::Reduction,
            MemoryOp::StoreBulk => Kind::Access,
        },
        Does::Mbarrier(op) => match op {
            MbarrierOp::Arrive | MbarrierOp::ArriveDrop => Kind::Arrival,
            MbarrierOp::TestWait | MbarrierOp::TryWait => Kind::Test,
            MbarrierOp::Init
            | MbarrierOp::Inval
            | MbarrierOp::ExpectTx
            | MbarrierOp::CompleteTx
            | MbarrierOp::PendingCount
            | MbarrierOp::CheckLayout => Kind::Access,
        },
        Does::Sync(op) => match op {
            SyncOp::Fence | SyncOp::Membar => Kind::Fence,
            SyncOp::ClusterArrive => Kind::ClusterArrival,
            SyncOp::Bar | SyncOp::Barrier | SyncOp::WarpBarrier | SyncOp::ClusterWait => {
                Kind::Barrier
            }
        },
        Does::Async(op) => match op {
            AsyncOp::BulkCopy | AsyncOp::BulkReduction => Kind::BulkCopy,
            AsyncOp::Store | AsyncOp::Reduction | AsyncOp::Copy => Kind::Access,
            AsyncOp::CopyCommit
            | AsyncOp::CopyWait
            | AsyncOp::CopyWaitAll
            | AsyncOp::CopyArrive
            | AsyncOp::BulkCommit
            | AsyncOp::BulkWait => Kind::Other,
        },
        Does::Arithmetic(_)
        | Does::Carry(_)
        | Does::Video(..)
        | Does::Compare(_)
        | Does::Move(_)
        | Does::Matrix(_)
        | Does::Control(_)
        | Does::Warp(_)
        | Does::Hint(_)
        | Does::Unit(_)
        | Does::Machine(_)
        | Does::Unknown => Kind::Other,
    }
}

/// Returns the stronger memory orderings of an instruction, weaker ones first.
fn stronger_orders(kind: Kind, sem: Sem) -> &'static [Sem] {
    match (kind, sem) {
        (Kind::Load, Sem::Weak) => &[Sem::Relaxed, Sem::Acquire],
        (Kind::Load, Sem::Volatile | Sem::Relaxed) => &[Sem::Acquire],
        (Kind::Store, Sem::Weak) => &[Sem::Relaxed, Sem::Release],
        (Kind::Store, Sem::Volatile | Sem::Relaxed) => &[Sem::Release],
        (Kind::Atomic, Sem::Relaxed) => &[Sem::Acquire, Sem::Release, Sem::AcqRel],
        (Kind::Atomic, Sem::Acquire | Sem::Release) => &[Sem::AcqRel],
        (Kind::Reduction | Kind::Arrival | Kind::ClusterArrival, Sem::Relaxed) => &[Sem::Release],
        (Kind::Test, Sem::Relaxed) => &[Sem::Acquire],
        (Kind::Fence, Sem::Acquire | Sem::Release) => &[Sem::AcqRel, Sem::Sc],
        (Kind::Fence, Sem::AcqRel) => &[Sem::Sc],
        _ => &[],
    }
}

/// Returns the scopes that distinguish the threads of a question, with the number of thread pairs that each scope
/// includes.
fn scopes_of(question: &Question) -> Vec<(Scope, usize)> {
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

fn width_of(question: &Question, scope: Scope) -> usize {
    let homes: Vec<Home> = question
        .threads
        .iter()
        .map(|thread| Home {
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
        .filter(|(own, other)| takes_in(scope, *own, *other))
        .count()
}

/// Checks whether a thread uses the async proxy.
fn has_async_proxy(question: &Question) -> bool {
    let functions = question.threads.iter();
    let mut functions =
        functions.filter_map(|t| question.program.functions.get(t.function.0 as usize));
    functions.any(|function| {
        let mut does = function
            .instructions
            .iter()
            .filter_map(|i| question.program.action(i));
        does.any(|action| kind_of(action.does) == Kind::BulkCopy)
    })
}

/// Returns the instructions of a thread before which a fence can be inserted: accesses that follow another access
/// without a fence or barrier between them. If copies use the async proxy, barriers are included.
pub(crate) fn places_of(question: &Question, thread: usize) -> Vec<bool> {
    let has_copies = has_async_proxy(question);
    let spec = question.threads.get(thread);
    let function = spec.and_then(|t| question.program.functions.get(t.function.0 as usize));
    let instructions = function.map_or(&[][..], |function| &function.instructions);
    let mut follows = false;
    let mut last_call = None;
    let place = |(number, instruction): (usize, &Instruction)| {
        let kind = part_of(question, instruction);
        let is_access = kind == Part::Access || has_copies && kind == Part::Barrier;
        match kind {
            Part::Other => false,
            Part::Fence | Part::Barrier if !is_access => {
                follows = false;
                false
            }
            _ => {
                // A fence is inserted before a call, not into the called function.
                let call = spec.and_then(|spec| spec.call_of(number));
                let is_within = call.is_some() && call == last_call;
                last_call = call;
                std::mem::replace(&mut follows, true) && !is_within
            }
        }
    };
    instructions.iter().enumerate().map(place).collect()
}

/// Role of an instruction with respect to inserted fences.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Access,
    Fence,
    Barrier,
    Other,
}

fn part_of(question: &Question, instruction: &Instruction) -> Part {
    let Some(action) = question.program.action(instruction) else {
        return Part::Other;
    };
    match kind_of(action.does) {
        Kind::Load
        | Kind::Store
        | Kind::Atomic
        | Kind::Reduction
        | Kind::Arrival
        | Kind::Test
        | Kind::BulkCopy
        | Kind::Access => Part::Access,
        Kind::Fence if is_one_sided(action.modifiers.sem) => Part::Other,
        Kind::Fence => Part::Fence,
        Kind::Barrier | Kind::ClusterArrival => Part::Barrier,
        Kind::Other => Part::Other,
    }
}

/// Checks whether a fence only acquires or only releases, so that an additional `acq_rel` fence has an effect.
fn is_one_sided(sem: Option<Sem>) -> bool {
    matches!(sem, Some(Sem::Acquire | Sem::Release))
}

/// Returns all sites, thread by thread.
pub(crate) fn sites_of(question: &Question, traces: &Traces, places: &[Vec<bool>]) -> Vec<Site> {
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
            let does = question
                .program
                .action(instruction)
                .map(|action| action.does);
            let is_called = spec.is_some_and(|spec| spec.call_of(number).is_some());
            if let (Some(does), Some(words), false) = (does, words.get(&place), is_called) {
                sites.extend(words_site(question, place, does, *words, &scopes));
            }
        }
    }
    sites
}

/// Returns the memory orderings of the instructions that some trace executes.
fn words_of(traces: &Traces) -> BTreeMap<Place, Words> {
    let mut words = BTreeMap::new();
    for (thread, all) in traces.threads.iter().enumerate() {
        for step in all.iter().flat_map(|trace| &trace.steps) {
            let has_words = match step.kind {
                NodeKind::Read | NodeKind::Write | NodeKind::Atomic | NodeKind::Fence => true,
                NodeKind::Arrive => step
                    .barrier
                    .is_some_and(|b| matches!(b, crate::explore::step::Barrier::Cluster { .. })),
                NodeKind::Init | NodeKind::ProxyFence | NodeKind::Leave | NodeKind::GroupWait => {
                    false
                }
            };
            let is_plain = !step.own_words && !step.is_open_place && step.proxy == Proxy::Generic;
            if has_words && is_plain {
                words.insert((thread, step.instruction), step.words);
            }
        }
    }
    words
}

fn fence_site(place: Place, scopes: &[(Scope, usize)]) -> Option<Site> {
    let none = Level {
        words: Words::WEAK,
        width: 0,
    };
    let mut levels = vec![none];
    for sem in [Sem::AcqRel, Sem::Sc] {
        levels.extend(scopes.iter().map(|(scope, width)| Level {
            words: Words::new(sem, *scope),
            width: *width,
        }));
    }
    (levels.len() > 1).then_some(Site {
        place,
        kind: SiteKind::Fence,
        levels,
    })
}

fn proxy_site(place: Place) -> Site {
    let level = |sem: Sem| Level {
        words: Words::new(sem, Scope::Cta),
        width: 0,
    };
    Site {
        place,
        kind: SiteKind::ProxyFence,
        levels: vec![level(Sem::Weak), level(Sem::Relaxed)],
    }
}

fn words_site(
    question: &Question,
    place: Place,
    does: Does,
    words: Words,
    scopes: &[(Scope, usize)],
) -> Option<Site> {
    let width = match words.sem {
        Sem::Weak => 0,
        _ => width_of(question, words.scope),
    };
    let kind = kind_of(does);
    let own = Level { words, width };
    let mut levels = vec![own];
    // The cluster barrier has no scope.
    if kind == Kind::ClusterArrival {
        let sems = stronger_orders(kind, words.sem).iter();
        levels.extend(sems.map(|sem| Level {
            words: Words::new(*sem, words.scope),
            width,
        }));
    } else {
        let sems = [words.sem]
            .into_iter()
            .chain(stronger_orders(kind, words.sem).iter().copied());
        for sem in sems.filter(|sem| *sem != Sem::Weak) {
            let kept = (words.sem != Sem::Weak).then_some((words.scope, width));
            let wider = scopes.iter().copied().filter(|(_, wider)| *wider > width);
            for (scope, width) in kept.into_iter().chain(wider) {
                // Volatile accesses have system scope, so only their memory ordering can be strengthened.
                let level = Level {
                    words: Words::new(sem, scope),
                    width,
                };
                if level.words != words {
                    levels.push(level);
                }
            }
        }
    }
    (levels.len() > 1).then_some(Site {
        place,
        kind: SiteKind::Words,
        levels,
    })
}
