//! Fragment formulas of the quad-pair family: `f16` operands on `sm_70` and `sm_72`, and `mma.m8n8k4` on every target.
//!
//! Lanes 4p to 4p+3 and 16+4p to 16+4p+3 form quad pair p, which holds an 8x8 tile of C and D, and the rows of A and columns of B that this
//! tile requires (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").

use super::formula::{BitField, BitFieldSum, FragmentFormula, element, lane};
use super::operation::{MatrixOperand, Shape};
use crate::modifier::MatrixLayout;
use crate::types::ScalarType;

/// Start and width of bit field `t` of the lane index, which is the index of the lane in its group of four.
const T: (u8, u8) = (0, 2);
/// Position of bit `u` of the lane index, which selects the lower or upper half of a quad pair.
const U: u8 = 4;

/// First row and first column of the tile of a quad pair, as bit fields of the lane index.
#[derive(Clone, Copy)]
struct Tile {
    top: BitField,
    left: BitField,
}

impl Tile {
    /// Returns the tile positions for `shape`: the tiles of the four quad pairs form a 2x2, 1x4 or 4x1 grid. In shapes with 8x8 results,
    /// each quad pair has a separate matrix.
    fn of(shape: Shape) -> Tile {
        let (top_bits, left_bits) = match (shape.m, shape.n) {
            (16, 16) => (1, 1),
            (8, 32) => (0, 2),
            (32, 8) => (2, 0),
            _ => (0, 0),
        };
        Tile {
            top: lane(2, top_bits, 3),
            left: lane(2 + top_bits, left_bits, 3),
        }
    }
}

/// Returns the fragment of `matrix`. `n_elements` is the number of elements per lane. The fragments of A and B depend on `layout`.
pub(super) fn formula(
    shape: Shape,
    matrix: MatrixOperand,
    ty: ScalarType,
    layout: MatrixLayout,
    n_elements: u16,
) -> FragmentFormula {
    let tile = Tile::of(shape);
    let element_bits = n_elements.ilog2() as u8;
    let (row, column) = match matrix {
        MatrixOperand::C | MatrixOperand::D if ty == ScalarType::F32 => wide_accumulator(tile),
        MatrixOperand::C | MatrixOperand::D => along(tile.top, tile.left, element_bits),
        MatrixOperand::A if layout == MatrixLayout::Row => {
            along(tile.top, element(0, 0, 0), element_bits)
        }
        MatrixOperand::A => across(tile.top, element_bits),
        // The fragment of B is the transpose of the fragment of A with the transposed layout.
        MatrixOperand::B if layout == MatrixLayout::Col => {
            let (column, row) = along(tile.left, element(0, 0, 0), element_bits);
            (row, column)
        }
        MatrixOperand::B => {
            let (column, row) = across(tile.left, element_bits);
            (row, column)
        }
    };
    let own_matrix = shape.m == 8 && shape.n == 8;
    FragmentFormula {
        matrix: BitFieldSum::of([lane(2, if own_matrix { 2 } else { 0 }, 0)]),
        row,
        column,
        element_bits,
    }
}

/// Formula for a lane that holds one row of its tile: (top + 4u + t, left + e).
fn along(top: BitField, left: BitField, element_bits: u8) -> (BitFieldSum, BitFieldSum) {
    (
        BitFieldSum::of([top, lane(U, 1, 2), lane(T.0, T.1, 0)]),
        BitFieldSum::of([left, element(0, element_bits, 0)]),
    )
}

/// Formula for a lane that holds four rows of every fourth column, starting at column t: (top + 4u + (e&3), t + (e&12)).
fn across(top: BitField, element_bits: u8) -> (BitFieldSum, BitFieldSum) {
    (
        BitFieldSum::of([top, lane(U, 1, 2), element(0, 2, 0)]),
        BitFieldSum::of([lane(T.0, T.1, 0), element(2, element_bits - 2, 2)]),
    )
}

/// Formula for `f32` accumulators: (top + 4u + (t&1) + (e&2), left + (t&2) + (e&1) + (e&4)).
fn wide_accumulator(tile: Tile) -> (BitFieldSum, BitFieldSum) {
    (
        BitFieldSum::of([tile.top, lane(U, 1, 2), lane(0, 1, 0), element(1, 1, 1)]),
        BitFieldSum::of([tile.left, lane(1, 1, 1), element(0, 1, 0), element(2, 1, 2)]),
    )
}
