//! The group family: everything from `sm_75` on, and integers on `sm_72`.
//!
//! A lane belongs to a group of four, g = lane >> 2, at the place t = lane & 3. Matrices are made of blocks with 8 rows (A, C, D) or
//! 8 columns (B); a lane holds row (column) g of each block (PTX ISA, "Matrix Fragments for mma"). What remains is the
//! order of the blocks over the register number. In: sizes and that order; out: the formula.

use super::formula::{Field, Formula, Sum, element, lane};

/// What the next bit of the register number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    /// Blocks of eight rows of A, eight columns of B.
    Outer,
    /// Blocks of k.
    Depth,
}

/// The fragment of A: row g, k = n*t + j, where n = 1 << `packed_bits` elements lie in a register. `bits` has the order of the
/// blocks; register numbers beyond it repeat what the lower ones hold. B is the transpose.
pub(super) fn factor(packed_bits: u8, bits: &[Bit], element_bits: u8) -> Formula {
    let mut outer = vec![lane(2, 3, 0)];
    let mut depth = vec![lane(0, 2, packed_bits), element(0, packed_bits, 0)];
    let (mut outer_to, mut depth_to) = (3, packed_bits + 2);
    for (from, bit) in (packed_bits..).zip(bits) {
        let (fields, to) = match bit {
            Bit::Outer => (&mut outer, &mut outer_to),
            Bit::Depth => (&mut depth, &mut depth_to),
        };
        fields.push(element(from, 1, *to));
        *to += 1;
    }
    Formula {
        matrix: Sum::default(),
        row: Sum::of(outer),
        column: Sum::of(depth),
        element_bits,
    }
}

/// The order of blocks over C and D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    /// Down first, then to the right: `down` bits of rows, then columns.
    Plain { down: u8 },
    /// The transpose of a fragment whose blocks go down.
    Transposed,
}

/// The fragment of C or D: two neighbours (g, 2t) and (g, 2t+1) of each 8x8 block.
pub(super) fn accumulator(blocks: Blocks, element_bits: u8) -> Formula {
    let block_bits = element_bits - 1;
    let down = match blocks {
        Blocks::Plain { down } => down.min(block_bits),
        Blocks::Transposed => block_bits,
    };
    let formula = Formula {
        matrix: Sum::default(),
        row: Sum::of([lane(2, 3, 0), element(1, down, 3)]),
        column: Sum::of(pair(element(1 + down, block_bits - down, 3))),
        element_bits,
    };
    match blocks {
        Blocks::Plain { .. } => formula,
        Blocks::Transposed => formula.transposed(),
    }
}

/// 8x8 matrices of 16-bit elements, or 8x16 with a byte for each: row g, 4 bytes from 4t on; one matrix a register.
pub(super) fn rows_of_matrices(packed_bits: u8, element_bits: u8) -> Formula {
    Formula {
        matrix: Sum::of([element(packed_bits, element_bits - packed_bits, 0)]),
        row: Sum::of([lane(2, 3, 0)]),
        column: Sum::of([lane(0, 2, packed_bits), element(0, packed_bits, 0)]),
        element_bits,
    }
}

/// Matrices with 16 rows of bytes: rows g and g + 8, in each 1 << `neighbour_bits` neighbours.
pub(super) fn two_rows_of_matrices(neighbour_bits: u8, element_bits: u8) -> Formula {
    let matrix_from = neighbour_bits + 1;
    Formula {
        matrix: Sum::of([element(matrix_from, element_bits - matrix_from, 0)]),
        row: Sum::of([lane(2, 3, 0), element(neighbour_bits, 1, 3)]),
        column: Sum::of([lane(0, 2, neighbour_bits), element(0, neighbour_bits, 0)]),
        element_bits,
    }
}

fn pair(block: Field) -> [Field; 3] {
    [lane(0, 2, 1), element(0, 1, 0), block]
}
