//! Arithmetic of pairs of 16-bit floats.

use super::body::{Step, written};
use super::words::{Lowered, Words, as_register, number};
use super::{Arg, Context, float, one, step};
use warpgrid_isa::{ArithmeticOp, Does, Modifiers, MoveOp, ScalarType};
use warpgrid_program::{OperandValue, Source, SourceModifiers, SourcePart, Span};

/// The format of the halves.
fn format(w: &mut Words<'_>) -> ScalarType {
    // Which unit does it has no effect on the result.
    w.ignore(&["MMA", "F16_V2"]);
    if w.take("BF16_V2") || w.take("BF16") {
        ScalarType::Bf16x2
    } else {
        ScalarType::F16x2
    }
}

/// A register, or two literals for the two halves, the high one first.
fn pair(w: &mut Words<'_>, ty: ScalarType) -> Lowered<(OperandValue, Span)> {
    let is_literal = w.peek().is_some_and(|operand| {
        as_register(&operand.value).is_none() && w.number(operand, ty).is_ok()
    });
    if !is_literal {
        return w.source_as(ty);
    }
    let (high, low) = (w.next()?, w.next()?);
    let bits = w.number(high, ty)? << 16 | w.number(low, ty)? & 0xffff;
    Ok((number(bits), high.span))
}

pub(super) fn two(c: &mut Context<'_>, w: &mut Words<'_>, op: ArithmeticOp) -> Lowered<Vec<Step>> {
    if w.take("F32") {
        return widened(c, w, op);
    }
    let ty = format(w);
    let modifiers = float::mode(w, ty);
    let to = w.to(1)?;
    let (a, b) = (pair(w, ty)?, pair(w, ty)?);
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Does::Arithmetic(op), modifiers, args)])
}

/// `HADD2.F32 d, a.H0_H0, b.H1_H1`: the halves become 32-bit floats first.
fn widened(c: &mut Context<'_>, w: &mut Words<'_>, op: ArithmeticOp) -> Lowered<Vec<Step>> {
    let modifiers = float::mode(w, ScalarType::F32);
    let to = w.to(1)?;
    let mut steps = Vec::new();
    let mut args = vec![to];
    for _ in 0..2 {
        let (value, span) = w.source_as(ScalarType::F16)?;
        let wide = c.body.hidden(ScalarType::F32);
        let mut signs = SourceModifiers::NONE;
        let value = match value {
            OperandValue::Source(source, modifiers) => {
                signs = SourceModifiers {
                    part: SourcePart::Whole,
                    ..modifiers
                };
                let part = match modifiers.part {
                    SourcePart::HighTwice => SourcePart::HighTwice,
                    SourcePart::Whole
                    | SourcePart::LowTwice
                    | SourcePart::Swapped
                    | SourcePart::Byte(_) => SourcePart::LowTwice,
                };
                let plain = SourceModifiers {
                    part,
                    ..SourceModifiers::NONE
                };
                OperandValue::Source(source, plain)
            }
            other => other,
        };
        let conversion = Modifiers {
            d_type: Some(ScalarType::F32),
            a_type: Some(ScalarType::F16),
            ..Modifiers::default()
        };
        steps.push(step(
            Does::Move(MoveOp::Cvt),
            conversion,
            vec![Arg::One(written(wide), span), Arg::One(value, span)],
        ));
        let source = Source::Register(warpgrid_program::RegisterRun::one(wide));
        args.push(Arg::One(OperandValue::Source(source, signs), span));
    }
    steps.push(step(Does::Arithmetic(op), modifiers, args));
    Ok(steps)
}

/// `HFMA2`
pub(super) fn fused(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let ty = format(w);
    let modifiers = float::mode(w, ty);
    let mut args = vec![w.to(1)?];
    for _ in 0..3 {
        args.push(one(pair(w, ty)?));
    }
    Ok(vec![step(
        Does::Arithmetic(ArithmeticOp::Fma),
        modifiers,
        args,
    )])
}

/// `HMNMX2 d, a, b, p`, with a known predicate.
pub(super) fn extreme(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let ty = format(w);
    let mut modifiers = float::mode(w, ty);
    modifiers.rounding = None;
    let to = w.to(1)?;
    let (a, b) = (pair(w, ty)?, pair(w, ty)?);
    let (p, span) = w.predicate()?;
    let op = match super::known(&p) {
        Some(true) => ArithmeticOp::Min,
        Some(false) => ArithmeticOp::Max,
        None => return Err(w.unknown("a choice by a predicate", span)),
    };
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Does::Arithmetic(op), modifiers, args)])
}
