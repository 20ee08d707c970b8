//! Registers of `wgmma`: each warp of a warpgroup has 16 rows of its own, in which its lanes hold elements as in `mma` (PTX ISA, "Register
//! Fragments for wgmma.mma_async.m64nNk16" and the sections after it).

/// Row, of the 16 of the warp, and column of element `element` of D in a lane. Elements of 32 bits have a register each, two of `f16` share
/// one.
pub const fn sum_element(lane: usize, element: usize) -> (usize, usize) {
    (
        lane / 4 + 8 * (element >> 1 & 1),
        8 * (element >> 2) + 2 * (lane % 4) + (element & 1),
    )
}

/// Row, of the 16 of the warp, and column of an element of A in a register of a lane. `per_register` elements of the same width share one.
pub const fn factor_element(
    lane: usize,
    register: usize,
    element: usize,
    per_register: usize,
) -> (usize, usize) {
    (
        lane / 4 + 8 * (register & 1),
        per_register * (lane % 4) + element + 4 * per_register * (register >> 1),
    )
}
