//! Decoder of comparisons and selections (PTX ISA, "Comparison and Selection Instructions").

use crate::code::decoded_op::DecodedOp;
use crate::code::{CompareType, Comparison, PredicateCombine, SelectCondition};
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder, bank_of, sass};
use crate::semantics::alu_ops::Int32Op;
use crate::semantics::registers::OperandSlot;
use warpgrid_isa::{ComparisonOp, Flag, Modifiers, ScalarType, Signedness, TypeKind};

pub(crate) fn supports(form: ComparisonOp, modifiers: &Modifiers) -> Support {
    let runs = match form {
        ComparisonOp::Setp | ComparisonOp::Set => {
            compared_type(modifiers).is_some_and(|ty| kind(ty).is_some() || half_of(ty).is_some())
        }
        ComparisonOp::Testp => matches!(modifiers.ty, Some(ScalarType::F32 | ScalarType::F64)),
        ComparisonOp::Selp => matches!(
            modifiers.ty.map(ScalarType::width_bits),
            Some(8 | 16 | 32 | 64)
        ),
        ComparisonOp::Slct => matches!(
            modifiers.result_type().map(ScalarType::width_bits),
            Some(16 | 32 | 64)
        ),
    };
    if runs {
        Support::Runs
    } else {
        Support::not_yet("comparisons for this type")
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, form: ComparisonOp) -> DecodeResult<DecodedOp> {
    match form {
        // The assembler accepts `testp.f32 p, a` without a test. Such an instruction leaves p unmodified.
        ComparisonOp::Testp if d.modifiers.test.is_none() => Ok(DecodedOp::Nop),
        ComparisonOp::Setp if is_pair(d) => set_predicates(d),
        ComparisonOp::Set if is_pair(d) => set_pair(d),
        ComparisonOp::Setp => {
            let compare = comparison(d)?;
            let combine = combined(d, 3)?;
            let (d, q) = d.pair(0, 1)?;
            Ok(DecodedOp::SetPredicate {
                compare,
                d,
                q,
                combine,
            })
        }
        ComparisonOp::Set => {
            let to = d.modifiers.result_type();
            let to = to.ok_or_else(|| DecodeError::missing("type"))?;
            Ok(DecodedOp::Set {
                compare: comparison(d)?,
                to,
                combine: combined(d, 3)?,
                d: d.target(0, to.width_bits())?,
            })
        }
        ComparisonOp::Testp => {
            let bits = d.modifiers.ty.map_or(32, ScalarType::width_bits);
            let test = d
                .modifiers
                .test
                .ok_or_else(|| DecodeError::missing("test"))?;
            Ok(DecodedOp::TestFloat {
                test,
                bank: bank_of(bits),
                a: d.source(1, bits)?,
                d: d.target(0, 1)?,
            })
        }
        ComparisonOp::Selp => select(d),
        ComparisonOp::Slct => {
            let ty = d.modifiers.result_type();
            let bits = ty.map_or(32, ScalarType::width_bits);
            let sign = match d.modifiers.source_type() {
                Some(ty) if ty.is_float() && d.modifiers.has(Flag::Ftz) => SelectCondition::Flushed,
                Some(ty) if ty.is_float() => SelectCondition::Float,
                Some(_) | None => SelectCondition::Integer,
            };
            Ok(DecodedOp::SelectSign {
                a: d.source(1, bits)?,
                b: d.source(2, bits)?,
                c: d.source(3, 32)?,
                sign,
                d: d.destination(0)?,
            })
        }
    }
}

/// Returns the element type of a packed pair type.
fn half_of(ty: ScalarType) -> Option<ScalarType> {
    match ty {
        ScalarType::F16x2 => Some(ScalarType::F16),
        ScalarType::Bf16x2 => Some(ScalarType::Bf16),
        _ => None,
    }
}

fn is_pair(d: &Decoder<'_>) -> bool {
    compared_type(d.modifiers).is_some_and(|ty| half_of(ty).is_some())
}

/// Decodes a comparison of packed pairs into the comparisons of the lower halves and of the upper halves.
fn halves(d: &mut Decoder<'_>) -> DecodeResult<[Comparison; 2]> {
    let modifiers = d.modifiers;
    let ty = compared_type(modifiers).and_then(half_of).and_then(kind);
    let low = Comparison {
        kind: ty.ok_or_else(|| DecodeError::missing("type"))?,
        op: modifiers
            .compare
            .ok_or_else(|| DecodeError::missing("comparison"))?,
        ftz: modifiers.has(Flag::Ftz),
        a: d.source(1, 32)?,
        b: d.source(2, 32)?,
    };
    let high = Comparison {
        a: high_half(d, low.a),
        b: high_half(d, low.b),
        ..low
    };
    Ok([low, high])
}

/// Returns a hidden register with the upper half of a register.
fn high_half(d: &mut Decoder<'_>, of: OperandSlot) -> OperandSlot {
    let to = d.hidden(32).slot;
    let slots = [to, of, d.constant(16, 32), d.constant(0, 32)];
    let (f, sign) = (Int32Op::Shr, Signedness::Unsigned);
    d.before.push(DecodedOp::Int32 { f, sign, slots });
    to
}

/// Decodes `setp.lt.f16x2 p|q, a, b`. The predicate p receives the result for the lower halves, and q receives the
/// result for the upper halves.
fn set_predicates(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let [low, high] = halves(d)?;
    let combine = combined(d, 3)?;
    let (p, q) = d.pair(0, 1)?;
    // Compute both results before writing p and q, because p or q may also be the combined predicate or the guard.
    let results = [d.hidden(1).slot, d.hidden(1).slot];
    for (compare, to) in [low, high].into_iter().zip(results) {
        d.before.push(DecodedOp::SetPredicate {
            compare,
            d: to,
            q: OperandSlot::NONE,
            combine,
        });
    }
    Ok(sass::copy_both(d, [p, q], results))
}

/// Decodes `set.lt.f16x2.f16x2 d, a, b`. Each half of d receives the result for the corresponding halves of a and b.
fn set_pair(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let compare = halves(d)?;
    let combine = combined(d, 3)?;
    let to = d.modifiers.result_type();
    let to = to.and_then(half_of).unwrap_or(ScalarType::U16);
    let parts = [d.hidden(32).slot, d.hidden(32).slot];
    for (compare, part) in compare.into_iter().zip(parts) {
        d.before.push(DecodedOp::Set {
            compare,
            to,
            d: part,
            combine,
        });
    }
    let [low, high] = parts;
    let half = d.constant(16, 32);
    Ok(DecodedOp::Insert32([
        d.target(0, 32)?,
        high,
        low,
        half,
        half,
    ]))
}

/// Decodes `selp`. For a negated predicate, the two sources are exchanged.
fn select(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let bits = d.modifiers.ty.map_or(32, ScalarType::width_bits);
    let predicate = d.predicate(3)?;
    let (a, b) = (d.source(1, bits)?, d.source(2, bits)?);
    let (a, b) = if predicate.negated { (b, a) } else { (a, b) };
    let (d, p) = (d.target(0, bits)?, predicate.slot);
    Ok(match bits {
        64 => DecodedOp::Select64 { d, a, b, p },
        _ => DecodedOp::Select32 { d, a, b, p },
    })
}

/// Returns the type of the compared values, which is `.stype` of `set`, or the only type of `setp`.
fn compared_type(modifiers: &Modifiers) -> Option<ScalarType> {
    modifiers.source_type()
}

fn kind(ty: ScalarType) -> Option<CompareType> {
    Some(match (ty.kind(), ty.width_bits()) {
        (TypeKind::Float, 64) if ty == ScalarType::F64 => CompareType::F64,
        (TypeKind::Float, 32) if ty == ScalarType::F32 => CompareType::F32,
        (TypeKind::Float, 16) if ty == ScalarType::F16 => CompareType::F16,
        (TypeKind::Float, 16) if ty == ScalarType::Bf16 => CompareType::Bf16,
        (TypeKind::Signed, 16) => CompareType::S16,
        (TypeKind::Signed, 32) => CompareType::S32,
        (TypeKind::Signed, 64) => CompareType::S64,
        (TypeKind::Unsigned | TypeKind::Bits, 16) => CompareType::U16,
        (TypeKind::Unsigned | TypeKind::Bits, 32) => CompareType::U32,
        (TypeKind::Unsigned | TypeKind::Bits, 64) => CompareType::U64,
        _ => return None,
    })
}

fn comparison(d: &mut Decoder<'_>) -> DecodeResult<Comparison> {
    let modifiers = d.modifiers;
    let ty = compared_type(modifiers).ok_or_else(|| DecodeError::missing("type"))?;
    let op = modifiers.compare;
    Ok(Comparison {
        kind: kind(ty).ok_or(DecodeError::NotYet(None))?,
        op: op.ok_or_else(|| DecodeError::missing("comparison"))?,
        ftz: modifiers.has(Flag::Ftz),
        a: d.source(1, ty.width_bits())?,
        b: d.source(2, ty.width_bits())?,
    })
}

/// Decodes the predicate with which the comparison result is combined. Returns `None` if the instruction has no such
/// predicate.
fn combined(d: &mut Decoder<'_>, index: usize) -> DecodeResult<Option<PredicateCombine>> {
    let Some(op) = d.modifiers.combine else {
        return Ok(None);
    };
    let predicate = d.predicate(index)?;
    Ok(Some(PredicateCombine {
        op,
        slot: predicate.slot,
        negated: predicate.negated,
    }))
}
