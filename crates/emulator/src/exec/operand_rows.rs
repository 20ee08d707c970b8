//! Register operands of any bank, read and written as rows with a common element width.

use crate::code::{RegisterBank, RegisterOperand};
use crate::semantics::registers::{LANES, LaneRegisters, Row64, Row128};

/// Returns the mask of the lanes for which the condition is true.
#[inline(always)]
pub(crate) fn mask_of<T: Copy>(a: &[T; LANES], b: &[T; LANES], f: impl Fn(T, T) -> bool) -> u32 {
    let mut mask = 0;
    for lane in 0..LANES {
        mask |= u32::from(f(a[lane], b[lane])) << lane;
    }
    mask
}

/// Returns the low 64 bits of a register operand in any bank.
pub(crate) fn read64(l: &LaneRegisters<'_>, e: RegisterOperand) -> Row64 {
    let mut row = [0; LANES];
    match e.bank {
        _ if !e.slot.is_some() => {}
        RegisterBank::B64 => row = *l.r64(e.slot),
        RegisterBank::B32 => {
            for (r, v) in row.iter_mut().zip(l.r32(e.slot)) {
                *r = u64::from(*v);
            }
        }
        RegisterBank::B128 => {
            for (r, v) in row.iter_mut().zip(l.r128(e.slot)) {
                *r = *v as u64;
            }
        }
        RegisterBank::Predicate => {
            let p = l.predicate(e.slot);
            for (lane, r) in row.iter_mut().enumerate() {
                *r = u64::from(p >> lane & 1);
            }
        }
    }
    row
}

/// Returns a reference to the row of a 64-bit register operand. Operands of other widths are converted to 64 bits and
/// stored in `place`.
pub(crate) fn wide_row<'a>(
    l: &'a LaneRegisters<'_>,
    e: RegisterOperand,
    place: &'a mut Row64,
) -> &'a Row64 {
    if e.bank == RegisterBank::B64 && e.slot.is_some() {
        return l.r64(e.slot);
    }
    *place = read64(l, e);
    place
}

/// Returns all bits of a register operand, zero-extended to 128 bits.
pub(crate) fn read128(l: &LaneRegisters<'_>, e: RegisterOperand) -> Row128 {
    if e.bank == RegisterBank::B128 && e.slot.is_some() {
        return *l.r128(e.slot);
    }
    read64(l, e).map(u128::from)
}

/// Writes a row to a register operand. Bits beyond the width of the register are truncated.
pub(crate) fn write64(l: &mut LaneRegisters<'_>, e: RegisterOperand, row: &Row64) {
    if !e.slot.is_some() {
        return;
    }
    match e.bank {
        RegisterBank::B64 => l.set64(e.slot, row),
        RegisterBank::B32 => {
            let keep = u32::MAX >> (32 - e.bits.clamp(1, 32));
            l.set32(e.slot, &row.map(|v| v as u32 & keep));
        }
        RegisterBank::B128 => l.set128(e.slot, &row.map(u128::from)),
        RegisterBank::Predicate => {
            let mask = mask_of(row, row, |v, _| v & 1 != 0);
            l.set_predicate(e.slot, mask);
        }
    }
}

/// Writes a row of 128-bit values to a register operand. Bits beyond the width of the register are truncated.
pub(crate) fn write128(l: &mut LaneRegisters<'_>, e: RegisterOperand, row: &Row128) {
    if e.bank == RegisterBank::B128 && e.slot.is_some() {
        l.set128(e.slot, row);
    } else {
        write64(l, e, &row.map(|v| v as u64));
    }
}
