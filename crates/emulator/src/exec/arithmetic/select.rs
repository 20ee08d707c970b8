//! Selections by a predicate or a sign (PTX ISA, "selp", "slct").

use crate::code::{RegisterBank, RegisterOperand, SelectCondition};
use crate::exec::operand_rows::mask_of;
use crate::semantics::registers::{BankWord, LANES, LaneRegisters, OperandSlot, lanes_of};

/// Executes `selp`.
#[inline(always)]
pub(crate) fn select<T: BankWord + Default>(
    l: &mut LaneRegisters<'_>,
    [d, a, b, p]: [OperandSlot; 4],
) {
    let (a, b, p) = (T::row(l, a), T::row(l, b), l.predicate(p));
    let mut row = [T::default(); LANES];
    for lane in 0..LANES {
        row[lane] = if p & (1 << lane) != 0 {
            a[lane]
        } else {
            b[lane]
        };
    }
    T::set_row(l, d, &row);
}

/// `slct`: selects a if c >= 0, and otherwise b. If c is a NaN, selects b.
pub(crate) fn select_sign(
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    [a, b, c]: [OperandSlot; 3],
    sign: SelectCondition,
) {
    let c = l.r32(c);
    let p = mask_of(c, c, |c, _| {
        match sign {
            SelectCondition::Integer => c as i32 >= 0,
            SelectCondition::Float => f32::from_bits(c) >= 0.0,
            // A subnormal number is flushed to zero, so that it is nonnegative.
            SelectCondition::Flushed => {
                f32::from_bits(c) >= 0.0 || f32::from_bits(c).is_subnormal()
            }
        }
    });
    let mask = l.mask;
    match d.bank {
        RegisterBank::B64 => {
            let mut row = *l.r64(b);
            for lane in lanes_of(p) {
                row[lane] = l.r64(a)[lane];
            }
            l.set64(d.slot, &row);
        }
        _ => {
            let mut row = *l.r32(b);
            for lane in lanes_of(p) {
                row[lane] = l.r32(a)[lane];
            }
            l.set32(d.slot, &row);
        }
    }
    l.mask = mask;
}
