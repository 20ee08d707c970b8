//! Arithmetic: the type picks the bank and the variant.

use super::{Decoded, Decoder, Unsupported};
use crate::decode::code::{CarryMode, FloatMode, Op};
use crate::decode::ops::{
    CarryOp, CountOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int16x2Op, Int32Op, Int64Op,
    IntOp, Overflow, ShiftOp,
};
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
            let f = count_op(f)?;
            Ok(Op::Count64 { f, signed, slots })
        }
        (A::Popc | A::Clz | A::Bfind { .. } | A::Szext { .. } | A::Bmsk { .. }, _) => {
            let (a, b, c) = (d.source(a, 32)?, d.source(b, 32)?, d.constant(0, 32));
            let slots = [d.target(to, 32)?, a, b, c];
            let f = int32_op(f, mode.saturate)?;
            Ok(Op::Int32 { f, signed, slots })
        }
        (A::Shl | A::Shr, 64) => {
            let slots = [d.target(to, 64)?, d.source(a, 64)?, d.source(b, 32)?];
            let f = match f {
                A::Shl => ShiftOp::Left,
                _ => ShiftOp::Right,
            };
            Ok(Op::Shift64 { f, signed, slots })
        }
        (A::Shl | A::Shr, _) => {
            let (a, b, c) = (d.source(a, bits)?, d.source(b, 32)?, d.constant(0, 32));
            let slots = [d.target(to, bits)?, a, b, c];
            same_type(f, ty, mode.saturate, slots)
        }
        (A::Bfe, 64) => {
            let (a, b, c) = (d.source(a, 64)?, d.source(b, 32)?, d.source(c, 32)?);
            let slots = [d.target(to, 64)?, a, b, c];
            Ok(Op::Extract64 { signed, slots })
        }
        _ => same_type(f, ty, mode.saturate, same_width(d, bits, to, sources)?),
    }
}

/// Operations of one integer type, by its width.
fn same_type(f: Arithmetic, ty: ScalarType, saturate: bool, slots: [Slot; 4]) -> Decoded<Op> {
    let signed = ty.is_signed();
    // Only the 32-bit unit saturates.
    if saturate && (ty.width_bits() != 32 || is_packed(ty)) {
        return Err(Unsupported);
    }
    match ty.width_bits() {
        32 if is_packed(ty) => {
            let [to, a, b, _] = slots;
            let (f, slots) = (int16x2_op(f)?, [to, a, b]);
            Ok(Op::Int16x2 { f, signed, slots })
        }
        8 | 16 => {
            let f = int16_op(f)?;
            Ok(Op::Int16 { f, signed, slots })
        }
        32 => {
            let f = int32_op(f, saturate)?;
            Ok(Op::Int32 { f, signed, slots })
        }
        64 => {
            let f = int64_op(f)?;
            Ok(Op::Int64 { f, signed, slots })
        }
        _ => Err(Unsupported),
    }
}

fn is_packed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::U16x2 | ScalarType::S16x2)
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
        T::F32 => {
            let f = float32_op(f)?;
            Ok(Op::Float32 { f, mode, slots })
        }
        T::F64 => {
            let f = float64_op(f)?;
            Ok(Op::Float64 { f, mode, slots })
        }
        T::F32x2 => {
            let f = float_op(f).ok_or(Unsupported)?;
            Ok(Op::Float32x2 { f, mode, slots })
        }
        T::F16 | T::Bf16 | T::F16x2 | T::Bf16x2 => {
            let f = half_op(f)?;
            Ok(Op::Half { f, ty, mode, slots })
        }
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
    let f = match f {
        Carry::Add => CarryOp::Add,
        Carry::Sub => CarryOp::Sub,
        Carry::MadLo => CarryOp::MadLo,
        Carry::MadHi => CarryOp::MadHi,
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

/// What every integer unit does; none for all else.
fn int_op(f: Arithmetic) -> Option<IntOp> {
    use Arithmetic as A;
    Some(match f {
        A::Add => IntOp::Add,
        A::Sub => IntOp::Sub,
        A::Sad => IntOp::Sad,
        A::Div => IntOp::Div,
        A::Rem => IntOp::Rem,
        A::Abs => IntOp::Abs,
        A::Neg => IntOp::Neg,
        A::Min => IntOp::Min,
        A::Max => IntOp::Max,
        A::And => IntOp::And,
        A::Or => IntOp::Or,
        A::Xor => IntOp::Xor,
        A::Not => IntOp::Not,
        A::Cnot => IntOp::Cnot,
        A::Mul(MulPart::Lo) => IntOp::MulLo,
        A::Mul(MulPart::Hi) => IntOp::MulHi,
        A::Mad(MulPart::Lo) => IntOp::MadLo,
        A::Mad(MulPart::Hi) => IntOp::MadHi,
        A::Mul(MulPart::Wide)
        | A::Mad(MulPart::Wide)
        | A::Mul24(_)
        | A::Mad24(_)
        | A::Fma
        | A::Rcp
        | A::Sqrt
        | A::Rsqrt
        | A::Sin
        | A::Cos
        | A::Lg2
        | A::Ex2
        | A::Tanh
        | A::Copysign
        | A::Lop3(_)
        | A::Shl
        | A::Shr
        | A::ShfLeft { .. }
        | A::ShfRight { .. }
        | A::Popc
        | A::Clz
        | A::Brev
        | A::Bfind { .. }
        | A::Bfe
        | A::Szext { .. }
        | A::Bmsk { .. }
        | A::Prmt
        | A::PrmtMode(_)
        | A::Dp4a { .. }
        | A::Dp2a { .. } => return None,
    })
}

fn int16_op(f: Arithmetic) -> Decoded<Int16Op> {
    match f {
        Arithmetic::Shl => Ok(Int16Op::Shl),
        Arithmetic::Shr => Ok(Int16Op::Shr),
        _ => int_op(f).map(Int16Op::Plain).ok_or(Unsupported),
    }
}

fn int64_op(f: Arithmetic) -> Decoded<Int64Op> {
    match f {
        Arithmetic::Brev => Ok(Int64Op::Brev),
        _ => int_op(f).map(Int64Op::Plain).ok_or(Unsupported),
    }
}

fn int16x2_op(f: Arithmetic) -> Decoded<Int16x2Op> {
    Ok(match int_op(f).ok_or(Unsupported)? {
        IntOp::Add => Int16x2Op::Add,
        IntOp::Sub => Int16x2Op::Sub,
        IntOp::MulLo => Int16x2Op::Mul,
        IntOp::Neg => Int16x2Op::Neg,
        IntOp::Abs => Int16x2Op::Abs,
        IntOp::Min => Int16x2Op::Min,
        IntOp::Max => Int16x2Op::Max,
        IntOp::MulHi
        | IntOp::MadLo
        | IntOp::MadHi
        | IntOp::Sad
        | IntOp::Div
        | IntOp::Rem
        | IntOp::And
        | IntOp::Or
        | IntOp::Xor
        | IntOp::Not
        | IntOp::Cnot => return Err(Unsupported),
    })
}

fn int32_op(f: Arithmetic, saturate: bool) -> Decoded<Int32Op> {
    use Arithmetic as A;
    use Int32Op as I;
    if saturate {
        return match f {
            A::Add => Ok(I::AddSaturated),
            A::Sub => Ok(I::SubSaturated),
            A::Mad(MulPart::Hi) => Ok(I::MadHiSaturated),
            A::Mad24(MulPart::Hi) => Ok(I::Mad24HiSaturated),
            _ => Err(Unsupported),
        };
    }
    Ok(match f {
        A::Mul24(MulPart::Lo) => I::Mul24Lo,
        A::Mul24(MulPart::Hi) => I::Mul24Hi,
        A::Mad24(MulPart::Lo) => I::Mad24Lo,
        A::Mad24(MulPart::Hi) => I::Mad24Hi,
        A::Lop3(table) => I::Lop3(table),
        A::Shl => I::Shl,
        A::Shr => I::Shr,
        A::ShfLeft { wrap } => I::ShfLeft(overflow(wrap)),
        A::ShfRight { wrap } => I::ShfRight(overflow(wrap)),
        A::Popc | A::Clz | A::Bfind { .. } => I::Count(count_op(f)?),
        A::Brev => I::Brev,
        A::Bfe => I::Bfe,
        A::Szext { wrap } => I::Szext(overflow(wrap)),
        A::Bmsk { wrap } => I::Bmsk(overflow(wrap)),
        A::Prmt => I::Prmt,
        A::PrmtMode(mode) => I::PrmtMode(mode),
        A::Dp4a { a_signed, b_signed } => I::Dp4a { a_signed, b_signed },
        A::Dp2a {
            a_signed,
            b_signed,
            high,
        } => I::Dp2a {
            a_signed,
            b_signed,
            high,
        },
        _ => I::Plain(int_op(f).ok_or(Unsupported)?),
    })
}

fn overflow(wrap: bool) -> Overflow {
    if wrap {
        Overflow::Wrap
    } else {
        Overflow::Clamp
    }
}

fn count_op(f: Arithmetic) -> Decoded<CountOp> {
    match f {
        Arithmetic::Popc => Ok(CountOp::Popc),
        Arithmetic::Clz => Ok(CountOp::Clz),
        Arithmetic::Bfind {
            shift_amount: false,
        } => Ok(CountOp::Bfind),
        Arithmetic::Bfind { shift_amount: true } => Ok(CountOp::BfindShiftAmount),
        _ => Err(Unsupported),
    }
}

/// What floats of every format share; none for all else.
fn float_op(f: Arithmetic) -> Option<FloatOp> {
    use Arithmetic as A;
    Some(match f {
        A::Add => FloatOp::Add,
        A::Sub => FloatOp::Sub,
        A::Neg => FloatOp::Neg,
        A::Abs => FloatOp::Abs,
        A::Min => FloatOp::Min,
        A::Max => FloatOp::Max,
        A::Mul(_) => FloatOp::Mul,
        A::Fma | A::Mad(_) => FloatOp::Fma,
        A::Mul24(_)
        | A::Mad24(_)
        | A::Sad
        | A::Div
        | A::Rem
        | A::Rcp
        | A::Sqrt
        | A::Rsqrt
        | A::Sin
        | A::Cos
        | A::Lg2
        | A::Ex2
        | A::Tanh
        | A::Copysign
        | A::And
        | A::Or
        | A::Xor
        | A::Not
        | A::Cnot
        | A::Lop3(_)
        | A::Shl
        | A::Shr
        | A::ShfLeft { .. }
        | A::ShfRight { .. }
        | A::Popc
        | A::Clz
        | A::Brev
        | A::Bfind { .. }
        | A::Bfe
        | A::Szext { .. }
        | A::Bmsk { .. }
        | A::Prmt
        | A::PrmtMode(_)
        | A::Dp4a { .. }
        | A::Dp2a { .. } => return None,
    })
}

fn float32_op(f: Arithmetic) -> Decoded<Float32Op> {
    match f {
        Arithmetic::Div => Ok(Float32Op::Div),
        Arithmetic::Rcp => Ok(Float32Op::Rcp),
        Arithmetic::Sqrt => Ok(Float32Op::Sqrt),
        Arithmetic::Rsqrt => Ok(Float32Op::Rsqrt),
        Arithmetic::Sin => Ok(Float32Op::Sin),
        Arithmetic::Cos => Ok(Float32Op::Cos),
        Arithmetic::Lg2 => Ok(Float32Op::Lg2),
        Arithmetic::Ex2 => Ok(Float32Op::Ex2),
        Arithmetic::Tanh => Ok(Float32Op::Tanh),
        Arithmetic::Copysign => Ok(Float32Op::Copysign),
        _ => float_op(f).map(Float32Op::Plain).ok_or(Unsupported),
    }
}

fn float64_op(f: Arithmetic) -> Decoded<Float64Op> {
    match f {
        Arithmetic::Div => Ok(Float64Op::Div),
        Arithmetic::Rcp => Ok(Float64Op::Rcp),
        Arithmetic::Sqrt => Ok(Float64Op::Sqrt),
        Arithmetic::Rsqrt => Ok(Float64Op::Rsqrt),
        Arithmetic::Copysign => Ok(Float64Op::Copysign),
        _ => float_op(f).map(Float64Op::Plain).ok_or(Unsupported),
    }
}

fn half_op(f: Arithmetic) -> Decoded<HalfOp> {
    match f {
        Arithmetic::Ex2 => Ok(HalfOp::Ex2),
        Arithmetic::Tanh => Ok(HalfOp::Tanh),
        _ => float_op(f).map(HalfOp::Plain).ok_or(Unsupported),
    }
}
