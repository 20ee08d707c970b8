//! Dispatch of operations that modify only registers.

use crate::code::op::Op;
use crate::code::op::{beyond_registers, frequent, infrequent, waiting};
use crate::code::plans::PlanId;
use crate::code::{Code, Element, Instr};
use crate::exec::arithmetic::float::{float32, float32x2, float64, half};
use crate::exec::arithmetic::integer::*;
use crate::exec::arithmetic::{compare, convert, machine, pack, predicate, select, video};
use crate::semantics::registers::{LANES, Lanes, Results, Row64, Slot, copy};
use warpgrid_isa::Signedness;

/// Executes an operation that modifies only registers. Returns `false` for all other operations, which are not
/// executed.
#[cfg_attr(target_arch = "x86_64", inline(always))]
#[cfg_attr(not(target_arch = "x86_64"), inline(never))]
pub(crate) fn compute<const FMA: bool>(
    instr: &Instr,
    code: &Code,
    l: &mut Lanes<'_>,
    results: &mut Results,
) -> bool {
    let Results { r32, r64 } = results;
    match instr.op {
        Op::Int32 { f, sign, slots } => int32(l, r32, f, sign, slots),
        Op::Int64 { f, sign, slots } => int64(l, r64, f, sign, slots),
        Op::Wide32 { sign, slots } => wide32(l, r64, sign, slots),
        Op::Float32 { f, mode, slots } => float32::<FMA>(l, r32, f, mode, slots),
        Op::Float64 { f, mode, slots } => float64::<FMA>(l, r64, f, mode, slots),
        Op::Mov32 { d, a } => {
            copy(r32, l.r32(a));
            l.set32(d, r32);
        }
        Op::Mov64 { d, a } => {
            copy(r64, l.r64(a));
            l.set64(d, r64);
        }
        Op::SetPredicate {
            ref compare,
            d,
            q,
            combine,
        } => compare::set_predicate(l, compare, d, q, combine),
        Op::Extend32 { sign, d, a } => extend32(l, r64, sign, d, a),
        Op::Truncate64 { d, a } => {
            let a = l.r64(a);
            for lane in 0..LANES {
                r32[lane] = a[lane] as u32;
            }
            l.set32(d, r32);
        }
        Op::Select32 { d, a, b, p } => select::select::<u32>(l, [d, a, b, p]),
        Op::Shift64 { f, sign, slots } => shift64(l, r64, f, sign, slots),
        Op::Nop => {}
        infrequent!() => return compute_more(instr, code, l, results),
        beyond_registers!() | waiting!() => return false,
    }
    true
}

/// Like [`compute`], but never inlined.
#[inline(never)]
pub(crate) fn compute_apart(
    instr: &Instr,
    code: &Code,
    l: &mut Lanes<'_>,
    results: &mut Results,
) -> bool {
    compute::<false>(instr, code, l, results)
}

#[inline(always)]
fn extend32(l: &mut Lanes<'_>, row: &mut Row64, sign: Signedness, d: Slot, a: Slot) {
    let a = l.r32(a);
    for lane in 0..LANES {
        row[lane] = match sign {
            Signedness::Signed => i64::from(a[lane] as i32) as u64,
            Signedness::Unsigned => u64::from(a[lane]),
        };
    }
    l.set64(d, row);
}

/// Executes the less frequent operations of [`compute`].
#[inline(never)]
fn compute_more(instr: &Instr, code: &Code, l: &mut Lanes<'_>, results: &mut Results) -> bool {
    let Results { r32, r64 } = results;
    let list_of =
        |list: PlanId<Vec<Element>>| -> &[Element] { code.packs.get(list).map_or(&[], |e| e) };
    match instr.op {
        Op::Int16 { f, sign, slots } => int16(l, r32, f, sign, slots),
        Op::Int16x2 { f, sign, slots } => int16x2(l, r32, f, sign, slots),
        Op::Int8x4 { f, sign, slots } => int8x4(l, r32, f, sign, slots),
        Op::Extract64 { sign, slots } => extract64(l, r64, sign, slots),
        Op::Count64 { f, sign, slots } => count64(l, r32, f, sign, slots),
        Op::Insert32(slots) => insert(l, r32, slots),
        Op::Insert64(slots) => insert(l, r64, slots),
        Op::Wide16 { sign, slots } => wide16(l, r32, sign, slots),
        Op::Float32x2 { f, mode, slots } => float32x2(l, r64, f, mode, slots),
        Op::Half { f, ty, mode, slots } => half(l, r32, f, ty, mode, slots),
        Op::Video(plan) => {
            if let Some(plan) = code.videos.get(plan) {
                video::video(l, r32, plan);
            }
        }
        Op::Carry32 { f, mode, slots } => carry(l, r32, f, mode, slots),
        Op::Carry64 { f, mode, slots } => carry(l, r64, f, mode, slots),
        Op::Mov128 { d, a } => {
            let row = *l.r128(a);
            l.set128(d, &row);
        }
        Op::MovPredicate { d, a } => {
            let value = l.predicate(a);
            l.set_predicate(d, value);
        }
        Op::Pack {
            d,
            elements: list,
            element_bits,
        } => pack::pack(l, d, list_of(list), u32::from(element_bits)),
        Op::Unpack {
            a,
            elements: list,
            element_bits,
        } => pack::unpack(l, a, list_of(list), u32::from(element_bits)),
        Op::Convert {
            ref conversion,
            d,
            a,
        } => convert::convert(l, conversion, d, a),
        Op::ConvertPacked {
            ref conversion,
            d,
            a,
            b,
        } => convert::convert_packed(l, conversion, [d, a, b]),
        Op::ConvertBy {
            ref conversion,
            d,
            sources,
            beside,
            by,
        } => convert::convert_by(l, conversion, d, list_of(sources), beside, by),
        Op::Offset { d, a, addend } => pack::offset(l, d, a, addend),
        Op::Set {
            ref compare,
            to,
            d,
            combine,
        } => compare::set(l, compare, to, d, combine),
        Op::TestFloat { test, bank, d, a } => compare::test_float(l, test, bank, d, a),
        Op::Select64 { d, a, b, p } => select::select::<u64>(l, [d, a, b, p]),
        Op::SelectSign { d, a, b, c, sign } => select::select_sign(l, d, [a, b, c], sign),
        Op::PredicateLogic { table, d, a, b } => {
            predicate::predicate_logic(l, table, [d, a, b]);
        }
        Op::Modify {
            modifiers,
            ty,
            d,
            a,
        } => predicate::modify(l, modifiers, ty, d, a),
        Op::AlignDown { d, a, bytes } => predicate::align_down(l, d, a, bytes),
        Op::AddressSum {
            d,
            base,
            scale,
            uniform,
        } => predicate::address_sum(l, d, base, scale, uniform),
        Op::Machine(plan) => {
            if let Some(plan) = code.machine.get(plan) {
                machine::machine(l, plan);
            }
        }
        Op::Policy { d } => l.set64(d, &[0; LANES]),
        Op::ActiveMask { d } => {
            let mask = l.mask;
            l.set32(d, &[mask; LANES]);
        }
        frequent!() | beyond_registers!() | waiting!() => return false,
    }
    true
}
