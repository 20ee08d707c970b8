//! Packing and unpacking of registers, and conversions between address windows (PTX ISA, "mov", "cvta").

use crate::code::{RegisterBank, RegisterOperand};
use crate::exec::operand_rows::{read64, read128, wide_row, write64, write128};
use crate::semantics::registers::{LANES, LaneRegisters, Row128};

/// Executes `mov.b64 d, {a, b}`.
pub(crate) fn pack(
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    elements: &[RegisterOperand],
    bits: u32,
) {
    if let [low, high] = *elements
        && bits == 32
        && d.bank == RegisterBank::B64
    {
        return join_words(l, d, [low, high]);
    }
    let mut row: Row128 = [0; LANES];
    for (index, element) in elements.iter().enumerate() {
        let keep = u128::MAX >> (128 - bits.clamp(1, 128));
        let values = read128(l, *element);
        for (r, v) in row.iter_mut().zip(&values) {
            *r |= (v & keep) << (index as u32 * bits).min(127);
        }
    }
    write128(l, d, &row);
}

/// Packs two 32-bit words. This fast path for SASS register pairs takes half of the time of [`pack`].
fn join_words(l: &mut LaneRegisters<'_>, d: RegisterOperand, words: [RegisterOperand; 2]) {
    let mut places = [[0; LANES]; 2];
    let [place, other] = &mut places;
    let (low, high) = (wide_row(l, words[0], place), wide_row(l, words[1], other));
    let row = std::array::from_fn(|lane| low[lane] & u64::from(u32::MAX) | high[lane] << 32);
    write64(l, d, &row);
}

/// Unpacks a value of at most 64 bits into elements. This function is the fast path of [`unpack`].
fn unpack_wide(
    l: &mut LaneRegisters<'_>,
    a: RegisterOperand,
    elements: &[RegisterOperand],
    bits: u32,
) {
    let row = read64(l, a);
    let keep = u64::MAX >> (64 - bits.clamp(1, 64));
    for (index, element) in elements.iter().enumerate() {
        let shift = index as u32 * bits;
        let part = match shift < u64::BITS {
            true => row.map(|v| v >> shift & keep),
            false => [0; LANES],
        };
        write64(l, *element, &part);
    }
}

/// Executes `mov.b64 {d0, d1}, a`.
pub(crate) fn unpack(
    l: &mut LaneRegisters<'_>,
    a: RegisterOperand,
    elements: &[RegisterOperand],
    bits: u32,
) {
    if a.bank == RegisterBank::B64 && bits <= 64 {
        return unpack_wide(l, a, elements, bits);
    }
    let row = read128(l, a);
    let keep = u128::MAX >> (128 - bits.clamp(1, 128));
    for (index, element) in elements.iter().enumerate() {
        let shift = (index as u32 * bits).min(127);
        write128(l, *element, &row.map(|v| v >> shift & keep));
    }
}

/// Executes `cvta` between address windows.
pub(crate) fn offset(
    l: &mut LaneRegisters<'_>,
    d: RegisterOperand,
    a: RegisterOperand,
    addend: u64,
) {
    let row = read64(l, a).map(|v| v.wrapping_add(addend));
    write64(l, d, &row);
}
