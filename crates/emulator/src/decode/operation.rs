//! One operation of the contract to one decoded operation.

use super::{Decoded, Decoder, arithmetic, control, data, memory};
use crate::decode::code::{CollectiveKind, Op};
use warpgrid_isa::VoteMode;
use warpgrid_program::Operation;

pub(super) fn operation(d: &mut Decoder<'_>, operation: &Operation) -> Decoded<Op> {
    match operation {
        Operation::Arithmetic {
            op,
            ty,
            mode,
            d: to,
            sources,
        } => arithmetic::arithmetic(d, *op, *ty, *mode, *to, sources),
        Operation::BitFieldInsert {
            ty,
            d: to,
            a,
            b,
            position,
            length,
        } => arithmetic::insert(d, ty.width_bits(), *to, [*a, *b], [*position, *length]),
        Operation::Carry {
            op,
            ty,
            carry,
            d: to,
            sources,
        } => arithmetic::carry(d, *op, *ty, *carry, *to, sources),
        Operation::Move { ty, d: to, a } => data::movement(d, *ty, *to, *a),
        Operation::Pack {
            ty,
            d: to,
            elements,
        } => data::pack(d, *ty, *to, elements),
        Operation::Unpack { ty, elements, a } => data::unpack(d, *ty, elements, *a),
        Operation::Convert {
            conversion,
            d: to,
            a,
        } => {
            let to = d.register(*to)?;
            let a = d.element(*a, conversion.from.width_bits())?;
            Ok(data::conversion(*conversion, to, a))
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
        } => data::address(d, *space, *to_space, *width_bits, *to, *a),
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
            let compare = data::comparison(d, *compare, *ty, *ftz, *a, *b)?;
            Ok(Op::SetPredicate {
                compare,
                d: d.target_or_none(*to, 1)?,
                q: d.target_or_none(*q, 1)?,
                combine: data::combined(d, combine)?,
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
            compare: data::comparison(d, *compare, *ty, *ftz, *a, *b)?,
            to: *to,
            d: d.target(*target, to.width_bits())?,
            combine: data::combined(d, combine)?,
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
        } => data::select(d, *ty, *to, [*a, *b, *predicate]),
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
        } => memory::load(d, access, address, to),
        Operation::Store {
            access,
            address,
            sources,
        } => memory::store(d, access, address, sources),
        Operation::Atomic {
            op,
            access,
            address,
            d: to,
            b,
            c,
        } => memory::atomic(d, *op, (access, address), *to, *b, *c),
        Operation::Hint | Operation::Fence => Ok(Op::Nop),
        Operation::CreatePolicy { d: to } => Ok(Op::Policy {
            d: d.target(*to, 64)?,
        }),
        Operation::Branch { target, uniform: _ } => Ok(Op::Branch {
            target: d.pc(*target),
        }),
        Operation::BranchIndexed { index, targets } => control::branch_indexed(d, *index, targets),
        Operation::Call {
            target,
            arguments,
            returns,
            uniform: _,
        } => control::call(d, target, arguments, returns),
        Operation::Return => Ok(Op::Return),
        Operation::Exit => Ok(Op::Exit),
        Operation::Trap | Operation::Breakpoint => Ok(Op::Trap),
        Operation::Barrier {
            kind,
            id,
            threads,
            aligned: _,
        } => control::barrier(d, kind, *id, *threads),
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
            control::collective(d, kind, *mask)
        }
        Operation::Vote {
            mode,
            d: to,
            a,
            negated,
            mask,
        } => {
            let bits = match mode {
                VoteMode::Ballot => 32,
                _ => 1,
            };
            let kind = CollectiveKind::Vote {
                mode: *mode,
                d: d.target(*to, bits)?,
                a: d.predicate(*a)?,
                negated: *negated,
            };
            control::collective(d, kind, *mask)
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
            control::collective(d, kind, Some(*mask))
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
            control::collective(d, kind, Some(*mask))
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
            control::collective(d, kind, Some(*mask))
        }
        Operation::Yield => Ok(Op::Yield),
        Operation::StoreAsync { .. } => Ok(d.refuse("st.async".to_owned())),
        Operation::WmmaStore { .. } => Ok(d.refuse("wmma.store".to_owned())),
        Operation::NotEmulated { opcode } => Ok(d.refuse(opcode.clone())),
    }
}
