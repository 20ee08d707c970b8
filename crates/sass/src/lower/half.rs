//! Lowering of arithmetic on pairs of 16-bit floats.

use super::body::{LoweredInstruction, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, as_register, number};
use super::integer::{COMPARISONS, JOINS};
use super::{
    LoweredOperand, LoweringContext, arithmetic, float, known, one, predicate_source,
    predicates_by_table, step,
};
use crate::syntax::Operand;
use warpgrid_isa::{
    ArithmeticOp, BoolOp, ComparisonOp, Flag, Modifiers, MoveOp, Operation, Rounding, ScalarType,
};
use warpgrid_program::{
    OperandValue, RegisterId, RegisterTuple, Source, SourceModifiers, SubregisterSelector,
};

/// Consumes the format modifier of packed 16-bit floats.
pub(super) fn format(w: &mut InstructionCursor<'_>) -> ScalarType {
    // `.MMA` selects the execution unit, which has no effect on the result.
    w.ignore_modifiers(&["MMA", "F16_V2"]);
    if w.consume("BF16_V2") || w.consume("BF16") {
        ScalarType::Bf16x2
    } else {
        ScalarType::F16x2
    }
}

/// Reads a pair of half-precision floats from a register or from two literals. The first literal is the high half.
pub(super) fn pair(w: &mut InstructionCursor<'_>, ty: ScalarType) -> LowerResult<SpannedValue> {
    let is_literal = w.peek().is_some_and(|operand| {
        as_register(&operand.value).is_none() && w.number(operand, ty).is_ok()
    });
    if !is_literal {
        return w.source_as(ty);
    }
    let (high, low) = (w.next()?, w.next()?);
    Ok((number(w.halves(high, low, ty)?), high.span))
}

pub(super) fn two(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("F32") {
        return widened_result(c, w, op);
    }
    let ty = format(w);
    let modifiers = float::mode(w, ty);
    let to = w.to(1)?;
    let mut steps = Vec::new();
    let a = any_pair(c, w, ty, &mut steps)?;
    let b = any_pair(c, w, ty, &mut steps)?;
    let args = vec![to, one(a), one(b)];
    steps.push(step(Operation::Arithmetic(op), modifiers, args));
    Ok(steps)
}

/// Reads a pair of half-precision floats. In addition to the operands of [`pair`], the function accepts `R2.F32` and `R2.H0_NH1`. In
/// `R2.F32`, both halves are the 32-bit float, truncated to half precision. `R2.H0_NH1` consists of the low half and the negated high half.
fn any_pair(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    ty: ScalarType,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<SpannedValue> {
    let is_swapped = |operand: &&Operand| w.operand_words(operand).contains(&"H0_NH1");
    if let Some(operand) = w.peek().filter(is_swapped) {
        w.next()?;
        return swapped_pair(c, w, operand, steps);
    }
    let is_float = |operand: &&Operand| w.operand_words(operand).contains(&"F32");
    let Some(operand) = w.peek().filter(is_float) else {
        return pair(w, ty);
    };
    w.next()?;
    let float = w.plain_value_of(operand, ScalarType::F32)?;
    let half = c.body.temporary(ScalarType::B32);
    let span = operand.span;
    let modifiers = Modifiers {
        d_type: Some(ty),
        a_type: Some(ScalarType::F32),
        rounding: Some(Rounding::Rz),
        ..super::blank()
    };
    let float = LoweredOperand::One(float, span);
    steps.push(step(
        Operation::Move(MoveOp::CvtPacked),
        modifiers,
        vec![
            LoweredOperand::One(written(half), span),
            float.clone(),
            float,
        ],
    ));
    Ok((read(half), span))
}

/// Reads the operand `R2.H0_NH1`, the low half and the negated high half. A preceding minus sign negates both halves.
fn swapped_pair(
    c: &mut LoweringContext<'_>,
    w: &InstructionCursor<'_>,
    operand: &Operand,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<SpannedValue> {
    let span = operand.span;
    let OperandValue::Source(source, signs) = w.plain_value_of(operand, ScalarType::B32)? else {
        return Err(w.unknown("an operand that is not a pair of 16-bit floats", span));
    };
    if signs.absolute {
        return Err(w.unknown("the absolute value of a pair of 16-bit floats", span));
    }
    let swapped = SourceModifiers {
        part: SubregisterSelector::Swapped,
        ..SourceModifiers::NONE
    };
    let sign_of = if signs.negate { 0x8000_0000 } else { 0x8000 };
    let to = c.body.temporary(ScalarType::B32);
    let args = [
        written(to),
        OperandValue::Source(source, swapped),
        number(sign_of),
    ];
    steps.push(arithmetic(
        ArithmeticOp::Xor,
        ScalarType::B32,
        args.map(|value| LoweredOperand::One(value, span)).into(),
    ));
    Ok((read(to), span))
}

/// Lowers `HADD2.F32 d, a.H0_H0, b.H1_H1` and `HMUL2.F32`: the result of the low halves is rounded to half precision and converted to a 32-bit
/// float. For `sm_75`, the assembler replaces `add.f16` followed by `cvt.f32.f16` with `HADD2.F32`, and `mul.f16` followed by `cvt.f32.f16` with
/// `HMUL2.F32`.
fn widened_result(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = format(w);
    let modifiers = float::mode(w, ty);
    let to = w.to(1)?;
    let mut steps = Vec::new();
    let (a, b) = (
        any_pair(c, w, ty, &mut steps)?,
        any_pair(c, w, ty, &mut steps)?,
    );
    let half = c.body.temporary(ScalarType::B32);
    let span = a.1;
    let result = LoweredOperand::One(written(half), span);
    steps.push(step(
        Operation::Arithmetic(op),
        modifiers,
        vec![result, one(a), one(b)],
    ));
    let conversion = Modifiers {
        d_type: Some(ScalarType::F32),
        a_type: Some(ScalarType::F16),
        ..super::blank()
    };
    let low = LoweredOperand::One(read(half), span);
    steps.push(step(
        Operation::Move(MoveOp::Cvt),
        conversion,
        vec![to, low],
    ));
    Ok(steps)
}

/// Reads a half-precision float with its sign modifiers, and converts the float to 32 bits.
fn widened_half(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    ty: ScalarType,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<LoweredOperand> {
    let (value, span) = w.source_as(ty)?;
    let wide = c.body.temporary(ScalarType::F32);
    let mut signs = SourceModifiers::NONE;
    let value = match value {
        OperandValue::Source(source, modifiers) => {
            signs = SourceModifiers {
                part: SubregisterSelector::Whole,
                ..modifiers
            };
            let part = match modifiers.part {
                SubregisterSelector::HighTwice => SubregisterSelector::HighTwice,
                SubregisterSelector::Whole
                | SubregisterSelector::LowTwice
                | SubregisterSelector::Swapped
                | SubregisterSelector::Byte(_) => SubregisterSelector::LowTwice,
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
        a_type: Some(ty),
        ..super::blank()
    };
    steps.push(step(
        Operation::Move(MoveOp::Cvt),
        conversion,
        vec![
            LoweredOperand::One(written(wide), span),
            LoweredOperand::One(value, span),
        ],
    ));
    let source = Source::Register(RegisterTuple::one(wide));
    Ok(LoweredOperand::One(
        OperandValue::Source(source, signs),
        span,
    ))
}

/// Lowers `HFMA2 d, a, b, c`, a fused multiply-add of pairs of 16-bit floats.
pub(super) fn fused(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = format(w);
    let mut modifiers = float::mode(w, ty);
    let flags = [("RELU", Flag::Relu), ("OOB", Flag::Oob)];
    float::take_flags(w, &mut modifiers, &flags);
    let mut args = vec![w.to(1)?];
    let mut steps = Vec::new();
    for _ in 0..3 {
        args.push(one(any_pair(c, w, ty, &mut steps)?));
    }
    if w.is_predicate() {
        let (p, span) = w.predicate()?;
        if known(&p) != Some(true) {
            return Err(w.unknown("a condition of `.RELU`", span));
        }
    }
    steps.push(step(
        Operation::Arithmetic(ArithmeticOp::Fma),
        modifiers,
        args,
    ));
    Ok(steps)
}

/// Lowers `FHADD d, a, b` and `FHFMA d, a, b, c`: all operands except the last one are half-precision floats, which the instruction
/// converts to 32-bit floats before the operation.
pub(super) fn mixed(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    let half = match format(w) {
        ScalarType::Bf16x2 => ScalarType::Bf16,
        _ => ScalarType::F16,
    };
    let modifiers = float::mode(w, ScalarType::F32);
    let mut args = vec![w.to(1)?];
    let mut steps = Vec::new();
    let n_halves = if op == ArithmeticOp::Fma { 2 } else { 1 };
    for _ in 0..n_halves {
        args.push(widened_half(c, w, half, &mut steps)?);
    }
    args.push(one(w.source_as(ScalarType::F32)?));
    steps.push(step(Operation::Arithmetic(op), modifiers, args));
    Ok(steps)
}

/// Consumes the comparison operator for the halves, and the Boolean operator that combines the comparison result with a predicate.
fn comparison(w: &mut InstructionCursor<'_>) -> LowerResult<(Modifiers, ScalarType)> {
    let ty = format(w);
    let op = w.consume_one_of(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("missing comparison operator", w.instruction.opcode))?;
    let combine = w.consume_one_of(JOINS).unwrap_or(BoolOp::And);
    let mut modifiers = Modifiers {
        compare: Some(op),
        combine: Some(combine),
        ..super::blank()
    };
    if w.consume("FTZ") {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    Ok((modifiers, ty))
}

/// Lowers `HSETP2 p, q, a, b, x`: p is the comparison result of the low halves, and q is the comparison result of the high halves. With
/// `.H_AND`, p is the conjunction of both results.
pub(super) fn compare(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let both = w.consume("H_AND");
    let (mut modifiers, ty) = comparison(w)?;
    modifiers.ty = Some(ty);
    let (p, span) = w.predicate_destination()?;
    let (q, q_span) = w.predicate_destination()?;
    let (a, b) = (pair(w, ty)?, pair(w, ty)?);
    let x = w.predicate()?;
    let set = |p: Option<RegisterId>, q, modifiers, x| {
        let to = OperandValue::Pair(p.map(RegisterTuple::one), q);
        let mut args = vec![LoweredOperand::One(to, span), one(a), one(b)];
        args.extend(x);
        step(Operation::Compare(ComparisonOp::Setp), modifiers, args)
    };
    if !both {
        return Ok(vec![set(p, q, modifiers, Some(one(x)))]);
    }
    if q.is_some() {
        return Err(w.unknown("a second destination predicate for both halves", q_span));
    }
    let [low, high] = [0; 2].map(|_| c.body.temporary(ScalarType::Pred));
    // Select the lookup table that combines `a & b` with c.
    let table = match modifiers.combine.take() {
        Some(BoolOp::And) | None => 0x80,
        Some(BoolOp::Or) => 0xea,
        Some(BoolOp::Xor) => 0x6a,
    };
    let halves = [low, high].map(|half| (predicate_source(half, false), span));
    let conditions = halves.into_iter().chain([x]).collect();
    Ok(vec![
        set(Some(low), Some(high), modifiers, None),
        predicates_by_table(p, conditions, table, span),
    ])
}

/// Lowers `HSET2.BF d, a, b, x`: each half of d is 1.0 (with `.BF`) or all ones (without `.BF`) if the comparison is true, and zero
/// otherwise.
pub(super) fn set(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let is_float = w.consume("BF");
    w.ignore_modifiers(&["BM"]);
    let (mut modifiers, ty) = comparison(w)?;
    modifiers.a_type = Some(ty);
    modifiers.d_type = Some(if is_float { ty } else { ScalarType::U16x2 });
    let to = w.to(1)?;
    let (a, b) = (pair(w, ty)?, pair(w, ty)?);
    let x = w.predicate()?;
    let args = vec![to, one(a), one(b), one(x)];
    Ok(vec![step(
        Operation::Compare(ComparisonOp::Set),
        modifiers,
        args,
    )])
}
