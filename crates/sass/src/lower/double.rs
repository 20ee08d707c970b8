//! Arithmetic of 64-bit floats: pairs of registers.

use super::body::Step;
use super::integer::{COMPARISONS, JOINS, choose, set_predicate};
use super::words::{Lowered, Words};
use super::{Context, float, one, step, typed};
use warpgrid_isa::{ArithmeticOp, BoolOp, Does, ScalarType};

pub(super) fn two(w: &mut Words<'_>, op: ArithmeticOp) -> Lowered<Vec<Step>> {
    let modifiers = float::mode(w, ScalarType::F64);
    let to = w.to(2)?;
    let (a, b) = (w.source_as(ScalarType::F64)?, w.source_as(ScalarType::F64)?);
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Does::Arithmetic(op), modifiers, args)])
}

/// `DFMA`
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

/// `DMNMX d, a, b, p`
pub(super) fn extreme(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    choose(c, w, typed(ScalarType::F64), 2)
}

/// `DSETP p, q, a, b, x`
pub(super) fn compare(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let op = w.take_one(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("no comparison", w.instruction.opcode))?;
    let combine = w.take_one(JOINS).unwrap_or(BoolOp::And);
    set_predicate(w, op, combine, typed(ScalarType::F64))
}
