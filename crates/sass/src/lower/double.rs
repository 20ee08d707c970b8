//! Lowering of 64-bit floating-point arithmetic on register pairs.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult};
use super::integer::{COMPARISONS, JOINS, set_predicate};
use super::{LoweringContext, float, known, one, step, typed};
use warpgrid_isa::{ArithmeticOp, BoolOp, CompareOp, ComparisonOp, Operation, ScalarType};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Span};

pub(super) fn two(
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = float::mode(w, ScalarType::F64);
    let to = w.to(2)?;
    let (a, b) = (w.source_as(ScalarType::F64)?, w.source_as(ScalarType::F64)?);
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Operation::Arithmetic(op), modifiers, args)])
}

/// Lowers `DFMA d, a, b, c`, a 64-bit fused multiply-add.
pub(super) fn fused(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = float::mode(w, ScalarType::F64);
    let mut args = vec![w.to(2)?];
    for _ in 0..3 {
        args.push(one(w.source_as(ScalarType::F64)?));
    }
    Ok(vec![step(
        Operation::Arithmetic(ArithmeticOp::Fma),
        modifiers,
        args,
    )])
}

/// Lowers `DSETP p, q, a, b, x`, a 64-bit comparison that is combined with the predicate x.
pub(super) fn compare(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if let Some(op) = w.consume_one_of(&[("MIN", ArithmeticOp::Min), ("MAX", ArithmeticOp::Max)]) {
        return choice(c, w, op);
    }
    let op = w.consume_one_of(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("missing comparison operator", w.instruction.opcode))?;
    let combine = w.consume_one_of(JOINS).unwrap_or(BoolOp::And);
    set_predicate(w, op, combine, typed(ScalarType::F64))
}

/// Lowers `DSETP.MIN.AND p, q, a, b, PT`: p is true if a is the minimum, or if only b is a NaN. q is true if both a and b are NaN.
fn choice(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["AND"]);
    let (p, q) = (w.predicate_destination()?, w.predicate_destination()?);
    let (a, b) = (w.source_as(ScalarType::F64)?, w.source_as(ScalarType::F64)?);
    let condition = w.predicate()?;
    if known(&condition.0) != Some(true) {
        return Err(w.unknown(
            "a minimum or maximum that is selected by a predicate",
            condition.1,
        ));
    }
    let span = w.instruction.span;
    let [least, left, most] = [0; 3].map(|_| c.body.temporary(ScalarType::B64));
    let to = |register| LoweredOperand::One(written(register), span);
    let of = |op, to, a: &SpannedValue, b: &SpannedValue| {
        let args = vec![to, one(a.clone()), one(b.clone())];
        step(Operation::Arithmetic(op), typed(ScalarType::F64), args)
    };
    let compared = |compare, ty, p: (Option<RegisterId>, Span), a, b| {
        let mut modifiers = typed(ty);
        modifiers.compare = Some(compare);
        let to = OperandValue::Pair(p.0.map(RegisterTuple::one), None);
        let args = vec![
            LoweredOperand::One(to, p.1),
            LoweredOperand::One(a, span),
            LoweredOperand::One(b, span),
        ];
        step(Operation::Compare(ComparisonOp::Setp), modifiers, args)
    };
    // Compute the minimum of a and a, which has the bits of a, or the bits of the canonical NaN if a is a NaN.
    Ok(vec![
        of(op, to(least), &a, &b),
        of(op, to(left), &a, &a),
        of(op, to(most), &b, &a),
        compared(CompareOp::Eq, ScalarType::B64, p, read(least), read(left)),
        compared(CompareOp::Nan, ScalarType::F64, q, read(most), read(most)),
    ])
}
