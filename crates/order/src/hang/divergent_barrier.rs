//! Diagnosis of aligned barriers that a divergent warp has reached. The diagnosis determines the barrier, and the branch at which the lanes
//! diverged.

use crate::hang::diagnosis;
use crate::hang::execution_trace::{ExecutionTrace, InstructionRef};
use crate::hang::program_queries::ProgramQuery;
use crate::hang::root_cause::{Diagnosis, HangKind, Wait, WaitKind, wait_of};
use warpgrid_emulator::{FaultKind, Machine, RunDiagnosticKind, WaitReason, WarpId};

/// Returns the diagnosis of an aligned barrier that only some lanes of a warp reached. The behavior of an aligned barrier is then undefined
/// even if the launch does not hang.
pub(crate) fn divergent(
    machine: &Machine,
    trace: &ExecutionTrace,
    code: ProgramQuery<'_>,
) -> Option<Diagnosis> {
    let parts = parts_of_warps(machine, trace, code);
    let (block, warp, at) = *parts.first()?;
    let arrival = trace
        .barrier_arrivals
        .iter()
        .find(|arrival| arrival.warp == WarpId { block, warp } && arrival.at == at);
    let (id, lanes) = arrival.map_or((0, 1), |arrival| (arrival.id, arrival.lanes));
    let other = parts
        .iter()
        .find(|part| part.0 == block && part.1 == warp && part.2 != at);
    let parted = || diagnosis::diverging_branch(trace, code, WarpId { block, warp }, lanes, at);
    let (at_fault, what) = match other {
        Some(part) => (
            Some(part.2),
            "diverged lanes of the warp reach a different aligned barrier".to_owned(),
        ),
        None => (
            parted(),
            "diverged lanes of the warp do not reach the aligned barrier".to_owned(),
        ),
    };
    let (expected, arrived) = machine.barrier(block, id);
    let root = Wait {
        block,
        warp,
        lanes,
        function: at.0,
        instruction: at.1,
        kind: WaitKind::Barrier {
            id,
            phase: trace.barrier_phase(block, id),
            expected,
            arrived,
        },
    };
    let waits = match machine.fault().map(|fault| &fault.kind) {
        Some(FaultKind::Deadlock { waiting }) => {
            waiting.iter().map(|w| wait_of(w, machine, trace)).collect()
        }
        _ => Vec::new(),
    };
    Some(Diagnosis {
        kind: HangKind::DivergentBarrier,
        root,
        depends_on_order: false,
        culprit: at_fault,
        explanation: what,
        waits,
        block: None,
    })
}

/// Returns the block, the warp and the barrier number of each arrival at which only a part of the warp arrived, in the
/// order of the arrivals.
fn parts_of_warps(
    machine: &Machine,
    trace: &ExecutionTrace,
    code: ProgramQuery<'_>,
) -> Vec<(u64, u32, InstructionRef)> {
    let mut parts: Vec<(u64, u32, InstructionRef)> = machine
        .notes()
        .iter()
        .filter_map(|note| match note.kind {
            RunDiagnosticKind::DivergentBarrierArrival {
                function,
                instruction,
                ..
            } => {
                let at = (function, instruction);
                let warp = WarpId {
                    block: note.block,
                    warp: note.warp,
                };
                let parts = !comes_later(machine, trace, code, warp, at);
                parts.then_some((note.block, note.warp, at))
            }
            _ => None,
        })
        .collect();
    parts.sort_unstable();
    parts
}

/// Checks whether the lanes of a warp that have not arrived at a barrier wait for another event, and would reach the
/// barrier directly after this wait.
fn comes_later(
    machine: &Machine,
    trace: &ExecutionTrace,
    code: ProgramQuery<'_>,
    warp: WarpId,
    at: InstructionRef,
) -> bool {
    let Some(FaultKind::Deadlock { waiting }) = machine.fault().map(|fault| &fault.kind) else {
        return false;
    };
    let arrival = trace.barrier_arrivals.iter();
    let arrival = arrival.filter(|arrival| (arrival.warp, arrival.at) == (warp, at));
    let arrival = arrival.fold(0, |lanes, arrival| lanes | arrival.lanes);
    let mut rest = waiting.iter().filter(|waiter| {
        waiter.block == warp.block && waiter.warp == warp.warp && waiter.lanes & arrival == 0
    });
    rest.any(|waiter| {
        let place = (waiter.function, waiter.instruction);
        let waits_for_others = waiter.spins_at.is_some()
            || matches!(waiter.waits_for, WaitReason::MbarrierPhase { .. });
        let next = code.next_after(place, |at| code.is_barrier(at));
        waits_for_others && next == Some(at)
    })
}
