//! Registers in which any NaN may be kept. In: decoded code; out: registers of 32 bits that only arithmetic writes whose NaNs are the one that the machine
//! makes. Arithmetic that reads them does not tell one NaN from another, so that it becomes that one where something else reads it.

use crate::code::Placed;
use crate::code::Source;
use crate::registers::{Definitions, Register};
use std::collections::BTreeSet;
use warpgrid_emulator::plain::{
    Bank, Float32Op, FloatMode, FloatOp, Instr, Op, Round, Slot, SlotPlace, unit_function,
};

/// Finds them: those that arithmetic reads as well.
pub(crate) fn find_any_nan(source: Source<'_>, definitions: &Definitions) -> BTreeSet<Register> {
    let code = source.code;
    let mut read = BTreeSet::new();
    for (at, placed) in code.all().iter().enumerate() {
        if let Some((_, sources)) = arithmetic(&placed.instr) {
            let frame = code.frame_at(at);
            read.extend(sources.iter().filter_map(|slot| match slot.place() {
                SlotPlace::Register(index) => Some(code.register(frame, (Bank::B32, index))),
                _ => None,
            }));
        }
    }
    let is_made = |register: &Register| {
        let places = definitions.get(register);
        places.is_some_and(|places| places.iter().all(|at| makes_nan(source, *at, *register)))
    };
    read.retain(is_made);
    read
}

/// Whether what an instruction writes to a register is the NaN of the machine, if it is one.
fn makes_nan(source: Source<'_>, at: u32, register: Register) -> bool {
    let Some(Placed {
        instr,
        frame,
        moves,
        ..
    }) = source.code.get(at as usize)
    else {
        return false;
    };
    let is_register = |slot: Slot| match slot.place() {
        SlotPlace::Register(index) => source.code.register(*frame, (Bank::B32, index)) == register,
        _ => false,
    };
    if !moves.values.is_empty() {
        return false;
    }
    match instr.op {
        Op::Mov32 { d, a } => {
            let is_number = match a.place() {
                SlotPlace::Constant(index) => {
                    !f32::from_bits(source.plain.constant32(index)).is_nan()
                }
                _ => false,
            };
            is_register(d) && is_number
        }
        _ => arithmetic(instr).is_some_and(|(d, _)| is_register(d)),
    }
}

/// The destination and the sources of arithmetic to which all NaNs are one.
fn arithmetic(instr: &Instr) -> Option<(Slot, [Slot; 3])> {
    let Op::Float32 {
        f,
        mode,
        slots: [d, a, b, c],
    } = instr.op
    else {
        return None;
    };
    takes_any_nan(f, mode).then_some((d, [a, b, c]))
}

/// Whether an operation gives the same for any NaN, and makes NaNs of one kind.
pub(crate) fn takes_any_nan(f: Float32Op, mode: FloatMode) -> bool {
    use Float32Op as F;
    mode.round == Round::Nearest
        && unit_function(f, mode.round).is_none()
        && matches!(
            f,
            F::Plain(
                FloatOp::Add
                    | FloatOp::Sub
                    | FloatOp::Mul
                    | FloatOp::Fma
                    | FloatOp::Neg
                    | FloatOp::Abs
                    | FloatOp::Min
                    | FloatOp::Max
            ) | F::Div
                | F::Rcp
                | F::Sqrt
        )
}
