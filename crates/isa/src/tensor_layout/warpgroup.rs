//! Register layout of `wgmma`: each warp of a warpgroup holds 16 rows, distributed over its lanes as in `mma` (PTX ISA, "Register
//! Fragments for wgmma.mma_async.m64nNk16" and the following sections).

/// Returns the row (within the 16 rows of the warp) and column of element `element` of D in a lane. A 32-bit element occupies one register,
/// and two `f16` elements share one register.
pub const fn accumulator_element(lane: usize, element: usize) -> (usize, usize) {
    (
        lane / 4 + 8 * (element >> 1 & 1),
        8 * (element >> 2) + 2 * (lane % 4) + (element & 1),
    )
}

/// Returns the row (within the 16 rows of the warp) and the column of an element of A in a register of a lane. Each register contains
/// `per_register` elements.
pub const fn operand_element(
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
