//! Which columns the stored elements of a sparse matrix have (PTX ISA, "Sparse matrix storage"; for 8-bit elements as CuTe has it).

use crate::state::registers::Row32;

/// How the metadata of a sparse A are spread over the lanes, by the width of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sparsity {
    /// Bits of an element.
    pub(crate) bits: u32,
    /// Columns of the whole matrix: terms of each sum, half of them zero.
    pub(crate) depth: usize,
    pub(crate) selector: u32,
}

impl Sparsity {
    /// Columns that have one choice of metadata, 4 bits.
    const fn chunk(self) -> usize {
        match self.bits {
            32 => 2,
            4 => 8,
            _ => 4,
        }
    }

    /// The 4 bits of a chunk of a row of the warp, 0 to 15.
    fn choice(self, row: usize, chunk: usize, metadata: &Row32) -> u32 {
        let (group, half) = (row % 8, row / 8);
        let selector = self.selector as usize;
        // Lane, and the first bit there.
        let (lane, bit) = match self.bits {
            // Four chunks for each of two rows in a lane.
            16 | 32 if chunk < 4 && self.depth <= 4 * self.chunk() => {
                (selector, 16 * half + 4 * chunk)
            }
            16 | 32 => (2 * selector + chunk / 4, 16 * half + 4 * (chunk % 4)),
            // Eight chunks of one row in a lane.
            _ if self.depth <= 8 * self.chunk() => (2 * selector + half, 4 * chunk),
            _ => (2 * (chunk / 8) + half, 4 * (chunk % 8)),
        };
        metadata[(4 * group + lane) & 31] >> bit & 15
    }

    /// The columns of the stored elements of a row, in ascending order of where they are stored.
    pub(crate) fn columns(self, row: usize, metadata: &Row32) -> Vec<usize> {
        let n_chunks = self.depth / self.chunk();
        (0..n_chunks)
            .flat_map(|chunk| {
                let first = chunk * self.chunk();
                chosen(self.bits, self.choice(row, chunk, metadata))
                    .map(move |column| first + column)
            })
            .collect()
    }
}

/// The columns of a chunk that 4 bits of metadata choose.
pub(crate) fn chosen(bits: u32, choice: u32) -> impl Iterator<Item = usize> {
    let (first, second) = ((choice & 3) as usize, (choice >> 2 & 3) as usize);
    let (columns, n) = match bits {
        // One of two, by the half of the pair that is named.
        32 => ([first / 2, 0, 0, 0], 1),
        // Pairs that lie together.
        4 => ([2 * first, 2 * first + 1, 2 * second, 2 * second + 1], 4),
        _ => ([first, second, 0, 0], 2),
    };
    columns.into_iter().take(n)
}
