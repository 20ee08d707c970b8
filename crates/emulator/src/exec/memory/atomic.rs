//! Atomic operations (PTX ISA, "atom", "red"). Lanes execute sequentially, and each lane observes the effects of the
//! preceding lanes.

use crate::code::AtomicPlan;
use crate::code::MAX_WIDTH;
use crate::contract::fault::AccessKind;
use crate::contract::observer::{AccessAction, ElementAccessHeader, OperandIndex};
use crate::exec::memory::address_translation::{Backing, ResolvedAccess};
use crate::exec::memory::load::{LaneBytes, addresses, set_elements};
use crate::exec::memory_context::{ExecResult, MemoryContext};
use crate::exec::operand_rows::read128;
use crate::semantics::alu_ops::{Float32Op, Float64Op, FloatOp, HalfOp};
use crate::semantics::registers::{LANES, LaneRegisters, Row128, lanes_of};
use crate::semantics::rounding::FloatMode;
use crate::semantics::softfloat::format_of;
use crate::state::memory::copy_few;
use warpgrid_isa::{AtomicOp, ScalarType};

/// Maximum number of elements of a vector atomic operation.
const MAX_ELEMENTS: usize = 8;

/// Executes `atom` or `red`.
pub(crate) fn atomic(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AtomicPlan,
) -> ExecResult {
    let source = |l: &LaneRegisters<'_>, element: usize| match plan.b.get(element) {
        Some(b) => read128(l, *b),
        None => [0; LANES],
    };
    match plan.b.len() {
        1 => lane_by_lane(reach, l, plan, &[source(l, 0)]),
        n => {
            let rows: [Row128; MAX_ELEMENTS] = std::array::from_fn(|element| source(l, element));
            lane_by_lane(reach, l, plan, rows.get(..n).unwrap_or(&rows))
        }
    }
}

/// Executes the atomic operation for each lane sequentially. `sources` contains one row per element.
fn lane_by_lane(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AtomicPlan,
    sources: &[Row128],
) -> ExecResult {
    let mut target = ResolvedAccess::UNKNOWN;
    reach.find(AccessKind::Atomic, l, &plan.access, &mut target)?;
    let action = if plan.returns {
        AccessAction::Atomic
    } else {
        AccessAction::Reduction
    };
    let listens = reach.interest.covers(action);
    let width = plan.access.width_bytes as usize;
    let size = plan.access.element_bytes as usize;
    let c = read128(l, plan.c);
    let addresses = addresses(l, &plan.access);
    let mut old: LaneBytes = [0; LANES * MAX_WIDTH];
    reach.events.clear();
    for lane in lanes_of(l.mask) {
        let (backing, start) = target.of_lane(lane, width);
        for (element, b) in sources.iter().enumerate() {
            let from = element * size;
            let at = start + from;
            let bytes_read = reach.read_lane(backing, at, size);
            let mut value = [0; 16];
            copy_few(&mut value[..size], &bytes_read[..size]);
            let operands = [b[lane], c[lane]];
            let (result, written) = apply(plan, backing, u128::from_le_bytes(value), operands);
            let result = result.to_le_bytes();
            if written {
                reach.write(backing, at, lane, &result[..size]);
            }
            let first = lane * width + from;
            copy_few(&mut old[first..first + size], &bytes_read[..size]);
            if listens {
                let (memory, address) = reach.place_of(&target, &addresses, lane, width);
                let operands = &plan.access.metadata.operands;
                let piece = ElementAccessHeader {
                    address_lane: lane as u8,
                    data_lane: lane as u8,
                    element: element as u8,
                    written,
                    ty: plan.ty,
                    operand: operands.get(element).copied().map(OperandIndex),
                    memory,
                    address: address.wrapping_add(from as u64),
                };
                reach
                    .events
                    .add(piece, &result[..size], &bytes_read[..size]);
            }
        }
    }
    if listens {
        reach.report(action, l.mask, &plan.access);
    }
    set_elements(l, &plan.access, &old);
    Ok(())
}

/// Returns the new value of an element, and whether the value is stored. The value is not stored if the comparison of a
/// `cas` fails, or if memory already contains the minimum or maximum. An addition of `.f32` flushes subnormals in
/// global memory, but not in shared memory (PTX ISA, "atom").
#[inline(never)]
fn apply(plan: &AtomicPlan, backing: Backing, old: u128, operands: [u128; 2]) -> (u128, bool) {
    let nan = match (plan.op, plan.ty) {
        (AtomicOp::Add, ScalarType::F64) => added_nan(backing, old as u64, operands[0] as u64),
        _ => None,
    };
    let mode = FloatMode {
        ftz: backing == Backing::Arena && plan.ty == ScalarType::F32,
        ..FloatMode::default()
    };
    match nan {
        Some(nan) => (nan.into(), true),
        None => combine(plan.op, plan.ty, mode, old, operands),
    }
}

/// Returns the NaN result of an `f64` addition with a NaN operand. In global memory, a NaN in b takes precedence over
/// the old value, and its bits are preserved. In shared memory, a NaN in the old value takes precedence, and is quieted
/// (measured on an H100).
fn added_nan(backing: Backing, old: u64, b: u64) -> Option<u64> {
    let is_nan = |bits: &u64| f64::from_bits(*bits).is_nan();
    match backing {
        Backing::Arena => [b, old].into_iter().find(is_nan),
        Backing::Shared | Backing::Peer(_) | Backing::Stack => {
            let nan = [old, b].into_iter().find(is_nan)?;
            Some(nan | 1 << 51)
        }
    }
}

/// Combines an element of memory with the operands. Returns the new value, and whether the value is stored. Only
/// additions flush subnormals according to `mode`.
pub(crate) fn combine(
    op: AtomicOp,
    ty: ScalarType,
    mode: FloatMode,
    old: u128,
    [b, c]: [u128; 2],
) -> (u128, bool) {
    let bits = ty.width_bits().clamp(8, 128);
    let keep = u128::MAX >> (128 - bits);
    let (b, c) = (b & keep, c & keep);
    let plain = FloatMode::default();
    let signed = |v: u128| (v << (128 - bits)) as i128;
    match op {
        AtomicOp::Exch => (b, true),
        AtomicOp::Cas => (c, old == b),
        AtomicOp::And => (old & b, true),
        AtomicOp::Or => (old | b, true),
        AtomicOp::Xor => (old ^ b, true),
        AtomicOp::Inc => (if old >= b { 0 } else { old + 1 }, true),
        AtomicOp::Dec => (if old == 0 || old > b { b } else { old - 1 }, true),
        AtomicOp::Add if ty.is_float() => (float(ty, FloatOp::Add, mode, old, b), true),
        AtomicOp::Min if ty.is_float() => changed(old, float(ty, FloatOp::Min, plain, old, b)),
        AtomicOp::Max if ty.is_float() => changed(old, float(ty, FloatOp::Max, plain, old, b)),
        AtomicOp::Add => (old.wrapping_add(b) & keep, true),
        AtomicOp::Min if ty.is_signed() => (b, signed(b) < signed(old)),
        AtomicOp::Max if ty.is_signed() => (b, signed(b) > signed(old)),
        AtomicOp::Min => (b, b < old),
        AtomicOp::Max => (b, b > old),
    }
}

/// Returns a result, and whether it must be stored because it differs from the old value.
fn changed(old: u128, result: u128) -> (u128, bool) {
    (result, result != old)
}

/// Computes the sum, minimum or maximum of floats. The elements of packed floats are combined separately.
fn float(ty: ScalarType, f: FloatOp, mode: FloatMode, old: u128, b: u128) -> u128 {
    match ty {
        ScalarType::F32 => u128::from(crate::exec::arithmetic::float::op32(
            Float32Op::Plain(f),
            mode,
            f32::from_bits(old as u32),
            f32::from_bits(b as u32),
            0.0,
        )),
        ScalarType::F64 => u128::from(crate::exec::arithmetic::float::op64(
            Float64Op::Plain(f),
            mode,
            [old as u64, b as u64, 0],
        )),
        _ => {
            let Some(format) = format_of(ty) else {
                return old;
            };
            let half = |shift: u32| {
                let part = |v: u128| (v >> shift) as u32 & 0xffff;
                let value = crate::exec::arithmetic::float::op_half(
                    HalfOp::Plain(f),
                    mode,
                    format,
                    [part(old), part(b), 0],
                );
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
