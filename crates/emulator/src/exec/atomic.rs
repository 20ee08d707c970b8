//! Atomic operations (PTX ISA, "atom", "red"): lane after lane, each sees what the one before left.

use crate::decode::code::{AtomicPlan, FloatMode};
use crate::exec::convert::{format_of, read128};
use crate::exec::memory_ops::{Executed, LaneBytes, MAX_WIDTH, Reach, set_elements};
use crate::exec::resolve::Target;
use crate::run::fault::AccessKind;
use crate::state::registers::{LANES, Lanes, lanes_of};
use warpgrid_isa::{BitwiseOp, ScalarType};
use warpgrid_program::{Arithmetic, AtomicOp};

/// `atom` and `red`
pub(crate) fn atomic(reach: &mut Reach<'_>, l: &mut Lanes<'_>, plan: &AtomicPlan) -> Executed {
    let mut target = Target::UNKNOWN;
    reach.find(AccessKind::Atomic, l, &plan.access, &mut target)?;
    let width = plan.access.width_bytes as usize;
    let (b, c) = (read128(l, plan.b), read128(l, plan.c));
    let mut old: LaneBytes = [0; LANES * MAX_WIDTH];
    let mut new: LaneBytes = [0; LANES * MAX_WIDTH];
    for lane in lanes_of(l.mask) {
        let at = lane * width..(lane + 1) * width;
        let seen = reach.read_lanes(&target, 1 << lane, width);
        let mut value = [0; 16];
        value[..width].copy_from_slice(&seen[at.clone()]);
        let result = apply(
            plan.op,
            plan.ty,
            u128::from_le_bytes(value),
            b[lane],
            c[lane],
        );
        old[at.clone()].copy_from_slice(&value[..width]);
        new[at.clone()].copy_from_slice(&result.to_le_bytes()[..width]);
        reach.write_lane(&target, (lane, width), 0, &new[at]);
    }
    reach.stored = true;
    if reach.interest.stores || reach.interest.loads {
        reach.tell_atomic(l, &plan.access, &target, &old, &new);
    }
    set_elements(l, &plan.access, &old);
    Ok(())
}

/// What memory holds afterwards.
#[inline(never)]
fn apply(op: AtomicOp, ty: ScalarType, old: u128, b: u128, c: u128) -> u128 {
    let bits = ty.width_bits().clamp(8, 128);
    let keep = u128::MAX >> (128 - bits);
    let (b, c) = (b & keep, c & keep);
    let signed = |v: u128| (v << (128 - bits)) as i128;
    match op {
        AtomicOp::Exchange => b,
        AtomicOp::CompareExchange => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomicOp::Bitwise(BitwiseOp::And) => old & b,
        AtomicOp::Bitwise(BitwiseOp::Or) => old | b,
        AtomicOp::Bitwise(BitwiseOp::Xor) => old ^ b,
        AtomicOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        AtomicOp::Add if ty.is_float() => float(ty, Arithmetic::Add, old, b),
        AtomicOp::Min if ty.is_float() => float(ty, Arithmetic::Min, old, b),
        AtomicOp::Max if ty.is_float() => float(ty, Arithmetic::Max, old, b),
        AtomicOp::Add => old.wrapping_add(b) & keep,
        AtomicOp::Min if ty.is_signed() && signed(b) < signed(old) => b,
        AtomicOp::Max if ty.is_signed() && signed(b) > signed(old) => b,
        AtomicOp::Min if ty.is_signed() => old,
        AtomicOp::Max if ty.is_signed() => old,
        AtomicOp::Min => old.min(b),
        AtomicOp::Max => old.max(b),
    }
}

/// Adds or compares floats; packed ones half by half.
fn float(ty: ScalarType, f: Arithmetic, old: u128, b: u128) -> u128 {
    let mode = FloatMode::default();
    match ty {
        ScalarType::F32 => u128::from(crate::exec::alu_float::op32(
            f,
            mode,
            f32::from_bits(old as u32),
            f32::from_bits(b as u32),
            0.0,
        )),
        ScalarType::F64 => u128::from(crate::exec::alu_float::op64(
            f,
            mode,
            [old as u64, b as u64, 0],
        )),
        _ => {
            let Some(format) = format_of(ty) else {
                return old;
            };
            let half = |shift: u32| {
                let part = |v: u128| (v >> shift) as u32 & 0xffff;
                let value =
                    crate::exec::alu_float::op_half(f, mode, format, [part(old), part(b), 0]);
                u128::from(value) << shift
            };
            if ty.width_bits() == 32 {
                half(0) | half(16)
            } else {
                half(0)
            }
        }
    }
}
