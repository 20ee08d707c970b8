//! Dispatch of operations that modify only registers.

use crate::code::decoded_op::DecodedOp;
use crate::code::decoded_op::{blocking_ops, cold_alu_ops, hot_alu_ops, side_effect_ops};
use crate::code::plan_table::PlanId;
use crate::code::{DecodedCode, DecodedInstruction, RegisterOperand};
use crate::exec::arithmetic::float::{float32, float32x2, float64, half};
use crate::exec::arithmetic::integer::*;
use crate::exec::arithmetic::{compare, convert, pack, predicate, sass, select, video};
use crate::semantics::registers::{LANES, LaneRegisters, OperandSlot, ResultRows, Row64, copy};
use warpgrid_isa::Signedness;

/// Executes an operation that modifies only registers. Returns `false` without an effect for all other operations.
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
pub(crate) fn compute<const FMA: bool>(
    instr: &DecodedInstruction,
    code: &DecodedCode,
    l: &mut LaneRegisters<'_>,
    results: &mut ResultRows,
) -> bool {
    let ResultRows { r32, r64 } = results;
    match instr.op {
        DecodedOp::Int32 { f, sign, slots } => int32(l, r32, f, sign, slots),
        DecodedOp::Int64 { f, sign, slots } => int64(l, r64, f, sign, slots),
        DecodedOp::Wide32 { sign, slots } => wide32(l, r64, sign, slots),
        DecodedOp::Float32 { f, mode, slots } => float32::<FMA>(l, r32, f, mode, slots),
        DecodedOp::Float64 { f, mode, slots } => float64::<FMA>(l, r64, f, mode, slots),
        DecodedOp::Mov32 { d, a } => {
            copy(r32, l.r32(a));
            l.set32(d, r32);
        }
        DecodedOp::Mov64 { d, a } => {
            copy(r64, l.r64(a));
            l.set64(d, r64);
        }
        DecodedOp::SetPredicate {
            ref compare,
            d,
            q,
            combine,
        } => compare::set_predicate(l, compare, d, q, combine),
        DecodedOp::Extend32 { sign, d, a } => extend32(l, r64, sign, d, a),
        DecodedOp::Truncate64 { d, a } => {
            let a = l.r64(a);
            for lane in 0..LANES {
                r32[lane] = a[lane] as u32;
            }
            l.set32(d, r32);
        }
        DecodedOp::Select32 { d, a, b, p } => select::select::<u32>(l, [d, a, b, p]),
        DecodedOp::Shift64 { f, sign, slots } => shift64(l, r64, f, sign, slots),
        DecodedOp::Nop => {}
        cold_alu_ops!() => return compute_more(instr, code, l, results),
        side_effect_ops!() | blocking_ops!() => return false,
    }
    true
}

/// Calls [`compute`]. This function is never inlined, so that rare call sites do not duplicate the code of [`compute`].
#[inline(never)]
pub(crate) fn compute_apart(
    instr: &DecodedInstruction,
    code: &DecodedCode,
    l: &mut LaneRegisters<'_>,
    results: &mut ResultRows,
) -> bool {
    compute::<false>(instr, code, l, results)
}

#[inline(always)]
fn extend32(
    l: &mut LaneRegisters<'_>,
    row: &mut Row64,
    sign: Signedness,
    d: OperandSlot,
    a: OperandSlot,
) {
    let a = l.r32(a);
    for lane in 0..LANES {
        row[lane] = match sign {
            Signedness::Signed => i64::from(a[lane] as i32) as u64,
            Signedness::Unsigned => u64::from(a[lane]),
        };
    }
    l.set64(d, row);
}

/// Executes the operations that [`compute`] does not execute directly, because they are less frequent.
#[inline(never)]
fn compute_more(
    instr: &DecodedInstruction,
    code: &DecodedCode,
    l: &mut LaneRegisters<'_>,
    results: &mut ResultRows,
) -> bool {
    let ResultRows { r32, r64 } = results;
    let list_of = |list: PlanId<Vec<RegisterOperand>>| -> &[RegisterOperand] {
        code.packs.get(list).map_or(&[], |e| e)
    };
    match instr.op {
        DecodedOp::Int16 { f, sign, slots } => int16(l, r32, f, sign, slots),
        DecodedOp::Int16x2 { f, sign, slots } => int16x2(l, r32, f, sign, slots),
        DecodedOp::Int8x4 { f, sign, slots } => int8x4(l, r32, f, sign, slots),
        DecodedOp::Extract64 { sign, slots } => extract64(l, r64, sign, slots),
        DecodedOp::Count64 { f, sign, slots } => count64(l, r32, f, sign, slots),
        DecodedOp::Insert32(slots) => insert(l, r32, slots),
        DecodedOp::Insert64(slots) => insert(l, r64, slots),
        DecodedOp::Wide16 { sign, slots } => wide16(l, r32, sign, slots),
        DecodedOp::Float32x2 { f, mode, slots } => float32x2(l, r64, f, mode, slots),
        DecodedOp::Half { f, ty, mode, slots } => half(l, r32, f, ty, mode, slots),
        DecodedOp::Video(plan) => {
            if let Some(plan) = code.videos.get(plan) {
                video::video(l, r32, plan);
            }
        }
        DecodedOp::Carry32 { f, mode, slots } => carry(l, r32, f, mode, slots),
        DecodedOp::Carry64 { f, mode, slots } => carry(l, r64, f, mode, slots),
        DecodedOp::Mov128 { d, a } => {
            let row = *l.r128(a);
            l.set128(d, &row);
        }
        DecodedOp::MovPredicate { d, a } => {
            let value = l.predicate(a);
            l.set_predicate(d, value);
        }
        DecodedOp::Pack {
            d,
            elements: list,
            element_bits,
        } => pack::pack(l, d, list_of(list), u32::from(element_bits)),
        DecodedOp::Unpack {
            a,
            elements: list,
            element_bits,
        } => pack::unpack(l, a, list_of(list), u32::from(element_bits)),
        DecodedOp::Convert {
            ref conversion,
            d,
            a,
        } => convert::convert(l, conversion, d, a),
        DecodedOp::ConvertPacked {
            ref conversion,
            d,
            a,
            b,
        } => convert::convert_packed(l, conversion, [d, a, b]),
        DecodedOp::ConvertBy {
            ref conversion,
            d,
            sources,
            beside,
            by,
        } => convert::convert_by(l, conversion, d, list_of(sources), beside, by),
        DecodedOp::Offset { d, a, addend } => pack::offset(l, d, a, addend),
        DecodedOp::Set {
            ref compare,
            to,
            d,
            combine,
        } => compare::set(l, compare, to, d, combine),
        DecodedOp::TestFloat { test, bank, d, a } => compare::test_float(l, test, bank, d, a),
        DecodedOp::Select64 { d, a, b, p } => select::select::<u64>(l, [d, a, b, p]),
        DecodedOp::SelectSign { d, a, b, c, sign } => select::select_sign(l, d, [a, b, c], sign),
        DecodedOp::PredicateLogic { table, d, a, b } => {
            predicate::predicate_logic(l, table, [d, a, b]);
        }
        DecodedOp::Modify {
            modifiers,
            ty,
            d,
            a,
        } => predicate::modify(l, modifiers, ty, d, a),
        DecodedOp::AlignDown { d, a, bytes } => predicate::align_down(l, d, a, bytes),
        DecodedOp::AddressSum {
            d,
            base,
            scale,
            uniform,
        } => predicate::address_sum(l, d, base, scale, uniform),
        DecodedOp::Machine(plan) => {
            if let Some(plan) = code.machine.get(plan) {
                sass::machine(l, plan);
            }
        }
        DecodedOp::Policy { d } => l.set64(d, &[0; LANES]),
        DecodedOp::ActiveMask { d } => {
            let mask = l.mask;
            l.set32(d, &[mask; LANES]);
        }
        hot_alu_ops!() | side_effect_ops!() | blocking_ops!() => return false,
    }
    true
}
