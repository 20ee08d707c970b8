//! Entry point of the diagnosis: determines the faulty instruction, which should have produced the missing event or which prevents this
//! event.

use crate::hang::barrier_diagnosis::{barrier_at_fault, cluster_at_fault};
use crate::hang::execution_trace::{
    AsyncStartEvent, ExecutionTrace, InstructionRef, MbarrierRef, WriteEvent,
};
use crate::hang::missing_arrivals::arrivals_at_fault;
use crate::hang::program_queries::ProgramQuery;
use crate::hang::ring_phases::{order_of_waits, premature_wait};
use crate::hang::root_cause::{Diagnosis, HangKind, Wait, WaitKind};
use crate::hang::skipped_instructions::{
    branch_of_missing_warps, is_after_a_wait, skipping_warps, warps_of_cluster,
};
use crate::hang::spin_diagnosis::spin_at_fault;
use std::collections::BTreeSet;
use warpgrid_emulator::{Machine, MbarrierState, MemoryId, WarpId};
use warpgrid_isa::Flag;

/// Inputs of the diagnosis of a hang: the final state of the machine, the history of the run, and the waits of all threads.
#[derive(Clone, Copy)]
pub(crate) struct HangContext<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) trace: &'a ExecutionTrace,
    pub(crate) full_residency_trace: Option<&'a ExecutionTrace>,
    pub(crate) code: ProgramQuery<'a>,
    pub(crate) waits: &'a [Wait],
    pub(crate) unstarted: &'a [u64],
}

impl HangContext<'_> {
    /// Returns the current state of an mbarrier.
    pub(crate) fn object_state(&self, object: MbarrierRef) -> Option<MbarrierState> {
        let held = self.machine.mbarriers(object.0);
        held.into_iter()
            .find(|(address, _)| *address == object.1)?
            .1
    }

    /// Returns the step at which the current phase of an mbarrier began.
    pub(crate) fn phase_start(&self, object: MbarrierRef) -> u64 {
        self.trace.began.get(&object).copied().unwrap_or(0)
    }
}

/// Returns the diagnosis of an mbarrier misuse whose cause is a wait for the wrong phase of a ring buffer.
pub(crate) fn explain_misuse(case: &HangContext<'_>, root: &Wait) -> Option<Diagnosis> {
    let fault = order_of_waits(case, root)?;
    let strayed = fault.wait.and_then(|wait| premature_wait(case, wait));
    Some(Diagnosis {
        kind: HangKind::Mbarrier,
        root: strayed.unwrap_or_else(|| root.clone()),
        depends_on_order: fault.depends_on_order,
        culprit: fault.at,
        explanation: fault.what.to_owned(),
        waits: Vec::new(),
        block: None,
    })
}

/// Instruction that causes a hang, with the explanation of its fault, from which the diagnosis is built.
pub(crate) struct Culprit {
    pub(crate) at: Option<InstructionRef>,
    pub(crate) what: &'static str,
    pub(crate) depends_on_order: bool,
    /// Wait that should not have been executed, if this wait differs from the root wait.
    pub(crate) wait: Option<InstructionRef>,
}

/// Explanations that several rules of the diagnosis use.
pub(crate) const AFTER_A_WAIT: &str =
    "this arrival is executed only after another wait, which never completes";
pub(crate) const OTHER_BRANCH: &str = "the missing threads take a different branch";
pub(crate) const OTHER_MBARRIER: &str = "this arrival targets a different mbarrier";
const CONSTANT_CONDITION: &str = "the loop never modifies the registers of its exit condition";

impl Culprit {
    pub(crate) fn at(at: InstructionRef, what: &'static str) -> Culprit {
        Culprit {
            at: Some(at),
            what,
            depends_on_order: false,
            wait: None,
        }
    }
}

/// Returns the diagnosis of a hang whose root wait is `root`.
pub(crate) fn explain(case: &HangContext<'_>, root: &Wait) -> Diagnosis {
    let mut block = None;
    let (kind, fault) = match &root.kind {
        WaitKind::Mbarrier {
            address,
            pending,
            bytes,
            ..
        } => {
            let object = (root.block, *address);
            let fault = match (*pending, *bytes) {
                (0, bytes) if bytes != 0 => bytes_at_fault(case, root, object, bytes),
                (pending, _) => arrivals_at_fault(case, root, object, pending),
            };
            (HangKind::Mbarrier, fault)
        }
        WaitKind::Barrier { id, .. } => (HangKind::Barrier, barrier_at_fault(case, root, *id)),
        WaitKind::ClusterBarrier { .. } => (HangKind::ClusterBarrier, cluster_at_fault(case, root)),
        WaitKind::WarpSync { missing } => {
            (HangKind::WarpSync, lanes_at_fault(case, root, *missing))
        }
        WaitKind::Spin { memory, address } => {
            let (memory, address) = (*memory, *address);
            match case.unstarted.first() {
                Some(_) => {
                    let (starter, fault) = unstarted_at_fault(case, root, memory, address);
                    block = Some(starter);
                    (HangKind::NotResident, fault)
                }
                None => (HangKind::Spin, spin_at_fault(case, root, memory, address)),
            }
        }
        WaitKind::Registers => {
            let fault = match case.code.loop_test(root.at()) {
                Some(test) => Culprit::at(test, CONSTANT_CONDITION),
                None if case.code.is_guarded_branch(root.at()) => {
                    Culprit::at(root.at(), CONSTANT_CONDITION)
                }
                None => Culprit::at(root.at(), "no branch exits this loop"),
            };
            (HangKind::Spin, fault)
        }
        WaitKind::TensorMemory { .. } => {
            (HangKind::TensorMemory, diverging_instruction(case, root))
        }
        WaitKind::Copies | WaitKind::NotResident => {
            (HangKind::Copies, diverging_instruction(case, root))
        }
    };
    let is_at = |at| case.waits.iter().find(|wait| wait.at() == at).cloned();
    let wrong = fault
        .wait
        .and_then(|wait| premature_wait(case, wait).or_else(|| is_at(wait)));
    Diagnosis {
        kind,
        root: wrong.unwrap_or_else(|| root.clone()),
        depends_on_order: fault.depends_on_order,
        culprit: fault.at,
        explanation: fault.what.to_owned(),
        waits: case.waits.to_vec(),
        block,
    }
}

/// Returns the faulty instruction if the transferred bytes of an mbarrier phase do not match the expected bytes.
fn bytes_at_fault(case: &HangContext<'_>, root: &Wait, object: MbarrierRef, bytes: i32) -> Culprit {
    let trace = case.trace;
    let phase = trace.phase(object);
    let expects = trace
        .mbarrier_events
        .iter()
        .rev()
        .find(|event| event.object == object && event.phase == phase && event.expects_bytes());
    let copies = || {
        trace
            .async_starts
            .iter()
            .filter(|start| start.object == object && start.bytes.is_some())
    };
    let of_phase = copies().rev().find(|start| start.phase == phase);
    let fallback = expects
        .map(|event| event.at)
        .or(of_phase.map(|start| start.at));
    let expected = |what| Culprit {
        at: fallback,
        what,
        depends_on_order: false,
        wait: None,
    };
    if bytes < 0 {
        return expected("`expect_tx` specifies fewer bytes than are transferred");
    }
    let began = case.phase_start(object);
    let left_out = trace.excluded.iter().rev().find(|excluded| {
        excluded.step >= began
            && excluded.executed == 0
            && excluded.warp.block == object.0
            && case.code.is_copy(excluded.at)
    });
    if let Some(excluded) = left_out {
        return Culprit::at(
            excluded.at,
            "this copy is predicated off, but the mbarrier still expects the bytes of the copy",
        );
    }
    if let Some(at) = multicast_past(case, object, phase) {
        return Culprit::at(
            at,
            "the multicast mask of this copy does not include the waiting block",
        );
    }
    let elsewhere = trace.async_starts.iter().rev().filter(|start| {
        let state = case.object_state(start.object);
        start.object != object && state.is_some_and(|state| state.bytes < 0)
    });
    // Prefer the copy that transfers exactly the missing bytes; otherwise, select the last copy.
    let is_exact = |start: &&AsyncStartEvent| start.bytes == Some(bytes.unsigned_abs());
    let elsewhere = elsewhere
        .clone()
        .find(is_exact)
        .or(elsewhere.clone().next());
    if let Some(start) = elsewhere {
        return Culprit::at(start.at, "this copy completes on a different mbarrier");
    }
    if let Some(at) = skipped_copy(case, root, object, bytes.unsigned_abs()) {
        return Culprit::at(
            at,
            "threads skip a copy here, but the mbarrier still expects the bytes of the copy",
        );
    }
    let shorter = copies().filter(|start| start.phase == phase).find(|start| {
        let earlier = trace
            .async_starts
            .iter()
            .filter(|old| old.at == start.at && old.step < start.step);
        earlier
            .max_by_key(|old| old.bytes)
            .is_some_and(|old| old.bytes > start.bytes)
    });
    match shorter {
        Some(start) => Culprit::at(
            start.at,
            "this copy transfers fewer bytes than in previous iterations, but the expected byte count is unchanged",
        ),
        None => expected("`expect_tx` specifies more bytes than are transferred"),
    }
}

/// Returns the branch by which threads skipped a copy, if the skipped copies transfer the missing bytes of an mbarrier phase. The size of a
/// copy is the size of an earlier execution or a literal operand. A copy of unknown size is assumed to transfer the missing bytes.
fn skipped_copy(
    case: &HangContext<'_>,
    root: &Wait,
    object: MbarrierRef,
    missing: u32,
) -> Option<InstructionRef> {
    let trace = case.trace;
    // A warp usually starts the copies whose bytes the warp expects.
    let expects = |warp: WarpId| {
        let mut events = trace.mbarrier_events.iter();
        events.any(|event| {
            event.expects_bytes()
                && (event.warp, event.object, event.phase) == (warp, object, trace.phase(object))
        })
    };
    let copies = case.code.all_places();
    let copies = copies.filter(|at| case.code.is_copy(*at) && !is_after_a_wait(case, *at));
    let branches = copies.filter_map(|at| {
        let executed = trace.async_starts.iter().find(|start| start.at == at);
        let size = match executed {
            Some(first) => {
                let same = trace.async_starts.iter().filter(|start| {
                    (start.at, start.warp, start.step) == (at, first.warp, first.step)
                });
                let sizes = same.filter_map(|start| start.bytes);
                Some(sizes.fold(0, u32::saturating_add))
            }
            None => case.code.literal_copy_size(at),
        };
        let skipping = skipping_warps(case, warps_of_cluster(case, object.0), at);
        let is_missing = |n_warps: usize| {
            let is_repeated = executed.is_none() && case.code.is_in_loop(at);
            size.is_none_or(|size: u32| {
                [1, n_warps as u32]
                    .iter()
                    .any(|n| size.saturating_mul(*n) == missing)
                    || is_repeated && missing.is_multiple_of(size)
            })
        };
        branch_of_missing_warps(case, root, &skipping, expects, is_missing)
    });
    branches.max()
}

/// Returns a multicast copy of the current mbarrier phase whose destination is another block of the cluster, but not the waiting block.
fn multicast_past(
    case: &HangContext<'_>,
    object: MbarrierRef,
    phase: u32,
) -> Option<InstructionRef> {
    let cluster = case.machine.cluster(object.0);
    let to = |start: &&AsyncStartEvent, to: MbarrierRef| start.object == to && start.phase == phase;
    let is_multicast = |at: InstructionRef| case.code.has(at, Flag::Multicast);
    let others = cluster.iter().filter(|block| **block != object.0);
    others
        .flat_map(|block| {
            let twin = (*block, object.1);
            let start = case.trace.async_starts.iter().rev();
            start.filter(move |start| to(start, twin))
        })
        .find(|start| {
            let here = |own: &AsyncStartEvent| own.at == start.at && to(&own, object);
            is_multicast(start.at) && !case.trace.async_starts.iter().any(here)
        })
        .map(|start| start.at)
}

/// Returns the faulty instruction if some lanes of a warp do not reach the warp synchronization at which the other
/// lanes wait.
fn lanes_at_fault(case: &HangContext<'_>, root: &Wait, missing: u32) -> Culprit {
    let is_at = case.waits.iter().find(|wait| {
        wait.warp_id() == root.warp_id() && wait.lanes & missing != 0 && wait.at() != root.at()
    });
    match is_at {
        Some(wait) => Culprit::at(
            wait.at(),
            "lanes of the member mask wait here for a different event",
        ),
        None => Culprit::at(
            root.at(),
            "the member mask includes lanes that never reach this instruction",
        ),
    }
}

/// Returns the instruction at which the missing threads left the path of the waiting threads.
pub(crate) fn diverging_instruction(case: &HangContext<'_>, root: &Wait) -> Culprit {
    let trace = case.trace;
    let here = |warp: &WarpId| {
        case.waits
            .iter()
            .any(|wait| wait.warp_id() == *warp && wait.at() == root.at())
    };
    let missing = trace
        .paths
        .keys()
        .find(|warp| warp.block == root.block && !here(warp))
        .or_else(|| trace.paths.keys().find(|warp| !here(warp)));
    let found = missing.and_then(|warp| divergence_point(case, root, *warp));
    Culprit {
        at: found.or(Some(root.at())),
        what: OTHER_BRANCH,
        depends_on_order: false,
        wait: None,
    }
}

/// Returns the instruction that the missing warp executed directly after the last instruction that both warps executed.
/// If the missing warp exited after the last common instruction, returns the common instruction.
pub(crate) fn divergence_point(
    case: &HangContext<'_>,
    waiting: &Wait,
    missing: WarpId,
) -> Option<InstructionRef> {
    parting_from(case, waiting.warp_id(), waiting.lanes, missing)
}

/// Returns the instruction at which the paths of two warps diverge, restricted to the instructions of some lanes.
pub(crate) fn parting_from(
    case: &HangContext<'_>,
    warp: WarpId,
    lanes: u32,
    missing: WarpId,
) -> Option<InstructionRef> {
    let of = |warp: &WarpId| {
        let path = case.trace.paths.get(warp)?;
        let own = path.steps.iter().filter(|(_, taken)| taken & lanes != 0);
        Some(own.map(|(at, _)| *at).collect::<Vec<InstructionRef>>())
    };
    let known = of(&warp)?.into_iter().filter(|at| !case.code.is_exit(*at));
    let known: BTreeSet<InstructionRef> = known.collect();
    let own = of(&missing)?;
    let path = match own.is_empty() {
        true => {
            let all = case.trace.paths.get(&missing)?.steps.iter();
            all.map(|(at, _)| *at).collect()
        }
        false => own,
    };
    let common = path.iter().rposition(|at| known.contains(at))?;
    let last = *path.get(common)?;
    let next = path.get(common + 1).copied();
    Some(next.filter(|at| !case.code.is_exit(*at)).unwrap_or(last))
}

/// Returns the branch before an instruction at which the given lanes of a warp diverged from its other lanes.
pub(crate) fn diverging_branch(
    trace: &ExecutionTrace,
    code: ProgramQuery<'_>,
    warp: WarpId,
    lanes: u32,
    at: InstructionRef,
) -> Option<InstructionRef> {
    let path = trace.paths.get(&warp)?;
    let end = path
        .steps
        .iter()
        .position(|(place, mask)| *place == at && *mask & lanes != 0)?;
    let before = path.steps.iter().take(end).rev();
    let mut with_others = before.filter(|(_, mask)| mask & lanes != 0 && mask & !lanes != 0);
    with_others
        .find(|(place, _)| code.instruction(*place).is_some_and(|i| i.guard.is_some()))
        .map(|(place, _)| *place)
}

/// Returns the write by which a block that has not started writes to an address in a run in which all blocks are resident.
pub(crate) fn store_of_unstarted<'a>(
    case: &HangContext<'a>,
    memory: MemoryId,
    address: u64,
) -> Option<&'a WriteEvent> {
    let mut all = case.full_residency_trace?.written.iter();
    all.find(|w| w.contains(memory, address) && case.unstarted.contains(&w.warp.block))
}

/// Returns the block that cannot start before another block exits, and the instruction that the unstarted block would
/// have to execute.
fn unstarted_at_fault(
    case: &HangContext<'_>,
    root: &Wait,
    memory: MemoryId,
    address: u64,
) -> (u64, Culprit) {
    let first = case.unstarted.first().copied().unwrap_or(0);
    let Some(written) = store_of_unstarted(case, memory, address) else {
        return (
            first,
            Culprit::at(
                root.at(),
                "this block cannot start before another block exits",
            ),
        );
    };
    let counted = case.trace.written.iter().any(|w| w.at == written.at);
    let at = match counted {
        true => case.code.test_of(root.at()).unwrap_or(written.at),
        false => written.at,
    };
    let missing = match counted {
        true => "the kernel requires more concurrently resident blocks than the device runs",
        false => "the block that stores this value cannot start before another block exits",
    };
    (written.warp.block, Culprit::at(at, missing))
}
