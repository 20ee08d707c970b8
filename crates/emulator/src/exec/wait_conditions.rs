//! Wait conditions: reasons why lanes must wait before they execute an instruction, and the release of waiting lanes.

use crate::code::decoded_op::DecodedOp;
use crate::code::decoded_op::{cold_alu_ops, hot_alu_ops, side_effect_ops};
use crate::code::tensor_memory::TensorMemoryPlan;
use crate::code::{CollectiveKind, CollectivePlan, DecodedCode, MbarrierAction, MbarrierPlan};
use crate::contract::agent::WarpId;
use crate::contract::fault::WaitReason;
use crate::contract::mbarrier::MbarrierState;
use crate::contract::pending::GroupWait;
use crate::exec::context::IssuedInstruction;
use crate::exec::context::lanes_at;
use crate::exec::mbarrier::parity_of;
use crate::exec::memory::load::addresses;
use crate::exec::operand_rows::read64;
use crate::semantics::registers::{LANES, OperandSlot, lanes_of};
use crate::state::in_flight::InFlightQueue;
use crate::state::memory::{AddressMap, PagedMemory};
use crate::state::tensor_memory::{can_be_reserved, has_free};
use crate::state::warp::{Warp, WarpSplit, WarpSplitState};
use warpgrid_isa::StateSpace;

/// State outside of the warp on which wait conditions depend.
pub(crate) struct WaitContext<'a> {
    /// Lanes of the warp that have arrived at the cluster barrier in its current, incomplete phase.
    pub(crate) cluster_pending: u32,
    pub(crate) map: &'a AddressMap,
    /// Shared memory of the block.
    pub(crate) shared: &'a PagedMemory,
    /// Tensor memory of the block.
    pub(crate) tensor: &'a PagedMemory,
    pub(crate) in_flight: &'a InFlightQueue,
    pub(crate) block: u64,
}

/// Marks the selected lanes as waiting if their instruction cannot be executed yet. Waiting does not consume a step.
#[inline(never)]
pub(crate) fn block_if_not_ready(
    code: &DecodedCode,
    warp: &mut Warp,
    choice: IssuedInstruction<'_>,
    outside: &WaitContext<'_>,
) -> Option<WaitReason> {
    if choice.executed == 0 {
        return None;
    }
    let reason = wait_reason(code, warp, &choice, outside)?;
    split_predicated_off(warp, choice.executed);
    let converges = matches!(reason, WaitReason::WarpLanes { .. })
        && reconvergence_point_at(code, choice.pc).is_none();
    let current = warp.splits.current_mut();
    current.state = WarpSplitState::Waiting(reason);
    current.converges = converges;
    wake_inner(code, warp);
    Some(reason)
}

/// Returns the reason why the executing lanes must wait, or `None` if they can execute the instruction.
fn wait_reason(
    code: &DecodedCode,
    warp: &mut Warp,
    choice: &IssuedInstruction<'_>,
    outside: &WaitContext<'_>,
) -> Option<WaitReason> {
    let mask = choice.executed;
    let missing = match choice.instr.op {
        DecodedOp::Collective(plan) => match code.collectives.get(plan) {
            None => 0,
            // In SASS, `ELECT` selects one of the active lanes without waiting for other lanes.
            Some(CollectivePlan {
                kind: CollectiveKind::Elect { .. },
                ..
            }) if !code.addresses.is_empty() => 0,
            Some(plan) => missing_lanes(code, warp, plan.mask, mask, mask),
        },
        // Matrix instructions require all live lanes of the warp.
        DecodedOp::Matrix(_) | DecodedOp::Warpgroup(_) => warp.live() & !mask,
        DecodedOp::TensorMemory(plan) => match code.tensor_memory.get(plan) {
            Some(plan) if plan.takes_warp() && warp.live() & !mask != 0 => warp.live() & !mask,
            Some(plan) => return columns_to_wait_for(code, warp, choice, plan, outside),
            None => 0,
        },
        DecodedOp::WarpBarrier { mask: slot } => {
            let arrived = mask | waiting_at_warp_barrier(code, warp);
            missing_lanes(code, warp, slot, mask, arrived)
        }
        DecodedOp::Reconverge { mask: slot }
        | DecodedOp::ReconvergeUnlessYielded { mask: slot } => {
            let arrived = mask | converging_at(code, warp, slot, mask);
            let left = waiting_outside(code, warp, choice.pc, mask);
            missing_lanes(code, warp, slot, mask, arrived | left)
        }
        DecodedOp::ClusterWait if outside.cluster_pending & mask != 0 => {
            return Some(WaitReason::ClusterBarrier);
        }
        DecodedOp::Mbarrier(plan) => {
            let plan = code.mbarriers.get(plan)?;
            return phase_to_wait_for(code, warp, choice, plan, outside);
        }
        DecodedOp::AsyncWait(wait) => {
            let n = wait.latest.unwrap_or(0);
            let waits = is_pending(warp, wait, mask, outside);
            return waits.then_some(WaitReason::AsyncGroup { n });
        }
        DecodedOp::ClusterWait | hot_alu_ops!() | cold_alu_ops!() | side_effect_ops!() => 0,
    };
    (missing != 0).then_some(WaitReason::WarpLanes { missing })
}

/// Returns the wait reason for an allocation of tensor memory columns. Returns `None` if enough columns are free, or if
/// the allocation is invalid.
fn columns_to_wait_for(
    code: &DecodedCode,
    warp: &mut Warp,
    choice: &IssuedInstruction<'_>,
    plan: &TensorMemoryPlan,
    outside: &WaitContext<'_>,
) -> Option<WaitReason> {
    let TensorMemoryPlan::Allocate { columns, .. } = plan else {
        return None;
    };
    let lanes = lanes_at(code, warp, choice.depth, choice.executed);
    let lane = choice.executed.trailing_zeros() as usize % LANES;
    let n = read64(&lanes, *columns)[lane] as u32;
    let waits = can_be_reserved(outside.tensor, n) && !has_free(outside.tensor, n);
    waits.then_some(WaitReason::TensorColumns { n })
}

/// Returns a wait for the phase of the first lane if the phases of all lanes are incomplete. Otherwise, the instruction
/// executes and returns false in the lanes whose phases are incomplete, as if its time limit had expired (PTX ISA,
/// "mbarrier.try_wait").
fn phase_to_wait_for(
    code: &DecodedCode,
    warp: &mut Warp,
    choice: &IssuedInstruction<'_>,
    plan: &MbarrierPlan,
    outside: &WaitContext<'_>,
) -> Option<WaitReason> {
    let MbarrierAction::Test { phase, waits: true } = plan.action else {
        return None;
    };
    let lanes = lanes_at(code, warp, choice.depth, choice.executed);
    let addresses = addresses(&lanes, &plan.access);
    let values = read64(&lanes, plan.value);
    let mut first = None;
    for lane in lanes_of(choice.executed) {
        let address = match plan.access.space {
            StateSpace::Generic => addresses[lane].wrapping_sub(outside.map.shared),
            _ => addresses[lane],
        };
        // Do not wait if the address does not contain an mbarrier object, because the execution of the instruction
        // reports the fault.
        let word = object_at(outside.shared, address)?;
        let parity = parity_of(phase, values[lane]);
        if MbarrierState::read(word)?.is_complete(parity) {
            return None;
        }
        first.get_or_insert(WaitReason::MbarrierPhase { address, parity });
    }
    first
}

/// Returns the 64-bit value at an address in shared memory.
pub(crate) fn object_at(shared: &PagedMemory, address: u64) -> Option<u64> {
    let start = usize::try_from(address).ok()?;
    let bytes = shared.contents().get(start..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// Checks whether asynchronous operations for which the executing lanes wait are pending.
fn is_pending(warp: &Warp, wait: GroupWait, mask: u32, outside: &WaitContext<'_>) -> bool {
    let own = WarpId {
        block: outside.block,
        warp: warp.index,
    };
    let mut pending = outside.in_flight.grouped(own, wait.kind);
    pending.any(|(operation, lanes, number)| {
        if wait.reads && operation.reads_at.is_none() {
            return false;
        }
        lanes_of(lanes & mask).any(|lane| match wait.latest {
            None => true,
            Some(latest) => {
                let made = warp.groups.as_ref().map_or(0, |g| g.made(wait.kind, lane));
                made.wrapping_sub(number) > latest
            }
        })
    })
}

/// Returns the live lanes that are in the member masks of the active lanes, but have not arrived. `here` contains the
/// arrived lanes.
fn missing_lanes(
    code: &DecodedCode,
    warp: &mut Warp,
    mask_slot: OperandSlot,
    active: u32,
    here: u32,
) -> u32 {
    if !mask_slot.is_some() {
        return 0;
    }
    let live = warp.live();
    let depth = warp.splits.current().depth;
    let masks = *lanes_at(code, warp, depth, active).r32(mask_slot);
    let named = lanes_of(active).fold(0, |named, lane| named | masks[lane]);
    named & live & !here
}

/// Moves the lanes that are predicated off to a separate group, which continues at the next instruction.
pub(crate) fn split_predicated_off(warp: &mut Warp, mask: u32) {
    let current = *warp.splits.current();
    let excluded = current.mask & !mask;
    if excluded != 0 {
        crate::exec::control::redirect_lanes(warp, excluded, current.pc + 1, current.depth);
    }
}

/// Reconvergence point of the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReconvergencePoint {
    /// Any `bar.warp.sync` instruction.
    WarpBarrier,
    /// Any `BSYNC` instruction with this barrier register.
    Reconvergence(OperandSlot),
}

/// Returns the reconvergence point at a program counter, and the register that contains its member mask.
fn reconvergence_point_at(
    code: &DecodedCode,
    pc: u32,
) -> Option<(ReconvergencePoint, OperandSlot)> {
    let instr = code.instructions.get(pc as usize)?;
    match instr.op {
        DecodedOp::WarpBarrier { mask } => Some((ReconvergencePoint::WarpBarrier, mask)),
        DecodedOp::Reconverge { mask } | DecodedOp::ReconvergeUnlessYielded { mask } => {
            Some((ReconvergencePoint::Reconvergence(mask), mask))
        }
        DecodedOp::Collective(_)
        | DecodedOp::Matrix(_)
        | DecodedOp::Warpgroup(_)
        | DecodedOp::TensorMemory(_)
        | DecodedOp::ClusterWait
        | DecodedOp::Mbarrier(_)
        | DecodedOp::AsyncWait(_)
        | hot_alu_ops!()
        | cold_alu_ops!()
        | side_effect_ops!() => None,
    }
}

/// Checks whether a group waits at a reconvergence point.
fn waits_at(code: &DecodedCode, split: &WarpSplit, meeting: ReconvergencePoint) -> bool {
    !split.is_ready()
        && reconvergence_point_at(code, split.pc).is_some_and(|(there, _)| there == meeting)
}

/// Returns the lanes that wait at a warp barrier. The lanes may wait at different instructions.
fn waiting_at_warp_barrier(code: &DecodedCode, warp: &Warp) -> u32 {
    let splits = warp.splits.all().iter();
    splits
        .filter(|split| waits_at(code, split, ReconvergencePoint::WarpBarrier))
        .fold(0, |here, split| here | split.mask)
}

/// Returns the lanes that wait at a `BSYNC` with the same barrier register and the same member mask as the active
/// lanes. A recursive function saves the barrier register (`BMOV.32.CLEAR R2, B6`) and stores another mask in it. Lanes
/// that wait with the saved mask do not belong to the inner region. The comparison ignores lanes that have left the
/// region, because the saved mask may still contain lanes that left the region after the register was saved.
fn converging_at(code: &DecodedCode, warp: &mut Warp, slot: OperandSlot, active: u32) -> u32 {
    let depth = warp.splits.current().depth;
    let pc = warp.splits.current().pc;
    let inside = warp.live() & !waiting_outside(code, warp, pc, active);
    let named = named_lanes(code, warp, depth, slot, active) & inside;
    let mut arrived = 0;
    for index in 0..warp.splits.len() {
        let split = warp.splits.all()[index];
        if waits_at(code, &split, ReconvergencePoint::Reconvergence(slot))
            && named_lanes(code, warp, split.depth, slot, split.mask) & inside == named
        {
            arrived |= split.mask;
        }
    }
    arrived
}

/// Returns the union of the member masks in a register of the given lanes.
fn named_lanes(
    code: &DecodedCode,
    warp: &mut Warp,
    depth: u32,
    slot: OperandSlot,
    lanes: u32,
) -> u32 {
    let masks = *lanes_at(code, warp, depth, lanes).r32(slot);
    lanes_of(lanes).fold(0, |named, lane| named | masks[lane])
}

/// Returns the lanes that wait for all active lanes at the barrier of an outer region, or at a later warp barrier. `pc`
/// is the program counter of the barrier at which the active lanes wait. The returned lanes have left the inner region,
/// although the assembler emits no `BREAK` for some targets of jump tables (observed in code of assemblers 13.3 and
/// 13.5: branches to an outer `BSYNC` for `sm_100` and later, and to `WARPSYNC.ALL` for `sm_90` and later with `-O0`
/// and `-O1`).
fn waiting_outside(code: &DecodedCode, warp: &mut Warp, pc: u32, active: u32) -> u32 {
    let mut left = 0;
    for index in 0..warp.splits.len() {
        let split = warp.splits.all()[index];
        if !split.is_ready() && active & !outer_member_mask(code, warp, &split, pc) == 0 {
            left |= split.mask;
        }
    }
    left
}

/// Returns the member mask for which a group waits, if the group waits outside of the region of the `BSYNC` at `pc`.
/// The reconvergence points of outer regions, and warp barriers outside of the region, have higher addresses than the
/// `BSYNC`.
fn outer_member_mask(code: &DecodedCode, warp: &mut Warp, split: &WarpSplit, pc: u32) -> u32 {
    let places = [split.pc, pc].map(|pc| reconvergence_point_at(code, pc));
    let [Some((outer, named)), Some((inner, _))] = places else {
        return 0;
    };
    if outer == inner || inner == ReconvergencePoint::WarpBarrier || split.pc < pc {
        return 0;
    }
    named_lanes(code, warp, split.depth, named, split.mask)
}

/// Wakes groups that wait at an inner barrier for the current group, while the current group waits for these groups at
/// an outer barrier. The function wakes only groups at inner barriers, so that two groups never wake each other.
fn wake_inner(code: &DecodedCode, warp: &mut Warp) {
    let outer = *warp.splits.current();
    for index in 0..warp.splits.len() {
        let inner = warp.splits.all()[index];
        let WarpSplitState::Waiting(WaitReason::WarpLanes { missing }) = inner.state else {
            continue;
        };
        if missing & outer.mask == 0 {
            continue;
        }
        if inner.mask & !outer_member_mask(code, warp, &outer, inner.pc) == 0 {
            warp.splits.all_mut()[index].state = WarpSplitState::Ready;
        }
    }
}

/// Returns the lanes that converge at the reconvergence point of the current group, and the member mask of each lane.
pub(crate) fn meeting_masks(code: &DecodedCode, warp: &mut Warp, mask: u32) -> (u32, [u32; 32]) {
    let mut named = [0; 32];
    let mut arrived = 0;
    let current = *warp.splits.current();
    let Some((meeting, _)) = reconvergence_point_at(code, current.pc) else {
        return (0, named);
    };
    for index in 0..warp.splits.len() {
        let split = warp.splits.all()[index];
        let is_current = split.pc == current.pc && split.mask == current.mask;
        if !is_current && !waits_at(code, &split, meeting) {
            continue;
        }
        let Some((_, slot)) = reconvergence_point_at(code, split.pc) else {
            continue;
        };
        let lanes = if is_current { mask } else { split.mask };
        let masks = *lanes_at(code, warp, split.depth, lanes).r32(slot);
        for lane in lanes_of(lanes) {
            named[lane] = masks[lane];
        }
        arrived |= lanes;
    }
    (arrived, named)
}

/// Releases the groups that wait at the reconvergence point of the current group, if all member lanes have arrived.
pub(crate) fn release_reconvergence(code: &DecodedCode, warp: &mut Warp, mask: u32) {
    let Some((meeting, slot)) = reconvergence_point_at(code, warp.splits.current().pc) else {
        return;
    };
    let depth = warp.splits.current().depth;
    let named = named_lanes(code, warp, depth, slot, mask);
    let released = match meeting {
        ReconvergencePoint::WarpBarrier => named,
        ReconvergencePoint::Reconvergence(slot) => named & converging_at(code, warp, slot, mask),
    };
    for split in warp.splits.all_mut() {
        if waits_at(code, split, meeting) && split.mask & released != 0 {
            split.state = WarpSplitState::Ready;
            split.converges = true;
            split.pc += 1;
        }
    }
    // Mark the current group for convergence, because at the end of its step, it reaches the instruction at which the
    // released lanes continue.
    warp.splits.current_mut().converges = true;
}

/// Removes the leaving lanes from the member mask in a barrier register. The register changes in all lanes of the
/// member mask.
pub(crate) fn break_convergence(
    code: &DecodedCode,
    warp: &mut Warp,
    slot: OperandSlot,
    leaving: u32,
) {
    let depth = warp.splits.current().depth;
    let mut lanes = lanes_at(code, warp, depth, leaving);
    let masks = *lanes.r32(slot);
    let named = lanes_of(leaving).fold(0, |named, lane| named | masks[lane]);
    lanes.mask = named;
    lanes.set32(slot, &masks.map(|mask| mask & !leaving));
    warp.splits
        .wake(|reason| matches!(reason, WaitReason::WarpLanes { .. }));
}

/// Releases lanes that wait in a `BSYNC` until another lane yields, and removes these lanes from the member mask, so
/// that the remaining lanes wait only for each other.
pub(crate) fn yield_convergence(code: &DecodedCode, warp: &mut Warp) {
    for index in 0..warp.splits.all().len() {
        let WarpSplit {
            mask, pc, depth, ..
        } = warp.splits.all()[index];
        let op = code.instructions.get(pc as usize).map(|instr| instr.op);
        let Some(DecodedOp::ReconvergeUnlessYielded { mask: slot }) = op else {
            continue;
        };
        if warp.splits.all()[index].is_ready() {
            continue;
        }
        let mut lanes = lanes_at(code, warp, depth, u32::MAX);
        let masks = *lanes.r32(slot);
        lanes.set32(slot, &masks.map(|named| named & !mask));
        let split = &mut warp.splits.all_mut()[index];
        split.state = WarpSplitState::Ready;
        split.pc += 1;
    }
}

/// Checks whether the member mask in a register contains live lanes outside of `mask`.
pub(crate) fn is_divergent(
    code: &DecodedCode,
    warp: &mut Warp,
    slot: OperandSlot,
    mask: u32,
) -> bool {
    missing_lanes(code, warp, slot, mask, mask) != 0
}
