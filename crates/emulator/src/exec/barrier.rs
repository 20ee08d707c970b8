//! Barriers of a block (PTX ISA, "bar", "barrier"): arrivals, waits and completion.

use crate::code::op::Op;
use crate::code::plans::PlanId;
use crate::code::{BarrierMode, BarrierPlan, Code};
use crate::contract::fault::{FaultKind, WaitReason};
use crate::contract::sync_event::Waits;
use crate::exec::context::lanes_at;
use crate::exec::reach::{Halt, plan_of};
use crate::exec::waits::part_from_excluded;
use crate::semantics::registers::LANES;
use crate::state::block::{Barrier, Block, N_BARRIERS};
use crate::state::warp::{Split, SplitState, Warp};
use warpgrid_isa::BarrierReduce;

/// Result of an arrival.
pub(crate) struct Arrived {
    pub(crate) id: u32,
    pub(crate) waits: Waits,
    /// Whether the phase completed.
    pub(crate) opened: bool,
    /// Divergent arrivals, which are known once the phase has completed or the lanes do not wait.
    pub(crate) parts: Vec<Part>,
}

/// Lanes of a warp that reached an aligned barrier without the remaining lanes.
pub(crate) struct Part {
    /// Index of the warp within the block.
    pub(crate) warp: usize,
    pub(crate) pc: u32,
    pub(crate) came: u32,
    /// Lanes that must arrive.
    pub(crate) of: u32,
}

/// Performs the arrival of the executing lanes of the current group at a barrier.
pub(crate) fn arrive(
    code: &Code,
    block: &mut Block,
    warp_index: usize,
    plan: PlanId<BarrierPlan>,
    mask: u32,
) -> Result<Arrived, Box<Halt>> {
    let plan = plan_of(&code.barriers, plan, mask)?;
    let Some(warp) = block.warps.get_mut(warp_index) else {
        return Err(Halt::internal("no warp for a barrier", mask));
    };
    let (id, threads) = operands(code, warp, plan, mask)?;
    let waits = match plan.kind {
        BarrierMode::Arrive => Waits::No,
        BarrierMode::Sync | BarrierMode::Reduce { .. } => Waits::Yes,
    };
    let mut parts = Vec::new();
    if waits == Waits::No {
        let current = *warp.splits.current();
        if plan.is_aligned && mask != warp.live() {
            parts.push(Part {
                warp: warp_index,
                pc: current.pc,
                came: mask,
                of: warp.live(),
            });
        }
        warp.splits.current_mut().pc = current.pc + 1;
    } else {
        part_from_excluded(warp, mask);
        warp.splits.current_mut().state = SplitState::Waiting(WaitReason::Barrier { id });
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
    Ok(Arrived {
        id,
        waits,
        opened,
        parts,
    })
}

/// Reads the barrier number and the thread count, which is `None` for the whole block.
fn operands(
    code: &Code,
    warp: &mut Warp,
    plan: &BarrierPlan,
    mask: u32,
) -> Result<(u32, Option<u32>), Box<Halt>> {
    let depth = warp.splits.current().depth;
    let lanes = lanes_at(code, warp, depth, mask);
    let id = lanes.r32(plan.id)[lanes.first()];
    let threads = plan
        .threads
        .is_some()
        .then(|| lanes.r32(plan.threads)[lanes.first()])
        // In a SASS register, zero denotes all threads.
        .filter(|threads| *threads != 0 || code.addresses.is_empty());
    let bad_count = threads.is_some_and(|t| t == 0 || !t.is_multiple_of(32));
    if id as usize >= N_BARRIERS || bad_count {
        return Err(Halt::new(FaultKind::BadBarrier { id, threads }, mask));
    }
    Ok((id, threads))
}

/// Returns the divergent groups of the block that wait at aligned barriers selected by `is_asked`. An early group is no
/// longer divergent once the remaining lanes have reached the same instruction, so the check is valid only when the
/// barrier completes or can never complete.
pub(crate) fn waiting_parts(
    code: &Code,
    block: &Block,
    is_asked: impl Fn(u32) -> bool + Copy,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, warp) in block.warps.iter().enumerate() {
        parts.extend(parts_of_warp(code, warp, index, warp.live(), is_asked));
    }
    parts
}

/// Returns the groups of a warp that wait at aligned barriers selected by `is_asked` and do not contain all lanes of
/// `of`. `index` is the index of the warp in the block.
fn parts_of_warp(
    code: &Code,
    warp: &Warp,
    index: usize,
    of: u32,
    is_asked: impl Fn(u32) -> bool,
) -> impl Iterator<Item = Part> {
    let waits = move |split: &&Split| match split.state {
        SplitState::Waiting(WaitReason::Barrier { id }) => is_asked(id),
        _ => false,
    };
    let waiting = warp.splits.all().iter().filter(waits);
    waiting.filter_map(move |split| {
        let alike = warp.splits.all().iter();
        let alike = alike.filter(|other| (other.pc, other.state) == (split.pc, split.state));
        let came = alike.fold(0, |lanes, other| lanes | other.mask);
        let is_aligned = plan_at(code, split.pc).is_some_and(|plan| plan.is_aligned);
        (came != of && is_aligned).then_some(Part {
            warp: index,
            pc: split.pc,
            came,
            of,
        })
    })
}

/// Effect of exited lanes on the barriers of the block.
#[derive(Default)]
pub(crate) struct AfterExit {
    /// Bit mask of the barriers that completed because only the exited lanes were missing.
    pub(crate) opened: u32,
    pub(crate) parts: Vec<Part>,
}

/// Updates the barriers after lanes of a warp have exited. Barriers that waited only for these lanes complete. Lanes of
/// the warp that wait at an aligned barrier are divergent.
pub(crate) fn after_exit(code: &Code, block: &mut Block, warp_index: usize) -> AfterExit {
    let mut after = AfterExit::default();
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

/// Completes a barrier if all lanes have arrived, and returns whether it did. Adds divergent arrivals to `parts`.
fn open_if_complete(code: &Code, block: &mut Block, id: u32, parts: &mut Vec<Part>) -> bool {
    let opens = block.barrier_complete(id as usize);
    if opens {
        parts.extend(waiting_parts(code, block, |other| other == id));
        open(code, block, id as usize);
    }
    opens
}

/// Completes a barrier and releases the waiting groups.
fn open(code: &Code, block: &mut Block, id: usize) {
    block.dirty = true;
    if let Some(barrier) = block.barriers.get_mut(id) {
        barrier.arrived.fill(0);
        barrier.expected = 0;
    }
    let state = SplitState::Waiting(WaitReason::Barrier { id: id as u32 });
    // Most code has no barrier with a reduction, which requires the votes.
    let asks = |plan: &BarrierPlan| matches!(plan.kind, BarrierMode::Reduce { .. });
    let votes = match code.barriers.iter().any(asks) {
        true => votes(code, block, state),
        false => Votes::default(),
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
                split.state = SplitState::Ready;
                split.converges = true;
                split.pc += 1;
            }
        }
    }
}

#[derive(Default)]
struct Votes {
    yes: u32,
    all: u32,
}

/// Counts the predicates of `bar.red` over all waiting lanes.
fn votes(code: &Code, block: &mut Block, state: SplitState) -> Votes {
    let mut votes = Votes::default();
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

fn plan_at(code: &Code, pc: u32) -> Option<&BarrierPlan> {
    let Op::Barrier(plan) = code.instructions.get(pc as usize)?.op else {
        return None;
    };
    code.barriers.get(plan)
}
