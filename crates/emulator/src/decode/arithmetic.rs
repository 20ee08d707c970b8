//! Decoder of arithmetic instructions: converts operands to the register banks of the functional unit.

use crate::code::decoded_op::DecodedOp;
use crate::contract::support::Support;
use crate::decode::functional_unit::{FunctionalUnit, PredicateLogicOp, operand_type, unit};
use crate::decode::legalization;
use crate::decode::legalization::{expansion, expansion_of};
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::alu_ops::Int32Op;
use crate::semantics::registers::OperandSlot;
use crate::semantics::rounding::ArithmeticMode;
use crate::semantics::rounding::FloatMode;
use warpgrid_isa::{ArithmeticOp, Modifiers, ScalarType};

pub(crate) fn supports(op: ArithmeticOp, modifiers: &Modifiers) -> Support {
    if expansion(op, modifiers).is_some() {
        return Support::Runs;
    }
    match unit(op, modifiers) {
        Some(_) => Support::Runs,
        None => Support::not_yet("this operation for this type"),
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: ArithmeticOp) -> DecodeResult<DecodedOp> {
    let modifiers = d.modifiers;
    if let Some(expansion) = expansion_of(d, op) {
        return legalization::decode(d, op, expansion);
    }
    let unit = unit(op, modifiers).ok_or(DecodeError::NotYet(None))?;
    let ty = operand_type(op, modifiers);
    let (bits, sign) = (ty.width_bits(), ty.signedness());
    let mode = FloatMode::from(ArithmeticMode::from(modifiers));
    let n = op.n_sources();
    Ok(match unit {
        FunctionalUnit::Int16(f) => {
            let slots = mixed_width(d, op, bits, n)?;
            DecodedOp::Int16 { f, sign, slots }
        }
        FunctionalUnit::Int32(f) => {
            let slots = mixed_width(d, op, bits, n)?;
            let f = with_table(d, op, f)?;
            DecodedOp::Int32 { f, sign, slots }
        }
        FunctionalUnit::Int64(f) => {
            let slots = same_width(d, bits, n)?;
            DecodedOp::Int64 { f, sign, slots }
        }
        FunctionalUnit::Int16x2(f) => {
            let [to, a, b, _] = same_width(d, bits, n)?;
            let slots = [to, a, b];
            DecodedOp::Int16x2 { f, sign, slots }
        }
        FunctionalUnit::Int8x4(f) => {
            let [to, a, b, _] = same_width(d, bits, n)?;
            let slots = [to, a, b];
            DecodedOp::Int8x4 { f, sign, slots }
        }
        FunctionalUnit::Shift64(f) => {
            let slots = [d.target(0, 64)?, d.source(1, 64)?, d.source(2, 32)?];
            DecodedOp::Shift64 { f, sign, slots }
        }
        FunctionalUnit::Count64(f) => {
            let slots = [d.target(0, 32)?, d.source(1, 64)?];
            DecodedOp::Count64 { f, sign, slots }
        }
        FunctionalUnit::Extract64 => {
            let (b, c) = (d.source(2, 32)?, d.source(3, 32)?);
            let slots = [d.target(0, 64)?, d.source(1, 64)?, b, c];
            DecodedOp::Extract64 { sign, slots }
        }
        FunctionalUnit::Product => return product(d, op, ty),
        FunctionalUnit::Insert => return insert(d, bits),
        FunctionalUnit::Float32(f) => {
            let slots = same_width(d, bits, n)?;
            DecodedOp::Float32 { f, mode, slots }
        }
        FunctionalUnit::Float64(f) => {
            let slots = same_width(d, bits, n)?;
            DecodedOp::Float64 { f, mode, slots }
        }
        FunctionalUnit::Float32x2(f) => {
            let slots = same_width(d, bits, n)?;
            DecodedOp::Float32x2 { f, mode, slots }
        }
        FunctionalUnit::Half(f) => {
            let slots = same_width(d, bits, n)?;
            DecodedOp::Half { f, ty, mode, slots }
        }
        FunctionalUnit::Predicate(logic) => return predicate_logic(d, logic),
    })
}

/// Decodes a destination and `n` sources of the same width. The slots of the remaining sources are zero constants.
pub(crate) fn same_width(
    d: &mut Decoder<'_>,
    bits: u32,
    n: usize,
) -> DecodeResult<[OperandSlot; 4]> {
    let mut slots = [d.constant(0, bits); 4];
    slots[0] = d.target(0, bits)?;
    for (i, slot) in slots.iter_mut().enumerate().skip(1).take(n) {
        *slot = d.source(i, bits)?;
    }
    Ok(slots)
}

/// Decodes a destination and sources of the same width, except that the shift amounts of `shl` and `shr` always have 32
/// bits.
fn mixed_width(
    d: &mut Decoder<'_>,
    op: ArithmeticOp,
    bits: u32,
    n: usize,
) -> DecodeResult<[OperandSlot; 4]> {
    let narrow = matches!(op, ArithmeticOp::Shl | ArithmeticOp::Shr);
    let mut slots = [d.constant(0, bits); 4];
    slots[0] = d.target(0, bits)?;
    for (i, slot) in slots.iter_mut().enumerate().skip(1).take(n) {
        *slot = d.source(i, if narrow && i == 2 { 32 } else { bits })?;
    }
    Ok(slots)
}

/// Decodes the truth table of `lop3`, which is an immediate in the fourth source operand.
fn with_table(d: &Decoder<'_>, op: ArithmeticOp, f: Int32Op) -> DecodeResult<Int32Op> {
    if op == ArithmeticOp::Lop3 {
        return Ok(Int32Op::Lop3(d.immediate(4)? as u8));
    }
    Ok(f)
}

/// Decodes `mul.wide` and `mad.wide`.
fn product(d: &mut Decoder<'_>, op: ArithmeticOp, ty: ScalarType) -> DecodeResult<DecodedOp> {
    let (bits, sign) = (ty.width_bits(), ty.signedness());
    let to = d.target(0, 2 * bits)?;
    let (a, b) = (d.source(1, bits)?, d.source(2, bits)?);
    let c = if op == ArithmeticOp::Mad {
        d.source(3, 2 * bits)?
    } else {
        OperandSlot::NONE
    };
    let slots = [to, a, b, c];
    Ok(match bits {
        16 => DecodedOp::Wide16 { sign, slots },
        _ => DecodedOp::Wide32 { sign, slots },
    })
}

/// Decodes `bfi`.
fn insert(d: &mut Decoder<'_>, bits: u32) -> DecodeResult<DecodedOp> {
    let (a, b) = (d.source(1, bits)?, d.source(2, bits)?);
    let (position, length) = (d.source(3, 32)?, d.source(4, 32)?);
    let slots = [d.target(0, bits)?, a, b, position, length];
    Ok(match bits {
        64 => DecodedOp::Insert64(slots),
        _ => DecodedOp::Insert32(slots),
    })
}

/// Decodes `and.pred` and related instructions. The truth table includes the negations of the sources.
fn predicate_logic(d: &mut Decoder<'_>, logic: PredicateLogicOp) -> DecodeResult<DecodedOp> {
    let to = d.target(0, 1)?;
    let a = d.predicate(1)?;
    let b = match logic {
        PredicateLogicOp::Not => a,
        PredicateLogicOp::And | PredicateLogicOp::Or | PredicateLogicOp::Xor => d.predicate(2)?,
    };
    let table = (0..4u8).fold(0, |table, bit| {
        let (x, y) = ((bit & 2 != 0) ^ a.negated, (bit & 1 != 0) ^ b.negated);
        let holds = match logic {
            PredicateLogicOp::And => x & y,
            PredicateLogicOp::Or => x | y,
            PredicateLogicOp::Xor => x ^ y,
            PredicateLogicOp::Not => !x,
        };
        table | u8::from(holds) << bit
    });
    Ok(DecodedOp::PredicateLogic {
        table,
        d: to,
        a: a.slot,
        b: b.slot,
    })
}
