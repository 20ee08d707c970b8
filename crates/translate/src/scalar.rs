//! Registers that code keeps as the value of the first lane alone. In: decoded code and strides; out: registers that only instructions write which
//! compute that value from such values: the other lanes follow by the stride, whichever of them are there.

use crate::code::Placed;
use crate::code::Source;
use crate::registers::{Definitions, Register};
use crate::stride::Strides;
use std::collections::BTreeSet;
use warpgrid_emulator::plain::{
    AccessPlan, Bank, CompareKind, Instr, Int32Op, Int64Op, IntOp, Op, ShiftOp, Slot, SlotPlace,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Where an operation on scalars reads.
type Sources = Vec<(Bank, Slot)>;

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
        let reads_scalar = |(bank, slot): &(Bank, Slot)| match slot.place() {
            SlotPlace::Register(index) => {
                found.contains_key(&source.code.register(*frame, (*bank, index)))
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
        let sources = sources(source, instr);
        moves.values.is_empty()
            && instr.guard.place() == SlotPlace::None
            && sources.is_some_and(|sources| sources.iter().all(reads_scalar))
    })
}

/// What an operation reads, if it is one of those that are done on scalars.
fn sources(source: Source<'_>, instr: &Instr) -> Option<Sources> {
    let of = |bank: Bank, slots: &[Slot]| Some(slots.iter().map(|slot| (bank, *slot)).collect());
    let is_number = |slot: Slot| matches!(slot.place(), SlotPlace::Constant(_));
    match instr.op {
        Op::Mov32 { a, .. } | Op::Extend32 { a, .. } => of(Bank::B32, &[a]),
        Op::Mov64 { a, .. } | Op::Truncate64 { a, .. } => of(Bank::B64, &[a]),
        Op::MovPredicate { a, .. } => of(Bank::Predicate, &[a]),
        Op::Int32 {
            f: Int32Op::Plain(f),
            slots: [_, a, b, c],
            ..
        } => is_plain(f).then(|| of(Bank::B32, &[a, b, c]))?,
        Op::Int64 {
            f: Int64Op::Plain(f),
            slots: [_, a, b, c],
            ..
        } => is_plain(f).then(|| of(Bank::B64, &[a, b, c]))?,
        Op::Int32 {
            f: Int32Op::Shl | Int32Op::Shr,
            slots: [_, a, b, _],
            ..
        } => is_number(b).then(|| of(Bank::B32, &[a]))?,
        Op::Shift64 {
            f: ShiftOp::Left | ShiftOp::Right,
            slots: [_, a, b],
            ..
        } => is_number(b).then(|| of(Bank::B64, &[a]))?,
        Op::Wide32 {
            slots: [_, a, b, c],
            ..
        } => Some(vec![(Bank::B32, a), (Bank::B32, b), (Bank::B64, c)]),
        Op::Offset { d, a, .. } => {
            let is_whole =
                d.bank == a.bank && (a.bank == Bank::B64 || a.bits == 32 && d.bits == 32);
            is_whole.then(|| of(a.bank, &[a.slot]))?
        }
        Op::SetPredicate {
            ref compare,
            q,
            combine: None,
            ..
        } if !q.is_some() => match compare.kind {
            CompareKind::U32 | CompareKind::S32 => of(Bank::B32, &[compare.a, compare.b]),
            CompareKind::U64 | CompareKind::S64 => of(Bank::B64, &[compare.a, compare.b]),
            _ => None,
        },
        Op::Load(plan) => is_known_place(source.plain.access(plan)?).then(Vec::new),
        _ => None,
    }
}

/// Whether it is done on scalars in one way or another.
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
