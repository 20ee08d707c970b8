//! Register layout of the sparsity metadata of matrix A: lane and bit offset of the 4-bit selector of each chunk of columns (PTX ISA,
//! "Sparse matrix storage"; CuTe's layout for 8-bit elements).

/// Distribution of the sparsity metadata over the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseMetadataLayout {
    /// Width of an element in bits.
    pub bits: u32,
    /// Number of columns of the uncompressed matrix A. In each row, half of the elements are zero.
    pub depth: usize,
    /// Sparsity selector, which selects the lanes that provide metadata in each group of four lanes.
    pub selector: u32,
}

impl SparseMetadataLayout {
    /// Returns the number of columns that one 4-bit metadata selector covers.
    pub const fn chunk(self) -> usize {
        match self.bits {
            32 => 2,
            4 => 8,
            _ => 4,
        }
    }

    /// Returns the lane and the lowest bit of the 4-bit selector of a chunk. `row` is the row from 0 to 15 within the 16 rows of the warp.
    pub const fn place(self, row: usize, chunk: usize) -> (usize, usize) {
        let (group, half) = (row % 8, row / 8);
        let selector = self.selector as usize;
        let (lane, bit) = match self.bits {
            // Each lane holds the selectors of four chunks for each of two rows.
            16 | 32 if chunk < 4 && self.depth <= 4 * self.chunk() => {
                (selector, 16 * half + 4 * chunk)
            }
            16 | 32 => (2 * selector + chunk / 4, 16 * half + 4 * (chunk % 4)),
            // Each lane holds the selectors of eight chunks of one row.
            _ if self.depth <= 8 * self.chunk() => (2 * selector + half, 4 * chunk),
            _ => (2 * (chunk / 8) + half, 4 * (chunk % 8)),
        };
        ((4 * group + lane) & 31, bit)
    }
}
