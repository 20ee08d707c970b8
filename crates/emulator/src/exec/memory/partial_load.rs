//! Loads with unused elements, which may be out of bounds. Compilers emit such loads with the pragma `used_bytes_mask`
//! if one wide load is faster than several loads within bounds.

use crate::code::AccessPlan;
use crate::code::MAX_WIDTH;
use crate::contract::fault::{AccessKind, FaultKind};
use crate::contract::observer::AccessAction;
use crate::exec::memory::access_events::{LaneAccessRecord, add_pieces};
use crate::exec::memory::address_translation::ResolvedAccess;
use crate::exec::memory::load::{LaneBytes, addresses, set_elements};
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::semantics::registers::{LANES, LaneRegisters, lanes_of};

/// Checks whether out-of-bounds elements that are unused may be the cause of a load's fault.
pub(crate) fn may_be_partial(plan: &AccessPlan, halt: &ExecutionFault) -> bool {
    halt.kind == FaultKind::OutOfBounds
        && plan.written != 0
        && plan.elements.iter().any(|element| !element.slot.is_some())
}

/// Loads only the used elements, each separately. The address must be aligned to the size of the whole load. `halt` is
/// the fault of the whole load, which is returned if the address is misaligned.
#[cold]
#[inline(never)]
pub(crate) fn load_used(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    target: &mut ResolvedAccess,
    halt: Box<ExecutionFault>,
) -> ExecResult {
    let (width, size) = (plan.width_bytes as usize, plan.element_bytes as usize);
    let starts = addresses(l, plan);
    let is_aligned = |lane: usize| starts[lane].is_multiple_of(width as u64);
    if !lanes_of(l.mask).all(is_aligned) {
        return Err(halt);
    }
    let mut bytes: LaneBytes = [0; LANES * MAX_WIDTH];
    let listens = reach.interest.covers(AccessAction::Load);
    if listens {
        reach.events.clear();
    }
    for index in lanes_of(plan.written) {
        let from = index * size;
        let element = AccessPlan {
            width_bytes: plan.element_bytes,
            written: 1 << index,
            ..plan.clone()
        };
        let places = starts.map(|start| start.wrapping_add(from as u64));
        reach.find_each(AccessKind::Load, &element, &places, l.mask, target)?;
        let read = reach.read_lanes(target, l.mask, size);
        for lane in lanes_of(l.mask) {
            let own = lane * width..lane * width + width;
            let part = &read[lane * size..(lane + 1) * size];
            bytes[own.start + from..own.start + from + size].copy_from_slice(part);
            if listens {
                let (memory, address) = reach.place_of(target, &places, lane, size);
                let lane_bytes = &bytes[own];
                let pieces = LaneAccessRecord {
                    lane,
                    memory,
                    address: address.wrapping_sub(from as u64),
                    written: false,
                    bytes: lane_bytes,
                    old: lane_bytes,
                };
                add_pieces(reach.events, &element, &pieces);
            }
        }
    }
    if listens {
        reach.report(AccessAction::Load, l.mask, plan);
    }
    set_elements(l, plan, &bytes);
    Ok(())
}
