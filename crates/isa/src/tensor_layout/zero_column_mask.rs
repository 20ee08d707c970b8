//! Zero-column mask descriptor of `tcgen05.mma.ws` (PTX ISA, "Zero-Column Mask Descriptor"): decodes the 64 bits and determines which
//! columns of B are treated as zero.

use super::tensor_memory::AccumulatorLayout;

/// Decoded zero-column mask descriptor: a pattern of alternating used and zero columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroColumnMask {
    /// Number of columns that the pattern skips at the start of each part of B.
    pub starts: [u8; 4],
    /// Whether the pattern of each part of B begins with zero columns.
    pub begins_zero: [bool; 4],
    /// Whether the mask treats any column as zero.
    pub has_zeros: bool,
    /// Number of columns in each run of used columns.
    pub used: usize,
    /// Number of columns in each run of zero columns.
    pub zero: usize,
    /// Number of columns by which the pattern is shifted to higher column indices.
    pub shift: usize,
}

impl ZeroColumnMask {
    /// Decodes a 64-bit zero-column mask descriptor.
    pub fn decode(bits: u64) -> ZeroColumnMask {
        let byte = |at: u32| (bits >> at) as u8;
        ZeroColumnMask {
            starts: std::array::from_fn(|part| byte(8 * part as u32)),
            begins_zero: std::array::from_fn(|part| bits >> (32 + part) & 1 == 1),
            has_zeros: bits >> 39 & 1 == 1,
            used: usize::from(byte(40)) + 1,
            zero: usize::from(byte(48)) + 1,
            shift: (bits >> 56 & 63) as usize,
        }
    }

    /// Returns whether a column of B is treated as zero. If D has 128 rows, one pattern covers all columns. If D has 64 or 32 rows, each
    /// half or quarter of the columns has a separate pattern. Because the manual contains only examples, the implementation assumes that
    /// the shift moves the pattern, and that the columns before the shifted pattern are used.
    pub fn is_zero(&self, sums: AccumulatorLayout, column: usize) -> bool {
        let n_parts = match sums.m {
            32 => 4,
            64 => 2,
            _ => 1,
        };
        let columns = (sums.n / n_parts).max(1);
        let part = (column / columns).min(n_parts - 1);
        let Some(at) = (column - part * columns).checked_sub(self.shift) else {
            return false;
        };
        if !self.has_zeros {
            return false;
        }
        let place = (at + usize::from(self.starts[part])) % (self.used + self.zero);
        match self.begins_zero[part] {
            true => place < self.zero,
            false => place >= self.used,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AccumulatorLayout, ZeroColumnMask};

    fn zeros(bits: u64, m: usize, n: usize) -> String {
        let sums = AccumulatorLayout {
            m,
            n,
            n_blocks: 1,
            is_stationary: true,
            is_sparse: false,
        };
        let columns = ZeroColumnMask::decode(bits);
        let letter = |column| {
            if columns.is_zero(sums, column) {
                '0'
            } else {
                '.'
            }
        };
        (0..n).map(letter).collect()
    }

    #[test]
    fn mask_alternates_nonzero_and_zero_column_spans() {
        // This pattern alternates three used columns and two zero columns.
        let spans = 1 << 39 | 2 << 40 | 1 << 48;
        assert_eq!(zeros(spans, 128, 12), "...00...00..");
        assert_eq!(zeros(spans | 2, 128, 12), ".00...00...0");
        assert_eq!(zeros(spans | 1 << 32, 128, 12), "00...00...00");
        assert_eq!(zeros(spans | 4 << 56, 128, 12), ".......00...");
        assert_eq!(zeros(spans & !(1 << 39), 128, 12), "............");
        // If D has 64 rows, each half of the columns has a separate start.
        assert_eq!(zeros(spans | 3 << 8, 64, 12), "...00.00...0");
        assert_eq!(zeros(spans | 1 << 35, 32, 12), ".........00.");
    }
}
