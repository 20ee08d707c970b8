//! Decoder of arithmetic instructions that are legalized to several operations in one step.

use crate::code::decoded_op::DecodedOp;
use crate::code::{CompareType, Comparison, PredicateCombine};
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::alu_ops::{Float32Op, FloatOp, Int32Op, IntOp, PackedIntOp};
use crate::semantics::registers::OperandSlot;
use crate::semantics::rounding::ArithmeticMode;
use crate::semantics::rounding::{Conversion, FloatMode};
use warpgrid_isa::{ArithmeticOp, CompareOp, Flag, Modifiers, ScalarType, Signedness};
use warpgrid_program::OperandValue;

/// Kind of legalization, by which an arithmetic instruction is decoded to several operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Legalization {
    /// `lop3` that combines its result with a predicate.
    LogicAndPredicate,
    /// `min` and `max` of three `f32` operands.
    ExtremeOfThree,
    /// Mixed-precision addition or multiplication of 16-bit floats and `f32`.
    Mixed(FloatOp),
    /// `min.relu` and `max.relu` of integers.
    ExtremeAboveZero,
}

/// Returns the legalization of an instruction, or `None` if a single operation implements the instruction.
pub(crate) fn expansion(op: ArithmeticOp, modifiers: &Modifiers) -> Option<Legalization> {
    use ArithmeticOp as A;
    let is_extreme = matches!(op, A::Min | A::Max);
    let is_mixed = modifiers.d_type == Some(ScalarType::F32)
        && matches!(modifiers.a_type, Some(ScalarType::F16 | ScalarType::Bf16));
    let is_word = matches!(
        modifiers.ty,
        Some(
            ScalarType::S32
                | ScalarType::U32
                | ScalarType::S16x2
                | ScalarType::U16x2
                | ScalarType::S8x4
                | ScalarType::U8x4
        )
    );
    if op == A::Lop3 && modifiers.combine.is_some() {
        return Some(Legalization::LogicAndPredicate);
    }
    if is_extreme && modifiers.has(Flag::Relu) && is_word {
        return Some(Legalization::ExtremeAboveZero);
    }
    if is_mixed {
        let sums = [
            (A::Add, FloatOp::Add),
            (A::Sub, FloatOp::Sub),
            (A::Fma, FloatOp::Fma),
        ];
        let found = sums.into_iter().find(|(of, _)| *of == op);
        return found.map(|(_, f)| Legalization::Mixed(f));
    }
    None
}

/// Returns the legalization of an instruction, including legalizations that depend on the operands.
pub(crate) fn expansion_of(d: &Decoder<'_>, op: ArithmeticOp) -> Option<Legalization> {
    let is_extreme = matches!(op, ArithmeticOp::Min | ArithmeticOp::Max);
    let has_third = !matches!(d.operand(3), OperandValue::Absent);
    if is_extreme && has_third && d.modifiers.ty == Some(ScalarType::F32) {
        return Some(Legalization::ExtremeOfThree);
    }
    expansion(op, d.modifiers)
}

pub(crate) fn decode(
    d: &mut Decoder<'_>,
    op: ArithmeticOp,
    to: Legalization,
) -> DecodeResult<DecodedOp> {
    match to {
        Legalization::LogicAndPredicate => logic_and_predicate(d),
        Legalization::ExtremeOfThree => extreme_of_three(d, op),
        Legalization::Mixed(f) => mixed(d, f),
        Legalization::ExtremeAboveZero => extreme_above_zero(d, op),
    }
}

/// Decodes `lop3.or.b32 d|p, a, b, c, table, q`. The predicate p receives whether the result is nonzero, combined with
/// the predicate q.
fn logic_and_predicate(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let (to, p) = d.pair(0, 32)?;
    let to = match to.is_some() {
        true => to,
        false => d.hidden(32).slot,
    };
    let slots = [to, d.source(1, 32)?, d.source(2, 32)?, d.source(3, 32)?];
    let f = Int32Op::Lop3(d.immediate(4)? as u8);
    let q = d.predicate(5)?;
    let op = d
        .modifiers
        .combine
        .ok_or_else(|| DecodeError::missing("combination"))?;
    let compare = Comparison {
        kind: CompareType::U32,
        op: CompareOp::Ne,
        ftz: false,
        a: to,
        b: d.constant(0, 32),
    };
    d.after.push(DecodedOp::SetPredicate {
        compare,
        d: p,
        q: OperandSlot::NONE,
        combine: Some(PredicateCombine {
            op,
            slot: q.slot,
            negated: q.negated,
        }),
    });
    let sign = Signedness::Unsigned;
    Ok(DecodedOp::Int32 { f, sign, slots })
}

/// Decodes `min.f32 d, a, b, c` and `max.f32`. The minimum or maximum of the first two sources is computed first, then
/// combined with the third source.
fn extreme_of_three(d: &mut Decoder<'_>, op: ArithmeticOp) -> DecodeResult<DecodedOp> {
    let is_min = op == ArithmeticOp::Min;
    let f = Float32Op::Plain(if is_min { FloatOp::Min } else { FloatOp::Max });
    let mode = FloatMode::from(ArithmeticMode::from(d.modifiers));
    let zero = d.constant(0, 32);
    let mut sources = [d.source(1, 32)?, d.source(2, 32)?, d.source(3, 32)?];
    if d.modifiers.has(Flag::Abs) {
        for source in &mut sources {
            let size = d.hidden(32).slot;
            d.before.push(DecodedOp::Float32 {
                f: Float32Op::Plain(FloatOp::Abs),
                mode: FloatMode::default(),
                slots: [size, *source, zero, zero],
            });
            *source = size;
        }
    }
    let [a, b, c] = sources;
    let first = d.hidden(32).slot;
    let slots = [first, a, b, zero];
    d.before.push(DecodedOp::Float32 { f, mode, slots });
    let slots = [d.target(0, 32)?, first, c, zero];
    Ok(DecodedOp::Float32 { f, mode, slots })
}

/// Decodes `add.f32.f16 d, a, c` and `fma.rn.f32.f16 d, a, b, c`. The 16-bit floats are first converted to `f32`, which
/// is exact.
fn mixed(d: &mut Decoder<'_>, f: FloatOp) -> DecodeResult<DecodedOp> {
    let mode = FloatMode::from(ArithmeticMode::from(d.modifiers));
    let a = widened(d, 1)?;
    let slots = match f {
        FloatOp::Fma => [d.target(0, 32)?, a, widened(d, 2)?, d.source(3, 32)?],
        _ => {
            let zero = d.constant(0, 32);
            [d.target(0, 32)?, a, d.source(2, 32)?, zero]
        }
    };
    let f = Float32Op::Plain(f);
    Ok(DecodedOp::Float32 { f, mode, slots })
}

/// Returns a hidden register with a 16-bit float source that is converted to `f32`.
fn widened(d: &mut Decoder<'_>, index: usize) -> DecodeResult<OperandSlot> {
    let from = d
        .modifiers
        .a_type
        .ok_or_else(|| DecodeError::missing("type"))?;
    let a = d.element(index, 16)?;
    let to = d.hidden(32);
    let conversion = Conversion {
        to: ScalarType::F32,
        from,
        mode: ArithmeticMode::default(),
    };
    let d_to = to;
    d.before.push(DecodedOp::Convert {
        conversion,
        d: d_to,
        a,
    });
    Ok(to.slot)
}

/// Decodes `min.relu.s32` and `max.relu.s16x2`. The operation replaces negative results with zero.
fn extreme_above_zero(d: &mut Decoder<'_>, op: ArithmeticOp) -> DecodeResult<DecodedOp> {
    let is_min = op == ArithmeticOp::Min;
    let ty = d.modifiers.ty.unwrap_or(ScalarType::B32);
    let sign = ty.signedness();
    let zero = d.constant(0, 32);
    let (a, b) = (d.source(1, 32)?, d.source(2, 32)?);
    let (first, to) = (d.hidden(32).slot, d.target(0, 32)?);
    if ty.is_packed_integer() {
        let has_bytes = matches!(ty, ScalarType::S8x4 | ScalarType::U8x4);
        let of = |f, slots| match has_bytes {
            true => DecodedOp::Int8x4 { f, sign, slots },
            false => DecodedOp::Int16x2 { f, sign, slots },
        };
        let f = if is_min {
            PackedIntOp::Min
        } else {
            PackedIntOp::Max
        };
        d.before.push(of(f, [first, a, b]));
        return Ok(of(PackedIntOp::Max, [to, first, zero]));
    }
    let f = Int32Op::Plain(if is_min { IntOp::Min } else { IntOp::Max });
    let slots = [first, a, b, zero];
    d.before.push(DecodedOp::Int32 { f, sign, slots });
    let f = Int32Op::Plain(IntOp::Max);
    let slots = [to, first, zero, zero];
    Ok(DecodedOp::Int32 { f, sign, slots })
}
