//! `ldmatrix` and `stmatrix` (PTX ISA): lanes give the addresses of rows of 16 bytes, and each row is spread over four lanes.
//! In: a plan and registers; out: registers, bytes and events.

use crate::decode::matrix_plan::RowsPlan;
use crate::exec::elements::{read64, write64};
use crate::exec::matrix::MAX_REGISTERS;
use crate::exec::memory_ops::addresses;
use crate::exec::reach::{Executed, Reach};
use crate::exec::resolve::Target;
use crate::run::fault::AccessKind;
use crate::run::observe::{AccessAction, OperandIndex, PieceHead};
use crate::state::registers::{FULL, LANES, Lanes};

/// Executes a load or a store of rows.
pub(crate) fn rows(reach: &mut Reach<'_>, l: &mut Lanes<'_>, plan: &RowsPlan) -> Executed {
    let mut target = Target::UNKNOWN;
    let starts = addresses(l, &plan.access);
    reach.find_each(plan.kind, &plan.row, &starts, plan.asking, &mut target)?;
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
    reach.events.clear();
    for place in &plan.places {
        let (asked, gave) = (usize::from(place.asked), usize::from(place.gave));
        let (backing, start) = target.of_lane(asked % LANES, RowsPlan::ROW_BYTES as usize);
        let offset = usize::from(place.column) * RowsPlan::ELEMENT_BYTES as usize;
        let at = start + offset;
        let held = &mut registers[usize::from(place.register) % MAX_REGISTERS][gave % LANES];
        let shift = 16 * u32::from(place.element);
        let memory = reach.bytes_of(backing).get(at..);
        let old = *memory.and_then(|m| m.first_chunk()).unwrap_or(&[0; 2]);
        let bytes = match is_store {
            true => ((*held >> shift) as u16).to_le_bytes(),
            false => {
                *held |= u64::from(u16::from_le_bytes(old)) << shift;
                old
            }
        };
        if is_store {
            reach.write(backing, at, gave, &bytes);
        }
        if listens {
            let address = starts[asked % LANES].wrapping_add(offset as u64);
            let (memory, address) = reach.memory_of(backing, at, gave, address);
            let operands = &plan.access.noted.operands;
            let operand = operands.get(usize::from(place.register)).copied();
            let head = PieceHead {
                asked: place.asked,
                gave: place.gave,
                element: place.register * 2 + place.element,
                written: is_store,
                ty: plan.access.noted.ty,
                operand: operand.map(OperandIndex),
                memory,
                address,
            };
            reach.events.add(head, &bytes, &old);
        }
    }
    if listens {
        reach.report(action, FULL, &plan.access);
    }
    if is_store {
        reach.stored = true;
        return Ok(());
    }
    for (row, element) in registers.iter().zip(&plan.access.elements) {
        write64(l, *element, row);
    }
    Ok(())
}
