//! Moves, conversions, packing, comparisons and selections.

use super::{Decoded, Decoder, Unsupported};
use crate::decode::code::{Bank, Combine, CompareKind, Comparison, Element, Op};
use warpgrid_isa::{BoolOp, CompareOp, ScalarType, StateSpace, TypeKind};
use warpgrid_program::{ArithmeticMode, Conversion, RegisterId, Source};

/// `mov`
pub(super) fn movement(
    d: &mut Decoder<'_>,
    ty: ScalarType,
    to: RegisterId,
    a: Source,
) -> Decoded<Op> {
    let to = d.register(to)?;
    let a = d.element(a, if ty == ScalarType::Pred { 1 } else { to.bits })?;
    if to.bank != a.bank || to.bits < a.bits {
        let (to_ty, from) = (bits_type(to.bits), bits_type(a.bits));
        let conversion = Conversion {
            to: to_ty,
            from,
            mode: ArithmeticMode::default(),
        };
        return match (to.bank, a.bank) {
            (Bank::Predicate, _) | (_, Bank::Predicate) => Err(Unsupported),
            _ => Ok(Op::Convert {
                conversion,
                d: to,
                a,
            }),
        };
    }
    let (d, a) = (to.slot, a.slot);
    Ok(match to.bank {
        Bank::B32 => Op::Mov32 { d, a },
        Bank::B64 => Op::Mov64 { d, a },
        Bank::B128 => Op::Mov128 { d, a },
        Bank::Predicate => Op::MovPredicate { d, a },
    })
}

fn bits_type(bits: u32) -> ScalarType {
    match bits {
        0..=8 => ScalarType::B8,
        9..=16 => ScalarType::B16,
        17..=32 => ScalarType::B32,
        33..=64 => ScalarType::B64,
        _ => ScalarType::B128,
    }
}

/// `cvt`
pub(super) fn conversion(conversion: Conversion, d: Element, a: Element) -> Op {
    use ScalarType as T;
    let widening = |from: T| match from {
        T::S32 => Some(true),
        T::U32 | T::B32 => Some(false),
        _ => None,
    };
    let wide = matches!(conversion.to, T::S64 | T::U64 | T::B64);
    let word = matches!(conversion.to, T::S32 | T::U32 | T::B32);
    let from_wide = matches!(conversion.from, T::S64 | T::U64 | T::B64);
    match (d.bank, a.bank, widening(conversion.from)) {
        (Bank::B64, Bank::B32, Some(signed))
            if wide && a.bits == 32 && !conversion.mode.saturate =>
        {
            Op::Extend32 {
                signed,
                d: d.slot,
                a: a.slot,
            }
        }
        (Bank::B32, Bank::B64, None)
            if word && from_wide && d.bits == 32 && !conversion.mode.saturate =>
        {
            Op::Truncate64 {
                d: d.slot,
                a: a.slot,
            }
        }
        _ => Op::Convert { conversion, d, a },
    }
}

/// `mov` of several elements into a register
pub(super) fn pack(
    d: &mut Decoder<'_>,
    ty: ScalarType,
    to: RegisterId,
    elements: &[Source],
) -> Decoded<Op> {
    let bits = ty.width_bits() / elements.len().max(1) as u32;
    let list = elements
        .iter()
        .map(|e| d.element(*e, bits))
        .collect::<Decoded<Vec<_>>>()?;
    Ok(Op::Pack {
        d: d.register(to)?,
        elements: d.pack(list),
        element_bits: bits as u8,
    })
}

/// `mov` of a register into several elements
pub(super) fn unpack(
    d: &mut Decoder<'_>,
    ty: ScalarType,
    elements: &[Option<RegisterId>],
    a: Source,
) -> Decoded<Op> {
    let bits = ty.width_bits() / elements.len().max(1) as u32;
    let a = d.element(a, ty.width_bits())?;
    let list = d.elements(elements)?;
    Ok(Op::Unpack {
        a,
        elements: d.pack(list),
        element_bits: bits as u8,
    })
}

/// `cvta` and back
pub(super) fn address(
    d: &mut Decoder<'_>,
    space: StateSpace,
    to_space: bool,
    width_bits: u32,
    to: RegisterId,
    a: Source,
) -> Decoded<Op> {
    let window = d.layout.window(space);
    let addend = if to_space {
        window.wrapping_neg()
    } else {
        window
    };
    let to = d.register(to)?;
    let a = d.element(a, width_bits)?;
    Ok(match (to.bank, a.bank, addend) {
        (Bank::B64, Bank::B64, 0) => Op::Mov64 {
            d: to.slot,
            a: a.slot,
        },
        _ => Op::Offset { d: to, a, addend },
    })
}

/// `selp`
pub(super) fn select(
    d: &mut Decoder<'_>,
    ty: ScalarType,
    to: RegisterId,
    [a, b, predicate]: [Source; 3],
) -> Decoded<Op> {
    let bits = ty.width_bits();
    let to = d.target(to, bits)?;
    let (a, b) = (d.source(a, bits)?, d.source(b, bits)?);
    let p = d.predicate(predicate)?;
    match bits {
        8..=32 => Ok(Op::Select32 { d: to, a, b, p }),
        64 => Ok(Op::Select64 { d: to, a, b, p }),
        _ => Err(Unsupported),
    }
}

pub(super) fn comparison(
    d: &mut Decoder<'_>,
    op: CompareOp,
    ty: ScalarType,
    ftz: bool,
    a: Source,
    b: Source,
) -> Decoded<Comparison> {
    let bits = ty.width_bits();
    let kind = match (ty.kind(), bits) {
        (TypeKind::Float, 64) => CompareKind::F64,
        (TypeKind::Float, 32) if ty == ScalarType::F32 => CompareKind::F32,
        (TypeKind::Float, 16) if ty == ScalarType::F16 => CompareKind::F16,
        (TypeKind::Float, 16) => CompareKind::Bf16,
        (TypeKind::Signed, 16) => CompareKind::S16,
        (TypeKind::Signed, 32) => CompareKind::S32,
        (TypeKind::Signed, 64) => CompareKind::S64,
        (TypeKind::Unsigned | TypeKind::Bits, 16) => CompareKind::U16,
        (TypeKind::Unsigned | TypeKind::Bits, 32) => CompareKind::U32,
        (TypeKind::Unsigned | TypeKind::Bits, 64) => CompareKind::U64,
        _ => return Err(Unsupported),
    };
    Ok(Comparison {
        kind,
        op,
        ftz,
        a: d.source(a, bits)?,
        b: d.source(b, bits)?,
    })
}

pub(super) fn combined(
    d: &mut Decoder<'_>,
    combine: &Option<(BoolOp, Source, bool)>,
) -> Decoded<Option<Combine>> {
    combine
        .map(|(op, source, negated)| {
            Ok(Combine {
                op,
                slot: d.predicate(source)?,
                negated,
            })
        })
        .transpose()
}
