//! Barriers of a block (PTX ISA, "bar", "barrier"): who comes, who waits, when all go on.

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

/// What became of an arrival.
pub(crate) struct Arrived {
    pub(crate) id: u32,
    pub(crate) waits: Waits,
    /// Whether the phase is over.
    pub(crate) opened: bool,
    /// What came in parts, where the phase is over or the lanes do not wait.
    pub(crate) parts: Vec<Part>,
}

/// Lanes of a warp that came to an aligned barrier without the others.
pub(crate) struct Part {
    /// The warp in its block.
    pub(crate) warp: usize,
    pub(crate) pc: u32,
    pub(crate) came: u32,
    /// The lanes that must come.
    pub(crate) of: u32,
}

/// Lanes of the running group of a warp come to a barrier.
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

/// Reads the number of a barrier and how many threads it is for, none for the whole block.
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
        // In a register of machine code none means all.
        .filter(|threads| *threads != 0 || code.addresses.is_empty());
    let bad_count = threads.is_some_and(|t| t == 0 || !t.is_multiple_of(32));
    if id as usize >= N_BARRIERS || bad_count {
        return Err(Halt::new(FaultKind::BadBarrier { id, threads }, mask));
    }
    Ok((id, threads))
}

/// The parts of a block's warps that wait at aligned barriers with these numbers. A part that came first is none once the others have
/// come to the same instruction: it is asked when a barrier opens, or never will.
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

/// The groups of a warp that wait at aligned barriers with these numbers and are not all lanes of `of`; `index` is its place in the
/// block.
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

/// What became of barriers as lanes ended.
#[derive(Default)]
pub(crate) struct AfterExit {
    /// The barriers that opened since they waited for no other lanes, a bit for each.
    pub(crate) opened: u32,
    pub(crate) parts: Vec<Part>,
}

/// After lanes of a warp have ended: barriers that waited for no other lanes open, and lanes that wait at an aligned one are a part.
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

/// Opens a barrier if all have come to it; whether it did. What came in parts is added to `parts`.
fn open_if_complete(code: &Code, block: &mut Block, id: u32, parts: &mut Vec<Part>) -> bool {
    let opens = block.barrier_complete(id as usize);
    if opens {
        parts.extend(waiting_parts(code, block, |other| other == id));
        open(code, block, id as usize);
    }
    opens
}

/// Lets go on what waits at a barrier.
fn open(code: &Code, block: &mut Block, id: usize) {
    block.dirty = true;
    if let Some(barrier) = block.barriers.get_mut(id) {
        barrier.arrived.fill(0);
        barrier.expected = 0;
    }
    let state = SplitState::Waiting(WaitReason::Barrier { id: id as u32 });
    // Most code has no barrier that asks for them.
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

/// Counts the predicates of `bar.red` over all lanes that wait.
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
