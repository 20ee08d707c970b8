//! Tensor memory layout: 128 lanes of 32-bit columns. Lanes and columns are relative to the operand address (PTX ISA, "tcgen05"; the
//! locations are those of CuTe).

use crate::modifier::{TensorMemoryAccessShape, TensorMemoryCopyShape, WarpMulticast};

/// Returns lane and column of a thread's register in `tcgen05.ld` or `tcgen05.st` (PTX ISA, "Matrix fragments" of each shape). `half` is
/// the number of columns between the two halves of `.16x32bx2`.
pub const fn transfer_location(
    shape: TensorMemoryAccessShape,
    half: u32,
    thread: u32,
    register: u32,
) -> (u32, u32) {
    let (l, r) = (thread, register);
    match shape {
        TensorMemoryAccessShape::M32x32 => (l, r),
        TensorMemoryAccessShape::M16x64 => (l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * r),
        TensorMemoryAccessShape::M16x128 => (l / 4 + 8 * (r % 2), l % 4 + 4 * (r / 2)),
        TensorMemoryAccessShape::M16x256 => {
            (l / 4 + 8 * (r / 2 % 2), 2 * (l % 4) + r % 2 + 8 * (r / 4))
        }
        TensorMemoryAccessShape::M16x32x2 => (l % 16, r + if l < 16 { 0 } else { half }),
    }
}

/// Returns the lanes that receive a row of a copy. The words of the row are written to consecutive columns of these lanes.
pub fn copied_lanes(
    shape: TensorMemoryCopyShape,
    warps: Option<WarpMulticast>,
    row: u32,
) -> Vec<u32> {
    match (shape, warps) {
        (TensorMemoryCopyShape::L128x256 | TensorMemoryCopyShape::L128x128, _) => vec![row],
        (TensorMemoryCopyShape::L4x256, _) => vec![32 * row],
        (TensorMemoryCopyShape::L64x128, Some(WarpMulticast::X2Halves)) => {
            let first = row % 32 + row / 32 * 64;
            vec![first, first + 32]
        }
        (TensorMemoryCopyShape::L64x128, _) => vec![row, row + 64],
        (TensorMemoryCopyShape::L32x128, _) => (0..4).map(|part| row + 32 * part).collect(),
    }
}

/// Layout of the accumulator D in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccumulatorLayout {
    /// Number of rows of D, over all CTAs of the group.
    pub m: usize,
    /// Number of columns of D.
    pub n: usize,
    /// Number of CTAs that execute the MMA together: 1 or 2.
    pub n_blocks: usize,
    /// Whether the MMA is weight-stationary (`.ws`).
    pub is_stationary: bool,
    /// Whether matrix A is sparse.
    pub is_sparse: bool,
}

impl AccumulatorLayout {
    /// Returns the letter of the layout. Returns `None` if no layout has this number of rows (PTX ISA, "Data path layout organization").
    pub const fn letter(self) -> Option<char> {
        Some(match (self.n_blocks, self.m, self.is_stationary) {
            (2, 256, false) => 'A',
            (2, 128, false) if self.is_sparse => 'C',
            (2, 128, false) => 'B',
            (1, 128, _) => 'D',
            (1, 64, true) => 'E',
            (1, 64, false) => 'F',
            (1, 32, true) => 'G',
            _ => return None,
        })
    }

    /// Returns the number of columns of each part if the columns of D are divided into `n_parts` adjacent parts.
    const fn part(self, n_parts: usize) -> usize {
        if self.n < n_parts {
            1
        } else {
            self.n / n_parts
        }
    }

    /// Returns the CTA, lane and column of an element of D, or `None` if no layout has this number of rows.
    pub const fn place(self, row: usize, column: usize) -> Option<(usize, usize, usize)> {
        let Some(letter) = self.letter() else {
            return None;
        };
        Some(match letter {
            'A' => (row / 128, row % 128, column),
            'B' => (
                row / 64,
                row % 64 + 64 * (column / self.part(2)),
                column % self.part(2),
            ),
            'C' => (row / 64, spread(row % 64), column),
            'E' => (0, row + 64 * (column / self.part(2)), column % self.part(2)),
            'F' => (0, spread(row), column),
            'G' => (0, row + 32 * (column / self.part(4)), column % self.part(4)),
            _ => (0, row, column),
        })
    }
}

/// Returns the lane of a row of D with 64 rows, which are distributed over 128 lanes: 16 rows in each quarter of 32 lanes.
const fn spread(row: usize) -> usize {
    row / 16 * 32 + row % 16
}

/// Returns lane and column of the word with the scale factors of a row of A or column of B. Each of the four quarters of 32 lanes must
/// contain a copy of this word.
pub const fn scale_factor_location(line: usize) -> (usize, usize) {
    (line % 32, line / 32)
}

/// Returns the lane, column and lowest bit of a 4-bit metadata selector of a sparse A with `depth` columns and elements of `bits` bits. The
/// selector belongs to the chunk of row `row` that starts at column `first` (layout of CuTe).
pub const fn metadata_place(
    bits: u32,
    depth: usize,
    row: usize,
    first: usize,
) -> (usize, usize, usize) {
    let chunk = if bits == 32 { 2 } else { 4 };
    let half = depth / 2;
    match bits {
        8 => (row, first / 32, first % 32),
        // Each 4-bit selector covers eight columns. This layout is assumed by analogy with 8-bit elements.
        4 => (row, first / 64, first / 2 % 32),
        _ => (
            row % 8 + 16 * (row / 16) + 8 * (first / half),
            0,
            16 * (row / 8 % 2) + 4 * (first % half / chunk),
        ),
    }
}
