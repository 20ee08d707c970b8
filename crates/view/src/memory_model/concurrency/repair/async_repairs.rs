//! Repair candidates for races of asynchronous operations. The candidates insert or change commits, waits, expected byte counts of
//! mbarriers, and proxy fences.

use crate::memory_model::concurrency::repair::barrier_repairs::{BLOCK, WARP};
use crate::memory_model::concurrency::repair::body::{
    Body, is_arrival, is_async_proxy_fence, is_test, literal,
};
use crate::memory_model::concurrency::repair::mma_repairs::{is_product, mma_wait_repairs};
use crate::memory_model::concurrency::repair::{RepairContext, RepairEdits};
use warpgrid_isa::{
    AsyncOp, AsyncTransferKind, ComparisonOp, Completion, Flag, MbarrierOp, Operation, Sem, SyncOp,
};
use warpgrid_program::{OpcodeInfo, Operand, OperandValue};

const COMMIT: &str = "cp.async.commit_group;";
const BULK_COMMIT: &str = "cp.async.bulk.commit_group;";
const WAIT_ALL: &str = "cp.async.wait_all;";
const BULK_WAIT: &str = "cp.async.bulk.wait_group 0;";
const BULK_WAIT_READ: &str = "cp.async.bulk.wait_group.read 0;";
const PROXIES: &str = "fence.proxy.async.shared::cta;";

/// Checks whether an instruction is a bulk copy or a copy of a tensor.
fn is_bulk_copy(operation: Operation) -> bool {
    operation.transfer() == AsyncTransferKind::Bulk
        || operation
            .unit()
            .is_some_and(|op| op.tensor_copy().is_some())
}

/// Returns a predicate that checks whether an instruction performs the asynchronous operation `op`.
fn is_async(op: AsyncOp) -> impl Fn(&OpcodeInfo) -> bool {
    move |action| action.operation.asynchronous() == Some(op)
}

/// Checks whether a copy instruction signals its completion on an mbarrier.
fn completes_on_mbarrier(action: &OpcodeInfo) -> bool {
    action.modifiers.completion == Some(Completion::MbarrierCompleteTxBytes)
}

/// Returns candidates that insert a fence after the initialization of an mbarrier object.
pub(crate) fn of_init(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    let inits = body.all(|action| action.operation.mbarrier() == Some(MbarrierOp::Init));
    let last = inits.into_iter().max().unwrap_or(broken.first);
    let fence = "fence.mbarrier_init.release.cluster;";
    let places = [broken.first, last];
    places.map(|at| vec![body.after(at, fence)]).into()
}

/// Returns candidates with a proxy fence. A candidate moves an existing proxy fence, restricts it to a state space, or inserts a new proxy
/// fence.
pub(crate) fn proxy_fence_repairs(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    let is_non_coherent = |at: &usize| {
        let action = body.action(*at);
        action.is_some_and(|action| action.modifiers.has(Flag::NonCoherent))
    };
    if let Some(at) = [broken.first, broken.second]
        .into_iter()
        .find(is_non_coherent)
    {
        return plain_load(broken, at);
    }
    let space = if broken.race.place.space == "global" {
        "global"
    } else {
        "shared::cta"
    };
    let fence = format!("fence.proxy.async.{space};");
    let is_async = |operation: Operation| is_bulk_copy(operation) || is_product(operation);
    let (copy, other) = match body.operation(broken.second).is_some_and(is_async) {
        true => (broken.second, broken.first),
        false => (broken.first, broken.second),
    };
    let old = body.all(is_async_proxy_fence);
    let (same, wrong): (Vec<usize>, Vec<usize>) = old
        .into_iter()
        .partition(|at| body.unguarded_text(*at) == fence);
    let wrong = wrong.into_iter();
    let mut all: Vec<RepairEdits> = wrong.map(|at| vec![body.replace(at, &fence)]).collect();
    let mut places = vec![copy];
    let meetings = body.all(|action| {
        let is_fence = matches!(
            action.operation.sync(),
            Some(SyncOp::Fence | SyncOp::Membar)
        );
        let is_barrier = action.operation.sync().is_some() && !is_fence;
        is_barrier
            || is_arrival(action)
            || action.operation.transfer() == AsyncTransferKind::Arrival
    });
    places.extend(meetings.into_iter().find(|at| *at > other));
    places.push(other + 1);
    for at in same {
        let moved = places.iter();
        all.extend(moved.map(|place| vec![body.delete(at), body.before(*place, &fence)]));
    }
    all.extend(places.iter().map(|at| vec![body.before(*at, &fence)]));
    all
}

/// Returns candidates for a non-coherent load of memory that the kernel writes. A candidate replaces the non-coherent load with a weak
/// load, and inserts a barrier if the weak load needs one.
fn plain_load(broken: &RepairContext<'_>, at: usize) -> Vec<RepairEdits> {
    let body = broken.body;
    let Some(load) = body.syntax(at).with_modifier(Flag::NonCoherent.name(), &[]) else {
        return Vec::new();
    };
    let load = load.to_string();
    let plain = body.replace(at, &load);
    let mut all = vec![vec![plain.clone()]];
    if broken.is_one_block {
        let barriers =
            crate::memory_model::concurrency::repair::barrier_repairs::barrier_repairs(broken);
        let other =
            |edits: &RepairEdits| edits.iter().all(|edit| edit.statement != plain.statement);
        let with_barrier = barriers.into_iter().filter(other);
        all.extend(with_barrier.map(|edits| [vec![plain.clone()], edits].concat()));
        all.push(vec![body.replace(at, &format!("{BLOCK}\n{load}"))]);
    }
    all
}

/// Returns candidates that insert or strengthen waits for the asynchronous copies of a race.
pub(crate) fn copy_repairs(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    if let Some(all) = mma_wait_repairs(broken) {
        return all;
    }
    let is_copy =
        |operation: Operation| operation.asynchronous().is_some() || is_bulk_copy(operation);
    let (copy, other) = match body.operation(broken.first).is_some_and(is_copy) {
        true => (broken.first, broken.second),
        false => (broken.second, broken.first),
    };
    if body.action(copy).is_some_and(completes_on_mbarrier) {
        let mut all = mbarrier_repairs(broken);
        all.extend(new_wait(broken, other));
        return all;
    }
    match body.operation(copy).is_some_and(is_bulk_copy) {
        true => of_bulk_groups(broken, copy, other),
        false => of_groups(broken, copy, other),
    }
}

/// Returns candidates that insert or strengthen waits for a `cp.async` copy.
fn of_groups(broken: &RepairContext<'_>, copy: usize, other: usize) -> Vec<RepairEdits> {
    let body = broken.body;
    let mut all: Vec<RepairEdits> = Vec::new();
    let waits = body.all(|action| {
        let op = action.operation.asynchronous();
        op.is_some_and(AsyncOp::waits_for_own_copies)
    });
    all.extend(smaller_groups(broken, &waits));
    if !waits.is_empty() {
        all.push(vec![body.after(copy, COMMIT)]);
    }
    let arrivals = body.all(is_arrival).into_iter();
    all.extend(arrivals.filter_map(|at| {
        let is_address = |operand: &&Operand| matches!(operand.value, OperandValue::Address(_));
        let object = body.operands(at).iter().find(is_address)?;
        let object = body.operand_text(at, object)?;
        let arrival = format!("cp.async.mbarrier.arrive.noinc.shared.b64 {object};");
        Some(vec![body.replace(at, &arrival)])
    }));
    let barriers = body.all_sync(&[
        SyncOp::Bar,
        SyncOp::Barrier,
        SyncOp::WarpBarrier,
        SyncOp::ClusterArrive,
        SyncOp::ClusterWait,
    ]);
    let barrier = barriers.into_iter().find(|at| *at > copy);
    let places: Vec<usize> = barrier.into_iter().chain([other]).collect();
    // Add a candidate that moves the wait before the access, because a wait directly after the access is probably misplaced.
    for wait in &waits {
        let unknown = places.iter().filter(|at| **at + 1 == *wait);
        all.extend(unknown.map(|at| body.move_before(*wait, *at)));
        all.push(vec![body.after(*wait, WARP)]);
        all.push(vec![body.after(*wait, BLOCK)]);
    }
    let early = places.iter().filter(|at| **at <= other);
    all.extend(early.map(|at| vec![body.before(*at, WAIT_ALL)]));
    for wait in &waits {
        all.extend(places.iter().map(|at| body.move_before(*wait, *at)));
    }
    all
}

/// Returns candidates that insert or strengthen waits for the bulk async-group of a bulk copy.
fn of_bulk_groups(broken: &RepairContext<'_>, copy: usize, other: usize) -> Vec<RepairEdits> {
    let body = broken.body;
    let mut all: Vec<RepairEdits> = Vec::new();
    let waits = body.all(is_async(AsyncOp::BulkWait));
    let commits = body.all(is_async(AsyncOp::BulkCommit));
    let next_wait = waits.iter().copied().find(|wait| *wait > copy);
    let next_commit = commits.into_iter().find(|commit| *commit > copy);
    if next_commit.is_none_or(|commit| next_wait.is_some_and(|wait| wait < commit)) {
        all.push(vec![
            body.before(next_wait.unwrap_or(copy + 1), BULK_COMMIT),
        ]);
    }
    all.extend(smaller_groups(broken, &waits));
    for wait in &waits {
        let statement = body.syntax(*wait);
        for predicate in predicates(body) {
            for guard in [format!("@{predicate}"), format!("@!{predicate}")] {
                let guarded = statement.guarded(guard);
                all.push(vec![body.replace(*wait, &guarded.to_string())]);
            }
        }
        all.extend(body.set_modifier(*wait, "read", &[]));
        let unguarded = body.before(other, &body.unguarded_text(*wait));
        all.push(vec![body.delete(*wait), unguarded]);
    }
    let at = end_of_part(body, next_commit.unwrap_or(copy));
    all.extend([BULK_WAIT_READ, BULK_WAIT].map(|wait| vec![body.after(at, wait)]));
    all
}

/// Returns the number of the last statement before the first label that follows the statement `at`, or `at` if no label follows.
fn end_of_part(body: &Body<'_>, at: usize) -> usize {
    let next = (at + 1..body.len()).find(|next| body.label(*next).is_some());
    next.map_or(at, |label| label - 1)
}

/// Returns candidates that reduce the number of pending groups which existing waits allow.
pub(crate) fn smaller_groups(broken: &RepairContext<'_>, waits: &[usize]) -> Vec<RepairEdits> {
    let body = broken.body;
    let mut all = Vec::new();
    for wait in waits {
        let syntax = body.syntax(*wait);
        let count = body.operands(*wait).first().and_then(literal).unwrap_or(0);
        let fewer = (0..count.min(8)).rev();
        let fewer = fewer.filter_map(|n| syntax.with_operand(0, n.to_string()));
        all.extend(fewer.map(|wait_for| vec![body.replace(*wait, &wait_for.to_string())]));
    }
    all
}

/// Returns the names of the predicates that comparison instructions of a body write.
fn predicates<'a>(body: &Body<'a>) -> Vec<&'a str> {
    let comparisons = body.all(|action| action.operation.compare() == Some(ComparisonOp::Setp));
    let mut all: Vec<&str> = Vec::new();
    for name in comparisons.into_iter().filter_map(|at| body.predicate(at)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Returns candidates that insert a copy of an existing mbarrier wait loop before an access.
pub(crate) fn new_wait(broken: &RepairContext<'_>, access: usize) -> Vec<RepairEdits> {
    let body = broken.body;
    let waits = body.all(|action| action.operation.mbarrier() == Some(MbarrierOp::TryWait));
    let of = |wait: usize| {
        let (statement, predicate) = (body.unguarded_text(wait), body.predicate(wait)?);
        let new = format!("EARLY:\n{statement}\n@!{predicate} bra EARLY;");
        Some(vec![body.before(access, &new)])
    };
    waits.into_iter().filter_map(of).collect()
}

/// Returns candidates that correct existing mbarrier arrivals and waits.
pub(crate) fn mbarrier_repairs(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    /// Index of the parity operand of an mbarrier wait.
    const PARITY: usize = 2;
    let body = broken.body;
    let mut all: Vec<RepairEdits> = Vec::new();
    let waits = body.all(is_test);
    let arrivals = body.all(is_arrival);
    for (operations, sem) in [(&arrivals, Sem::Release), (&waits, Sem::Acquire)] {
        let ordered = operations.iter();
        all.extend(
            ordered.filter_map(|at| body.set_modifier(*at, Sem::Relaxed.name(), &[sem.name()])),
        );
    }
    for at in &waits {
        let parity = body.operands(*at).get(PARITY).and_then(literal);
        let other = parity.and_then(|parity| {
            let other = 1 - parity.min(1);
            body.syntax(*at).with_operand(PARITY, other.to_string())
        });
        all.extend(other.map(|wait| vec![body.replace(*at, &wait.to_string())]));
        if let (Some(label), Some(predicate)) = (body.label_before(*at), body.predicate(*at)) {
            let branch = format!("@!{predicate} bra {label};");
            all.push(vec![body.replace(at + 1, &branch)]);
        }
    }
    for at in &arrivals {
        let moved = body.text(*at);
        // Also try a candidate with a proxy fence, which is necessary if a copy follows the arrival.
        for text in [moved.clone(), format!("{PROXIES}\n{moved}")] {
            let later = [broken.first, broken.second].into_iter();
            let later = later.filter(|access| access > at);
            all.extend(later.map(|access| vec![body.delete(*at), body.after(access, &text)]));
        }
    }
    all.extend(expecting(broken, &arrivals));
    all
}

/// Returns candidates in which mbarrier arrivals expect the number of bytes that the copies of the race transfer.
fn expecting(broken: &RepairContext<'_>, arrivals: &[usize]) -> Vec<RepairEdits> {
    let body = broken.body;
    let copies = body.all(|action| is_bulk_copy(action.operation) && completes_on_mbarrier(action));
    let sizes = copies.into_iter().filter_map(|at| {
        let mut operands = body.operands(at).iter();
        operands.find_map(literal)
    });
    let mut sums: Vec<u64> = Vec::new();
    let mut sum = 0;
    for size in sizes {
        sum += size;
        sums.push(sum);
    }
    // Also add a candidate that expects the total number of bytes, because each block of the cluster may transfer the same number of bytes
    // to the mbarrier.
    let n_blocks = match broken.is_one_cluster {
        true => u64::from(broken.n_blocks),
        false => 1,
    };
    let mut all = Vec::new();
    for at in arrivals {
        let syntax = body.syntax(*at);
        let expects = body
            .action(*at)
            .is_some_and(|own| own.modifiers.has(Flag::ExpectTx));
        let last = body.operands(*at).last().filter(|_| expects);
        let stated = last.and_then(literal);
        let all_blocks = stated.map(|bytes| bytes.saturating_mul(n_blocks));
        let more = broken.unexpected.iter();
        let more = more.map(|bytes| stated.unwrap_or(0).saturating_add(u64::from(*bytes)));
        let more: Vec<u64> = more.collect();
        for sum in sums.iter().chain(&all_blocks).chain(&more) {
            let changed = match expects {
                true => {
                    let last = syntax.operands.len().saturating_sub(1);
                    syntax.with_operand(last, sum.to_string())
                }
                false => {
                    let mut changed = syntax.with_modifier("arrive", &["arrive", "expect_tx"]);
                    if let Some(changed) = &mut changed {
                        changed.operands.push(sum.to_string().into());
                    }
                    changed
                }
            };
            all.extend(changed.map(|own| vec![body.replace(*at, &own.to_string())]));
        }
    }
    all
}
