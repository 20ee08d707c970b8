//! Lowering of numeric conversions.

use super::body::{Arg, Placed, Step, read, written};
use super::float::ROUNDINGS;
use super::words::{Lowered, Words, number};
use super::{Context, is_zero, one, step, typed};
use crate::syntax::Value;
use warpgrid_isa::{ArithmeticOp, Does, Flag, Modifiers, MoveOp, Rounding, ScalarType};

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

/// Rounding modifiers of conversions to integers; the default is to nearest.
const WHOLE: &[(&str, Rounding)] = &[
    ("TRUNC", Rounding::Rzi),
    ("FLOOR", Rounding::Rmi),
    ("CEIL", Rounding::Rpi),
    ("ROUND", Rounding::Rni),
];

/// Lowers a conversion; 64-bit results and sources are register pairs.
fn convert(w: &mut Words<'_>, modifiers: Modifiers) -> Lowered<Vec<Step>> {
    let modifiers = with_flags(w, modifiers);
    let is_wide = |ty: Option<ScalarType>| ty.is_some_and(|ty| ty.width_bits() == 64);
    let to = w.to(if is_wide(modifiers.d_type) { 2 } else { 1 })?;
    let from = modifiers.a_type.unwrap_or(ScalarType::B32);
    let is_literal = w
        .peek()
        .is_some_and(|operand| matches!(operand.value, Value::Integer(_)));
    let a = match from {
        // The encoding only contains the upper half of a 64-bit literal, and disassemblers print that half as the literal.
        ScalarType::U64 | ScalarType::S64 if is_literal => {
            let span = w.instruction.span;
            (number(w.immediate()? << 32), span)
        }
        _ => w.source_as(from)?,
    };
    let args = vec![to, one(a)];
    Ok(vec![step(Does::Move(MoveOp::Cvt), modifiers, args)])
}

/// Consumes the modifiers of conversions other than formats and rounding.
fn with_flags(w: &mut Words<'_>, mut modifiers: Modifiers) -> Modifiers {
    // The types determine the result for a NaN.
    w.ignore(&["NTZ"]);
    for (word, flag) in [("FTZ", Flag::Ftz), ("SAT", Flag::Sat)] {
        if w.take(word) {
            modifiers.flags = modifiers.flags.with(flag);
        }
    }
    modifiers
}

/// Returns the modifiers of the conversion from a 32-bit float to an integer in `F2IP`.
pub(super) fn from_float(w: &mut Words<'_>, to: ScalarType) -> Modifiers {
    w.ignore(&["F32"]);
    let rounding = w.take_one(WHOLE).unwrap_or(Rounding::Rni);
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
pub(super) fn to_float(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let to = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let from = w.take_one(INTEGERS).unwrap_or(ScalarType::S32);
    let rounding = w.take_one(ROUNDINGS).unwrap_or(Rounding::Rn);
    convert(w, types(to, from, Some(rounding)))
}

/// Lowers `F2I`.
pub(super) fn to_integer(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let to = w.take_one(INTEGERS).unwrap_or(ScalarType::S32);
    let from = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.take_one(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(to, from, Some(rounding)))
}

/// Lowers `F2F`; the destination format comes first.
pub(super) fn float_to_float(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
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
    w.ignore(&[to_word, from_word]);
    let rounding = w.take_one(ROUNDINGS);
    let narrows = to.width_bits() < from.width_bits();
    let rounding = rounding.or(narrows.then_some(Rounding::Rn));
    convert(w, types(to, from, rounding))
}

/// Pairs of floats narrower than half precision.
const NARROW: &[(&str, ScalarType)] = &[
    ("E4M3", ScalarType::E4m3x2),
    ("E5M2", ScalarType::E5m2x2),
    ("E2M3", ScalarType::E2m3x2),
    ("E3M2", ScalarType::E3m2x2),
    ("E2M1", ScalarType::E2m1x2),
    ("E8", ScalarType::Ue8m0x2),
];

/// Pairs of half-precision floats.
const HALVES: &[(&str, ScalarType)] = &[("BF16", ScalarType::Bf16x2), ("F16", ScalarType::F16x2)];

/// Lowers `F2FP.F16.E4M3.UNPACK_B d, a`, which converts a pair of narrow floats to a pair of halves; `a.H1` selects the pair in the upper
/// half.
fn unpack(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let clamps = w.take("RELU");
    let (from, to_type) = (w.take_one(NARROW), w.take_one(HALVES));
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
        Does::Move(MoveOp::Cvt),
        modifiers,
        vec![to, one(a)],
    )])
}

/// Sources that `F2FP` packs into one register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    /// Two 32-bit floats, the first one in the upper half.
    Two,
    /// One 32-bit float.
    One,
    /// One 32-bit float, truncated to fewer bits.
    Cut,
    /// The two halves of a register.
    Halves,
}

/// Packing modifiers of `F2FP`, and whether the result is merged with the lower half of the last source.
const PACKINGS: &[(&str, (Packing, bool))] = &[
    ("PACK_AB", (Packing::Two, false)),
    ("PACK_AB_MERGE_C", (Packing::Two, true)),
    ("MERGE_C", (Packing::One, true)),
    ("PACK_B", (Packing::Cut, false)),
    ("UNPACK_B_MERGE_C", (Packing::Halves, true)),
];

/// Lowers `F2FP`. `F2FP.F16.F32.PACK_AB d, a, b` places a in the high half. `F2FP.E4M3.F32.PACK_AB_MERGE_C d, a, b, c` places the low
/// half of c above the pair of bytes; with `.RS` c contains the random bits as well. Other variants: `F2FP.E4M3.F16.UNPACK_B_MERGE_C d,
/// a, c`, `F2FP.RELU.F16.F32.MERGE_C d, a, c`.
pub(super) fn pack(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if w.take("UNPACK_B") {
        return unpack(w);
    }
    let packing = w.take_one(PACKINGS);
    let unknown = w.unknown("this kind of packing", w.instruction.opcode);
    let (packing, merges) = packing.ok_or_else(|| unknown.clone())?;
    let (to, from) = packed_types(w, packing).ok_or(unknown)?;
    w.ignore(&["F32"]);
    let mut modifiers = types(to, from, None);
    let rounding = w.take_one(ROUNDINGS);
    let is_random = packing == Packing::Two && w.take("RS");
    let is_random = is_random.then_some(Rounding::Rs);
    modifiers.rounding = Some(rounding.or(is_random).unwrap_or(Rounding::Rn));
    for (word, flag) in [("RELU", Flag::Relu), ("SATFINITE", Flag::Satfinite)] {
        if w.take(word) {
            modifiers.flags = modifiers.flags.with(flag);
        }
    }
    let to = w.to(1)?;
    let (op, n) = match packing {
        Packing::Two => (MoveOp::CvtPacked, 2),
        Packing::One | Packing::Cut | Packing::Halves => (MoveOp::Cvt, 1),
    };
    let mut sources = Vec::new();
    for _ in 0..n {
        // Literals are printed as `f32`, even if their bits are a pair of halves.
        sources.push(one(w.source_as(ScalarType::F32)?));
    }
    let is_random = modifiers.rounding == Some(Rounding::Rs);
    let kept = match w.n_left() {
        0 => None,
        _ if !merges && !is_random => None,
        _ => Some(w.source()?),
    };
    // Random bits, which are added before truncation, are in the merged register if there is one.
    sources.extend(kept.clone().filter(|_| is_random).map(one));
    let kept = kept.filter(|(kept, _)| merges && !is_zero(kept));
    let packed = |to| {
        let args = std::iter::once(to).chain(sources).collect();
        step(Does::Move(op), modifiers, args)
    };
    let Some((kept, span)) = kept else {
        return Ok(vec![packed(to)]);
    };
    let is_byte = modifiers.d_type.is_some_and(|ty| ty.width_bits() == 8);
    // The position of the kept bits is not known for byte pairs without random bits and for single halves.
    if packing == Packing::One || is_byte && !is_random {
        return Err(w.unknown("an operand that supplies the remaining bits", span));
    }
    let pair = c.body.hidden(ScalarType::B32);
    let packed = packed(Arg::One(written(pair), span));
    let mut steps = vec![packed];
    let pair = (read(pair), span);
    steps.extend(match is_byte {
        true => join_above(c, to, pair, (kept, span), 8, 0xff00_ff00),
        false => join_above(c, to, pair, (kept, span), 16, 0xffff_0000),
    });
    Ok(steps)
}

/// Returns the types of a packed result and of its sources; `None` if the packing does not support them.
fn packed_types(w: &mut Words<'_>, packing: Packing) -> Option<(ScalarType, ScalarType)> {
    let narrow = w.take_one(NARROW);
    let half = w.take_one(HALVES);
    let from = match packing {
        Packing::Two | Packing::One | Packing::Cut => ScalarType::F32,
        Packing::Halves => half.unwrap_or(ScalarType::F16x2),
    };
    let to = match (packing, narrow.or(half)) {
        (Packing::One, Some(ScalarType::Bf16x2)) => ScalarType::Bf16,
        (Packing::One, Some(ScalarType::F16x2) | None) => ScalarType::F16,
        (Packing::Two, to) => to.unwrap_or(ScalarType::F16x2),
        (Packing::Halves, _) => narrow?,
        (Packing::Cut, _) if w.take("TF32") => ScalarType::Tf32,
        (Packing::Cut, _) => return None,
        (Packing::One, Some(_)) => return None,
    };
    Some((to, from))
}

/// Combines a packed pair with the kept bits, which are shifted up by the width of the pair: a half, or for byte pairs one byte of each
/// half, because `cvt.rs.e4m3x4` consists of two of these instructions, and the second one keeps the result of the first (PTX ISA, "cvt",
/// the layouts of `rbits`).
fn join_above(
    c: &mut Context<'_>,
    to: Arg,
    pair: Placed,
    kept: Placed,
    shift: u64,
    mask: u64,
) -> [Step; 3] {
    let span = kept.1;
    let [moved, above] = [ScalarType::B32; 2].map(|ty| c.body.hidden(ty));
    let of = |op, args: [Arg; 3]| step(Does::Arithmetic(op), typed(ScalarType::B32), args.into());
    let [to_moved, to_above] = [moved, above].map(|register| Arg::One(written(register), span));
    let [moved, above] = [moved, above].map(|register| Arg::One(read(register), span));
    let literal = |value| Arg::One(number(value), span);
    [
        of(ArithmeticOp::Shl, [to_moved, one(kept), literal(shift)]),
        of(ArithmeticOp::And, [to_above, moved, literal(mask)]),
        of(ArithmeticOp::Or, [to, one(pair), above]),
    ]
}

/// Lowers `FRND`, which rounds to an integral float.
pub(super) fn round(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let ty = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.take_one(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(ty, ty, Some(rounding)))
}
