//! Elision of NaN canonicalization. The module takes decoded code, and returns the 32-bit registers that are written
//! only by arithmetic with canonical NaN results. NaNs in these registers are canonicalized only when an instruction
//! that distinguishes NaNs reads the registers.

use crate::inlined_code::InlinedInstruction;
use crate::inlined_code::TranslationInput;
use crate::registers::{DefSites, RegisterKey};
use std::collections::BTreeSet;
use warpgrid_emulator::translation_view::{
    DecodedInstruction, DecodedOp, Float32Op, FloatMode, FloatOp, OperandLocation, OperandSlot,
    RegisterBank, RoundingMode, unit_function,
};

/// Returns the registers that may contain noncanonical NaNs: registers that are written only by arithmetic with
/// canonical NaN results and read by at least one arithmetic instruction.
pub(crate) fn find_nan_insensitive(
    source: TranslationInput<'_>,
    definitions: &DefSites,
) -> BTreeSet<RegisterKey> {
    let code = source.code;
    let mut read = BTreeSet::new();
    for (at, placed) in code.all().iter().enumerate() {
        if let Some((_, sources)) = arithmetic(&placed.instr) {
            let frame = code.frame_at(at);
            read.extend(sources.iter().filter_map(|slot| match slot.place() {
                OperandLocation::Register(index) => {
                    Some(code.register(frame, (RegisterBank::B32, index)))
                }
                _ => None,
            }));
        }
    }
    let is_made = |register: &RegisterKey| {
        let places = definitions.get(register);
        places.is_some_and(|places| places.iter().all(|at| makes_nan(source, *at, *register)))
    };
    read.retain(is_made);
    read
}

/// Checks whether any NaN that an instruction writes to a register is the canonical NaN.
fn makes_nan(source: TranslationInput<'_>, at: u32, register: RegisterKey) -> bool {
    let Some(InlinedInstruction {
        instr,
        frame,
        moves,
        ..
    }) = source.code.get(at as usize)
    else {
        return false;
    };
    let is_register = |slot: OperandSlot| match slot.place() {
        OperandLocation::Register(index) => {
            source.code.register(*frame, (RegisterBank::B32, index)) == register
        }
        _ => false,
    };
    if !moves.values.is_empty() {
        return false;
    }
    match instr.op {
        DecodedOp::Mov32 { d, a } => {
            let is_number = match a.place() {
                OperandLocation::Constant(index) => {
                    !f32::from_bits(source.plain.constant32(index)).is_nan()
                }
                _ => false,
            };
            is_register(d) && is_number
        }
        _ => arithmetic(instr).is_some_and(|(d, _)| is_register(d)),
    }
}

/// Returns the destination and the sources of an arithmetic instruction whose result does not depend on NaN payloads.
fn arithmetic(instr: &DecodedInstruction) -> Option<(OperandSlot, [OperandSlot; 3])> {
    let DecodedOp::Float32 {
        f,
        mode,
        slots: [d, a, b, c],
    } = instr.op
    else {
        return None;
    };
    is_nan_insensitive(f, mode).then_some((d, [a, b, c]))
}

/// Checks whether the result of an operation does not depend on the payloads of NaN operands, and is the canonical NaN
/// if it is a NaN.
pub(crate) fn is_nan_insensitive(f: Float32Op, mode: FloatMode) -> bool {
    use Float32Op as F;
    mode.round == RoundingMode::Nearest
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
