//! Tensor memory: 128 lanes of columns of 32 bits. Lanes and columns are counted from the address of the operand (PTX ISA, "tcgen05"; places
//! as CuTe computes them).

use crate::modifier::{CopyShape, MoveShape, WarpMulticast};

/// Lane and column of a register of a thread that `tcgen05.ld` or `tcgen05.st` moves (PTX ISA, "Matrix fragments" of each shape). `half`:
/// columns between the halves of `.16x32bx2`.
pub const fn moved_place(shape: MoveShape, half: u32, thread: u32, register: u32) -> (u32, u32) {
    let (l, r) = (thread, register);
    match shape {
        MoveShape::M32x32 => (l, r),
        MoveShape::M16x64 => (l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * r),
        MoveShape::M16x128 => (l / 4 + 8 * (r % 2), l % 4 + 4 * (r / 2)),
        MoveShape::M16x256 => (l / 4 + 8 * (r / 2 % 2), 2 * (l % 4) + r % 2 + 8 * (r / 4)),
        MoveShape::M16x32x2 => (l % 16, r + if l < 16 { 0 } else { half }),
    }
}

/// The lanes that get a row of a copy; the words of the row go to consecutive columns.
pub fn copied_lanes(shape: CopyShape, warps: Option<WarpMulticast>, row: u32) -> Vec<u32> {
    match (shape, warps) {
        (CopyShape::L128x256 | CopyShape::L128x128, _) => vec![row],
        (CopyShape::L4x256, _) => vec![32 * row],
        (CopyShape::L64x128, Some(WarpMulticast::X2Halves)) => {
            let first = row % 32 + row / 32 * 64;
            vec![first, first + 32]
        }
        (CopyShape::L64x128, _) => vec![row, row + 64],
        (CopyShape::L32x128, _) => (0..4).map(|part| row + 32 * part).collect(),
    }
}

/// How D of a product lies in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductLayout {
    /// Rows of D, of both blocks.
    pub m: usize,
    /// Columns of D.
    pub n: usize,
    /// Blocks that share the product: 1 or 2.
    pub n_blocks: usize,
    /// Whether it is a product with a stationary factor (`.ws`).
    pub is_stationary: bool,
    /// Whether A is sparse.
    pub is_sparse: bool,
}

impl ProductLayout {
    /// The letter of the layout; `None` where no layout has this number of rows (PTX ISA, "Data path layout organization").
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

    /// Columns of each of `n_parts` parts side by side.
    const fn part(self, n_parts: usize) -> usize {
        if self.n < n_parts {
            1
        } else {
            self.n / n_parts
        }
    }

    /// Block, lane and column of an element; `None` without a layout.
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

/// 64 rows over 128 lanes: 16 in each quarter.
const fn spread(row: usize) -> usize {
    row / 16 * 32 + row % 16
}

/// Lane and column of the word that holds the scale factors of a row of A or a column of B. The same word is expected in each of the four
/// parts of 32 lanes.
pub const fn factor_place(line: usize) -> (usize, usize) {
    (line % 32, line / 32)
}

/// Lane, column and lowest bit of the 4 bits that speak of the chunk that begins at column `first` of a row of a sparse A of `bits` wide
/// elements and `depth` columns (CuTe).
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
        // Eight columns for four bits (by analogy with 8 bits; our choice).
        4 => (row, first / 64, first / 2 % 32),
        _ => (
            row % 8 + 16 * (row / 16) + 8 * (first / half),
            0,
            16 * (row / 8 % 2) + 4 * (first % half / chunk),
        ),
    }
}
