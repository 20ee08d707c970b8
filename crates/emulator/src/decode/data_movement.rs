//! Decoder of moves, packing, conversions and address computations (PTX ISA, "Data Movement and Conversion
//! Instructions").

use crate::code::decoded_op::DecodedOp;
use crate::code::{RegisterBank, RegisterOperand};
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::alu_ops::{Int32Op, Int64Op, IntOp};
use crate::semantics::narrow_float;
use crate::semantics::narrow_float::ConversionOperand;
use crate::semantics::registers::OperandSlot;
use crate::semantics::rounding::ArithmeticMode;
use crate::semantics::rounding::Conversion;
use warpgrid_isa::{Flag, Modifiers, MoveOp, Rounding, ScalarType, Signedness};
use warpgrid_program::{OperandValue, Source};

pub(crate) fn supports(op: MoveOp, modifiers: &Modifiers) -> Support {
    match op {
        MoveOp::Cvt | MoveOp::CvtPacked if !converts(modifiers) => {
            Support::not_yet("conversions between these types")
        }
        MoveOp::Mov
        | MoveOp::Cvt
        | MoveOp::CvtPacked
        | MoveOp::CvtPack
        | MoveOp::Cvta
        | MoveOp::Isspacep
        | MoveOp::CreatePolicy
        | MoveOp::Mapa
        | MoveOp::GetCtaRank => Support::Runs,
    }
}

/// Checks whether the emulator supports the types and modifiers of a conversion.
fn converts(modifiers: &Modifiers) -> bool {
    use ScalarType as T;
    let runs = |ty: Option<T>| {
        ty.is_some_and(|ty| {
            matches!(
                ty,
                T::U8
                    | T::U16
                    | T::U32
                    | T::U64
                    | T::S8
                    | T::S16
                    | T::S32
                    | T::S64
                    | T::B8
                    | T::B16
                    | T::B32
                    | T::B64
                    | T::F16
                    | T::F32
                    | T::F64
                    | T::Bf16
            )
        })
    };
    let (Some(from), Some(to)) = (modifiers.source_type(), modifiers.result_type()) else {
        return false;
    };
    let is_small = matches!(to, T::F16 | T::Bf16 | T::Tf32);
    if narrow_float::is_four(to) {
        return from == T::F32 && modifiers.rounding == Some(Rounding::Rs);
    }
    match (narrow_float::is_pair(from), narrow_float::is_pair(to)) {
        (true, true) => true,
        (false, true) => from == T::F32,
        (true, false) => false,
        (false, false) if modifiers.has(Flag::Relu) || modifiers.has(Flag::Satfinite) => {
            is_small && from == T::F32
        }
        (false, false) if to == T::Tf32 => from == T::F32,
        (false, false) => runs(Some(from)) && runs(Some(to)),
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: MoveOp) -> DecodeResult<DecodedOp> {
    match op {
        MoveOp::Mov => movement(d),
        MoveOp::Cvt | MoveOp::CvtPacked if beside(d.modifiers).is_some() => converted_by(d),
        MoveOp::Cvt => {
            let conversion = conversion(d)?;
            let a = d.element(1, conversion.from.width_bits())?;
            Ok(converted(conversion, d.destination(0)?, a))
        }
        MoveOp::CvtPacked => {
            let conversion = conversion(d)?;
            let (a, b) = (d.source(1, 32)?, d.source(2, 32)?);
            let d = d.target(0, conversion.to.width_bits())?;
            Ok(DecodedOp::ConvertPacked {
                conversion,
                d,
                a,
                b,
            })
        }
        MoveOp::CvtPack => pack_saturated(d),
        MoveOp::Cvta => address(d),
        MoveOp::Isspacep => {
            let space = d.refined(d.modifiers.state_space(), None)?;
            let a = d.element(1, 64)?;
            let d = d.target(0, 1)?;
            Ok(DecodedOp::IsSpace { space, d, a })
        }
        MoveOp::CreatePolicy => Ok(DecodedOp::Policy {
            d: d.target(0, 64)?,
        }),
        MoveOp::Mapa => {
            let (a, generic) = shared_address(d)?;
            let b = d.source(2, 32)?;
            let d = d.destination(0)?;
            Ok(DecodedOp::MapToRank { d, a, b, generic })
        }
        MoveOp::GetCtaRank => {
            let (a, generic) = shared_address(d)?;
            let d = d.destination(0)?;
            Ok(DecodedOp::RankOf { d, a, generic })
        }
    }
}

/// Returns the kind of the additional operand of a conversion, or `None` if it has no additional operand.
fn beside(modifiers: &Modifiers) -> Option<ConversionOperand> {
    if modifiers.has(Flag::ScaledN2) {
        Some(ConversionOperand::Factors)
    } else if modifiers.rounding == Some(Rounding::Rs) {
        Some(ConversionOperand::Random)
    } else {
        None
    }
}

/// Decodes a `cvt` whose last operand contains random bits or scale factors.
fn converted_by(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let missing = || DecodeError::missing("random bits or scale factors");
    let beside = beside(d.modifiers).ok_or_else(missing)?;
    let conversion = conversion(d)?;
    let last = (1..=3).rev().find(|index| !d.is_absent(*index));
    let last = last.ok_or_else(missing)?;
    let mut sources = Vec::new();
    for index in 1..last {
        let (elements, _) = d.sources(index, conversion.from.width_bits())?;
        sources.extend(elements);
    }
    let by = d.source(last, 32)?;
    Ok(DecodedOp::ConvertBy {
        conversion,
        d: d.destination(0)?,
        sources: d.pack(sources),
        beside,
        by,
    })
}

/// Decodes `cvt.pack`, which clamps a and b to the range of a type. The result contains b in the least significant
/// bits, followed by a and the low bits of c.
fn pack_saturated(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let ty = d.modifiers.result_type();
    let ty = ty.ok_or_else(|| DecodeError::missing("type"))?;
    let bits = ty.width_bits();
    let (least, most) = match ty.is_signed() {
        true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    let zero = d.constant(0, 32);
    let sign = Signedness::Signed;
    let mut parts = [d.source(1, 32)?, d.source(2, 32)?];
    for part in &mut parts {
        for (op, limit) in [(IntOp::Max, least), (IntOp::Min, most)] {
            let to = d.hidden(32).slot;
            let limit = d.constant(u64::from(limit as u32), 32);
            let slots = [to, *part, limit, zero];
            let f = Int32Op::Plain(op);
            d.before.push(DecodedOp::Int32 { f, sign, slots });
            *part = to;
        }
    }
    let above = match d.is_absent(3) {
        true => zero,
        false => {
            let to = d.hidden(32).slot;
            let by = d.constant(u64::from(2 * bits), 32);
            let slots = [to, d.source(3, 32)?, by, zero];
            let f = Int32Op::Shl;
            d.before.push(DecodedOp::Int32 { f, sign, slots });
            to
        }
    };
    let [a, b] = parts;
    let (width, with_a) = (d.constant(u64::from(bits), 32), d.hidden(32).slot);
    d.before
        .push(DecodedOp::Insert32([with_a, a, above, width, width]));
    let word = d.target(0, 32)?;
    Ok(DecodedOp::Insert32([word, b, with_a, zero, width]))
}

/// Decodes an address in the shared memory of the cluster, and whether the address is generic. A variable name denotes
/// the variable's address in the state space of the instruction.
fn shared_address(d: &mut Decoder<'_>) -> DecodeResult<(RegisterOperand, bool)> {
    let bits = d.modifiers.ty.map_or(64, ScalarType::width_bits);
    let generic = d.modifiers.space.is_none();
    let element = match *d.operand(1) {
        OperandValue::Source(
            Source::VariableAddress {
                variable, offset, ..
            },
            modifiers,
        ) => {
            let source = Source::VariableAddress {
                variable,
                offset,
                generic,
            };
            d.read(source, modifiers, bits)?
        }
        _ => d.element(1, bits)?,
    };
    Ok((element, generic))
}

/// Decodes `mov`, which copies a register, or packs or unpacks a vector.
fn movement(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    match (d.operand(0), d.operand(1)) {
        (OperandValue::List(_), OperandValue::List(_)) => transfer(d),
        (OperandValue::List(_), _) => unpack(d),
        (_, OperandValue::List(_)) => pack(d),
        _ => copy(d),
    }
}

fn copy(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let to = d.destination(0)?;
    if d.modifiers.ty == Some(ScalarType::Pred) || to.bank == RegisterBank::Predicate {
        if let OperandValue::Source(Source::Special(_), _) = d.operand(1) {
            return Err(DecodeError::NotYet(Some(
                "a special register as a predicate".to_owned(),
            )));
        }
        let (d, a) = (d.target(0, 1)?, d.predicate(1)?);
        return Ok(match a.negated {
            // The table is the truth table of the logic operation "not a".
            true => DecodedOp::PredicateLogic {
                table: 0b0011,
                d,
                a: a.slot,
                b: a.slot,
            },
            false => DecodedOp::MovPredicate { d, a: a.slot },
        });
    }
    let a = d.element(1, to.bits)?;
    if to.bank != a.bank || to.bits < a.bits {
        if a.bank == RegisterBank::Predicate {
            return Err(DecodeError::internal(
                "a move of a predicate to an integer".to_owned(),
            ));
        }
        let (to_type, from) = (bits_type(to.bits), bits_type(a.bits));
        let conversion = Conversion {
            to: to_type,
            from,
            mode: ArithmeticMode::default(),
        };
        return Ok(DecodedOp::Convert {
            conversion,
            d: to,
            a,
        });
    }
    let (d, a) = (to.slot, a.slot);
    Ok(match to.bank {
        RegisterBank::B32 => DecodedOp::Mov32 { d, a },
        RegisterBank::B64 => DecodedOp::Mov64 { d, a },
        RegisterBank::B128 => DecodedOp::Mov128 { d, a },
        RegisterBank::Predicate => DecodedOp::MovPredicate { d, a },
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

/// Returns the width in bits of the elements in a vector operand.
fn element_bits(d: &Decoder<'_>, index: usize) -> DecodeResult<u32> {
    let ty = d.modifiers.ty.ok_or_else(|| DecodeError::missing("type"))?;
    let n = d.list(index).1.len().max(1) as u32;
    Ok(ty.width_bits() / n)
}

/// Decodes `mov.v2.b32 {d, e}, {a, b}`. The instruction reads all sources before it writes any destination.
fn transfer(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let ty = d.modifiers.ty.ok_or_else(|| DecodeError::missing("type"))?;
    let bits = ty.width_bits();
    let (sources, _) = d.sources(1, bits)?;
    let n_bits = bits * sources.len() as u32;
    if n_bits > 128 {
        let description = format!("a {n_bits}-bit move");
        return Err(DecodeError::NotYet(Some(description)));
    }
    let packed = d.hidden(n_bits);
    let elements = d.pack(sources);
    d.before.push(DecodedOp::Pack {
        d: packed,
        elements,
        element_bits: bits as u8,
    });
    let (destinations, _) = d.destinations(0)?;
    Ok(DecodedOp::Unpack {
        a: packed,
        elements: d.pack(destinations),
        element_bits: bits as u8,
    })
}

/// Decodes `mov.b64 d, {a, b}`.
fn pack(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let bits = element_bits(d, 1)?;
    let (list, _) = d.sources(1, bits)?;
    Ok(DecodedOp::Pack {
        d: d.destination(0)?,
        elements: d.pack(list),
        element_bits: bits as u8,
    })
}

/// Decodes `mov.b64 {d, e}, a`.
fn unpack(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let bits = element_bits(d, 0)?;
    let n = d.list(0).1.len() as u32;
    let a = d.element(1, bits * n)?;
    let (list, _) = d.destinations(0)?;
    Ok(DecodedOp::Unpack {
        a,
        elements: d.pack(list),
        element_bits: bits as u8,
    })
}

/// Returns the types, the rounding mode and the modifiers of a conversion.
fn conversion(d: &Decoder<'_>) -> DecodeResult<Conversion> {
    let modifiers = d.modifiers;
    let missing = || DecodeError::missing("type");
    Ok(Conversion {
        to: modifiers.result_type().ok_or_else(missing)?,
        from: modifiers.source_type().ok_or_else(missing)?,
        mode: ArithmeticMode::from(modifiers),
    })
}

/// Returns the operation that implements a `cvt`. Frequent extensions and truncations have dedicated operations.
fn converted(conversion: Conversion, d: RegisterOperand, a: RegisterOperand) -> DecodedOp {
    use ScalarType as T;
    let widening = |from: T| match from {
        T::S32 => Some(Signedness::Signed),
        T::U32 | T::B32 => Some(Signedness::Unsigned),
        _ => None,
    };
    let wide = matches!(conversion.to, T::S64 | T::U64 | T::B64);
    let word = matches!(conversion.to, T::S32 | T::U32 | T::B32);
    let from_wide = matches!(conversion.from, T::S64 | T::U64 | T::B64);
    let saturates = conversion.mode.saturate;
    // For a conversion without modifiers between equal types, the assembler generates a move, which preserves the bits
    // of a NaN. For 16-bit floats, it generates an addition instead (assembler 13.5).
    let is_move = conversion.from == conversion.to && conversion.mode == ArithmeticMode::default();
    match (d.bank, a.bank, widening(conversion.from)) {
        (RegisterBank::B32, RegisterBank::B32, _) if is_move && conversion.to == T::F32 => {
            DecodedOp::Mov32 {
                d: d.slot,
                a: a.slot,
            }
        }
        (RegisterBank::B64, RegisterBank::B64, _) if is_move && conversion.to == T::F64 => {
            DecodedOp::Mov64 {
                d: d.slot,
                a: a.slot,
            }
        }
        (RegisterBank::B64, RegisterBank::B32, Some(sign))
            if wide && a.bits == 32 && !saturates =>
        {
            DecodedOp::Extend32 {
                sign,
                d: d.slot,
                a: a.slot,
            }
        }
        (RegisterBank::B32, RegisterBank::B64, None)
            if word && from_wide && d.bits == 32 && !saturates =>
        {
            DecodedOp::Truncate64 {
                d: d.slot,
                a: a.slot,
            }
        }
        _ => DecodedOp::Convert { conversion, d, a },
    }
}

/// Decodes `cvta` and `cvta.to`. Addresses in shared and local memory are offsets within windows of the generic address
/// space.
fn address(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let space = d.refined(d.modifiers.state_space(), variable_of(d))?;
    let window = d.layout.window(space);
    let addend = if d.modifiers.has(Flag::To) {
        window.wrapping_neg()
    } else {
        window
    };
    let bits = d.modifiers.ty.map_or(64, ScalarType::width_bits);
    let to = d.destination(0)?;
    let a = d.element(1, bits)?;
    // Supply the upper half of the address, because compilers compute addresses of parameters and constants with 32
    // bits before the conversion to generic addresses.
    let upper = match d.modifiers.has(Flag::To) {
        true => 0,
        false => d.layout.upper_bits(space),
    };
    if upper != 0 && (to.bank, a.bank) == (RegisterBank::B64, RegisterBank::B64) {
        let upper = d.constant(upper, 64);
        return Ok(DecodedOp::Int64 {
            f: Int64Op::Plain(IntOp::Or),
            sign: Signedness::Unsigned,
            slots: [to.slot, a.slot, upper, OperandSlot::NONE],
        });
    }
    Ok(match (to.bank, a.bank, addend) {
        (RegisterBank::B64, RegisterBank::B64, 0) => DecodedOp::Mov64 {
            d: to.slot,
            a: a.slot,
        },
        _ => DecodedOp::Offset { d: to, a, addend },
    })
}

/// Returns the variable whose address is converted. The variable determines the state space only for `.param`.
fn variable_of(d: &Decoder<'_>) -> Option<warpgrid_program::VariableId> {
    match d.operand(1) {
        OperandValue::Source(Source::VariableAddress { variable, .. }, _) => Some(*variable),
        OperandValue::Source(..)
        | OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Predicate { .. }
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => None,
    }
}
