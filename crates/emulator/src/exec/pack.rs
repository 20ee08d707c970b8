//! Several registers to one and back, and moves between address windows (PTX ISA, "mov", "cvta").

use crate::decode::code::Element;
use crate::exec::elements::{read64, read128, write64, write128};
use crate::state::registers::{LANES, Lanes, Row128};

/// `mov.b64 d, {a, b}`
pub(crate) fn pack(l: &mut Lanes<'_>, d: Element, elements: &[Element], bits: u32) {
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

/// `mov.b64 {a, b}, d`
pub(crate) fn unpack(l: &mut Lanes<'_>, a: Element, elements: &[Element], bits: u32) {
    let row = read128(l, a);
    let keep = u128::MAX >> (128 - bits.clamp(1, 128));
    for (index, element) in elements.iter().enumerate() {
        let shift = (index as u32 * bits).min(127);
        write128(l, *element, &row.map(|v| v >> shift & keep));
    }
}

/// `cvta` between windows.
pub(crate) fn offset(l: &mut Lanes<'_>, d: Element, a: Element, addend: u64) {
    let row = read64(l, a).map(|v| v.wrapping_add(addend));
    write64(l, d, &row);
}
