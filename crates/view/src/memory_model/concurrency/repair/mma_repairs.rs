//! Repair candidates for races of asynchronous MMA instructions. The candidates insert or strengthen waits for wgmma-groups, and commits
//! that arrive at an mbarrier.

use crate::memory_model::concurrency::repair::async_repairs::{
    mbarrier_repairs, new_wait, smaller_groups,
};
use crate::memory_model::concurrency::repair::barrier_repairs::BLOCK;
use crate::memory_model::concurrency::repair::body::is_block_barrier;
use crate::memory_model::concurrency::repair::{RepairContext, RepairEdits};
use warpgrid_isa::{Operation, TensorMemoryOp, WarpgroupOp};
use warpgrid_program::OpcodeInfo;

const COMMIT: &str = "wgmma.commit_group.sync.aligned;";
const WAIT: &str = "wgmma.wait_group.sync.aligned 0;";

/// Checks whether an instruction starts an asynchronous MMA or a copy to tensor memory.
pub(crate) fn is_product(operation: Operation) -> bool {
    operation.is_asynchronous_product() || tensor_memory(operation) == Some(TensorMemoryOp::Copy)
}

fn tensor_memory(operation: Operation) -> Option<TensorMemoryOp> {
    operation.unit()?.tensor_memory()
}

fn warpgroup(operation: Operation) -> Option<WarpgroupOp> {
    operation.unit()?.warpgroup()
}

/// Returns candidates that insert or strengthen a wait for an asynchronous MMA instruction, or `None` if neither access of the race belongs
/// to an asynchronous MMA instruction.
pub(crate) fn mma_wait_repairs(broken: &RepairContext<'_>) -> Option<Vec<RepairEdits>> {
    let body = broken.body;
    let sides = [broken.first, broken.second];
    let is_product = |at: &&usize| body.operation(**at).is_some_and(is_product);
    let product = *sides.iter().find(is_product)?;
    let other = sides.into_iter().find(|at| *at != product);
    let other = other.unwrap_or(product);
    if body.operation(product).and_then(warpgroup).is_some() {
        return Some(of_warpgroups(broken, product, other));
    }
    let mut all = mbarrier_repairs(broken);
    all.extend(new_wait(broken, other));
    let is_commit =
        |action: &OpcodeInfo| tensor_memory(action.operation) == Some(TensorMemoryOp::Commit);
    let moved = body.all(is_commit).into_iter();
    all.extend(moved.map(|commit| {
        let text = body.text(commit);
        vec![body.delete(commit), body.after(product, &text)]
    }));
    Some(all)
}

/// Returns candidates that wait for wgmma-groups. A candidate reduces the number of pending groups that an existing wait allows, or inserts
/// a new wait.
fn of_warpgroups(broken: &RepairContext<'_>, product: usize, other: usize) -> Vec<RepairEdits> {
    let body = broken.body;
    let all_of = |op| body.all(|action| warpgroup(action.operation) == Some(op));
    let waits = all_of(WarpgroupOp::Wait);
    let commits = all_of(WarpgroupOp::Commit);
    let barriers = body.all(is_block_barrier);
    let after_product = |all: &[usize]| all.iter().copied().find(|at| *at > product);
    let mut all = smaller_groups(broken, &waits);
    let commit = after_product(&commits);
    match commit {
        Some(commit) => all.push(vec![body.after(commit, WAIT)]),
        None => {
            let at = after_product(&waits).unwrap_or(product + 1);
            all.push(vec![body.before(at, COMMIT)]);
        }
    }
    all.push(vec![body.before(other, WAIT)]);
    all.push(vec![body.before(other, &format!("{WAIT}\n{BLOCK}"))]);
    for wait in waits {
        all.push(body.move_before(wait, other));
        let next = after_product(&barriers);
        all.extend(next.map(|barrier| body.move_before(wait, barrier)));
        all.push(vec![body.after(wait, BLOCK)]);
    }
    all
}
