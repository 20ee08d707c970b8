//! Changes of where the bytes of a buffer lie, that may free it of bank conflicts: a padding after each row, an XOR swizzle, or rows and columns
//! exchanged.

use std::fmt;
use warpgrid_layout::Swizzle;

/// Where each byte of a buffer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Unused bytes after each row.
    Pad { row_bytes: u64, pad_bytes: u64 },
    /// Bits are changed by others, perhaps twice.
    Xor(Xor),
    /// One bit changes several others.
    Spread { bits: u32, base: u32, source: u32 },
    /// Rows become columns: the first units of all rows lie side by side, then the second ones.
    Exchange {
        row_bytes: u64,
        unit_bytes: u64,
        n_rows: u64,
    },
}

/// One swizzle of bytes, or two with the same bits to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Xor {
    pub(crate) bits: u32,
    pub(crate) base: u32,
    pub(crate) shift: u32,
    /// How far up the bits of a second swizzle are; 0 for none.
    pub(crate) second: u32,
}

/// The highest bit of an address that decides its bank.
const BANK_BITS: u32 = 7;

impl Xor {
    /// The swizzles, as CuTe writes them, on bytes.
    pub(crate) fn swizzles(self) -> Vec<Swizzle> {
        let one = |shift: u32| Swizzle::new(self.bits, self.base, shift as i32).ok();
        let mut all: Vec<Swizzle> = one(self.shift).into_iter().collect();
        if self.second != 0 {
            all.extend(one(self.second));
        }
        all
    }

    /// The lowest bit above all that it looks at.
    pub(crate) const fn reach(self) -> u32 {
        let shift = if self.second > self.shift {
            self.second
        } else {
            self.shift
        };
        self.base + self.bits + shift
    }
}

/// The bits that a single one changes.
pub(crate) const fn spread_mask(bits: u32, base: u32) -> u64 {
    ((1 << bits) - 1) << base
}

impl Change {
    /// Where a byte of the buffer goes.
    pub(crate) fn apply(self, offset: u64) -> u64 {
        match self {
            Change::Pad {
                row_bytes,
                pad_bytes,
            } => offset.saturating_add((offset / row_bytes.max(1)).saturating_mul(pad_bytes)),
            Change::Xor(xor) => {
                let mask = (1u64 << xor.bits) - 1;
                let mut by = offset >> (xor.base + xor.shift) & mask;
                if xor.second != 0 {
                    by ^= offset >> (xor.base + xor.second) & mask;
                }
                offset ^ by << xor.base
            }
            Change::Spread { bits, base, source } => {
                offset ^ ((offset >> source & 1) * spread_mask(bits, base))
            }
            Change::Exchange {
                row_bytes,
                unit_bytes,
                n_rows,
            } => {
                let (row, column) = (offset / row_bytes, offset % row_bytes / unit_bytes);
                (column * n_rows + row) * unit_bytes + offset % unit_bytes
            }
        }
    }

    /// Bytes that the buffer takes afterwards.
    pub(crate) fn size(self, size: u64) -> u64 {
        match self {
            Change::Pad { .. } => size.checked_sub(1).map_or(0, |last| self.apply(last) + 1),
            Change::Xor(xor) => size.next_multiple_of(1 << (xor.base + xor.bits)),
            Change::Spread { bits, base, .. } => size.next_multiple_of(1 << (base + bits)),
            Change::Exchange { .. } => size,
        }
    }

    /// Bytes that it takes beside.
    pub(crate) fn more_bytes(self, size: u64) -> u64 {
        self.size(size) - size
    }

    /// Every change that keeps stretches of `width` bytes together, the least one first: swizzles of few bits, then paddings of few bytes, then
    /// bits that change several, then two swizzles, then rows and columns exchanged.
    pub(crate) fn all(size: u64, width: u64) -> Vec<Change> {
        let mut all = Vec::new();
        let width = width.max(4).next_power_of_two();
        let lowest = width.trailing_zeros();
        let top = 64 - size.saturating_sub(1).leading_zeros();
        for bits in 1..=BANK_BITS.saturating_sub(lowest) {
            for base in lowest..=BANK_BITS - bits {
                for shift in bits..top.saturating_sub(base) {
                    all.push(Change::Xor(Xor {
                        bits,
                        base,
                        shift,
                        second: 0,
                    }));
                }
            }
        }
        let mut pads = Vec::new();
        for row in 5..top {
            let mut pad_bytes = width;
            while pad_bytes <= 64 {
                let row_bytes = 1u64 << row;
                if row_bytes >= 2 * width && row_bytes < size {
                    pads.push(Change::Pad {
                        row_bytes,
                        pad_bytes,
                    });
                }
                pad_bytes *= 2;
            }
        }
        pads.sort_by_key(|pad| pad.more_bytes(size));
        all.extend(pads);
        for bits in 2..=BANK_BITS.saturating_sub(lowest) {
            let base = BANK_BITS - bits;
            for source in BANK_BITS..top {
                all.push(Change::Spread { bits, base, source });
            }
        }
        for base in lowest..BANK_BITS {
            let bits = BANK_BITS - base;
            for shift in bits..top.saturating_sub(base) {
                for second in shift + 1..top.saturating_sub(base) {
                    all.push(Change::Xor(Xor {
                        bits,
                        base,
                        shift,
                        second,
                    }));
                }
            }
        }
        for row in lowest + 1..top {
            let row_bytes = 1u64 << row;
            if size.is_multiple_of(row_bytes) && size > row_bytes {
                all.push(Change::Exchange {
                    row_bytes,
                    unit_bytes: width,
                    n_rows: size / row_bytes,
                });
            }
        }
        all
    }

    /// Whether it is looked at only where nothing simpler frees a buffer.
    pub(crate) const fn is_last_resort(self) -> bool {
        match self {
            Change::Pad { .. } => false,
            Change::Spread { .. } => true,
            Change::Xor(xor) => xor.second != 0,
            Change::Exchange { .. } => true,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Pad {
                row_bytes,
                pad_bytes,
            } => write!(
                f,
                "padding of {pad_bytes} bytes after every {row_bytes} bytes"
            ),
            Change::Xor(xor) => {
                let all = xor
                    .swizzles()
                    .into_iter()
                    .map(|swizzle| swizzle.to_string());
                let all: Vec<String> = all.collect();
                write!(f, "XOR swizzle {} on byte addresses", all.join(" and "))
            }
            Change::Spread { bits, base, source } => write!(
                f,
                "XOR of byte address bits {base} to {} with bit {source}",
                base + bits - 1
            ),
            Change::Exchange {
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
