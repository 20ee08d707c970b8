//! Lowering of 32-bit floating-point arithmetic.

use super::body::{LoweredInstruction, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, number, parts};
use super::integer::{COMPARISONS, JOINS, select_as, set_predicate};
use super::{LoweredOperand, LoweringContext, SassOperandLists, modifiers_of, one, step, typed};
use crate::syntax::{Operand, OperandKind};
use warpgrid_isa::{
    ArithmeticOp, BoolOp, ComparisonOp, Flag, Modifiers, MoveOp, Operation, Rounding, SassOp,
    ScalarType,
};
use warpgrid_program::SourceModifiers;

/// Rounding modifiers of floating-point instructions. Without a rounding modifier, the instructions round to nearest.
pub(super) const ROUNDINGS: &[(&str, Rounding)] = &[
    ("RN", Rounding::Rn),
    ("RZ", Rounding::Rz),
    ("RM", Rounding::Rm),
    ("RP", Rounding::Rp),
];

/// Consumes the modifiers of additions and multiplications: rounding and, for floats narrower than 64 bits, flushing and saturation.
pub(super) fn mode(w: &mut InstructionCursor<'_>, ty: ScalarType) -> Modifiers {
    let mut modifiers = typed(ty);
    modifiers.rounding = Some(Rounding::Rn);
    if matches!(ty, ScalarType::F32 | ScalarType::F64) {
        modifiers.rounding = w.consume_one_of(ROUNDINGS).or(modifiers.rounding);
    }
    if ty != ScalarType::F64 {
        take_flags(w, &mut modifiers, &[("FTZ", Flag::Ftz), ("SAT", Flag::Sat)]);
    }
    modifiers
}

/// Consumes the modifiers of minimum and maximum instructions.
pub(super) fn extreme_mode(w: &mut InstructionCursor<'_>, ty: ScalarType) -> Modifiers {
    let mut modifiers = typed(ty);
    let flags = [
        ("FTZ", Flag::Ftz),
        ("NAN", Flag::NaN),
        ("XORSIGN", Flag::Xorsign),
    ];
    take_flags(w, &mut modifiers, &flags);
    modifiers
}

/// Consumes modifiers that correspond to PTX flags, and sets these flags.
pub(super) fn take_flags(
    w: &mut InstructionCursor<'_>,
    modifiers: &mut Modifiers,
    flags: &[(&str, Flag)],
) {
    for (word, flag) in flags {
        if w.consume(word) {
            modifiers.flags = modifiers.flags.with(*flag);
        }
    }
}

pub(super) fn two(
    w: &mut InstructionCursor<'_>,
    op: ArithmeticOp,
) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = mode(w, ScalarType::F32);
    let to = w.to(1)?;
    let (a, b) = (w.source_as(ScalarType::F32)?, w.source_as(ScalarType::F32)?);
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Operation::Arithmetic(op), modifiers, args)])
}

/// Lowers `FFMA d, a, b, c`, a 32-bit fused multiply-add.
pub(super) fn fused(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = mode(w, ScalarType::F32);
    let to = w.to(1)?;
    let mut args = vec![to];
    for _ in 0..3 {
        args.push(one(w.source_as(ScalarType::F32)?));
    }
    Ok(vec![step(
        Operation::Arithmetic(ArithmeticOp::Fma),
        modifiers,
        args,
    )])
}

/// Scale modifiers of `FMUL`, each with the factor by which the product is multiplied before rounding.
const SCALES: &[(&str, f64)] = &[
    ("D2", 0.5),
    ("D4", 0.25),
    ("D8", 0.125),
    ("M8", 8.0),
    ("M4", 4.0),
    ("M2", 2.0),
];

/// Lowers `FMUL d, a, b`. A scale modifier such as `.D2` scales the product before rounding.
pub(super) fn multiply(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let Some(scale) = w.consume_one_of(SCALES) else {
        return two(w, ArithmeticOp::Mul);
    };
    let narrowing = mode(w, ScalarType::F32);
    let to = w.to(1)?;
    let (a, b) = (w.source_as(ScalarType::F32)?, w.source_as(ScalarType::F32)?);
    // Compute the scaled product in 64-bit floating point, in which the product of two 32-bit floats and the scaling are exact.
    let mut steps = Vec::new();
    let mut convert = |to: LoweredOperand,
                       from: LoweredOperand,
                       mut modifiers: Modifiers,
                       d: ScalarType,
                       a: ScalarType| {
        modifiers.ty = None;
        modifiers.d_type = Some(d);
        modifiers.a_type = Some(a);
        steps.push(step(
            Operation::Move(MoveOp::Cvt),
            modifiers,
            vec![to, from],
        ));
    };
    let span = w.instruction.span;
    let flushing = Modifiers {
        flags: match narrowing.has(Flag::Ftz) {
            true => super::blank().flags.with(Flag::Ftz),
            false => super::blank().flags,
        },
        ..super::blank()
    };
    let wide = [0; 3].map(|_| c.body.temporary(ScalarType::B64));
    for (source, wide) in [a, b].into_iter().zip(wide) {
        let to = LoweredOperand::One(written(wide), span);
        convert(to, one(source), flushing, ScalarType::F64, ScalarType::F32);
    }
    let mut product = typed(ScalarType::F64);
    product.rounding = Some(Rounding::Rn);
    let scale = number(scale.to_bits());
    let last = {
        let of = |to, a, b| {
            let args = vec![
                LoweredOperand::One(written(to), span),
                LoweredOperand::One(a, span),
                LoweredOperand::One(b, span),
            ];
            step(Operation::Arithmetic(ArithmeticOp::Mul), product, args)
        };
        [
            of(wide[2], read(wide[0]), read(wide[1])),
            of(wide[0], read(wide[2]), scale),
        ]
    };
    steps.extend(last);
    let mut modifiers = narrowing;
    modifiers.ty = None;
    modifiers.d_type = Some(ScalarType::F32);
    modifiers.a_type = Some(ScalarType::F64);
    let args = vec![to, LoweredOperand::One(read(wide[0]), span)];
    steps.push(step(Operation::Move(MoveOp::Cvt), modifiers, args));
    Ok(steps)
}

pub(super) fn select(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    // The lowered selection preserves subnormals, so `.FTZ` is not supported.
    if w.consume("FTZ") {
        return Err(w.unknown("`.FTZ` of a selection", w.instruction.opcode));
    }
    select_as(w, ScalarType::F32, 1)
}

/// Lowers `FSETP p, q, a, b, x`, a 32-bit floating-point comparison that is combined with the predicate x.
pub(super) fn compare(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let op = w.consume_one_of(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("missing comparison operator", w.instruction.opcode))?;
    let combine = w.consume_one_of(JOINS).unwrap_or(BoolOp::And);
    let mut modifiers = typed(ScalarType::F32);
    if w.consume("FTZ") {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    set_predicate(w, op, combine, modifiers)
}

/// Lowers `FSET.BF d, a, b, x`: the result is 1.0 (with `.BF`) or all ones (without `.BF`) if the comparison is true, and zero otherwise.
pub(super) fn set(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = if w.consume("BF") {
        ScalarType::F32
    } else {
        ScalarType::U32
    };
    let op = w.consume_one_of(COMPARISONS);
    let op = op.ok_or_else(|| w.unknown("missing comparison operator", w.instruction.opcode))?;
    let combine = w.consume_one_of(JOINS).unwrap_or(BoolOp::And);
    let mut modifiers = Modifiers {
        d_type: Some(ty),
        a_type: Some(ScalarType::F32),
        compare: Some(op),
        combine: Some(combine),
        ..super::blank()
    };
    if w.consume("FTZ") {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    let to = w.to(1)?;
    let (a, b) = (w.source_as(ScalarType::F32)?, w.source_as(ScalarType::F32)?);
    let p = w.predicate()?;
    let args = vec![to, one(a), one(b), one(p)];
    Ok(vec![step(
        Operation::Compare(ComparisonOp::Set),
        modifiers,
        args,
    )])
}

/// Lowers `FCHK.DIVIDE p, a, b`, which tests whether the division a / b requires the slow path.
pub(super) fn check(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    w.ignore_modifiers(&["DIVIDE"]);
    let p = w.placed_predicate()?;
    let sources = vec![w.source_as(ScalarType::F32)?, w.source_as(ScalarType::F32)?];
    let machine = SassOperandLists {
        predicates: vec![p],
        sources,
        ..SassOperandLists::default()
    };
    Ok(vec![
        machine.step(SassOp::DivisionCheck, w.instruction.span),
    ])
}

/// Functions of the special function unit that flush subnormal inputs and results to zero.
const FLUSHING: &[ArithmeticOp] = &[
    ArithmeticOp::Rcp,
    ArithmeticOp::Rsqrt,
    ArithmeticOp::Sqrt,
    ArithmeticOp::Ex2,
    ArithmeticOp::Lg2,
];

/// Reads the upper half of a 64-bit float from a register, or from a literal, which disassemblers print as the complete float.
fn upper_half(w: &mut InstructionCursor<'_>) -> LowerResult<SpannedValue> {
    let operand = w.peek();
    let is_literal = |operand: &Operand| match operand.value {
        OperandKind::Float(_) => true,
        OperandKind::Integer(_) => !operand.span.text(w.source).contains("0x"),
        _ => false,
    };
    let (value, span) = if operand.is_some_and(is_literal) {
        let (value, span) = w.source_as(ScalarType::F64)?;
        let mut halves = parts((value, span), 2);
        halves.pop().unwrap_or((number(0), span))
    } else {
        w.source()?
    };
    match modifiers_of(&value) == SourceModifiers::NONE {
        true => Ok((value, span)),
        false => Err(w.unknown("the negation of this source", span)),
    }
}

/// Lowers `MUFU`, which approximates elementary functions. The unit of the arguments of sine and cosine is a full turn.
pub(super) fn special(
    _: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    for (word, op, is_upper) in [
        ("RCP64H", SassOp::Reciprocal64, true),
        ("RSQ64H", SassOp::ReciprocalRoot64, true),
        ("SIN", SassOp::SineOfTurns, false),
        ("COS", SassOp::CosineOfTurns, false),
    ] {
        if w.consume(word) {
            let (run, span) = w.destination(1)?;
            let source = match is_upper {
                true => upper_half(w)?,
                false => w.source_as(ScalarType::F32)?,
            };
            let machine = SassOperandLists {
                registers: super::instruction_cursor::destinations(run, 1, span),
                sources: vec![source],
                ..SassOperandLists::default()
            };
            return Ok(vec![machine.step(op, w.instruction.span)]);
        }
    }
    let op = w.consume_one_of(&[
        ("RCP", ArithmeticOp::Rcp),
        ("RSQ", ArithmeticOp::Rsqrt),
        ("SQRT", ArithmeticOp::Sqrt),
        ("EX2", ArithmeticOp::Ex2),
        ("LG2", ArithmeticOp::Lg2),
        ("TANH", ArithmeticOp::Tanh),
    ]);
    let op = op.ok_or_else(|| w.unknown("missing function modifier", w.instruction.opcode))?;
    let formats = [
        ("F16", ScalarType::F16),
        ("BF16", ScalarType::Bf16),
        ("F16x2", ScalarType::F16x2),
        ("BF16x2", ScalarType::Bf16x2),
    ];
    let ty = w.consume_one_of(&formats).unwrap_or(ScalarType::F32);
    let is_narrow = ty != ScalarType::F32;
    if is_narrow && !matches!(op, ArithmeticOp::Tanh | ArithmeticOp::Ex2) {
        return Err(w.unknown("this function in half precision", w.instruction.opcode));
    }
    let mut modifiers = typed(ty);
    modifiers.flags = modifiers.flags.with(Flag::Approx);
    // The functions in [`FLUSHING`] flush subnormals. For PTX instructions without `.ftz`, the assembler emits additional code that scales
    // the operands (observed in the output of assembler 13.5).
    let is_bf16 = matches!(ty, ScalarType::Bf16 | ScalarType::Bf16x2);
    let flushes = FLUSHING.contains(&op) && (!is_narrow || is_bf16);
    if w.consume("FTZ") || flushes {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    let to = w.to(1)?;
    let a = match ty {
        ScalarType::F16x2 | ScalarType::Bf16x2 => super::half::pair(w, ty)?,
        ty => w.source_as(ty)?,
    };
    Ok(vec![step(
        Operation::Arithmetic(op),
        modifiers,
        vec![to, one(a)],
    )])
}
