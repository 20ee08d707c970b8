//! Arithmetic: the type picks the bank and the variant.

use super::{Decoded, Decoder, Unsupported};
use crate::decode::code::{CarryMode, FloatMode, Op};
use crate::state::registers::Slot;
use warpgrid_isa::{MulPart, ScalarType};
use warpgrid_program::{Arithmetic, ArithmeticMode, Carry, CarryUse, RegisterId, Source};

pub(super) fn arithmetic(
    d: &mut Decoder<'_>,
    f: Arithmetic,
    ty: ScalarType,
    mode: ArithmeticMode,
    to: RegisterId,
    sources: &[Source; 3],
) -> Decoded<Op> {
    use Arithmetic as A;
    if ty.is_float() {
        return float(d, f, ty, mode, to, sources);
    }
    let [a, b, c] = *sources;
    let bits = ty.width_bits();
    let signed = ty.is_signed();
    match (f, bits) {
        (A::Mul(MulPart::Wide) | A::Mad(MulPart::Wide), _) => wide_product(d, f, ty, to, sources),
        (A::Popc | A::Clz | A::Bfind { .. }, 64) => {
            let slots = [d.target(to, 32)?, d.source(a, 64)?];
            Ok(Op::Count64 { f, signed, slots })
        }
        (A::Popc | A::Clz | A::Bfind { .. } | A::Szext { .. } | A::Bmsk { .. }, _) => {
            let (a, b, c) = (d.source(a, 32)?, d.source(b, 32)?, d.constant(0, 32));
            let slots = [d.target(to, 32)?, a, b, c];
            Ok(Op::Int32 {
                f,
                signed,
                saturate: false,
                slots,
            })
        }
        (A::Shl | A::Shr, _) => {
            let (a, b, c) = (d.source(a, bits)?, d.source(b, 32)?, d.constant(0, 32));
            let to = d.target(to, bits)?;
            let slots = [to, a, b, c];
            Ok(match bits {
                64 => Op::Shift64 {
                    f,
                    signed,
                    slots: [to, a, b],
                },
                16 => Op::Int16 { f, signed, slots },
                _ => Op::Int32 {
                    f,
                    signed,
                    saturate: false,
                    slots,
                },
            })
        }
        (A::Bfe, 64) => {
            let (a, b, c) = (d.source(a, 64)?, d.source(b, 32)?, d.source(c, 32)?);
            let slots = [d.target(to, 64)?, a, b, c];
            Ok(Op::Extract64 { signed, slots })
        }
        _ => {
            let slots = same_width(d, bits, to, sources)?;
            let [to, a, b, _] = slots;
            match (ty, bits) {
                (ScalarType::U16x2 | ScalarType::S16x2, _) => Ok(Op::Int16x2 {
                    f,
                    signed,
                    slots: [to, a, b],
                }),
                (_, 8 | 16) => Ok(Op::Int16 { f, signed, slots }),
                (_, 32) => Ok(Op::Int32 {
                    f,
                    signed,
                    saturate: mode.saturate,
                    slots,
                }),
                (_, 64) => Ok(Op::Int64 { f, signed, slots }),
                _ => Err(Unsupported),
            }
        }
    }
}

/// Result and operands that are all as wide as the type.
fn same_width(
    d: &mut Decoder<'_>,
    bits: u32,
    to: RegisterId,
    [a, b, c]: &[Source; 3],
) -> Decoded<[Slot; 4]> {
    let to = d.target(to, bits)?;
    Ok([
        to,
        d.source(*a, bits)?,
        d.source(*b, bits)?,
        d.source(*c, bits)?,
    ])
}

fn float(
    d: &mut Decoder<'_>,
    f: Arithmetic,
    ty: ScalarType,
    mode: ArithmeticMode,
    to: RegisterId,
    sources: &[Source; 3],
) -> Decoded<Op> {
    use ScalarType as T;
    let slots = same_width(d, ty.width_bits(), to, sources)?;
    let mode = FloatMode::from(mode);
    match ty {
        T::F32 => Ok(Op::Float32 { f, mode, slots }),
        T::F64 => Ok(Op::Float64 { f, mode, slots }),
        T::F32x2 => Ok(Op::Float32x2 { f, mode, slots }),
        T::F16 | T::Bf16 | T::F16x2 | T::Bf16x2 => Ok(Op::Half { f, ty, mode, slots }),
        _ => Err(Unsupported),
    }
}

/// `mul.wide` and `mad.wide`
fn wide_product(
    d: &mut Decoder<'_>,
    f: Arithmetic,
    ty: ScalarType,
    to: RegisterId,
    [a, b, c]: &[Source; 3],
) -> Decoded<Op> {
    let (bits, signed) = (ty.width_bits(), ty.is_signed());
    let to = d.target(to, 2 * bits)?;
    let (a, b) = (d.source(*a, bits)?, d.source(*b, bits)?);
    let c = match f {
        Arithmetic::Mad(_) => d.source(*c, 2 * bits)?,
        _ => Slot::NONE,
    };
    let slots = [to, a, b, c];
    match bits {
        16 => Ok(Op::Wide16 { signed, slots }),
        32 => Ok(Op::Wide32 { signed, slots }),
        _ => Err(Unsupported),
    }
}

/// `add.cc` and relatives
pub(super) fn carry(
    d: &mut Decoder<'_>,
    f: Carry,
    ty: ScalarType,
    carry: CarryUse,
    to: RegisterId,
    sources: &[Source; 3],
) -> Decoded<Op> {
    let slots = same_width(d, ty.width_bits(), to, sources)?;
    let mode = CarryMode {
        signed: ty.is_signed(),
        reads: carry.reads,
        writes: carry.writes,
    };
    match ty.width_bits() {
        32 => Ok(Op::Carry32 { f, mode, slots }),
        64 => Ok(Op::Carry64 { f, mode, slots }),
        _ => Err(Unsupported),
    }
}

/// `bfi`
pub(super) fn insert(
    d: &mut Decoder<'_>,
    bits: u32,
    to: RegisterId,
    [a, b]: [Source; 2],
    [position, length]: [Source; 2],
) -> Decoded<Op> {
    let to = d.target(to, bits)?;
    let (a, b) = (d.source(a, bits)?, d.source(b, bits)?);
    let slots = [to, a, b, d.source(position, 32)?, d.source(length, 32)?];
    Ok(match bits {
        64 => Op::Insert64(slots),
        _ => Op::Insert32(slots),
    })
}
