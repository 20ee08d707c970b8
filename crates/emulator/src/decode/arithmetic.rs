//! Arithmetic: type and modifiers pick the unit and what it does; operands go to the unit's banks.

use super::{Decoded, Decoder, Refusal, Support};
use crate::decode::code::{FloatMode, Op};
use crate::decode::ops::{
    CountOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int16x2Op, Int32Op, Int64Op, IntOp,
    Overflow, ShiftOp,
};
use crate::exec::mode::ArithmeticMode;
use crate::state::registers::Slot;
use warpgrid_isa::{ArithmeticOp, Flag, Modifiers, MulPart, OverflowMode, ScalarType};

/// The unit that an instruction runs on, and what it does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Int16(Int16Op),
    Int32(Int32Op),
    Int64(Int64Op),
    Int16x2(Int16x2Op),
    /// b is 32 bits wide.
    Shift64(ShiftOp),
    /// The result is 32 bits wide.
    Count64(CountOp),
    /// Position and length are 32 bits wide.
    Extract64,
    /// Twice as wide as its factors.
    Product,
    Insert,
    Float32(Float32Op),
    Float64(Float64Op),
    Float32x2(FloatOp),
    Half(HalfOp),
    /// Logic on predicates, by truth table of two.
    Predicate(Logic),
}

/// Logic on predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Logic {
    And,
    Or,
    Xor,
    Not,
}

pub(super) fn supports(op: ArithmeticOp, modifiers: &Modifiers) -> Support {
    match unit(op, modifiers) {
        Some(_) => Support::Runs,
        None => Support::not_yet("this operation on this type"),
    }
}

pub(super) fn decode(d: &mut Decoder<'_>, op: ArithmeticOp) -> Decoded<Op> {
    let modifiers = d.modifiers;
    let unit = unit(op, modifiers).ok_or(Refusal::NotYet(None))?;
    let ty = operand_type(op, modifiers);
    let (bits, signed) = (ty.width_bits(), ty.is_signed());
    let mode = FloatMode::from(ArithmeticMode::from(modifiers));
    let n = n_sources(op);
    Ok(match unit {
        Unit::Int16(f) => {
            let slots = mixed_width(d, op, bits, n)?;
            Op::Int16 { f, signed, slots }
        }
        Unit::Int32(f) => {
            let slots = mixed_width(d, op, bits, n)?;
            let f = with_table(d, op, f)?;
            Op::Int32 { f, signed, slots }
        }
        Unit::Int64(f) => {
            let slots = same_width(d, bits, n)?;
            Op::Int64 { f, signed, slots }
        }
        Unit::Int16x2(f) => {
            let [to, a, b, _] = same_width(d, bits, n)?;
            let slots = [to, a, b];
            Op::Int16x2 { f, signed, slots }
        }
        Unit::Shift64(f) => {
            let slots = [d.target(0, 64)?, d.source(1, 64)?, d.source(2, 32)?];
            Op::Shift64 { f, signed, slots }
        }
        Unit::Count64(f) => {
            let slots = [d.target(0, 32)?, d.source(1, 64)?];
            Op::Count64 { f, signed, slots }
        }
        Unit::Extract64 => {
            let (b, c) = (d.source(2, 32)?, d.source(3, 32)?);
            let slots = [d.target(0, 64)?, d.source(1, 64)?, b, c];
            Op::Extract64 { signed, slots }
        }
        Unit::Product => return product(d, op, ty),
        Unit::Insert => return insert(d, bits),
        Unit::Float32(f) => {
            let slots = same_width(d, bits, n)?;
            Op::Float32 { f, mode, slots }
        }
        Unit::Float64(f) => {
            let slots = same_width(d, bits, n)?;
            Op::Float64 { f, mode, slots }
        }
        Unit::Float32x2(f) => {
            let slots = same_width(d, bits, n)?;
            Op::Float32x2 { f, mode, slots }
        }
        Unit::Half(f) => {
            let slots = same_width(d, bits, n)?;
            Op::Half { f, ty, mode, slots }
        }
        Unit::Predicate(logic) => return predicate_logic(d, logic),
    })
}

/// The type of the operands: that of the instruction, or of a where the types of a and b are named.
fn operand_type(op: ArithmeticOp, modifiers: &Modifiers) -> ScalarType {
    if matches!(op, ArithmeticOp::Dp4a | ArithmeticOp::Dp2a) {
        return ScalarType::B32;
    }
    modifiers.ty.unwrap_or(ScalarType::B32)
}

/// Result and sources that are all as wide as the type; sources that the operation lacks are zero.
pub(super) fn same_width(d: &mut Decoder<'_>, bits: u32, n: usize) -> Decoded<[Slot; 4]> {
    let mut slots = [d.constant(0, bits); 4];
    slots[0] = d.target(0, bits)?;
    for (i, slot) in slots.iter_mut().enumerate().skip(1).take(n) {
        *slot = d.source(i, bits)?;
    }
    Ok(slots)
}

/// As [`same_width`]; amounts, positions and counts are 32 bits wide whatever the type.
fn mixed_width(d: &mut Decoder<'_>, op: ArithmeticOp, bits: u32, n: usize) -> Decoded<[Slot; 4]> {
    let narrow = matches!(op, ArithmeticOp::Shl | ArithmeticOp::Shr);
    let mut slots = [d.constant(0, bits); 4];
    slots[0] = d.target(0, bits)?;
    for (i, slot) in slots.iter_mut().enumerate().skip(1).take(n) {
        *slot = d.source(i, if narrow && i == 2 { 32 } else { bits })?;
    }
    Ok(slots)
}

/// The truth table of `lop3` is its fourth source, a literal.
fn with_table(d: &Decoder<'_>, op: ArithmeticOp, f: Int32Op) -> Decoded<Int32Op> {
    if op == ArithmeticOp::Lop3 {
        return Ok(Int32Op::Lop3(d.immediate(4)? as u8));
    }
    Ok(f)
}

/// `mul.wide` and `mad.wide`
fn product(d: &mut Decoder<'_>, op: ArithmeticOp, ty: ScalarType) -> Decoded<Op> {
    let (bits, signed) = (ty.width_bits(), ty.is_signed());
    let to = d.target(0, 2 * bits)?;
    let (a, b) = (d.source(1, bits)?, d.source(2, bits)?);
    let c = if op == ArithmeticOp::Mad {
        d.source(3, 2 * bits)?
    } else {
        Slot::NONE
    };
    let slots = [to, a, b, c];
    Ok(match bits {
        16 => Op::Wide16 { signed, slots },
        _ => Op::Wide32 { signed, slots },
    })
}

/// `bfi`
fn insert(d: &mut Decoder<'_>, bits: u32) -> Decoded<Op> {
    let (a, b) = (d.source(1, bits)?, d.source(2, bits)?);
    let (position, length) = (d.source(3, 32)?, d.source(4, 32)?);
    let slots = [d.target(0, bits)?, a, b, position, length];
    Ok(match bits {
        64 => Op::Insert64(slots),
        _ => Op::Insert32(slots),
    })
}

/// `and.pred` and relatives: negations of the sources are part of the truth table.
fn predicate_logic(d: &mut Decoder<'_>, logic: Logic) -> Decoded<Op> {
    let to = d.target(0, 1)?;
    let a = d.predicate(1)?;
    let b = match logic {
        Logic::Not => a,
        Logic::And | Logic::Or | Logic::Xor => d.predicate(2)?,
    };
    let table = (0..4u8).fold(0, |table, bit| {
        let (x, y) = ((bit & 2 != 0) ^ a.negated, (bit & 1 != 0) ^ b.negated);
        let holds = match logic {
            Logic::And => x & y,
            Logic::Or => x | y,
            Logic::Xor => x ^ y,
            Logic::Not => !x,
        };
        table | u8::from(holds) << bit
    });
    Ok(Op::PredicateLogic {
        table,
        d: to,
        a: a.slot,
        b: b.slot,
    })
}

/// Sources that an operation reads from registers, up to three.
const fn n_sources(op: ArithmeticOp) -> usize {
    use ArithmeticOp as A;
    match op {
        A::Abs
        | A::Neg
        | A::Rcp
        | A::Sqrt
        | A::Rsqrt
        | A::Sin
        | A::Cos
        | A::Lg2
        | A::Ex2
        | A::Tanh
        | A::Not
        | A::Cnot
        | A::Popc
        | A::Clz
        | A::Brev
        | A::Bfind => 1,
        A::Add
        | A::Sub
        | A::Mul
        | A::Mul24
        | A::Div
        | A::Rem
        | A::Min
        | A::Max
        | A::Copysign
        | A::And
        | A::Or
        | A::Xor
        | A::Shl
        | A::Shr
        | A::Szext
        | A::Bmsk => 2,
        A::Mad
        | A::Fma
        | A::Mad24
        | A::Sad
        | A::Lop3
        | A::Shf
        | A::Bfe
        | A::Bfi
        | A::Fns
        | A::Prmt
        | A::Dp4a
        | A::Dp2a => 3,
    }
}

/// Which unit runs the operation; none where no unit does.
fn unit(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Unit> {
    let ty = operand_type(op, modifiers);
    if ty == ScalarType::Pred {
        return Some(Unit::Predicate(logic(op)?));
    }
    if ty.is_float() {
        return float(op, ty);
    }
    // `lop3` with a predicate and `min.relu` of integers have no unit.
    if modifiers.combine.is_some() || modifiers.has(Flag::Relu) {
        return None;
    }
    let (bits, part) = (ty.width_bits(), part(modifiers));
    if matches!(op, ArithmeticOp::Mul | ArithmeticOp::Mad) && part == MulPart::Wide {
        return matches!(bits, 16 | 32).then_some(Unit::Product);
    }
    if op == ArithmeticOp::Bfi {
        return matches!(bits, 32 | 64).then_some(Unit::Insert);
    }
    // Only the 32-bit unit saturates.
    if modifiers.has(Flag::Sat) && (bits != 32 || is_packed(ty)) {
        return None;
    }
    match bits {
        16 => int16(op, modifiers).map(Unit::Int16),
        32 if is_packed(ty) => packed(op, modifiers).map(Unit::Int16x2),
        32 => int32(op, modifiers).map(Unit::Int32),
        64 => int64(op, modifiers),
        _ => None,
    }
}

fn is_packed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::U16x2 | ScalarType::S16x2)
}

fn part(modifiers: &Modifiers) -> MulPart {
    modifiers.part.unwrap_or(MulPart::Lo)
}

fn logic(op: ArithmeticOp) -> Option<Logic> {
    match int(op, MulPart::Lo)? {
        IntOp::And => Some(Logic::And),
        IntOp::Or => Some(Logic::Or),
        IntOp::Xor => Some(Logic::Xor),
        IntOp::Not => Some(Logic::Not),
        IntOp::Add
        | IntOp::Sub
        | IntOp::MulLo
        | IntOp::MulHi
        | IntOp::MadLo
        | IntOp::MadHi
        | IntOp::Sad
        | IntOp::Div
        | IntOp::Rem
        | IntOp::Abs
        | IntOp::Neg
        | IntOp::Min
        | IntOp::Max
        | IntOp::Cnot => None,
    }
}

/// What integers of 16, 32 and 64 bits share; none for all else.
fn int(op: ArithmeticOp, part: MulPart) -> Option<IntOp> {
    use ArithmeticOp as A;
    let high = part == MulPart::Hi;
    Some(match op {
        A::Add => IntOp::Add,
        A::Sub => IntOp::Sub,
        A::Mul if high => IntOp::MulHi,
        A::Mul => IntOp::MulLo,
        A::Mad if high => IntOp::MadHi,
        A::Mad => IntOp::MadLo,
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
        A::Fma
        | A::Mul24
        | A::Mad24
        | A::Rcp
        | A::Sqrt
        | A::Rsqrt
        | A::Sin
        | A::Cos
        | A::Lg2
        | A::Ex2
        | A::Tanh
        | A::Copysign
        | A::Lop3
        | A::Shl
        | A::Shr
        | A::Shf
        | A::Popc
        | A::Clz
        | A::Brev
        | A::Bfind
        | A::Bfe
        | A::Bfi
        | A::Fns
        | A::Szext
        | A::Bmsk
        | A::Prmt
        | A::Dp4a
        | A::Dp2a => return None,
    })
}

fn int16(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Int16Op> {
    if op == ArithmeticOp::Shl {
        return Some(Int16Op::Shl);
    }
    if op == ArithmeticOp::Shr {
        return Some(Int16Op::Shr);
    }
    int(op, part(modifiers)).map(Int16Op::Plain)
}

fn packed(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Int16x2Op> {
    match int(op, part(modifiers))? {
        IntOp::Add => Some(Int16x2Op::Add),
        IntOp::Sub => Some(Int16x2Op::Sub),
        IntOp::MulLo => Some(Int16x2Op::Mul),
        IntOp::Neg => Some(Int16x2Op::Neg),
        IntOp::Abs => Some(Int16x2Op::Abs),
        IntOp::Min => Some(Int16x2Op::Min),
        IntOp::Max => Some(Int16x2Op::Max),
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
        | IntOp::Cnot => None,
    }
}

/// Counts and searches of bits; none for all else.
fn count(op: ArithmeticOp, modifiers: &Modifiers) -> Option<CountOp> {
    let bfind = if modifiers.has(Flag::ShiftAmount) {
        CountOp::BfindShiftAmount
    } else {
        CountOp::Bfind
    };
    let own = [
        (ArithmeticOp::Popc, CountOp::Popc),
        (ArithmeticOp::Clz, CountOp::Clz),
        (ArithmeticOp::Bfind, bfind),
    ];
    find(&own, op)
}

fn int64(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Unit> {
    let own = [
        (ArithmeticOp::Shl, Unit::Shift64(ShiftOp::Left)),
        (ArithmeticOp::Shr, Unit::Shift64(ShiftOp::Right)),
        (ArithmeticOp::Bfe, Unit::Extract64),
        (ArithmeticOp::Brev, Unit::Int64(Int64Op::Brev)),
    ];
    find(&own, op)
        .or_else(|| count(op, modifiers).map(Unit::Count64))
        .or_else(|| int(op, part(modifiers)).map(|f| Unit::Int64(Int64Op::Plain(f))))
}

fn int32(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Int32Op> {
    use ArithmeticOp as A;
    use Int32Op as I;
    let high = part(modifiers) == MulPart::Hi;
    if modifiers.has(Flag::Sat) {
        return saturated(op, high);
    }
    let signed = |ty: Option<ScalarType>| ty.is_some_and(ScalarType::is_signed);
    let (a_signed, b_signed) = (signed(modifiers.a_type), signed(modifiers.b_type));
    let overflow = match modifiers.overflow {
        Some(OverflowMode::Wrap) => Overflow::Wrap,
        Some(OverflowMode::Clamp) | None => Overflow::Clamp,
    };
    Some(match op {
        A::Mul24 if high => I::Mul24Hi,
        A::Mul24 => I::Mul24Lo,
        A::Mad24 if high => I::Mad24Hi,
        A::Mad24 => I::Mad24Lo,
        // The table is read with the operands.
        A::Lop3 => I::Lop3(0),
        A::Shl => I::Shl,
        A::Shr => I::Shr,
        A::Shf if modifiers.has(Flag::Left) => I::ShfLeft(overflow),
        A::Shf => I::ShfRight(overflow),
        A::Brev => I::Brev,
        A::Bfe => I::Bfe,
        A::Szext => I::Szext(overflow),
        A::Bmsk => I::Bmsk(overflow),
        A::Prmt => modifiers.permute.map_or(I::Prmt, I::PrmtMode),
        A::Dp4a => I::Dp4a { a_signed, b_signed },
        A::Dp2a => I::Dp2a {
            a_signed,
            b_signed,
            high,
        },
        A::Popc | A::Clz | A::Bfind => I::Count(count(op, modifiers)?),
        A::Add
        | A::Sub
        | A::Mul
        | A::Mad
        | A::Sad
        | A::Div
        | A::Rem
        | A::Abs
        | A::Neg
        | A::Min
        | A::Max
        | A::And
        | A::Or
        | A::Xor
        | A::Not
        | A::Cnot => I::Plain(int(op, part(modifiers))?),
        A::Fma
        | A::Rcp
        | A::Sqrt
        | A::Rsqrt
        | A::Sin
        | A::Cos
        | A::Lg2
        | A::Ex2
        | A::Tanh
        | A::Copysign
        | A::Bfi
        | A::Fns => return None,
    })
}

/// Operations that clamp to the range of `.s32`; none for all else.
fn saturated(op: ArithmeticOp, high: bool) -> Option<Int32Op> {
    [
        (ArithmeticOp::Add, true, Int32Op::AddSaturated),
        (ArithmeticOp::Sub, true, Int32Op::SubSaturated),
        (ArithmeticOp::Mad, high, Int32Op::MadHiSaturated),
        (ArithmeticOp::Mad24, high, Int32Op::Mad24HiSaturated),
    ]
    .into_iter()
    .find_map(|(saturates, exists, f)| (saturates == op && exists).then_some(f))
}

/// What a list of an unit's own operations has for this one.
fn find<T: Copy>(own: &[(ArithmeticOp, T)], op: ArithmeticOp) -> Option<T> {
    own.iter().find(|(of, _)| *of == op).map(|(_, f)| *f)
}

fn float(op: ArithmeticOp, ty: ScalarType) -> Option<Unit> {
    use ScalarType as T;
    match ty {
        T::F32 => float32(op).map(Unit::Float32),
        T::F64 => float64(op).map(Unit::Float64),
        T::F32x2 => plain_float(op).map(Unit::Float32x2),
        T::F16 | T::Bf16 | T::F16x2 | T::Bf16x2 => half(op).map(Unit::Half),
        _ => None,
    }
}

/// What floats of every format share; none for all else.
fn plain_float(op: ArithmeticOp) -> Option<FloatOp> {
    use ArithmeticOp as A;
    Some(match op {
        A::Add => FloatOp::Add,
        A::Sub => FloatOp::Sub,
        A::Mul => FloatOp::Mul,
        // From sm_20 on, `mad` of floats is `fma` (PTX ISA, "mad").
        A::Mad | A::Fma => FloatOp::Fma,
        A::Neg => FloatOp::Neg,
        A::Abs => FloatOp::Abs,
        A::Min => FloatOp::Min,
        A::Max => FloatOp::Max,
        A::Mul24
        | A::Mad24
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
        | A::Lop3
        | A::Shl
        | A::Shr
        | A::Shf
        | A::Popc
        | A::Clz
        | A::Brev
        | A::Bfind
        | A::Bfe
        | A::Bfi
        | A::Fns
        | A::Szext
        | A::Bmsk
        | A::Prmt
        | A::Dp4a
        | A::Dp2a => return None,
    })
}

fn float32(op: ArithmeticOp) -> Option<Float32Op> {
    let own = [
        (ArithmeticOp::Div, Float32Op::Div),
        (ArithmeticOp::Rcp, Float32Op::Rcp),
        (ArithmeticOp::Sqrt, Float32Op::Sqrt),
        (ArithmeticOp::Rsqrt, Float32Op::Rsqrt),
        (ArithmeticOp::Sin, Float32Op::Sin),
        (ArithmeticOp::Cos, Float32Op::Cos),
        (ArithmeticOp::Lg2, Float32Op::Lg2),
        (ArithmeticOp::Ex2, Float32Op::Ex2),
        (ArithmeticOp::Tanh, Float32Op::Tanh),
        (ArithmeticOp::Copysign, Float32Op::Copysign),
    ];
    find(&own, op).or_else(|| plain_float(op).map(Float32Op::Plain))
}

fn float64(op: ArithmeticOp) -> Option<Float64Op> {
    let own = [
        (ArithmeticOp::Div, Float64Op::Div),
        (ArithmeticOp::Rcp, Float64Op::Rcp),
        (ArithmeticOp::Sqrt, Float64Op::Sqrt),
        (ArithmeticOp::Rsqrt, Float64Op::Rsqrt),
        (ArithmeticOp::Copysign, Float64Op::Copysign),
    ];
    find(&own, op).or_else(|| plain_float(op).map(Float64Op::Plain))
}

fn half(op: ArithmeticOp) -> Option<HalfOp> {
    let own = [
        (ArithmeticOp::Ex2, HalfOp::Ex2),
        (ArithmeticOp::Tanh, HalfOp::Tanh),
    ];
    find(&own, op).or_else(|| plain_float(op).map(HalfOp::Plain))
}
