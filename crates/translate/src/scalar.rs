//! Registers that code keeps as the value of the first lane alone. In: decoded code and strides; out: registers that only instructions write which
//! compute that value from such values: the other lanes follow by the stride, whichever of them are there.

use crate::code::Placed;
use crate::code::Source;
use crate::registers::{Definitions, Register};
use crate::stride::Strides;
use std::collections::BTreeSet;
use warpgrid_emulator::plain::{
    AccessPlan, Bank, CompareKind, Instr, Int32Op, Int64Op, IntOp, Op, Plain, ShiftOp, Slot,
    SlotAccess, SlotPlace,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Finds them, with their strides.
pub(crate) fn find_scalars(
    source: Source<'_>,
    definitions: &Definitions,
    strides: &Strides,
) -> Strides {
    let mut found = strides.clone();
    loop {
        let lost: Vec<Register> = found
            .keys()
            .filter(|register| !is_scalar(source, definitions, &found, **register))
            .copied()
            .collect();
        if lost.is_empty() {
            return found;
        }
        for register in lost {
            found.remove(&register);
        }
    }
}

/// Whether all that writes a register computes it from scalars.
fn is_scalar(
    source: Source<'_>,
    definitions: &Definitions,
    found: &Strides,
    register: Register,
) -> bool {
    let nothing = BTreeSet::new();
    let places = definitions.get(&register).unwrap_or(&nothing);
    places.iter().all(|at| {
        let Some(Placed {
            instr,
            frame,
            moves,
            ..
        }) = source.code.get(*at as usize)
        else {
            return false;
        };
        let reads_scalar = |bank: Bank, slot: Slot| match slot.place() {
            SlotPlace::Register(index) => {
                found.contains_key(&source.code.register(*frame, (bank, index)))
            }
            SlotPlace::Constant(_) | SlotPlace::None => true,
            SlotPlace::Special(index) => matches!(
                source.plain.special32(index),
                Some(
                    SpecialRegister::Tid(_)
                        | SpecialRegister::Ctaid(_)
                        | SpecialRegister::Ntid(_)
                        | SpecialRegister::Nctaid(_)
                )
            ),
        };
        let mut reads_scalars = true;
        source.plain.visit_slots(&instr.op, |access, bank, slot| {
            reads_scalars &= access == SlotAccess::Write || reads_scalar(bank, slot);
        });
        moves.values.is_empty()
            && instr.guard.place() == SlotPlace::None
            && is_done_on_scalars(source.plain, instr)
            && reads_scalars
    })
}

/// Checks whether the translator emits an operation on the value of the first lane alone.
fn is_done_on_scalars(plain: Plain<'_>, instr: &Instr) -> bool {
    let is_number = |slot: Slot| matches!(slot.place(), SlotPlace::Constant(_));
    match instr.op {
        Op::Mov32 { .. }
        | Op::Mov64 { .. }
        | Op::MovPredicate { .. }
        | Op::Extend32 { .. }
        | Op::Truncate64 { .. }
        | Op::Wide32 { .. } => true,
        Op::Int32 {
            f: Int32Op::Plain(f),
            ..
        }
        | Op::Int64 {
            f: Int64Op::Plain(f),
            ..
        } => is_plain(f),
        Op::Int32 {
            f: Int32Op::Shl | Int32Op::Shr,
            slots: [_, _, amount, _],
            ..
        }
        | Op::Shift64 {
            f: ShiftOp::Left | ShiftOp::Right,
            slots: [_, _, amount],
            ..
        } => is_number(amount),
        Op::Offset { d, a, .. } => {
            d.bank == a.bank && (a.bank == Bank::B64 || a.bits == 32 && d.bits == 32)
        }
        Op::SetPredicate {
            ref compare,
            q,
            combine: None,
            ..
        } => {
            let is_integer = matches!(
                compare.kind,
                CompareKind::U32 | CompareKind::S32 | CompareKind::U64 | CompareKind::S64
            );
            is_integer && !q.is_some()
        }
        Op::Load(plan) => plain.access(plan).is_some_and(is_known_place),
        _ => false,
    }
}

/// Checks whether an integer operation has a scalar form.
fn is_plain(f: IntOp) -> bool {
    matches!(
        f,
        IntOp::Add
            | IntOp::Sub
            | IntOp::MulLo
            | IntOp::MadLo
            | IntOp::And
            | IntOp::Or
            | IntOp::Xor
            | IntOp::Not
            | IntOp::Neg
    )
}

/// Whether a load is of one number that no thread writes, at an address that the code names.
fn is_known_place(plan: &AccessPlan) -> bool {
    matches!(plan.space, StateSpace::ParamEntry | StateSpace::Const)
        && !matches!(plan.base.place(), SlotPlace::Register(_))
        && match plan.elements.as_slice() {
            [one] => matches!(
                (plan.element_bytes, one.bank, one.bits),
                (8, Bank::B64, _) | (4, Bank::B32, 32)
            ),
            _ => false,
        }
}
