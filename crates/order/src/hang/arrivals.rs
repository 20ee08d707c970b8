//! Arrivals that are missing at an mbarrier: which instruction should have brought them.

use super::lines::{Case, Fault, absent, branch_apart};
use super::root::{Wait, WaitKind};
use super::rounds::{extra_round, order_of_waits};
use super::story::{Excluded, Object, Place, WarpId};
use std::collections::BTreeSet;
use warpgrid_emulator::MbarrierAct;

pub(super) const WRONG_OBJECT: &str =
    "who waits here is who should arrive at the object: it waits for the wrong one";

/// Arrivals that are missing.
pub(super) fn arrivals_at_fault(
    case: &Case<'_>,
    root: &Wait,
    object: Object,
    pending: u32,
) -> Fault {
    let story = case.story;
    let phase = story.phase(object);
    let of_phase = |deed: &&super::story::Deed| deed.object == object && deed.phase == phase;
    let uncounted = story.sent.iter().find(|sent| {
        sent.object == object && sent.phase == phase && case.code.is_uncounted_arrival(sent.at)
    });
    if let Some(sent) = uncounted {
        return Fault::at(
            sent.at,
            "without `.noinc` each arrival first adds one to what is pending, so that nothing is left over",
        );
    }
    if let Some(excluded) = excluded_arrival(case, object, pending) {
        let init = story
            .deeds
            .iter()
            .rev()
            .find(|deed| deed.object == object && deed.act == MbarrierAct::Init);
        return match init {
            Some(init) if excluded.executed != 0 && !has_data(case, &excluded) => Fault::at(
                init.at,
                "as many arrivals are expected as a warp has lanes, and one lane arrives for all",
            ),
            _ => Fault::at(excluded.at, "the guard keeps lanes from this arrival"),
        };
    }
    let is_arrival = |act| matches!(act, MbarrierAct::Arrive | MbarrierAct::ArriveExpecting);
    let arrivals = || {
        story
            .deeds
            .iter()
            .filter(of_phase)
            .filter(|deed| is_arrival(deed.act))
    };
    let expect = story
        .deeds
        .iter()
        .filter(of_phase)
        .find(|deed| deed.act == MbarrierAct::Expect);
    if let (Some(expect), None) = (expect, arrivals().next()) {
        return Fault::at(expect.at, "bytes are expected here, which is no arrival");
    }
    if is_own_wait(case, root, object) || would_arrive_itself(case, root, object) {
        let address = case.code.address_register(root.at());
        let at = address.and_then(|r| case.code.definition_before(root.at(), r));
        return Fault::at(at.unwrap_or(root.at()), WRONG_OBJECT);
    }
    let threads_of = |phase: u32| -> BTreeSet<(WarpId, u32)> {
        let deeds = story
            .deeds
            .iter()
            .filter(|d| d.object == object && d.phase == phase && is_arrival(d.act));
        deeds.map(|deed| (deed.warp, deed.lane)).collect()
    };
    let now = threads_of(phase);
    let before = phase.checked_sub(1).map(threads_of).unwrap_or_default();
    let ended = |thread: &(WarpId, u32)| {
        story
            .paths
            .get(&thread.0)
            .is_some_and(|p| p.exited >> thread.1 & 1 != 0)
    };
    if !now.is_empty() {
        let gone = before.difference(&now).find(|thread| ended(thread));
        if let Some(thread) = gone {
            let last = story.deeds.iter().rev().find(|deed| {
                (deed.warp, deed.lane) == *thread && deed.object == object && is_arrival(deed.act)
            });
            if let Some(deed) = last {
                return Fault::at(
                    deed.at,
                    "a thread that arrived here has ended without `arrive_drop`, and is still expected",
                );
            }
        }
        if let Some(at) = left_early(case, object, pending) {
            return Fault::at(at, "threads that are counted on leave here");
        }
        let init = story
            .deeds
            .iter()
            .rev()
            .find(|deed| deed.object == object && deed.act == MbarrierAct::Init);
        if let Some(init) = init {
            return Fault::at(init.at, "more arrivals are expected than come in a phase");
        }
    }
    let ever = story
        .deeds
        .iter()
        .any(|deed| deed.object == object && is_arrival(deed.act));
    if !ever && let Some(at) = stray_arrival(case, root, object) {
        return Fault::at(at, "this arrival goes to another object");
    }
    if let Some(fault) = order_of_waits(case, root) {
        return fault;
    }
    if !ever && let Some(at) = first_parity(case, root, object) {
        return Fault::at(
            at,
            "the first wait for what no thread has used is for parity 1, the phase before the first",
        );
    }
    if !before.is_empty() && before.iter().all(ended) {
        return extra_round(case, root, object);
    }
    let circle = case.waits.iter().any(|other| {
        other.warp_id() != root.warp_id() && matches!(other.kind, WaitKind::Mbarrier { .. })
    });
    if !ever && let Some(at) = passed_by(case, object) {
        return Fault::at(
            at,
            "in another block threads arrive, and here they go past it",
        );
    }
    if !ever && !circle {
        return later_arrival(case, root).unwrap_or_else(|| absent(case, root));
    }
    Fault::at(
        root.at(),
        "the phase with this parity cannot be complete: who should complete it waits for this one first",
    )
}

/// Whether lanes that a guard keeps from an arrival have accessed memory, which others then wait for.
fn has_data(case: &Case<'_>, excluded: &Excluded) -> bool {
    let path = case.story.paths.get(&excluded.warp);
    let mut steps = path.into_iter().flat_map(|path| path.steps.iter());
    steps
        .by_ref()
        .take_while(|(at, _)| *at != excluded.at)
        .any(|(at, lanes)| lanes & excluded.excluded != 0 && case.code.is_data_access(*at))
}

/// An arrival that a guard kept lanes from, in the present phase, so that just what is pending is missing.
pub(crate) fn excluded_arrival(case: &Case<'_>, object: Object, pending: u32) -> Option<Excluded> {
    let began = case.began(object);
    let story = case.story;
    let of_object = |at: Place| {
        story
            .deeds
            .iter()
            .any(|deed| deed.at == at && deed.object == object)
    };
    let no_one = |at: Place| !story.deeds.iter().any(|deed| deed.at == at);
    story
        .excluded
        .iter()
        .rev()
        .find(|excluded| {
            let counts = match excluded.executed {
                0 => true,
                _ => excluded.excluded.count_ones() == pending && of_object(excluded.at),
            };
            excluded.step >= began
                && excluded.warp.0 == object.0
                && case.code.is_arrival(excluded.at)
                && counts
                && (of_object(excluded.at) || no_one(excluded.at))
        })
        .copied()
}

/// Whether the lanes that wait for an object are the only ones that ever arrive there.
pub(crate) fn is_own_wait(case: &Case<'_>, wait: &Wait, object: Object) -> bool {
    is_only_provider(case, wait.warp_id(), object)
}

/// Whether a warp announces bytes at an object to which no_one else comes, while others wait elsewhere.
pub(super) fn is_only_provider(case: &Case<'_>, warp: WarpId, object: Object) -> bool {
    let is_alone = case
        .story
        .paths
        .keys()
        .filter(|other| other.0 == warp.0)
        .count()
        < 2;
    let expects = case.story.deeds.iter().any(|deed| {
        deed.object == object && deed.warp == warp && deed.act == MbarrierAct::ArriveExpecting
    });
    let others_wait =
        case.story.deeds.iter().any(|deed| {
            deed.object == object && deed.warp != warp && deed.act == MbarrierAct::Test
        }) || case.waits.iter().any(|wait| wait.warp_id() != warp);
    !is_alone
        && expects
        && others_wait
        && providers(case, object).iter().all(|other| *other == warp)
}

/// Warps that have arrived at an object, or sent bytes to it.
pub(crate) fn providers(case: &Case<'_>, object: Object) -> BTreeSet<WarpId> {
    let deeds = case.story.deeds.iter().filter(|deed| {
        deed.object == object
            && matches!(
                deed.act,
                MbarrierAct::Arrive | MbarrierAct::ArriveExpecting | MbarrierAct::Expect
            )
    });
    let sent = case.story.sent.iter().filter(|sent| sent.object == object);
    deeds
        .map(|deed| deed.warp)
        .chain(sent.map(|sent| sent.warp))
        .collect()
}

/// Whether who waits would be the first to arrive at the object, by its next instruction that arrives anywhere: it waits for the wrong one.
pub(crate) fn would_arrive_itself(case: &Case<'_>, wait: &Wait, object: Object) -> bool {
    let code = case.code;
    let next = code.next_after(wait.at(), |at| code.is_arrival(at) || code.is_test(at));
    let arrives = next.is_some_and(|at| code.is_arrival(at) && code.same_address(at, wait.at()));
    arrives && providers(case, object).is_empty()
}

/// Where threads have left that an object counts on: lanes of a warp of which others arrive, or whole warps.
fn left_early(case: &Case<'_>, object: Object, pending: u32) -> Option<Place> {
    let story = case.story;
    let arrived = |warp: WarpId| {
        let own = story.deeds.iter().filter(move |deed| {
            deed.object == object && deed.warp == warp && case.code.is_arrival(deed.at)
        });
        own.fold((0, None), |(lanes, _), deed| {
            (lanes | 1 << (deed.lane & 31), Some(deed.at))
        })
    };
    let mut left = 0;
    let mut found = None;
    for (warp, path) in story.paths.iter().filter(|(warp, _)| warp.0 == object.0) {
        let (lanes, last) = arrived(*warp);
        let lives = case.waits.iter().any(|wait| wait.warp_id() == *warp);
        let at = match last {
            Some(at) => branch_apart(story, case.code, *warp, lanes, at),
            None if lives => continue,
            None => path
                .steps
                .iter()
                .rev()
                .map(|(at, _)| *at)
                .find(|at| !case.code.is_exit(*at)),
        };
        left += (path.exited & !lanes).count_ones();
        found = found.or(at.filter(|at| case.code.is_guarded_branch(*at)));
    }
    found.filter(|_| left == pending)
}

/// An arrival at an object that no other thread waits for, or that its own warp waits for: where its address is made.
fn stray_arrival(case: &Case<'_>, root: &Wait, object: Object) -> Option<Place> {
    let story = case.story;
    let waits_there = |other: Object, warp: WarpId| {
        let is_it = |wait: &Wait| match wait.kind {
            WaitKind::Mbarrier { address, .. } => (wait.block, address) == other,
            _ => false,
        };
        case.waits.iter().any(|w| w.warp_id() == warp && is_it(w))
            || story.deeds.iter().any(|deed| {
                deed.object == other && deed.warp == warp && deed.act == MbarrierAct::Test
            })
    };
    let others_wait = |other: Object, warp: WarpId| {
        let mut warps = story.paths.keys().filter(|known| **known != warp);
        warps.any(|known| waits_there(other, *known))
    };
    let stray = story.deeds.iter().rev().find(|deed| {
        deed.act == MbarrierAct::Arrive
            && deed.object != object
            && deed.warp != root.warp_id()
            && (!others_wait(deed.object, deed.warp) && !waits_there(deed.object, deed.warp)
                || waits_there(deed.object, deed.warp) && providers(case, deed.object).len() > 1)
    })?;
    let register = case.code.address_register(stray.at);
    let made = register.and_then(|register| case.code.definition_before(stray.at, register));
    Some(made.unwrap_or(stray.at))
}

/// The parity of a first wait for an object that who waits there goes on to fill.
fn first_parity(case: &Case<'_>, root: &Wait, object: Object) -> Option<Place> {
    let WaitKind::Mbarrier {
        phase: 0,
        parity: false,
        ..
    } = root.kind
    else {
        return None;
    };
    let waited = case.story.deeds.iter().any(|deed| {
        deed.object == object && deed.warp == root.warp_id() && deed.act == MbarrierAct::Test
    });
    if waited || !case.code.produces_after(root.at()) {
        return None;
    }
    Some(case.code.parity_made(root.at()))
}

/// The branch past an arrival that threads of another block made at their own object of this name.
fn passed_by(case: &Case<'_>, object: Object) -> Option<Place> {
    let story = case.story;
    let twin = story.deeds.iter().find(|deed| {
        let is_twin = deed.object.1 == object.1 && deed.object.0 != object.0;
        is_twin && deed.warp.0 == deed.object.0 && case.code.is_arrival(deed.at)
    })?;
    let own = story.paths.iter().filter(|(warp, _)| warp.0 == object.0);
    let mut steps = own.flat_map(|(_, path)| path.steps.iter().map(|(at, _)| *at).rev());
    steps.find(|at| {
        let target = case.code.target(*at);
        case.code.is_guarded_branch(*at)
            && at.1 < twin.at.1
            && target.is_some_and(|target| target > twin.at.1)
    })
}

/// An arrival that comes only after a wait at which another warp is.
fn later_arrival(case: &Case<'_>, root: &Wait) -> Option<Fault> {
    let code = case.code;
    let others = case
        .waits
        .iter()
        .filter(|wait| wait.warp_id() != root.warp_id() && wait.kind != WaitKind::NotResident);
    let mut later = others.filter_map(|wait| code.next_after(wait.at(), |at| code.is_arrival(at)));
    later.next().map(|at| {
        Fault::at(
            at,
            "this arrival comes only after another wait, which waits in turn",
        )
    })
}
