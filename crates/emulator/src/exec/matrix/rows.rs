//! `ldmatrix` and `stmatrix` (PTX ISA): lanes provide the addresses of 16-byte matrix rows, and the elements of each
//! row are distributed across lanes.

use crate::code::matrix_plan::LdmatrixPlan;
use crate::code::matrix_plan::MAX_REGISTERS;
use crate::contract::fault::AccessKind;
use crate::contract::observer::{AccessAction, ElementAccessHeader, OperandIndex};
use crate::exec::memory::address_translation::ResolvedAccess;
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, MemoryContext};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{FULL, LANES, LaneRegisters};

/// Executes `ldmatrix` or `stmatrix`.
pub(crate) fn rows(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &LdmatrixPlan,
) -> ExecResult {
    let mut target = ResolvedAccess::UNKNOWN;
    let starts = addresses(l, &plan.access);
    reach.find_each(
        plan.kind,
        &plan.row,
        &starts,
        plan.address_lanes,
        &mut target,
    )?;
    let action = match plan.kind {
        AccessKind::Load => AccessAction::Load,
        AccessKind::Store | AccessKind::Atomic => AccessAction::Store,
    };
    let is_store = action.writes();
    let listens = reach.interest.covers(action);
    let mut registers = [[0; LANES]; MAX_REGISTERS];
    if is_store {
        for (row, element) in registers.iter_mut().zip(&plan.access.elements) {
            *row = read64(l, *element);
        }
    }
    let per_register = (32 / plan.container_bits.max(8)) as u8;
    reach.events.clear();
    for place in &plan.places {
        let (asked, gave) = (usize::from(place.asked), usize::from(place.gave));
        let (backing, start) = target.of_lane(asked % LANES, LdmatrixPlan::ROW_BYTES as usize);
        let first_bit = u32::from(place.column) * plan.element_bits;
        let offset = (first_bit / 8) as usize;
        let at = start + offset;
        let held = &mut registers[usize::from(place.register) % MAX_REGISTERS][gave % LANES];
        let shift = plan.container_bits * u32::from(place.element);
        // Read up to two bytes, because an element with fewer than 8 bits may span two bytes. Only loads have such
        // elements.
        let width = (first_bit % 8 + plan.element_bits).div_ceil(8) as usize;
        let memory = reach.bytes_of(backing).get(at..at.saturating_add(width));
        let mut old = [0; 2];
        if let (Some(memory), Some(old)) = (memory, old.get_mut(..width)) {
            old.copy_from_slice(memory);
        }
        let bytes = match is_store {
            true => ((*held >> shift) as u16).to_le_bytes(),
            false => {
                let bits = u16::from_le_bytes(old) >> (first_bit % 8);
                let element = bits & (u16::MAX >> (16 - plan.element_bits.clamp(1, 16)));
                *held |= u64::from(element) << shift;
                old
            }
        };
        let (bytes, old) = (bytes.get(..width), old.get(..width));
        let (bytes, old) = (bytes.unwrap_or(&[]), old.unwrap_or(&[]));
        if is_store {
            reach.write(backing, at, gave, bytes);
        }
        if listens {
            let address = starts[asked % LANES].wrapping_add(offset as u64);
            let (memory, address) = reach.memory_of(backing, at, gave, address);
            let operands = &plan.access.metadata.operands;
            let operand = operands.get(usize::from(place.register)).copied();
            let head = ElementAccessHeader {
                address_lane: place.asked,
                data_lane: place.gave,
                element: place.register * per_register + place.element,
                written: is_store,
                ty: plan.access.metadata.ty,
                operand: operand.map(OperandIndex),
                memory,
                address,
            };
            reach.events.add(head, bytes, old);
        }
    }
    if listens {
        reach.report(action, FULL, &plan.access);
    }
    if is_store {
        return Ok(());
    }
    for (row, element) in registers.iter().zip(&plan.access.elements) {
        write64(l, *element, row);
    }
    Ok(())
}
