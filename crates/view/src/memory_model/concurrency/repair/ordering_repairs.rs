//! Repair candidates that strengthen accesses and fences. The search first tries candidates that widen a scope to include the other thread,
//! then candidates with a stronger memory order. It tries candidates that edit one side of the race before candidates that edit both sides.

use crate::memory_model::concurrency::repair::body::{Body, is_fence};
use crate::memory_model::concurrency::repair::{RepairContext, RepairEdits};
use warpgrid_isa::{AccessKind, CacheOp, Flag, MemoryOp, Scope, Sem, StateSpace};
use warpgrid_program::OpcodeInfo;

/// Maximum number of statements whose stronger forms the search combines with each other.
const MAX_SITES: usize = 10;

/// Stronger forms of a statement in the order from weak to strong. Each form has a number that represents its strength.
type Variants = Vec<(u32, RepairEdits)>;

/// Returns candidates with stronger accesses and fences, in order of increasing strength.
pub(crate) fn stronger_access_repairs(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    // First, strengthen the accesses of the race only if one of them is strong or polls in a loop. Otherwise, the accesses are probably
    // data accesses rather than communication.
    let [a, b] = [broken.first, broken.second];
    let is_strong = |at: usize| body.action(at).is_some_and(is_strong);
    let is_polled = |at: usize| poll_loop_exit(body, at) != at;
    let tells = [a, b].iter().any(|at| is_strong(*at) || is_polled(*at));
    let mut all = combined(broken, |at| tells && [a, b].contains(&at));
    all.extend(combined(broken, |at| [a, b].contains(&at)));
    all
}

/// Returns combinations of the stronger forms of the accesses and fences of a race.
fn combined(broken: &RepairContext<'_>, is_racy: impl Fn(usize) -> bool) -> Vec<RepairEdits> {
    let body = broken.body;
    let all = body.all(|action| is_access(action) || is_fence(action));
    let sites: Vec<Variants> = all
        .into_iter()
        .filter(|at| is_racy(*at) || body.action(*at).is_some_and(is_strong))
        .map(|at| variants(body, at, broken.scope()))
        .filter(|variants| !variants.is_empty())
        .take(MAX_SITES)
        .collect();
    let mut all: Vec<(u32, usize, RepairEdits)> = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        for (strength, edits) in site {
            all.push((*strength, 1, edits.clone()));
            for other in &sites[index + 1..] {
                all.extend(other.iter().map(|(more, also)| {
                    (
                        strength + more,
                        2,
                        edits.iter().chain(also).cloned().collect(),
                    )
                }));
            }
        }
    }
    // Order the combinations by the number of edited statements, then by increasing strength.
    all.sort_by_key(|(strength, n, _)| (*n, *strength));
    all.into_iter().map(|(_, _, edits)| edits).collect()
}

fn is_access(action: &OpcodeInfo) -> bool {
    let space = action.modifiers.state_space();
    let is_parameter = matches!(space, StateSpace::ParamEntry | StateSpace::ParamFunc);
    action
        .operation
        .memory()
        .and_then(MemoryOp::access)
        .is_some()
        && !is_parameter
}

/// Checks whether an instruction participates in the communication between threads.
fn is_strong(action: &OpcodeInfo) -> bool {
    let access = action.operation.memory().and_then(MemoryOp::access);
    is_fence(action)
        || access == Some(AccessKind::Atomic)
        || action.modifiers.sem.is_some_and(|sem| sem != Sem::Weak)
}

/// Returns the stronger forms of a statement that is a fence or an access. The strengthened scope is at least `scope`.
fn variants(body: &Body<'_>, at: usize, scope: Scope) -> Variants {
    let Some(action) = body.action(at) else {
        return Vec::new();
    };
    let syntax = body.syntax(at);
    let modifiers = &action.modifiers;
    let op = match action.operation.memory() {
        Some(op) => op,
        None => {
            let wider = scope.max(modifiers.scope.unwrap_or(Scope::Cta));
            let mut fence = syntax;
            fence.words = ["fence", "acq_rel", wider.name()].map(str::to_owned).into();
            return vec![(1, vec![body.replace(at, &fence.to_string())])];
        }
    };
    let kind = op.access();
    let default = match kind {
        Some(AccessKind::Atomic) => (Sem::Relaxed, Scope::Gpu),
        _ => (Sem::Weak, Scope::Cta),
    };
    let own = match (modifiers.sem, modifiers.scope) {
        (Some(Sem::Volatile), _) => Scope::Cta,
        (_, stated) => stated.unwrap_or(default.1),
    };
    let wide = own.max(scope);
    let old = modifiers.sem.unwrap_or(default.0);
    let is_of_strength = |word: &String| {
        Sem::from_name(word).is_some()
            || Scope::from_name(word).is_some()
            || CacheOp::from_name(word).is_some()
            || word == Flag::NonCoherent.name()
    };
    let (opcode, rest) = syntax.words.split_first().unzip();
    let rest = rest
        .unwrap_or(&[])
        .iter()
        .filter(|word| !is_of_strength(word));
    let rest: Vec<&String> = rest.collect();
    let mut all = Vec::new();
    for (strength, new) in stronger(op, old) {
        let is_stated = modifiers.scope == Some(wide);
        let is_default = modifiers.scope.is_none() && modifiers.sem.is_none() && own == wide;
        if new == old && (is_stated || is_default && old != Sem::Weak) {
            continue;
        }
        let mut changed = syntax.clone();
        changed.words = opcode.into_iter().cloned().collect();
        changed
            .words
            .extend([new.name(), wide.name()].map(str::to_owned));
        changed.words.extend(rest.iter().copied().cloned());
        all.push((strength, vec![body.replace(at, &changed.to_string())]));
    }
    if old == Sem::Weak {
        return all;
    }
    let fence = format!("fence.acq_rel.{};", wide.name());
    if kind != Some(AccessKind::Load) {
        all.push((6, vec![body.before(at, &fence)]));
    }
    let has_result = matches!(op, MemoryOp::Load | MemoryOp::Atomic);
    if has_result {
        all.push((6, vec![body.after(poll_loop_exit(body, at), &fence)]));
    }
    if has_result && kind == Some(AccessKind::Atomic) {
        all.push((12, vec![body.before(at, &fence), body.after(at, &fence)]));
    }
    all
}

/// Returns the memory orders that an access can specify, from its present order `old` to the strongest order. Each memory order has a
/// number that represents its strength.
fn stronger(op: MemoryOp, old: Sem) -> Vec<(u32, Sem)> {
    let all: &[(u32, Sem)] = match op {
        MemoryOp::Load => &[(1, Sem::Relaxed), (3, Sem::Acquire)],
        MemoryOp::Store | MemoryOp::StoreBulk | MemoryOp::Reduction => {
            &[(1, Sem::Relaxed), (3, Sem::Release)]
        }
        MemoryOp::Atomic => &[
            (1, Sem::Relaxed),
            (3, Sem::Acquire),
            (3, Sem::Release),
            (5, Sem::AcqRel),
        ],
    };
    let at = match old {
        Sem::Weak | Sem::Volatile => 0,
        Sem::Relaxed => 1,
        Sem::AcqRel => 5,
        Sem::Acquire | Sem::Release | Sem::Sc => 3,
    };
    let keeps = |(strength, new): &&(u32, Sem)| match old {
        Sem::Acquire | Sem::Release => *new == old || *new == Sem::AcqRel,
        _ => *strength >= at,
    };
    all.iter().filter(keeps).copied().collect()
}

/// Returns the backward branch of the polling loop that contains a statement, or the statement itself if no such loop exists.
fn poll_loop_exit(body: &Body<'_>, at: usize) -> usize {
    let label = body.label_before(at);
    let branch = label.and_then(|_| body.branch_back_to(at));
    branch.unwrap_or(at)
}
