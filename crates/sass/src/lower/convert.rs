//! Conversions between numbers.

use super::body::Step;
use super::float::ROUNDINGS;
use super::words::{Lowered, Words};
use super::{one, step};
use warpgrid_isa::{Does, Flag, Modifiers, MoveOp, Rounding, ScalarType};

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

/// `F2FP.F16.F32.PACK_AB d, a, b`: a goes to the high half.
pub(super) fn pack(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let to = w.take_one(&[
        ("BF16", ScalarType::Bf16x2),
        ("E4M3", ScalarType::E4m3x2),
        ("E5M2", ScalarType::E5m2x2),
        ("F16", ScalarType::F16x2),
    ]);
    let to = to.unwrap_or(ScalarType::F16x2);
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
    // What is kept of a third source is not known.
    if merges && w.n_left() > 0 {
        let (kept, span) = w.source()?;
        if !super::is_zero(&kept) {
            return Err(w.unknown("a register that is merged", span));
        }
    }
    let args = vec![to, one(a), one(b)];
    Ok(vec![step(Does::Move(MoveOp::CvtPacked), modifiers, args)])
}

/// `FRND`: a whole number as a float.
pub(super) fn round(w: &mut Words<'_>) -> Lowered<Vec<Step>> {
    let ty = w.take_one(FLOATS).unwrap_or(ScalarType::F32);
    let rounding = w.take_one(WHOLE).unwrap_or(Rounding::Rni);
    convert(w, types(ty, ty, Some(rounding)))
}
