//! Root-cause analysis: selects the wait on which the other waits of a hang depend.

use crate::hang::barrier_diagnosis::skips_cluster_barrier;
use crate::hang::diagnosis;
use crate::hang::diagnosis::HangContext;
use crate::hang::divergent_barrier::divergent;
use crate::hang::execution_trace::{ExecutionTrace, InstructionRef, MbarrierRef};
use crate::hang::program_queries::ProgramQuery;
use crate::hang::{missing_arrivals, spin_diagnosis};
use std::collections::BTreeMap;
use warpgrid_emulator::{
    Fault, FaultKind, Machine, MbarrierFault, MbarrierMisuse, MbarrierState, MemoryId, PollTarget,
    WaitReason, WaitingGroup, WarpId,
};
use warpgrid_program::FunctionId;

/// Kind of a hang, as determined by the root wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum HangKind {
    Barrier,
    Mbarrier,
    ClusterBarrier,
    WarpSync,
    /// Loop that polls memory which no remaining thread writes.
    Spin,
    /// Wait for a block that cannot start before another block exits.
    NotResident,
    /// Wait at an aligned barrier at which only some lanes of a warp have arrived.
    DivergentBarrier,
    /// Wait of a tensor memory allocation for which not enough columns are free.
    TensorMemory,
    /// Wait for asynchronous operations, which complete without other threads.
    Copies,
}

/// Event for which a group of lanes waits, such as a barrier, an mbarrier phase or a store to a polled location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitKind {
    Barrier {
        id: u32,
        phase: u32,
        expected: u32,
        arrived: u32,
    },
    Mbarrier {
        /// Address of the mbarrier in the shared memory of its block.
        address: u64,
        phase: u32,
        parity: bool,
        pending: u32,
        bytes: i32,
    },
    ClusterBarrier {
        /// Number of live threads of the cluster that have not arrived at the cluster barrier.
        missing: u32,
    },
    WarpSync {
        missing: u32,
    },
    Spin {
        memory: MemoryId,
        address: u64,
    },
    /// No event, because the loop tests registers that it does not modify.
    Registers,
    /// Free columns of tensor memory, for which an allocation waits.
    TensorMemory {
        n_columns: u32,
    },
    Copies,
    /// Start of a block that is not resident.
    NotResident,
}

/// Wait of a group of lanes: the lanes, the waiting instruction, and the awaited event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    pub block: u64,
    pub warp: u32,
    pub lanes: u32,
    pub function: FunctionId,
    /// Index of the waiting instruction in the function.
    pub instruction: u32,
    pub kind: WaitKind,
}

/// Diagnosis of a launch that never ends: the root wait, the faulty instruction, and an explanation. Hosts display it.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub kind: HangKind,
    /// Root wait, on which all other waits depend, or the arrival of the lanes at a divergent barrier.
    pub root: Wait,
    /// Whether the schedule determines at which barrier, mbarrier or location the threads hang.
    pub depends_on_order: bool,
    /// Instruction that should have produced the missing event, or that prevents this event.
    pub culprit: Option<(FunctionId, u32)>,
    /// Explanation of the fault at the `culprit` instruction.
    pub explanation: String,
    pub waits: Vec<Wait>,
    /// Linear index of a block that cannot start, on which the hang depends.
    pub block: Option<u64>,
}

/// Diagnoses a hang. If a block is not resident, `ahead` is the history of a run in which all blocks are resident.
pub fn diagnose(
    machine: &Machine,
    trace: &ExecutionTrace,
    ahead: Option<&ExecutionTrace>,
) -> Option<Diagnosis> {
    let code = ProgramQuery(machine.program());
    if let Some(found) = divergent(machine, trace, code) {
        return Some(found);
    }
    let fault = machine.fault()?;
    if let FaultKind::Mbarrier(misuse) = &fault.kind {
        return misused(machine, trace, fault, misuse);
    }
    let FaultKind::Deadlock { waiting } = &fault.kind else {
        return None;
    };
    let mut waits: Vec<Wait> = waiting.iter().map(|w| wait_of(w, machine, trace)).collect();
    let unstarted: Vec<u64> = (0..machine.n_blocks())
        .filter(|b| !machine.has_started(*b))
        .take(64)
        .collect();
    let first = waits.first()?.clone();
    waits.extend(unstarted.iter().map(|block| Wait {
        block: *block,
        kind: WaitKind::NotResident,
        lanes: u32::MAX,
        warp: 0,
        ..first.clone()
    }));
    let case = HangContext {
        machine,
        trace,
        full_residency_trace: ahead,
        code,
        waits: &waits,
        unstarted: &unstarted,
    };
    let root = find_root_wait(&case, fault)?;
    Some(diagnosis::explain(&case, root))
}

/// Returns the diagnosis of an mbarrier with more arrivals than expected, if threads that are one pass ahead cause the
/// additional arrivals.
fn misused(
    machine: &Machine,
    trace: &ExecutionTrace,
    fault: &Fault,
    misuse: &MbarrierFault,
) -> Option<Diagnosis> {
    if !matches!(misuse.problem, MbarrierMisuse::TooManyArrivals(_)) {
        return None;
    }
    let object = (misuse.block, misuse.address);
    let root = Wait {
        block: fault.block_index,
        warp: fault.warp,
        lanes: fault.lanes,
        function: fault.function,
        instruction: fault.instruction,
        kind: WaitKind::Mbarrier {
            address: misuse.address,
            phase: trace.phase(object),
            parity: misuse.held.is_some_and(|held| held.parity),
            pending: misuse.held.map_or(0, |held| held.pending),
            bytes: misuse.held.map_or(0, |held| held.bytes),
        },
    };
    let case = HangContext {
        machine,
        trace,
        full_residency_trace: None,
        code: ProgramQuery(machine.program()),
        waits: &[],
        unstarted: &[],
    };
    diagnosis::explain_misuse(&case, &root)
}

pub(crate) fn wait_of(waiter: &WaitingGroup, machine: &Machine, trace: &ExecutionTrace) -> Wait {
    let kind = match (waiter.spins_at, waiter.waits_for) {
        (Some(PollTarget::Memory { memory, address }), _) => WaitKind::Spin { memory, address },
        (Some(PollTarget::Registers), _) => {
            let warp = WarpId {
                block: waiter.block,
                warp: waiter.warp,
            };
            let at = (waiter.function, waiter.instruction);
            let load = ProgramQuery(machine.program()).load_before(at);
            let read = load.and_then(|load| trace.read.get(&(warp, load)));
            match read {
                Some((memory, address)) => WaitKind::Spin {
                    memory: *memory,
                    address: *address,
                },
                None => WaitKind::Registers,
            }
        }
        (_, WaitReason::Barrier { id }) => {
            let (expected, arrived) = machine.barrier(waiter.block, id);
            WaitKind::Barrier {
                id,
                phase: trace.barrier_phase(waiter.block, id),
                expected,
                arrived,
            }
        }
        (_, WaitReason::MbarrierPhase { address, parity }) => {
            let held = waiter.mbarrier;
            WaitKind::Mbarrier {
                address,
                phase: trace.phase((waiter.block, address)),
                parity,
                pending: held.map_or(0, |state| state.pending),
                bytes: held.map_or(0, |state| state.bytes),
            }
        }
        (_, WaitReason::WarpLanes { missing }) => WaitKind::WarpSync { missing },
        (_, WaitReason::ClusterBarrier) => WaitKind::ClusterBarrier {
            missing: missing_of_cluster(waiter.block, machine, trace),
        },
        (_, WaitReason::TensorColumns { n }) => WaitKind::TensorMemory { n_columns: n },
        (_, WaitReason::AsyncGroup { .. } | WaitReason::Memory) => WaitKind::Copies,
    };
    Wait {
        block: waiter.block,
        warp: waiter.warp,
        lanes: waiter.lanes,
        function: waiter.function,
        instruction: waiter.instruction,
        kind,
    }
}

/// Returns the number of live threads of a cluster that have not arrived at its barrier.
fn missing_of_cluster(block: u64, machine: &Machine, trace: &ExecutionTrace) -> u32 {
    let of_block = |block: u64| -> u32 {
        let warps = machine.live_lanes(block).into_iter().zip(0..);
        let missing = warps.map(|(live, warp)| {
            let arrived = trace.at_cluster.get(&WarpId { block, warp }).copied();
            (live & !arrived.unwrap_or(0)).count_ones()
        });
        missing.sum()
    };
    machine.cluster(block).into_iter().map(of_block).sum()
}

/// Returns the wait on which the other waits depend.
fn find_root_wait<'a>(case: &HangContext<'a>, _fault: &Fault) -> Option<&'a Wait> {
    let rank = |wait: &Wait| -> u32 {
        match &wait.kind {
            WaitKind::NotResident => 0,
            WaitKind::WarpSync { missing } if waits_outside(case, wait, *missing) => 35,
            WaitKind::WarpSync { .. } => 95,
            WaitKind::Registers => 58,
            WaitKind::Spin { memory, address } if !case.unstarted.is_empty() => {
                99 + u32::from(diagnosis::store_of_unstarted(case, *memory, *address).is_some())
            }
            WaitKind::Spin { memory, address } => {
                let holder = spin_diagnosis::holder(case, wait, *memory, *address);
                let is_own =
                    holder.is_some_and(|h| h.warp == wait.warp_id() && h.lanes & wait.lanes != 0);
                60 + u32::from(is_own)
            }
            WaitKind::Mbarrier {
                address,
                pending,
                bytes,
                ..
            } => rank_of_mbarrier(case, wait, (wait.block, *address), *pending, *bytes),
            WaitKind::Barrier { .. } => {
                if missing_ended(case, wait) {
                    70
                } else {
                    40
                }
            }
            WaitKind::ClusterBarrier { .. } if skips_cluster_barrier(case, wait) => 72,
            WaitKind::ClusterBarrier { .. } => 30,
            WaitKind::TensorMemory { .. } => 20,
            WaitKind::Copies => 10,
        }
    };
    // Reverse the iteration to select the first wait among waits of equal rank, because `max_by_key` returns the last maximum.
    case.waits.iter().rev().max_by_key(|wait| rank(wait))
}

/// Checks whether the missing lanes of a warp wait for an event that the waiting lanes of `here` would not produce.
fn waits_outside(case: &HangContext<'_>, here: &Wait, missing: u32) -> bool {
    let code = case.code;
    let mut others = case.waits.iter().filter(|wait| {
        wait.warp_id() == here.warp_id() && wait.lanes & missing != 0 && wait.at() != here.at()
    });
    others.any(|wait| {
        let brings = |place: InstructionRef| match wait.kind {
            WaitKind::Spin { .. } => code.is_strong_write(place),
            WaitKind::Mbarrier { .. } => code.is_arrival(place) || code.is_copy(place),
            _ => true,
        };
        code.next_after(here.at(), brings).is_none()
    })
}

/// Checks whether all threads of the block that have not arrived at the barrier have exited.
fn missing_ended(case: &HangContext<'_>, wait: &Wait) -> bool {
    !case
        .waits
        .iter()
        .any(|other| other.block == wait.block && other.kind_id() != wait.kind_id())
}

impl Wait {
    fn kind_id(&self) -> (u8, u64) {
        match &self.kind {
            WaitKind::Barrier { id, .. } => (0, u64::from(*id)),
            WaitKind::Mbarrier { address, .. } => (1, *address),
            WaitKind::ClusterBarrier { .. } => (2, 0),
            WaitKind::WarpSync { .. } => (3, 0),
            WaitKind::Spin { address, .. } => (4, *address),
            WaitKind::Copies => (5, 0),
            WaitKind::NotResident => (6, 0),
            WaitKind::TensorMemory { .. } => (7, 0),
            WaitKind::Registers => (8, 0),
        }
    }

    /// Returns the mbarrier for which the lanes wait.
    pub(crate) fn mbarrier(&self) -> Option<MbarrierRef> {
        match self.kind {
            WaitKind::Mbarrier { address, .. } => Some((self.block, address)),
            _ => None,
        }
    }

    /// Returns the instruction at which the lanes wait.
    pub(crate) fn at(&self) -> InstructionRef {
        (self.function, self.instruction)
    }

    pub(crate) fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

fn rank_of_mbarrier(
    case: &HangContext<'_>,
    wait: &Wait,
    object: MbarrierRef,
    pending: u32,
    bytes: i32,
) -> u32 {
    if pending == 0 && bytes != 0 {
        return 92;
    }
    if missing_arrivals::excluded_arrival(case, object, pending).is_some() {
        return 90;
    }
    let total = case
        .object_state(object)
        .map_or(0, |state: MbarrierState| state.expected);
    if pending < total
        || missing_arrivals::is_own_wait(case, wait, object)
        || missing_arrivals::would_arrive_itself(case, wait, object)
    {
        return 80;
    }
    let providers = missing_arrivals::providers(case, object);
    let waits = |warp: &WarpId| {
        case.waits
            .iter()
            .any(|w| w.warp_id() == *warp && w.kind != WaitKind::NotResident)
    };
    if !providers.is_empty() && !providers.iter().any(waits) {
        return 75;
    }
    let ring = missing_arrivals::unfilled_stage(case, wait, object);
    if ring.is_some_and(|ring| ring.first_loop.is_some()) {
        return 66;
    }
    // In a cycle of waits, the faulty wait belongs to the thread whose code after the wait produces data.
    if case.code.produces_after(wait.at()) {
        65
    } else {
        55
    }
}

/// Returns the waiting lanes of each warp.
pub(crate) fn lanes_by_warp(waits: &[Wait]) -> BTreeMap<WarpId, u32> {
    let mut all = BTreeMap::new();
    for wait in waits {
        *all.entry(wait.warp_id()).or_insert(0) |= wait.lanes;
    }
    all
}
