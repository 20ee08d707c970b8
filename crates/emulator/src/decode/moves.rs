//! Moves, packing, conversions and addresses (PTX ISA, "Data Movement and Conversion Instructions").

use crate::code::op::Op;
use crate::code::{Bank, Element};
use crate::contract::support::Support;
use crate::decode::{Decoded, Decoder, Refusal};
use crate::semantics::mode::ArithmeticMode;
use crate::semantics::mode::Conversion;
use crate::semantics::narrow;
use crate::semantics::narrow::Beside;
use crate::semantics::ops::{Int32Op, Int64Op, IntOp};
use crate::semantics::registers::Slot;
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
        | MoveOp::MapToRank
        | MoveOp::RankOf => Support::Runs,
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
    if narrow::is_four(to) {
        return from == T::F32 && modifiers.rounding == Some(Rounding::Rs);
    }
    match (narrow::is_pair(from), narrow::is_pair(to)) {
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

pub(crate) fn decode(d: &mut Decoder<'_>, op: MoveOp) -> Decoded<Op> {
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
            Ok(Op::ConvertPacked {
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
            Ok(Op::IsSpace { space, d, a })
        }
        MoveOp::CreatePolicy => Ok(Op::Policy {
            d: d.target(0, 64)?,
        }),
        MoveOp::MapToRank => {
            let (a, generic) = shared_address(d)?;
            let b = d.source(2, 32)?;
            let d = d.destination(0)?;
            Ok(Op::MapToRank { d, a, b, generic })
        }
        MoveOp::RankOf => {
            let (a, generic) = shared_address(d)?;
            let d = d.destination(0)?;
            Ok(Op::RankOf { d, a, generic })
        }
    }
}

/// Returns the kind of the additional operand of a conversion.
fn beside(modifiers: &Modifiers) -> Option<Beside> {
    if modifiers.has(Flag::ScaledN2) {
        Some(Beside::Factors)
    } else if modifiers.rounding == Some(Rounding::Rs) {
        Some(Beside::Random)
    } else {
        None
    }
}

/// `cvt` with random bits or scale factors in its last operand.
fn converted_by(d: &mut Decoder<'_>) -> Decoded<Op> {
    let missing = || Refusal::missing("random bits or scale factors");
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
    Ok(Op::ConvertBy {
        conversion,
        d: d.destination(0)?,
        sources: d.pack(sources),
        beside,
        by,
    })
}

/// `cvt.pack`: clamps a and b to the range of a type, and packs b, a and the low bits of c, from the least significant
/// bits.
fn pack_saturated(d: &mut Decoder<'_>) -> Decoded<Op> {
    let ty = d.modifiers.result_type();
    let ty = ty.ok_or_else(|| Refusal::missing("type"))?;
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
            d.before.push(Op::Int32 { f, sign, slots });
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
            d.before.push(Op::Int32 { f, sign, slots });
            to
        }
    };
    let [a, b] = parts;
    let (width, with_a) = (d.constant(u64::from(bits), 32), d.hidden(32).slot);
    d.before
        .push(Op::Insert32([with_a, a, above, width, width]));
    let word = d.target(0, 32)?;
    Ok(Op::Insert32([word, b, with_a, zero, width]))
}

/// Decodes an address in shared memory of the cluster, and whether it is a generic address. A variable name denotes its
/// address in the state space of the instruction.
fn shared_address(d: &mut Decoder<'_>) -> Decoded<(Element, bool)> {
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

/// `mov`: a copy between registers, or packing or unpacking of a list.
fn movement(d: &mut Decoder<'_>) -> Decoded<Op> {
    match (d.operand(0), d.operand(1)) {
        (OperandValue::List(_), OperandValue::List(_)) => transfer(d),
        (OperandValue::List(_), _) => unpack(d),
        (_, OperandValue::List(_)) => pack(d),
        _ => copy(d),
    }
}

fn copy(d: &mut Decoder<'_>) -> Decoded<Op> {
    let to = d.destination(0)?;
    if d.modifiers.ty == Some(ScalarType::Pred) || to.bank == Bank::Predicate {
        if let OperandValue::Source(Source::Special(_), _) = d.operand(1) {
            return Err(Refusal::NotYet(Some(
                "a special register as a predicate".to_owned(),
            )));
        }
        let (d, a) = (d.target(0, 1)?, d.predicate(1)?);
        return Ok(match a.negated {
            // Truth table of "not a".
            true => Op::PredicateLogic {
                table: 0b0011,
                d,
                a: a.slot,
                b: a.slot,
            },
            false => Op::MovPredicate { d, a: a.slot },
        });
    }
    let a = d.element(1, to.bits)?;
    if to.bank != a.bank || to.bits < a.bits {
        if a.bank == Bank::Predicate {
            return Err(Refusal::internal(
                "a move of a predicate to an integer".to_owned(),
            ));
        }
        let (to_type, from) = (bits_type(to.bits), bits_type(a.bits));
        let conversion = Conversion {
            to: to_type,
            from,
            mode: ArithmeticMode::default(),
        };
        return Ok(Op::Convert {
            conversion,
            d: to,
            a,
        });
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

/// Returns the width of an element of the list at this position.
fn element_bits(d: &Decoder<'_>, index: usize) -> Decoded<u32> {
    let ty = d.modifiers.ty.ok_or_else(|| Refusal::missing("type"))?;
    let n = d.list(index).1.len().max(1) as u32;
    Ok(ty.width_bits() / n)
}

/// `mov.v2.b32 {d, e}, {a, b}`: all sources are read before any destination is written.
fn transfer(d: &mut Decoder<'_>) -> Decoded<Op> {
    let ty = d.modifiers.ty.ok_or_else(|| Refusal::missing("type"))?;
    let bits = ty.width_bits();
    let (sources, _) = d.sources(1, bits)?;
    let n_bits = bits * sources.len() as u32;
    if n_bits > 128 {
        let what = format!("a {n_bits}-bit move");
        return Err(Refusal::NotYet(Some(what)));
    }
    let whole = d.hidden(n_bits);
    let elements = d.pack(sources);
    d.before.push(Op::Pack {
        d: whole,
        elements,
        element_bits: bits as u8,
    });
    let (destinations, _) = d.destinations(0)?;
    Ok(Op::Unpack {
        a: whole,
        elements: d.pack(destinations),
        element_bits: bits as u8,
    })
}

/// `mov.b64 d, {a, b}`
fn pack(d: &mut Decoder<'_>) -> Decoded<Op> {
    let bits = element_bits(d, 1)?;
    let (list, _) = d.sources(1, bits)?;
    Ok(Op::Pack {
        d: d.destination(0)?,
        elements: d.pack(list),
        element_bits: bits as u8,
    })
}

/// `mov.b64 {d, e}, a`
fn unpack(d: &mut Decoder<'_>) -> Decoded<Op> {
    let bits = element_bits(d, 0)?;
    let n = d.list(0).1.len() as u32;
    let a = d.element(1, bits * n)?;
    let (list, _) = d.destinations(0)?;
    Ok(Op::Unpack {
        a,
        elements: d.pack(list),
        element_bits: bits as u8,
    })
}

/// Returns the types and the mode of a conversion.
fn conversion(d: &Decoder<'_>) -> Decoded<Conversion> {
    let modifiers = d.modifiers;
    let missing = || Refusal::missing("type");
    Ok(Conversion {
        to: modifiers.result_type().ok_or_else(missing)?,
        from: modifiers.source_type().ok_or_else(missing)?,
        mode: ArithmeticMode::from(modifiers),
    })
}

/// `cvt`. The frequent extensions and truncations have dedicated operations.
fn converted(conversion: Conversion, d: Element, a: Element) -> Op {
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
    // Without modifiers, the assembler generates a move, which preserves the bits of a NaN. For 16-bit floats, it
    // generates an addition (13.5).
    let is_move = conversion.from == conversion.to && conversion.mode == ArithmeticMode::default();
    match (d.bank, a.bank, widening(conversion.from)) {
        (Bank::B32, Bank::B32, _) if is_move && conversion.to == T::F32 => Op::Mov32 {
            d: d.slot,
            a: a.slot,
        },
        (Bank::B64, Bank::B64, _) if is_move && conversion.to == T::F64 => Op::Mov64 {
            d: d.slot,
            a: a.slot,
        },
        (Bank::B64, Bank::B32, Some(sign)) if wide && a.bits == 32 && !saturates => Op::Extend32 {
            sign,
            d: d.slot,
            a: a.slot,
        },
        (Bank::B32, Bank::B64, None) if word && from_wide && d.bits == 32 && !saturates => {
            Op::Truncate64 {
                d: d.slot,
                a: a.slot,
            }
        }
        _ => Op::Convert { conversion, d, a },
    }
}

/// `cvta` and `cvta.to`: shared and local addresses are offsets within windows of the generic address space.
fn address(d: &mut Decoder<'_>) -> Decoded<Op> {
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
    // Compilers compute addresses of parameters and constants in 32 bits before they convert them to generic addresses.
    let upper = match d.modifiers.has(Flag::To) {
        true => 0,
        false => d.layout.upper_bits(space),
    };
    if upper != 0 && (to.bank, a.bank) == (Bank::B64, Bank::B64) {
        let upper = d.constant(upper, 64);
        return Ok(Op::Int64 {
            f: Int64Op::Plain(IntOp::Or),
            sign: Signedness::Unsigned,
            slots: [to.slot, a.slot, upper, Slot::NONE],
        });
    }
    Ok(match (to.bank, a.bank, addend) {
        (Bank::B64, Bank::B64, 0) => Op::Mov64 {
            d: to.slot,
            a: a.slot,
        },
        _ => Op::Offset { d: to, a, addend },
    })
}

/// Returns the variable whose address is converted. It refines only `.param`.
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
