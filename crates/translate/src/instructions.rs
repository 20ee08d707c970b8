//! Short sequences of WebAssembly instructions that several emitters use.

use wasm_encoder::{Instruction as I, MemArg};

/// Returns the memory argument for `offset` bytes after the address on the stack.
pub(crate) const fn at(offset: u32) -> MemArg {
    MemArg {
        offset: offset as u64,
        align: 0,
        memory_index: 0,
    }
}

/// Returns a vector constant with the same value in all four 32-bit lanes.
pub(crate) const fn splat32(value: u32) -> I<'static> {
    let value = value as u128;
    I::V128Const((value | value << 32 | value << 64 | value << 96) as i128)
}

/// Returns a vector constant with the same value in both 64-bit lanes.
pub(crate) const fn splat64(value: u64) -> I<'static> {
    let value = value as u128;
    I::V128Const((value | value << 64) as i128)
}

/// Returns the instruction that sign-extends two of the four 32-bit lanes to 64 bits. The conversion also converts a
/// 32-bit lane mask to a 64-bit lane mask.
pub(crate) const fn halves(half: u32) -> I<'static> {
    match half {
        0 => I::I64x2ExtendLowI32x4S,
        _ => I::I64x2ExtendHighI32x4S,
    }
}

/// Returns the instruction that zero-extends two of the four 32-bit lanes to 64 bits.
pub(crate) const fn zero_extended_words(half: u32) -> I<'static> {
    match half {
        0 => I::I64x2ExtendLowI32x4U,
        _ => I::I64x2ExtendHighI32x4U,
    }
}

/// Returns the shuffle that combines the low words of two vectors of 64-bit lanes.
pub(crate) const fn low_words() -> I<'static> {
    I::I8x16Shuffle([0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
}

/// Returns the shuffle that combines the high words of two vectors of 64-bit lanes.
pub(crate) const fn high_words() -> I<'static> {
    I::I8x16Shuffle([4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
}

/// Returns the shuffle that combines the lower halves of two vectors.
pub(crate) const fn low_halves() -> I<'static> {
    I::I8x16Shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
}

/// Returns the shuffle that combines the upper halves of two vectors.
pub(crate) const fn high_halves() -> I<'static> {
    I::I8x16Shuffle([8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
}
