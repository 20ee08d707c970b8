//! Repair candidates that synchronize threads by barriers. The candidates use barriers of the warp, of the block or of the cluster, in this
//! order.

use crate::memory_model::concurrency::repair::body::{Body, is_block_barrier};
use crate::memory_model::concurrency::repair::{RepairContext, RepairEdits};
use warpgrid_isa::{ControlOp, Flag, Operation, SyncOp};

pub(crate) const WARP: &str = "bar.warp.sync 0xffffffff;";
pub(crate) const BLOCK: &str = "bar.sync 0;";
const FENCED_BLOCK: &str = "fence.proxy.async.shared::cta;\nbar.sync 0;";
const CLUSTER: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";

/// Number of statements after the later access for which the search also tries a barrier directly before the statement. In a loop, the
/// earlier access of the next iteration follows the later access.
const REACH_OF_LOOPS: usize = 5;

/// Returns candidates that insert a barrier between threads of one block.
pub(crate) fn barrier_repairs(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    let (before, after) = (
        |at: usize, text: &str| body.before(at, text),
        |at: usize, text: &str| body.after(at, text),
    );
    let mut all: Vec<RepairEdits> = Vec::new();
    let (low, high) = broken.ends();
    let warp_barriers = body.all_sync(&[SyncOp::WarpBarrier]);
    let arrivals = body
        .all(|action| action.operation.is_block_barrier() && action.modifiers.has(Flag::Arrive));
    let replaced = |text: &'static str| {
        let all = warp_barriers.iter();
        all.map(move |at| vec![body.replace(*at, text)])
    };
    all.extend(replaced(WARP));
    if broken.is_one_warp {
        all.push(vec![before(high, WARP)]);
        all.push(vec![after(low, WARP)]);
    }
    all.extend((low + 1..high).map(|at| vec![before(at, WARP)]));
    if broken.is_one_warp {
        all.push(vec![before(low, WARP), after(high, WARP)]);
        all.push(vec![before(high, WARP), after(low, WARP)]);
        all.push(vec![before(high, WARP), after(high, WARP)]);
    }
    let waiting = arrivals.iter();
    all.extend(waiting.filter_map(|at| body.set_modifier(*at, "arrive", &["sync"])));
    all.extend(replaced(BLOCK));
    all.push(vec![before(high, BLOCK)]);
    all.extend((low + 1..high).map(|at| vec![before(at, BLOCK)]));
    let later = high + 1..=high + REACH_OF_LOOPS;
    all.extend(later.clone().map(|at| vec![before(at, WARP)]));
    all.extend(later.map(|at| vec![before(at, BLOCK)]));
    all.push(vec![before(high, BLOCK), after(high, BLOCK)]);
    all
}

/// Returns candidates that insert a proxy fence and a barrier, which order a copy after preceding accesses of threads.
pub(crate) fn before_copies(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let (low, high) = broken.ends();
    let places = [high].into_iter().chain(low + 1..high);
    let places = places.chain(high + 1..=high + REACH_OF_LOOPS);
    let edits = places.map(|at| vec![broken.body.before(at, FENCED_BLOCK)]);
    edits.collect()
}

/// Returns candidates for barrier statements at which different threads arrived in the same phase. A candidate removes the guard of a
/// barrier, adds a barrier to the path without a barrier, moves a barrier before the branch that skips the barrier or after the target of
/// this branch, or deletes a barrier.
pub(crate) fn of_mixed_barriers(body: &Body<'_>, barriers: &[usize]) -> Vec<RepairEdits> {
    const REACH: usize = 12;
    let (Some(first), Some(last)) = (barriers.first().copied(), barriers.last().copied()) else {
        return Vec::new();
    };
    let mut all: Vec<RepairEdits> = Vec::new();
    for at in barriers {
        if body.syntax(*at).guard.is_some() {
            all.push(vec![body.replace(*at, &body.unguarded_text(*at))]);
        }
    }
    for at in barriers {
        let barrier = body.unguarded_text(*at);
        all.extend((first + 1..last).map(|other| vec![body.before(other, &barrier)]));
    }
    for at in barriers {
        let barrier = body.unguarded_text(*at);
        let branches = (at.saturating_sub(REACH)..*at).rev();
        let branches = branches.filter(|other| body.is_branch(*other));
        all.extend(branches.map(|other| vec![body.delete(*at), body.before(other, &barrier)]));
        let labels = (at + 1..at + REACH).filter(|other| body.label(*other).is_some());
        all.extend(labels.map(|other| vec![body.delete(*at), body.after(other, &barrier)]));
    }
    all.extend(barriers.iter().map(|at| vec![body.delete(*at)]));
    all
}

/// Returns candidates that insert or move cluster barriers, which synchronize threads of different blocks of a cluster.
pub(crate) fn of_clusters(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    if !broken.is_one_cluster {
        return Vec::new();
    }
    let body = broken.body;
    let (low, high) = broken.ends();
    let barriers = body.all(is_block_barrier);
    let between = barriers.iter().filter(|at| (low..=high).contains(at));
    let mut all: Vec<RepairEdits> = between.map(|at| vec![body.replace(*at, CLUSTER)]).collect();
    let others = (low + 1..high).chain(high + 1..=high + REACH_OF_LOOPS);
    let places = [high, low].into_iter().chain(others);
    all.extend(places.map(|at| vec![body.before(at, CLUSTER)]));
    // First try to move an existing cluster barrier, because it may be at the wrong position.
    for wait in body.all_sync(&[SyncOp::ClusterWait]) {
        let arrival = wait.saturating_sub(1);
        if body.operation(arrival).and_then(Operation::sync) == Some(SyncOp::ClusterArrive) {
            let moved = |at| {
                let at = body.before(at, CLUSTER);
                vec![body.delete(arrival), body.delete(wait), at]
            };
            all.extend([low, high].map(moved));
        }
    }
    all
}

/// Returns candidates that insert cluster barriers before the first access to the shared memory of another block, or before the exit of the
/// block.
pub(crate) fn block_lifetime_repairs(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    if !broken.is_start {
        let ends = body.all(|action| {
            action
                .operation
                .control()
                .is_some_and(ControlOp::exits_function)
        });
        let ends = ends.iter().rev();
        return ends.map(|at| vec![body.before(*at, CLUSTER)]).collect();
    }
    let barriers = body.all(is_block_barrier);
    let earlier = barriers.iter().rev().filter(|at| **at < broken.first);
    let mut all: Vec<RepairEdits> = earlier.map(|at| vec![body.replace(*at, CLUSTER)]).collect();
    all.push(vec![body.before(broken.first, CLUSTER)]);
    all
}
