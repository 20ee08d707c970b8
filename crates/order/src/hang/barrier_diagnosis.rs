//! Diagnosis of barriers of a block or a cluster at which some threads never arrive. Determines the instruction that
//! causes the hang.

use crate::hang::diagnosis::{
    AFTER_A_WAIT, Culprit, HangContext, OTHER_BRANCH, divergence_point, diverging_instruction,
};
use crate::hang::execution_trace::{ExecutionTrace, InstructionRef, LaneId};
use crate::hang::root_cause::{Wait, WaitKind};
use warpgrid_emulator::{ArrivalMode, WarpId};

const DIFFERENT_TRIP_COUNTS: &str = "the loops that contain the barrier have different trip counts";

/// Returns the faulty instruction, which prevents some of the expected threads from arriving at a barrier of a block.
pub(crate) fn barrier_at_fault(case: &HangContext<'_>, root: &Wait, id: u32) -> Culprit {
    let WaitKind::Barrier {
        expected, phase, ..
    } = root.kind
    else {
        return diverging_instruction(case, root);
    };
    let n_warps = case
        .trace
        .paths
        .keys()
        .filter(|warp| warp.block == root.block)
        .count() as u32;
    if expected > n_warps * 32 {
        return Culprit::at(
            root.at(),
            "the barrier expects more threads than the block has",
        );
    }
    let trace = case.trace;
    if let Some(at) = arrived_twice(trace, root.block, id) {
        return Culprit::at(
            at,
            "threads arrive here twice in one phase, so the barrier counts each of these threads twice",
        );
    }
    let is_here = |warp: &WarpId| {
        case.waits.iter().any(|w| {
            w.warp_id() == *warp
                && matches!(w.kind, WaitKind::Barrier { id: other, .. } if other == id)
        })
    };
    let missing: Vec<WarpId> = trace
        .paths
        .keys()
        .filter(|warp| warp.block == root.block && !is_here(warp))
        .copied()
        .collect();
    let mut faults = missing
        .iter()
        .filter_map(|warp| missing_warp(case, root, (id, phase), *warp));
    faults
        .next()
        .unwrap_or_else(|| diverging_instruction(case, root))
}

/// Returns the reason why a warp does not arrive at a barrier in the given phase, or `None` if the reason is unknown.
fn missing_warp(
    case: &HangContext<'_>,
    root: &Wait,
    (id, phase): (u32, u32),
    warp: WarpId,
) -> Option<Culprit> {
    let trace = case.trace;
    let elsewhere = trace.barrier_arrivals.iter().rev().find(|arrival| {
        arrival.warp == warp
            && arrival.id != id
            && arrival.waits == ArrivalMode::No
            && arrival.phase == trace.barrier_phase(root.block, arrival.id)
    });
    if let Some(arrival) = elsewhere {
        return Some(Culprit::at(
            arrival.at,
            "the threads arrive at a different barrier",
        ));
    }
    let excluded = trace.excluded.iter().rev().find(|excluded| {
        let barrier = case.code.barrier_id(excluded.at);
        excluded.warp == warp
            && excluded.executed == 0
            && case.code.is_barrier(excluded.at)
            && barrier.is_none_or(|barrier| barrier == u64::from(id))
    });
    if let Some(excluded) = excluded {
        return Some(Culprit::at(
            excluded.at,
            "the barrier is predicated off in the missing threads",
        ));
    }
    let single = trace.barrier_arrivals.iter().find(|arrival| {
        let is_awaited_again = arrival.phase < phase && case.code.loop_test(root.at()).is_some();
        arrival.warp == warp
            && arrival.id == id
            && is_awaited_again
            && !case.code.is_in_loop(arrival.at)
    });
    if let Some(arrival) = single {
        return Some(Culprit::at(
            arrival.at,
            "the threads arrive here once, but other threads wait for the barrier in each iteration of a loop",
        ));
    }
    let is_at = case.waits.iter().find(|wait| wait.warp_id() == warp);
    if let Some(wait) = is_at {
        let is_other = matches!(wait.kind, WaitKind::Barrier { id: other, .. } if other != id);
        if is_other && wait.at() == root.at() {
            return Some(Culprit::at(
                barrier_number_definition(case, wait),
                "the missing threads wait at a different barrier",
            ));
        }
        let later = case.code.barrier_after(wait.at(), id);
        return Some(Culprit::at(later.unwrap_or(wait.at()), AFTER_A_WAIT));
    }
    let count = case.code.barrier_count(root.at());
    let other_count = trace.barrier_arrivals.iter().find(|arrival| {
        let other = case.code.barrier_count(arrival.at);
        arrival.warp == warp && arrival.id == id && other.is_some() && other != count
    });
    if let Some(arrival) = other_count {
        return Some(Culprit::at(
            arrival.at,
            "the arrivals here specify a different thread count, and therefore complete a separate barrier phase",
        ));
    }
    let came_before = phase > 0
        && trace
            .barrier_arrivals
            .iter()
            .any(|arrival| arrival.warp == warp && arrival.id == id);
    if came_before && case.code.loop_test(root.at()).is_none() {
        return Some(Culprit::at(
            root.at(),
            "more threads arrive here than the barrier expects",
        ));
    }
    if came_before {
        return Some(Culprit::at(
            trip_count(case, root.at(), warp),
            DIFFERENT_TRIP_COUNTS,
        ));
    }
    None
}

/// Returns the last executed instruction that defined the barrier number of a wait, or the wait if the number is a literal.
fn barrier_number_definition(case: &HangContext<'_>, wait: &Wait) -> InstructionRef {
    let number = case.code.sources(wait.at()).first().copied();
    let path = case.trace.paths.get(&wait.warp_id());
    let steps = path.into_iter().flat_map(|path| path.steps.iter().rev());
    let mut steps = steps
        .filter(|(_, lanes)| lanes & wait.lanes != 0)
        .map(|(at, _)| *at);
    number
        .and_then(|number| steps.find(|at| case.code.defines(*at, number)))
        .unwrap_or(wait.at())
}

/// Returns the instruction at which threads arrive at a barrier for the second time in one phase.
fn arrived_twice(trace: &ExecutionTrace, block: u64, id: u32) -> Option<InstructionRef> {
    let all = || {
        let arrival = trace.barrier_arrivals.iter().enumerate();
        arrival.filter(move |(_, arrival)| arrival.warp.block == block && arrival.id == id)
    };
    let again = all().find(|(index, arrival)| {
        let mut before = all().take_while(|(other, _)| other < index);
        before.any(|(_, other)| {
            (other.warp, other.phase) == (arrival.warp, arrival.phase)
                && other.lanes & arrival.lanes != 0
        })
    });
    again.map(|(_, arrival)| arrival.at)
}

/// Returns the waits of the threads that have not arrived at the barrier of their cluster.
fn missing_at_cluster<'a>(
    case: &'a HangContext<'_>,
    root: &'a Wait,
) -> impl Iterator<Item = &'a Wait> {
    let blocks = case.machine.cluster(root.block);
    case.waits.iter().filter(move |wait| {
        let arrived = case.trace.at_cluster.get(&wait.warp_id());
        blocks.contains(&wait.block) && wait.lanes & !arrived.copied().unwrap_or(0) != 0
    })
}

/// Checks whether a thread that has not arrived at the cluster barrier would never arrive there, even if the thread's
/// current wait completed. A thread that polls memory is relevant only if a thread at the cluster barrier stores after the barrier.
pub(crate) fn skips_cluster_barrier(case: &HangContext<'_>, root: &Wait) -> bool {
    let code = case.code;
    missing_at_cluster(case, root).any(|wait| {
        let later = code.next_after(wait.at(), |at| code.is_cluster_arrival(at));
        let stores_later = code.next_after(root.at(), |at| code.is_strong_write(at));
        let is_dependent = !matches!(wait.kind, WaitKind::Spin { .. }) || stores_later.is_some();
        is_dependent
            && later.is_none()
            && !code.is_in_loop_with(wait.at(), |at| code.is_cluster_arrival(at))
    })
}

/// Returns the faulty instruction, which prevents some threads of the cluster from arriving at the cluster barrier.
pub(crate) fn cluster_at_fault(case: &HangContext<'_>, root: &Wait) -> Culprit {
    let code = case.code;
    let Some(missing) = missing_at_cluster(case, root).next() else {
        return diverging_instruction(case, root);
    };
    if let Some(at) = code.next_after(missing.at(), |at| code.is_cluster_arrival(at)) {
        return Culprit::at(at, AFTER_A_WAIT);
    }
    let path = case.trace.paths.get(&missing.warp_id());
    let mut steps = path.into_iter().flat_map(|path| path.steps.iter());
    let came_before = steps.any(|(at, _)| *at == root.at());
    if came_before && code.loop_test(root.at()).is_some() {
        return Culprit::at(
            trip_count(case, root.at(), missing.warp_id()),
            DIFFERENT_TRIP_COUNTS,
        );
    }
    let found = divergence_point(case, root, missing.warp_id());
    Culprit::at(found.unwrap_or(root.at()), OTHER_BRANCH)
}

/// Returns the instruction that determines how often a warp executes the loop around an instruction.
pub(crate) fn trip_count(
    case: &HangContext<'_>,
    at: InstructionRef,
    warp: WarpId,
) -> InstructionRef {
    let path = case.trace.paths.get(&warp);
    let executed = path.and_then(|path| path.steps.iter().find(|(step, _)| *step == at));
    let lane = executed.map_or(0, |(_, lanes)| lanes.trailing_zeros());
    if let Some(exit) = case
        .code
        .early_exit_branch(case.trace, LaneId { warp, lane }, at)
    {
        return exit;
    }
    let Some(test) = case.code.loop_test(at) else {
        return at;
    };
    let Some(bound) = case.code.sources(test).get(1).copied() else {
        return test;
    };
    let steps = path.into_iter().flat_map(|path| path.steps.iter().rev());
    let set = steps
        .map(|(at, _)| *at)
        .find(|at| case.code.defines(*at, bound));
    set.unwrap_or(test)
}
