//! Barriers of a block (PTX ISA, "bar", "barrier"): arrival of warps, and completion of phases.

use crate::code::decoded_op::DecodedOp;
use crate::code::plan_table::PlanId;
use crate::code::{BarrierMode, BarrierPlan, DecodedCode};
use crate::contract::fault::{FaultKind, WaitReason};
use crate::contract::sync_event::ArrivalMode;
use crate::exec::context::lanes_at;
use crate::exec::memory_context::{ExecutionFault, plan_of};
use crate::exec::wait_conditions::split_predicated_off;
use crate::semantics::registers::LANES;
use crate::state::block::{Barrier, Block, N_BARRIERS};
use crate::state::warp::{Warp, WarpSplit, WarpSplitState};
use warpgrid_isa::BarrierReduce;

/// Result of an arrival at a barrier: whether the phase completed, and the divergent arrivals.
pub(crate) struct ArrivalResult {
    pub(crate) id: u32,
    pub(crate) waits: ArrivalMode,
    /// Whether the arrival completed the phase of the barrier.
    pub(crate) opened: bool,
    /// Divergent arrivals, which are determined only if the phase has completed or the lanes do not wait.
    pub(crate) parts: Vec<DivergentArrival>,
}

/// Lanes of a warp that arrived at an aligned barrier without the other lanes of the warp.
pub(crate) struct DivergentArrival {
    /// Index of the warp within the block.
    pub(crate) warp: usize,
    pub(crate) pc: u32,
    pub(crate) came: u32,
    /// Lanes that must arrive at the barrier together.
    pub(crate) of: u32,
}

/// Performs the arrival of the executing lanes of the current group at a barrier.
pub(crate) fn arrive(
    code: &DecodedCode,
    block: &mut Block,
    warp_index: usize,
    plan: PlanId<BarrierPlan>,
    mask: u32,
) -> Result<ArrivalResult, Box<ExecutionFault>> {
    let plan = plan_of(&code.barriers, plan, mask)?;
    let Some(warp) = block.warps.get_mut(warp_index) else {
        return Err(ExecutionFault::internal("no warp for a barrier", mask));
    };
    let (id, threads) = operands(code, warp, plan, mask)?;
    let waits = match plan.kind {
        BarrierMode::Arrive => ArrivalMode::No,
        BarrierMode::Sync | BarrierMode::Reduce { .. } => ArrivalMode::Yes,
    };
    let mut parts = Vec::new();
    if waits == ArrivalMode::No {
        let current = *warp.splits.current();
        if plan.is_aligned && mask != warp.live() {
            parts.push(DivergentArrival {
                warp: warp_index,
                pc: current.pc,
                came: mask,
                of: warp.live(),
            });
        }
        warp.splits.current_mut().pc = current.pc + 1;
    } else {
        split_predicated_off(warp, mask);
        warp.splits.current_mut().state = WarpSplitState::Waiting(WaitReason::Barrier { id });
    }
    let n_warps = block.warps.len();
    if block.barriers.is_empty() {
        block.barriers = vec![
            Barrier {
                arrived: vec![0; n_warps],
                expected: 0,
            };
            N_BARRIERS
        ];
    }
    block.dirty = true;
    if let Some(barrier) = block.barriers.get_mut(id as usize) {
        if let Some(threads) = threads {
            barrier.expected = threads;
        }
        if let Some(arrived) = barrier.arrived.get_mut(warp_index) {
            *arrived |= mask;
        }
    }
    let opened = open_if_complete(code, block, id, &mut parts);
    Ok(ArrivalResult {
        id,
        waits,
        opened,
        parts,
    })
}

/// Returns the barrier number and the thread count of an instruction. The thread count is `None` for the whole block.
fn operands(
    code: &DecodedCode,
    warp: &mut Warp,
    plan: &BarrierPlan,
    mask: u32,
) -> Result<(u32, Option<u32>), Box<ExecutionFault>> {
    let depth = warp.splits.current().depth;
    let lanes = lanes_at(code, warp, depth, mask);
    let id = lanes.r32(plan.id)[lanes.first()];
    let threads = plan
        .threads
        .is_some()
        .then(|| lanes.r32(plan.threads)[lanes.first()])
        // In SASS, a thread count of zero in a register denotes all threads of the block.
        .filter(|threads| *threads != 0 || code.addresses.is_empty());
    let bad_count = threads.is_some_and(|t| t == 0 || !t.is_multiple_of(32));
    if id as usize >= N_BARRIERS || bad_count {
        return Err(ExecutionFault::new(
            FaultKind::BadBarrier { id, threads },
            mask,
        ));
    }
    Ok((id, threads))
}

/// Returns the groups of the block that wait at aligned barriers without the other lanes of their warps. Only barriers
/// for which `is_asked` returns `true` are considered. A group that arrives early is divergent only until the remaining
/// lanes reach the same instruction. Therefore, the result is meaningful only if the barrier completes or can never
/// complete.
pub(crate) fn divergent_arrivals(
    code: &DecodedCode,
    block: &Block,
    is_asked: impl Fn(u32) -> bool + Copy,
) -> Vec<DivergentArrival> {
    let mut parts = Vec::new();
    for (index, warp) in block.warps.iter().enumerate() {
        parts.extend(parts_of_warp(code, warp, index, warp.live(), is_asked));
    }
    parts
}

/// Returns the groups of a warp that wait at aligned barriers without some of the lanes in `of`. Only barriers for
/// which `is_asked` returns `true` are considered. `index` is the index of the warp in the block.
fn parts_of_warp(
    code: &DecodedCode,
    warp: &Warp,
    index: usize,
    of: u32,
    is_asked: impl Fn(u32) -> bool,
) -> impl Iterator<Item = DivergentArrival> {
    let waits = move |split: &&WarpSplit| match split.state {
        WarpSplitState::Waiting(WaitReason::Barrier { id }) => is_asked(id),
        _ => false,
    };
    let waiting = warp.splits.all().iter().filter(waits);
    waiting.filter_map(move |split| {
        let alike = warp.splits.all().iter();
        let alike = alike.filter(|other| (other.pc, other.state) == (split.pc, split.state));
        let came = alike.fold(0, |lanes, other| lanes | other.mask);
        let is_aligned = plan_at(code, split.pc).is_some_and(|plan| plan.is_aligned);
        (came != of && is_aligned).then_some(DivergentArrival {
            warp: index,
            pc: split.pc,
            came,
            of,
        })
    })
}

/// Effect of the exit of lanes on the barriers of their block.
#[derive(Default)]
pub(crate) struct ExitResult {
    /// Bit mask of the barriers that the exit completed, because all other expected lanes had arrived.
    pub(crate) opened: u32,
    pub(crate) parts: Vec<DivergentArrival>,
}

/// Updates the barriers after lanes of a warp have exited. Barriers that waited only for the exited lanes complete. The
/// function reports lanes of the warp that wait at an aligned barrier as divergent.
pub(crate) fn after_exit(code: &DecodedCode, block: &mut Block, warp_index: usize) -> ExitResult {
    let mut after = ExitResult::default();
    if let Some(warp) = block.warps.get(warp_index) {
        let parts = parts_of_warp(code, warp, warp_index, warp.present, |_| true);
        after.parts.extend(parts);
    }
    for id in 0..block.barriers.len() as u32 {
        if block.waiting_at(id) && open_if_complete(code, block, id, &mut after.parts) {
            after.opened |= 1 << id;
        }
    }
    after
}

/// Completes a barrier if all expected lanes have arrived, and returns whether the barrier has completed. Appends
/// divergent arrivals at the barrier to `parts`.
fn open_if_complete(
    code: &DecodedCode,
    block: &mut Block,
    id: u32,
    parts: &mut Vec<DivergentArrival>,
) -> bool {
    let opens = block.barrier_complete(id as usize);
    if opens {
        parts.extend(divergent_arrivals(code, block, |other| other == id));
        open(code, block, id as usize);
    }
    opens
}

/// Completes the phase of a barrier, and releases the waiting groups.
fn open(code: &DecodedCode, block: &mut Block, id: usize) {
    block.dirty = true;
    if let Some(barrier) = block.barriers.get_mut(id) {
        barrier.arrived.fill(0);
        barrier.expected = 0;
    }
    let state = WarpSplitState::Waiting(WaitReason::Barrier { id: id as u32 });
    // Count predicates only if the code contains a barrier with a reduction.
    let asks = |plan: &BarrierPlan| matches!(plan.kind, BarrierMode::Reduce { .. });
    let votes = match code.barriers.iter().any(asks) {
        true => votes(code, block, state),
        false => BarrierVote::default(),
    };
    for warp in &mut block.warps {
        for index in 0..warp.splits.len() {
            let Some(split) = warp.splits.all().get(index).copied() else {
                continue;
            };
            if split.state != state {
                continue;
            }
            warp.dirty = true;
            if let Some(BarrierPlan {
                kind: BarrierMode::Reduce { op, d, .. },
                ..
            }) = plan_at(code, split.pc)
            {
                let mut lanes = lanes_at(code, warp, split.depth, split.mask);
                match op {
                    BarrierReduce::Popc => lanes.set32(*d, &[votes.yes; LANES]),
                    BarrierReduce::And => {
                        let all = votes.yes == votes.all;
                        lanes.set_predicate(*d, if all { u32::MAX } else { 0 });
                    }
                    BarrierReduce::Or => {
                        lanes.set_predicate(*d, if votes.yes > 0 { u32::MAX } else { 0 });
                    }
                }
            }
            if let Some(split) = warp.splits.all_mut().get_mut(index) {
                split.state = WarpSplitState::Ready;
                split.converges = true;
                split.pc += 1;
            }
        }
    }
}

#[derive(Default)]
struct BarrierVote {
    yes: u32,
    all: u32,
}

/// Counts the predicates of `bar.red` over all waiting lanes.
fn votes(code: &DecodedCode, block: &mut Block, state: WarpSplitState) -> BarrierVote {
    let mut votes = BarrierVote::default();
    for warp in &mut block.warps {
        for index in 0..warp.splits.len() {
            let Some(split) = warp.splits.all().get(index).copied() else {
                continue;
            };
            if split.state != state {
                continue;
            }
            if let Some(BarrierPlan {
                kind: BarrierMode::Reduce { predicate, .. },
                ..
            }) = plan_at(code, split.pc)
            {
                let lanes = lanes_at(code, warp, split.depth, split.mask);
                let p = lanes.predicate(predicate.slot);
                let p = if predicate.negated { !p } else { p };
                votes.yes += (p & split.mask).count_ones();
                votes.all += split.mask.count_ones();
            }
        }
    }
    votes
}

fn plan_at(code: &DecodedCode, pc: u32) -> Option<&BarrierPlan> {
    let DecodedOp::Barrier(plan) = code.instructions.get(pc as usize)?.op else {
        return None;
    };
    code.barriers.get(plan)
}
