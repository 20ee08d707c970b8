//! Lowering of minimum and maximum of two or three values, and of minimum and maximum of sums, for integers, pairs of 16-bit integers,
//! floats, and pairs of halves.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, destinations};
use super::{
    LoweringContext, SassOperandLists, arithmetic, float, half, is_zero, known, modifiers_of,
    number_of, one, step, typed,
};
use warpgrid_isa::{ArithmeticOp, ComparisonOp, Flag, Modifiers, Operation, SassOp, ScalarType};
use warpgrid_program::{OperandValue, Source, SourceModifiers};

/// Type modifiers of integer instructions. The default is `.S32`.
const INTEGERS: &[(&str, ScalarType)] = &[
    ("U32", ScalarType::U32),
    ("S32", ScalarType::S32),
    ("S16x2", ScalarType::S16x2),
    ("U16x2", ScalarType::U16x2),
    ("S64", ScalarType::S64),
    ("U64", ScalarType::U64),
];

/// Lowers `IMNMX d, a, b, p`, `VIMNMX d, PT, PT, a, b, p`, `IMNMX.S64 PT, PT, d, a, b, p, !PT`, `VIMNMX3 d, a, b, c, p` and
/// `VIADDMNMX d, a, b, c, p`: the result is the minimum if p is true, and the maximum otherwise.
pub(super) fn integers(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = w.consume_one_of(INTEGERS).unwrap_or(ScalarType::S32);
    let modifiers = typed(ty);
    let clamps = w.consume("RELU");
    let n = if ty.width_bits() == 64 { 2 } else { 1 };
    predicate_results(c, w)?;
    let to = w.to(n)?;
    predicate_results(c, w)?;
    let mut steps = Vec::new();
    let opcode = w.opcode().trim_start_matches('U');
    let values = match opcode {
        "VIADDMNMX" => {
            let sum = sum(c, w, ty, &mut steps)?;
            vec![sum, w.source_as(ty)?]
        }
        "VIMNMX3" => vec![w.source_as(ty)?, w.source_as(ty)?, w.source_as(ty)?],
        _ => vec![w.source_as(ty)?, w.source_as(ty)?],
    };
    let p = w.predicate()?;
    if w.is_predicate() {
        // The predicate is the carry input of a multi-word comparison, which is supported only if it is constant false.
        let carried = w.predicate()?;
        if known(&carried.0) != Some(false) {
            return Err(w.unknown("an extended comparison", carried.1));
        }
    }
    if clamps && !ty.is_signed() {
        return Err(w.unknown("`.RELU` with an unsigned type", w.instruction.opcode));
    }
    let Some(last) = clamps.then(|| c.body.temporary(bits_of(ty))) else {
        steps.extend(choose(c, to, modifiers, values, p));
        return Ok(steps);
    };
    // `.RELU` clamps negative results to zero.
    let span = p.1;
    let result = LoweredOperand::One(written(last), span);
    steps.extend(choose(c, result, modifiers, values, p));
    steps.push(arithmetic(
        ArithmeticOp::Max,
        ty,
        vec![
            to,
            LoweredOperand::One(read(last), span),
            LoweredOperand::One(number_of(0), span),
        ],
    ));
    Ok(steps)
}

/// Reads predicate destinations such as `P0, PT`, and marks their values as undetermined, because their meaning is not documented.
pub(super) fn predicate_results(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<()> {
    while w.is_predicate() {
        let (result, _) = w.predicate_destination()?;
        c.body.undetermined.extend(result);
    }
    Ok(())
}

/// Returns the sum of the next two sources in a hidden register.
fn sum(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
    ty: ScalarType,
    steps: &mut Vec<LoweredInstruction>,
) -> LowerResult<SpannedValue> {
    let (a, b) = (w.source_as(ty)?, w.source_as(ty)?);
    let to = c.body.temporary(bits_of(ty));
    let span = w.instruction.span;
    if ty.width_bits() == 32 && !matches!(ty, ScalarType::S16x2 | ScalarType::U16x2) {
        let run = warpgrid_program::RegisterTuple::one(to);
        let machine = SassOperandLists {
            registers: destinations(Some(run), 1, span),
            sources: vec![a, b],
            ..SassOperandLists::default()
        };
        steps.push(machine.step(SassOp::Add3, span));
    } else {
        let is_plain =
            |value: &OperandValue| is_zero(value) || modifiers_of(value) == SourceModifiers::NONE;
        if !is_plain(&a.0) || !is_plain(&b.0) {
            return Err(w.unknown("the negation of a pair", span));
        }
        let args = vec![LoweredOperand::One(written(to), span), one(a), one(b)];
        steps.push(arithmetic(ArithmeticOp::Add, ty, args));
    }
    Ok((read(to), span))
}

/// Lowers `FMNMX d, a, b, p` and `FMNMX3 d, a, b, c, p`.
pub(super) fn floats(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = ScalarType::F32;
    let modifiers = float::extreme_mode(w, ty);
    let to = w.to(1)?;
    let mut values = vec![w.source_as(ty)?, w.source_as(ty)?];
    if w.opcode().ends_with('3') {
        values.push(w.source_as(ty)?);
    }
    let p = w.predicate()?;
    unsign(w, modifiers, &mut values)?;
    Ok(choose(c, to, modifiers, values, p))
}

/// Removes the absolute-value modifiers of an instruction with `.XORSIGN`, because the operation itself compares the magnitudes. The sign
/// of the result is the sign of the product of both registers.
fn unsign(
    w: &InstructionCursor<'_>,
    modifiers: Modifiers,
    values: &mut [SpannedValue],
) -> LowerResult<()> {
    if !modifiers.has(Flag::Xorsign) {
        return Ok(());
    }
    for (value, span) in values {
        if let OperandValue::Source(Source::Register(_), signs) = value {
            let is_size = std::mem::take(&mut signs.absolute);
            if !is_size || signs.negate {
                return Err(w.unknown("`.XORSIGN` without absolute values", *span));
            }
        }
    }
    Ok(())
}

/// Lowers `DMNMX d, a, b, p`.
pub(super) fn doubles(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = ScalarType::F64;
    let to = w.to(2)?;
    let values = vec![w.source_as(ty)?, w.source_as(ty)?];
    let p = w.predicate()?;
    Ok(choose(c, to, typed(ty), values, p))
}

/// Lowers `HMNMX2 d, a, b, p` and `VHMNMX d, a, b, c, p`.
pub(super) fn halves(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = half::format(w);
    let modifiers = float::extreme_mode(w, ty);
    let to = w.to(1)?;
    let mut values = vec![half::pair(w, ty)?, half::pair(w, ty)?];
    if w.opcode() == "VHMNMX" {
        values.push(half::pair(w, ty)?);
    }
    let p = w.predicate()?;
    unsign(w, modifiers, &mut values)?;
    Ok(choose(c, to, modifiers, values, p))
}

/// Returns the register type for intermediate values of the type `ty`.
fn bits_of(ty: ScalarType) -> ScalarType {
    match ty.width_bits() {
        64 => ScalarType::B64,
        _ => ScalarType::B32,
    }
}

/// Returns operations that compute the minimum of the values if the predicate p is true, and the maximum otherwise.
fn choose(
    c: &mut LoweringContext<'_>,
    to: LoweredOperand,
    modifiers: Modifiers,
    values: Vec<SpannedValue>,
    p: SpannedValue,
) -> Vec<LoweredInstruction> {
    let ty = modifiers.ty.unwrap_or(ScalarType::S32);
    let mut steps = Vec::new();
    match known(&p.0) {
        Some(true) => fold(c, ArithmeticOp::Min, to, modifiers, &values, &mut steps),
        Some(false) => fold(c, ArithmeticOp::Max, to, modifiers, &values, &mut steps),
        None => {
            let bits = bits_of(ty);
            let (low, high) = (c.body.temporary(bits), c.body.temporary(bits));
            let span = p.1;
            for (op, to) in [(ArithmeticOp::Min, low), (ArithmeticOp::Max, high)] {
                let to = LoweredOperand::One(written(to), span);
                fold(c, op, to, modifiers, &values, &mut steps);
            }
            let args = vec![
                to,
                LoweredOperand::One(read(low), span),
                LoweredOperand::One(read(high), span),
                one(p),
            ];
            steps.push(step(
                Operation::Compare(ComparisonOp::Selp),
                typed(bits),
                args,
            ));
        }
    }
    steps
}

/// Appends operations that combine two or three values with `op`.
fn fold(
    c: &mut LoweringContext<'_>,
    op: ArithmeticOp,
    to: LoweredOperand,
    modifiers: Modifiers,
    values: &[SpannedValue],
    steps: &mut Vec<LoweredInstruction>,
) {
    let of = |to: LoweredOperand, a: LoweredOperand, b: LoweredOperand| {
        step(Operation::Arithmetic(op), modifiers, vec![to, a, b])
    };
    let bits = bits_of(modifiers.ty.unwrap_or(ScalarType::S32));
    match values {
        [a, b, third] => {
            let part = c.body.temporary(bits);
            let span = third.1;
            let first = LoweredOperand::One(written(part), span);
            steps.push(of(first, one(a.clone()), one(b.clone())));
            steps.push(of(
                to,
                LoweredOperand::One(read(part), span),
                one(third.clone()),
            ));
        }
        [a, b, ..] => steps.push(of(to, one(a.clone()), one(b.clone()))),
        [] | [_] => {}
    }
}
