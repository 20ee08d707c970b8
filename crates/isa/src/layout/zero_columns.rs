//! Which columns of B count as zero in `tcgen05.mma.ws` (PTX ISA, "Zero-Column Mask Descriptor"). In: the 64 bits of a descriptor; out: for
//! each column whether it counts as zero.

use super::tensor_memory::ProductLayout;

/// What a zero-column mask descriptor says: a pattern of columns that are used and columns that are zero, by turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroColumns {
    /// Columns of the pattern that are passed over first, for each part of the columns.
    pub starts: [u8; 4],
    /// Whether the pattern of a part begins with columns that are zero.
    pub begins_zero: [bool; 4],
    /// Whether any column is zero.
    pub has_zeros: bool,
    /// Columns that are used in a row.
    pub used: usize,
    /// Columns that are zero in a row.
    pub zero: usize,
    /// Columns that the pattern begins further on.
    pub shift: usize,
}

impl ZeroColumns {
    /// Takes the 64 bits apart.
    pub fn decode(bits: u64) -> ZeroColumns {
        let byte = |at: u32| (bits >> at) as u8;
        ZeroColumns {
            starts: std::array::from_fn(|part| byte(8 * part as u32)),
            begins_zero: std::array::from_fn(|part| bits >> (32 + part) & 1 == 1),
            has_zeros: bits >> 39 & 1 == 1,
            used: usize::from(byte(40)) + 1,
            zero: usize::from(byte(48)) + 1,
            shift: (bits >> 56 & 63) as usize,
        }
    }

    /// Whether a column of B counts as zero: D of 128 rows has one pattern, of 64 rows one for each half of the columns, of 32 rows one for
    /// each quarter. That the shift moves the pattern, and that what lies before it is used, is our choice: the manual draws examples alone.
    pub fn is_zero(&self, sums: ProductLayout, column: usize) -> bool {
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
    use super::{ProductLayout, ZeroColumns};

    fn zeros(bits: u64, m: usize, n: usize) -> String {
        let sums = ProductLayout {
            m,
            n,
            n_blocks: 1,
            is_stationary: true,
            is_sparse: false,
        };
        let columns = ZeroColumns::decode(bits);
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
    fn spans_of_used_and_of_zero_columns_take_turns() {
        // Three columns are used, two are zero.
        let spans = 1 << 39 | 2 << 40 | 1 << 48;
        assert_eq!(zeros(spans, 128, 12), "...00...00..");
        assert_eq!(zeros(spans | 2, 128, 12), ".00...00...0");
        assert_eq!(zeros(spans | 1 << 32, 128, 12), "00...00...00");
        assert_eq!(zeros(spans | 4 << 56, 128, 12), ".......00...");
        assert_eq!(zeros(spans & !(1 << 39), 128, 12), "............");
        // Each half has a start of its own.
        assert_eq!(zeros(spans | 3 << 8, 64, 12), "...00.00...0");
        assert_eq!(zeros(spans | 1 << 35, 32, 12), ".........00.");
    }
}
