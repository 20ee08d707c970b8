//! Lowering of instructions that convert numbers.

use super::body::{LoweredInstruction, LoweredOperand, SpannedValue, read, written};
use super::float::ROUNDINGS;
use super::instruction_cursor::{InstructionCursor, LowerResult, number};
use super::{LoweringContext, is_zero, one, step, typed};
use crate::syntax::OperandKind;
use warpgrid_isa::{ArithmeticOp, Flag, Modifiers, MoveOp, Operation, Rounding, ScalarType};

const INTEGERS: &[(&str, ScalarType)] = &[
    ("S8", ScalarType::S8),
    ("U8", ScalarType::U8),
    ("S16", ScalarType::S16),
    ("U16", ScalarType::U16),
    ("S32", ScalarType::S32),
    ("U32", ScalarType::U32),
    ("S64", ScalarType::S64),
    ("U64", ScalarType::U64),
];

const FLOATS: &[(&str, ScalarType)] = &[
    ("F64", ScalarType::F64),
    ("F32", ScalarType::F32),
    ("F16", ScalarType::F16),
    ("BF16", ScalarType::Bf16),
];

/// Rounding modifiers of conversions to integers. Without a rounding modifier, conversions to integers round to nearest.
const WHOLE: &[(&str, Rounding)] = &[
    ("TRUNC", Rounding::Rzi),
    ("FLOOR", Rounding::Rmi),
    ("CEIL", Rounding::Rpi),
    ("ROUND", Rounding::Rni),
];

/// Lowers a conversion with the given PTX modifiers. 64-bit results and sources are register pairs.
fn convert(
    w: &mut InstructionCursor<'_>,
    modifiers: Modifiers,
) -> LowerResult<Vec<LoweredInstruction>> {
    let modifiers = with_flags(w, modifiers);
    let is_wide = |ty: Option<ScalarType>| ty.is_some_and(|ty| ty.width_bits() == 64);
    let to = w.to(if is_wide(modifiers.d_type) { 2 } else { 1 })?;
    let from = modifiers.a_type.unwrap_or(ScalarType::B32);
    let is_literal = w
        .peek()
        .is_some_and(|operand| matches!(operand.value, OperandKind::Integer(_)));
    let a = match from {
        // Shift a 64-bit literal to the upper half, because the encoding contains only the upper half and disassemblers print this half.
        ScalarType::U64 | ScalarType::S64 if is_literal => {
            let span = w.instruction.span;
            (number(w.immediate()? << 32), span)
        }
        _ => w.source_as(from)?,
    };
    let args = vec![to, one(a)];
    Ok(vec![step(Operation::Move(MoveOp::Cvt), modifiers, args)])
}

/// Consumes the modifiers of a conversion that specify neither a format nor a rounding mode.
fn with_flags(w: &mut InstructionCursor<'_>, mut modifiers: Modifiers) -> Modifiers {
    // `.NTZ` has no effect, because the types determine the result for a NaN.
    w.ignore_modifiers(&["NTZ"]);
    for (word, flag) in [("FTZ", Flag::Ftz), ("SAT", Flag::Sat)] {
        if w.consume(word) {
            modifiers.flags = modifiers.flags.with(flag);
        }
    }
    modifiers
}

/// Returns the modifiers of the conversion from a 32-bit float to an integer in `F2IP`.
pub(super) fn from_float(w: &mut InstructionCursor<'_>, to: ScalarType) -> Modifiers {
    w.ignore_modifiers(&["F32"]);
    let rounding = w.consume_one_of(WHOLE).unwrap_or(Rounding::Rni);
    with_flags(w, types(to, ScalarType::F32, Some(rounding)))
}

fn types(to: ScalarType, from: ScalarType, rounding: Option<Rounding>) -> Modifiers {
    Modifiers {
        d_type: Some(to),
        a_type: Some(from),
        rounding,
        ..super::blank()
    }
}

/// Lowers `I2F` and `I2FP`.
pub(super) fn to_float(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.consume_one_of(FLOATS).unwrap_or(ScalarType::F32);
    let from = w.consume_one_of(INTEGERS).unwrap_or(ScalarType::S32);
    let rounding = w.consume_one_of(ROUNDINGS).unwrap_or(Rounding::Rn);
    convert(w, types(to, from, Some(rounding)))
}

/// Lowers `F2I`.
pub(super) fn to_integer(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let to = w.consume_one_of(INTEGERS).unwrap_or(ScalarType::S32);
    let from = w.consume_one_of(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.consume_one_of(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(to, from, Some(rounding)))
}

/// Lowers `F2F`, in which the destination format precedes the source format.
pub(super) fn float_to_float(
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    let words = w.modifiers_left();
    let mut formats = words.iter().filter_map(|word| {
        let format = FLOATS.iter().find(|(name, _)| name == word);
        format.copied()
    });
    let (Some((to_word, to)), Some((from_word, from))) = (formats.next(), formats.next()) else {
        return Err(w.unknown(
            "a conversion without source and destination formats",
            w.instruction.opcode,
        ));
    };
    w.ignore_modifiers(&[to_word, from_word]);
    let rounding = w.consume_one_of(ROUNDINGS);
    let narrows = to.width_bits() < from.width_bits();
    let rounding = rounding.or(narrows.then_some(Rounding::Rn));
    convert(w, types(to, from, rounding))
}

/// Modifiers and packed types of pairs of floats that are narrower than half precision.
const NARROW: &[(&str, ScalarType)] = &[
    ("E4M3", ScalarType::E4m3x2),
    ("E5M2", ScalarType::E5m2x2),
    ("E2M3", ScalarType::E2m3x2),
    ("E3M2", ScalarType::E3m2x2),
    ("E2M1", ScalarType::E2m1x2),
    ("E8", ScalarType::Ue8m0x2),
];

/// Modifiers and packed types of pairs of half-precision floats.
const HALVES: &[(&str, ScalarType)] = &[("BF16", ScalarType::Bf16x2), ("F16", ScalarType::F16x2)];

/// Lowers `F2FP.F16.E4M3.UNPACK_B d, a`, which converts a pair of narrow floats to a pair of halves. The operand `a.H1` selects the pair in
/// the upper half of a.
fn unpack(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let clamps = w.consume("RELU");
    let (from, to_type) = (w.consume_one_of(NARROW), w.consume_one_of(HALVES));
    let (Some(from), Some(to_type)) = (from, to_type) else {
        return Err(w.unknown("this kind of unpacking", w.instruction.opcode));
    };
    let to = w.to(1)?;
    let a = w.source()?;
    let mut modifiers = types(to_type, from, Some(Rounding::Rn));
    if clamps {
        modifiers.flags = modifiers.flags.with(Flag::Relu);
    }
    Ok(vec![step(
        Operation::Move(MoveOp::Cvt),
        modifiers,
        vec![to, one(a)],
    )])
}

/// Kinds of sources that `F2FP` packs into one register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum F2fpPacking {
    /// Two 32-bit floats. The upper half of the result contains the converted first float.
    Two,
    /// One 32-bit float, which is rounded to a narrower format.
    One,
    /// One 32-bit float, which is truncated to a narrower format.
    Cut,
    /// Two half-precision floats in one register.
    Halves,
}

/// Packing modifiers of `F2FP`. The flag specifies whether the instruction merges the result with the lower half of the last source.
const PACKINGS: &[(&str, (F2fpPacking, bool))] = &[
    ("PACK_AB", (F2fpPacking::Two, false)),
    ("PACK_AB_MERGE_C", (F2fpPacking::Two, true)),
    ("MERGE_C", (F2fpPacking::One, true)),
    ("PACK_B", (F2fpPacking::Cut, false)),
    ("UNPACK_B_MERGE_C", (F2fpPacking::Halves, true)),
];

/// Lowers `F2FP`. For example, `F2FP.F16.F32.PACK_AB d, a, b` converts a to the high half of the result. `F2FP.E4M3.F32.PACK_AB_MERGE_C d,
/// a, b, c` copies the low half of c above the converted pair of bytes. With `.RS`, c also contains the random bits. Other variants are
/// `F2FP.E4M3.F16.UNPACK_B_MERGE_C d, a, c` and `F2FP.RELU.F16.F32.MERGE_C d, a, c`.
pub(super) fn pack(
    c: &mut LoweringContext<'_>,
    w: &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>> {
    if w.consume("UNPACK_B") {
        return unpack(w);
    }
    let packing = w.consume_one_of(PACKINGS);
    let unknown = w.unknown("this kind of packing", w.instruction.opcode);
    let (packing, merges) = packing.ok_or_else(|| unknown.clone())?;
    let (to, from) = packed_types(w, packing).ok_or(unknown)?;
    w.ignore_modifiers(&["F32"]);
    let mut modifiers = types(to, from, None);
    let rounding = w.consume_one_of(ROUNDINGS);
    let is_random = packing == F2fpPacking::Two && w.consume("RS");
    let is_random = is_random.then_some(Rounding::Rs);
    modifiers.rounding = Some(rounding.or(is_random).unwrap_or(Rounding::Rn));
    for (word, flag) in [("RELU", Flag::Relu), ("SATFINITE", Flag::Satfinite)] {
        if w.consume(word) {
            modifiers.flags = modifiers.flags.with(flag);
        }
    }
    let to = w.to(1)?;
    let (op, n) = match packing {
        F2fpPacking::Two => (MoveOp::CvtPacked, 2),
        F2fpPacking::One | F2fpPacking::Cut | F2fpPacking::Halves => (MoveOp::Cvt, 1),
    };
    let mut sources = Vec::new();
    for _ in 0..n {
        // Read literals as `f32`, because disassemblers print a literal as an `f32` number even if its bits are a pair of halves.
        sources.push(one(w.source_as(ScalarType::F32)?));
    }
    let is_random = modifiers.rounding == Some(Rounding::Rs);
    let merged = match w.n_left() {
        0 => None,
        _ if !merges && !is_random => None,
        _ => Some(w.source()?),
    };
    // With stochastic rounding, the merged register contains the random bits that the conversion adds before truncation.
    sources.extend(merged.clone().filter(|_| is_random).map(one));
    let merged = merged.filter(|(merged, _)| merges && !is_zero(merged));
    let packed = |to| {
        let args = std::iter::once(to).chain(sources).collect();
        step(Operation::Move(op), modifiers, args)
    };
    let Some((merged, span)) = merged else {
        return Ok(vec![packed(to)]);
    };
    let is_byte = modifiers.d_type.is_some_and(|ty| ty.width_bits() == 8);
    // For byte pairs without random bits and for single halves, the position of the merged bits in the result is not known.
    if packing == F2fpPacking::One || is_byte && !is_random {
        return Err(w.unknown("an operand that supplies the remaining bits", span));
    }
    let pair = c.body.temporary(ScalarType::B32);
    let packed = packed(LoweredOperand::One(written(pair), span));
    let mut steps = vec![packed];
    let pair = (read(pair), span);
    steps.extend(match is_byte {
        true => join_above(c, to, pair, (merged, span), 8, 0xff00_ff00),
        false => join_above(c, to, pair, (merged, span), 16, 0xffff_0000),
    });
    Ok(steps)
}

/// Returns the types of a packed result and of its sources, or `None` if the packing does not support these types.
fn packed_types(
    w: &mut InstructionCursor<'_>,
    packing: F2fpPacking,
) -> Option<(ScalarType, ScalarType)> {
    let narrow = w.consume_one_of(NARROW);
    let half = w.consume_one_of(HALVES);
    let from = match packing {
        F2fpPacking::Two | F2fpPacking::One | F2fpPacking::Cut => ScalarType::F32,
        F2fpPacking::Halves => half.unwrap_or(ScalarType::F16x2),
    };
    let to = match (packing, narrow.or(half)) {
        (F2fpPacking::One, Some(ScalarType::Bf16x2)) => ScalarType::Bf16,
        (F2fpPacking::One, Some(ScalarType::F16x2) | None) => ScalarType::F16,
        (F2fpPacking::Two, to) => to.unwrap_or(ScalarType::F16x2),
        (F2fpPacking::Halves, _) => narrow?,
        (F2fpPacking::Cut, _) if w.consume("TF32") => ScalarType::Tf32,
        (F2fpPacking::Cut, _) => return None,
        (F2fpPacking::One, Some(_)) => return None,
    };
    Some((to, from))
}

/// Combines a packed pair with the merged bits of `kept`. The merged bits are shifted up by the width of the pair. The merged bits are the
/// lower half of `kept`, or one byte of each half for byte pairs, because `cvt.rs.e4m3x4` consists of two `F2FP` instructions, and the
/// second instruction preserves the result of the first instruction (PTX ISA, "cvt", the layouts of `rbits`).
fn join_above(
    c: &mut LoweringContext<'_>,
    to: LoweredOperand,
    pair: SpannedValue,
    merged: SpannedValue,
    shift: u64,
    mask: u64,
) -> [LoweredInstruction; 3] {
    let span = merged.1;
    let [moved, above] = [ScalarType::B32; 2].map(|ty| c.body.temporary(ty));
    let of = |op, args: [LoweredOperand; 3]| {
        step(
            Operation::Arithmetic(op),
            typed(ScalarType::B32),
            args.into(),
        )
    };
    let [to_moved, to_above] =
        [moved, above].map(|register| LoweredOperand::One(written(register), span));
    let [moved, above] = [moved, above].map(|register| LoweredOperand::One(read(register), span));
    let literal = |value| LoweredOperand::One(number(value), span);
    [
        of(ArithmeticOp::Shl, [to_moved, one(merged), literal(shift)]),
        of(ArithmeticOp::And, [to_above, moved, literal(mask)]),
        of(ArithmeticOp::Or, [to, one(pair), above]),
    ]
}

/// Lowers `FRND`, which rounds a float to an integral value.
pub(super) fn round(w: &mut InstructionCursor<'_>) -> LowerResult<Vec<LoweredInstruction>> {
    let ty = w.consume_one_of(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.consume_one_of(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(ty, ty, Some(rounding)))
}
