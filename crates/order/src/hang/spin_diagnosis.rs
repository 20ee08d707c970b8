//! Diagnosis of loops that poll memory which no remaining thread writes. The diagnosis distinguishes flags with an unexpected value,
//! counters, and locks.

use crate::hang::diagnosis::{Culprit, HangContext, diverging_instruction, parting_from};
use crate::hang::execution_trace::{InstructionRef, WarpPath, WriteEvent};
use crate::hang::root_cause::{Wait, WaitKind};
use crate::hang::skipped_instructions::{
    branch_of_missing_warps, is_after_a_wait, skipping_warp, skipping_warps,
};
use warpgrid_emulator::{MemoryId, WarpId};

/// Returns the faulty instruction of a loop that polls memory which no remaining thread writes.
pub(crate) fn spin_at_fault(
    case: &HangContext<'_>,
    root: &Wait,
    memory: MemoryId,
    address: u64,
) -> Culprit {
    tested_elsewhere(case, root)
        .or_else(|| lock_at_fault(case, root, memory, address))
        .or_else(|| change_at_fault(case, root, memory, address))
        .or_else(|| predicated_off_store(case))
        .or_else(|| awaited_lock_holder(case, root))
        .or_else(|| near_store_at_fault(case, root, memory, address))
        .or_else(|| unexecuted_store(case, root))
        .unwrap_or_else(|| missing_store(case, root))
}

/// Returns the faulty instruction if the loop tests a value that the loop does not load.
fn tested_elsewhere(case: &HangContext<'_>, root: &Wait) -> Option<Culprit> {
    if !case.code.is_data_access(root.at())
        && let Some(load) = case.code.load_before(root.at())
    {
        return Some(Culprit::at(
            load,
            "this load is executed once before the loop, so the loop tests the same value in every iteration",
        ));
    }
    if let Some(test) = case.code.test_of_something_else(root.at()) {
        return Some(Culprit::at(
            test,
            "the tested value does not depend on the loads of the loop",
        ));
    }
    None
}

/// Returns the faulty write to the polled memory: the last write of a value that does not satisfy the loop condition, or a store in the
/// loop itself that leaves the polled value unchanged.
fn change_at_fault(
    case: &HangContext<'_>,
    root: &Wait,
    memory: MemoryId,
    address: u64,
) -> Option<Culprit> {
    let trace = case.trace;
    let waiting = crate::hang::root_cause::lanes_by_warp(case.waits);
    let is_waiting = |warp: &WarpId, lanes: u32| waiting.get(warp).is_some_and(|w| w & lanes != 0);
    let touches = |w: &&WriteEvent| w.contains(memory, address);
    let mut changes = trace.written.iter().rev().filter(|w| w.changes);
    // A store that leaves the polled value unchanged can also be the faulty store.
    let mut others = trace.written.iter().rev();
    let by_others = |w: &&WriteEvent| touches(w) && !is_waiting(&w.warp, w.lanes);
    let last = changes.find(touches).or_else(|| others.find(by_others));
    match last {
        Some(last) if case.code.is_atomic_add(last.at) => {
            return Some(count_at_fault(case, root, last));
        }
        Some(last) => {
            if let Some(branch) = skipped_second_store(case, last) {
                return Some(Culprit::at(
                    branch,
                    "the thread that stored the last value skips its next store to this address here",
                ));
            }
            return Some(Culprit::at(
                last.at,
                "the stored value is not the value that the loop waits for",
            ));
        }
        None => {}
    }
    if case.code.is_write(root.at()) && !case.code.is_comparison(root.at()) {
        return Some(Culprit::at(
            root.at(),
            "this store writes the value that memory already contains, and no other thread stores a different value",
        ));
    }
    None
}

/// Returns the branch by which the writer of a value skipped another strong store to the same address.
fn skipped_second_store(case: &HangContext<'_>, last: &WriteEvent) -> Option<InstructionRef> {
    let code = case.code;
    let others = code.all_places().filter(|at| {
        *at != last.at && code.is_strong_write(*at) && code.same_address(*at, last.at)
    });
    let mut branches = others.filter_map(|at| skipping_warp(case, last.warp, at));
    branches.next().map(|skipping| skipping.branch)
}

/// Returns the branch by which all threads skipped a strong store that no thread executed.
fn unexecuted_store(case: &HangContext<'_>, root: &Wait) -> Option<Culprit> {
    let (code, paths) = (case.code, &case.trace.paths);
    let stores = code.all_places();
    let mut stores = stores.filter(|at| {
        code.is_strong_write(*at) && !case.trace.has_executed(*at) && !is_after_a_wait(case, *at)
    });
    stores.find_map(|at| {
        let skipping = skipping_warps(case, paths.keys().copied(), at);
        let is_skipped_by_all = skipping.len() == paths.len();
        let branch =
            branch_of_missing_warps(case, root, &skipping, |_| true, |_| is_skipped_by_all)?;
        Some(Culprit::at(branch, "all threads skip the store here"))
    })
}

/// Returns the root wait if the waiting thread holds a lock that another thread awaits.
fn awaited_lock_holder(case: &HangContext<'_>, root: &Wait) -> Option<Culprit> {
    let mut others = case.waits.iter();
    let is_held = |wait: &Wait| {
        let WaitKind::Spin { memory, address } = wait.kind else {
            return false;
        };
        let holder = holder(case, wait, memory, address);
        holder.is_some_and(|held| held.warp == root.warp_id() && held.lanes & root.lanes != 0)
    };
    let is_awaited = others.any(|wait| wait.warp_id() != root.warp_id() && is_held(wait));
    is_awaited.then(|| {
        Culprit::at(
            root.at(),
            "the thread waits here while it holds a lock for which another thread waits",
        )
    })
}

/// Returns a store that is predicated off in all threads that reach it.
fn predicated_off_store(case: &HangContext<'_>) -> Option<Culprit> {
    let waiting = crate::hang::root_cause::lanes_by_warp(case.waits);
    let is_waiting = |warp: &WarpId, lanes: u32| waiting.get(warp).is_some_and(|w| w & lanes != 0);
    let mut excluded = case.trace.excluded.iter().rev();
    let excluded = excluded.find(|excluded| {
        excluded.executed == 0
            && case.code.is_strong_write(excluded.at)
            && !is_waiting(&excluded.warp, excluded.excluded)
    })?;
    let message = "this store is predicated off in all threads that reach it";
    Some(Culprit::at(excluded.at, message))
}

/// Returns the faulty instruction if a thread stored to another address of the allocation that contains the polled
/// address.
fn near_store_at_fault(
    case: &HangContext<'_>,
    root: &Wait,
    memory: MemoryId,
    address: u64,
) -> Option<Culprit> {
    let path = case.trace.paths.get(&root.warp_id());
    let is_by_waiter = |w: &&WriteEvent| {
        let mut steps = path.into_iter().flat_map(|path| path.steps.iter());
        steps.any(|(at, lanes)| *at == w.at && lanes & root.lanes != 0)
    };
    let candidates = case.trace.written.iter().rev().filter(|w| {
        w.at != root.at()
            && case.code.is_strong_write(w.at)
            && is_alike(w.memory, memory)
            && same_allocation(case, memory, w.start, address)
    });
    // Prefer a store that the waiting threads did not execute themselves before their wait.
    let by_others = candidates.clone().find(|w| !is_by_waiter(w));
    let written = by_others.or(candidates.clone().next())?;
    if let Some(at) = unreachable_threshold(case, written) {
        return Some(Culprit::at(
            at,
            "the counter never reaches the tested value, so no thread executes the store",
        ));
    }
    if let Some(fault) = unexecuted_store(case, root) {
        return Some(fault);
    }
    if let Some(at) = skipped_store(case, root, written) {
        let message = "a thread that must store this value exits here";
        return Some(Culprit::at(at, message));
    }
    Some(Culprit::at(
        written.at,
        "this store writes to a different address than the address that the loop reads",
    ))
}

/// Returns the store to the polled memory that a thread would execute after its wait, or the faulty instruction if the code contains no
/// such store.
fn missing_store(case: &HangContext<'_>, root: &Wait) -> Culprit {
    let others = case
        .waits
        .iter()
        .filter(|wait| wait.warp_id() != root.warp_id() && wait.kind != WaitKind::NotResident);
    let mut starts = others.chain([root]).map(Wait::at);
    let later = starts.find_map(|start| {
        let code = case.code;
        code.next_after(start, |at| code.is_strong_write(at))
    });
    match later {
        Some(at) => Culprit::at(
            at,
            "the thread that must execute this store waits before the store",
        ),
        None => {
            let absent = diverging_instruction(case, root);
            let message = match case.code.is_comparison(root.at()) {
                true => {
                    "the comparison fails in every iteration, and no thread stores the compared value"
                }
                false => "no thread stores to the address that this loop polls",
            };
            match has_other_write(case) && absent.at != Some(root.at()) {
                true => absent,
                false => Culprit::at(root.at(), message),
            }
        }
    }
}

/// Checks whether the program contains an instruction that writes to shared or global memory, apart from the waits themselves.
fn has_other_write(case: &HangContext<'_>) -> bool {
    let waits = |at: &InstructionRef| case.waits.iter().any(|wait| wait.at() == *at);
    let mut writes = case.code.all_places();
    writes.any(|at| case.code.is_write(at) && case.code.is_data_access(at) && !waits(&at))
}

/// Returns the instruction that tests a counter if no thread executes the store after the test.
fn unreachable_threshold(case: &HangContext<'_>, count: &WriteEvent) -> Option<InstructionRef> {
    let code = case.code;
    let test = code
        .test_of(count.at)
        .filter(|_| code.is_atomic_add(count.at))?;
    let left_out = code.next_after(test, |at| {
        code.is_strong_write(at) && !case.trace.has_executed(at)
    });
    left_out.map(|_| test)
}

/// Returns the conditional branch by which a warp exited without executing a store, if none of the waiting lanes take
/// this branch.
fn skipped_store(
    case: &HangContext<'_>,
    root: &Wait,
    store: &WriteEvent,
) -> Option<InstructionRef> {
    let trace = case.trace;
    let comes = |path: &WarpPath| path.steps.iter().any(|(at, _)| *at == store.at);
    let waits = |warp: &WarpId| case.waits.iter().any(|wait| wait.warp_id() == *warp);
    let mut gone = trace
        .paths
        .iter()
        .filter(|(warp, path)| !waits(warp) && !comes(path));
    gone.find_map(|(_, path)| {
        let steps = path.steps.iter().rev().map(|(at, _)| *at);
        let mut steps = steps.skip_while(|at| case.code.is_exit(*at));
        let last = steps.next().filter(|at| case.code.is_guarded_branch(*at))?;
        // The branch explains the hang only if all lanes of the waiting warp executed it together.
        let own = trace.paths.get(&root.warp_id())?;
        let mut last_steps = own.steps.iter().filter(|(at, _)| *at == last);
        let is_whole = last_steps
            .next()
            .is_some_and(|(_, lanes)| *lanes == root.lanes);
        is_whole.then_some(last)
    })
}

/// Returns the faulty instruction if a counter does not reach the value for which the loop waits.
fn count_at_fault(case: &HangContext<'_>, root: &Wait, last: &WriteEvent) -> Culprit {
    let trace = case.trace;
    let of_place = |w: &&WriteEvent| {
        (w.memory, w.start) == (last.memory, last.start) && case.code.is_atomic_add(w.at)
    };
    let guarded = trace.excluded.iter().rev().find(|e| e.at == last.at);
    if let Some(excluded) = guarded {
        return Culprit::at(
            excluded.at,
            "some of the threads that must increment the counter are predicated off",
        );
    }
    let waits = |warp: &WarpId| case.waits.iter().any(|wait| wait.warp_id() == *warp);
    let left = trace.written.iter().filter(of_place).find_map(|count| {
        let counts = |path: &WarpPath| path.steps.iter().any(|(at, _)| *at == count.at);
        let mut gone = trace.paths.iter().filter(|(_, path)| !counts(path));
        let (gone, _) = gone.find(|(warp, _)| !waits(warp))?;
        parting_from(case, count.warp, count.lanes, *gone)
    });
    match left {
        Some(at) => Culprit::at(
            at,
            "some of the threads that must increment the counter exit here",
        ),
        None => Culprit::at(
            case.code.test_of(root.at()).unwrap_or(last.at),
            "the counter never reaches the expected value",
        ),
    }
}

/// Checks whether both memories are global memory, or both are the shared memory of a block.
fn is_alike(a: MemoryId, b: MemoryId) -> bool {
    let is_shared = |memory| matches!(memory, MemoryId::Shared { .. });
    a == b || is_shared(a) && is_shared(b)
}

/// Returns the write that acquired the lock which a loop tries to acquire. Returns the last change of the lock if its instruction can
/// acquire a lock.
pub(crate) fn holder<'a>(
    case: &HangContext<'a>,
    root: &Wait,
    memory: MemoryId,
    address: u64,
) -> Option<&'a WriteEvent> {
    let touches = |w: &&WriteEvent| w.contains(memory, address);
    if !case.code.is_compare_and_swap(root.at()) {
        return None;
    }
    let mut changes = case.trace.written.iter().rev().filter(|w| w.changes);
    changes
        .find(touches)
        .filter(|last| case.code.is_compare_and_swap(last.at))
}

/// Returns the faulty instruction if no thread releases the lock that a loop tries to acquire.
fn lock_at_fault(
    case: &HangContext<'_>,
    root: &Wait,
    memory: MemoryId,
    address: u64,
) -> Option<Culprit> {
    let holder = holder(case, root, memory, address)?;
    let is_own = |wait: &&Wait| wait.warp_id() == holder.warp && wait.lanes & holder.lanes != 0;
    if let Some(wait) = case.waits.iter().find(is_own) {
        let is_spin = matches!(wait.kind, WaitKind::Spin { .. });
        let is_same = wait.kind == root.kind;
        let message = match (is_spin, is_same) {
            (true, true) => "the lock holder waits here to acquire the lock again",
            (true, false) => {
                "the holder of one lock waits here for another lock, whose holder waits for the first lock"
            }
            (false, _) => "the lock holder waits here",
        };
        return Some(Culprit {
            depends_on_order: is_spin && !is_same,
            ..Culprit::at(wait.at(), message)
        });
    }
    Some(unreleased_lock(case, root, holder, memory, address))
}

/// Returns the reason why an exited thread has not released a lock.
fn unreleased_lock(
    case: &HangContext<'_>,
    root: &Wait,
    holder: &WriteEvent,
    memory: MemoryId,
    address: u64,
) -> Culprit {
    let (trace, code) = (case.trace, case.code);
    let gives_back = |at: InstructionRef| {
        code.is_strong_write(at)
            && !code.is_compare_and_swap(at)
            && ![holder.at, root.at()].contains(&at)
    };
    let guarded = trace.excluded.iter().rev().find(|excluded| {
        excluded.warp == holder.warp
            && excluded.excluded & holder.lanes != 0
            && gives_back(excluded.at)
    });
    if let Some(excluded) = guarded {
        return Culprit::at(
            excluded.at,
            "the release of the lock is predicated off in the lock holder",
        );
    }
    let elsewhere = trace.written.iter().rev().find(|w| {
        w.memory == memory
            && w.warp == holder.warp
            && w.lanes & holder.lanes != 0
            && gives_back(w.at)
            && same_allocation(case, memory, w.start, address)
    });
    if let Some(written) = elsewhere {
        return Culprit::at(
            written.at,
            "this store writes to a different address than the address of the lock",
        );
    }
    let path = trace.paths.get(&holder.warp);
    let steps = path.into_iter().flat_map(|path| path.steps.iter().rev());
    let held = steps
        .filter(|(_, lanes)| lanes & holder.lanes != 0)
        .map(|(at, _)| *at)
        .take_while(|at| *at != holder.at);
    let held: Vec<InstructionRef> = held.collect();
    let release = code.next_after(holder.at, gives_back);
    let branch = held.iter().find(|at| code.is_guarded_branch(**at));
    let last = held.iter().find(|at| code.is_data_access(**at));
    match (release, branch, last) {
        (Some(_), Some(branch), _) => Culprit::at(
            *branch,
            "the lock holder exits here without releasing the lock",
        ),
        (_, _, last) => Culprit::at(
            last.copied().unwrap_or(holder.at),
            "the lock is acquired here and never released",
        ),
    }
}

fn same_allocation(case: &HangContext<'_>, memory: MemoryId, a: u64, b: u64) -> bool {
    match memory {
        MemoryId::Global => {
            let region = |address| case.machine.region_at(address).map(|(region, _)| region);
            region(a).is_some() && region(a) == region(b)
        }
        _ => true,
    }
}
