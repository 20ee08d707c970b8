//! Lowering of dot products, absolute differences and packing on bytes and half-words, and of integer conversions.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::instruction_cursor::{InstructionCursor, LowerResult, destinations};
use super::{
    LoweringContext, SassOperandLists, arithmetic, modifiers_of, number_of, one, step, typed,
};
use crate::syntax::Operand;
use warpgrid_isa::{
    ArithmeticOp, Extension, Flag, Modifiers, MoveOp, MulPart, Operation, SassOp, ScalarType,
};
use warpgrid_program::{OperandValue, RegisterTuple, SourceModifiers, SubregisterSelector};

const FORMATS: &[(&str, ScalarType)] = &[
    ("U2", ScalarType::U2),
    ("S2", ScalarType::S2),
    ("U4", ScalarType::U4),
    ("S4", ScalarType::S4),
    ("U8", ScalarType::U8),
    ("S8", ScalarType::S8),
    ("U16", ScalarType::U16),
    ("S16", ScalarType::S16),
    ("U32", ScalarType::U32),
    ("S32", ScalarType::S32),
];

/// Consumes the number formats among the modifiers, and returns them in order.
fn formats(w: &mut InstructionCursor<'_>) -> Vec<ScalarType> {
    let words = w.modifiers_left();
    let mut found = Vec::new();
    for word in words {
        if let Some((_, ty)) = FORMATS.iter().find(|(name, _)| *name == word) {
            w.consume(word);
            found.push(*ty);
        }
    }
    found
}

/// Lowers `IDP.4A.S8.U8` and `IDP.2A.LO.U16.U8`, dot products of bytes.
pub(super) fn dot(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let op = w.consume_one_of(&[("4A", ArithmeticOp::Dp4a), ("2A", ArithmeticOp::Dp2a)]);
    let op = op.ok_or_else(|| w.unknown("an accumulation of products", w.instruction.opcode))?;
    let as_32 = |ty: ScalarType| {
        if ty.is_signed() {
            ScalarType::S32
        } else {
            ScalarType::U32
        }
    };
    let found = formats(w);
    let a = found.first().copied().unwrap_or(ScalarType::U8);
    let b = found.get(1).copied().unwrap_or(a);
    let mut modifiers = Modifiers {
        a_type: Some(as_32(a)),
        b_type: Some(as_32(b)),
        ..super::blank()
    };
    if op == ArithmeticOp::Dp2a {
        let part = w.consume_one_of(&[("HI", MulPart::Hi), ("LO", MulPart::Lo)]);
        modifiers.part = Some(part.unwrap_or(MulPart::Lo));
    }
    let to = w.to(1)?;
    let (a, b, c) = (w.source()?, w.source()?, w.source()?);
    Ok(vec![step(
        Operation::Arithmetic(op),
        modifiers,
        vec![to, one(a), one(b), one(c)],
    )])
}

/// Lowers `VABSDIFF{.U32} d, a, b, c`: |a - b| + c.
pub(super) fn distance(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = match w.consume("U32") {
        true => ScalarType::U32,
        false => ScalarType::S32,
    };
    w.ignore_modifiers(&["S32"]);
    let to = w.to(1)?;
    let (a, b, c) = (w.source()?, w.source()?, w.source()?);
    Ok(vec![step(
        Operation::Arithmetic(ArithmeticOp::Sad),
        typed(ty),
        vec![to, one(a), one(b), one(c)],
    )])
}

/// Lowers `VABSDIFF4{.U8}{.ACC} d, a, b, c`, the absolute differences of the bytes of a and b. With `.ACC`, the result is the sum of the
/// differences and c.
pub(super) fn distances(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let signed = !w.consume("U8");
    let adds = w.consume("ACC");
    let to = w.destination(1)?;
    let (a, b, base) = (w.source()?, w.source()?, w.source()?);
    let is_plain = |(value, _): &SpannedValue| modifiers_of(value) == SourceModifiers::NONE;
    if !is_plain(&a) || !is_plain(&b) {
        return Err(w.unknown("this difference of bytes", w.instruction.span));
    }
    // Without `.ACC`, add zero, because the instruction does not use its last source.
    let base = if adds { base } else { (number_of(0), base.1) };
    let span = w.instruction.span;
    let mut steps = Vec::new();
    let [a, b] = match signed {
        true => [a, b].map(|value| offset_bytes(c, value, &mut steps)),
        false => [a, b],
    };
    let mut sum = base;
    for byte in 0..4 {
        let next = c.body.temporary(ScalarType::B32);
        let last = (byte == 3).then_some(to.0);
        let place = last.unwrap_or(Some(RegisterTuple::one(next)));
        let distance = |place: Option<RegisterTuple>, base: SpannedValue| {
            let to = LoweredOperand::One(OperandValue::Destination(place), span);
            step(
                Operation::Arithmetic(ArithmeticOp::Sad),
                typed(ScalarType::U32),
                vec![to, byte_of(&a, byte), byte_of(&b, byte), one(base)],
            )
        };
        if adds {
            steps.push(distance(place, sum));
        } else {
            let one_byte = c.body.temporary(ScalarType::B32);
            let zero = (number_of(0), span);
            steps.push(distance(Some(RegisterTuple::one(one_byte)), zero.clone()));
            let machine = SassOperandLists {
                registers: destinations(place, 1, span),
                sources: vec![(read(one_byte), span), sum, zero],
                number: u64::from(byte) * 8,
                ..SassOperandLists::default()
            };
            let scaled = SassOp::ScaledAdd {
                part: MulPart::Lo,
                extension: Extension::Source,
            };
            steps.push(machine.step(scaled, span));
        }
        sum = (read(next), span);
    }
    Ok(steps)
}

/// Converts signed bytes to unsigned bytes by adding 128 to each byte, which preserves the differences of the bytes.
fn offset_bytes(
    c: &mut LoweringContext<'_>,
    value: SpannedValue,
    steps: &mut Vec<LoweredInstruction>,
) -> SpannedValue {
    let moved = c.body.temporary(ScalarType::B32);
    let span = value.1;
    let args = vec![
        LoweredOperand::One(written(moved), span),
        one(value),
        LoweredOperand::One(number_of(0x8080_8080), span),
    ];
    steps.push(arithmetic(ArithmeticOp::Xor, ScalarType::B32, args));
    (read(moved), span)
}

/// Returns the byte with index `byte` of a source, as an operand.
fn byte_of((value, span): &SpannedValue, byte: u8) -> LoweredOperand {
    let value = match value {
        OperandValue::Source(source, _) => OperandValue::Source(
            *source,
            SourceModifiers {
                part: SubregisterSelector::Byte(byte),
                ..SourceModifiers::NONE
            },
        ),
        other => other.clone(),
    };
    LoweredOperand::One(value, *span)
}

/// Lowers `I2I.U8.S32.SAT d, a`, in which the destination format precedes the source format.
pub(super) fn integer_to_integer(
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let found = formats(w);
    let [to, from] = found[..] else {
        return Err(w.unknown(
            "a conversion without source and destination formats",
            w.instruction.opcode,
        ));
    };
    let mut modifiers = Modifiers {
        d_type: Some(to),
        a_type: Some(from),
        ..super::blank()
    };
    if w.consume("SAT") {
        modifiers.flags = modifiers.flags.with(Flag::Sat);
    }
    let to = w.to(1)?;
    let a = w.source()?;
    Ok(vec![step(
        Operation::Move(MoveOp::Cvt),
        modifiers,
        vec![to, one(a)],
    )])
}

/// Lowers `I2IP.U8.S32.SAT d, a, b, c`: saturates a and b to bytes, and packs them below the lower half of c.
pub(super) fn pack(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let found = formats(w);
    let [to, ScalarType::S32] = found[..] else {
        return Err(w.unknown("a conversion between these formats", w.instruction.opcode));
    };
    if !w.consume("SAT") {
        return Err(w.unknown("a conversion without saturation", w.instruction.opcode));
    }
    let mut modifiers = Modifiers {
        d_type: Some(to),
        a_type: Some(ScalarType::S32),
        ..super::blank()
    };
    modifiers.flags = modifiers.flags.with(Flag::Sat);
    let to = w.to(1)?;
    let mut args = vec![to];
    while w.n_left() > 0 && args.len() < 4 {
        args.push(one(kept_source(w)?));
    }
    Ok(vec![step(
        Operation::Move(MoveOp::CvtPack),
        modifiers,
        args,
    )])
}

/// Reads a source such as `R3.28`. The suffix `.24` or `.28` is redundant, because the format modifiers determine which bits of c the
/// result contains.
fn kept_source(w: &mut InstructionCursor<'_>) -> LowerResult<SpannedValue> {
    let is_source = |operand: &&Operand| {
        let words = w.operand_words(operand);
        words.contains(&"24") || words.contains(&"28")
    };
    let Some(operand) = w.peek().filter(is_source) else {
        return w.source();
    };
    w.next()?;
    let value = w.plain_value_of(operand, ScalarType::B32)?;
    Ok((value, operand.span))
}

/// Lowers `F2IP.U8.F32.NTZ d, a, b, c`: converts a and b to saturated byte integers, and packs them below the lower half of c. The byte of
/// b is the lowest byte of the result.
pub(super) fn pack_floats(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let found = formats(w);
    let [ty] = found[..] else {
        return Err(w.unknown("a conversion between these formats", w.instruction.opcode));
    };
    let modifiers = super::convert::from_float(w, ty);
    let to = w.to(1)?;
    let mut steps = Vec::new();
    let mut args = vec![to];
    for _ in 0..2 {
        let (value, span) = w.source_as(ScalarType::F32)?;
        let packed = c.body.temporary(ScalarType::B32);
        let operands = vec![
            LoweredOperand::One(written(packed), span),
            one((value, span)),
        ];
        steps.push(step(Operation::Move(MoveOp::Cvt), modifiers, operands));
        args.push(LoweredOperand::One(read(packed), span));
    }
    args.push(one(w.source()?));
    let mut packs = Modifiers {
        d_type: Some(ty),
        a_type: Some(ScalarType::S32),
        ..super::blank()
    };
    packs.flags = packs.flags.with(Flag::Sat);
    steps.push(step(Operation::Move(MoveOp::CvtPack), packs, args));
    Ok(steps)
}
