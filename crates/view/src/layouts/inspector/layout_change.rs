//! Enumeration of the layout changes of a buffer that can remove bank conflicts: padding after each row, XOR swizzles, and transpositions.

use std::fmt;
use warpgrid_layout::Swizzle;

/// Layout change of a buffer, which maps old byte offsets to new byte offsets. The search for fixes of bank conflicts tries these changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LayoutChange {
    /// Adds padding bytes after each row of the buffer.
    Pad { row_bytes: u64, pad_bytes: u64 },
    /// Combines some address bits with one or two groups of other address bits by XOR.
    Xor(XorSwizzle),
    /// Combines several adjacent address bits with one other address bit by XOR.
    BroadcastXor { bits: u32, base: u32, source: u32 },
    /// Transposes the units of the rows. After the change, the first units of all rows are adjacent, followed by the second units of all
    /// rows, and so on.
    TransposeUnits {
        row_bytes: u64,
        unit_bytes: u64,
        n_rows: u64,
    },
}

/// Parameters of an XOR swizzle of byte offsets, or of a combination of two XOR swizzles with the same destination bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct XorSwizzle {
    pub(crate) bits: u32,
    pub(crate) base: u32,
    pub(crate) shift: u32,
    /// Shift of the second swizzle, or 0 if no second swizzle exists.
    pub(crate) second: u32,
}

/// Number of low address bits that determine the bank and the byte within the word of the bank.
const BANK_BITS: u32 = 7;

impl XorSwizzle {
    /// Returns the swizzles of byte offsets that form the change, in CuTe notation.
    pub(crate) fn swizzles(self) -> Vec<Swizzle> {
        let one = |shift: u32| Swizzle::new(self.bits, self.base, shift as i32).ok();
        let mut all: Vec<Swizzle> = one(self.shift).into_iter().collect();
        if self.second != 0 {
            all.extend(one(self.second));
        }
        all
    }

    /// Returns the index of the lowest address bit above all source bits.
    pub(crate) const fn end_bit(self) -> u32 {
        let shift = if self.second > self.shift {
            self.second
        } else {
            self.shift
        };
        self.base + self.bits + shift
    }
}

/// Returns the mask of the destination bits of a [`LayoutChange::BroadcastXor`].
pub(crate) const fn spread_mask(bits: u32, base: u32) -> u64 {
    ((1 << bits) - 1) << base
}

impl LayoutChange {
    /// Returns the new offset of a byte that has the offset `offset` in the original buffer.
    pub(crate) fn apply(self, offset: u64) -> u64 {
        match self {
            LayoutChange::Pad {
                row_bytes,
                pad_bytes,
            } => offset.saturating_add((offset / row_bytes.max(1)).saturating_mul(pad_bytes)),
            LayoutChange::Xor(xor) => {
                let mask = (1u64 << xor.bits) - 1;
                let mut by = offset >> (xor.base + xor.shift) & mask;
                if xor.second != 0 {
                    by ^= offset >> (xor.base + xor.second) & mask;
                }
                offset ^ by << xor.base
            }
            LayoutChange::BroadcastXor { bits, base, source } => {
                offset ^ ((offset >> source & 1) * spread_mask(bits, base))
            }
            LayoutChange::TransposeUnits {
                row_bytes,
                unit_bytes,
                n_rows,
            } => {
                let (row, column) = (offset / row_bytes, offset % row_bytes / unit_bytes);
                (column * n_rows + row) * unit_bytes + offset % unit_bytes
            }
        }
    }

    /// Returns the size in bytes after the change of a buffer that originally has `size` bytes.
    pub(crate) fn size(self, size: u64) -> u64 {
        match self {
            LayoutChange::Pad { .. } => size.checked_sub(1).map_or(0, |last| self.apply(last) + 1),
            LayoutChange::Xor(xor) => size.next_multiple_of(1 << (xor.base + xor.bits)),
            LayoutChange::BroadcastXor { bits, base, .. } => {
                size.next_multiple_of(1 << (base + bits))
            }
            LayoutChange::TransposeUnits { .. } => size,
        }
    }

    /// Returns the number of bytes by which the change enlarges a buffer of `size` bytes.
    pub(crate) fn more_bytes(self, size: u64) -> u64 {
        self.size(size) - size
    }

    /// Returns all layout changes that keep groups of `width` bytes contiguous, in the order of increasing cost. First come swizzles
    /// ordered by their number of bits, then paddings ordered by their number of bytes, then broadcast XORs, combinations of two swizzles,
    /// and transpositions.
    pub(crate) fn all(size: u64, width: u64) -> Vec<LayoutChange> {
        let width = width.max(4).next_power_of_two();
        let lowest = width.trailing_zeros();
        let top = 64 - size.saturating_sub(1).leading_zeros();
        let swizzles = (1..=BANK_BITS.saturating_sub(lowest)).flat_map(move |bits| {
            (lowest..=BANK_BITS - bits).flat_map(move |base| {
                let shifts = bits..top.saturating_sub(base);
                shifts.map(move |shift| LayoutChange::xor(bits, base, shift, 0))
            })
        });
        let spreads = (2..=BANK_BITS.saturating_sub(lowest)).flat_map(move |bits| {
            let base = BANK_BITS - bits;
            (BANK_BITS..top).map(move |source| LayoutChange::BroadcastXor { bits, base, source })
        });
        let sums = (lowest..BANK_BITS).flat_map(move |base| {
            let bits = BANK_BITS - base;
            let end = top.saturating_sub(base);
            (bits..end).flat_map(move |shift| {
                (shift + 1..end).map(move |second| LayoutChange::xor(bits, base, shift, second))
            })
        });
        let rows = (lowest + 1..top).map(|row| 1u64 << row);
        let rows = rows.filter(|row_bytes| size.is_multiple_of(*row_bytes) && size > *row_bytes);
        let exchanges = rows.map(|row_bytes| LayoutChange::TransposeUnits {
            row_bytes,
            unit_bytes: width,
            n_rows: size / row_bytes,
        });
        swizzles
            .chain(LayoutChange::paddings(size, width))
            .chain(spreads)
            .chain(sums)
            .chain(exchanges)
            .collect()
    }

    const fn xor(bits: u32, base: u32, shift: u32, second: u32) -> LayoutChange {
        LayoutChange::Xor(XorSwizzle {
            bits,
            base,
            shift,
            second,
        })
    }

    /// Returns the paddings of at most 64 bytes after rows of at least 32 bytes, in the order of the resulting buffer size.
    fn paddings(size: u64, width: u64) -> Vec<LayoutChange> {
        let rows = (5..64).map(|row| 1u64 << row);
        let rows = rows.take_while(|row_bytes| *row_bytes < size);
        let rows = rows.filter(|row_bytes| *row_bytes >= 2 * width);
        let paddings = rows.flat_map(|row_bytes| {
            let pads = std::iter::successors(Some(width), |pad_bytes| Some(2 * pad_bytes));
            let pads = pads.take_while(|pad_bytes| *pad_bytes <= 64);
            pads.map(move |pad_bytes| LayoutChange::Pad {
                row_bytes,
                pad_bytes,
            })
        });
        let mut paddings: Vec<LayoutChange> = paddings.collect();
        paddings.sort_by_key(|padding| padding.more_bytes(size));
        paddings
    }

    /// Checks whether the change is so complex that the search tries it only if no simpler change removes the bank conflicts.
    pub(crate) const fn is_last_resort(self) -> bool {
        match self {
            LayoutChange::Pad { .. } => false,
            LayoutChange::BroadcastXor { .. } => true,
            LayoutChange::Xor(xor) => xor.second != 0,
            LayoutChange::TransposeUnits { .. } => true,
        }
    }
}

impl fmt::Display for LayoutChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutChange::Pad {
                row_bytes,
                pad_bytes,
            } => write!(
                f,
                "padding of {pad_bytes} bytes after every {row_bytes} bytes"
            ),
            LayoutChange::Xor(xor) => {
                let all = xor
                    .swizzles()
                    .into_iter()
                    .map(|swizzle| swizzle.to_string());
                let all: Vec<String> = all.collect();
                write!(f, "XOR swizzle {} on byte addresses", all.join(" and "))
            }
            LayoutChange::BroadcastXor { bits, base, source } => write!(
                f,
                "XOR of byte address bits {base} to {} with bit {source}",
                base + bits - 1
            ),
            LayoutChange::TransposeUnits {
                row_bytes,
                unit_bytes,
                ..
            } => write!(
                f,
                "transposition of rows of {row_bytes} bytes, in units of {unit_bytes} bytes"
            ),
        }
    }
}
