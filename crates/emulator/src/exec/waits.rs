//! Lanes that wait for others before their instruction: what they wait for, and how they become ready again.

use crate::decode::code::{Code, Collective, CollectiveKind, Op};
use crate::exec::compute::{beyond_registers, frequent, infrequent};
use crate::exec::control::lanes_at;
use crate::exec::step::Choice;
use crate::run::fault::WaitReason;
use crate::state::registers::{Slot, lanes_of};
use crate::state::warp::{SplitState, Warp};

/// Lets the chosen lanes wait if their instruction cannot be executed yet. That takes no step.
#[inline(never)]
pub(crate) fn begin_to_wait(
    code: &Code,
    warp: &mut Warp,
    choice: Choice<'_>,
    cluster_pending: u32,
) -> Option<WaitReason> {
    if choice.executed == 0 {
        return None;
    }
    let reason = must_wait(code, warp, &choice, cluster_pending)?;
    part_from_excluded(warp, choice.executed);
    warp.splits.current_mut().state = SplitState::Waiting(reason);
    Some(reason)
}

/// What the lanes that execute must wait for before they can.
fn must_wait(
    code: &Code,
    warp: &mut Warp,
    choice: &Choice<'_>,
    cluster_pending: u32,
) -> Option<WaitReason> {
    let mask = choice.executed;
    let missing = match choice.instr.op {
        Op::Collective(plan) => match code.collectives.get(plan as usize) {
            // `elect` asks one of the lanes that are there.
            None
            | Some(Collective {
                kind: CollectiveKind::Elect { .. },
                ..
            }) => 0,
            Some(plan) => missing_lanes(code, warp, plan.mask, mask, mask),
        },
        Op::WarpBarrier { mask: slot } => {
            let here = mask | waiting_at_warp_barrier(code, warp);
            missing_lanes(code, warp, slot, mask, here)
        }
        Op::ClusterWait if cluster_pending & mask != 0 => return Some(WaitReason::ClusterBarrier),
        Op::ClusterWait | frequent!() | infrequent!() | beyond_registers!() => 0,
    };
    (missing != 0).then_some(WaitReason::WarpLanes { missing })
}

/// Lanes that the active ones name and that are not among `here`.
fn missing_lanes(code: &Code, warp: &mut Warp, mask_slot: Slot, active: u32, here: u32) -> u32 {
    if !mask_slot.is_some() {
        return 0;
    }
    let live = warp.live();
    let depth = warp.splits.current().depth;
    let masks = *lanes_at(code, warp, depth, active).r32(mask_slot);
    let named = lanes_of(active).fold(0, |named, lane| named | masks[lane]);
    named & live & !here
}

/// Makes the lanes that the guard excludes a group of their own, after this instruction.
pub(crate) fn part_from_excluded(warp: &mut Warp, mask: u32) {
    let current = *warp.splits.current();
    let excluded = current.mask & !mask;
    if excluded != 0 {
        crate::exec::control::go(warp, excluded, current.pc + 1, current.depth);
    }
}

/// Whether a place in the code is a `bar.warp.sync`.
fn at_warp_barrier(code: &Code, pc: u32) -> bool {
    matches!(
        code.instructions.get(pc as usize).map(|i| i.op),
        Some(Op::WarpBarrier { .. })
    )
}

/// Lanes that wait at a `bar.warp.sync`; they may have come to it at different instructions.
fn waiting_at_warp_barrier(code: &Code, warp: &Warp) -> u32 {
    let splits = warp.splits.all().iter();
    splits
        .filter(|s| !s.is_ready() && at_warp_barrier(code, s.pc))
        .fold(0, |here, s| here | s.mask)
}

/// All named lanes have arrived at a `bar.warp.sync`: releases the groups that wait there.
pub(crate) fn open_warp_barrier(code: &Code, warp: &mut Warp, slot: Slot, mask: u32) {
    let depth = warp.splits.current().depth;
    let masks = *lanes_at(code, warp, depth, mask).r32(slot);
    let named = lanes_of(mask).fold(0, |named, lane| named | masks[lane]);
    for split in warp.splits.all_mut() {
        if !split.is_ready() && at_warp_barrier(code, split.pc) && split.mask & named != 0 {
            split.state = SplitState::Ready;
            split.pc += 1;
        }
    }
}
