//! Diagnosis of mbarrier waits in a ring buffer whose phases do not match the passes through the ring, because the
//! parity, the address or the trip count of the waits is wrong.

use crate::hang::diagnosis::{Culprit, HangContext};
use crate::hang::execution_trace::{InstructionRef, MbarrierRef, WarpPath};
use crate::hang::missing_arrivals::{MSG_WRONG_MBARRIER, is_only_provider};
use crate::hang::root_cause::{Wait, WaitKind};
use std::collections::BTreeMap;
use warpgrid_emulator::{MbarrierOperation, WarpId};

/// Returns the mbarrier wait whose parity or address does not match the passes of the thread through the ring buffer.
pub(crate) fn order_of_waits(case: &HangContext<'_>, root: &Wait) -> Option<Culprit> {
    let code = case.code;
    let all = code.waits(root.at());
    for wait in &all {
        if let Some(reset) = code
            .guarded_reset(*wait)
            .filter(|at| case.trace.has_executed(*at))
        {
            return Some(depends(
                reset,
                "the flag that marks used stages is reset, so the waits for these stages are skipped",
            ));
        }
    }
    if let Some(reset) = all.iter().find_map(|wait| unbalanced_reset(case, *wait)) {
        return Some(Culprit::at(
            reset,
            "the stage counter is reset here, so the parity of the next waits does not match the phase of the stage",
        ));
    }
    if let Some(fault) = all.iter().find_map(|wait| parity_at_fault(case, *wait)) {
        return Some(fault);
    }
    let too_early = all
        .iter()
        .find(|wait| premature_wait(case, **wait).is_some());
    if let Some(wait) = too_early {
        let fault = Culprit::at(
            code.parity_definition(*wait),
            "the first wait uses parity 1 and therefore does not wait for phase 0: use parity 0",
        );
        return Some(Culprit {
            wait: Some(*wait),
            ..fault
        });
    }
    let own = case.trace.mbarrier_events.iter().find_map(|event| {
        let waits = event.act == MbarrierOperation::Test
            && is_only_provider(case, event.warp, event.object);
        let register = case.code.address_register(event.at).filter(|_| waits)?;
        code.definition_before(event.at, register)
    });
    if let Some(at) = own {
        return Some(Culprit::at(at, MSG_WRONG_MBARRIER));
    }
    repeated_address(case)
}

/// Returns the instruction that resets the stage counter of a wait, if a warp executed the wait an odd number of times for some stage
/// before the reset.
fn unbalanced_reset(case: &HangContext<'_>, wait: InstructionRef) -> Option<InstructionRef> {
    let (reset, back) = case.code.counter_reset(wait)?;
    let trace = case.trace;
    let is_unbalanced = |warp: &WarpId, path: &WarpPath| {
        let steps = path.steps.iter().map(|(at, _)| *at);
        let mut steps = steps.skip_while(|at| *at != reset).skip(1);
        let n_iterations = steps
            .by_ref()
            .take_while(|at| *at != reset)
            .filter(|at| *at == back)
            .count();
        let is_reset_again = steps.next().is_some();
        let passes = trace.mbarrier_events.iter().filter(|event| {
            (event.at, event.warp) == (wait, *warp) && event.act == MbarrierOperation::Test
        });
        // All lanes of the warp wait for the same stages, so the waits of one lane suffice.
        let lane = passes.clone().map(|event| event.lane).next();
        let passes = passes.filter(|event| Some(event.lane) == lane);
        let mut counts: BTreeMap<MbarrierRef, usize> = BTreeMap::new();
        for event in passes.take(n_iterations) {
            *counts.entry(event.object).or_default() += 1;
        }
        is_reset_again && counts.values().any(|count| count % 2 == 1)
    };
    let mut paths = trace.paths.iter();
    paths
        .any(|(warp, path)| is_unbalanced(warp, path))
        .then_some(reset)
}

/// Creates the culprit for a faulty instruction that causes a hang only under some schedules.
fn depends(at: InstructionRef, what: &'static str) -> Culprit {
    Culprit {
        at: Some(at),
        what,
        depends_on_order: true,
        wait: None,
    }
}

/// Returns the instruction that defines the parity of a wait in a ring buffer, if the parity never changes, or changes
/// at each stage instead of once per pass.
fn parity_at_fault(case: &HangContext<'_>, wait: InstructionRef) -> Option<Culprit> {
    let code = case.code;
    let (parity, address) = code.wait_registers(wait);
    let is_ring = address.is_some_and(|r| {
        code.definition_before(wait, r)
            .is_some_and(|at| !code.is_constant(at) && code.loop_test(at).is_some())
    });
    let parity = parity.filter(|_| is_ring && parity != address)?;
    let definition = code.definition_before(wait, parity)?;
    if code.is_constant(definition) && code.loop_test(definition).is_some() {
        return Some(depends(
            definition,
            "the phase parity of the wait does not change between iterations",
        ));
    }
    if let Some(first) = code.copy_chain_origin(wait, parity)
        && !code.is_constant(first)
        && code.loop_test(first).is_some()
    {
        let fault = Culprit::at(
            first,
            "the phase parity of the wait changes at each stage instead of once per pass through the ring buffer",
        );
        return Some(Culprit {
            wait: Some(wait),
            ..fault
        });
    }
    None
}

/// Returns the instruction that defines the mbarrier address of the arrivals in a loop, if no iteration changes this
/// address.
fn repeated_address(case: &HangContext<'_>) -> Option<Culprit> {
    let code = case.code;
    let repeated = case.trace.mbarrier_events.iter().find_map(|event| {
        if event.act != MbarrierOperation::Arrive || code.loop_test(event.at).is_none() {
            return None;
        }
        let register = code.address_register(event.at)?;
        let definition = code.definition_before(event.at, register)?;
        let is_copy = code.is_move(definition);
        let in_loop = code.loop_test(definition).is_some();
        (is_copy && in_loop).then_some(definition)
    });
    repeated.map(|at| {
        depends(
            at,
            "the address does not depend on the stage, so all arrivals target the same mbarrier",
        )
    })
}

/// Returns the faulty instruction if a thread waits for an mbarrier phase that no thread completes.
pub(crate) fn surplus_wait(case: &HangContext<'_>, root: &Wait, object: MbarrierRef) -> Culprit {
    let trace = case.trace;
    let events = trace.mbarrier_events.iter().rev();
    let producer = events
        .clone()
        .find(|event| event.object == object && event.is_arrival());
    let left =
        producer.and_then(|event| case.code.early_exit_branch(trace, event.thread(), event.at));
    if let Some(at) = left {
        return Culprit::at(
            at,
            "the producer exits its loop here, but the consumer loop continues",
        );
    }
    let consumer_loop = case.code.loop_test(root.at());
    let producer_loop = producer.and_then(|event| case.code.loop_test(event.at));
    match (consumer_loop, producer_loop) {
        (Some(_), Some(test)) if has_more_input(case) => Culprit::at(
            test,
            "the producer loop runs fewer iterations than the consumer loop",
        ),
        (Some(test), _) => Culprit::at(
            test,
            "the consumer loop runs more iterations than the producer loop",
        ),
        (None, _) => Culprit::at(
            root.at(),
            "the consumer waits for one more phase than the producer completes",
        ),
    }
}

/// Checks whether the global memory buffer of the input continues beyond the last byte that the copies have read.
fn has_more_input(case: &HangContext<'_>) -> bool {
    let last = case
        .trace
        .async_starts
        .iter()
        .max_by_key(|start| start.source_end_address);
    let Some(end) = last.and_then(|start| start.source_end_address) else {
        return false;
    };
    case.machine.region_at(end).is_some()
}

/// Returns the first execution of a wait that completed before any arrival because of its parity. This wait is the
/// cause of the error, even if the threads hang at another instruction.
pub(crate) fn premature_wait(case: &HangContext<'_>, wait: InstructionRef) -> Option<Wait> {
    let events = || {
        let all = case.trace.mbarrier_events.iter();
        all.filter(move |event| event.at == wait && event.act == MbarrierOperation::Test)
    };
    if !case.code.reads_after(wait) {
        return None;
    }
    let Some(first) = events().find(|event| event.phase == 0) else {
        return first_wait(case, wait);
    };
    let own = events().filter(|event| (event.warp, event.object) == (first.warp, first.object));
    let state = case.object_state(first.object);
    Some(Wait {
        block: first.warp.block,
        warp: first.warp.warp,
        lanes: own.fold(0, |lanes, event| lanes | 1 << (event.lane & 31)),
        function: wait.0,
        instruction: wait.1,
        kind: WaitKind::Mbarrier {
            address: first.object.1,
            phase: case.trace.phase(first.object),
            parity: true,
            pending: state.map_or(0, |state| state.pending),
            bytes: state.map_or(0, |state| state.bytes),
        },
    })
}

/// Returns lanes whose first wait on an mbarrier has parity 1.
fn first_wait(case: &HangContext<'_>, wait: InstructionRef) -> Option<Wait> {
    let is_first = |waiting: &&Wait| {
        let WaitKind::Mbarrier {
            address,
            parity: true,
            ..
        } = waiting.kind
        else {
            return false;
        };
        let object = (waiting.block, address);
        let mut events = case.trace.mbarrier_events.iter();
        waiting.at() == wait
            && !events.any(|event| {
                (event.warp, event.object) == (waiting.warp_id(), object)
                    && event.act == MbarrierOperation::Test
            })
    };
    case.waits.iter().find(is_first).cloned()
}
