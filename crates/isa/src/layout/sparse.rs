//! Metadata of a sparse A in registers: which lane holds the bits that speak of a chunk of columns (PTX ISA, "Sparse matrix storage"; for
//! 8-bit elements as CuTe has it).

/// How the metadata of a sparse A are spread over the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparsity {
    /// Bits of an element.
    pub bits: u32,
    /// Columns of the whole matrix: terms of each sum, half of them zero.
    pub depth: usize,
    /// Which lanes of each four are read.
    pub selector: u32,
}

impl Sparsity {
    /// Columns that have one choice of metadata, 4 bits.
    pub const fn chunk(self) -> usize {
        match self.bits {
            32 => 2,
            4 => 8,
            _ => 4,
        }
    }

    /// The lane that holds the 4 bits of a chunk of a row of the warp, 0 to 15, and the lowest of these bits.
    pub const fn place(self, row: usize, chunk: usize) -> (usize, usize) {
        let (group, half) = (row % 8, row / 8);
        let selector = self.selector as usize;
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
        ((4 * group + lane) & 31, bit)
    }
}
