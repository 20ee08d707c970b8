//! Diagnosis of mbarrier phases with missing arrivals: determines the instruction that should have arrived.

use crate::hang::barrier_diagnosis::trip_count;
use crate::hang::diagnosis::{
    AFTER_A_WAIT, Culprit, HangContext, OTHER_MBARRIER, diverging_branch, diverging_instruction,
};
use crate::hang::execution_trace::{
    InstructionRef, LaneId, MbarrierEvent, MbarrierRef, PredicatedOff,
};
use crate::hang::ring_phases::{order_of_waits, surplus_wait};
use crate::hang::root_cause::{Wait, WaitKind};
use crate::hang::skipped_instructions::{
    branch_of_missing_warps, is_after_a_wait, skipping_warps, waits_for_root, warps_of_cluster,
};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::{MbarrierOperation, WarpId};
use warpgrid_isa::Flag;

pub(crate) const MSG_WRONG_MBARRIER: &str =
    "the waiting threads must arrive at this mbarrier, but wait on the wrong mbarrier";

const SKIPPED_ARRIVAL: &str = "expected threads skip the arrival here";

/// Returns the faulty instruction of an mbarrier phase with missing arrivals. The function first applies the rules about the current phase,
/// because these rules are certain. Then, the function applies the rules about threads that arrived in earlier phases, and finally the
/// rules about arrivals after a wait.
pub(crate) fn arrivals_at_fault(
    case: &HangContext<'_>,
    root: &Wait,
    object: MbarrierRef,
    pending: u32,
) -> Culprit {
    let missing = MissingArrivals {
        case,
        root,
        object,
        pending,
    };
    missing
        .wrong_token()
        .or_else(|| missing.missing_noinc_arrivals())
        .or_else(|| missing.excluded())
        .or_else(|| missing.only_expected())
        .or_else(|| missing.self_wait())
        .or_else(|| missing.partial_arrivals())
        .or_else(|| {
            let at = missing.skipped_arrival()?;
            Some(Culprit::at(at, SKIPPED_ARRIVAL))
        })
        .or_else(|| missing.misdirected_arrivals())
        .or_else(|| missing.committed_elsewhere())
        .or_else(|| missing.uncommitted())
        .or_else(|| missing.skipped_expect())
        .or_else(|| order_of_waits(case, root))
        .or_else(|| missing.wrong_parity())
        .or_else(|| missing.after_the_end())
        .unwrap_or_else(|| missing.blocked_arrivals())
}

/// Incomplete phase of an mbarrier with missing arrivals, and a wait for the completion of this phase.
#[derive(Clone, Copy)]
pub(crate) struct MissingArrivals<'a> {
    pub(crate) case: &'a HangContext<'a>,
    root: &'a Wait,
    pub(crate) object: MbarrierRef,
    pending: u32,
}

impl MissingArrivals<'_> {
    fn phase(self) -> u32 {
        self.case.trace.phase(self.object)
    }

    /// Returns the recorded operations on the mbarrier.
    fn events_of_object(&self) -> impl DoubleEndedIterator<Item = &MbarrierEvent> {
        let events = self.case.trace.mbarrier_events.iter();
        events.filter(|event| event.object == self.object)
    }

    fn init(&self) -> Option<InstructionRef> {
        let mut last = self.events_of_object().rev();
        let init = last.find(|event| event.act == MbarrierOperation::Init);
        init.map(|event| event.at)
    }

    /// Returns the threads that arrived at the mbarrier in a phase.
    fn threads_of(&self, phase: u32) -> BTreeSet<LaneId> {
        let arrivals = self.events_of_object();
        let arrivals = arrivals.filter(|event| event.phase == phase && event.is_arrival());
        arrivals.map(MbarrierEvent::thread).collect()
    }

    fn threads_before(&self) -> BTreeSet<LaneId> {
        let before = self.phase().checked_sub(1);
        before
            .map(|phase| self.threads_of(phase))
            .unwrap_or_default()
    }

    fn has_ended(&self, thread: &LaneId) -> bool {
        let path = self.case.trace.paths.get(&thread.warp);
        path.is_some_and(|path| path.exited >> thread.lane & 1 != 0)
    }

    /// Checks whether this mbarrier is the only mbarrier of the block for which the wait could have been intended.
    fn is_only_object(&self) -> bool {
        let trace = self.case.trace;
        let events = trace.mbarrier_events.iter().map(|event| event.object);
        let mut all = events.chain(trace.async_starts.iter().map(|start| start.object));
        all.all(|other| other == self.object || other.0 != self.object.0)
    }

    /// Checks whether a thread has arrived at the mbarrier in any phase.
    pub(crate) fn has_any(&self) -> bool {
        self.events_of_object().any(|event| event.is_arrival())
    }

    /// Returns the wait if its token was not returned by an arrival in the current or the preceding phase of the mbarrier.
    fn wrong_token(&self) -> Option<Culprit> {
        let MissingArrivals { case, root, .. } = *self;
        if case.code.has(root.at(), Flag::Parity) {
            return None;
        }
        let token = case.code.sources(root.at()).last().copied()?;
        let mut events = case.trace.mbarrier_events.iter().rev();
        let arrival = events.find(|event| {
            event.warp == root.warp_id()
                && root.lanes >> event.lane & 1 != 0
                && case.code.defines(event.at, token)
        })?;
        let message = if arrival.object != self.object {
            "the token of this wait was returned by an arrival at a different mbarrier"
        } else if arrival.phase + 1 < self.phase() {
            "the token of this wait was returned by an arrival in an earlier phase"
        } else {
            return None;
        };
        Some(Culprit::at(root.at(), message))
    }

    fn missing_noinc_arrivals(&self) -> Option<Culprit> {
        let (case, phase) = (self.case, self.phase());
        let mut start = case.trace.async_starts.iter();
        let start = start.find(|start| {
            let is_here = start.object == self.object && start.phase == phase;
            is_here && case.code.is_uncounted_arrival(start.at)
        })?;
        Some(Culprit::at(
            start.at,
            "without `.noinc`, each arrival first increments the pending count, so the pending count never decreases",
        ))
    }

    fn excluded(&self) -> Option<Culprit> {
        let excluded = excluded_arrival(self.case, self.object, self.pending)?;
        let is_elected = excluded.executed.count_ones() == 1;
        Some(match self.init() {
            Some(init) if is_elected && !has_data(self.case, &excluded) => Culprit::at(
                init,
                "the expected arrival count equals the number of lanes, but only one lane arrives",
            ),
            _ => Culprit::at(excluded.at, "lanes are predicated off for this arrival"),
        })
    }

    fn only_expected(&self) -> Option<Culprit> {
        let phase = self.phase();
        let mut expects = self.events_of_object();
        let expect =
            expects.find(|event| event.phase == phase && event.act == MbarrierOperation::Expect)?;
        let reason = "`expect_tx` increases the tx-count without an arrival";
        self.threads_of(phase)
            .is_empty()
            .then(|| Culprit::at(expect.at, reason))
    }

    fn self_wait(&self) -> Option<Culprit> {
        let MissingArrivals {
            case, root, object, ..
        } = *self;
        let is_own = is_own_wait(case, root, object) || would_arrive_itself(case, root, object);
        if is_own && self.is_only_object() {
            let next = case.code.next_after(root.at(), |at| {
                case.code.is_arrival(at) && case.code.same_address(at, root.at())
            });
            let reason = "this arrival is executed only after the wait for the phase that the arrival must complete";
            return next.map(|at| Culprit::at(at, reason));
        }
        let address = case.code.address_register(root.at());
        let at = address.and_then(|r| case.code.definition_before(root.at(), r));
        is_own.then(|| Culprit::at(at.unwrap_or(root.at()), MSG_WRONG_MBARRIER))
    }

    /// Returns the faulty instruction if only some of the expected threads have arrived in the current phase.
    fn partial_arrivals(&self) -> Option<Culprit> {
        let now = self.threads_of(self.phase());
        if now.is_empty() {
            return None;
        }
        let before = self.threads_before();
        let gone = before
            .difference(&now)
            .find(|thread| self.has_ended(thread));
        let last = gone.and_then(|thread| {
            let mut last = self.events_of_object().rev();
            last.find(|event| event.thread() == *thread && event.is_arrival())
        });
        if let Some(event) = last {
            if self.case.code.loop_test(event.at).is_some() && self.is_arrival_site(event.at) {
                return Some(Culprit::at(
                    trip_count(self.case, event.at, event.warp),
                    "the loops that contain the arrival have different trip counts",
                ));
            }
            return Some(Culprit::at(
                event.at,
                "a thread that arrived here exited without `arrive_drop`, so the mbarrier still expects arrivals of this thread",
            ));
        }
        if let Some(at) = left_early(self.case, self.object, self.pending) {
            return Some(Culprit::at(at, "expected threads exit here"));
        }
        if let Some(at) = self.skipped_arrival() {
            return Some(Culprit::at(at, SKIPPED_ARRIVAL));
        }
        if let Some(at) = self.misdirected_share() {
            return Some(Culprit::at(at, OTHER_MBARRIER));
        }
        let reason = "the expected arrival count exceeds the number of arrivals per phase";
        self.init().map(|init| Culprit::at(init, reason))
    }

    fn cluster(&self) -> Vec<WarpId> {
        warps_of_cluster(self.case, self.object.0)
    }

    /// Checks whether threads arrive in the current phase at an instruction.
    fn is_arrival_site(&self, at: InstructionRef) -> bool {
        let phase = self.phase();
        self.events_of_object()
            .any(|event| event.at == at && event.phase == phase && event.is_arrival())
    }

    /// Returns the branch by which the missing warps skipped an instruction at which other warps arrived in the current phase. The number
    /// of missing warps matches the pending count if each of these warps executes as many arrivals as the other warps.
    fn skipped_arrival(&self) -> Option<InstructionRef> {
        let phase = self.phase();
        let mut counts: BTreeMap<(InstructionRef, WarpId), u32> = BTreeMap::new();
        for event in self.events_of_object() {
            if event.phase == phase && event.is_arrival() {
                *counts.entry((event.at, event.warp)).or_default() += 1;
            }
        }
        // The history does not contain the number of lanes of an asynchronous arrival, so all warps are assumed to arrive equally often.
        let starts = self.case.trace.async_starts.iter().filter(|start| {
            (start.object, start.phase) == (self.object, phase) && start.bytes.is_none()
        });
        let sites: BTreeSet<(InstructionRef, WarpId)> =
            starts.map(|start| (start.at, start.warp)).collect();
        let expected = self
            .case
            .object_state(self.object)
            .map_or(0, |state| state.expected);
        let n_arrived = expected.saturating_sub(self.pending);
        if let (true, Some(share)) = (counts.is_empty(), n_arrived.checked_div(sites.len() as u32))
        {
            counts.extend(sites.into_iter().map(|site| (site, share)));
        }
        // Producers and consumers are different warps; otherwise, each waiting warp is expected to arrive.
        let all_arrive = counts
            .keys()
            .any(|(_, warp)| waits_for_root(self.case, self.root, *warp));
        counts.iter().find_map(|((at, _), n_arrivals)| {
            let mut skipping = skipping_warps(self.case, self.cluster(), *at);
            skipping.retain(|skipping| !counts.keys().any(|(_, warp)| *warp == skipping.warp));
            let is_pending = |n_warps| n_warps as u32 * n_arrivals == self.pending;
            branch_of_missing_warps(self.case, self.root, &skipping, |_| all_arrive, is_pending)
        })
    }

    /// Returns the definition of the address of arrivals at mbarriers for which no thread waits, if the number of these arrivals is the
    /// pending count and other threads arrive correctly at the same instruction.
    fn misdirected_share(&self) -> Option<InstructionRef> {
        let trace = self.case.trace;
        let is_waited_for = |object: MbarrierRef| {
            let mut events = trace.mbarrier_events.iter();
            events.any(|event| event.object == object && event.act == MbarrierOperation::Test)
                || self
                    .case
                    .waits
                    .iter()
                    .any(|wait| wait.mbarrier() == Some(object))
        };
        let strays = trace.mbarrier_events.iter().filter(|event| {
            event.object != self.object
                && event.is_arrival()
                && self.is_arrival_site(event.at)
                && !is_waited_for(event.object)
        });
        let strays: Vec<&MbarrierEvent> = strays.collect();
        let first = strays
            .first()
            .filter(|_| strays.len() as u32 == self.pending)?;
        let code = self.case.code;
        let register = code.address_register(first.at);
        let definition = register.and_then(|register| code.definition_before(first.at, register));
        Some(definition.unwrap_or(first.at))
    }

    /// Returns the branch by which all threads skipped an arrival that no thread executed.
    fn unexecuted_arrival(&self) -> Option<Culprit> {
        self.skipped_by(self.cluster(), |at| !self.case.trace.has_executed(at))
    }

    /// Returns the branch by which the threads of the block skipped the arrival that expects the bytes, if copies have completed that no
    /// thread expects.
    fn skipped_expect(&self) -> Option<Culprit> {
        let WaitKind::Mbarrier { bytes, .. } = self.root.kind else {
            return None;
        };
        let mut own = self.cluster();
        own.retain(|warp| warp.block == self.object.0);
        (bytes < 0)
            .then(|| self.skipped_by(own, |at| self.case.code.has(at, Flag::ExpectTx)))
            .flatten()
            .map(|culprit| Culprit {
                what: "the threads of the waiting block skip the arrival that expects the bytes",
                ..culprit
            })
    }

    /// Returns the branch by which warps skipped an arrival that satisfies the predicate.
    fn skipped_by(
        &self,
        warps: Vec<WarpId>,
        is_it: impl Fn(InstructionRef) -> bool,
    ) -> Option<Culprit> {
        let code = self.case.code;
        let arrivals = code.all_places();
        let mut arrivals = arrivals
            .filter(|at| code.is_arrival(*at) && is_it(*at) && !is_after_a_wait(self.case, *at));
        arrivals.find_map(|at| {
            let skipping = skipping_warps(self.case, warps.iter().copied(), at);
            let branch =
                branch_of_missing_warps(self.case, self.root, &skipping, |_| true, |_| true)?;
            Some(Culprit::at(branch, SKIPPED_ARRIVAL))
        })
    }

    fn misdirected_arrivals(&self) -> Option<Culprit> {
        let at = stray_arrival(self.case, self.root, self.object);
        let at = at.filter(|_| !self.has_any())?;
        Some(Culprit::at(at, OTHER_MBARRIER))
    }

    fn wrong_parity(&self) -> Option<Culprit> {
        let at = first_parity(self.case, self.root, self.object);
        let at = at.filter(|_| !self.has_any())?;
        Some(Culprit::at(
            at,
            "the first wait on an unused mbarrier must use parity 1, the parity of the phase before the first phase",
        ))
    }

    fn after_the_end(&self) -> Option<Culprit> {
        let before = self.threads_before();
        let are_gone = !before.is_empty() && before.iter().all(|thread| self.has_ended(thread));
        are_gone.then(|| surplus_wait(self.case, self.root, self.object))
    }

    /// Returns the faulty instruction if the missing arrival is located after an instruction that never completes.
    fn blocked_arrivals(&self) -> Culprit {
        let (case, root) = (self.case, self.root);
        let is_in_circle = case.waits.iter().any(|other| {
            other.warp_id() != root.warp_id() && matches!(other.kind, WaitKind::Mbarrier { .. })
        });
        if let Some(ring) = unfilled_stage(case, root, self.object) {
            return match ring.first_loop {
                Some(test) => Culprit::at(
                    test,
                    "the loop that fills the stages of the ring buffer ends before it fills the stage for which the consumer waits",
                ),
                None => surplus_wait(case, root, ring.filled),
            };
        }
        let passed = skipped_by_branch(case, self.object).filter(|_| !self.has_any());
        if let Some(at) = passed {
            return Culprit::at(
                at,
                "threads of another block arrive at the mbarrier, but threads of this block skip the arrival",
            );
        }
        if !self.has_any() && !is_in_circle {
            return later_arrival(case, root)
                .or_else(|| self.unexecuted_arrival())
                .unwrap_or_else(|| diverging_instruction(case, root));
        }
        Culprit::at(
            root.at(),
            "the threads wait for each other: the thread that must complete this phase first waits for this thread",
        )
    }
}

/// Maximum distance between the mbarriers of a ring buffer in bytes.
const MAX_RING_BYTES: u64 = 128;

/// Ring buffer with a stage that has never been filled.
pub(crate) struct UnfilledRing {
    /// A stage that has been filled.
    filled: MbarrierRef,
    /// Exit test of the loop that fills the first stages, if a different loop fills the stages later.
    pub(crate) first_loop: Option<InstructionRef>,
}

/// Returns the ring buffer of the root wait, if no thread has arrived at the stage of the root wait, although the waiting threads have passed
/// other stages.
pub(crate) fn unfilled_stage(
    case: &HangContext<'_>,
    root: &Wait,
    object: MbarrierRef,
) -> Option<UnfilledRing> {
    let (trace, code) = (case.trace, case.code);
    let is_first = matches!(
        root.kind,
        WaitKind::Mbarrier {
            phase: 0,
            parity: false,
            ..
        }
    );
    let arrivals = || {
        trace
            .mbarrier_events
            .iter()
            .filter(|event| event.is_arrival())
    };
    if !is_first || arrivals().any(|event| event.object == object) {
        return None;
    }
    let passes = |event: &&MbarrierEvent| {
        (event.at, event.warp) == (root.at(), root.warp_id())
            && event.act == MbarrierOperation::Test
    };
    let stages = trace
        .mbarrier_events
        .iter()
        .filter(passes)
        .map(|event| event.object);
    let stages: BTreeSet<MbarrierRef> = stages
        .filter(|stage| stage.0 == object.0 && stage.1.abs_diff(object.1) <= MAX_RING_BYTES)
        .collect();
    let fill = arrivals().find(|event| stages.contains(&event.object) && event.phase == 0)?;
    let test = code.loop_test(fill.at)?;
    let is_filled_later = arrivals().any(|event| {
        let is_same_ring = event.warp == fill.warp && stages.contains(&event.object);
        is_same_ring && code.loop_test(event.at) != Some(test)
    });
    Some(UnfilledRing {
        filled: fill.object,
        first_loop: is_filled_later.then_some(test),
    })
}

/// Checks whether the lanes that are predicated off for an arrival have previously accessed data memory. Other threads then depend on the
/// arrival of these lanes.
fn has_data(case: &HangContext<'_>, excluded: &PredicatedOff) -> bool {
    let path = case.trace.paths.get(&excluded.warp);
    let mut steps = path.into_iter().flat_map(|path| path.steps.iter());
    steps
        .by_ref()
        .take_while(|(at, _)| *at != excluded.at)
        .any(|(at, lanes)| lanes & excluded.excluded != 0 && case.code.is_data_access(*at))
}

/// Returns an arrival in the current phase for which exactly the pending number of lanes is predicated off, in one warp or in all warps
/// together, or which is predicated off in a whole warp.
pub(crate) fn excluded_arrival(
    case: &HangContext<'_>,
    object: MbarrierRef,
    pending: u32,
) -> Option<PredicatedOff> {
    let began = case.phase_start(object);
    let trace = case.trace;
    let cluster = case.machine.cluster(object.0);
    // An arrival at the same address in another block of the cluster shows for which mbarrier the arrival is intended.
    let is_counterpart = |other: MbarrierRef| other.1 == object.1 && cluster.contains(&other.0);
    let targets = |at: InstructionRef| {
        let events = trace
            .mbarrier_events
            .iter()
            .map(|event| (event.at, event.object));
        events
            .chain(
                trace
                    .async_starts
                    .iter()
                    .map(|start| (start.at, start.object)),
            )
            .filter(move |(place, _)| *place == at)
            .map(|(_, object)| object)
    };
    let candidates = trace.excluded.iter().rev().filter(|excluded| {
        excluded.step >= began
            && excluded.warp.block == object.0
            && case.code.is_arrival(excluded.at)
            && (targets(excluded.at).next().is_none() || targets(excluded.at).any(is_counterpart))
    });
    let candidates: Vec<&PredicatedOff> = candidates.collect();
    let is_own_target = |at: InstructionRef| targets(at).any(|target| target == object);
    let count = |excluded: &PredicatedOff| excluded.excluded.count_ones();
    let in_one_warp = candidates.iter().find(|excluded| match excluded.executed {
        0 => true,
        _ => count(excluded) == pending && is_own_target(excluded.at),
    });
    let in_all_warps = || {
        candidates.iter().find(|excluded| {
            let same = candidates.iter().filter(|other| other.at == excluded.at);
            is_own_target(excluded.at) && same.map(|other| count(other)).sum::<u32>() == pending
        })
    };
    in_one_warp.or_else(in_all_warps).map(|excluded| **excluded)
}

/// Checks whether no other lanes than the waiting lanes ever arrive at the mbarrier.
pub(crate) fn is_own_wait(case: &HangContext<'_>, wait: &Wait, object: MbarrierRef) -> bool {
    is_only_provider(case, wait.warp_id(), object)
}

/// Checks whether a warp executes expect-tx operations on an mbarrier at which no other warp arrives, while other warps
/// wait for different events.
pub(crate) fn is_only_provider(case: &HangContext<'_>, warp: WarpId, object: MbarrierRef) -> bool {
    let is_alone = case
        .trace
        .paths
        .keys()
        .filter(|other| other.block == warp.block)
        .count()
        < 2;
    let expects = case.trace.mbarrier_events.iter().any(|event| {
        event.object == object
            && event.warp == warp
            && event.act == MbarrierOperation::ArriveExpecting
    });
    let others_wait = case.trace.mbarrier_events.iter().any(|event| {
        event.object == object && event.warp != warp && event.act == MbarrierOperation::Test
    }) || case.waits.iter().any(|wait| wait.warp_id() != warp);
    !is_alone
        && expects
        && others_wait
        && providers(case, object).iter().all(|other| *other == warp)
}

/// Returns the warps that have arrived at an mbarrier, or have started copies that complete on this mbarrier.
pub(crate) fn providers(case: &HangContext<'_>, object: MbarrierRef) -> BTreeSet<WarpId> {
    let events =
        case.trace.mbarrier_events.iter().filter(|event| {
            event.object == object && (event.is_arrival() || event.expects_bytes())
        });
    let start = case
        .trace
        .async_starts
        .iter()
        .filter(|start| start.object == object);
    events
        .map(|event| event.warp)
        .chain(start.map(|start| start.warp))
        .collect()
}

/// Checks whether the next arrival of the waiting thread itself would be the first arrival at the mbarrier. If so, the thread waits for the
/// wrong mbarrier.
pub(crate) fn would_arrive_itself(
    case: &HangContext<'_>,
    wait: &Wait,
    object: MbarrierRef,
) -> bool {
    let code = case.code;
    let next = code.next_after(wait.at(), |at| code.is_arrival(at) || code.is_test(at));
    let arrives = next.is_some_and(|at| code.is_arrival(at) && code.same_address(at, wait.at()));
    arrives && providers(case, object).is_empty()
}

/// Returns the branch by which threads exited although the mbarrier expects their arrival. The exited threads are whole warps, or some
/// lanes of a warp whose other lanes arrive.
fn left_early(case: &HangContext<'_>, object: MbarrierRef, pending: u32) -> Option<InstructionRef> {
    let trace = case.trace;
    let arrived = |warp: WarpId| {
        let own = trace.mbarrier_events.iter().filter(move |event| {
            event.object == object && event.warp == warp && case.code.is_arrival(event.at)
        });
        own.fold((0, None), |(lanes, _), event| {
            (lanes | 1 << (event.lane & 31), Some(event.at))
        })
    };
    let mut left = 0;
    let mut found = None;
    for (warp, path) in trace
        .paths
        .iter()
        .filter(|(warp, _)| warp.block == object.0)
    {
        let (lanes, last) = arrived(*warp);
        let lives = case.waits.iter().any(|wait| wait.warp_id() == *warp);
        let at = match last {
            Some(at) => diverging_branch(trace, case.code, *warp, lanes, at),
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

/// Returns the instruction that defines the address of an arrival at the wrong mbarrier. An mbarrier is assumed to be
/// wrong if no thread waits for it, or if the arriving warp itself waits for it although other warps also arrive.
fn stray_arrival(
    case: &HangContext<'_>,
    root: &Wait,
    object: MbarrierRef,
) -> Option<InstructionRef> {
    let trace = case.trace;
    let waits_there = |other: MbarrierRef, warp: WarpId| {
        let is_it = |wait: &Wait| match wait.kind {
            WaitKind::Mbarrier { address, .. } => (wait.block, address) == other,
            _ => false,
        };
        case.waits.iter().any(|w| w.warp_id() == warp && is_it(w))
            || trace.mbarrier_events.iter().any(|event| {
                event.object == other && event.warp == warp && event.act == MbarrierOperation::Test
            })
    };
    let others_wait = |other: MbarrierRef, warp: WarpId| {
        let mut warps = trace.paths.keys().filter(|known| **known != warp);
        warps.any(|known| waits_there(other, *known))
    };
    let stray = trace.mbarrier_events.iter().rev().find(|event| {
        event.act == MbarrierOperation::Arrive
            && event.object != object
            && event.warp != root.warp_id()
            && (!others_wait(event.object, event.warp) && !waits_there(event.object, event.warp)
                || waits_there(event.object, event.warp) && providers(case, event.object).len() > 1)
    })?;
    let register = case.code.address_register(stray.at);
    let made = register.and_then(|register| case.code.definition_before(stray.at, register));
    Some(made.unwrap_or(stray.at))
}

/// Returns the instruction that defines the parity of a thread's first wait on the mbarrier, if the same thread
/// produces the data of the mbarrier after this wait.
fn first_parity(
    case: &HangContext<'_>,
    root: &Wait,
    object: MbarrierRef,
) -> Option<InstructionRef> {
    let WaitKind::Mbarrier {
        phase: 0,
        parity: false,
        ..
    } = root.kind
    else {
        return None;
    };
    let waited = case.trace.mbarrier_events.iter().any(|event| {
        let is_same = event.object == object || event.at == root.at();
        is_same && event.warp == root.warp_id() && event.act == MbarrierOperation::Test
    });
    if waited || !case.code.produces_after(root.at()) {
        return None;
    }
    Some(case.code.parity_definition(root.at()))
}

/// Returns the branch that skips an arrival which threads of another block execute on their own mbarrier at the same
/// address.
fn skipped_by_branch(case: &HangContext<'_>, object: MbarrierRef) -> Option<InstructionRef> {
    let trace = case.trace;
    let twin = trace.mbarrier_events.iter().find(|event| {
        let is_twin = event.object.1 == object.1 && event.object.0 != object.0;
        is_twin && event.warp.block == event.object.0 && case.code.is_arrival(event.at)
    })?;
    let own = trace
        .paths
        .iter()
        .filter(|(warp, _)| warp.block == object.0);
    let mut steps = own.flat_map(|(_, path)| path.steps.iter().map(|(at, _)| *at).rev());
    steps.find(|at| {
        let target = case.code.target(*at);
        case.code.is_guarded_branch(*at)
            && at.1 < twin.at.1
            && target.is_some_and(|target| target > twin.at.1)
    })
}

/// Returns an arrival that is located after a wait of another warp.
fn later_arrival(case: &HangContext<'_>, root: &Wait) -> Option<Culprit> {
    let code = case.code;
    let others = case
        .waits
        .iter()
        .filter(|wait| wait.warp_id() != root.warp_id() && wait.kind != WaitKind::NotResident);
    let mut later = others.filter_map(|wait| code.next_after(wait.at(), |at| code.is_arrival(at)));
    later.next().map(|at| Culprit::at(at, AFTER_A_WAIT))
}
