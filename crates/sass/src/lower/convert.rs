//! Conversions between numbers.

use super::body::{Arg, Step, read, written};
use super::float::ROUNDINGS;
use super::words::{Lowered, Words, number};
use super::{Context, is_zero, one, step, typed};
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

/// To the nearest whole number unless a word says where to.
const WHOLE: &[(&str, Rounding)] = &[
    ("TRUNC", Rounding::Rzi),
    ("FLOOR", Rounding::Rmi),
    ("CEIL", Rounding::Rpi),
    ("ROUND", Rounding::Rni),
];

/// A conversion; wide results and sources are pairs.
fn convert(w: &mut Words<'_>, mut modifiers: Modifiers) -> Lowered<Vec<Step>> {
    // What becomes of a NaN follows from the types.
    w.ignore(&["NTZ"]);
    if w.take("FTZ") {
        modifiers.flags = modifiers.flags.with(Flag::Ftz);
    }
    if w.take("SAT") {
        modifiers.flags = modifiers.flags.with(Flag::Sat);
    }
    let is_wide = |ty: Option<ScalarType>| ty.is_some_and(|ty| ty.width_bits() == 64);
    let to = w.to(if is_wide(modifiers.d_type) { 2 } else { 1 })?;
    let from = modifiers.a_type.unwrap_or(ScalarType::B32);
    let a = w.source_as(from)?;
    let args = vec![to, one(a)];
    Ok(vec![step(Does::Move(MoveOp::Cvt), modifiers, args)])
}

fn types(to: ScalarType, from: ScalarType, rounding: Option<Rounding>) -> Modifiers {
    Modifiers {
        d_type: Some(to),
        a_type: Some(from),
        rounding,
        ..Modifiers::default()
    }
}

/// `I2F`, `I2FP`
pub(super) fn to_float(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let to = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let from = w.take_one(INTEGERS).unwrap_or(ScalarType::S32);
    let rounding = w.take_one(ROUNDINGS).unwrap_or(Rounding::Rn);
    convert(w, types(to, from, Some(rounding)))
}

/// `F2I`
pub(super) fn to_integer(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let to = w.take_one(INTEGERS).unwrap_or(ScalarType::S32);
    let from = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.take_one(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(to, from, Some(rounding)))
}

/// `F2F`: the result first.
pub(super) fn float_to_float(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let words = w.modifiers_left();
    let mut formats = words.iter().filter_map(|word| {
        let format = FLOATS.iter().find(|(name, _)| name == word);
        format.map(|(_, ty)| *ty)
    });
    let (to, from) = (formats.next(), formats.next());
    w.ignore(&["F64", "F32", "F16", "BF16"]);
    let (Some(to), Some(from)) = (to, from) else {
        return Err(w.unknown("a conversion without two formats", w.instruction.opcode));
    };
    let rounding = w.take_one(ROUNDINGS);
    let narrows = to.width_bits() < from.width_bits();
    let rounding = rounding.or(narrows.then_some(Rounding::Rn));
    convert(w, types(to, from, rounding))
}

/// Pairs of floats that are narrower than a half.
const NARROW: &[(&str, ScalarType)] = &[
    ("E4M3", ScalarType::E4m3x2),
    ("E5M2", ScalarType::E5m2x2),
    ("E2M3", ScalarType::E2m3x2),
    ("E3M2", ScalarType::E3m2x2),
    ("E2M1", ScalarType::E2m1x2),
];

/// `F2FP.F16.E4M3.UNPACK_B d, a`: a pair of narrow floats to a pair of halves; `a.H1` is the pair in the upper half.
fn unpack(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let from = w.take_one(NARROW);
    let is_half = w.take("F16");
    let from = from.filter(|_| is_half);
    let from = from.ok_or_else(|| w.unknown("another way to unpack", w.instruction.opcode))?;
    let to = w.to(1)?;
    let a = w.source()?;
    Ok(vec![step(
        Does::Move(MoveOp::Cvt),
        types(ScalarType::F16x2, from, Some(Rounding::Rn)),
        vec![to, one(a)],
    )])
}

/// `F2FP.F16.F32.PACK_AB d, a, b`: a goes to the high half. `F2FP.E4M3.F32.PACK_AB_MERGE_C d, a, b, c`: the low half of c goes
/// above the pair of bytes.
pub(super) fn pack(c: &mut Context<'_>, w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    if w.take("UNPACK_B") {
        return unpack(w);
    }
    let narrow = w.take_one(NARROW);
    let half = w.take_one(&[("BF16", ScalarType::Bf16x2), ("F16", ScalarType::F16x2)]);
    let to = narrow.or(half).unwrap_or(ScalarType::F16x2);
    w.ignore(&["F32"]);
    let merges = w.take("PACK_AB_MERGE_C");
    if !merges && !w.take("PACK_AB") {
        return Err(w.unknown("another way to pack", w.instruction.opcode));
    }
    let saturates = w.take("SATFINITE");
    let mut modifiers = types(to, ScalarType::F32, None);
    modifiers.rounding = Some(w.take_one(ROUNDINGS).unwrap_or(Rounding::Rn));
    if w.take("RELU") {
        modifiers.flags = modifiers.flags.with(Flag::Relu);
    }
    if saturates {
        modifiers.flags = modifiers.flags.with(Flag::Satfinite);
    }
    let to = w.to(1)?;
    let (a, b) = (w.source_as(ScalarType::F32)?, w.source_as(ScalarType::F32)?);
    let kept = match w.n_left() {
        0 => None,
        _ if !merges => None,
        _ => Some(w.source()?).filter(|(kept, _)| !is_zero(kept)),
    };
    let packed = |to| {
        step(
            Does::Move(MoveOp::CvtPacked),
            modifiers,
            vec![to, one(a), one(b)],
        )
    };
    let Some((kept, span)) = kept else {
        return Ok(vec![packed(to)]);
    };
    // Of pairs in a byte it is not known where what is kept goes.
    if modifiers.d_type.is_none_or(|ty| ty.width_bits() != 16) {
        return Err(w.unknown("a register that is merged", span));
    }
    let [pair, above] = [ScalarType::B32; 2].map(|ty| c.body.hidden(ty));
    let of = |op, args| step(Does::Arithmetic(op), typed(ScalarType::B32), args);
    Ok(vec![
        packed(Arg::One(written(pair), span)),
        of(
            ArithmeticOp::Shl,
            vec![
                Arg::One(written(above), span),
                Arg::One(kept, span),
                Arg::One(number(16), span),
            ],
        ),
        of(
            ArithmeticOp::Or,
            vec![to, Arg::One(read(pair), span), Arg::One(read(above), span)],
        ),
    ])
}

/// `FRND`: a whole number as a float.
pub(super) fn round(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let ty = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.take_one(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(ty, ty, Some(rounding)))
}
