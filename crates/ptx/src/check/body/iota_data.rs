//! Initial contents of inferred memory that a snippet loads before it stores to the memory: the numbers 0, 1, 2, … in the type of the load.

use warpgrid_isa::{ScalarType, TypeKind};

/// Number of consecutive integers, starting at 0, that all 16-bit floating-point types represent exactly.
const EXACT: u64 = 256;

/// Number of byte patterns with which memory of an 8-bit floating-point type is initialized. The patterns exclude infinities and NaNs.
const NARROW_FLOAT_PATTERNS: u64 = 64;

/// Returns the bytes of ascending numbers of type `ty`, which start at 0.
pub(crate) fn counting(ty: ScalarType, n_bytes: u64) -> Vec<u8> {
    counting_below(u64::MAX, ty, n_bytes)
}

/// Returns the bytes of ascending numbers of type `ty`, which wrap around to 0 after `most - 1`.
pub(crate) fn counting_below(most: u64, ty: ScalarType, n_bytes: u64) -> Vec<u8> {
    let width = ty.width_bytes().max(1) as usize;
    let n = n_bytes / width as u64;
    let size = n as usize * width;
    let mut bytes = Vec::with_capacity(size);
    for number in 0..n.min(most) {
        let pattern = bits(ty, number).to_le_bytes();
        bytes.extend_from_slice(&pattern[..width]);
    }
    // The numbers repeat with a period of `most`. Copying them is faster than encoding them again.
    while bytes.len() < size {
        bytes.extend_from_within(..bytes.len().min(size - bytes.len()));
    }
    bytes
}

/// Returns the bit pattern of a number as a value of the type `ty`.
fn bits(ty: ScalarType, number: u64) -> u128 {
    match (ty.kind(), ty.width_bits()) {
        (TypeKind::Float, 64) => u128::from((number as f64).to_bits()),
        (TypeKind::Float, 32) => u128::from((number as f32).to_bits()),
        (TypeKind::Float, 16) => u128::from(half(ty, number % EXACT)),
        (TypeKind::Float, _) => u128::from(number % NARROW_FLOAT_PATTERNS),
        _ => number.into(),
    }
}

/// Returns the bit pattern of a small number in a 16-bit floating-point type.
fn half(ty: ScalarType, number: u64) -> u16 {
    let wide = (number as f32).to_bits();
    if ty == ScalarType::Bf16 || number == 0 {
        return (wide >> 16) as u16;
    }
    // Convert the exponent bias from 127 (`f32`) to 15 (`f16`).
    ((wide >> 13) - ((127 - 15) << 10)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iota_data_is_encoded_in_element_type() {
        assert_eq!(counting(ScalarType::U16, 6), [0, 0, 1, 0, 2, 0]);
        assert_eq!(
            counting(ScalarType::F16, 8),
            [0, 0, 0, 0x3c, 0, 0x40, 0, 0x42]
        );
        assert_eq!(counting(ScalarType::Bf16, 6), [0, 0, 0x80, 0x3f, 0, 0x40]);
        assert_eq!(counting(ScalarType::F32, 8), [0, 0, 0, 0, 0, 0, 0x80, 0x3f]);
        assert_eq!(counting(ScalarType::U8, 3), [0, 1, 2]);
    }
}
