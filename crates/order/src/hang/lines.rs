//! The instruction at fault: what should have provided what is missing, or where it is missing.

use super::code::Code;
use super::root::{Diagnosis, RootKind, Wait, WaitKind};
use super::story::{Excluded, Object, Place, Story, WarpId, Written};
use std::collections::BTreeSet;
use warpgrid_emulator::{Machine, MbarrierAct, MbarrierState, MemoryId, Waits};

/// All that is known of a hang.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) story: &'a Story,
    pub(crate) ahead: Option<&'a Story>,
    pub(crate) code: Code<'a>,
    pub(crate) waits: &'a [Wait],
    pub(crate) unstarted: &'a [u64],
}

impl Case<'_> {
    /// What an mbarrier holds now.
    pub(crate) fn object_state(&self, object: Object) -> Option<MbarrierState> {
        let held = self.machine.mbarriers(object.0);
        held.into_iter()
            .find(|(address, _)| *address == object.1)?
            .1
    }

    /// When the present phase of an object began.
    fn began(&self, object: Object) -> u64 {
        self.story.began.get(&object).copied().unwrap_or(0)
    }
}

const WRONG_OBJECT: &str =
    "who waits here is who should arrive at the object: it waits for the wrong one";

/// A misuse of an mbarrier that follows from waits that do not go with the rounds of a ring.
pub(crate) fn explain_misuse(case: &Case<'_>, root: &Wait) -> Option<Diagnosis> {
    let fault = order_of_waits(case, root)?;
    let strayed = fault.wait.and_then(|wait| strayed(case, wait));
    Some(Diagnosis {
        kind: RootKind::Mbarrier,
        root: strayed.unwrap_or_else(|| root.clone()),
        depends_on_order: fault.depends_on_order,
        at_fault: fault.at,
        what: fault.what.to_owned(),
        waits: Vec::new(),
        block: None,
    })
}

/// What is at fault, in a word and a place.
struct Fault {
    at: Option<Place>,
    what: &'static str,
    depends_on_order: bool,
    /// The wait that is wrong, where it is known to be another one than the first.
    wait: Option<Place>,
}

impl Fault {
    fn at(at: Place, what: &'static str) -> Fault {
        Fault {
            at: Some(at),
            what,
            depends_on_order: false,
            wait: None,
        }
    }
}

/// Explains a hang by its root.
pub(crate) fn explain(case: &Case<'_>, root: &Wait) -> Diagnosis {
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
                (0, bytes) if bytes != 0 => bytes_at_fault(case, object, bytes),
                (pending, _) => arrivals_at_fault(case, root, object, pending),
            };
            (RootKind::Mbarrier, fault)
        }
        WaitKind::Barrier { id, .. } => (RootKind::Barrier, barrier_at_fault(case, root, *id)),
        WaitKind::ClusterBarrier => (RootKind::ClusterBarrier, absent(case, root)),
        WaitKind::WarpSync { missing } => {
            (RootKind::WarpSync, lanes_at_fault(case, root, *missing))
        }
        WaitKind::Spin { memory, address } => {
            let place = (*memory, *address);
            match case.unstarted.first() {
                Some(_) => {
                    let (starter, fault) = unstarted_at_fault(case, root, place);
                    block = Some(starter);
                    (RootKind::NotResident, fault)
                }
                None => (RootKind::Spin, spin_at_fault(case, root, place)),
            }
        }
        WaitKind::TensorMemory { .. } => (RootKind::TensorMemory, absent(case, root)),
        WaitKind::Copies | WaitKind::NotResident => (RootKind::Copies, absent(case, root)),
    };
    let wrong = case.waits.iter().find(|wait| Some(wait.at()) == fault.wait);
    Diagnosis {
        kind,
        root: wrong.unwrap_or(root).clone(),
        depends_on_order: fault.depends_on_order,
        at_fault: fault.at,
        what: fault.what.to_owned(),
        waits: case.waits.to_vec(),
        block,
    }
}

/// The first wait at a place that was over before anything had arrived, for the parity before the first phase: what it waits for is where
/// things went wrong, wherever threads wait in the end.
fn strayed(case: &Case<'_>, wait: Place) -> Option<Wait> {
    let deeds = || {
        let all = case.story.deeds.iter();
        all.filter(move |deed| deed.at == wait && deed.act == MbarrierAct::Test)
    };
    let first = deeds().find(|deed| deed.phase == 0)?;
    let own = deeds().filter(|deed| (deed.warp, deed.object) == (first.warp, first.object));
    let state = case.object_state(first.object);
    Some(Wait {
        block: first.warp.0,
        warp: first.warp.1,
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

/// Bytes that are missing, or came without being expected.
fn bytes_at_fault(case: &Case<'_>, object: Object, bytes: i32) -> Fault {
    let story = case.story;
    let phase = story.phase(object);
    let expects = story.deeds.iter().rev().find(|deed| {
        deed.object == object
            && deed.phase == phase
            && matches!(deed.act, MbarrierAct::ArriveExpecting | MbarrierAct::Expect)
    });
    let copies = || {
        story
            .sent
            .iter()
            .filter(|sent| sent.object == object && sent.bytes.is_some())
    };
    let of_phase = copies().rev().find(|sent| sent.phase == phase);
    let fallback = expects.map(|deed| deed.at).or(of_phase.map(|sent| sent.at));
    let expected = |what| Fault {
        at: fallback,
        what,
        depends_on_order: false,
        wait: None,
    };
    if bytes < 0 {
        return expected("fewer bytes are expected here than come");
    }
    let began = case.began(object);
    let left_out = story.excluded.iter().rev().find(|excluded| {
        excluded.step >= began
            && excluded.executed == 0
            && excluded.warp.0 == object.0
            && case.code.is_copy(excluded.at)
    });
    if let Some(excluded) = left_out {
        return Fault::at(
            excluded.at,
            "the guard leaves this copy out, and its bytes stay expected",
        );
    }
    let elsewhere = story.sent.iter().rev().find(|sent| {
        let state = case.object_state(sent.object);
        sent.object != object && state.is_some_and(|state| state.bytes < 0)
    });
    if let Some(sent) = elsewhere {
        return Fault::at(sent.at, "this copy completes on another mbarrier");
    }
    let shorter = copies().filter(|sent| sent.phase == phase).find(|sent| {
        let earlier = story
            .sent
            .iter()
            .filter(|old| old.at == sent.at && old.step < sent.step);
        earlier
            .max_by_key(|old| old.bytes)
            .is_some_and(|old| old.bytes > sent.bytes)
    });
    match shorter {
        Some(sent) => Fault::at(
            sent.at,
            "this copy brings fewer bytes than before, and as many are expected",
        ),
        None => expected("more bytes are expected here than come"),
    }
}

/// Arrivals that are missing.
fn arrivals_at_fault(case: &Case<'_>, root: &Wait, object: Object, pending: u32) -> Fault {
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
    if is_own_wait(case, root, object) {
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
        let init = story
            .deeds
            .iter()
            .rev()
            .find(|deed| deed.object == object && deed.act == MbarrierAct::Init);
        if let Some(init) = init {
            return Fault::at(init.at, "more arrivals are expected than come in a phase");
        }
    }
    if let Some(fault) = order_of_waits(case, root) {
        return fault;
    }
    if !before.is_empty() && before.iter().all(ended) {
        return extra_round(case, root, object);
    }
    let ever = story
        .deeds
        .iter()
        .any(|deed| deed.object == object && is_arrival(deed.act));
    let circle = case.waits.iter().any(|other| {
        other.warp_id() != root.warp_id() && matches!(other.kind, WaitKind::Mbarrier { .. })
    });
    if !ever && !circle {
        return absent(case, root);
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

/// Waits whose parity or address does not go with the rounds of a ring.
fn order_of_waits(case: &Case<'_>, root: &Wait) -> Option<Fault> {
    let code = case.code;
    let depends = |at, what| Fault {
        at: Some(at),
        what,
        depends_on_order: true,
        wait: None,
    };
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
                "what says whether a stage was used before is set back: waits are left out",
            ));
        }
    }
    for wait in &all {
        let (parity, address) = code.wait_registers(*wait);
        let is_ring = address.is_some_and(|r| {
            code.definition_before(*wait, r)
                .is_some_and(|at| !code.is_constant(at) && code.loop_test(at).is_some())
        });
        let Some(parity) = parity.filter(|_| is_ring && parity != address) else {
            continue;
        };
        let Some(definition) = code.definition_before(*wait, parity) else {
            continue;
        };
        if code.is_constant(definition) && code.loop_test(definition).is_some() {
            return Some(depends(definition, "the parity is the same in every round"));
        }
        if let Some(first) = code.plain_chain(*wait, parity)
            && !code.is_constant(first)
            && code.loop_test(first).is_some()
        {
            let fault = Fault::at(
                first,
                "the parity turns with every stage, not with every round of the ring",
            );
            return Some(Fault {
                wait: Some(*wait),
                ..fault
            });
        }
    }
    let own = case.story.deeds.iter().find_map(|deed| {
        let waits = deed.act == MbarrierAct::Test && is_only_provider(case, deed.warp, deed.object);
        let register = case.code.address_register(deed.at).filter(|_| waits)?;
        code.definition_before(deed.at, register)
    });
    if let Some(at) = own {
        return Some(Fault::at(at, WRONG_OBJECT));
    }
    let repeated = case.story.deeds.iter().find_map(|deed| {
        if deed.act != MbarrierAct::Arrive || code.loop_test(deed.at).is_none() {
            return None;
        }
        let register = code.address_register(deed.at)?;
        let definition = code.definition_before(deed.at, register)?;
        let is_copy = code.opcode(definition).starts_with("mov.");
        let in_loop = code.loop_test(definition).is_some();
        (is_copy && in_loop).then_some(definition)
    });
    repeated.map(|at| {
        depends(
            at,
            "the stage is not in the address: the same object gets every arrival",
        )
    })
}

/// A phase is waited for that no_one produces any more.
fn extra_round(case: &Case<'_>, root: &Wait, object: Object) -> Fault {
    let story = case.story;
    let deeds = story.deeds.iter().rev();
    let producer = deeds.clone().find(|deed| {
        deed.object == object
            && matches!(deed.act, MbarrierAct::Arrive | MbarrierAct::ArriveExpecting)
    });
    let consumer_loop = case.code.loop_test(root.at());
    let producer_loop = producer.and_then(|deed| case.code.loop_test(deed.at));
    match (consumer_loop, producer_loop) {
        (Some(_), Some(test)) if has_more_input(case) => {
            Fault::at(test, "who produces goes round fewer times than who waits")
        }
        (Some(test), _) => Fault::at(test, "who waits goes round more often than who produces"),
        (None, _) => Fault::at(root.at(), "one phase more is waited for than is produced"),
    }
}

/// Whether copies have left out the end of what they read.
fn has_more_input(case: &Case<'_>) -> bool {
    let last = case.story.sent.iter().max_by_key(|sent| sent.source_end);
    let Some(end) = last.and_then(|sent| sent.source_end) else {
        return false;
    };
    case.machine.region_at(end).is_some()
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
fn is_only_provider(case: &Case<'_>, warp: WarpId, object: Object) -> bool {
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

/// A barrier of the block to which not all come.
fn barrier_at_fault(case: &Case<'_>, root: &Wait, id: u32) -> Fault {
    let WaitKind::Barrier {
        expected, phase, ..
    } = root.kind
    else {
        return absent(case, root);
    };
    let n_warps = case
        .story
        .paths
        .keys()
        .filter(|warp| warp.0 == root.block)
        .count() as u32;
    if expected > n_warps * 32 {
        return Fault::at(root.at(), "more threads are expected than the block has");
    }
    let story = case.story;
    let is_here = |warp: &WarpId| {
        case.waits.iter().any(|w| {
            w.warp_id() == *warp
                && matches!(w.kind, WaitKind::Barrier { id: other, .. } if other == id)
        })
    };
    let missing: Vec<WarpId> = story
        .paths
        .keys()
        .filter(|warp| warp.0 == root.block && !is_here(warp))
        .copied()
        .collect();
    for warp in &missing {
        let elsewhere = story.came.iter().rev().find(|came| {
            came.warp == *warp
                && came.id != id
                && came.waits == Waits::No
                && came.phase == story.barrier_phase(root.block, came.id)
        });
        if let Some(came) = elsewhere {
            return Fault::at(came.at, "another barrier is arrived at");
        }
        let is_at = case.waits.iter().find(|wait| wait.warp_id() == *warp);
        if let Some(wait) = is_at {
            let later = case.code.barrier_after(wait.at(), id);
            return Fault::at(
                later.unwrap_or(wait.at()),
                "this arrival comes only after another wait, which waits in turn",
            );
        }
        let came_before = phase > 0
            && story
                .came
                .iter()
                .any(|came| came.warp == *warp && came.id == id);
        if came_before {
            return Fault::at(
                trip_count(case, root, *warp),
                "the loops around the barrier go round a different number of times",
            );
        }
    }
    absent(case, root)
}

/// What decides how often a warp goes round the loop of a barrier.
fn trip_count(case: &Case<'_>, root: &Wait, warp: WarpId) -> Place {
    let Some(test) = case.code.loop_test(root.at()) else {
        return root.at();
    };
    let Some(bound) = case.code.sources(test).get(1).copied() else {
        return test;
    };
    let path = case.story.paths.get(&warp);
    let steps = path.into_iter().flat_map(|path| path.steps.iter().rev());
    let set = steps
        .map(|(at, _)| *at)
        .find(|at| case.code.defines(*at, bound));
    set.unwrap_or(test)
}

/// Lanes of a warp that do not come to where the others wait for them.
fn lanes_at_fault(case: &Case<'_>, root: &Wait, missing: u32) -> Fault {
    let is_at = case.waits.iter().find(|wait| {
        wait.warp_id() == root.warp_id() && wait.lanes & missing != 0 && wait.at() != root.at()
    });
    match is_at {
        Some(wait) => Fault::at(
            wait.at(),
            "lanes that are named are here, and wait for something else",
        ),
        None => Fault::at(root.at(), "lanes are named that do not come"),
    }
}

/// Where those that are missing have left the way of those that wait.
fn absent(case: &Case<'_>, root: &Wait) -> Fault {
    let story = case.story;
    let here = |warp: &WarpId| {
        case.waits
            .iter()
            .any(|wait| wait.warp_id() == *warp && wait.at() == root.at())
    };
    let missing = story
        .paths
        .keys()
        .find(|warp| warp.0 == root.block && !here(warp))
        .or_else(|| story.paths.keys().find(|warp| !here(warp)));
    let found = missing.and_then(|warp| parting(case, root, *warp));
    Fault {
        at: found.or(Some(root.at())),
        what: "those that are missing go another way",
        depends_on_order: false,
        wait: None,
    }
}

/// The first instruction of one warp that another one does not execute, after the last that both do; the branch before it, if it ends there.
fn parting(case: &Case<'_>, waiting: &Wait, missing: WarpId) -> Option<Place> {
    let of = |warp: &WarpId| case.story.paths.get(warp);
    let own = of(&waiting.warp_id())?.steps.iter();
    let own = own.filter(|(_, lanes)| lanes & waiting.lanes != 0);
    let known: BTreeSet<Place> = own.map(|(at, _)| *at).collect();
    let path: Vec<Place> = of(&missing)?.steps.iter().map(|(at, _)| *at).collect();
    let common = path.iter().rposition(|at| known.contains(at))?;
    let last = *path.get(common)?;
    let next = path.get(common + 1).copied();
    Some(next.filter(|at| !case.code.is_exit(*at)).unwrap_or(last))
}

/// The branch at which lanes of a warp parted before they came to a place.
pub(crate) fn branch_apart(
    story: &Story,
    code: Code<'_>,
    warp: WarpId,
    lanes: u32,
    at: Place,
) -> Option<Place> {
    let path = story.paths.get(&warp)?;
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

/// A loop that reads memory which no thread changes any more.
fn spin_at_fault(case: &Case<'_>, root: &Wait, (memory, address): (MemoryId, u64)) -> Fault {
    let story = case.story;
    let waiting = super::root::lanes_by_warp(case.waits);
    let is_waiting = |warp: &WarpId, lanes: u32| waiting.get(warp).is_some_and(|w| w & lanes != 0);
    let touches = |w: &&Written| w.memory == memory && w.start <= address && address < w.end;
    let by_others = story
        .written
        .iter()
        .rev()
        .find(|w| touches(w) && !is_waiting(&w.warp, w.lanes));
    let by_waiting = story
        .written
        .iter()
        .rev()
        .find(|w| touches(w) && is_waiting(&w.warp, w.lanes));
    if let Some(count) = by_waiting.filter(|w| w.is_atomic) {
        let never = story
            .paths
            .iter()
            .find(|(_, path)| !path.steps.iter().any(|(at, _)| *at == count.at));
        if let Some((warp, _)) = never
            && let Some(at) = parting(case, root, *warp)
        {
            return Fault::at(at, "threads that are counted on leave here");
        }
    }
    if let Some(written) = by_others {
        return Fault::at(
            written.at,
            "what is stored here is not what the loop waits for",
        );
    }
    let left_out = story.excluded.iter().rev().find(|excluded| {
        excluded.executed == 0
            && case.code.is_strong_write(excluded.at)
            && !is_waiting(&excluded.warp, excluded.excluded)
    });
    if let Some(excluded) = left_out {
        return Fault::at(
            excluded.at,
            "the guard of this store is false for all that come here",
        );
    }
    let near = story.written.iter().rev().find(|w| {
        w.memory == memory
            && case.code.is_strong_write(w.at)
            && same_allocation(case, memory, w.start, address)
    });
    if let Some(written) = near {
        return Fault::at(
            written.at,
            "this store goes to another place than the loop reads",
        );
    }
    match case
        .code
        .next_after(root.at(), |at| case.code.is_strong_write(at))
    {
        Some(at) => Fault::at(at, "who should store this waits in the same loop"),
        None => absent(case, root),
    }
}

fn same_allocation(case: &Case<'_>, memory: MemoryId, a: u64, b: u64) -> bool {
    match memory {
        MemoryId::Global => {
            let region = |address| case.machine.region_at(address).map(|(region, _)| region);
            region(a).is_some() && region(a) == region(b)
        }
        _ => true,
    }
}

/// A block that does not start before another one ends: which, and what it would do.
fn unstarted_at_fault(
    case: &Case<'_>,
    root: &Wait,
    (memory, address): (MemoryId, u64),
) -> (u64, Fault) {
    let first = case.unstarted.first().copied().unwrap_or(0);
    let written = case.ahead.and_then(|ahead| {
        let mut all = ahead.written.iter();
        all.find(|w| {
            w.memory == memory
                && w.start <= address
                && address < w.end
                && case.unstarted.contains(&w.warp.0)
        })
    });
    let Some(written) = written else {
        return (
            first,
            Fault::at(
                root.at(),
                "a block that is waited for does not start before another one ends",
            ),
        );
    };
    let counted = case.story.written.iter().any(|w| w.at == written.at);
    let at = match counted {
        true => case.code.test_of(root.at()).unwrap_or(written.at),
        false => written.at,
    };
    let what = match counted {
        true => "more blocks are counted on than run at a time",
        false => "the block that stores this does not start before another one ends",
    };
    (written.warp.0, Fault::at(at, what))
}
