//! Lowering of 64-bit floating-point arithmetic on register pairs.

use super::body::{Arg, Placed, Step, read, written};
use super::integer::{COMPARISONS, JOINS, set_predicate};
use super::words::{Lowered, Words};
use super::{Context, float, known, one, step, typed};
use warpgrid_isa::{ArithmeticOp, BoolOp, CompareForm, CompareOp, Does, ScalarType};
use warpgrid_program::{OperandValue, RegisterId, RegisterRun, Span};

pub(super) fn two(w: &mut Words<'_>, op: ArithmeticOp) -> Lowered<Vec<Step>> {
    let modifiers = float::mode(w, ScalarType::F64);
    let to = w.to(2)?;
    let (a, b) = (w.source_as(ScalarType::F64)?, w.source_as(ScalarType::F64)?);
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Does::Arithmetic(op), modifiers, args)])
}

/// Lowers `DFMA`.
pub(super) fn fused(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let modifiers = float::mode(w, ScalarType::F64);
    let mut args = vec![w.to(2)?];
    for _ in 0..3 {
        args.push(one(w.source_as(ScalarType::F64)?));
    }
    Ok(vec![step(
        Does::Arithmetic(ArithmeticOp::Fma),
        modifiers,
        args,
    )])
}

/// Lowers `DSETP p, q, a, b, x`.
pub(super) fn compare(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if let Some(op) = w.take_one(&[("MIN", ArithmeticOp::Min), ("MAX", ArithmeticOp::Max)]) {
        return choice(c, w, op);
    }
    let op = w.take_one(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("missing comparison operator", w.instruction.opcode))?;
    let combine = w.take_one(JOINS).unwrap_or(BoolOp::And);
    set_predicate(w, op, combine, typed(ScalarType::F64))
}

/// Lowers `DSETP.MIN.AND p, q, a, b, PT`: p is true if a is the minimum or the only operand that is not a NaN; q is true if both are NaN.
fn choice(c: &mut Context<'_>, w: &mut Words<'_>, op: ArithmeticOp) -> Lowered<Vec<Step>> {
    w.ignore(&["AND"]);
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
    let [least, left, most] = [0; 3].map(|_| c.body.hidden(ScalarType::B64));
    let to = |register| Arg::One(written(register), span);
    let of = |op, to, a: &Placed, b: &Placed| {
        let args = vec![to, one(a.clone()), one(b.clone())];
        step(Does::Arithmetic(op), typed(ScalarType::F64), args)
    };
    let compared = |compare, ty, p: (Option<RegisterId>, Span), a, b| {
        let mut modifiers = typed(ty);
        modifiers.compare = Some(compare);
        let to = OperandValue::Pair(p.0.map(RegisterRun::one), None);
        let args = vec![Arg::One(to, p.1), Arg::One(a, span), Arg::One(b, span)];
        step(Does::Compare(CompareForm::Setp), modifiers, args)
    };
    // The minimum of a and itself has the bits of a, or those of the canonical NaN.
    Ok(vec![
        of(op, to(least), &a, &b),
        of(op, to(left), &a, &a),
        of(op, to(most), &b, &a),
        compared(CompareOp::Eq, ScalarType::B64, p, read(least), read(left)),
        compared(CompareOp::Nan, ScalarType::F64, q, read(most), read(most)),
    ])
}
