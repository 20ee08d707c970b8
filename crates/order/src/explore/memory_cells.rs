//! Partition of the memory of a litmus test into numbered cells, such that every access of the threads covers whole
//! cells.

use crate::explore::query::{LitmusLocationKind, Location};
use std::ops::Range;

/// Maximum number of elements of a location that the partition initially splits into one cell per element.
const MAX_PRESPLIT_ELEMENTS: usize = 4;
/// Maximum size in bytes of a cell whose value is stored literally, and not as a digest.
const MAX_CELL_VALUE_BYTES: usize = 8;

/// Part of a memory location that every access covers completely. Cells of more than eight bytes are only copied as a whole. The value of a
/// cell of this size is a digest of its contents, which supports only comparisons for equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoryCell {
    pub(crate) start: u64,
    pub(crate) n_bytes: u32,
    pub(crate) location: usize,
    pub(crate) init: u64,
}

/// Partition of the locations of a litmus test into cells, which are sorted by address. Events refer to cells by their index.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellPartition {
    pub(crate) list: Vec<MemoryCell>,
    /// Initial contents of each location.
    held: Vec<LocationContents>,
}

/// Initial contents of a location, from which the initial values of its cells are computed.
#[derive(Clone, Debug)]
struct LocationContents {
    range: Range<u64>,
    bytes: Vec<u8>,
}

impl LocationContents {
    /// Returns the initial value of `n_bytes` bytes at the address `start`.
    fn value(&self, start: u64, n_bytes: u32) -> u64 {
        let from = (start - self.range.start) as usize;
        let bytes = self.bytes.get(from..from + n_bytes as usize);
        value_of(bytes.unwrap_or(&[]))
    }
}

/// Returns the little-endian value of up to eight bytes. For more than eight bytes, returns a digest of the bytes, which is zero if all
/// bytes are zero.
fn value_of(bytes: &[u8]) -> u64 {
    if bytes.len() <= MAX_CELL_VALUE_BYTES {
        let all = bytes.iter().rev();
        return all.fold(0, |value, byte| value << 8 | u64::from(*byte));
    }
    let all = bytes.iter().enumerate();
    all.fold(0, |digest: u64, (at, byte)| {
        let part = u64::from(*byte).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        digest
            ^ part
                .rotate_left(at as u32 % 64)
                .wrapping_mul(2 * at as u64 + 1)
    })
}

/// Result of a lookup of the cells that contain a byte range.
pub(crate) enum CellLookup {
    Cells(Range<usize>),
    /// A cell must be split at this address, because the byte range starts or ends within the cell.
    Cut(u64),
    /// No location contains all bytes of the range.
    Nothing,
}

impl CellPartition {
    /// Creates one cell for each element of a small location, and one cell for each large location. The enumeration of traces splits large
    /// cells on demand.
    pub(crate) fn new(locations: &[Location]) -> CellPartition {
        let mut cells = CellPartition::default();
        for (index, location) in locations.iter().enumerate() {
            let size = location.element_bytes;
            let elements = location.init.iter();
            let bytes = elements.flat_map(|value| {
                let bytes = value.to_le_bytes();
                bytes.into_iter().take(size as usize)
            });
            let held = LocationContents {
                range: location.start..location.start + location.n_bytes(),
                bytes: bytes.collect(),
            };
            let n = location.init.len();
            let (n_cells, n_bytes) = match n {
                0..=MAX_PRESPLIT_ELEMENTS => (n, size),
                _ => (1, size * n as u32),
            };
            for cell in 0..n_cells {
                let start = location.start + u64::from(n_bytes) * cell as u64;
                cells.list.push(MemoryCell {
                    start,
                    n_bytes,
                    location: index,
                    init: held.value(start, n_bytes),
                });
            }
            cells.held.push(held);
        }
        cells.list.sort_by_key(|cell| cell.start);
        cells
    }

    pub(crate) fn find(&self, start: u64, n_bytes: u64) -> CellLookup {
        let end = start.saturating_add(n_bytes);
        if n_bytes == 0 || !self.covers(start, end) {
            return CellLookup::Nothing;
        }
        let first = self.list.partition_point(|cell| cell.start < start);
        let last = self.list.partition_point(|cell| cell.start < end);
        if self.list.get(first).is_none_or(|cell| cell.start != start) {
            return CellLookup::Cut(start);
        }
        let ends_at = |cell: &MemoryCell| cell.start + u64::from(cell.n_bytes) == end;
        match self.list.get(last.saturating_sub(1)) {
            Some(cell) if ends_at(cell) => CellLookup::Cells(first..last),
            _ => CellLookup::Cut(end),
        }
    }

    /// Checks whether the locations contain all bytes of a range.
    fn covers(&self, start: u64, end: u64) -> bool {
        let first = self.list.partition_point(|cell| cell.start <= start);
        let cells = self.list.get(first.saturating_sub(1)..).unwrap_or(&[]);
        let mut at = start;
        for cell in cells {
            if at >= end || cell.start > at {
                break;
            }
            at = at.max(cell.start + u64::from(cell.n_bytes));
        }
        at >= end
    }

    /// Splits the cell that contains an address.
    pub(crate) fn cut(&mut self, at: u64) {
        let Some(index) = self
            .list
            .partition_point(|cell| cell.start < at)
            .checked_sub(1)
        else {
            return;
        };
        let Some(cell) = self.list.get_mut(index) else {
            return;
        };
        let low = (at - cell.start) as u32;
        if low == 0 || low >= cell.n_bytes {
            return;
        }
        let Some(held) = self.held.get(cell.location) else {
            return;
        };
        let n_high = cell.n_bytes - low;
        let high = MemoryCell {
            start: at,
            n_bytes: n_high,
            location: cell.location,
            init: held.value(at, n_high),
        };
        cell.n_bytes = low;
        cell.init = held.value(cell.start, low);
        self.list.insert(index + 1, high);
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the kind of the location that contains a cell.
    pub(crate) fn kind(&self, locations: &[Location], cell: usize) -> LitmusLocationKind {
        let location = self
            .list
            .get(cell)
            .and_then(|cell| locations.get(cell.location));
        location.map_or(LitmusLocationKind::Global, |location| location.kind)
    }

    /// Concatenates the values of adjacent cells into one value.
    pub(crate) fn join(&self, cells: Range<usize>, values: &[u64]) -> u64 {
        let mut shift = 0;
        let mut joined = 0u64;
        for (cell, value) in self.list.get(cells).unwrap_or(&[]).iter().zip(values) {
            joined |= value.checked_shl(shift).unwrap_or(0);
            shift += 8 * cell.n_bytes;
        }
        joined
    }

    /// Splits a value into the values of the adjacent cells that contain its bytes.
    pub(crate) fn split(&self, cells: Range<usize>, value: u64) -> Vec<u64> {
        let mut shift = 0;
        let parts = self.list.get(cells).unwrap_or(&[]).iter().map(|cell| {
            let part = value.checked_shr(shift).unwrap_or(0) & keep(cell.n_bytes);
            shift += 8 * cell.n_bytes;
            part
        });
        parts.collect()
    }
}

/// Returns a mask of the low `n_bytes` bytes.
fn keep(n_bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * n_bytes.clamp(1, 8))
}
