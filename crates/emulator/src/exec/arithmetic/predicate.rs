//! Logic on predicates, and source modifiers.

use crate::code::{RegisterBank, RegisterOperand};
use crate::exec::operand_rows::{read64, wide_row, write64};
use crate::semantics::registers::{LANES, LaneRegisters, OperandSlot};
use warpgrid_isa::ScalarType;
use warpgrid_program::{SourceModifiers, SubregisterSelector};

/// Executes `and.pred` and related instructions. Bit `2 * a + b` of the truth table is the result of a lane with source
/// predicates a and b. A truth table represents any logic operation on two predicates, including operations with
/// negated operands.
pub(crate) fn predicate_logic(l: &mut LaneRegisters<'_>, table: u8, [d, a, b]: [OperandSlot; 3]) {
    let (a, b) = (l.predicate(a), l.predicate(b));
    let term = |bit: u8, lanes: u32| if table >> bit & 1 != 0 { lanes } else { 0 };
    let result = term(0, !a & !b) | term(1, !a & b) | term(2, a & !b) | term(3, a & b);
    l.set_predicate(d, result);
}

/// Applies the source modifiers `|a|`, `-a` and `~a`. If both apply, the magnitude precedes the negation. Negation
/// inverts the sign bits of floats, and subtracts integers from zero.
pub(crate) fn modify(
    l: &mut LaneRegisters<'_>,
    modifiers: SourceModifiers,
    ty: ScalarType,
    d: RegisterOperand,
    a: RegisterOperand,
) {
    let signs = sign_bits(ty);
    let shift = 64 - a.bits.clamp(1, 64);
    let row = read64(l, a).map(|value| {
        let mut value = part_of(modifiers.part, value);
        if modifiers.absolute {
            value = match signs {
                0 => ((value << shift) as i64 >> shift).unsigned_abs(),
                signs => value & !signs,
            };
        }
        if modifiers.negate {
            value = match signs {
                0 => value.wrapping_neg(),
                signs => value ^ signs,
            };
        }
        if modifiers.invert { !value } else { value }
    });
    write64(l, d, &row);
}

/// Extracts the part of a register value that a source modifier selects.
#[inline(always)]
fn part_of(part: SubregisterSelector, value: u64) -> u64 {
    let (low, high) = (value & 0xffff, value >> 16 & 0xffff);
    match part {
        SubregisterSelector::Whole => value,
        SubregisterSelector::LowTwice => low | low << 16,
        SubregisterSelector::HighTwice => high | high << 16,
        SubregisterSelector::Swapped => high | low << 16,
        SubregisterSelector::Byte(n) => value >> (u32::from(n & 3) * 8) & 0xff,
    }
}

/// Returns a mask of the sign bits of a floating-point type, or 0 for integer types.
fn sign_bits(ty: ScalarType) -> u64 {
    match (ty.is_float(), ty) {
        (false, _) => 0,
        (true, ScalarType::F16x2 | ScalarType::Bf16x2) => 0x8000_8000,
        (true, ScalarType::F32x2) => 0x8000_0000_8000_0000,
        (true, ty) => 1 << (ty.width_bits().clamp(1, 64) - 1),
    }
}

/// Computes the address `(base << scale) + uniform` of each lane.
pub(crate) fn address_sum(
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    base: RegisterOperand,
    scale: u8,
    uniform: RegisterOperand,
) {
    // Fast path for 32-bit addresses without a uniform register, such as the shared memory address `[R0.X4]`.
    let is_short =
        base.bank == RegisterBank::B32 && d.bank == RegisterBank::B32 && base.slot.is_some();
    if is_short && !uniform.slot.is_some() {
        let row = l
            .r32(base.slot)
            .map(|base| base.wrapping_shl(u32::from(scale)));
        return l.set32(d.slot, &row);
    }
    let mut places = [[0; LANES]; 2];
    let [place, other] = &mut places;
    let (base, uniform) = (wide_row(l, base, place), wide_row(l, uniform, other));
    let row = std::array::from_fn(|lane| (base[lane] << (scale & 63)).wrapping_add(uniform[lane]));
    write64(l, d, &row);
}

/// Rounds an address down to a multiple of `bytes`, which is a power of two.
pub(crate) fn align_down(
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    a: RegisterOperand,
    bytes: u32,
) {
    let row = read64(l, a).map(|address| address & !u64::from(bytes.max(1) - 1));
    write64(l, d, &row);
}
