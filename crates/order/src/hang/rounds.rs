//! Waits in a ring buffer whose phases do not match the passes through the ring: wrong parities, addresses and trip
//! counts.

use crate::hang::arrivals::{WRONG_OBJECT, is_only_provider};
use crate::hang::lines::{Case, Fault};
use crate::hang::root::{Wait, WaitKind};
use crate::hang::story::{Object, Place};
use warpgrid_emulator::MbarrierAct;

/// Returns the wait whose parity or address does not match the passes through the ring.
pub(crate) fn order_of_waits(case: &Case<'_>, root: &Wait) -> Option<Fault> {
    let code = case.code;
    let all = code.waits(root.at());
    let executed = |at: Place| {
        case.story
            .paths
            .values()
            .any(|p| p.steps.iter().any(|(s, _)| *s == at))
    };
    for wait in &all {
        if let Some(reset) = code.reset_around(*wait).filter(|at| executed(*at)) {
            return Some(depends(
                reset,
                "the flag that marks used stages is reset, so the waits for these stages are skipped",
            ));
        }
    }
    if let Some(fault) = all.iter().find_map(|wait| parity_at_fault(case, *wait)) {
        return Some(fault);
    }
    let too_early = all.iter().find(|wait| strayed(case, **wait).is_some());
    if let Some(wait) = too_early {
        let fault = Fault::at(
            code.parity_made(*wait),
            "the first wait uses parity 1 and therefore does not wait for phase 0: use parity 0",
        );
        return Some(Fault {
            wait: Some(*wait),
            ..fault
        });
    }
    let own = case.story.deeds.iter().find_map(|deed| {
        let waits = deed.act == MbarrierAct::Test && is_only_provider(case, deed.warp, deed.object);
        let register = case.code.address_register(deed.at).filter(|_| waits)?;
        code.definition_before(deed.at, register)
    });
    if let Some(at) = own {
        return Some(Fault::at(at, WRONG_OBJECT));
    }
    repeated_address(case)
}

/// Returns a faulty instruction that causes a hang only under some schedules.
fn depends(at: Place, what: &'static str) -> Fault {
    Fault {
        at: Some(at),
        what,
        depends_on_order: true,
        wait: None,
    }
}

/// Returns the definition of the parity of a ring wait if the parity never changes, or changes at each stage.
fn parity_at_fault(case: &Case<'_>, wait: Place) -> Option<Fault> {
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
    if let Some(first) = code.plain_chain(wait, parity)
        && !code.is_constant(first)
        && code.loop_test(first).is_some()
    {
        let fault = Fault::at(
            first,
            "the phase parity of the wait changes at each stage instead of once per pass through the ring buffer",
        );
        return Some(Fault {
            wait: Some(wait),
            ..fault
        });
    }
    None
}

/// Returns the definition of the address of arrivals in a loop if no iteration changes the address.
fn repeated_address(case: &Case<'_>) -> Option<Fault> {
    let code = case.code;
    let repeated = case.story.deeds.iter().find_map(|deed| {
        if deed.act != MbarrierAct::Arrive || code.loop_test(deed.at).is_none() {
            return None;
        }
        let register = code.address_register(deed.at)?;
        let definition = code.definition_before(deed.at, register)?;
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

/// Returns the faulty instruction if a thread waits for a phase that no thread completes.
pub(crate) fn extra_round(case: &Case<'_>, root: &Wait, object: Object) -> Fault {
    let story = case.story;
    let deeds = story.deeds.iter().rev();
    let producer = deeds.clone().find(|deed| {
        deed.object == object
            && matches!(deed.act, MbarrierAct::Arrive | MbarrierAct::ArriveExpecting)
    });
    let left = producer.and_then(|deed| case.code.way_out(story, deed.thread(), deed.at));
    if let Some(at) = left {
        return Fault::at(
            at,
            "the producer exits its loop here, but the consumer loop continues",
        );
    }
    let consumer_loop = case.code.loop_test(root.at());
    let producer_loop = producer.and_then(|deed| case.code.loop_test(deed.at));
    match (consumer_loop, producer_loop) {
        (Some(_), Some(test)) if has_more_input(case) => Fault::at(
            test,
            "the producer loop runs fewer iterations than the consumer loop",
        ),
        (Some(test), _) => Fault::at(
            test,
            "the consumer loop runs more iterations than the producer loop",
        ),
        (None, _) => Fault::at(
            root.at(),
            "the consumer waits for one more phase than the producer completes",
        ),
    }
}

/// Checks whether the input region continues beyond the last byte that the copies have read.
fn has_more_input(case: &Case<'_>) -> bool {
    let last = case.story.sent.iter().max_by_key(|sent| sent.source_end);
    let Some(end) = last.and_then(|sent| sent.source_end) else {
        return false;
    };
    case.machine.region_at(end).is_some()
}

/// Returns the first execution of a wait that completed before any arrival because of its parity. This wait is the root
/// of the error, even if the threads hang elsewhere.
pub(crate) fn strayed(case: &Case<'_>, wait: Place) -> Option<Wait> {
    let deeds = || {
        let all = case.story.deeds.iter();
        all.filter(move |deed| deed.at == wait && deed.act == MbarrierAct::Test)
    };
    if !case.code.reads_after(wait) {
        return None;
    }
    let Some(first) = deeds().find(|deed| deed.phase == 0) else {
        return first_wait(case, wait);
    };
    let own = deeds().filter(|deed| (deed.warp, deed.object) == (first.warp, first.object));
    let state = case.object_state(first.object);
    Some(Wait {
        block: first.warp.block,
        warp: first.warp.warp,
        lanes: own.fold(0, |lanes, deed| lanes | 1 << (deed.lane & 31)),
        function: wait.0,
        instruction: wait.1,
        kind: WaitKind::Mbarrier {
            address: first.object.1,
            phase: case.story.phase(first.object),
            parity: true,
            pending: state.map_or(0, |state| state.pending),
            bytes: state.map_or(0, |state| state.bytes),
        },
    })
}

/// Returns lanes whose first wait on an mbarrier has parity 1.
fn first_wait(case: &Case<'_>, wait: Place) -> Option<Wait> {
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
        let mut deeds = case.story.deeds.iter();
        waiting.at() == wait
            && !deeds.any(|deed| {
                (deed.warp, deed.object) == (waiting.warp_id(), object)
                    && deed.act == MbarrierAct::Test
            })
    };
    case.waits.iter().find(is_first).cloned()
}
