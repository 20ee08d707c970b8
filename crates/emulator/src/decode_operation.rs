//! One operation of the contract to one decoded operation.

use crate::code::*;
use crate::decode::{Decoded, Decoder, Unsupported};
use crate::layout::VariablePlace;
use crate::registers::Slot;
use warpgrid_isa::{MulPart, Rounding, ScalarType, StateSpace, TypeKind};
use warpgrid_program::{
    Address, AddressBase, Arithmetic, ArithmeticMode, BarrierKind, CallArgument, CallTarget,
    FunctionId, MemoryAccess, Operation, Parameter, Source, VariableId,
};

pub(crate) fn operation(d: &mut Decoder<'_>, operation: &Operation) -> Decoded<Op> {
    match operation {
        Operation::Arithmetic {
            op,
            ty,
            mode,
            d: to,
            sources,
        } => arithmetic(d, *op, *ty, *mode, Source::Register(*to), sources),
        Operation::BitFieldInsert {
            ty,
            d: to,
            a,
            b,
            position,
            length,
        } => {
            let bits = ty.width_bits();
            let to = d.target(*to, bits)?;
            let (a, b) = (d.source(*a, bits)?, d.source(*b, bits)?);
            let (c, e) = (d.source(*position, 32)?, d.source(*length, 32)?);
            Ok(if bits == 64 {
                Op::Insert64 { d: to, a, b, c, e }
            } else {
                Op::Insert32 { d: to, a, b, c, e }
            })
        }
        Operation::Carry {
            op,
            ty,
            carry,
            d: to,
            sources: [a, b, c],
        } => {
            let bits = ty.width_bits();
            let to = d.target(*to, bits)?;
            let (a, b, c) = (
                d.source(*a, bits)?,
                d.source(*b, bits)?,
                d.source(*c, bits)?,
            );
            let (reads, writes, signed) = (carry.reads, carry.writes, ty.is_signed());
            match bits {
                32 => Ok(Op::Carry32 {
                    f: *op,
                    signed,
                    reads,
                    writes,
                    d: to,
                    a,
                    b,
                    c,
                }),
                64 => Ok(Op::Carry64 {
                    f: *op,
                    signed,
                    reads,
                    writes,
                    d: to,
                    a,
                    b,
                    c,
                }),
                _ => Err(Unsupported),
            }
        }
        Operation::Move { ty, d: to, a } => movement(d, *ty, *to, *a),
        Operation::Pack {
            ty,
            d: to,
            elements,
        } => {
            let bits = ty.width_bits() / elements.len().max(1) as u32;
            let list = elements
                .iter()
                .map(|e| d.element(*e, bits))
                .collect::<Decoded<Vec<_>>>()?;
            Ok(Op::Pack {
                d: d.register(*to)?,
                elements: d.pack(list),
                element_bits: bits as u8,
            })
        }
        Operation::Unpack { ty, elements, a } => {
            let bits = ty.width_bits() / elements.len().max(1) as u32;
            let a = d.element(*a, ty.width_bits())?;
            let list = elements
                .iter()
                .map(|e| e.map_or(Ok(Element::SINK), |id| d.register(id)))
                .collect::<Decoded<Vec<_>>>()?;
            Ok(Op::Unpack {
                a,
                elements: d.pack(list),
                element_bits: bits as u8,
            })
        }
        Operation::Convert {
            conversion,
            d: to,
            a,
        } => {
            let to = d.register(*to)?;
            let a = d.element(*a, conversion.from.width_bits())?;
            Ok(conversion_of(*conversion, to, a))
        }
        Operation::ConvertPacked {
            conversion,
            d: to,
            a,
            b,
        } => Ok(Op::ConvertPacked {
            conversion: *conversion,
            d: d.target(*to, conversion.to.width_bits())?,
            a: d.source(*a, 32)?,
            b: d.source(*b, 32)?,
        }),
        Operation::ConvertAddress {
            space,
            to_space,
            width_bits,
            d: to,
            a,
        } => {
            let window = d.layout.window(*space);
            let addend = if *to_space {
                window.wrapping_neg()
            } else {
                window
            };
            let to = d.register(*to)?;
            let a = d.element(*a, *width_bits)?;
            Ok(match (to.bank, a.bank, addend) {
                (Bank::B64, Bank::B64, 0) => Op::Mov64 {
                    d: to.slot,
                    a: a.slot,
                },
                _ => Op::Offset { d: to, a, addend },
            })
        }
        Operation::IsSpace { space, d: to, a } => Ok(Op::IsSpace {
            space: *space,
            d: d.target(*to, 1)?,
            a: d.element(*a, 64)?,
        }),
        Operation::SetPredicate {
            compare,
            ty,
            ftz,
            d: to,
            q,
            a,
            b,
            combine,
        } => {
            let compare = comparison(d, *compare, *ty, *ftz, *a, *b)?;
            Ok(Op::SetPredicate {
                compare,
                d: d.target_or_none(*to, 1)?,
                q: d.target_or_none(*q, 1)?,
                combine: combined(d, combine)?,
            })
        }
        Operation::Set {
            compare,
            to,
            ty,
            ftz,
            d: target,
            a,
            b,
            combine,
        } => Ok(Op::Set {
            compare: comparison(d, *compare, *ty, *ftz, *a, *b)?,
            to: *to,
            d: d.target(*target, to.width_bits())?,
            combine: combined(d, combine)?,
        }),
        Operation::TestFloat { test, ty, d: to, a } => Ok(Op::TestFloat {
            test: *test,
            wide: ty.width_bits() == 64,
            d: d.target(*to, 1)?,
            a: d.source(*a, ty.width_bits())?,
        }),
        Operation::Select {
            ty,
            d: to,
            a,
            b,
            predicate,
        } => {
            let bits = ty.width_bits();
            let to = d.target(*to, bits)?;
            let (a, b) = (d.source(*a, bits)?, d.source(*b, bits)?);
            let p = d.predicate(*predicate)?;
            match bits {
                8..=32 => Ok(Op::Select32 { d: to, a, b, p }),
                64 => Ok(Op::Select64 { d: to, a, b, p }),
                _ => Err(Unsupported),
            }
        }
        Operation::SelectSign {
            ty,
            sign_ty,
            ftz: _,
            d: to,
            a,
            b,
            c,
        } => {
            let bits = ty.width_bits();
            Ok(Op::SelectSign {
                d: d.register(*to)?,
                a: d.source(*a, bits)?,
                b: d.source(*b, bits)?,
                c: d.source(*c, 32)?,
                float: sign_ty.is_float(),
            })
        }
        Operation::PredicateLogic { op, d: to, a, b } => Ok(Op::PredicateLogic {
            op: *op,
            d: d.target(*to, 1)?,
            a: d.predicate(*a)?,
            b: d.predicate(*b)?,
        }),
        Operation::Load {
            access,
            address,
            d: to,
        } => {
            let elements = to
                .iter()
                .map(|e| e.map_or(Ok(Element::SINK), |id| d.register(id)))
                .collect::<Decoded<Vec<_>>>()?;
            let plan = access_plan(d, access, address, elements)?;
            d.code.accesses.push(plan);
            Ok(Op::Load(d.code.accesses.len() as u32 - 1))
        }
        Operation::Store {
            access,
            address,
            sources,
        } => {
            let bits = access.ty.width_bits();
            let elements = sources
                .iter()
                .map(|s| d.element(*s, bits))
                .collect::<Decoded<Vec<_>>>()?;
            let plan = access_plan(d, access, address, elements)?;
            d.code.accesses.push(plan);
            Ok(Op::Store(d.code.accesses.len() as u32 - 1))
        }
        Operation::Atomic {
            op,
            access,
            address,
            d: to,
            b,
            c,
        } => {
            let bits = access.ty.width_bits();
            let old = to.map_or(Ok(Element::SINK), |id| d.register(id))?;
            let plan = AtomicPlan {
                access: access_plan(d, access, address, vec![old])?,
                op: *op,
                ty: access.ty,
                b: d.element(*b, bits)?,
                c: c.map_or(Ok(Element::SINK), |c| d.element(c, bits))?,
            };
            d.code.atomics.push(plan);
            Ok(Op::Atomic(d.code.atomics.len() as u32 - 1))
        }
        Operation::Hint | Operation::Fence => Ok(Op::Nop),
        Operation::CreatePolicy { d: to } => Ok(Op::Policy {
            d: d.target(*to, 64)?,
        }),
        Operation::Branch { target, uniform: _ } => Ok(Op::Branch {
            target: d.pc(*target),
        }),
        Operation::BranchIndexed { index, targets } => {
            let index = d.source(*index, 32)?;
            let table = targets.iter().map(|t| d.pc(*t)).collect();
            d.code.branch_tables.push(table);
            Ok(Op::BranchIndexed {
                index,
                table: d.code.branch_tables.len() as u32 - 1,
            })
        }
        Operation::Call {
            target,
            arguments,
            returns,
            uniform: _,
        } => call(d, target, arguments, returns),
        Operation::Return => Ok(Op::Return),
        Operation::Exit => Ok(Op::Exit),
        Operation::Trap | Operation::Breakpoint => Ok(Op::Trap),
        Operation::Barrier {
            kind,
            id,
            threads,
            aligned: _,
        } => {
            let kind = match kind {
                BarrierKind::Sync => BarrierMode::Sync,
                BarrierKind::Arrive => BarrierMode::Arrive,
                BarrierKind::Reduce {
                    op,
                    d: to,
                    predicate,
                    negated,
                } => {
                    let bits = match op {
                        warpgrid_program::BarrierReduce::Popc => 32,
                        _ => 1,
                    };
                    BarrierMode::Reduce {
                        op: *op,
                        d: d.target(*to, bits)?,
                        predicate: d.target(*predicate, 1)?,
                        negated: *negated,
                    }
                }
            };
            let plan = BarrierPlan {
                id: d.source(*id, 32)?,
                threads: threads.map_or(Ok(Slot::NONE), |t| d.source(t, 32))?,
                kind,
            };
            d.code.barriers.push(plan);
            Ok(Op::Barrier(d.code.barriers.len() as u32 - 1))
        }
        Operation::WarpBarrier { mask } => Ok(Op::WarpBarrier {
            mask: d.source(*mask, 32)?,
        }),
        Operation::Shuffle {
            mode,
            d: to,
            predicate,
            a,
            b,
            c,
            mask,
        } => {
            let kind = CollectiveKind::Shuffle {
                mode: *mode,
                d: d.target_or_none(*to, 32)?,
                predicate: d.target_or_none(*predicate, 1)?,
                a: d.source(*a, 32)?,
                b: d.source(*b, 32)?,
                c: d.source(*c, 32)?,
            };
            collective(d, kind, *mask)
        }
        Operation::Vote {
            mode,
            d: to,
            a,
            negated,
            mask,
        } => {
            let bits = match mode {
                warpgrid_isa::VoteMode::Ballot => 32,
                _ => 1,
            };
            let kind = CollectiveKind::Vote {
                mode: *mode,
                d: d.target(*to, bits)?,
                a: d.predicate(*a)?,
                negated: *negated,
            };
            collective(d, kind, *mask)
        }
        Operation::Match {
            all,
            ty,
            d: to,
            predicate,
            a,
            mask,
        } => {
            let kind = CollectiveKind::Match {
                all: *all,
                d: d.target_or_none(*to, 32)?,
                predicate: d.target_or_none(*predicate, 1)?,
                a: d.element(*a, ty.width_bits())?,
            };
            collective(d, kind, Some(*mask))
        }
        Operation::ActiveMask { d: to } => Ok(Op::ActiveMask {
            d: d.target(*to, 32)?,
        }),
        Operation::WarpReduce {
            op,
            ty,
            d: to,
            a,
            mask,
        } => {
            let kind = CollectiveKind::Reduce {
                op: *op,
                ty: *ty,
                d: d.target(*to, 32)?,
                a: d.source(*a, 32)?,
            };
            collective(d, kind, Some(*mask))
        }
        Operation::Elect {
            d: to,
            predicate,
            mask,
        } => {
            let kind = CollectiveKind::Elect {
                d: d.target_or_none(*to, 32)?,
                predicate: d.target(*predicate, 1)?,
            };
            collective(d, kind, Some(*mask))
        }
        Operation::Yield => Ok(Op::Yield),
        Operation::StoreAsync { .. } => Ok(d.refuse("st.async".to_owned())),
        Operation::WmmaStore { .. } => Ok(d.refuse("wmma.store".to_owned())),
        Operation::NotEmulated { opcode } => Ok(d.refuse(opcode.clone())),
    }
}

fn collective(d: &mut Decoder<'_>, kind: CollectiveKind, mask: Option<Source>) -> Decoded<Op> {
    let mask = mask.map_or(Ok(Slot::NONE), |m| d.source(m, 32))?;
    d.code.collectives.push(Collective { mask, kind });
    Ok(Op::Collective(d.code.collectives.len() as u32 - 1))
}

fn movement(
    d: &mut Decoder<'_>,
    ty: ScalarType,
    to: warpgrid_program::RegisterId,
    a: Source,
) -> Decoded<Op> {
    let to = d.register(to)?;
    let a = d.element(a, if ty == ScalarType::Pred { 1 } else { to.bits })?;
    if to.bank != a.bank || to.bits < a.bits {
        let (to_ty, from) = (bits_type(to.bits), bits_type(a.bits));
        let conversion = warpgrid_program::Conversion {
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

fn conversion_of(conversion: warpgrid_program::Conversion, d: Element, a: Element) -> Op {
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

pub(crate) fn float_mode(mode: ArithmeticMode) -> FloatMode {
    FloatMode {
        round: match mode.rounding {
            None | Some(Rounding::Rn | Rounding::Rni) => Round::Nearest,
            Some(Rounding::Rz | Rounding::Rzi) => Round::Zero,
            Some(Rounding::Rm | Rounding::Rmi) => Round::Down,
            Some(Rounding::Rp | Rounding::Rpi) => Round::Up,
            Some(Rounding::Rna) => Round::NearestAway,
            Some(Rounding::Approx | Rounding::Full) => Round::Approximate,
        },
        ftz: mode.ftz,
        saturate: mode.saturate,
        nan: mode.nan,
        xorsign_abs: mode.xorsign_abs,
        relu: mode.relu,
    }
}

fn arithmetic(
    d: &mut Decoder<'_>,
    f: Arithmetic,
    ty: ScalarType,
    mode: ArithmeticMode,
    to: Source,
    sources: &[Source; 3],
) -> Decoded<Op> {
    use Arithmetic as A;
    let Source::Register(to) = to else {
        return Err(Unsupported);
    };
    let [a, b, c] = *sources;
    let bits = ty.width_bits();
    let signed = ty.is_signed();
    if ty.is_float() {
        let to = d.target(to, bits)?;
        let (a, b, c) = (d.source(a, bits)?, d.source(b, bits)?, d.source(c, bits)?);
        let mode = float_mode(mode);
        let d = to;
        return match ty {
            ScalarType::F32 => Ok(Op::Float32 {
                f,
                mode,
                d,
                a,
                b,
                c,
            }),
            ScalarType::F64 => Ok(Op::Float64 {
                f,
                mode,
                d,
                a,
                b,
                c,
            }),
            ScalarType::F32x2 => Ok(Op::Float32x2 {
                f,
                mode,
                d,
                a,
                b,
                c,
            }),
            ScalarType::F16 | ScalarType::Bf16 | ScalarType::F16x2 | ScalarType::Bf16x2 => {
                Ok(Op::Half {
                    f,
                    ty,
                    mode,
                    d,
                    a,
                    b,
                    c,
                })
            }
            _ => Err(Unsupported),
        };
    }
    if let A::Mul(MulPart::Wide) | A::Mad(MulPart::Wide) = f {
        let to = d.target(to, 2 * bits)?;
        let (a, b) = (d.source(a, bits)?, d.source(b, bits)?);
        let c = match f {
            A::Mad(_) => d.source(c, 2 * bits)?,
            _ => Slot::NONE,
        };
        return match bits {
            16 => Ok(Op::Wide16 {
                signed,
                d: to,
                a,
                b,
                c,
            }),
            32 => Ok(Op::Wide32 {
                signed,
                d: to,
                a,
                b,
                c,
            }),
            _ => Err(Unsupported),
        };
    }
    if let (A::Popc | A::Clz | A::Bfind { .. }, 64) = (f, bits) {
        return Ok(Op::Count64 {
            f,
            signed,
            d: d.target(to, 32)?,
            a: d.source(a, 64)?,
        });
    }
    if let A::Popc | A::Clz | A::Bfind { .. } | A::Szext { .. } | A::Bmsk { .. } = f {
        return Ok(Op::Int32 {
            f,
            signed,
            saturate: false,
            d: d.target(to, 32)?,
            a: d.source(a, 32)?,
            b: d.source(b, 32)?,
            c: d.constant(0, 32),
        });
    }
    let to = d.target(to, bits)?;
    if let A::Shl | A::Shr = f {
        let (a, b) = (d.source(a, bits)?, d.source(b, 32)?);
        let c = d.constant(0, 32);
        return Ok(match bits {
            64 => Op::Shift64 {
                f,
                signed,
                d: to,
                a,
                b,
            },
            16 => Op::Int16 {
                f,
                signed,
                d: to,
                a,
                b,
                c,
            },
            _ => Op::Int32 {
                f,
                signed,
                saturate: false,
                d: to,
                a,
                b,
                c,
            },
        });
    }
    if let (A::Bfe, 64) = (f, bits) {
        return Ok(Op::Extract64 {
            signed,
            d: to,
            a: d.source(a, 64)?,
            b: d.source(b, 32)?,
            c: d.source(c, 32)?,
        });
    }
    let (a, b, c) = (d.source(a, bits)?, d.source(b, bits)?, d.source(c, bits)?);
    let d = to;
    match ty {
        ScalarType::U16x2 | ScalarType::S16x2 => Ok(Op::Int16x2 { f, signed, d, a, b }),
        _ => match bits {
            8 | 16 => Ok(Op::Int16 {
                f,
                signed,
                d,
                a,
                b,
                c,
            }),
            32 => Ok(Op::Int32 {
                f,
                signed,
                saturate: mode.saturate,
                d,
                a,
                b,
                c,
            }),
            64 => Ok(Op::Int64 {
                f,
                signed,
                d,
                a,
                b,
                c,
            }),
            _ => Err(Unsupported),
        },
    }
}

fn comparison(
    d: &mut Decoder<'_>,
    op: warpgrid_isa::CompareOp,
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

fn combined(
    d: &mut Decoder<'_>,
    combine: &Option<(warpgrid_isa::BoolOp, Source, bool)>,
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

fn access_plan(
    d: &mut Decoder<'_>,
    access: &MemoryAccess,
    address: &Address,
    elements: Vec<Element>,
) -> Decoded<AccessPlan> {
    let mut space = access.space;
    if let AddressBase::Variable(id) = address.base
        && matches!(
            space,
            StateSpace::Generic | StateSpace::ParamEntry | StateSpace::ParamFunc
        )
    {
        space = d.variable(id)?.1;
    }
    let (base, wide, offset) = d.address(address)?;
    let element_bytes = access.ty.width_bytes();
    if element_bytes as usize * elements.len() > crate::memory_ops::MAX_WIDTH {
        return Err(Unsupported);
    }
    Ok(AccessPlan {
        space,
        base,
        wide,
        offset,
        element_bytes,
        width_bytes: element_bytes * elements.len() as u32,
        signed: access.ty.is_signed(),
        written: elements
            .iter()
            .enumerate()
            .filter(|(_, e)| e.slot.is_some())
            .fold(0, |mask, (i, _)| mask | 1 << i),
        quick_store: elements.iter().all(|e| {
            e.slot.is_some() && matches!((element_bytes, e.bank), (4, Bank::B32) | (8, Bank::B64))
        }),
        elements,
        sem: access.sem,
        scope: access.scope,
    })
}

fn call(
    d: &mut Decoder<'_>,
    target: &CallTarget,
    arguments: &[CallArgument],
    returns: &[CallArgument],
) -> Decoded<Op> {
    let arguments = places(d, arguments)?;
    let returns = places(d, returns)?;
    let (register, candidates) = match target {
        CallTarget::System(name) => {
            let kind = match name.as_str() {
                "vprintf" => SystemCall::Printf,
                "__assertfail" => SystemCall::AssertFail,
                _ => return Ok(d.refuse(format!("call {name}"))),
            };
            d.code.system_calls.push(SystemPlan {
                kind,
                arguments,
                returns,
            });
            return Ok(Op::SystemCall(d.code.system_calls.len() as u32 - 1));
        }
        CallTarget::Direct(id) => (Element::SINK, vec![*id]),
        CallTarget::Indirect {
            register,
            candidates,
        } => (d.register(*register)?, candidates.clone()),
    };
    let mut targets = Vec::with_capacity(candidates.len());
    for id in candidates {
        match target_plan(d, id, &arguments, &returns) {
            Some(plan) => targets.push(plan),
            None if register == Element::SINK => {
                let name = d.program.functions.get(id.0 as usize).map(|f| &f.name);
                let name = name.map_or("?", |n| n.as_str());
                return Ok(d.refuse(format!("call {name}")));
            }
            None => {}
        }
    }
    d.code.calls.push(CallPlan { register, targets });
    Ok(Op::Call(d.code.calls.len() as u32 - 1))
}

/// Places of arguments or results in the caller.
fn places(d: &mut Decoder<'_>, sources: &[CallArgument]) -> Decoded<Vec<Place>> {
    sources
        .iter()
        .map(|source| {
            if let Source::VariableAddress {
                variable: id @ VariableId::Function(index),
                ..
            } = source
                && let (VariablePlace::Frame(offset), StateSpace::ParamFunc) = d.variable(*id)?
            {
                let size = d
                    .function
                    .variables
                    .get(*index as usize)
                    .map_or(0, |v| v.size_bytes as u32);
                return Ok(Place::Stack { offset, size });
            }
            Ok(Place::Register(d.element(*source, 64)?))
        })
        .collect()
}

/// How one function is called from here; nothing when it cannot be called.
fn target_plan(
    d: &Decoder<'_>,
    id: FunctionId,
    arguments: &[Place],
    returns: &[Place],
) -> Option<CallTargetPlan> {
    let callee = d.program.functions.get(id.0 as usize)?;
    if !callee.defined {
        return None;
    }
    let function = d.function_index(id)?;
    let code = d.code.functions.get(function as usize)?;
    let place = |parameter: &Parameter| match parameter {
        Parameter::Register(id) => code
            .registers
            .get(id.0 as usize)
            .map(|e| Place::Register(*e)),
        Parameter::Variable(index) => {
            let places = d.layout.functions.get(id.0 as usize)?;
            match places.get(*index as usize)? {
                VariablePlace::Frame(offset) => Some(Place::Stack {
                    offset: *offset,
                    size: callee.variables.get(*index as usize)?.size_bytes as u32,
                }),
                VariablePlace::Fixed(_) => None,
            }
        }
    };
    let mut plan = CallTargetPlan {
        function,
        address: d.layout.function_address(id),
        arguments: Vec::new(),
        returns: Vec::new(),
    };
    for (from, parameter) in arguments.iter().zip(&callee.parameters) {
        plan.arguments.push((*from, place(parameter)?));
    }
    for (to, parameter) in returns.iter().zip(&callee.returns) {
        plan.returns.push((place(parameter)?, *to));
    }
    Some(plan)
}
