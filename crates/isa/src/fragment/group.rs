//! Fragment formulas of the group family: all operations from `sm_75` on, and integers on `sm_72`.
//!
//! A lane belongs to group g = lane >> 2 of four lanes and has index t = lane & 3 within the group. Matrices consist of blocks with 8 rows
//! (A, C, D) or 8 columns (B). A lane holds row or column g of each block (PTX ISA, "Matrix Fragments for mma"). The sizes and the order in
//! which the register index enumerates the blocks determine the formula.

use super::formula::{BitField, BitFieldSum, FragmentFormula, element, lane};

/// Matrix dimension in which a bit of the register index selects the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegisterBit {
    /// The bit selects a block of eight rows of A or eight columns of B.
    Outer,
    /// The bit selects a block in the k dimension.
    Depth,
}

/// Returns the fragment of A: row g, k = n*t + j, with n = 1 << `packed_bits` elements per register. `bits` specifies the order of the
/// blocks. If the register index has more than `bits.len()` bits, the upper registers are copies of the lower registers. The fragment of B
/// is the transpose.
pub(super) fn factor(packed_bits: u8, bits: &[RegisterBit], element_bits: u8) -> FragmentFormula {
    let mut outer = vec![lane(2, 3, 0)];
    let mut depth = vec![lane(0, 2, packed_bits), element(0, packed_bits, 0)];
    let (mut outer_to, mut depth_to) = (3, packed_bits + 2);
    for (from, bit) in (packed_bits..).zip(bits) {
        let (fields, to) = match bit {
            RegisterBit::Outer => (&mut outer, &mut outer_to),
            RegisterBit::Depth => (&mut depth, &mut depth_to),
        };
        fields.push(element(from, 1, *to));
        *to += 1;
    }
    FragmentFormula {
        matrix: BitFieldSum::default(),
        row: BitFieldSum::of(outer),
        column: BitFieldSum::of(depth),
        element_bits,
    }
}

/// Order in which the register index enumerates the blocks of C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockOrder {
    /// Column-major order: `down` bits enumerate row blocks, and the following bits enumerate column blocks.
    Plain { down: u8 },
    /// The fragment is the transpose of a fragment with column-major block order.
    Transposed,
}

/// Returns the fragment of C or D: two adjacent elements (g, 2t) and (g, 2t+1) of each 8x8 block.
pub(super) fn accumulator(blocks: BlockOrder, element_bits: u8) -> FragmentFormula {
    let block_bits = element_bits - 1;
    let down = match blocks {
        BlockOrder::Plain { down } => down.min(block_bits),
        BlockOrder::Transposed => block_bits,
    };
    let formula = FragmentFormula {
        matrix: BitFieldSum::default(),
        row: BitFieldSum::of([lane(2, 3, 0), element(1, down, 3)]),
        column: BitFieldSum::of(pair(element(1 + down, block_bits - down, 3))),
        element_bits,
    };
    match blocks {
        BlockOrder::Plain { .. } => formula,
        BlockOrder::Transposed => formula.transposed(),
    }
}

/// Returns the fragment of 8x8 matrices of 16-bit elements, or of 8x16 matrices with one byte per element: each register contains the four
/// bytes of row g from byte 4t on, and each matrix has one register.
pub(super) fn rows_of_matrices(packed_bits: u8, element_bits: u8) -> FragmentFormula {
    FragmentFormula {
        matrix: BitFieldSum::of([element(packed_bits, element_bits - packed_bits, 0)]),
        row: BitFieldSum::of([lane(2, 3, 0)]),
        column: BitFieldSum::of([lane(0, 2, packed_bits), element(0, packed_bits, 0)]),
        element_bits,
    }
}

/// Returns the fragment of byte matrices with 16 rows. Each lane holds 1 << `neighbour_bits` adjacent elements in each of the rows g and g
/// + 8.
pub(super) fn two_rows_of_matrices(neighbour_bits: u8, element_bits: u8) -> FragmentFormula {
    let matrix_from = neighbour_bits + 1;
    FragmentFormula {
        matrix: BitFieldSum::of([element(matrix_from, element_bits - matrix_from, 0)]),
        row: BitFieldSum::of([lane(2, 3, 0), element(neighbour_bits, 1, 3)]),
        column: BitFieldSum::of([lane(0, 2, neighbour_bits), element(0, neighbour_bits, 0)]),
        element_bits,
    }
}

fn pair(block: BitField) -> [BitField; 3] {
    [lane(0, 2, 1), element(0, 1, 0), block]
}
